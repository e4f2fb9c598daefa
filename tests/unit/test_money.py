"""What is booked is what the services charge: by results, by depth and by plan, on every surface, to the cent."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from seekread.client import Seekread
from seekread.errors import AllFailed
from seekread.provider import Cost, Query, SecretStr, told_cost, traits
from seekread.providers.exa import Exa
from seekread.providers.firecrawl import Firecrawl
from seekread.providers.jina import Jina
from seekread.providers.registry import provider_class
from seekread.providers.tavily import Tavily
from seekread.testing import simulators
from seekread.testing.hits import NOTHING
from seekread.testing.server import Fault
from seekread.testing.simulators import Simulator

pytestmark = pytest.mark.anyio

PAID = tuple(name for name in simulators.names() if traits(provider_class(name)).plans)
"""Whoever sells a plan, by their own prices."""
READERS = ("exa", "firecrawl", "jina", "serper", "tavily")
PAGE = "http://127.0.0.1:9/tea"
"""An address nobody answers at: the reader is asked, not the page."""
PRIVATE = {"allow_private": ["127.0.0.1:9"], "allowed_ports": [9]}


@pytest.fixture
def service(request: pytest.FixtureRequest) -> Iterator[Simulator]:
    with simulators.start(request.param) as running:
        yield running


@asynccontextmanager
async def asking(service: Simulator, **settings: Any) -> AsyncIterator[Seekread]:
    given = {"store": "memory:", "cache": False, **PRIVATE, **settings}
    async with Seekread(service.name, settings=given, providers={service.name: service.settings()}, environ={}) as web:
        yield web


async def booked(web: Seekread) -> float:
    return sum(usage.dollars for usage in await web._parts.ledger.usage())


@pytest.mark.parametrize("service", PAID, indirect=True)
@pytest.mark.parametrize("limit", [3, 10, 50])
async def test_without_a_chosen_plan_the_price_of_those_who_pay_by_the_call_is_booked(
    service: Simulator, limit: int
) -> None:
    async with asking(service) as web:
        await web.search("tea", limit=limit)
        assert service.charged > 0
        assert await booked(web) == pytest.approx(service.charged, abs=1e-9)


@pytest.mark.process
@pytest.mark.parametrize("service", READERS, indirect=True)
async def test_a_page_costs_what_its_reader_says(service: Simulator) -> None:
    async with asking(service, daily_dollars=1.0) as web:
        for number in range(5):
            await web.open_page(f"{PAGE}/{number}", reader=service.name)
        assert service.charged > 0
        assert await booked(web) == pytest.approx(service.charged, abs=1e-9)


@pytest.mark.parametrize("service", READERS, indirect=True)
async def test_a_page_that_could_not_be_read_costs_what_its_reader_says(service: Simulator) -> None:
    async with asking(service) as web:
        assert not (await web.open_page(f"{PAGE}/{NOTHING}", reader=service.name)).success
        assert await booked(web) == pytest.approx(service.charged, abs=1e-9)


@pytest.mark.process
@pytest.mark.parametrize("service", ["tavily"], indirect=True)
async def test_a_reader_that_does_not_say_is_booked_by_its_price_list(service: Simulator) -> None:
    async with asking(service) as web:
        for number in range(5):
            await web.open_page(f"{PAGE}/{number}", reader="tavily")
        assert await booked(web) == pytest.approx(service.charged) == 0.008


@pytest.mark.parametrize("service", ["firecrawl"], indirect=True)
async def test_a_cap_is_held_against_what_the_replies_say(service: Simulator) -> None:
    """Fifty results cost ten credits, $0.0083: the third search would pass two cents."""
    async with asking(service, daily_dollars=0.02, plans={"firecrawl": "standard"}) as web:
        for _ in range(2):
            await web.search("tea", limit=50)
        with pytest.raises(AllFailed, match=r"Daily cap reached \(\$0\.02/day\)"):
            await web.search("tea", limit=50)
        assert len(service.received) == 2
        assert await booked(web) == pytest.approx(service.charged)


@pytest.mark.parametrize("service", ["exa"], indirect=True)
async def test_a_plan_in_dollars_counts_the_dollars_of_the_reply(service: Simulator) -> None:
    async with asking(service, plans={"exa": "free"}) as web:
        await web.search("tea", limit=50)
        [usage] = await web._parts.ledger.usage()
        assert usage.used == pytest.approx(service.charged) == 0.047


@pytest.mark.parametrize("service", PAID, indirect=True)
@pytest.mark.parametrize("fault", [Fault(401), Fault(429), Fault(500), Fault(503)], ids=lambda fault: str(fault.status))
async def test_an_answer_with_the_status_of_an_error_is_free(service: Simulator, fault: Fault) -> None:
    service.fail(fault)
    async with asking(service) as web:
        with pytest.raises(AllFailed):
            await web.search("tea")
        assert (service.charged, await booked(web)) == (0, 0)
        # Who turns us away at the door has not taken the call; whoever fails has.
        made = len(service.received) if (fault.status or 0) >= 500 else 0
        assert sum(usage.calls for usage in await web._parts.ledger.usage()) == made


@pytest.mark.parametrize("service", PAID, indirect=True)
async def test_a_reply_that_breaks_off_is_booked_as_it_was_expected(service: Simulator) -> None:
    service.fail(Fault(how="truncate"))
    async with asking(service, attempts=1) as web:
        with pytest.raises(AllFailed):
            await web.search("tea")
        assert await booked(web) == pytest.approx(service.charged, abs=1e-9)


async def test_a_call_that_never_left_is_free() -> None:
    with simulators.start("brave") as gone:
        settings = gone.settings()
    async with Seekread("brave", settings={"store": "memory:"}, providers={"brave": settings}, environ={}) as web:
        with pytest.raises(AllFailed):
            await web.search("tea")
        assert await booked(web) == 0


@pytest.mark.process
@pytest.mark.parametrize("service", ["jina"], indirect=True)
async def test_who_has_no_key_pays_nothing(service: Simulator) -> None:
    keyless = {"jina": {"base_url": service.base_url}}
    async with Seekread(settings={"store": "memory:", **PRIVATE}, providers=keyless, environ={}) as web:
        assert (await web.open_page(PAGE, reader="jina")).success
        assert (service.charged, await booked(web)) == (0, 0)


@pytest.mark.parametrize(
    ("settings", "asked"),
    [({}, None), ({"plans": {"tavily": "free"}}, True), ({"daily_dollars": 1.0}, True), ({"session_dollars": 1}, True)],
    ids=["nothing set", "a plan", "a cap a day", "a cap a session"],
)
@pytest.mark.process
@pytest.mark.parametrize("service", ["tavily"], indirect=True)
async def test_tavily_is_asked_what_a_call_cost_where_somebody_counts(
    service: Simulator, settings: dict[str, Any], asked: bool | None
) -> None:
    """X-15"""
    async with asking(service, **settings) as web:
        await web.search("tea")
        await web.open_page(PAGE, reader="tavily")
    assert [received.json.get("include_usage") for received in service.received] == [asked, asked]


def test_what_is_expected_grows_with_results_and_depth() -> None:
    def expected(provider: Any, limit: int, **more: Any) -> Cost:
        return provider.search(Query(text="tea", limit=limit, **more)).cost  # type: ignore[no-any-return]

    secret = SecretStr("a-key-of-somebody")
    assert [expected(Firecrawl(secret), limit).units for limit in (1, 10, 11, 100)] == [2, 2, 4, 20]
    assert [expected(Exa(secret), limit).dollars for limit in (10, 100)] == [0.007, pytest.approx(0.097)]
    assert [expected(Tavily(secret, search_depth=depth), 5).units for depth in ("basic", "advanced", "fast")] == [
        1,
        2,
        1,
    ]
    assert [expected(Jina(secret), 5, search_type=kind).units for kind in ("general", "news")] == [10_000, 50_000]
    assert Jina().read(PAGE).cost == Cost(dollars=0.0)


@pytest.mark.parametrize("odd", [None, "20", -1, float("nan"), float("inf"), True, [], {}], ids=repr)
@pytest.mark.parametrize("service", ["firecrawl"], indirect=True)
async def test_a_counter_that_makes_no_sense_is_not_believed(service: Simulator, odd: Any) -> None:
    assert told_cost(odd) is None
    assert told_cost(dollars=odd) is None
    service.fail(Fault(change=lambda body: {**body, "creditsUsed": odd}))
    async with asking(service) as web:
        await web.search("tea", limit=20)
        assert await booked(web) == pytest.approx(4 * 0.00083)


@pytest.mark.parametrize("odd", [-1.0, float("nan"), float("inf")])
def test_nobody_can_be_charged_a_negative_or_endless_amount(odd: float) -> None:
    for cost in ({"units": odd}, {"dollars": odd}, {"calls": odd}):
        with pytest.raises(ValueError, match="not negative"):
            Cost(**cost)


@pytest.mark.parametrize("cap", ["daily_dollars", "session_dollars"])
@pytest.mark.parametrize("service", PAID, indirect=True)
async def test_no_engine_spends_more_than_a_cap_allows(service: Simulator, cap: str) -> None:
    """The price of two calls and a half buys two."""
    async with asking(service) as free:
        await free.search("tea")
        price = service.charged
    async with asking(service, **{cap: 2.5 * price}) as web:
        for number in range(2):
            await web.search(f"tea {number}")
        with pytest.raises(AllFailed, match="cap reached"):
            await web.search("cake")
    assert service.charged == pytest.approx(3 * price)
