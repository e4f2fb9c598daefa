"""
Fetching a page that a model chose, from a server that may be slow, rude, lying or hostile.

One absolute deadline covers names, connections, redirects and the body. Inside it:

1. **hop** The guard checks the URL, and each place a redirect leads to, at most five times; no place twice.
   Nothing of ours travels: no cookie, no credential, no referrer; unless the operator set headers for the very
   origin of the address, and only as long as no redirect has left it (`http/logins.py`).
2. **headers** They arrive within the first-byte limit, or not at all.
3. **status** What is not a page becomes an error that says why.
4. **body** Read and decoded in small steps with a cap on both sides of the decoder and a minimum rate.
   What a cap or a broken connection cuts off is missing, so the page is flagged.
5. **refresh** A `<meta http-equiv=refresh>` of at most five seconds counts as one more redirect, once.

Only gzip is asked for. Whoever sends another encoding is refused: its bombs are too cheap.
"""

import re
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import aclosing
from copy import copy
from dataclasses import field, replace
from datetime import UTC, datetime
from html import unescape
from io import BytesIO
from types import TracebackType
from typing import Self

import anyio
import anyio.lowlevel
import httpx2

from seekread.errors import BadReply, ProviderError, RateLimited, TimedOut, Unreachable, Unreadable
from seekread.extraction.sniff import HEAD_BYTES, WHOLE, DocumentKind, sniff
from seekread.http.guard import MAX_HOPS, Guard
from seekread.http.logins import PageLogins, origin_of
from seekread.http.pinned import page_transport
from seekread.http.target import Target
from seekread.late import dataclass
from seekread.outcomes import Outcome
from seekread.ports import Clock, Store
from seekread.provider import retry_after
from seekread.readers.builtin.gunzip import BadGzip, Gunzip, Identity
from seekread.readers.builtin.robots import Robots
from seekread.version import user_agent as our_name

ACCEPT = (
    "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, application/pdf;q=0.8, text/plain;q=0.8, "
    "application/json;q=0.7, application/xml;q=0.7, */*;q=0.5"
)
NO_LOGINS = PageLogins()
REDIRECTS = frozenset({301, 302, 303, 307, 308})
NO_BODY = frozenset({204, 205, 304})
MAX_RETRY_AFTER = 3600.0
"""Seconds: nobody waits longer for a site that asks for it."""
MAX_PIECES = 20_000
"""Pieces a body may arrive in: ten megabytes in chunks of 512 bytes. Smaller ones cost more than they bring."""
TURN = 0.005
"""Seconds of work after which others get their turn on the event loop."""
REFRESH_BYTES = 16_384
REFRESH_SECONDS = 5.0

# What a status says about a page; the rest of 4xx and 5xx is handled by its class.
STATUS: dict[int, tuple[Outcome, str]] = {
    401: ("paywalled", "asks for a login"),
    402: ("paywalled", "asks for payment"),
    403: ("blocked", "refuses access"),
    404: ("not_found", "has no such page"),
    407: ("blocked", "asks for a proxy login"),
    410: ("not_found", "has removed the page"),
    451: ("blocked", "may not show the page for legal reasons"),
}

META = re.compile(rb"<meta\s[^>]{0,2000}>", re.IGNORECASE)
IS_REFRESH = re.compile(rb"http-equiv\s*=\s*[\"']?\s*refresh", re.IGNORECASE)
CONTENT = re.compile(rb"content\s*=\s*(?:\"([^\"]{0,1500})\"|'([^']{0,1500})'|([^\s>]{1,1500}))", re.IGNORECASE)
REFRESH = re.compile(r"\s*(\d{1,4}(?:\.\d{0,3})?|\.\d{1,3})\s*[;,\s]\s*(?:url\s*=\s*)?(.+)", re.IGNORECASE | re.DOTALL)
COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)


Turn = Callable[[str], Awaitable[None]]
"""Waits until a site may be asked."""


async def at_once(_site: str) -> None:
    """Nobody has to wait."""


@dataclass(frozen=True)
class FetchLimits:
    """What one page may cost. Bytes on the wire are counted before decoding."""

    seconds: float = 20.0
    first_byte_seconds: float = 10.0
    grace_seconds: float = 5.0
    bytes_per_second: float = 2048
    wire_bytes: int = 10_000_000
    decoded_bytes: int = 20_000_000
    hops: int = MAX_HOPS


@dataclass(frozen=True)
class Fetched:
    """
    A document as it came, decoded from gzip.

    `hops` are the addresses that redirected; `flags` name what a careful reader should know
    (`truncated`, `too-large`, `https-to-http`, `meta-refresh`, `identity-retry`).
    """

    url: str
    final_url: str
    status: int
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)
    content_type: str = ""
    truncated: bool = False
    hops: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    etag: str | None = None
    last_modified: str | None = None
    fetched_at: str = ""


@dataclass(frozen=True)
class Arrived:
    """One answer of one server: a place to go on to, or a body."""

    status: int
    headers: Mapping[str, str]
    location: str | None = None
    body: bytes = b""
    flags: tuple[str, ...] = ()


class Fetcher:
    """Fetches pages through the guard. One instance serves any number of pages at once."""

    def __init__(
        self,
        guard: Guard,
        transport: httpx2.AsyncBaseTransport | None = None,
        *,
        limits: FetchLimits | None = None,
        user_agent: str | None = None,
        respect_robots: bool = False,
        sheets: bool = False,
        logins: PageLogins = NO_LOGINS,
        clock: Clock | None = None,
        store: Store | None = None,
        turn: Turn = at_once,
    ) -> None:
        """
        store: where the rules of sites are kept for everybody who shares it
        turn: waits before each request to a site
        """
        self.guard = guard
        self.limits = limits or FetchLimits()
        self.user_agent = user_agent or our_name()
        self.sheets = sheets
        """Whether the style sheets of a page are wanted with it."""
        self.logins = logins
        self._transport = transport
        self._now = clock.time if clock else time.time
        self._turn = turn
        self._sniffs = True
        self._robots = Robots(self.user_agent, self._robots_txt, self._now, store=store) if respect_robots else None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def of_any_kind(self) -> Self:
        """The same for files that are not read as text: nobody looks at their first bytes."""
        other = copy(self)
        other._sniffs = False  # noqa: SLF001 - a copy of ourselves
        return other

    async def close(self) -> None:
        """Close connections."""
        if self._transport is not None:
            await self._transport.aclose()

    async def fetch(
        self, url: str, *, seconds: float | None = None, etag: str | None = None, last_modified: str | None = None
    ) -> Fetched:
        """
        Fetch a page.

        With a validator of an earlier fetch the answer may be a `Fetched` of status 304 without a body.
        Raises `Refused` when the guard says no, and a `ProviderError` when there is no page to be had.
        """
        seconds = self.limits.seconds if seconds is None else seconds
        validators = {"if-none-match": etag, "if-modified-since": last_modified}
        try:
            with anyio.fail_after(seconds):
                return await self._follow(url, {name: value for name, value in validators.items() if value})
        except TimeoutError:
            raise TimedOut(f"the page did not arrive within {seconds:.3g} s") from None

    async def crawl_delay(self, target: Target) -> float:
        """Seconds between two requests that a site asks for in its robots.txt, where that is honoured."""
        return await self._robots.delay(target) if self._robots else 0.0

    async def named_sitemaps(self, target: Target) -> list[str]:
        """The sitemaps that a site names in its robots.txt, where that is read."""
        return await self._robots.sitemaps(target) if self._robots else []

    async def _follow(self, url: str, validators: Mapping[str, str]) -> Fetched:
        """Go from place to place until a page arrives."""
        target = self.guard.check(url)
        origin, login = origin_of(target), self.logins.headers_for(target)
        places = [address_of(target)]
        flags: list[str] = []
        while True:
            if self._robots is not None:
                await self._robots.check(target)
            # Once a redirect has led elsewhere, what follows is somebody else's wish.
            login = login if origin_of(target) == origin else {}
            arrived = await self._get(target, {**validators, **login})
            onward, refreshed = arrived.location, False
            if onward is None and "meta-refresh" not in flags:
                onward = refresh_of(arrived)
                refreshed = onward is not None
            flags += arrived.flags
            following = self._next(target, onward) if onward is not None else None
            # A page that refreshes itself is simply a page.
            if following is None or (refreshed and address_of(following) in places):
                return self._fetched(url, target, arrived, places[:-1], flags)
            if refreshed:
                flags.append("meta-refresh")
            if target.scheme == "https" and following.scheme == "http":
                flags.append("https-to-http")
            if address_of(following) in places:
                raise BadReply(f"{target.host} redirects in a circle", status=arrived.status)
            if len(places) > self.limits.hops:
                raise BadReply(f"the page redirects more than {self.limits.hops} times", status=arrived.status)
            places.append(address_of(following))
            target = following

    def _next(self, current: Target, location: str) -> Target:
        # Browsers encode spaces in a Location; in a host the percent sign makes the guard refuse.
        return self.guard.hop(current, location.strip().replace(" ", "%20"))

    def _fetched(self, url: str, target: Target, arrived: Arrived, hops: list[str], flags: list[str]) -> Fetched:
        return Fetched(
            url=url,
            final_url=address_of(target),
            status=arrived.status,
            headers=arrived.headers,
            body=arrived.body,
            content_type=arrived.headers.get("content-type", ""),
            truncated="truncated" in arrived.flags,
            hops=tuple(hops),
            flags=tuple(dict.fromkeys(flags)),
            etag=arrived.headers.get("etag"),
            last_modified=arrived.headers.get("last-modified"),
            fetched_at=datetime.fromtimestamp(self._now(), UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        )

    async def _get(self, target: Target, validators: Mapping[str, str]) -> Arrived:
        """Ask one server, and once more without compression when its gzip is broken."""
        try:
            return await self._exchange(target, {**validators, "accept-encoding": "gzip"})
        except BadGzip:
            pass
        try:
            arrived = await self._exchange(target, {**validators, "accept-encoding": "identity"})
        except BadGzip:
            raise BadReply(f"the compression of the page at {target.host} is broken") from None
        return replace(arrived, flags=(*arrived.flags, "identity-retry"))

    async def _exchange(self, target: Target, headers: Mapping[str, str]) -> Arrived:
        response = await self._send(target, headers)
        try:
            found = lower_case(response)
            location = response.headers.get("location")
            if response.status_code in REDIRECTS and location:
                return Arrived(response.status_code, found, location=location)
            raise_for_status(response.status_code, found, target.host, self._now())
            if response.status_code == 304 and not {"if-none-match", "if-modified-since"} & set(headers):
                raise BadReply(f"{target.host} answered 304 to a question that was not asked", status=304)
            if response.status_code in NO_BODY:
                return Arrived(response.status_code, found)
            body, flags = await Body(response, found, self.limits, sniffs=self._sniffs).read()
            return Arrived(response.status_code, found, body=body, flags=flags)
        finally:
            with anyio.CancelScope(shield=True):
                await response.aclose()

    async def _send(self, target: Target, headers: Mapping[str, str]) -> httpx2.Response:
        """Send a request and wait for the headers."""
        if self._transport is None:
            self._transport = page_transport(self.guard)
        request = httpx2.Request(
            "GET",
            address_of(target),
            headers={
                "accept": ACCEPT,
                "accept-language": "*",
                "user-agent": self.user_agent,
                # What a server sends after its answer must not become the answer to the next request.
                "connection": "close",
                **headers,
            },
        )
        await self._turn(target.authority)
        try:
            with anyio.fail_after(self.limits.first_byte_seconds):
                response = await self._transport.handle_async_request(request)
        except (TimeoutError, httpx2.TimeoutException):
            seconds = self.limits.first_byte_seconds
            raise TimedOut(f"{target.host} did not begin to answer within {seconds:.3g} s") from None
        except httpx2.TransportError as error:
            raise translated(error, target.host, proxied=self.guard.policy.proxy is not None) from None
        response.request = request
        return response

    async def _robots_txt(self, url: str) -> tuple[int, bytes]:
        """The status and the text of a robots.txt, for `Robots`."""
        target = self.guard.check(url)
        for _ in range(self.limits.hops):
            try:
                arrived = await self._get(target, {})
            except (Unreadable, BadReply) as error:
                return error.status or 404, b""
            if arrived.location is None:
                return arrived.status, arrived.body
            target = self._next(target, arrived.location)
        return 404, b""


class Body:
    """The body of one response while it arrives."""

    def __init__(
        self, response: httpx2.Response, headers: Mapping[str, str], limits: FetchLimits, *, sniffs: bool = True
    ) -> None:
        self.sniffs = sniffs
        self.response = response
        self.headers = headers
        self.limits = limits
        self.decoder = decoder_for(headers.get("content-encoding", ""))
        # Its value is handed out without another copy.
        self.buffer = BytesIO()
        self.flags: dict[str, None] = {}
        self.kind: DocumentKind | None = None
        self.size = 0
        self._worked_since = 0.0

    async def read(self) -> tuple[bytes, tuple[str, ...]]:
        """Read until the end, a limit or a fault; what arrived before a fault is kept and flagged."""
        started = anyio.current_time()
        with anyio.CancelScope(deadline=started + self.limits.grace_seconds) as pace:
            try:
                await self._receive(pace, started)
            except httpx2.TransportError as error:
                if not self.size:
                    raise translated(error, "the server") from None
                self._cut("truncated")
        if pace.cancelled_caught:
            raise TimedOut(f"the server sent less than {self.limits.bytes_per_second:.0f} bytes per second")
        if not self.decoder.complete:
            self._cut("truncated")
        self._judge()
        return self.buffer.getvalue(), tuple(self.flags)

    async def _receive(self, pace: anyio.CancelScope, started: float) -> None:
        wire = pieces = 0
        self._worked_since = time.perf_counter()
        async with aclosing(self.response.aiter_raw()) as chunks:
            async for chunk in chunks:
                wire += len(chunk)
                pieces += 1
                for part in self.decoder.feed(chunk):
                    await self._keep(part)
                    if "too-large" in self.flags:
                        return
                if wire >= self.limits.wire_bytes or pieces > MAX_PIECES:
                    self._cut("too-large")
                    return
                await self._take_turns()
                pace.deadline = started + max(self.limits.grace_seconds, wire / self.limits.bytes_per_second)

    async def _keep(self, part: bytes) -> None:
        room = self.limits.decoded_bytes - self.size
        self.buffer.write(part[:room])
        self.size += min(len(part), room)
        if len(part) > room:
            self._cut("too-large")
        elif self.kind is None and self.size >= HEAD_BYTES:
            self._judge()
        await self._take_turns()

    async def _take_turns(self) -> None:
        """Let others run after some milliseconds of work; a deadline that has passed ends the work here."""
        now = time.perf_counter()
        if now - self._worked_since > TURN:
            await anyio.lowlevel.checkpoint()
            self._worked_since = time.perf_counter()

    def _judge(self) -> None:
        """Look at the first bytes: a type that cannot be read need not be downloaded."""
        if self.sniffs and self.kind is None and self.size:
            self.kind = sniff(self.buffer.getbuffer()[:HEAD_BYTES].tobytes(), self.headers.get("content-type", ""))
            announced = self.headers.get("content-length", "")
            if self.kind in WHOLE and announced.isdecimal() and int(announced[:20]) > self.limits.wire_bytes:
                self._cut("too-large")

    def _cut(self, flag: str) -> None:
        """Note that the body is not whole. Half a PDF is no PDF; half a page is still a page."""
        self.flags |= {flag: None, "truncated": None}
        if self.kind in WHOLE:
            limit = self.limits.wire_bytes // 1_000_000
            reason = f"it is larger than {limit} MB" if flag == "too-large" else "the connection broke before its end"
            raise Unreadable(
                "too_large" if flag == "too-large" else "bad_reply", f"the {WHOLE[self.kind]} was not read: {reason}"
            )


def decoder_for(encoding: str) -> Gunzip | Identity:
    """The decoder for a `Content-Encoding`; what was not asked for is refused."""
    names = [name for name in (part.strip().lower() for part in encoding.split(",")) if name not in {"", "identity"}]
    if not names:
        return Identity()
    if names in (["gzip"], ["x-gzip"]):
        return Gunzip()
    raise BadReply(f"the page is encoded as {encoding[:60]!r}, and only gzip was asked for")


def address_of(target: Target) -> str:
    """The URL of a target without its fragment, which no server ever sees."""
    return target.url.partition("#")[0]


def lower_case(response: httpx2.Response) -> dict[str, str]:
    """Headers by their names in lower case; repeated ones are joined."""
    found: dict[str, str] = {}
    for name, value in response.headers.multi_items():
        found[name.lower()] = f"{found[name.lower()]}, {value}" if name.lower() in found else value
    return found


def translated(error: httpx2.TransportError, host: str, *, proxied: bool = False) -> ProviderError:
    """An error of the connection in our words; its own text may hold an address and is left out."""
    if isinstance(error, httpx2.ProtocolError):
        silent = "without sending a response" in str(error)
        return Unreachable(f"{host} hung up without an answer") if silent else BadReply(f"{host} does not speak HTTP")
    if "certificate" in str(error).lower():
        hint = "; if the proxy signs with an authority of its own, name its file in page_ca_file" if proxied else ""
        return Unreachable(f"the TLS certificate of {host} is not valid{hint}")
    if isinstance(error, httpx2.ConnectError):
        # Sentences of the guarded transport name the host and never its address; others are not passed on.
        return Unreachable(str(error) if host in str(error) else f"could not connect to {host}")
    return Unreachable(f"the connection to {host} broke")


def raise_for_status(status: int, headers: Mapping[str, str], host: str, now: float) -> None:
    """Raise the error that a status stands for."""
    if 200 <= status < 300 or status == 304:
        return
    wait = retry_after(headers.get("retry-after", ""), now, MAX_RETRY_AFTER)
    if headers.get("cf-mitigated") == "challenge":
        raise Unreadable("blocked", f"{host} answers with a challenge page", status=status)
    if status == 429:
        raise RateLimited(f"{host} asks to slow down", status=status, retry_after=wait)
    if status in STATUS:
        outcome, what = STATUS[status]
        raise Unreadable(outcome, f"{host} {what} (HTTP {status})", status=status)
    if status == 408:
        raise TimedOut(f"{host} gave up waiting (HTTP 408)", status=status)
    if status >= 500:
        raise Unreachable(f"{host} failed (HTTP {status})", status=status, retry_after=wait)
    raise BadReply(f"{host} answered HTTP {status}", status=status)


def refresh_of(arrived: Arrived) -> str | None:
    """Where a page sends its reader within five seconds, by header or by a `<meta>` near its beginning."""
    if "refresh" in arrived.headers:
        return refresh_target(arrived.headers["refresh"])
    head = arrived.body[:REFRESH_BYTES]
    if b"efresh" not in head and b"EFRESH" not in head:
        return None
    if sniff(head, arrived.headers.get("content-type", "")) != "html":
        # A text about refreshes is not one.
        return None
    for meta in META.finditer(COMMENT.sub(b"", head)):
        content = CONTENT.search(meta[0]) if IS_REFRESH.search(meta[0]) else None
        if content:
            value = next(group for group in content.groups() if group is not None)
            return refresh_target(unescape(value.decode("utf-8", "replace")))
    return None


def refresh_target(value: str) -> str | None:
    """The address in a refresh such as `0; url=/next`, unless it waits too long or only reloads the page."""
    match = REFRESH.match(value[:2000])
    if match is None or float(match[1]) > REFRESH_SECONDS:
        return None
    return match[2].strip().strip("\"'").strip() or None
