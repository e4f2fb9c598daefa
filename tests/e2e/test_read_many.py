"""`seekread read-many` as a program: lists in, pages out, and no end of it that loses one."""

import json
import os
import resource
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from seekread.testing.server import Answer, Received
from tests.support.small_site import SmallSite, page_of

pytestmark = pytest.mark.process

AT_ONCE = 4


@pytest.fixture
def site() -> Iterator[SmallSite]:
    with SmallSite() as site:
        yield site


def environment(*sites: SmallSite) -> dict[str, str]:
    return {**os.environ, "SEEKREAD_ALLOW_PRIVATE": ",".join(site.endpoint for site in sites)}


def command(*words: str) -> list[str]:
    polite = ["--delay", "0", "--per-host", str(AT_ONCE), "--at-once", str(AT_ONCE)]
    return [sys.executable, "-m", "seekread", "read-many", *words, *polite]


def read_many(site: SmallSite, *words: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*words), env=environment(site), input=stdin, capture_output=True, text=True, timeout=200, check=False
    )


def pages_in(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def listed(folder: Path, site: SmallSite, *paths: str) -> str:
    (folder / "urls.txt").write_text("".join(f"{site.url}{path}\n" for path in paths))
    return str(folder / "urls.txt")


def test_a_list_becomes_a_file_of_pages(site: SmallSite, tmp_path: Path) -> None:
    output = tmp_path / "pages.jsonl"
    urls = listed(
        tmp_path, site, "/one", "/two", "", "/gone", "/one#top", "/same/1", "/same/2", "/moved/one", "/private"
    )
    ended = read_many(site, urls, "-o", str(output))
    assert ended.returncode == 0, ended.stderr
    assert "2 failed (not_found 1, refused 1)" in ended.stderr or "(refused 1, not_found 1)" in ended.stderr
    pages = {page["url"].removeprefix(site.url): page for page in pages_in(output)}
    assert set(pages) == {"/one", "/two", "", "/gone", "/same/1", "/same/2", "/moved/one", "/private"}
    assert "of one tells of harbours" in pages["/one"]["markdown"] + pages["/moved/one"]["markdown"]
    copies = Counter(bool(page["duplicate_of"]) for page in pages.values())
    assert copies[True] == 2
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["pages.jsonl", "urls.txt"]


def test_a_list_may_come_through_a_pipe(site: SmallSite, tmp_path: Path) -> None:
    output = tmp_path / "pages.jsonl"
    ended = read_many(site, "-", "-o", str(output), stdin=f"{site.url}/one\n\n{site.url}/two\n")
    assert (ended.returncode, len(pages_in(output))) == (0, 2)


def test_pages_can_be_written_as_parquet(site: SmallSite, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    output = tmp_path / "pages.parquet"
    ended = read_many(site, listed(tmp_path, site, "/one", "/gone"), "-o", str(output))
    assert ended.returncode == 0, ended.stderr
    rows = {row["outcome"]: row for row in parquet.read_table(output).to_pylist()}
    assert rows["not_found"]["status"] == 404
    assert "of one tells of harbours" in rows["ok"]["markdown"]
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["pages.parquet", "urls.txt"]


def test_parquet_is_gone_on_with_as_lines_are(site: SmallSite, tmp_path: Path) -> None:
    """What a file holds is not read again and stays in it, whatever the next list names; a copy is known as one."""
    parquet = pytest.importorskip("pyarrow.parquet")
    output = tmp_path / "pages.parquet"
    read_many(site, listed(tmp_path, site, "/same/one", "/gone"), "-o", str(output))
    before = parquet.read_table(output).to_pylist()
    ended = read_many(site, listed(tmp_path, site, "/same/one", "/three", "/same/two"), "-o", str(output))
    assert ended.returncode == 0, ended.stderr
    after = parquet.read_table(output).to_pylist()
    assert after[: len(before)] == before
    assert {row["url"].removeprefix(site.url): row["duplicate_of"] for row in after[len(before) :]} == {
        "/three": None,
        "/same/two": f"{site.url}/same/one",
    }
    assert [site.visits.paths[path] for path in ("/same/one", "/gone", "/three")] == [1, 1, 1]
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["pages.parquet", "urls.txt"]


@pytest.mark.parametrize("what", ["text", "table"])
def test_parquet_of_something_else_is_left_alone(site: SmallSite, tmp_path: Path, what: str) -> None:
    arrow = pytest.importorskip("pyarrow")
    output = tmp_path / "mine.parquet"
    if what == "text":
        output.write_text("hello")
    else:
        pytest.importorskip("pyarrow.parquet").write_table(arrow.table({"url": ["https://example.org"]}), output)
    before = output.read_bytes()
    ended = read_many(site, listed(tmp_path, site, "/one"), "-o", str(output))
    assert (ended.returncode, output.read_bytes()) == (4, before)
    assert "holds something else than pages" in ended.stderr
    assert not site.visits.at


@pytest.mark.parametrize(
    ("words", "said"),
    [(("nowhere.txt", "-o", "pages.jsonl"), "does not exist"), (("urls.txt", "-o", "-"), "has a name")],
)
def test_what_cannot_be_begun_leaves_nothing_behind(
    site: SmallSite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    listed(tmp_path, site, "/one")
    ended = read_many(site, *words)
    assert ended.returncode == 2
    assert said in ended.stderr
    assert [entry.name for entry in tmp_path.iterdir()] == ["urls.txt"]


def test_a_run_of_which_nothing_could_be_read_is_a_failure(site: SmallSite, tmp_path: Path) -> None:
    ended = read_many(site, listed(tmp_path, site, "/gone", "/private"), "-o", str(tmp_path / "pages.jsonl"))
    assert ended.returncode == 1


def test_a_second_run_reads_only_what_is_new(site: SmallSite, tmp_path: Path) -> None:
    output = tmp_path / "pages.jsonl"
    read_many(site, listed(tmp_path, site, "/one", "/two"), "-o", str(output))
    ended = read_many(site, listed(tmp_path, site, "/one", "/two", "/three"), "-o", str(output))
    assert "2 skipped" in ended.stderr
    assert [site.visits.paths[path] for path in ("/one", "/two", "/three")] == [1, 1, 1]


def test_lines_that_are_no_text_are_left_out_and_named(site: SmallSite, tmp_path: Path) -> None:
    """A mark at the beginning, ends of lines as Windows writes them, and a last line without one are no trouble."""
    urls, output = tmp_path / "urls.txt", tmp_path / "pages.jsonl"
    lines = [b"\xef\xbb\xbf%b/one\r", b"%b/caf\xe9", b"%b/two"]
    urls.write_bytes(b"\n".join(line % site.url.encode() if b"%b" in line else line for line in lines))
    ended = read_many(site, str(urls), "-o", str(output))
    assert ended.returncode == 0, ended.stderr
    assert "line 2 of the list is not UTF-8 text and was left out" in ended.stderr
    assert [page["outcome"] for page in pages_in(output)] == ["ok", "ok"]
    urls.write_bytes(b"caf\xe9\n" * 7)
    ended = read_many(site, str(urls), "-o", str(tmp_path / "other.jsonl"))
    assert ended.returncode == 1
    assert "7 lines of the list were no text" in ended.stderr


def test_whoever_reads_no_notes_ends_nothing(site: SmallSite, tmp_path: Path) -> None:
    """As where `2>&1 | head` has seen enough."""
    urls, output = tmp_path / "urls.txt", tmp_path / "pages.jsonl"
    urls.write_bytes(b"\xe9\n" * 10 + f"{site.url}/one\n{site.url}/two\n".encode())
    reads, writes = os.pipe()
    os.close(reads)
    ended = subprocess.run(command(str(urls), "-o", str(output)), env=environment(site), stderr=writes, check=False)
    os.close(writes)
    assert (ended.returncode, len(pages_in(output))) == (0, 2)


def test_two_writers_of_one_file_are_one_too_many(tmp_path: Path) -> None:
    """The second says so at once and leaves the file to the first."""
    second: list[subprocess.CompletedProcess[str]] = []

    def answer(received: Received) -> Answer:
        if received.path == "/3":
            second.append(read_many(site, urls, "-o", str(output)))
        return page_of(received)

    output = tmp_path / "pages.jsonl"
    with SmallSite(answer) as site:
        paths = [f"/{number}" for number in range(6)]
        urls = listed(tmp_path, site, *paths)
        first = read_many(site, urls, "-o", str(output))
    assert (first.returncode, second[0].returncode) == (0, 4)
    assert f"another process writes {output}: wait for it, or name another file" in second[0].stderr
    assert Counter(page["url"].removeprefix(site.url) for page in pages_in(output)) == Counter(paths)


def test_a_disk_that_is_full_ends_a_run_that_can_be_gone_on_with(site: SmallSite, tmp_path: Path) -> None:
    output = tmp_path / "pages.jsonl"
    paths = [f"/{number}" for number in range(60)]
    urls = listed(tmp_path, site, *paths)

    def little_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))

    full = subprocess.run(
        command(urls, "-o", str(output)), env=environment(site), preexec_fn=little_room, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert full.returncode == 1
    assert full.stderr.splitlines()[-1] == f"seekread: File too large: {output}"
    before = pages_in(output)
    assert 0 < len(before) < 60
    ended = read_many(site, urls, "-o", str(output))
    assert ended.returncode == 0, ended.stderr
    assert f"{len(before)} skipped" in ended.stderr
    assert Counter(page["url"].removeprefix(site.url) for page in pages_in(output)) == Counter(paths)


def test_nothing_is_lost_or_doubled_when_the_writer_is_killed(tmp_path: Path) -> None:
    """Three times kill -9 in the middle: each page once in the file, and only pages under way are asked for again."""
    kill_at = {15, 40, 70}
    running: list[subprocess.Popen[bytes]] = []

    def answer(received: Received) -> Answer:
        if len(harbour.visits.at) in kill_at:
            kill_at.remove(len(harbour.visits.at))
            running[-1].send_signal(signal.SIGKILL)
        return page_of(received)

    output = tmp_path / "pages.jsonl"
    with SmallSite(answer) as harbour:
        paths = [f"/{number}" for number in range(100)]
        urls = listed(tmp_path, harbour, *paths)
        codes = []
        for _ in range(4):
            running.append(subprocess.Popen(command(urls, "-o", str(output), "-q"), env=environment(harbour)))
            codes.append(running[-1].wait(200))
    assert codes == [-9, -9, -9, 0]
    assert Counter(page["url"].removeprefix(harbour.url) for page in pages_in(output)) == Counter(paths)
    again = sum(harbour.visits.paths[path] - 1 for path in paths)
    assert again <= 3 * AT_ONCE
