"""`seekread crawl`, `map` and `index add --site` as programs."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from seekread.testing.server import Answer, Received
from tests.support.small_site import SmallSite
from tests.support.trap_site import TrapSite

pytestmark = pytest.mark.process

COUNT = 20


@pytest.fixture
def site() -> Iterator[SmallSite]:
    with SmallSite(TrapSite(COUNT).answer) as site:
        yield site


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "seekread", *words, "--delay", "0"]


def environment(site: SmallSite) -> dict[str, str]:
    return {**os.environ, "SEEKREAD_ALLOW_PRIVATE": site.endpoint}


def run(site: SmallSite, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*words), env=environment(site), capture_output=True, text=True, timeout=200, check=False
    )


def test_a_map_is_printed_one_address_a_line(site: SmallSite) -> None:
    done = run(site, "map", site.url)
    lines = done.stdout.splitlines()
    assert done.returncode == 0, done.stderr
    assert f"{site.url}/only-in-the-sitemap" in lines
    assert len(lines) == len(set(lines))


def test_a_map_of_a_site_that_is_not_there_is_nothing_found(site: SmallSite) -> None:
    done = run(site, "map", f"{site.url}/", "--include", "/nothing/*")
    assert (done.returncode, done.stdout) == (3, "")


def test_a_crawl_that_was_killed_goes_on_to_the_end(tmp_path: Path) -> None:
    traps = TrapSite(COUNT)
    running: list[subprocess.Popen[bytes]] = []

    def answer(received: Received) -> Answer:
        if len(harbour.visits.at) == 18:
            running[0].send_signal(signal.SIGKILL)
        return traps.answer(received)

    output = tmp_path / "pages.jsonl"
    with SmallSite(answer) as harbour:
        words = command("crawl", harbour.url, "-o", str(output), "-q")
        running.append(subprocess.Popen(words, env=environment(harbour)))
        assert running[0].wait(200) == -9
        assert subprocess.run(words, env=environment(harbour), timeout=200, check=False).returncode == 0
    urls = [json.loads(line)["url"].removeprefix(harbour.url) for line in output.read_text().splitlines()]
    assert traps.pages <= set(urls)
    assert len(urls) == len(set(urls))
    assert [entry.name for entry in tmp_path.iterdir()] == ["pages.jsonl"]


def test_a_site_becomes_part_of_the_index(site: SmallSite, tmp_path: Path) -> None:
    index = ["index", "--index", str(tmp_path / "index.sqlite")]
    done = run(site, *index, "add", "--site", site.url, "--limit", "12")
    assert done.returncode == 0, done.stderr
    assert "added" in done.stderr
    listed = subprocess.run(
        [sys.executable, "-m", "seekread", *index, "list", "--json"], capture_output=True, text=True, check=True
    )
    documents = json.loads(listed.stdout)
    assert f"{site.url}/ships/0" in {document["url"] for document in documents}
    assert not list(tmp_path.glob("*.jsonl*"))
