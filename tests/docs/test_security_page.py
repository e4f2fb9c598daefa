"""What docs/security.md says in numbers and lists is what the code does."""

import re
from pathlib import Path
from typing import Any

import pytest

from benchmarks.hidden import DATA, FILES, cases
from seekread import Refused, Seekread
from seekread.extraction.css_conditions import WIDTHS
from seekread.extraction.pdf_ink import MOST_OBJECTS
from seekread.http.guard import WEB_PORTS, Guard, GuardPolicy
from seekread.provider import Job, Query, SearchResult
from seekread.readers.browser.ink import SECONDS
from seekread.readers.builtin.sheets import MAX_BYTES, MAX_SHEETS
from tests.support.pdfs import CONTROLS, TRICKS

PAGE = (Path(__file__).parents[2] / "docs" / "security.md").read_text("utf-8")
SOURCE = Path(__file__).parents[2] / "src" / "seekread"
KEY = "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"
WORDS = ("no", "one", "two", "three", "four", "five")


def number(figure: int) -> str:
    return f"{figure:,}"


@pytest.mark.parametrize(
    "sentence",
    [
        f"as a browser would at a width of {number(WIDTHS[0])} pixels",
        f"only a telephone ({WIDTHS[1]} pixels) or a tablet ({WIDTHS[2]}) shows",
        f"up to {WORDS[MAX_SHEETS]} style sheets of the page's own site, {MAX_BYTES // 1000} kB of each",
        f"A page with more than {number(MOST_OBJECTS)} objects is not rendered",
        f"Pictures of one page take at most {WORDS[int(SECONDS)]} seconds",
        f"{len(cases(DATA / FILES['known']))} tricks and {len(cases(DATA / 'controls.toml'))} controls of our own",
        f"Of {len(cases(DATA / FILES['drawn']))} more that only a picture tells",
        f"any of the {len(cases(DATA / 'controls.toml'))} controls",
        f"on {len(TRICKS)} tricks and {len(CONTROLS)} texts that are seen",
    ],
)
def test_a_number_on_the_page_is_that_of_the_code(sentence: str) -> None:
    assert sentence in PAGE


def test_the_ports_on_the_page_are_open_and_no_others() -> None:
    listed = re.search(r"\*\*port\*\* ([\d, and]+), or those", PAGE)
    assert listed
    assert {int(port) for port in re.findall(r"\d+", listed[1])} == WEB_PORTS
    guard = Guard(GuardPolicy())
    for port in WEB_PORTS:
        guard.check(f"http://1.1.1.1:{port}/")
    for port in (22, 25, 3000, 6379, 8082):
        with pytest.raises(Refused) as refused:
            guard.check(f"http://1.1.1.1:{port}/")
        assert refused.value.code == "port_not_allowed"


def test_every_code_of_a_refusal_is_on_the_page_and_the_page_knows_no_other() -> None:
    told = set(re.findall(r"`([a-z_]+)`", "".join(re.findall(r"^\| (`[a-z_` ]+`) \|", PAGE, re.MULTILINE))))
    used = set()
    for path in (SOURCE / "http").glob("*.py"):
        used |= set(re.findall(r"\bRefused\(\s*\"([a-z_]+)\"", path.read_text("utf-8")))
    assert used <= told


class Recording:
    """An engine that notes what it is asked."""

    name = "recording"

    def __init__(self) -> None:
        self.heard: list[str] = []

    def search(self, query: Query) -> Job[Any]:
        async def run() -> list[SearchResult]:
            self.heard.append(query.text)
            return [SearchResult(title="t", url="https://a.org/1")]

        return Job(run)


@pytest.mark.anyio
@pytest.mark.parametrize("scan", [True, False])
async def test_the_scan_of_what_leaves_can_be_turned_off(scan: bool) -> None:
    engine = Recording()
    async with Seekread(settings={"store": "memory:", "scan_outgoing": scan}) as web:
        web.register(engine)
        if scan:
            with pytest.raises(Refused):
                await web.search(f"what is {KEY}")
        else:
            await web.search(f"what is {KEY}")
    assert engine.heard == ([] if scan else [f"what is {KEY}"])
