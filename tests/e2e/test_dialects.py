"""The vendors' own clients against our dialects: they get answers with a token, and a clean refusal without."""

import json
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.environments import ROOT, python_of
from tests.support.service_process import ServiceProcess, service

# An environment may have to be made first.
pytestmark = [pytest.mark.process, pytest.mark.timeout(900)]

VENDOR_CLIENTS = ROOT / "tests" / "support" / "vendor_clients.py"
REFUSALS = {
    "tavily": "InvalidAPIKeyError",
    "tavily_async": "InvalidAPIKeyError",
    "perplexity": "AuthenticationError",
    "searx": "ValueError",
    "firecrawl": "UnauthorizedError",
}
"""Client → how it says that a token was refused."""


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServiceProcess]:
    with service(tmp_path_factory.mktemp("state"), token=True) as process:
        yield process


def call(name: str, running: ServiceProcess, token: str) -> Any:
    """What a client makes of our answers, in its own environment."""
    command = [str(python_of("clients")), str(VENDOR_CLIENTS), name, running.url, token, running.site.url]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", REFUSALS)
def test_a_vendor_s_client_is_refused_cleanly_without_a_token(running: ServiceProcess, name: str) -> None:
    told = call(name, running, "")
    assert told["error"] == REFUSALS[name]
    assert "seekread token create" in told["text"]


def test_tavily_s_client_searches_and_extracts(running: ServiceProcess) -> None:
    answer = call("tavily", running, running.token)["answer"]
    assert answer["titles"] == [f"green tea & more, part {number}" for number in (1, 2, 3)]
    assert all("//example.org/" in url for url in answer["urls"])
    assert answer["scores"] == sorted(answer["scores"], reverse=True)
    assert "Steep it for three minutes" in answer["content"]
    assert answer["failed"] == [f"{running.site.url}/gone"]
    assert len(call("tavily_async", running, running.token)["answer"]["titles"]) == 2


def test_perplexity_s_client_searches_several_queries_at_once(running: ServiceProcess) -> None:
    answer = call("perplexity", running, running.token)["answer"]
    assert answer["titles"][:2] == ["green tea & more, part 1", "black tea & more, part 1"]
    assert len(answer["urls"]) == len(set(answer["urls"])) == 4
    assert not any("//example.com/" in url for url in answer["urls"])


def test_langchain_s_searxng_wrapper_searches_with_basic_auth(running: ServiceProcess) -> None:
    answer = call("searx", running, running.token)["answer"]
    assert answer["titles"] == [f"green tea & more, part {number}" for number in (1, 2, 3)]
    assert "What page 1 says" in answer["text"]


def test_firecrawl_s_client_scrapes_and_searches(running: ServiceProcess) -> None:
    answer = call("firecrawl", running, running.token)["answer"]
    assert len(answer["titles"]) == 3
    assert (answer["title"], answer["source"]) == ("All about tea", running.site.url)
    assert "Steep it for three minutes" in answer["content"]
