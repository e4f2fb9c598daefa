"""A failure beside a corpus that has nothing is a failure to every client, and never an empty list."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from seekread.outcomes import MEANINGS, Outcome
from seekread.server.app import ServiceOptions
from seekread.testing import simulators
from seekread.testing.hits import NOTHING
from seekread.testing.server import Fault
from seekread.testing.simulators import Simulator
from tests.unit.server.test_mounted import call

CHAIN = ["brave", "wikipedia"]
FAULTS: dict[Outcome, Fault] = {"rate_limited": Fault(429), "unreachable": Fault(503), "auth_failed": Fault(403)}
VENDORS = (
    "/v1/search",
    "/compat/tavily/search",
    "/compat/searxng/search",
    "/compat/perplexity/search",
    "/compat/openwebui/search",
    "/v2/search",
)


@pytest.fixture
def wikipedia() -> Iterator[Simulator]:
    with simulators.start("wikipedia") as running:
        yield running


@pytest.fixture(params=["first", "auto", "hedge", "fuse"])
def running(request: Any, start: Any, wikipedia: Simulator) -> Any:
    beyond = ServiceOptions(host="0.0.0.0", allowed_hosts=("127.0.0.1",))
    service = start(beyond, simulated=[wikipedia], providers=CHAIN, route=request.param)
    service.client.headers["authorization"] = f"Bearer {service.tokens.create('app')}"
    return service


def ask(running: Any, path: str, query: str = NOTHING) -> Any:
    if path.startswith("/compat/searxng"):
        return running.get(f"{path}?q={query}&format=json")
    return running.post(path, {"query": query})


@pytest.mark.parametrize("outcome", FAULTS)
def test_no_dialect_answers_with_an_empty_list(running: Any, brave: Simulator, outcome: Outcome) -> None:
    brave.fail(FAULTS[outcome], times=100)
    for path in VENDORS:
        reply = ask(running, path)
        # Firecrawl has one status for whatever is not the caller's fault.
        assert reply.status_code in {MEANINGS[outcome].status, 500}, path
        assert "brave" in json.dumps(reply.json()), path


def test_an_agent_reads_a_failure(running: Any, brave: Simulator) -> None:
    brave.fail(Fault(429), times=100)
    token = running.client.headers["authorization"].removeprefix("Bearer ")
    answer = call(running, token, "web_search", query=NOTHING)
    assert answer["isError"]
    assert "No results found" not in answer["content"][0]["text"]


def test_a_person_sees_a_failure(running: Any, brave: Simulator) -> None:
    brave.fail(Fault(429), times=100)
    shown = running.get(f"/?q={NOTHING}")
    assert shown.status_code == 429
    assert MEANINGS["rate_limited"].search_failed in shown.text


def test_an_emptiness_that_can_be_believed_is_an_empty_list(running: Any) -> None:
    for path in VENDORS:
        assert ask(running, path).status_code == 200, path
