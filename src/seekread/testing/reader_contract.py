"""
The contract every reader keeps, whether a service reads for us or this machine does.

A page comes back as Markdown with its title. Whatever goes wrong is the right error, and never looks like a page.
What must not be read is refused before anybody is asked. A key never shows.

Run it over a reader of your own with a few lines of pytest:

    @pytest.mark.parametrize("check", reader_contract.CHECKS)
    async def test_my_reader_keeps_the_contract(check: str) -> None:
        with MySimulator() as simulator:
            case = ReaderCase(MyReader(**simulator.settings()), simulator, key=simulator.key)
            await reader_contract.CHECKS[check](case)

    @pytest.mark.parametrize("outage", reader_contract.OUTAGES)
    async def test_my_reader_names_the_outage(outage: str) -> None:
        ...
            await reader_contract.check_outage(case, outage)
"""

import traceback
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from seekread.errors import ProviderError
from seekread.models import Page
from seekread.outcomes import MEANINGS, Outcome
from seekread.provider import ReadProvider, traits
from seekread.testing.provider_contract import performed
from seekread.testing.server import Answer, Fault, LoopbackServer, Received

ELSEWHERE = "https://93.184.216.34/page?a=b"
"""An address that a service is asked to read. It needs no name server, and nobody here connects to it."""

WORDS = "Tea is brewed with water that is hot, and patience that is long, in every country that grows it. "
ARTICLE = (
    "<!doctype html><html><head><title>Tea</title></head><body><nav><a href=/>Home</a></nav><article><h1>Tea</h1>"
    f"<h2>Water</h2><p>{WORDS * 4}</p><ul><li>green</li><li>black</li></ul></article></body></html>"
)
PATIENCE = 60.0

PRIVATE = (
    "http://127.0.0.1:8000/",
    "http://localhost:8000/",
    "http://[::1]/",
    "http://10.0.0.1/",
    "http://192.168.1.1:8080/",
    "http://169.254.169.254/latest/meta-data/",
    "http://metadata.google.internal/",
)
"""What no reader may be asked to read …"""
MISWRITTEN = (
    "http://2130706433/",
    "http://user:secret@93.184.216.34/",
    "file:///etc/passwd",
    "ftp://93.184.216.34/file",
    "view-source:http://93.184.216.34/",
)
"""… and what nobody can be, because it is no address of a web page, or one that programs read differently."""


@dataclass(frozen=True)
class ReaderCase:
    """
    A reader, and the server that decides whether it can read: the service it asks, or the site the page is on.

    `impatience` is how many seconds it gets when no answer will come.
    """

    reader: ReadProvider
    server: LoopbackServer
    address: str = ELSEWHERE
    local: bool = False
    key: str = ""
    impatience: float = 0.2

    @property
    def name(self) -> str:
        return traits(self.reader).name

    @property
    def settings(self) -> dict[str, Any]:
        """Settings under which an engine may read the page."""
        own = [self.server.url.removeprefix("http://")] if self.local else []
        return {"store": "memory:", "allow_private": own, "page_seconds": PATIENCE}


@dataclass(frozen=True)
class ReaderOutage:
    """A way to fail, and the outcomes it may have: of a service that reads for us, and of a site we read."""

    service: frozenset[Outcome]
    site: frozenset[Outcome]
    fault: Fault | None = None
    slow: bool = False


def outage(service: str, site: str, fault: Fault | None = None, *, slow: bool = False) -> ReaderOutage:
    return ReaderOutage(frozenset(service.split()), frozenset(site.split()), fault, slow)  # type: ignore[arg-type]


OUTAGES: Mapping[str, ReaderOutage] = {
    "nobody listens": outage("unreachable", "unreachable"),
    "server error": outage("unreachable", "unreachable", Fault(500, "<h1>Internal Server Error</h1>")),
    "overload": outage("unreachable", "unreachable", Fault(503, "busy")),
    "rate limit": outage("rate_limited", "rate_limited", Fault(429, "slow down", {"retry-after": "7"})),
    "login": outage("auth_failed", "paywalled", Fault(401, "who are you?")),
    "payment": outage("quota_exhausted", "paywalled", Fault(402, "pay first")),
    "ban": outage("auth_failed blocked", "blocked", Fault(403, "no")),
    "reset": outage("unreachable", "unreachable", Fault(how="reset")),
    "hang": outage("timeout", "timeout", Fault(how="hang"), slow=True),
    "garbage": outage("bad_reply", "bad_reply unsupported_type", Fault(200, bytes(range(256)) * 8)),
    "broken compression": outage(
        "bad_reply", "bad_reply", Fault(200, b"not gzip at all", {"content-encoding": "gzip"}, "text/html")
    ),
    "circle": outage("bad_reply", "bad_reply", Fault(302, "", {"location": "/page"})),
}
"""What may happen to any reader. None of it may look like a page, an empty one included."""


async def read(case: ReaderCase, *, seconds: float = PATIENCE) -> Page:
    """Read as the engine does."""
    return await performed(case.reader, case.reader.read(case.address), seconds=seconds)


async def failure(case: ReaderCase, *, seconds: float = PATIENCE) -> ProviderError:
    """Read, and hand back the error that must come of it."""
    try:
        page = await read(case, seconds=seconds)
    except ProviderError as error:
        return error
    raise AssertionError(f"an error was expected, a page came: {page.outcome} {page.content[:80]!r}")


async def check_a_page_is_markdown_with_a_title(case: ReaderCase) -> None:
    """S3-5, S3-33: whoever reads it, a page has a title, a text without tags, and the address that was asked for."""
    page = await read(case)
    assert (page.success, page.outcome) == (True, "ok"), f"not a page: {page.outcome} {page.error}"
    assert page.title, "the page has no title"
    assert page.content.strip(), "the page has no text"
    assert not {"<p>", "<h1>", "</"} & set(page.content.split()), f"the text has tags: {page.content[:200]!r}"
    assert page.url == case.address, f"{page.url} was not asked for"
    assert page.reader == case.name, f"the page says it was read by {page.reader!r}"
    if case.local:
        assert page.title == "Tea", f"the title is {page.title!r}"
        assert "## Water" in page.content, f"the headings are lost: {page.content[:200]!r}"
        assert (page.final_url, page.status) == (case.address, 200), f"it ended at {page.final_url} with {page.status}"


async def check_it_introduces_itself(case: ReaderCase) -> None:
    """A reader has a name of its own and one for people."""
    assert case.name.isidentifier()
    assert traits(case.reader).label


async def check_what_is_private_is_refused_before_anybody_is_asked(case: ReaderCase) -> None:
    """S3-30: the engine's guard stands before every reader alike."""
    from seekread.client import Seekread

    async with Seekread(settings={"store": "memory:"}) as web:
        web.register(case.reader)
        for url in PRIVATE:
            page = await web.open_page(url, reader=case.name)
            assert (page.success, page.outcome, page.content) == (False, "refused", ""), url
            assert page.error
        for url in MISWRITTEN:
            page = await web.open_page(url, reader=case.name)
            assert (page.success, page.content, page.metadata["code"]) == (False, "", "invalid_argument"), url
            assert page.error
    assert case.server.received == []


async def check_an_outage_is_a_page_that_says_so(case: ReaderCase) -> None:
    """S3-28, S3-39: through the engine a failed read is a page without content, with the reason and what to do."""
    from seekread.client import Seekread

    case.server.fail(Fault(503, "busy"))
    async with Seekread(settings=case.settings) as web:
        web.register(case.reader)
        page = await web.open_page(case.address, reader=case.name)
    assert (page.success, page.outcome, page.content) == (False, "unreachable", "")
    assert page.error
    assert MEANINGS[page.outcome].advise()
    assert [(attempt.provider, attempt.outcome) for attempt in page.attempts] == [(case.name, "unreachable")]


async def check_the_next_reader_takes_over(case: ReaderCase) -> None:
    """S3-39: where another reader is configured, it reads the page, and the attempts tell."""
    from seekread.client import Seekread

    case.server.fail(Fault(503, "busy"))
    async with Seekread(settings=case.settings) as web:
        web.register(case.reader)
        web.register(Spare())
        page = await web.open_page(case.address, reader=[case.name, "spare"])
    assert (page.success, page.reader, page.content) == (True, "spare", Spare.text)
    assert [attempt.provider for attempt in page.attempts] == [case.name, "spare"]


async def check_the_key_never_shows(case: ReaderCase) -> None:
    """No representation, no error and no page of a failed read holds the key, even when the service repeats it."""
    if not case.key:
        return
    shown = repr(case.reader) + str(case.reader) + repr(case.reader.read(case.address))
    assert case.key not in shown
    for status in (400, 401, 429, 500):
        case.server.fail(Fault(status, {"error": f"api_key={case.key} is not welcome", "detail": case.key}))
        error = await failure(case)
        assert case.key not in "".join(traceback.format_exception(error)) + repr(error) + error.body


CHECKS: dict[str, Callable[[ReaderCase], Awaitable[None]]] = {
    name.removeprefix("check_").replace("_", " "): check
    for name, check in list(globals().items())
    if name.startswith("check_")
}
"""Every check by its name. Each wants a case of its own."""


async def check_outage(case: ReaderCase, name: str) -> None:
    """S3-28, S3-39: an outage becomes the right error; it is never a page."""
    tried = OUTAGES[name]
    if tried.fault is None:
        case.server.stop()
    else:
        case.server.fail(tried.fault)
    error = await failure(case, seconds=case.impatience if tried.slow else PATIENCE)
    wanted = tried.site if case.local else tried.service
    assert error.outcome in wanted, f"{name} is {error.outcome}, not {' or '.join(sorted(wanted))}: {error}"
    assert str(error), "an error without a word"
    assert not set(LEAKS) & set(str(error).split()), f"an error speaks of machinery: {error}"
    if name == "rate limit":
        assert error.retry_after == 7


LEAKS = ("Traceback", "site-packages", "net::ERR_FAILED", "playwright", "Page.goto:")
"""Words of libraries that mean nothing to whoever reads an error."""


@dataclass(frozen=True)
class Spare:
    """A reader in the contracts' own plain form, which always can."""

    name: str = "spare"
    text: str = "# Spare\n\nText of the spare reader."

    async def read_url(self, url: str) -> dict[str, Any]:
        return {"url": url, "title": "Spare", "content": self.text, "success": True}


def site() -> LoopbackServer:
    """A site with one article on every path, for readers that read by themselves."""

    def answer(_received: Received) -> Answer:
        return Answer(ARTICLE)

    return LoopbackServer(answer)


def on_site(make: Callable[[Any], ReadProvider], server: LoopbackServer, *, impatience: float) -> ReaderCase:
    """The case of a reader that reads by itself: it is given a guard that allows the site."""
    from seekread.http.guard import Guard, GuardPolicy

    guard = Guard(GuardPolicy(allow_private=(server.url.removeprefix("http://"),)))
    return ReaderCase(make(guard), server, f"{server.url}/page", local=True, impatience=impatience)
