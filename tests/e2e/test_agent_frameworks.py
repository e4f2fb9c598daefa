"""
Agent frameworks with our tools, each driven by its real package with a model that follows a script.

What comes back to the model is what is looked at. Those with an adapter of ours live in our own environment; the others
take the plain functions and live in environments of their own, about two gigabytes that only `make clients` installs.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from seekread.testing import simulators
from seekread.testing.hits import NOTHING
from seekread.testing.server import Answer, Fault, LoopbackServer
from seekread.testing.simulators import Simulator
from tests.support.environments import ROOT, framework_python

pytestmark = [pytest.mark.process, pytest.mark.timeout(900)]

ADAPTED = ("langgraph", "openai_agents", "pydantic_ai")
PLAIN = ("autogen", "crewai", "dspy", "google_adk", "haystack", "llamaindex", "smolagents")
every_framework = pytest.mark.parametrize(
    "framework", [*ADAPTED, *(pytest.param(name, marks=pytest.mark.clients) for name in PLAIN)]
)
PAGE = (
    "<html lang=en><head><title>All about tea</title></head><body><main><h1>All about tea</h1>"
    "<p>Green tea is made from leaves that were not oxidised.</p><h2>Brewing</h2>"
    "<p>Steep it for three minutes at eighty degrees.</p></main></body></html>"
)


@pytest.fixture(scope="module")
def site() -> Iterator[LoopbackServer]:
    with LoopbackServer(lambda request: Answer("gone", 404) if request.path == "/gone" else Answer(PAGE)) as running:
        yield running


@pytest.fixture
def brave(site: LoopbackServer) -> Iterator[Simulator]:
    def leading_here(body: Any) -> Any:
        for result in body.get("web", {}).get("results", [])[:1]:
            result["url"] = f"{site.url}/tea"
        return body

    with simulators.start("brave") as running:
        running.fail(Fault(change=leading_here))
        yield running


@pytest.fixture
def surroundings(brave: Simulator, site: LoopbackServer, tmp_path: Any) -> dict[str, str]:
    address = site.url.removeprefix("http://")
    passed = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    return {
        **passed,
        **brave.environment(),
        "HOME": str(tmp_path),
        "WEB_SEARCH_PROVIDER": "brave",
        "SEEKREAD_STORE": "memory:",
        "SEEKREAD_ALLOW_PRIVATE": address,
        "SEEKREAD_ALLOWED_PORTS": address.partition(":")[2],
        # Nothing here tells its maker about us, or fetches a list of prices.
        "CREWAI_TRACING_ENABLED": "false",
        "CREWAI_DISABLE_TELEMETRY": "true",
        "OTEL_SDK_DISABLED": "true",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "HAYSTACK_TELEMETRY_ENABLED": "False",
        "HF_HUB_OFFLINE": "1",
    }


def told(framework: str, calls: list[tuple[str, dict[str, Any]]], env: dict[str, str]) -> list[str]:
    """What the model is told after each call."""
    python = sys.executable if framework in ADAPTED else str(framework_python(framework))
    done = subprocess.run(
        [python, "-W", "ignore", "-m", "tests.support.frameworks", framework],
        input=json.dumps(calls), capture_output=True, text=True, check=False, timeout=600, env=env, cwd=ROOT,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-4000:]
    # Some print more than their part.
    [report] = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"version": ')]
    assert len(report["told"]) == len(calls)
    return [str(text) for text in report["told"]]


@every_framework
def test_an_agent_searches_reads_looks_and_gathers(
    framework: str, surroundings: dict[str, str], site: LoopbackServer
) -> None:
    page = f"{site.url}/tea"
    found, read, looked, gathered, nothing = told(
        framework,
        [
            ("web_search", {"query": "tea", "limit": 2, "search_type": "general"}),
            ("open_page", {"url": page, "max_length": 500}),
            ("page_lookup", {"page": page, "action": "find", "text": "eighty degrees"}),
            ("gather", {"question": "how long to steep tea", "pages": 1, "phrasings": ["tea, brewing"]}),
            ("web_search", {"query": NOTHING}),
        ],
        surroundings,
    )
    assert "[1] tea & more" in found
    assert page in found
    assert "leaves that were not oxidised" in read
    assert "eighty degrees" in looked
    assert "[1] " in gathered
    assert "three minutes" in gathered
    assert all("untrusted web content from" in text for text in (found, read, looked, gathered))
    assert nothing.startswith("No results found for")


@every_framework
def test_a_failure_is_told_as_one(
    framework: str, surroundings: dict[str, str], site: LoopbackServer, brave: Simulator
) -> None:
    """Also without a key: the model is told what is missing, and no results are invented."""
    brave.fail(Fault(500))
    failed, gone, missed = told(
        framework,
        [
            ("web_search", {"query": "tea"}),
            ("open_page", {"url": f"{site.url}/gone"}),
            ("gather", {"question": "tea"}),
        ],
        surroundings,
    )
    keyless = {name: value for name, value in surroundings.items() if not name.endswith("_API_KEY")}
    [refused] = told(framework, [("web_search", {"query": "tea"})], keyless)
    for text in (failed, gone, missed, refused):
        assert text.startswith("Error: ")
        assert "No results" not in text
        assert "Nothing that answers" not in text
    assert "BRAVE_SEARCH_API_KEY" in refused
