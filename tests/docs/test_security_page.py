"""What docs/security.md says in numbers and lists is what the code does."""

import re
from pathlib import Path
from typing import Any

import pytest

from benchmarks.hidden import DATA, FILES, cases
from seekread import Refused, Seekread
from seekread.calling.outgoing import LAYERS
from seekread.config.settings import Settings
from seekread.config.sources import load
from seekread.extraction.css_conditions import WIDTHS
from seekread.extraction.office.package import MOST_ENTRIES, MOST_IN_ALL, MOST_OF_A_PART
from seekread.extraction.pdf_ink import MOST_OBJECTS, SMALLEST
from seekread.http.guard import WEB_PORTS, Guard, GuardPolicy
from seekread.http.target import MAX_LENGTH
from seekread.http.verdict import MAX_HOPS
from seekread.provider import Job, Query, SearchResult
from seekread.readers.browser.ink import SECONDS
from seekread.readers.builtin.frames import MEMORY
from seekread.readers.builtin.sheets import MAX_BYTES, MAX_SHEETS
from seekread.readers.builtin.workers import WorkerLimits
from seekread.server.events import ATTEMPTS, Attempts
from seekread.server.issuer_keys import LEAST_BITS
from seekread.server.metrics import Metrics
from seekread.server.signins import COOKIE, SignIns
from seekread.server.tokens import Tokens
from seekread.state.attempts import LastAttempts
from seekread.state.memory import MemoryStore
from seekread.testing.clock import FakeClock
from tests.support.pdfs import CONTROLS, TRICKS

PAGE = (Path(__file__).parents[2] / "docs" / "security.md").read_text("utf-8")
SOURCE = Path(__file__).parents[2] / "src" / "seekread"
KEY = "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"
WORDS = ("no", "one", "two", "three", "four", "five", "six")
DEFAULTS, READING = Settings(), WorkerLimits()


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
        f"Then {len(cases(DATA / FILES['later']))} tricks and",
        f"an address of more than {number(MAX_LENGTH)} characters",
        f"every hop is checked like the first, {WORDS[MAX_HOPS]} at most",
        f"percent signs up to {WORDS[LAYERS]} layers",
        f"`text_budget` characters of queries and addresses in a day ({number(DEFAULTS.policy.text_budget or 0)})",
        f"{DEFAULTS.read.hop_budget} pages of one site and {DEFAULTS.read.hop_total} in a session",
        f"unpacked to at most {MOST_OF_A_PART // 10**6} MB and a package to {MOST_IN_ALL // 10**6} MB",
        f"more than {number(MOST_ENTRIES)} parts are refused",
        f"or smaller than {SMALLEST} points",
        f"limited to {MEMORY // 1024**3} GB of memory and {READING.cpu_seconds:.0f} seconds of CPU",
        f"an RSA key of less than {number(LEAST_BITS)} bits",
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


def tricks_of(page: str) -> list[str]:
    """The addresses that the table of tricks shows."""
    table = page.partition("| trick | how |")[2].partition("\n\n")[0]
    shown = [address for row in table.split("\n") for address in re.findall(r"`([^`]+)`", row.rpartition("| ")[0])]
    return [{"169.254.169.254": "http://169.254.169.254/"}.get(each, each) for each in shown if each != "%"]


@pytest.mark.parametrize("trick", tricks_of(PAGE))
def test_the_addresses_of_the_table_are_refused_and_nothing_is_looked_up(trick: str) -> None:
    """Without its resolver the guard can only judge the text."""
    address = f"{trick}//example.org/x" if trick.endswith(":") else trick
    with pytest.raises(Refused):
        Guard(GuardPolicy()).check(address if "/" in address else f"http://name.{address}/")


@pytest.mark.parametrize(
    "wild",
    ["http://example.org\\@127.0.0.1/", "http://exam\tple.org/", "http://exam%70le.org/", "http://exam\u200bple.org/"],
)
def test_what_programs_read_differently_is_refused_by_the_parser(wild: str) -> None:
    with pytest.raises(Refused) as refused:
        Guard(GuardPolicy()).check(wild)
    assert refused.value.code in {"bad_character", "credentials", "bad_host"}


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


@pytest.mark.anyio
async def test_a_session_of_the_console_ends_after_twelve_hours(tmp_path: Path) -> None:
    assert "| who is signed in to the console | the store, as hashes | twelve hours" in PAGE
    clock = FakeClock()
    store = MemoryStore(clock=clock, max_bytes=1_000_000)
    tokens = Tokens(tmp_path / "tokens.json")
    tokens.create("mine")
    signed_in = SignIns(store, tokens)
    text = await signed_in.begin(tokens.all()[0])
    scope = {"type": "http", "headers": [(b"cookie", f"{COOKIE}={text}".encode())]}
    assert not [entry for entry in await store.scan("") if text in entry.key or text.encode() in entry.value]
    clock.now += 12 * 3600 - 1
    assert await signed_in.token(scope) is not None
    clock.now += 1
    assert await signed_in.token(scope) is None


def test_fifty_failures_are_remembered_and_no_more() -> None:
    assert "the last 50 failed attempts that `/status` shows" in PAGE
    heard = Attempts(Metrics())
    with heard.listening():
        for place in range(60):
            event = {"kind": "search", "provider": f"p{place}", "outcome": "timeout", "milliseconds": 1}
            ATTEMPTS.info("search", extra={"seekread": event})
    assert [failure["provider"] for failure in heard.failures] == [f"p{n}" for n in range(10, 60)]


@pytest.mark.anyio
async def test_the_last_outcome_of_a_provider_is_kept_for_thirty_days() -> None:
    assert "the last outcome 30 days" in PAGE
    clock = FakeClock()
    last = LastAttempts(MemoryStore(clock=clock, max_bytes=1_000_000), clock)
    await last.remember("brave", "ok")
    clock.now += 30 * 86_400 - 1
    assert "brave" in await last.all()
    clock.now += 1
    assert await last.all() == {}


def test_a_settings_file_named_for_a_call_keeps_its_modes(tmp_path: Path) -> None:
    assert "A settings file named with `--config` keeps its modes." in PAGE
    named = tmp_path / "team.toml"
    named.write_text("[search]\nroute = 'first'\n")
    named.chmod(0o640)
    load(file=str(named), environ={"HOME": str(tmp_path)})
    assert named.stat().st_mode & 0o777 == 0o640
