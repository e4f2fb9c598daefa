"""
The contract every provider keeps, checked on the wire against a simulator of its service.

Run it over a provider of your own with a few lines of pytest:

    @pytest.mark.parametrize("check", provider_contract.CHECKS)
    async def test_my_provider_keeps_the_contract(check: str) -> None:
        with MySimulator() as simulator:
            await provider_contract.CHECKS[check](ProviderCase(MyProvider(**simulator.settings()), simulator))

    @pytest.mark.parametrize("fault", provider_contract.faults(MySimulator))
    async def test_my_provider_names_the_fault(fault: str) -> None:
        with MySimulator() as simulator:
            await provider_contract.check_fault(ProviderCase(MyProvider(**simulator.settings()), simulator), fault)
"""

import dataclasses
import gzip
import traceback
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar, cast, get_args
from urllib.parse import unquote

from seekread.clock import SystemClock
from seekread.options import SafeSearch
from seekread.provider import (
    BadReply,
    Call,
    Found,
    Job,
    Page,
    ProviderError,
    Query,
    QuotaExhausted,
    RateLimited,
    ReadProvider,
    SearchProvider,
    SearchResult,
    SecretStr,
    SuspiciousEmpty,
    TimedOut,
    Unauthorized,
    Unreachable,
    Wish,
    secrets_of,
    traits,
)
from seekread.testing.hits import NOTHING
from seekread.testing.server import Answer, Fault, Received
from seekread.testing.simulators.simulator import Refusal, Simulator

T = TypeVar("T")

QUERY = 'tea & cake "für" 50% +milk #1'
"""Characters that do not survive a careless encoding."""

PAGE = "https://example.org/page?a=b#c"

REPLY_CAP = 200_000
PATIENCE = 60.0
IMPATIENCE = 0.1
"""Seconds given to a service that will not answer in time."""

WISHES: dict[Wish, dict[str, Any]] = {
    "freshness": {"freshness": "week"},
    "dates": {"date_from": "2026-10-01", "date_to": "2026-10-20"},
    "news": {"search_type": "news"},
    "allowed_domains": {"allowed_domains": ("example.org",)},
    "blocked_domains": {"blocked_domains": ("example.com",)},
    "country": {"country": "DE"},
    "language": {"language": "de"},
    "safe_search": {"safe_search": "strict"},
    "page": {"page": 2},
}
"""A query that carries each wish."""


@dataclass(frozen=True)
class ProviderCase:
    """A provider, and the simulator it was pointed at."""

    provider: SearchProvider
    simulator: Simulator


async def performed(provider: object, task: Call[T] | Job[T], *, seconds: float = PATIENCE) -> T:
    """Do what a provider asks for, as the engine would."""
    from seekread.calling.perform import perform
    from seekread.http.client import ServiceClient

    client = ServiceClient(max_reply=REPLY_CAP, proxies={})
    try:
        return await perform(task, client, SystemClock(), seconds=seconds, secrets=secrets_of(provider))
    finally:
        await client.close()


async def search(case: ProviderCase, text: str = QUERY, *, seconds: float = PATIENCE, **wishes: Any) -> Found:
    """Ask the provider as the engine would."""
    found = await performed(case.provider, case.provider.search(Query(text=text, **wishes)), seconds=seconds)
    return found if isinstance(found, Found) else Found(found)


async def open_page(case: ProviderCase, url: str = PAGE, *, seconds: float = PATIENCE) -> Page:
    """Read a page with a provider that also reads."""
    return await performed(case.provider, cast("ReadProvider", case.provider).read(url), seconds=seconds)


async def wire(case: ProviderCase, **wishes: Any) -> list[Received]:
    """What reaches the service for a query."""
    return (await exchange(case, **wishes))[1]


async def exchange(case: ProviderCase, **wishes: Any) -> tuple[Found, list[Received]]:
    """What came back for a query, and what reached the service."""
    case.simulator.received.clear()
    return await search(case, **wishes), list(case.simulator.received)


def essence(requests: list[Received]) -> list[tuple[str, str, dict[str, Any]]]:
    """Where requests went and what they said, without what differs from one run to the next."""
    return [(request.method, request.path, request.sent) for request in requests]


async def check_results_carry_title_url_and_snippet(case: ProviderCase) -> None:
    """Five results were asked for, and each can be shown."""
    found = await search(case, limit=5)
    assert len(found.results) >= 5, f"five results were asked for, {len(found.results)} came"
    for result in found.results:
        assert result.title, f"a result has no title: {result}"
        assert result.url.startswith(("https://", "http://")), f"a result has no address: {result}"
        assert result.snippet, f"a result has no snippet: {result}"


async def check_order_is_the_services(case: ProviderCase) -> None:
    """Results keep the order in which the service ranked them."""
    found = await search(case, "plain words", limit=5)
    numbers = [int(result.title.rpartition(" ")[2]) for result in found.results[:5]]
    assert numbers == [1, 2, 3, 4, 5], f"the order changed: {numbers}"


async def check_the_query_reaches_the_wire(case: ProviderCase) -> None:
    """Every character of the query arrives, once decoded, whatever the service wants to stand around it."""
    requests = await wire(case)
    assert requests, "nothing was sent"
    sent = [str(value) for request in requests for value in request.sent.values()]
    assert any(QUERY in value for value in sent), f"sent: {sent}"


async def check_options_left_unset_are_not_sent(case: ProviderCase) -> None:
    """A plain query carries no empty, null or stringified values."""
    for request in await wire(case):
        hollow = {
            name: value
            for name, value in request.sent.items()
            if value in (None, "None", "null", "True", "False", [], {}) or (value == "" and name not in ALLOWED_BLANK)
        }
        assert not hollow, f"options that nobody set were sent: {hollow}"


ALLOWED_BLANK = frozenset({"b"})
"""A field DuckDuckGo's own form sends empty."""


async def check_wishes_it_honours_change_the_wire(case: ProviderCase) -> None:
    """A provider that says it honours a wish must say something different to its service, or admit that it did not."""
    plain = essence(await wire(case))
    for wish in sorted(traits(case.provider).honours):
        found, sent = await exchange(case, **WISHES[wish])
        assert essence(sent) != plain or wish in found.unmet, f"{wish} is claimed and changes nothing"


async def check_wishes_it_ignores_do_no_harm(case: ProviderCase) -> None:
    """A wish a provider cannot fulfil is left out quietly; the engine makes up for it."""
    for wish in set(get_args(Wish)) - traits(case.provider).honours:
        assert (await search(case, **WISHES[wish])).results, f"{wish} breaks a provider that does not know it"


async def check_all_wishes_together_are_accepted(case: ProviderCase) -> None:
    """The service refuses no combination, since it checks its parameters and results still come."""
    wishes = {name: value for wish in WISHES.values() for name, value in wish.items()}
    for dated in ({"freshness": None}, {"date_from": None, "date_to": None}):
        assert (await search(case, **{**wishes, **dated})).results, "all wishes together bring nothing"


ODD_WISHES: dict[Wish, list[dict[str, Any]]] = {
    "country": [{"country": "ZZ"}, {"country": "ZZ", "search_type": "news"}, {"country": "DE", "search_type": "news"}],
    "language": [{"language": "xx"}],
    "safe_search": [{"safe_search": word} for word in get_args(SafeSearch)],
}
"""Wishes that a service may have no word for."""

MANY = tuple(f"site{number}.example.org" for number in range(1, 31))


async def check_wishes_it_cannot_pass_on_are_admitted(case: ProviderCase) -> None:
    """A wish that leaves no trace in the request, not even beside others, is named in `unmet`."""
    for wish in sorted(traits(case.provider).honours & ODD_WISHES.keys()):
        for asked in ODD_WISHES[wish]:
            others = {name: value for name, value in asked.items() if name != wish}
            found, sent = await exchange(case, **asked)
            honest = wish in found.unmet or essence(sent) != essence(await wire(case, **others))
            assert honest, f"{asked} was not sent, and {wish} is not in unmet"


async def check_domains_it_cannot_pass_on_are_admitted(case: ProviderCase) -> None:
    """A domain that is nowhere in the request makes its list unmet."""
    about = traits(case.provider)
    honours = about.honours
    allowed, blocked = ("allowed.example.org",), ("blocked.example.org",)
    for lists in (
        {"allowed_domains": allowed, "blocked_domains": blocked},
        # The engine never hands over more than a provider declares to take.
        {"allowed_domains": MANY[: about.max_allowed]},
        {"blocked_domains": MANY[: about.max_blocked]},
        {"allowed_domains": ("a,$boost=9",)},
        {"blocked_domains": ("a,$boost=9",)},
    ):
        found, requests = await exchange(case, **lists)
        sent = "".join(f"{unquote(request.query)} {request.sent}" for request in requests)
        for wish in sorted(honours & lists.keys()):
            lost = [domain for domain in lists[wish] if domain not in sent]
            assert not lost or wish in found.unmet, f"{lost[:3]} was not sent, and {wish} is not in unmet"


async def check_it_declares_a_known_answer(case: ProviderCase) -> None:
    """Somebody who cannot tell "nothing found" from "blocked" has a question to ask, and it is answered."""
    known = traits(case.provider).known_answers
    assert known, "no question with a known answer is declared"
    assert (await search(case, known[0].question)).results


async def check_nothing_found_is_an_answer(case: ProviderCase) -> None:
    """An empty answer is empty where the service can be believed, and suspicious where it cannot."""
    if case.simulator.believable:
        assert list((await search(case, NOTHING)).results) == []
    else:
        await expect(case, SuspiciousEmpty, text=NOTHING)


async def check_a_wrong_content_type_is_forgiven(case: ProviderCase) -> None:
    """What counts is what a reply says, not what it is labelled."""
    case.simulator.fail(Fault(content_type="text/plain"))
    assert (await search(case)).results


async def check_the_key_never_shows(case: ProviderCase) -> None:
    """No representation of the provider, its call or an error holds the key, even when the service repeats it."""
    if case.simulator.key_variable is None:
        return
    key = case.simulator.key
    shown = repr(case.provider) + str(case.provider) + repr(case.provider.search(Query(text="x")))
    assert key not in shown, "the key shows in a representation"
    for status in (400, 401, 429, 500):
        repeated = {"error": f"api_key={key} is not welcome", "detail": f"no such key {key}", "headers": {"token": key}}
        case.simulator.fail(Fault(status, repeated))
        error = await expect(case, ProviderError)
        told = "".join(traceback.format_exception(error)) + repr(error) + error.body
        assert key not in told, f"the key shows in an error: {error!r}"


async def check_secrets_are_of_the_secret_type(case: ProviderCase) -> None:
    """Settings that hold a key are declared as secrets, and every setting with an environment name explains itself."""
    for setting in dataclasses.fields(cast("Any", case.provider)):
        if setting.name.endswith("key") and (value := getattr(case.provider, setting.name)) is not None:
            assert isinstance(value, SecretStr), f"{setting.name} is not a SecretStr"
        if setting.metadata.get("env"):
            assert setting.metadata.get("about"), f"{setting.name} has no sentence about it"


async def check_nobody_listening_is_unreachable(case: ProviderCase) -> None:
    """A service that is down is a failure of its own kind."""
    case.simulator.stop()
    await expect(case, Unreachable)


CHECKS: dict[str, Callable[[ProviderCase], Awaitable[None]]] = {
    name.removeprefix("check_").replace("_", " "): check
    for name, check in list(globals().items())
    if name.startswith("check_")
}
"""Every check by its name. Each wants a case of its own."""


@dataclass
class RowsReplaced:
    """
    A reply in which something else stands in the place of the rows.

    Rows are known by what the provider made of them, whatever their fields are called and wherever they stand:
    a list is one of rows when an object in it holds the title, the address or the snippet of a result.
    """

    value: Any
    results: Sequence[SearchResult] = ()
    found: bool = False

    def __call__(self, body: Any) -> Any:
        if isinstance(body, dict):
            return {name: self(item) for name, item in body.items()}
        if not isinstance(body, list):
            return body
        known = {text for result in self.results for text in (result.title, result.url, result.snippet) if text}
        if any(known & set(texts(item)) for item in body if isinstance(item, dict)):
            self.found = True
            return self.value
        return [self(item) for item in body]


def texts(row: Mapping[str, Any]) -> Iterator[str]:
    """The texts of an object and of the objects in it; lists inside may be rows themselves."""
    for value in row.values():
        if isinstance(value, dict):
            yield from texts(value)
        elif isinstance(value, str):
            yield value


def padded(body: Any) -> bytes:
    """A reply that is as good as ever, with more blanks after it than anybody should read."""
    return Answer(body).encoded()[0] + b" " * REPLY_CAP


FAULTS: dict[str, Refusal] = {
    "status 400": Refusal(Fault(400, {"message": "bad request"}), BadReply),
    "status 401": Refusal(Fault(401, {"message": "who are you?"}), Unauthorized),
    "status 402": Refusal(Fault(402, {"message": "pay first"}), QuotaExhausted),
    "status 403": Refusal(Fault(403, {"message": "no"}), Unauthorized),
    "status 404": Refusal(Fault(404, "<h1>Not Found</h1>"), BadReply),
    "status 408": Refusal(Fault(408, ""), TimedOut),
    "status 429": Refusal(Fault(429, {"message": "slow down"}, {"retry-after": "7"}), RateLimited),
    "status 500": Refusal(Fault(500, "<h1>Internal Server Error</h1>"), Unreachable),
    "status 503": Refusal(Fault(503, "busy"), Unreachable),
    "redirect": Refusal(Fault(302, "", {"location": "/elsewhere"}), BadReply),
    "web page": Refusal(Fault(200, "<!doctype html><p>Please log in to the wireless network</p>"), BadReply),
    "text": Refusal(Fault(200, "OK", content_type="text/plain"), BadReply),
    "garbage": Refusal(Fault(200, bytes(range(256)) * 8), BadReply),
    "empty body": Refusal(Fault(200, b""), BadReply),
    "partial JSON": Refusal(Fault(200, b'{"query": "x", "results": [{"title": "T", "url": "https://'), BadReply),
    "list": Refusal(Fault(200, []), BadReply),
    "null": Refusal(Fault(200, b"null"), BadReply),
    "number": Refusal(Fault(200, 3), BadReply),
    "empty object": Refusal(Fault(200, {}), BadReply),
    "error object": Refusal(Fault(200, {"error": "try again", "message": "try again"}), BadReply),
    "bottomless": Refusal(Fault(200, b'{"results": ' + b"[" * 50_000), BadReply),
    "rows are a number": Refusal(Fault(change=RowsReplaced(3)), BadReply),
    "rows are text": Refusal(Fault(change=RowsReplaced("rows")), BadReply),
    "rows are an object": Refusal(Fault(change=RowsReplaced({})), BadReply),
    "null instead of rows": Refusal(Fault(change=RowsReplaced(None)), BadReply),
    "rows of numbers": Refusal(Fault(change=RowsReplaced([3])), BadReply),
    "rows of nulls": Refusal(Fault(change=RowsReplaced([None])), BadReply),
    "rows without fields": Refusal(Fault(change=RowsReplaced([{}])), BadReply),
    "oversized": Refusal(Fault(change=padded), BadReply),
    "compression bomb": Refusal(
        Fault(change=lambda body: gzip.compress(padded(body)), headers={"content-encoding": "gzip"}), BadReply
    ),
    "broken compression": Refusal(Fault(200, b"not gzip at all", {"content-encoding": "gzip"}), BadReply),
    "reset": Refusal(Fault(how="reset"), Unreachable),
    "truncated": Refusal(Fault(how="truncate"), Unreachable),
    "hang": Refusal(Fault(how="hang"), TimedOut),
    "drip": Refusal(Fault(how="drip"), TimedOut),
    "delay": Refusal(Fault(delay=30), TimedOut),
}
"""What any service may do to us, and the error it is."""

SLOW = frozenset({"hang", "drip", "delay"})


def faults(simulated: type[Simulator]) -> dict[str, Refusal]:
    """Every fault a search is tried with: the common ones, as this service means them, and its own."""
    return {**common(simulated.expected), **simulated.refusals}


def read_faults(simulated: type[Simulator]) -> dict[str, Refusal]:
    """Every fault reading a page is tried with."""
    return {
        name: refusal
        for name, refusal in common(simulated.read_expected).items()
        if not isinstance(refusal.fault.change, RowsReplaced)
    }


def common(meant: Mapping[str, type[ProviderError] | None]) -> dict[str, Refusal]:
    errors = {name: meant.get(name, refusal.error) for name, refusal in FAULTS.items()}
    return {name: Refusal(FAULTS[name].fault, error) for name, error in errors.items() if error}


async def check_fault(case: ProviderCase, name: str) -> None:
    """A fault becomes the right error; it is never an empty list."""
    refusal = faults(type(case.simulator))[name]
    fault = refusal.fault
    if isinstance(fault.change, RowsReplaced):
        fault = replace(fault, change=RowsReplaced(fault.change.value, (await search(case)).results))
    case.simulator.fail(fault)
    try:
        error = await expect(case, refusal.error, seconds=IMPATIENCE if name in SLOW else PATIENCE)
    finally:
        rows_found(fault)
    judge(name, refusal, error)


def rows_found(fault: Fault) -> None:
    """A fault about rows that met none has tried nothing, and must not pass for a success."""
    assert not isinstance(fault.change, RowsReplaced) or fault.change.found, (
        "no rows were found in what the simulator answers: "
        "none of its objects holds the title, the address or the snippet of a result"
    )


async def check_read_fault(case: ProviderCase, name: str) -> None:
    """A fault while reading becomes the right error; it is never an empty page."""
    refusal = read_faults(type(case.simulator))[name]
    case.simulator.fail(refusal.fault)
    try:
        page = await open_page(case, seconds=IMPATIENCE if name in SLOW else PATIENCE)
    except ProviderError as error:
        judge(name, refusal, error)
    else:
        raise AssertionError(f"{refusal.error.__name__} was expected, a page came: {page.content[:80]!r}")


def judge(name: str, refusal: Refusal, error: ProviderError) -> None:
    """The error is of the wanted kind, says something, and passes on how long to wait."""
    assert type(error) is refusal.error, f"{name} is {type(error).__name__}, not {refusal.error.__name__}: {error}"
    assert str(error), "an error without a word"
    if refusal.error is RateLimited and "retry-after" in refusal.fault.headers:
        assert error.retry_after == float(refusal.fault.headers["retry-after"])


async def expect(
    case: ProviderCase, wanted: type[ProviderError], *, text: str = QUERY, seconds: float = PATIENCE
) -> ProviderError:
    """Search, and hand back the error that must come of it."""
    try:
        found = await search(case, text, seconds=seconds)
    except ProviderError as error:
        return error
    raise AssertionError(f"{wanted.__name__} was expected, {len(found.results)} results came")
