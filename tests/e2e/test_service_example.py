"""`make serve`: a newcomer gets an address, results that can be opened, and nothing left behind."""

import signal
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[2]


def test_the_service_of_make_serve_finds_and_opens_pages() -> None:
    command = [sys.executable, "examples/serve.py", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout is not None
        try:
            line = next(line for line in process.stdout if "listens on" in line)
            with httpx2.Client(base_url=line.split()[-1], timeout=60, trust_env=False) as http:
                found = http.get("/v1/search", params={"query": "how does the guard work"}).json()
                assert {name for result in found["results"] for name in result["providers"]} == {"brave", "index"}
                for result in found["results"]:
                    assert http.get("/v1/open", params={"url": result["url"]}).json()["success"]
                assert "text/html" in http.get("/").headers["content-type"]
        finally:
            process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
