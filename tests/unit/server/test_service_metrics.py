"""What is counted, and that no label tells what somebody searched for."""

from pathlib import Path
from typing import Any

import pytest

from seekread.clock import SystemClock
from seekread.server.app import ServiceOptions
from seekread.server.metrics import Metrics, shared, written
from seekread.state import open_store
from seekread.testing.server import Fault, LoopbackServer
from seekread.testing.simulators import Simulator

pytestmark = pytest.mark.anyio


@pytest.mark.process
def test_searches_reads_and_requests_are_counted(running: Any, site: LoopbackServer, brave: Simulator) -> None:
    for query in ("tea", "tea", "cake"):
        running.post("/v1/search", {"query": query})
    running.post("/v1/open", {"url": site.url})
    brave.fail(Fault(500), times=1)
    running.post("/v1/search", {"query": "fails"})
    text = running.get("/metrics").text
    lines = set(text.splitlines())
    assert 'seekread_searches_total{provider="brave",outcome="ok"} 2' in lines
    assert 'seekread_searches_total{provider="brave",outcome="unreachable"} 1' in lines
    assert 'seekread_reads_total{reader="builtin",outcome="ok"} 1' in lines
    assert 'seekread_cache_requests_total{layer="search",result="hit"} 1' in lines
    assert 'seekread_cache_requests_total{layer="search",result="miss"} 2' in lines
    assert 'seekread_search_duration_seconds_count{provider="brave"} 3' in lines
    assert 'seekread_http_requests_total{route="/v1/search",method="POST",status="200"} 3' in lines
    assert 'seekread_http_requests_total{route="/v1/search",method="POST",status="502"} 1' in lines
    assert any(line.startswith("seekread_build_info{version=") for line in lines)
    assert any(line.startswith('seekread_cost_usd_total{provider="brave"}') for line in lines)


@pytest.mark.process
def test_no_label_holds_what_somebody_asked_for(running: Any, site: LoopbackServer) -> None:
    running.post("/v1/search", {"query": "confidential-merger"})
    running.get("/v1/search?query=confidential-merger")
    running.post("/v1/open", {"url": f"{site.url}/confidential-merger"})
    running.get(f"/compat/jina/{site.url}/confidential-merger")
    running.get("/confidential-merger")
    running.client.request("CONFIDENTIAL", "/v1/search")
    text = running.get("/metrics").text.lower()
    assert "confidential" not in text
    assert 'route="/compat/jina/{url:path}"' in text


def test_a_histogram_counts_upwards_and_labels_are_escaped() -> None:
    metrics = Metrics()
    metrics.time("seekread_search_duration_seconds", 0.3, provider='a"b\\c\nd')
    text = written(metrics.numbers)
    assert 'provider="a\\"b\\\\c\\nd",le="0.25"} 0' in text
    assert ',le="0.5"} 1' in text
    assert ',le="+Inf"} 1' in text


async def test_the_numbers_of_several_workers_are_added_up(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "state.sqlite"), clock=SystemClock())
    first, second = Metrics(), Metrics()
    first.count("seekread_searches_total", 2, provider="brave", outcome="ok")
    second.count("seekread_searches_total", 3, provider="brave", outcome="ok")
    await shared(store, "boot", "1", first.numbers)
    total = await shared(store, "boot", "2", second.numbers)
    assert 'seekread_searches_total{provider="brave",outcome="ok"} 5' in written(total)
    # Asking again adds nothing, and another run of the service begins at nothing.
    assert await shared(store, "boot", "2", second.numbers) == total
    assert await shared(store, "later", "1", {}) == {}
    await store.close()


def test_every_worker_tells_of_all(start: Any) -> None:
    options = ServiceOptions(workers=2)
    first, second = start(options), start(options)
    first.post("/v1/search", {"query": "tea"})
    first.get("/metrics")
    # In one process both workers have one number; what counts is that it was found in the store.
    assert 'provider="brave",outcome="ok"}' in second.get("/metrics").text
