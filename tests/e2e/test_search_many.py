"""`seekread search-many` as a program: what it will cost first, then each query once, and no end that loses one."""

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from seekread.testing import simulators
from seekread.testing.hits import NOTHING
from seekread.testing.server import Answer, Fault, Received
from seekread.testing.simulators import Simulator
from tests.support.terminals import at_a_terminal, fresh_home

pytestmark = pytest.mark.process

AT_ONCE = 4


@pytest.fixture
def brave() -> Iterator[Simulator]:
    with simulators.start("brave") as running:
        yield running


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "seekread", "search-many", *words, "-p", "brave", "--at-once", str(AT_ONCE)]


def environment(brave: Simulator, **further: str) -> dict[str, str]:
    return {**os.environ, **brave.environment(), **further}


def search_many(
    brave: Simulator, *words: str, stdin: str | None = None, **further: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*words), env=environment(brave, **further), input=stdin, capture_output=True, text=True, timeout=200,
        check=False,
    )  # fmt: skip


def records_in(path: Path) -> dict[str, dict[str, Any]]:
    records = [json.loads(line) for line in path.read_text().splitlines()]
    assert len({record["query"] for record in records}) == len(records)
    return {record["query"]: record for record in records}


def listed(folder: Path, *queries: str) -> str:
    (folder / "queries.txt").write_text("".join(f"{query}\n" for query in queries))
    return str(folder / "queries.txt")


def asked_of(brave: Simulator) -> Counter[str]:
    return Counter(received.params["q"] for received in brave.received)


def test_a_list_becomes_a_file_of_searches(brave: Simulator, tmp_path: Path) -> None:
    """Results, nothing found and what cannot be asked never look alike; equal queries are one."""
    output = tmp_path / "searches.jsonl"
    secret = f"what is {brave.key}"
    queries = listed(tmp_path, "tea and cake", "  tea   and cake ", "", NOTHING, "harbours", secret)
    ended = search_many(brave, queries, "-o", str(output), "-n", "3", "--yes")
    assert ended.returncode == 0, ended.stderr
    assert "4 queries to ask · asked: brave ($0.005 a search) · about $0.020" in ended.stderr
    records = records_in(output)
    assert sorted(records) == sorted(["tea and cake", NOTHING, "harbours", secret])
    tea = records["tea and cake"]
    assert (tea["outcome"], tea["provider"], len(tea["results"]), tea["cost"]) == ("ok", "brave", 3, 0.005)
    assert [attempt["outcome"] for attempt in tea["attempts"]] == ["ok"]
    assert (records[NOTHING]["outcome"], records[NOTHING]["results"], records[NOTHING]["error"]) == ("empty", [], "")
    assert (records[secret]["outcome"], records[secret]["cost"]) == ("refused", 0)
    assert records[secret]["error"]
    assert asked_of(brave) == Counter(["tea and cake", NOTHING, "harbours"])
    assert "1 empty" in ended.stderr
    assert "1 failed (refused 1)" in ended.stderr
    assert "1 skipped" in ended.stderr
    assert "$0.015" in ended.stderr.splitlines()[-1]
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["queries.txt", "searches.jsonl"]


def test_a_failure_is_not_nothing_found(brave: Simulator, tmp_path: Path) -> None:
    brave.fail(Fault(500))
    output = tmp_path / "searches.jsonl"
    ended = search_many(brave, listed(tmp_path, "tea"), "-o", str(output), "--yes", "--tries", "2")
    assert ended.returncode == 1
    [record] = records_in(output).values()
    assert (record["outcome"], record["tries"], record["provider"], record["cost"]) == ("unreachable", 2, None, 0)
    assert "brave: unreachable" in record["error"]


def test_what_costs_money_needs_a_word(brave: Simulator, tmp_path: Path) -> None:
    output = tmp_path / "searches.jsonl"
    ended = search_many(brave, "-", "-o", str(output), stdin="tea\n")
    assert ended.returncode == 2
    assert "--max-dollars" in ended.stderr
    assert not brave.received
    assert search_many(brave, "-", "-o", str(output), "--max-dollars", "1", stdin="tea\n\ncake").returncode == 0
    assert set(records_in(output)) == {"tea", "cake"}


@pytest.mark.parametrize(("answer", "asked"), [("y\n", 1), ("n\n", 0)])
def test_a_person_is_asked_where_it_costs_something(brave: Simulator, tmp_path: Path, answer: str, asked: int) -> None:
    environ = fresh_home(tmp_path, **brave.environment())
    words = ("search-many", listed(tmp_path, "tea"), "-o", str(tmp_path / "searches.jsonl"), "-p", "brave")
    shown = at_a_terminal(environ, *words, answers=[("Go on?", answer)])
    assert "1 query to ask · asked: brave ($0.005 a search) · about $0.005" in shown
    assert len(brave.received) == asked


def test_a_recording_is_not_believed_to_stand_in(brave: Simulator, tmp_path: Path) -> None:
    ended = search_many(
        brave, listed(tmp_path, "tea"), "-o", str(tmp_path / "s.jsonl"), "--yes", "--replay", "some.jsonl"
    )
    assert ended.returncode == 2
    assert "neither recorded nor replayed" in ended.stderr
    assert not brave.received


def test_searches_can_be_written_as_parquet(brave: Simulator, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    output = tmp_path / "searches.parquet"
    ended = search_many(brave, listed(tmp_path, "tea", NOTHING), "-o", str(output), "--yes")
    assert ended.returncode == 0, ended.stderr
    rows = {row["query"]: row for row in parquet.read_table(output).to_pylist()}
    assert rows["tea"]["results"][0]["url"].startswith("https://")
    assert (rows["tea"]["cost"], rows[NOTHING]["outcome"], rows[NOTHING]["results"]) == (0.005, "empty", [])
    again = search_many(brave, listed(tmp_path, "tea", "coffee"), "-o", str(output), "--yes")
    assert again.returncode == 0, again.stderr
    more = {row["query"]: row for row in parquet.read_table(output).to_pylist()}
    assert (more.keys() - rows.keys(), more["tea"]) == ({"coffee"}, rows["tea"])
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["queries.txt", "searches.parquet"]


def test_a_list_ends_where_nothing_more_may_be_spent_and_is_gone_on_with(brave: Simulator, tmp_path: Path) -> None:
    """What nobody was asked is not written down as failed."""
    output = tmp_path / "searches.jsonl"
    names = [f"harbour {number}" for number in range(12)]
    queries = listed(tmp_path, *names)
    ended = search_many(brave, queries, "-o", str(output), "--max-dollars", "0.03")
    assert ended.returncode == 5
    assert "Session cap reached ($0.03)" in ended.stderr
    assert "begin the same command again" in ended.stderr
    first = records_in(output)
    assert len(first) == 6
    assert {record["outcome"] for record in first.values()} == {"ok"}
    ended = search_many(brave, queries, "-o", str(output), "--max-dollars", "1")
    assert (ended.returncode, set(records_in(output))) == (0, set(names))
    assert "6 queries to ask" in ended.stderr
    assert max(asked_of(brave).values()) == 1


def test_nothing_is_lost_or_doubled_when_the_writer_is_killed(brave: Simulator, tmp_path: Path) -> None:
    """Three times kill -9 in the middle: each query once in the file, and only those under way are asked again."""
    kill_at = {15, 40, 70}
    running: list[subprocess.Popen[bytes]] = []

    def answer(received: Received) -> Answer:
        if len(brave.received) in kill_at:
            kill_at.remove(len(brave.received))
            running[-1].send_signal(signal.SIGKILL)
        return brave.reply(received)

    brave.answer = answer
    output = tmp_path / "searches.jsonl"
    names = [f"harbour {number}" for number in range(100)]
    queries, codes = listed(tmp_path, *names), []
    for _ in range(4):
        running.append(subprocess.Popen(command(queries, "-o", str(output), "-q", "--yes"), env=environment(brave)))
        codes.append(running[-1].wait(200))
    assert codes == [-9, -9, -9, 0]
    assert set(records_in(output)) == set(names)
    again = sum(count - 1 for count in asked_of(brave).values())
    assert again <= 3 * AT_ONCE
