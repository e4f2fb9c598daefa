"""The vendors' own clients against our dialects: they get answers with a token, and a clean refusal without."""

import json
import os
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
    "firecrawl_1": "HTTPError",
    "exa": "ValueError",
    "langchain_tavily": "RuntimeError",
}
"""Client → how it says that a token was refused."""
LITELLM = {
    "exa_ai": "AuthenticationError",
    "brave": "BadRequestError",
    "serper": "PermissionDeniedError",
    "tavily": "AuthenticationError",
    "firecrawl": "AuthenticationError",
    "perplexity": "AuthenticationError",
    "searxng": "AuthenticationError",
}
"""The same for LiteLLM's providers."""
ENVIRONMENTS = {
    "exa": "vendors/exa",
    "langchain_tavily": "vendors/langchain-tavily",
    "litellm": "vendors/litellm",
    "open_webui": "vendors/open-webui",
}
"""Client → its environment, where it is not the one that most share."""
TEXT = "Steep it for three minutes"


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServiceProcess]:
    with service(tmp_path_factory.mktemp("state"), token=True) as process:
        process.find_own_page()
        yield process


def call(name: str, running: ServiceProcess, token: str) -> Any:
    """What a client makes of our answers, in its own environment."""
    python = python_of(ENVIRONMENTS.get(name, "clients"))
    command = [str(python), str(VENDOR_CLIENTS), name, running.url, token, running.site.url]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    # Some clients print advice of their own before it.
    return json.loads(done.stdout.splitlines()[-1])


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


def test_firecrawl_s_client_speaks_version_1_too(running: ServiceProcess) -> None:
    answer = call("firecrawl_1", running, running.token)["answer"]
    assert len(answer["titles"]) == 3
    assert TEXT in answer["content"]
    assert "All about tea" not in answer["content"]
    assert f"<p>{TEXT}" in answer["html"]
    assert "screenshot is not offered here" in answer["refused"]
    assert "map is not offered here" in answer["map"]


def test_exa_s_client_searches_and_gets_contents(running: ServiceProcess) -> None:
    answer = call("exa", running, running.token)["answer"]
    assert answer["titles"] == [f"green tea & more, part {number}" for number in (1, 2, 3)]
    assert all("//example.org/" in url for url in answer["urls"])
    assert f"<p>{TEXT}" in answer["html"]
    assert answer["statuses"] == ["success", "error"]
    assert TEXT in answer["text"]
    assert "summary is not offered here" in answer["refused"]
    assert "findSimilar is not offered here" in answer["similar"]


def test_litellm_searches_with_each_of_its_providers(running: ServiceProcess) -> None:
    told = call("litellm", running, running.token)["answer"]
    assert told.keys() == LITELLM.keys()
    for provider, outcome in told.items():
        answer = outcome["answer"]
        assert answer["titles"][0] == "the page of this test & more, part 1", provider
        assert answer["urls"][0].startswith(running.site.url)
        assert answer["nothing"] == []
    assert TEXT in told["exa_ai"]["answer"]["snippets"][0]
    assert TEXT in told["firecrawl"]["answer"]["snippets"][0]


def test_litellm_is_refused_cleanly_without_a_token(running: ServiceProcess) -> None:
    told = call("litellm", running, "")["answer"]
    assert {provider: outcome["error"] for provider, outcome in told.items()} == LITELLM
    assert all("seekread token create" in outcome["text"] for outcome in told.values())


def test_langchain_s_tavily_tools_search_and_extract(running: ServiceProcess) -> None:
    answer = call("langchain_tavily", running, running.token)["answer"]
    assert answer["titles"] == [f"green tea & more, part {number}" for number in (1, 2, 3)]
    assert all("//example.org/" in url for url in answer["urls"])
    assert TEXT in answer["content"]
    assert "#" not in answer["content"]
    # What finds nothing is told as that by the tool itself.
    assert "No search results found" in answer["nothing"]


@pytest.mark.skipif("OPEN_WEBUI" not in os.environ, reason="OPEN_WEBUI names no checkout of Open WebUI")
def test_open_webui_searches_and_loads_wherever_its_address_can_be_set(running: ServiceProcess) -> None:
    answer = call("open_webui", running, running.token)["answer"]
    found = [f"green tea & more, part {number}" for number in (1, 2, 3)]
    assert answer["titles"] == dict.fromkeys(("searxng", "external", "perplexity", "firecrawl"), found)
    assert TEXT in answer["jina"][0]
    assert TEXT in answer["scraped"]
    assert TEXT in answer["loaded"][0]
    refused = call("open_webui", running, "")
    assert refused["status"] == 401 or "401" in refused["text"]
