"""
One visit of a page in a browser: where it leads, what is let through, and what it shows in the end.

The last document decides. Redirects, refreshes and scripts may lead on; whatever is asked for in between, the visit
ends at one document, whose address, status and text belong together, or at the reason why there is none.
"""

import re
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import field
from typing import TYPE_CHECKING

import anyio

from seekread.errors import BadReply, ProviderError, Refused, TimedOut, Unreachable, Unreadable
from seekread.extraction.sniff import media_type_of
from seekread.hostnames import host_of
from seekread.http.guard import Guard
from seekread.http.proxy import MAX_REFUSALS, GuardedProxy
from seekread.late import dataclass
from seekread.models import Signal
from seekread.readers.browser.process import PageLost
from seekread.readers.browser.rendered import RenderedDocument, copy_document, shown_characters
from seekread.readers.builtin.fetch import NO_BODY, raise_for_status

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, CDPSession, Request, Response, Route
    from playwright.async_api import Page as BrowserPage

UNREAD = frozenset({"image", "media", "font", "texttrack", "manifest", "ping", "cspviolationreport"})
"""Kinds of resources that bring no text."""
HTML = frozenset({"", "text/html", "application/xhtml+xml"})
MAX_BODY = 20_000_000
PAUSE = 0.1
"""Seconds between two looks at a page that shows nothing yet."""
COPIES = 5
"""Attempts at copying a document that goes on to another meanwhile."""

DOWNLOADS = "the address starts a download instead of showing a page"

NET_ERROR = re.compile(r"net::(ERR_[A-Z0-9_]+)")
NETWORK: tuple[tuple[str, type[ProviderError], str], ...] = (
    ("ERR_CERT_", Unreachable, "the TLS certificate of {host} is not valid"),
    ("ERR_SSL_", Unreachable, "no encrypted connection to {host} could be made"),
    ("ERR_TUNNEL_CONNECTION_FAILED", Unreachable, "could not connect to {host}"),
    ("ERR_TOO_MANY_REDIRECTS", BadReply, "{host} redirects in a circle"),
    ("ERR_UNSAFE_REDIRECT", BadReply, "{host} redirects to what is no page of the web"),
    ("ERR_UNKNOWN_URL_SCHEME", BadReply, "{host} redirects to what is no page of the web"),
    ("ERR_TIMED_OUT", TimedOut, "{host} did not answer in time"),
    ("ERR_CONNECTION_TIMED_OUT", TimedOut, "{host} did not answer in time"),
    ("ERR_EMPTY_RESPONSE", Unreachable, "{host} hung up without an answer"),
    ("ERR_CONNECTION_", Unreachable, "the connection to {host} broke"),
    ("ERR_CONTENT_", BadReply, "the page of {host} arrived damaged"),
    ("ERR_INVALID_", BadReply, "{host} does not speak HTTP"),
    ("ERR_HTTP2_", BadReply, "{host} does not speak HTTP"),
    ("ERR_RESPONSE_HEADERS_", BadReply, "{host} does not speak HTTP"),
    ("ERR_", Unreachable, "the page of {host} could not be loaded ({code})"),
)
"""What Chromium calls a failure, what it is to us, and how it is told."""


@dataclass(frozen=True)
class Shown:
    """The last document a visit ended at."""

    url: str
    status: int
    content_type: str
    body: bytes = field(repr=False)
    signals: tuple[Signal, ...] = ()
    rendered: bool = False
    """Whether the body is our own copy of what the page shows, with marks for what it does not."""


class Visit:
    """One page, from its address to what it shows."""

    def __init__(self, guard: Guard, proxy: GuardedProxy, context: "BrowserContext", url: str) -> None:
        self.guard = guard
        self.proxy = proxy
        self.context = context
        self.url = url
        self.page: BrowserPage | None = None
        self.document: Response | None = None
        self.failure = ""
        """Chromium's word for it when the last document could not be loaded."""
        self.asked = url
        """The address of the last document that was asked for."""
        self.downloads = False
        self.loading = anyio.CancelScope()
        """Left as soon as a document fails: one that breaks off is never loaded, and Playwright would wait for ever."""
        self.living = anyio.CancelScope()
        """Left when the process of the page ends: Playwright would wait for ever for a page that is no more."""
        self.refusals: list[Refused] = []

    async def show(self, wait_seconds: float) -> Shown:
        """Go there, wait until the page is ready, and take what it shows."""
        await self.context.route("**/*", self._decide)
        page = self.page = await self.context.new_page()
        page.on("crash", self._crashed)
        with self.living:
            return await self._show(page, wait_seconds)
        raise PageLost

    async def _show(self, page: "BrowserPage", wait_seconds: float) -> Shown:
        page.on("request", self._begun)
        page.on("response", self._answered)
        page.on("requestfailed", self._failed)
        page.on("download", self._downloading)
        session = await self.context.new_cdp_session(page)
        with self.loading:
            await self._go(page)
            if self._is_page():
                with anyio.move_on_after(wait_seconds):
                    await self._settle(page, session)
        if self.document is not None and self.document.status in NO_BODY:
            return Shown(self.document.url, self.document.status, "", b"")
        document = self._judge()
        if not self._is_page():
            return await self._as_sent(document)
        content = await self._copy(page, session)
        document = self._judge()
        return Shown(
            content.url if content.url.startswith(("http:", "https:")) else document.url,
            document.status,
            "text/html; charset=utf-8",
            content.html.encode("utf-8", "replace"),
            (*content.signals, *about_refusals([*self.refusals, *self.proxy.refusals])),
            rendered=True,
        )

    def _is_page(self) -> bool:
        """Whether the document is one that Chromium renders."""
        return (
            self.document is not None
            and self.document.status not in NO_BODY
            and media_type_of(self.document.headers.get("content-type", "")) in HTML
        )

    async def _go(self, page: "BrowserPage") -> None:
        """Ask for the document. What Chromium says about a failure is kept for the judgement."""
        from playwright.async_api import Error

        try:
            await page.goto(self.url, wait_until="commit", timeout=0)
        except Error as error:
            if self.downloads or "Download is starting" in str(error):
                raise Unreadable("unsupported_type", DOWNLOADS) from None
            found = NET_ERROR.search(str(error))
            if found is None and "interrupted by another navigation" not in str(error):
                raise
            if found and found[1] != "ERR_ABORTED":
                self.failure = self.failure or found[1]
            elif self.document is None:
                # Given up without an answer, the address is one for another program.
                self.failure = "ERR_UNKNOWN_URL_SCHEME"
            # Given up with one, another document took its place, or there is none (a 204).

    async def _settle(self, page: "BrowserPage", session: "CDPSession") -> None:
        """Wait until the network is silent and the page shows text."""
        from playwright.async_api import Error

        while True:
            try:
                await page.wait_for_load_state("networkidle", timeout=0)
                if await shown_characters(session):
                    return
            except Error:
                # The page goes on to another, which is waited for in its turn.
                if page.is_closed():
                    raise
            await anyio.sleep(PAUSE)

    def _judge(self) -> "Response":
        """The document the visit is at, or the error that it is."""
        host = host_of(self.asked) or "the server"
        if self.failure or self.document is None:
            raise refusal_of(self.guard, self.proxy, self.asked) or network_error(self.failure or "ERR_FAILED", host)
        headers = self.document.headers
        if "x-seekread-refused" in headers and (refusal := refusal_of(self.guard, self.proxy, self.asked)):
            raise refusal
        raise_for_status(self.document.status, headers, host, time.time())
        return self.document

    async def _copy(self, page: "BrowserPage", session: "CDPSession") -> RenderedDocument:
        """Copy the document; if another takes its place meanwhile, copy that."""
        from playwright.async_api import Error

        for _ in range(COPIES):
            before = self.document
            try:
                copied = await copy_document(session)
            except Error:
                await page.wait_for_load_state("domcontentloaded", timeout=0)
            else:
                if self.document is before:
                    return copied
        raise BadReply("the page does not stay long enough to be read")

    async def _as_sent(self, document: "Response") -> Shown:
        """A document that is no page: its bytes say more than Chromium's way to show them."""
        from playwright.async_api import Error

        try:
            body = await document.body()
        except Error:
            raise BadReply("the browser did not keep the document", status=document.status) from None
        if len(body) > MAX_BODY:
            raise Unreadable("too_large", "the document is larger than the limit", status=document.status)
        return Shown(document.url, document.status, document.headers.get("content-type", ""), body)

    async def _decide(self, route: "Route") -> None:
        """Leave out what brings no text, and what the guard refuses at first sight; the proxy refuses the rest."""
        from playwright.async_api import Error

        request = route.request
        try:
            if request.url.startswith(("http:", "https:")):
                self.guard.check(request.url)
        except Refused as refused:
            if len(self.refusals) < MAX_REFUSALS:
                self.refusals.append(refused)
            unwanted = True
        else:
            unwanted = request.resource_type in UNREAD or self._is_of_another_window(request)
        # The page may be gone by now.
        with suppress(Error):
            await (route.abort("blockedbyclient") if unwanted else route.continue_())

    def _is_of_another_window(self, request: "Request") -> bool:
        """Whether a window that the page opened asks for a document, which nobody would read."""
        from playwright.async_api import Error

        try:
            return request.is_navigation_request() and request.frame.page is not self.page
        except Error:
            # A window so new that no frame of it is known; the page's own was there before it was sent anywhere.
            return True

    def _begun(self, request: "Request") -> None:
        if is_document(request):
            self.asked = request.url

    def _answered(self, response: "Response") -> None:
        if is_document(response.request):
            self.document, self.failure = response, ""

    def _failed(self, request: "Request") -> None:
        if is_document(request) and (found := NET_ERROR.search(request.failure or "")) and found[1] != "ERR_ABORTED":
            self.failure = found[1]
            self.loading.cancel()

    def _downloading(self, _download: object) -> None:
        self.downloads = True

    def _crashed(self, _page: object) -> None:
        self.living.cancel()


def is_document(request: "Request") -> bool:
    """Whether a request is for the document of the page itself, not of a frame in it."""
    from playwright.async_api import Error

    try:
        return request.is_navigation_request() and request.frame.parent_frame is None
    except Error:
        # So early that no frame is known yet, it is the page's own.
        return True


def refusal_of(guard: Guard, proxy: GuardedProxy, url: str) -> Refused | None:
    """What the guard said about a document, if it refused it, here or in the proxy."""
    try:
        target = guard.check(url)
    except Refused as refused:
        return refused
    # A refusal names the host and port that a setting would open, or the host alone when none would.
    named = (f'"{target.endpoint}"', f" {target.host} ")
    return next((refused for refused in reversed(proxy.refusals) if any(name in str(refused) for name in named)), None)


def about_refusals(refused: Sequence[Refused]) -> tuple[Signal, ...]:
    """What a careful reader should know: parts of the page were refused, so it may not be whole."""
    if not refused:
        return ()
    codes = ", ".join(sorted({refusal.code for refusal in refused}))
    return (Signal(kind="requests-refused", count=len(refused), detail=f"the guard refused them: {codes}"),)


def network_error(code: str, host: str) -> ProviderError:
    """A failure of Chromium's in our words; its own text holds addresses and is left out."""
    kind, words = next((kind, words) for start, kind, words in NETWORK if code.startswith(start))
    return kind(words.format(host=host, code=code))
