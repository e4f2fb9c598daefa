"""Vendors' own clients map and crawl through the service."""

import json
import subprocess
from collections.abc import Iterator

import pytest

from tests.support.environments import ROOT, python_of
from tests.support.service_process import ServiceProcess, service

# An environment may have to be made first.
pytestmark = [pytest.mark.process, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServiceProcess]:
    with service(tmp_path_factory.mktemp("state"), token=True) as process:
        yield process


@pytest.mark.parametrize("name", ["tavily", "firecrawl"])
def test_a_vendor_s_client_maps_and_crawls(running: ServiceProcess, name: str) -> None:
    script = ROOT / "tests" / "support" / "vendor_site_clients.py"
    command = [str(python_of("clients")), str(script), name, running.url, running.token, running.site.url]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=200)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert any(url.startswith(running.site.url) for url in answer["mapped"])
    assert any(url.startswith(running.site.url) for url in answer["crawled"])
    assert answer.get("state", "completed") == "completed"
