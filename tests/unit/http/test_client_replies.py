"""What the client for services takes for a reply: strict about where one ends, bounded in what it keeps."""

import asyncio
import gc
import gzip
import socket
import struct
import zlib
from collections.abc import Callable
from contextlib import suppress

import pytest

from seekread.errors import BadReply, Unreachable
from seekread.http.client import ServiceClient
from seekread.http.wire import ReplyParser
from seekread.provider import Reply, Request
from tests.support.raw_service import Line, RawService, answering, closing_after, reply

CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"transfer-encoding: chunked\r\n\r\n"


def sent(client: ServiceClient, url: str, times: int = 1) -> list[Reply]:
    """The replies to requests one after another."""

    async def run() -> list[Reply]:
        try:
            return [await client.send(Request("GET", url), seconds=20) for _ in range(times)]
        finally:
            await client.close()

    return asyncio.run(run())


@pytest.fixture(params=["direct", "through a proxy"])
def ask(request: pytest.FixtureRequest) -> Callable[..., Reply]:
    """Ask a service written byte by byte, or one behind a proxy written so: the same must hold."""

    def asked(serve: Callable[[Line], None], **options: int) -> Reply:
        with RawService(serve) as service:
            if request.param == "direct":
                return sent(ServiceClient(proxies={}, **options), service.url)[0]  # type: ignore[arg-type]
            return sent(ServiceClient(proxy=service.url, **options), "http://service.example/")[0]  # type: ignore[arg-type]

    return asked


Ask = Callable[..., Reply]


@pytest.mark.parametrize(
    ("parts", "body"),
    [
        ((reply(b"whole"),), b"whole"),
        ((b"HTTP/1.1 200\r\ncontent-length: 2\r\n\r\nok",), b"ok"),
        ((b"HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok",), b"ok"),
        ((*(bytes([byte]) for byte in reply(b"dripped")),), b"dripped"),
        ((CHUNKED + b"5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n",), b"hello world"),
        ((CHUNKED, b"5;name=value\r\nhel", b"lo\r\n0\r\nx-trailer: late\r\n\r\n"), b"hello"),
        ((OK + b"content-length: 0\r\n\r\n",), b""),
        ((b"HTTP/1.1 204 No Content\r\n\r\n",), b""),
        ((b"HTTP/1.1 304 Not Modified\r\ncontent-length: 5\r\n\r\n",), b""),
        ((CONTINUE, b"HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n", reply(b"after")), b"after"),
    ],
)
def test_a_reply_ends_where_its_head_says(ask: Ask, parts: tuple[bytes, ...], body: bytes) -> None:
    assert ask(answering(*parts)).body == body


def test_a_body_without_a_length_ends_with_the_connection(ask: Ask) -> None:
    assert ask(closing_after(OK + b"\r\nall ", b"there is")).body == b"all there is"


def test_a_body_without_a_length_is_not_whole_when_the_connection_breaks(ask: Ask) -> None:
    def serve(line: Line) -> None:
        line.request()
        line.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        line.send(OK + b"\r\nnot all")

    with pytest.raises(Unreachable):
        ask(serve)


def test_fields_are_lower_case_and_trailers_are_not_among_them(ask: Ask) -> None:
    headers = ask(
        answering(OK + b"X-One: 1\r\nx-one: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nx-late: 3\r\n\r\n")
    ).headers
    assert headers["x-one"] == "1, 2"
    assert "x-late" not in headers


@pytest.mark.parametrize("status", [b"301 Moved", b"302 Found", b"307 Temporary Redirect"])
def test_redirects_are_not_followed_so_a_key_does_not_travel(ask: Ask, status: bytes) -> None:
    moved = reply(b"", b"location: http://127.0.0.1:9/elsewhere", status=status)
    assert ask(answering(moved)).status == int(status[:3])


@pytest.mark.parametrize(
    "parts",
    [
        (reply(b"whole")[:-2],),
        (CHUNKED + b"20\r\n" + b"x" * 32 + b"\r\nZZ",),
        (CHUNKED + b"5\r\nhello\r\n",),
        (OK + b"content-length: 2\r\n",),
        (),
    ],
)
def test_a_reply_that_is_cut_short_is_a_broken_connection(ask: Ask, parts: tuple[bytes, ...]) -> None:
    with pytest.raises(Unreachable) as caught:
        ask(closing_after(*parts))
    assert caught.value.sent is True


@pytest.mark.parametrize(
    "bytes_sent",
    [
        b"\x16\x03\x01\x00 hello\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.6\r\n\r\n",
        b"<html>hello</html>\r\n\r\n",
        OK + b"content-length: 2\r\ncontent-length: 3\r\n\r\nok!",
        OK + b"content-length: +2\r\n\r\nok",
        OK + b"content-length: 2, 3\r\n\r\nok",
        OK + b"content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
        OK + b"transfer-encoding: gzip\r\n\r\nok",
        OK + b"transfer-encoding: chunked, gzip\r\n\r\nok",
        OK + b"transfer-encoding: xchunked\r\n\r\nok",
        OK + b"x-folded: a\r\n b\r\ncontent-length: 2\r\n\r\nok",
        OK + b"content-length : 2\r\n\r\nok",
        OK + b"no colon\r\ncontent-length: 2\r\n\r\nok",
        OK + b"x: a\x00b\r\ncontent-length: 2\r\n\r\nok",
        OK + b"x: a\rcontent-length: 2\r\n\r\nok",
        b"HTTP/2.0 200 OK\r\ncontent-length: 2\r\n\r\nok",
        b"HTTP/1.1 2000 OK\r\ncontent-length: 2\r\n\r\nok",
        b"HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n",
        CHUNKED + b"0x2\r\nok\r\n0\r\n\r\n",
        CHUNKED + b"fffffffffffffffff\r\nok\r\n0\r\n\r\n",
        CHUNKED + b"2\r\nokay\r\n0\r\n\r\n",
    ],
)
def test_what_readers_of_http_could_take_differently_is_no_reply(bytes_sent: bytes) -> None:
    """Two readers that disagree on where a reply ends are how one is smuggled into the place of another."""
    with RawService(closing_after(bytes_sent)) as service, pytest.raises(Unreachable) as caught:
        sent(ServiceClient(proxies={}), service.url)
    assert "SSH" not in str(caught.value)


def test_what_comes_after_a_reply_is_never_the_answer_to_the_next_request() -> None:
    """A second reply nobody asked for ends the connection; the next request gets one of its own."""
    numbers = iter(range(10))

    def serve(line: Line) -> None:
        while line.request():
            line.send(reply(b"%d" % next(numbers)) + reply(b"smuggled"))

    with RawService(serve) as service:
        assert [answer.body for answer in sent(ServiceClient(proxies={}), service.url, 3)] == [b"0", b"1", b"2"]
        assert service.connections == 3


def flood(start: bytes, piece: bytes) -> Callable[[Line], None]:
    """A service that never comes to the end of its head."""

    def serve(line: Line) -> None:
        line.request()
        line.send(start)
        while True:
            line.send(piece)

    return serve


@pytest.mark.parametrize(
    "serve",
    [
        answering(CONTINUE * 20_000 + reply()),
        flood(b"", CONTINUE * 1000),
        answering(OK + b"a: b\r\n" * 16_000 + b"content-length: 2\r\n\r\n{}"),
        answering(OK + b"a: " + b"b" * 5_000_000 + b"\r\ncontent-length: 2\r\n\r\n{}"),
        flood(OK, b"x-endless: line\r\n" * 1000),
        flood(OK + b"x-endless: ", b"line" * 10_000),
        flood(OK, b"x" * 10_000),
        flood(b"HTTP/1.1 200 ", b"fine" * 10_000),
        flood(b"", b"\r\n" * 10_000),
        flood(CHUNKED + b"5\r\nhello\r\n0\r\nx-trailer: ", b"late" * 10_000),
        flood(CHUNKED + b"5\r\nhello\r\n0\r\n", b"x-trailer: late\r\n" * 1000),
        flood(CHUNKED + b"5;", b"extension=1;" * 10_000),
    ],
    ids=[
        "20,000 interim answers",
        "endless interim answers",
        "16,000 fields",
        "a field of 5 MB",
        "endless fields",
        "an endless value",
        "an endless name",
        "an endless status line",
        "endless blank lines",
        "an endless trailer",
        "endless trailers",
        "an endless chunk extension",
    ],
)
def test_a_head_that_does_not_end_is_refused(ask: Ask, serve: Callable[[Line], None]) -> None:
    with pytest.raises(Unreachable):
        ask(serve)


def compressed(body: bytes, encoding: str) -> bytes:
    raw = zlib.compressobj(wbits=-15)
    return {
        "gzip": lambda: gzip.compress(body),
        "x-gzip": lambda: gzip.compress(body),
        "deflate": lambda: zlib.compress(body),
        "Deflate": lambda: raw.compress(body) + raw.flush(),
        "identity": lambda: body,
        "": lambda: body,
    }[encoding]()


@pytest.mark.parametrize("encoding", ["gzip", "x-gzip", "deflate", "Deflate", "identity", ""])
def test_compressed_replies_are_read(ask: Ask, encoding: str) -> None:
    body = b'{"results": []}' * 1000
    answer = reply(compressed(body, encoding), b"content-encoding: " + encoding.encode())
    assert ask(answering(answer)).body == body


def test_only_what_can_be_read_is_asked_for() -> None:
    with RawService(answering(reply())) as service:
        sent(ServiceClient(proxies={}), service.url)
    assert b"\r\naccept-encoding: gzip, deflate\r\n" in service.requests[0].lower()


@pytest.mark.parametrize(
    ("body", "encoding"),
    [
        (b"whatever", b"br"),
        (b"whatever", b"rot13"),
        (gzip.compress(gzip.compress(b"{}")), b"gzip, gzip"),
        (b"not gzip at all", b"gzip"),
        (b"not deflate at all", b"deflate"),
        (gzip.compress(b"{}" * 1000)[:-9], b"gzip"),
        (gzip.compress(b"{}") + b"more", b"gzip"),
    ],
    ids=["brotli", "unheard of", "twice", "no gzip", "no deflate", "cut short", "and more"],
)
def test_compression_that_is_unknown_or_broken_is_a_bad_reply(ask: Ask, body: bytes, encoding: bytes) -> None:
    with pytest.raises(BadReply):
        ask(answering(reply(body, b"content-encoding: " + encoding)))


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_a_bomb_is_opened_no_further_than_the_cap(ask: Ask, encoding: str) -> None:
    bomb = compressed(bytes(100_000_000), encoding)
    with pytest.raises(BadReply, match="larger than 1000000 bytes"):
        ask(answering(reply(bomb, b"content-encoding: " + encoding.encode())), max_reply=1_000_000)


@pytest.mark.parametrize(
    "serve",
    [
        flood(OK + b"content-length: 9000000\r\n\r\n", b"x" * 10_000),
        flood(CHUNKED, b"2710\r\n" + b"x" * 10_000 + b"\r\n"),
        flood(OK + b"\r\n", b"x" * 10_000),
    ],
    ids=["with a length", "in chunks", "until the end"],
)
def test_a_body_larger_than_the_cap_is_not_read_to_its_end(ask: Ask, serve: Callable[[Line], None]) -> None:
    with pytest.raises(BadReply, match="larger than 50000 bytes"):
        ask(serve, max_reply=50_000)


@pytest.mark.parametrize(
    "serve",
    [answering(reply(b"whole")), flood(CHUNKED, b"2710\r\n" + b"x" * 10_000 + b"\r\n"), closing_after(OK)],
    ids=["a reply", "too large", "cut short"],
)
def test_a_reply_is_gone_with_its_call_and_does_not_wait_for_the_collector(serve: Callable[[Line], None]) -> None:
    """A process that had met many large replies held on to them: 290 MB instead of 60."""

    async def call(url: str) -> None:
        client = ServiceClient(proxies={}, max_reply=50_000)
        with suppress(BadReply, Unreachable):
            await client.send(Request("GET", url), seconds=20)
        await client.close()

    gc.collect()
    gc.disable()
    try:
        with RawService(serve) as service:
            asyncio.run(call(service.url))
        assert not [held for held in gc.get_objects() if isinstance(held, ReplyParser)]
    finally:
        gc.enable()


@pytest.mark.parametrize("how", ["direct", "proxy"])
def test_no_cookie_is_kept_or_sent_back(how: str) -> None:
    """Searches of one process must not be tied together by a service."""
    with RawService(answering(reply(b"{}", b"set-cookie: id=me; Path=/", b"set-cookie: b=2"))) as service:
        client = ServiceClient(proxy=service.url) if how == "proxy" else ServiceClient(proxies={})
        sent(client, service.url, 3)
    assert len(service.requests) == 3
    assert not any(b"cookie" in request.lower() for request in service.requests)
