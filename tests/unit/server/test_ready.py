"""Answers that are ready to send: the same answer under the same rules, whichever way it takes through the service."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import httpx2
import pytest

from seekread.calling.unwatched import NoTelemetry
from seekread.models import SearchResponse, SearchResult
from seekread.options import Query
from seekread.ports import WorkFact, WorkKind
from seekread.server.app import ServiceOptions
from seekread.server.ready import LARGEST_ANSWER, LONGEST_QUESTION, MOST, AskedBefore, ReadyAnswers
from seekread.testing.server import Fault, LoopbackServer
from seekread.testing.simulators import Simulator
from tests.unit.server.conftest import Running, Start

ODD = 'says "age_seconds":null, "age_seconds":1.5 and \\"age_seconds\\":null'
AGELESS = {"age_seconds", "latency_ms"}


def kept(age: float = 1.5, **fields: Any) -> SearchResponse:
    results = fields.pop(
        "results", (SearchResult(title=ODD, url="https://e.org/", snippet="日本 \U0001f375 </script>"),)
    )
    return SearchResponse(
        query=ODD, results=results, cached=True, age_seconds=age, filters={"dates": "native"}, **fields
    )


@pytest.mark.parametrize("age", [0.0, 1e-7, 1.5, 86_399.123456789])
def test_what_is_ready_is_what_would_be_written(age: float) -> None:
    ready, answer = ReadyAnswers(), kept()
    ready.body(answer)
    later = answer.model_copy(update={"age_seconds": age, "filters": dict(answer.filters)})
    assert SearchResponse.model_validate_json(ready.body(later)) == later
    assert json.loads(ready.body(later)) == json.loads(later.model_dump_json())


def test_another_answer_with_the_same_results_is_written_for_itself() -> None:
    ready, answer = ReadyAnswers(), kept()
    ready.body(answer)
    changes: tuple[dict[str, Any], ...] = (
        {"notes": ("old",)},
        {"query": "else"},
        {"filters": {}},
        {"cached": False, "age_seconds": None},
    )
    for change in changes:
        changed = answer.model_copy(update=change)
        assert json.loads(ready.body(changed)) == json.loads(changed.model_dump_json())
    assert json.loads(ready.body(answer)) == json.loads(answer.model_dump_json())


def test_only_so_much_is_remembered() -> None:
    ready = ReadyAnswers()
    answers = [kept(results=(SearchResult(title=str(number), url="https://e.org/"),)) for number in range(MOST + 20)]
    for number, answer in enumerate(answers):
        ready.body(answer)
        ready.remember("GET", f"query={number}".encode(), AskedBefore(Query(text=str(number))))
    large = kept(results=(SearchResult(title="x" * LARGEST_ANSWER, url="https://e.org/"),))
    assert json.loads(ready.body(large)) == json.loads(large.model_dump_json())
    ready.remember("POST", b" " * (LONGEST_QUESTION + 1), AskedBefore(Query(text="tea")))
    assert len(ready._written) == len(ready._asked) == MOST
    assert id(large.results) not in ready._written
    assert ready.asked("GET", b"query=0") is None
    assert ready.asked("GET", f"query={MOST + 19}".encode()) is not None


def seen(reply: httpx2.Response) -> tuple[int, dict[str, str], dict[str, Any]]:
    """A reply without what differs from one moment to the next."""
    headers = {name: text for name, text in reply.headers.items() if name not in {"date", "content-length"}}
    return reply.status_code, headers, {name: value for name, value in reply.json().items() if name not in AGELESS}


METHODS = Literal["GET", "POST"]
BOTH = pytest.mark.parametrize("method", ["GET", "POST"])


def search(running: Running, method: METHODS, query: str = "tea", **options: Any) -> httpx2.Response:
    headers = options.pop("headers", {})
    asked = {"query": query, **options}
    if method == "POST":
        return running.post("/v1/search", asked, headers=headers)
    return running.get("/v1/search", params=asked, headers=headers)


@BOTH
@pytest.mark.process
def test_the_third_answer_is_the_second_from_the_short_way(running: Running, brave: Simulator, method: METHODS) -> None:
    first, second, third = (search(running, method) for _ in range(3))
    # Other bytes ask the same question the long way.
    long_way = search(running, method, query=" tea")
    assert first.json()["cached"] is False
    assert second.json()["cached"] is True
    assert seen(second) == seen(third) == seen(long_way)
    assert third.json()["age_seconds"] >= second.json()["age_seconds"] >= 0
    assert len(brave.received) == 1


@BOTH
@pytest.mark.process
def test_how_old_an_answer_may_be_is_asked_every_time(running: Running, brave: Simulator, method: METHODS) -> None:
    for _ in range(3):
        assert search(running, method, max_age="0").json()["cached"] is False
    assert len(brave.received) == 3


@BOTH
@pytest.mark.process
def test_each_answer_is_counted_where_it_was(running: Running, method: METHODS) -> None:
    for _ in range(4):
        search(running, method)
    lines = set(running.get("/metrics").text.splitlines())
    assert f'seekread_http_requests_total{{route="/v1/search",method="{method}",status="200"}} 4' in lines
    assert 'seekread_cache_requests_total{layer="search",result="hit"} 3' in lines
    assert 'seekread_cache_requests_total{layer="search",result="miss"} 1' in lines
    assert 'seekread_searches_total{provider="brave",outcome="ok"} 1' in lines


@BOTH
@pytest.mark.process
def test_what_a_session_may_say_is_counted_for_kept_answers(start: Start, method: METHODS) -> None:
    running = start(text_budget=len("tea") * 4)
    replies = [search(running, method) for _ in range(5)]
    assert [reply.status_code for reply in replies[:4]] == [200] * 4
    refused = search(running, method, query=" tea")
    assert replies[4].status_code == refused.status_code >= 400
    assert replies[4].json() == refused.json()
    assert replies[4].headers["content-type"] == "application/problem+json"


@BOTH
@pytest.mark.process
def test_tokens_are_looked_at_for_kept_answers(start: Start, brave: Simulator, method: METHODS) -> None:
    running = start(ServiceOptions(require_token=True))
    mine = {"authorization": f"Bearer {running.tokens.create('mine')}"}
    other = {"authorization": f"Bearer {running.tokens.create('other')}"}
    assert [search(running, method, headers=mine).json()["cached"] for _ in range(3)] == [False, True, True]
    # What others asked is nobody's business, not even by the age of an answer.
    assert search(running, method, headers=other).json()["cached"] is False
    assert search(running, method).status_code == 401
    assert search(running, method, headers={"authorization": "Bearer wrong"}).status_code == 401
    running.tokens.revoke("mine")
    assert search(running, method, headers=mine).status_code == 401
    assert len(brave.received) == 2


@BOTH
@pytest.mark.process
def test_the_rate_of_a_token_holds_for_kept_answers(running: Running, method: METHODS) -> None:
    headers = {"authorization": f"Bearer {running.tokens.create('slow', per_minute=3)}"}
    assert [search(running, method, headers=headers).status_code for _ in range(5)] == [200, 200, 200, 429, 429]


@BOTH
@pytest.mark.process
def test_who_asks_for_events_gets_them(running: Running, method: METHODS) -> None:
    for _ in range(2):
        search(running, method)
    reply = search(running, method, headers={"accept": "application/json;q=0.5, text/event-stream"})
    assert reply.headers["content-type"].startswith("text/event-stream")
    assert "event: result" in reply.text


@BOTH
@pytest.mark.process
def test_what_a_kept_answer_found_may_be_opened(
    start: Start, site: LoopbackServer, brave: Simulator, method: METHODS
) -> None:
    running = start(ServiceOptions(share_cache=True), url_policy="seen")

    def found_here(body: Any) -> Any:
        body["web"]["results"][0]["url"] = site.url
        return body

    brave.fail(Fault(change=found_here))
    mine = {"authorization": f"Bearer {running.tokens.create('mine')}"}
    other = {"authorization": f"Bearer {running.tokens.create('other')}"}
    for _ in range(2):
        search(running, method, headers=mine)
    found = search(running, method, headers=other).json()
    assert found["cached"] is True
    assert running.post("/v1/open", {"url": site.url}, headers=other).status_code == 200


@BOTH
@pytest.mark.process
def test_a_page_of_somebody_else_gets_no_kept_answer(running: Running, method: METHODS) -> None:
    for _ in range(3):
        assert search(running, method).status_code == 200
    for headers in ({"origin": "https://evil.example"}, {"host": "evil.example"}, {"sec-purpose": "prefetch"}):
        assert search(running, method, headers=headers).status_code in {403, 421}
    assert search(running, method).status_code == 200


@BOTH
@pytest.mark.process
def test_every_search_is_recorded(start: Start, tmp_path: Path, brave: Simulator, method: METHODS) -> None:
    running = start(record=tmp_path / "recording.jsonl")
    for _ in range(3):
        search(running, method)
    lines = [json.loads(line) for line in (tmp_path / "recording.jsonl").read_text().splitlines()]
    assert sum(line.get("kind") == "search" for line in lines) == 3


@dataclass
class Heard(NoTelemetry):
    """Whoever watches: whether each search was answered from the cache."""

    active = True
    cached: list[Any] = field(default_factory=list)

    def work(self, kind: WorkKind, **_about: Any) -> NoTelemetry:
        return HeardSearch(self.cached) if kind == "search" else self


@dataclass
class HeardSearch(NoTelemetry):
    cached: list[Any]

    def ended(self, *, failed: bool, **facts: WorkFact) -> None:
        self.cached.append(facts["cached"])


@BOTH
@pytest.mark.process
def test_whoever_watches_hears_of_kept_answers(start: Start, method: METHODS) -> None:
    heard = Heard()
    running = start(telemetry=heard)
    for _ in range(4):
        search(running, method)
    assert heard.cached == [False, True, True, True]
