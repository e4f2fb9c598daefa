"""A session is recorded to one file and replayed offline, without the network and without keys."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from seekread import AllFailed, Misconfigured, Seekread
from seekread.recording import NotRecorded
from seekread.testing import simulators
from seekread.testing.server import Answer, Fault, LoopbackServer, Received
from seekread.testing.simulators import Simulator

pytestmark = pytest.mark.anyio

TEXT = "Tea is brewed with hot water and patience, which is how every country that grows it has always done it. "


def serve(received: Received) -> Answer:
    if received.path != "/tea":
        return Answer("gone", 404)
    return Answer(f"<title>Tea</title><article><h1>Tea</h1><p>{TEXT * 3}</p><h2>More</h2><p>{TEXT * 3}</p></article>")


@pytest.fixture
def brave() -> Iterator[Simulator]:
    with simulators.start("brave") as running:
        yield running


@pytest.fixture
def site() -> Iterator[LoopbackServer]:
    with LoopbackServer(serve) as running:
        yield running


async def record(path: Path, brave: Simulator, site: LoopbackServer) -> None:
    settings = {"store": "memory:", "allow_private": [site.url.removeprefix("http://")], "attempts": 1}
    async with Seekread("brave", settings=settings, providers={"brave": brave.settings()}, record=path) as web:
        await web.search("tea", limit=2)
        await web.open_page(f"{site.url}/tea")
        await web.open_page(f"{site.url}/nowhere")
        brave.fail(Fault(429))
        with pytest.raises(AllFailed):
            await web.search("coffee")


def replay(path: Path, site: LoopbackServer) -> Seekread:
    return Seekread(settings={"allow_private": [site.url.removeprefix("http://")]}, replay=path)


async def test_what_was_recorded_is_answered_again_without_the_network(
    tmp_path: Path, brave: Simulator, site: LoopbackServer
) -> None:
    path = tmp_path / "session.jsonl"
    await record(path, brave, site)
    brave.stop()
    site.stop()
    async with replay(path, site) as web:
        assert [r.citation_id for r in (await web.search("tea", limit=2)).results] == [1, 2]
        assert (await web.search("tea", limit=2)).provider == "brave"
        page = await web.open_page(f"{site.url}/tea")
        assert page.title == "Tea"
        assert "More" in (await web.open_page(f"{site.url}/tea", section="More")).content
        assert (await web.snapshot(page.snapshot or "")).quote("hot water and patience")
        assert (await web.open_page(f"{site.url}/nowhere")).outcome == "not_found"
        with pytest.raises(AllFailed) as caught:
            await web.search("coffee")
    assert caught.value.outcome == "rate_limited"


async def test_a_call_that_was_not_recorded_fails_clearly(
    tmp_path: Path, brave: Simulator, site: LoopbackServer
) -> None:
    path = tmp_path / "session.jsonl"
    await record(path, brave, site)
    async with replay(path, site) as web:
        with pytest.raises(NotRecorded, match=r"'tea' with these options is not in the recording session\.jsonl"):
            await web.search("tea", limit=3)
        page = await web.open_page(f"{site.url}/other")
    assert not page.success
    assert "not in the recording" in page.error


async def test_keys_are_not_in_the_recording_and_timings_are(
    tmp_path: Path, brave: Simulator, site: LoopbackServer
) -> None:
    path = tmp_path / "session.jsonl"
    await record(path, brave, site)
    assert brave.key not in path.read_text()
    entries = [json.loads(line) for line in path.read_text().splitlines()[1:]]
    assert [entry["kind"] for entry in entries] == ["search", "page", "page", "search"]
    assert all("milliseconds" in entry for entry in entries)


@pytest.mark.parametrize("text", ["", "not json", '{"format": "other"}', '{"format": "seekread-recording"}\n{"kind"'])
async def test_a_file_that_is_no_recording_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "broken.jsonl"
    path.write_text(text)
    with pytest.raises(Misconfigured, match=r"broken\.jsonl"):
        Seekread(replay=path)
    with pytest.raises(Misconfigured, match="cannot be read"):
        Seekread(replay=tmp_path / "nowhere")
    with pytest.raises(Misconfigured, match="cannot be written"):
        Seekread(record=tmp_path / "no" / "folder")


async def test_the_command_line_records_and_replays(tmp_path: Path, brave: Simulator) -> None:
    path = tmp_path / "session.jsonl"

    def run(*arguments: str, **environ: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-m", "seekread", *arguments], capture_output=True, text=True, check=False, timeout=60,
            env={**os.environ, **environ},
        )  # fmt: skip

    first = run("--record", str(path), "search", "tea", "-p", "brave", "-n", "2", **brave.environment())
    again = run("--replay", str(path), "search", "tea", "-n", "2")
    other = run("--replay", str(path), "search", "coffee")
    assert first.returncode == 0, first.stderr
    assert again.stdout == first.stdout
    assert other.returncode == 1
    assert "not in the recording" in other.stderr
