"""The page about the benchmarks is written by `make bench`, one section for each, and leaves out none in silence."""

from pathlib import Path

import pytest

from benchmarks import report
from benchmarks.catalogue import BENCHMARKS
from benchmarks.report import Section, sections, write

FOLDER = Path(report.__file__).parent
PARTS = {"pace", "kill9"}
"""What `faults` runs."""
BESIDE = {
    "bare_mcp",
    "evidence_cost",
    "evidence_peer",
    "extraction_peers",
    "litellm_search",
    "structure_peers",
    "peers",
    "turns",
    "processes",
    "promises",
    "catalogue",
    "report",
    "run",
    "cascade",
}
"""What the others use; and `cascade`, which needs Chromium and the sets, and promises nothing."""


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "benchmarks.md"
    monkeypatch.setattr(report, "PAGE", path)
    return path


def printed(name: str, text: str, code: int = 0) -> dict[str, Section]:
    benchmark = BENCHMARKS[name]
    return {name: report.section(benchmark, benchmark.command(full=False), text, code, (0.1, 0.2))}


def test_every_benchmark_is_run_or_said_to_be_part_of_another() -> None:
    there = {path.stem for path in FOLDER.glob("*.py")}
    there |= {path.parent.name for path in FOLDER.glob("*/__main__.py")}
    assert {benchmark.module for benchmark in BENCHMARKS.values()} == there - PARTS - BESIDE


def test_a_section_is_renewed_and_the_others_stay(page: Path) -> None:
    write(printed("ring", "first") | printed("money", "to the cent"))
    before = sections()
    write(printed("ring", "second"))
    after = sections()
    assert after["money"] == before["money"]
    assert "second" in after["ring"].text
    assert "first" not in page.read_text()


def test_a_miss_stands_at_the_top_with_its_figure(page: Path) -> None:
    write(printed("ring", "a table\nkept    one: 1, at most 2 required\nMISSED  two: 3, at most 2 required\n", 1))
    summary = page.read_text().partition("<!--")[0]
    assert "| Searches without a key | 2 | 1 | 0 | 1 |" in summary
    assert "- Searches without a key: two: 3, at most 2 required" in summary
    assert "one: 1" not in summary


def test_a_run_that_fails_without_a_figure_is_a_miss(page: Path) -> None:
    write(printed("ring", "it broke", 1))
    assert "Searches without a key: the run failed" in page.read_text()


def test_what_was_not_measured_is_named(page: Path) -> None:
    write(printed("ring", "all answered"))
    assert "`extraction` (the content of pages)" in page.read_text().partition("<!--")[0]


def test_no_path_of_the_machine_is_told(page: Path) -> None:
    write(printed("ring", f"read {report.ROOT}/benchmarks/ring.py"))
    assert "read benchmarks/ring.py" in page.read_text()
