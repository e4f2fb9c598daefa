"""A session is recorded to one file and replayed offline, without the network and without keys."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from seekread import AllFailed, Misconfigured, Seekread
from seekread.models import Page
from seekread.provider import Job, Unreadable
from seekread.recording import NotRecorded, Recorder, Replay
from seekread.redact import Secrets
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
    settings = {"store": "memory:", "allow_private": [site.url.removeprefix("http://")], "readers": ["builtin"]}
    return Seekread(settings=settings, replay=path)


@pytest.mark.process
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


@pytest.mark.process
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


@pytest.mark.process
async def test_keys_are_not_in_the_recording_and_timings_are(
    tmp_path: Path, brave: Simulator, site: LoopbackServer
) -> None:
    path = tmp_path / "session.jsonl"
    await record(path, brave, site)
    assert brave.key not in path.read_text()
    entries = [json.loads(line) for line in path.read_text().splitlines()[1:]]
    assert [entry["kind"] for entry in entries] == ["search", "page", "page", "search"]
    assert all("milliseconds" in entry for entry in entries)


@pytest.mark.process
async def test_the_file_is_its_owners_alone(tmp_path: Path, brave: Simulator, site: LoopbackServer) -> None:
    """It holds what somebody searched and read."""
    new, old = tmp_path / "new.jsonl", tmp_path / "old.jsonl"
    old.write_text("left behind\n")
    old.chmod(0o644)
    for path in (new, old):
        await record(path, brave, site)
        brave.reset()
        assert path.stat().st_mode & 0o777 == 0o600
        assert "left behind" not in path.read_text()


async def test_separators_that_are_no_line_ends_do_no_damage(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    text = "one\u2028two\u2029three\u0085four\x0bfive\r\nsix"
    recorder = Recorder(path)
    recorder.begin()
    recorder.page("https://a.org/", Page(url="https://a.org/", content=text), 0.1)
    assert Replay.load(path).page("https://a.org/").content == text


async def test_a_page_from_the_cache_is_recorded_like_one_that_was_read(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    recorder = Recorder(path)
    recorder.begin()
    recorder.page("https://a.org/", Page(url="https://a.org/", content="x", cached=True, age_seconds=7), 0.0)
    again = Replay.load(path).page("https://a.org/")
    assert (again.content, again.cached, again.age_seconds) == ("x", False, None)


class Unable:
    """A reader that cannot read, before one that can."""

    name = "unable"

    def read(self, _url: str) -> Job[Page]:
        async def run() -> Page:
            raise Unreadable("blocked", "not by me")

        return Job(run)


@pytest.mark.process
async def test_a_page_that_the_second_reader_read_is_replayed_as_read_and_so_is_one_from_the_cache(
    tmp_path: Path, site: LoopbackServer
) -> None:
    path = tmp_path / "session.jsonl"
    settings = {
        "store": f"sqlite:{tmp_path / 'state.sqlite'}",
        "allow_private": [site.url.removeprefix("http://")],
        "readers": ["unable", "builtin"],
    }
    for cached in (False, True):
        async with Seekread(settings=settings, record=path) as web:
            web.register(Unable())
            page = await web.open_page(f"{site.url}/tea")
            assert (page.success, page.cached) == (True, cached)
            assert cached or [attempt.provider for attempt in page.attempts] == ["unable", "builtin"]
        async with replay(path, site) as web:
            again = await web.open_page(f"{site.url}/tea")
            assert (again.success, again.title) == (True, "Tea")
            assert again.attempts == page.attempts


async def test_pages_that_a_script_tells_apart_by_their_fragment_are_told_apart_on_replay(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    recorder = Recorder(path)
    recorder.begin()
    for route in ("one", "two"):
        address = f"https://a.org/#/{route}"
        recorder.page(address, Page(url=address, content=route), 0.1)
    replayed = Replay.load(path)
    assert [replayed.page(f"https://a.org/#/{route}").content for route in ("two", "one")] == ["two", "one"]


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


@pytest.mark.process
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


async def test_an_article_is_recorded_as_it_was_written_and_a_key_in_it_is_not(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    recorder = Recorder(path, Secrets("searching-the-web-7Kq9zZ31xw"))
    recorder.begin()
    article = "An article about sk-hynix-announces-new-memory-chips; the secret: patience. searching the web"
    recorder.page("https://a.org/", Page(url="https://a.org/", content=article), 0.1)
    assert Replay.load(path).page("https://a.org/").content == article
    recorder.begin()
    leaked = "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 api_key=abcdef123456 searching-the-web-7Kq9zZ31xw"
    recorder.page("https://a.org/", Page(url="https://a.org/", content=leaked), 0.1)
    assert Replay.load(path).page("https://a.org/").content == "*** api_key=*** ***"


async def test_a_link_is_not_followed_and_its_target_stays_as_it_is(tmp_path: Path) -> None:
    target, link = tmp_path / "precious", tmp_path / "session.jsonl"
    target.write_text("precious words")
    link.symlink_to(target)
    with pytest.raises(Misconfigured, match="is a link"):
        Seekread(record=link)
    recorder = Recorder(tmp_path / "later.jsonl")
    recorder.begin()
    recorder.path.unlink()
    recorder.path.symlink_to(target)
    with pytest.raises(OSError, match="symbolic link"):
        recorder.page("https://a.org/", Page(url="https://a.org/", content="x"), 0.1)
    assert target.read_text() == "precious words"
