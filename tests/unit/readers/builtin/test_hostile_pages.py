"""More than a hundred hostile pages: each ends in the outcome that is right, and the reader lives on."""

import ssl
from collections.abc import Sequence

import anyio
import pytest

from seekread.errors import SeekreadError
from seekread.http.guard import Guard, GuardPolicy
from seekread.http.pinned import page_transport
from seekread.readers.builtin.fetch import Fetcher, FetchLimits
from seekread.readers.builtin.reader import Builtin
from seekread.readers.builtin.workers import WorkerLimits, Workers
from seekread.testing.rude_web import RudeWeb
from tests.support.hostile_pages import CASES, PAGE, SLOW, HostileCase, scripts

pytestmark = pytest.mark.anyio

IMPATIENT = FetchLimits(seconds=3, first_byte_seconds=0.6, grace_seconds=0.4)
"""For servers that never come to an end: all that matters is that we do."""
PATIENT = FetchLimits(seconds=60, first_byte_seconds=60, grace_seconds=60)
"""For all others: a busy machine must not change the outcome."""
WORKERS = WorkerLimits(size=2, seconds=60)

HEAVY = {
    "gzip-bomb",
    "office-bomb-in-the-text",
    "office-bomb-in-a-sheet",
    "pdf-bomb",
    "pdf-of-5000-pages",
    "tangled-tags",
    "feed-of-100000-entries",
}
"""Of the pages that cost seconds, one of each sort; benchmarks/hostile.py reads them all."""


async def outcome_of(builtin: Builtin, url: str) -> tuple[str, set[str]]:
    try:
        page = await builtin.read(url).run()
    except SeekreadError as error:
        return str(getattr(error, "outcome", type(error).__name__)), set()
    assert page.outcome == "empty" or page.content
    return page.outcome, {signal.kind for signal in page.signals}


async def wrong_of(cases: Sequence[HostileCase], limits: FetchLimits) -> dict[str, tuple[str, set[str]]]:
    """Read the pages, several at once, and then a decent one; the cases that ended as they should not."""
    wrong = {}
    with RudeWeb(scripts()) as web:
        guard = Guard(GuardPolicy(allow_private=(web.endpoint,)))
        transport = page_transport(guard, ssl_context=ssl.create_default_context())
        slots = anyio.Semaphore(6)
        async with Fetcher(guard, transport, limits=limits) as fetcher, Workers(WORKERS) as workers:
            builtin = Builtin(fetcher, workers)

            async def one(case: HostileCase) -> None:
                async with slots:
                    outcome, signals = await outcome_of(builtin, web.url(case.path))
                if outcome not in case.outcomes or (outcome == "ok" and not case.flags <= signals):
                    wrong[case.name] = (outcome, signals)

            async with anyio.create_task_group() as group:
                for case in cases:
                    group.start_soon(one, case)
            decent = Builtin(Fetcher(guard, transport, limits=PATIENT), workers)
            assert (await decent.read(web.url("/page")).run()).title == "The harbour wall"
    return wrong


def test_there_are_enough_of_them_and_each_has_a_name() -> None:
    assert len({case.name for case in CASES}) == len(CASES) >= 60
    assert b"harbour" in PAGE


@pytest.mark.process
async def test_servers_that_never_end_are_given_up() -> None:
    assert await wrong_of(SLOW, IMPATIENT) == {}


@pytest.mark.process
async def test_every_other_hostile_page_ends_as_it_should() -> None:
    cases = [case for case in CASES if case not in SLOW and not case.heavy]
    assert await wrong_of(cases, PATIENT) == {}


@pytest.mark.process
async def test_pages_that_cost_seconds_end_as_they_should() -> None:
    cases = [case for case in CASES if case.name in HEAVY]
    assert len(cases) == len(HEAVY)
    assert await wrong_of(cases, PATIENT) == {}
