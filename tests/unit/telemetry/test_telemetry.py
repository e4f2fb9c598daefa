"""Spans and metrics as a collector gets them: what belongs together, and that they say nothing they should not."""

import json
import logging
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any
from weakref import WeakSet

import pytest
from mcp import Client
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from seekread import AllFailed, Misconfigured, Seekread
from seekread.compose import compose
from seekread.config.sources import load
from seekread.errors import InvalidQuery, Refused
from seekread.redact import Secrets
from seekread.server.app import create_app
from seekread.server.tokens import Tokens
from seekread.telemetry import spans
from seekread.testing import simulators
from seekread.testing.server import Answer, Fault, LoopbackServer
from seekread.testing.simulators import Simulator
from tests.support.collector import Collector
from tests.support.patience import PATIENCE
from tests.support.small_site import SmallSite
from tests.support.trap_site import TrapSite
from tests.unit.server.conftest import PAGE, Running, serving

pytestmark = pytest.mark.anyio
Watched = Callable[..., AbstractAsyncContextManager[Seekread]]

TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
CALLER = {"traceparent": f"00-{TRACE}-{SPAN}-01"}
QUERY = "confidential merger"
SERVER = 2
"""The kind of a span that answers somebody."""


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Iterator[Collector]:
    """What is left at the end arrives here, however busy this machine is."""
    monkeypatch.setattr(spans, "FLUSH_SECONDS", PATIENCE)
    with Collector() as running:
        yield running


@pytest.fixture
def site() -> Iterator[LoopbackServer]:
    with LoopbackServer(lambda _received: Answer(PAGE)) as running:
        yield running


@pytest.fixture
def brave() -> Iterator[Simulator]:
    with simulators.start("brave") as running:
        yield running


@pytest.fixture
def watched(collector: Collector, site: LoopbackServer, brave: Simulator, monkeypatch: pytest.MonkeyPatch) -> Watched:
    # Everything that is told is masked by the keys of all engines there are; those of other tests are left aside.
    monkeypatch.setattr(Secrets, "_living", WeakSet())

    @asynccontextmanager
    async def opened(environ: dict[str, str] | None = None, **settings: Any) -> AsyncIterator[Seekread]:
        usual = {
            "telemetry": True,
            "providers": ["brave"],
            "attempts": 1,
            "store": "memory:",
            "allow_private": [site.url.removeprefix("http://")],
        }
        surroundings = {**collector.environment(), **(environ or {})}
        async with Seekread(
            settings={**usual, **settings}, providers={"brave": brave.settings()}, environ=surroundings
        ) as web:
            yield web

    return opened


@contextmanager
def service_of(collector: Collector, folder: Path, brave: Simulator, **settings: Any) -> Iterator[Running]:
    usual = {"telemetry": True, "providers": ["brave"], "attempts": 1, "store": str(folder / "state.sqlite")}
    configuration = load({**usual, **settings}, providers={"brave": brave.settings()}, environ=collector.environment())
    tokens = Tokens(folder / "tokens.json")
    with serving(create_app(compose(configuration), tokens), tokens) as running:
        yield running


async def test_a_search_is_a_span_with_its_attempts_below(watched: Watched, collector: Collector) -> None:
    async with watched() as web:
        found = await web.search(QUERY)
        await web.search(QUERY)
    first, second = [span for span in collector.spans if span.name == "search"]
    attempt = collector.span("search brave")
    assert (attempt.trace, attempt.parent) == (first.trace, first.id)
    assert second.trace != first.trace
    assert attempt.facts == {"seekread.provider": "brave", "seekread.outcome": "ok"}
    assert first.facts == {
        "seekread.outcome": "ok",
        "seekread.cached": False,
        "seekread.provider": "brave",
        "seekread.results": len(found.results),
    }
    assert second.facts["seekread.cached"] is True
    assert 0 < attempt.seconds <= first.seconds
    assert {span.service for span in collector.spans} == {"seekread"}
    assert collector.counts("seekread.search.duration") == {
        '{"seekread.cached": false, "seekread.outcome": "ok"}': 1,
        '{"seekread.cached": true, "seekread.outcome": "ok"}': 1,
    }
    assert list(collector.counts("seekread.attempt.duration").values()) == [1]


@pytest.mark.process
async def test_a_page_is_a_span_with_its_attempts_below(
    watched: Watched, collector: Collector, site: LoopbackServer
) -> None:
    async with watched() as web:
        page = await web.open_page(f"{site.url}/confidential")
    read, attempt = collector.span("read"), collector.span("read builtin")
    assert (attempt.trace, attempt.parent) == (read.trace, read.id)
    assert read.facts["seekread.reader"] == "builtin"
    assert read.facts["seekread.characters"] == page.original_length
    assert not read.failed
    assert list(collector.counts("seekread.read.duration").values()) == [1]


async def test_a_failure_is_told_by_its_outcome_and_never_in_words(
    watched: Watched, collector: Collector, brave: Simulator
) -> None:
    brave.fail(Fault(503, {"message": f"no answer for {QUERY}"}))
    async with watched() as web:
        with pytest.raises(AllFailed):
            await web.search(QUERY)
        with pytest.raises(InvalidQuery):
            await web.search(f"{QUERY} " * 500)
        gone = await web.open_page("http://127.0.0.1:9/confidential")
    assert gone.outcome == "refused"
    searches = [span for span in collector.spans if span.name == "search"]
    assert [span.facts["error.type"] for span in searches] == ["unreachable"]
    assert searches[0].failed
    attempt = collector.span("search brave")
    assert attempt.failed
    assert attempt.facts["http.response.status_code"] == 503
    assert collector.span("read").facts["error.type"] == "refused"


@pytest.mark.process
async def test_no_query_no_address_and_no_key_is_told_to_anybody(
    watched: Watched, collector: Collector, site: LoopbackServer, brave: Simulator
) -> None:
    brave.fail(Fault(500, {"message": QUERY}), times=1)
    async with watched({"OTEL_EXPORTER_OTLP_HEADERS": "authorization=Bearer%20collector-key-4711"}) as web:
        with pytest.raises(AllFailed):
            await web.search(f"{QUERY} again")
        found = await web.search(QUERY)
        await web.open_page(f"{site.url}/confidential")
        await web.open_page("http://127.0.0.1:9/confidential")
    told = collector.everything
    key = brave.settings()["api_key"].get_secret_value()
    hidden = [*QUERY.split(), "127.0.0.1", key, "collector-key-4711", *(result.url for result in found.results)]
    assert not [text for text in hidden if text.encode() in told]
    assert {received.headers["authorization"] for received in collector.received} == {"Bearer collector-key-4711"}


@pytest.mark.process
async def test_queries_and_addresses_are_shown_where_the_operator_asks_for_them_and_keys_are_not(
    watched: Watched, collector: Collector, site: LoopbackServer, brave: Simulator
) -> None:
    key = brave.settings()["api_key"].get_secret_value()
    async with watched(telemetry_text=True) as web:
        await web.search(QUERY)
        await web.open_page(f"{site.url}/report")
        with pytest.raises(Refused):
            await web.search(f"who knows {key}")
    queries = [span.facts["seekread.query"] for span in collector.spans if span.name == "search"]
    assert queries == [QUERY, "who knows ***"]
    assert collector.span("read").facts["url.full"] == f"{site.url}/report"
    assert key.encode() not in collector.everything


async def test_nothing_is_told_unless_it_is_asked_for(watched: Watched, collector: Collector) -> None:
    async with watched(telemetry=False) as web:
        await web.search(QUERY)
    assert not collector.received


@pytest.mark.process
def test_opentelemetry_is_not_even_imported_unless_it_is_asked_for() -> None:
    code = (
        "import sys; from seekread.compose import compose; from seekread.config.sources import load;"
        "compose(load({'store': 'memory:'}, environ={'OTEL_EXPORTER_OTLP_ENDPOINT': 'http://127.0.0.1:9'})).searching;"
        "sys.exit('opentelemetry' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_what_is_missing_is_named(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    monkeypatch.delitem(sys.modules, "seekread.telemetry.export", raising=False)
    with pytest.raises(Misconfigured, match=r"seekread\[otel\]"):
        compose(load({"telemetry": True}, environ={})).telemetry  # noqa: B018


async def test_a_collector_that_is_down_holds_nobody_up_and_is_told_of_in_the_log(
    watched: Watched, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spans, "FLUSH_SECONDS", 2)
    with caplog.at_level(logging.WARNING, "opentelemetry"):
        async with watched({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"}) as web:
            assert (await web.search(QUERY)).outcome == "ok"
    assert "export" in caplog.text.lower()


async def test_the_spans_of_an_application_and_ours_are_one_trace(
    watched: Watched, collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An application that has set up OpenTelemetry gets our spans too, whatever the variables say."""
    kept = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(kept))
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", provider)
    async with watched() as web:
        with provider.get_tracer("application").start_as_current_span("answers a customer") as outer:
            await web.search(QUERY)
    spans = {span.name: span for span in kept.get_finished_spans()}
    above = spans["search"].parent
    assert above is not None
    assert above.span_id == outer.get_span_context().span_id
    assert not collector.received


def test_a_request_goes_on_with_the_trace_of_its_caller(collector: Collector, brave: Simulator, tmp_path: Path) -> None:
    with service_of(collector, tmp_path, brave) as running:
        running.post("/v1/search", {"query": QUERY}, headers=CALLER)
        running.get(f"/v1/search?query={QUERY}", headers={"traceparent": f"00-{TRACE}-nonsense-01"})
        running.get("/confidential-address")
        running.get("/healthz")
        running.get("/metrics")
    request, attempt = collector.span("POST /v1/search"), collector.span("search brave")
    assert (request.trace, request.parent, request.kind) == (TRACE, SPAN, SERVER)
    assert request.facts == {
        "http.request.method": "POST",
        "http.route": "/v1/search",
        "http.response.status_code": 200,
    }
    search = next(span for span in collector.spans if span.id == attempt.parent)
    assert (search.trace, search.parent) == (TRACE, request.id)
    assert collector.span("GET /v1/search").trace != TRACE
    assert collector.span("GET other").facts["http.response.status_code"] == 404
    assert not [span for span in collector.spans if "healthz" in span.name or "metrics" in span.name]
    assert b"confidential" not in collector.everything
    counted = collector.counts("http.server.request.duration")
    assert json.dumps(request.facts, sort_keys=True) in counted


async def test_an_agents_call_goes_on_with_the_trace_in_its_meta(
    collector: Collector, brave: Simulator, tmp_path: Path
) -> None:
    meta: Any = CALLER
    with service_of(collector, tmp_path, brave) as running:
        async with Client(f"{running.url}/mcp") as client:
            await client.call_tool("web_search", {"query": QUERY}, meta=meta)
    search = collector.span("search")
    assert (search.trace, search.parent) == (TRACE, SPAN)


@pytest.mark.process
def test_a_crawl_belongs_to_the_trace_of_the_request_that_began_it_whoever_works_on_it(
    collector: Collector, brave: Simulator, tmp_path: Path
) -> None:
    with SmallSite(TrapSite(3).answer) as site:
        settings: dict[str, Any] = {"allow_private": [site.endpoint], "bulk_delay": 0.0}
        with service_of(collector, tmp_path, brave, **settings) as running:
            begun = running.post("/v1/crawl", {"url": site.url, "limit": 3}, headers=CALLER).json()
            while running.get(f"/v1/crawl/{begun['id']}").json()["state"] in {"waiting", "running"}:
                pass
    crawl = collector.span("crawl")
    assert (crawl.trace, crawl.parent) == (TRACE, collector.span("POST /v1/crawl").id)
    assert crawl.facts["seekread.outcome"] == "done"
    assert crawl.facts["seekread.pages"] > 0
    reads = [span for span in collector.spans if span.name == "read"]
    assert reads
    assert {span.parent for span in reads} == {crawl.id}
    assert site.endpoint.encode() not in collector.everything
