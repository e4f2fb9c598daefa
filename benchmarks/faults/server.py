"""
The server process: it plays four vendors, each in its own wire format, counts their calls and misbehaves as told.

    python -m benchmarks.faults.server         prints its port, and ends when its standard input is closed
"""

import asyncio
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

from benchmarks.faults.kinds import VENDORS, Behaviour, Behaviours

Calls = dict[str, Counter[str]]
"""By vendor: how many calls met which kind, and under `cut` how many whole replies nobody was there to take."""

HANGING = 90.0
DRIP = 0.3
JSON = "application/json"


def rows(query: str, address: str = "url", text: str = "content") -> list[dict[str, Any]]:
    return [
        {"title": f"{query} {n}", address: f"https://e.org/{n}/{quote(query)}", text: f"about {query}"}
        for n in range(5)
    ]


FOUND: dict[str, Callable[[str], list[Any]]] = {
    "brave": lambda query: rows(query, text="description"),
    "tavily": rows,
    "searxng": rows,
    "serper": lambda query: rows(query, address="link", text="snippet"),
}
ENVELOPES: dict[str, Callable[[str, list[Any]], dict[str, Any]]] = {
    "brave": lambda query, found: {"query": {"original": query}, "web": {"results": found}},
    "tavily": lambda query, found: {"query": query, "results": found, "response_time": 0.1},
    "searxng": lambda query, found: {"query": query, "results": found, "unresponsive_engines": []},
    "serper": lambda query, found: {"searchParameters": {"q": query, "type": "search"}, "organic": found},
}
WRONG_TYPES = [
    1, None, "x",
    *({"title": 3, "url": odd, "link": odd, "content": 4} for odd in (["https://e.org/"], {"a": 1}, 7)),
]  # fmt: skip


def good(vendor: str, query: str) -> bytes:
    return encoded(vendor, query, FOUND[vendor](query))


def encoded(vendor: str, query: str, found: list[Any]) -> bytes:
    return json.dumps(ENVELOPES[vendor](query, found)).encode()


def head(length: int | None, status: str = "200 OK", content_type: str = JSON, *more: str) -> bytes:
    size = () if length is None else (f"Content-Length: {length}",)
    return "\r\n".join((f"HTTP/1.1 {status}", f"Content-Type: {content_type}", *size, *more, "", "")).encode()


def whole(body: bytes, status: str = "200 OK", content_type: str = JSON, *more: str) -> bytes:
    return head(len(body), status, content_type, *more) + body


Made = Callable[[str, str], bytes]

WHOLE: dict[str, Made] = {
    "ok": lambda vendor, query: whole(good(vendor, query)),
    "429": lambda _vendor, _query: whole(b"{}", "429 Too Many Requests"),
    "429 pause": lambda _vendor, _query: whole(b"{}", "429 Too Many Requests", JSON, "Retry-After: 1"),
    "500": lambda _vendor, _query: whole(b"{}", "500 Internal Server Error"),
    "503 pause": lambda _vendor, _query: whole(b"busy", "503 Service Unavailable", JSON, "Retry-After: 1"),
    "html": lambda _vendor, _query: whole(b"<html><body>unusual traffic</body></html>", "200 OK", "text/html"),
    "empty": lambda vendor, query: whole(encoded(vendor, query, [])),
    "types": lambda vendor, query: whole(encoded(vendor, query, WRONG_TYPES)),
    "not gzip": lambda vendor, query: whole(good(vendor, query), "200 OK", JSON, "Content-Encoding: gzip"),
    "no address": lambda vendor, query: whole(good(vendor, query).replace(b"https://e.org", b"x")),
    "deep": lambda _vendor, _query: whole(b"[" * 200_000 + b"]" * 200_000),
    "only a string": lambda _vendor, _query: whole(b'"ok"'),
    "huge": lambda _vendor, _query: whole(b'{"results":"' + b"x" * 9_000_000 + b'"}'),
}
"""Replies that are whole HTTP, whatever they say; the connection stays open."""

BROKEN: dict[str, Made] = {
    "truncated": lambda vendor, query: whole(good(vendor, query))[:-40],
    "garbage": lambda _vendor, _query: b"\x16\x03\x01\x00this is not HTTP\r\n\r\n",
    "chunk cut": lambda vendor, query: (
        head(None, "200 OK", JSON, "Transfer-Encoding: chunked") + b"20\r\n" + good(vendor, query)[:32] + b"\r\nZZ\r\n"
    ),
}
"""Replies after which the connection is closed, because nothing sensible can follow."""


class Server:
    """Plays the vendors, counts calls, and misbehaves as it was told."""

    def __init__(self) -> None:
        self.behaviours: dict[str, Behaviour] = {vendor: Behaviour() for vendor in VENDORS}
        self.calls: Calls = {vendor: Counter() for vendor in VENDORS}
        self.scripts: dict[str, Iterator[str]] = {}

    async def serve(self) -> None:
        server = await asyncio.start_server(self.connected, "127.0.0.1", 0, backlog=1024)
        print(server.sockets[0].getsockname()[1], flush=True)
        # The parent's end of the pipe closes when it is done or dead.
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
        os._exit(0)

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self.exchange(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; whether another may follow on the connection."""
        top = await reader.readuntil(b"\r\n\r\n")
        _, _, size = top.lower().partition(b"\r\ncontent-length:")
        body = await reader.readexactly(int(size.split(b"\r\n")[0] or 0))
        target = urlsplit(top.split(b" ", 2)[1].decode())
        vendor = target.path.split("/")[1]
        if vendor == "control":
            return self.control(body, writer)
        asked = json.loads(body) if body else {name: values[0] for name, values in parse_qs(target.query).items()}
        query = asked.get("q") or asked["query"]
        behaviour = self.behaviours[vendor]
        kind = next(self.scripts.get(vendor, iter(())), None) or behaviour.kind(vendor, query)
        self.calls[vendor][kind] += 1
        await asyncio.sleep(behaviour.latency)
        if reader.at_eof():
            self.calls[vendor]["cut"] += 1
            return False
        return await self.reply(kind, vendor, query, writer)

    def control(self, body: bytes, writer: asyncio.StreamWriter) -> bool:
        """Change how vendors behave; the answer is what was counted since the last time it was asked to forget."""
        wanted: Mapping[str, Any] = json.loads(body)
        changed = {vendor: Behaviour.unpacked(packed) for vendor, packed in wanted["behaviours"].items()}
        self.behaviours |= changed
        self.scripts |= {vendor: iter(behaviour.script) for vendor, behaviour in changed.items()}
        writer.write(whole(json.dumps(self.calls).encode()))
        if wanted["forget"]:
            self.calls = {vendor: Counter() for vendor in VENDORS}
        return True

    async def reply(self, kind: str, vendor: str, query: str, writer: asyncio.StreamWriter) -> bool:
        if kind in WHOLE:
            writer.write(WHOLE[kind](vendor, query))
            await writer.drain()
            return True
        if kind in BROKEN:
            writer.write(BROKEN[kind](vendor, query))
            await writer.drain()
        elif kind == "reset":
            writer.transport.abort()
        elif kind == "hang":
            await asyncio.sleep(HANGING)
        elif kind == "drip":
            await drip(whole(good(vendor, query)), writer)
        else:
            raise ValueError(f"there is no kind of fault {kind!r}")
        return False


async def drip(reply: bytes, writer: asyncio.StreamWriter) -> None:
    """The head at once, the body byte by byte."""
    top, _, body = reply.partition(b"\r\n\r\n")
    writer.write(top + b"\r\n\r\n")
    for byte in body:
        await asyncio.sleep(DRIP)
        writer.write(bytes([byte]))
        await writer.drain()


@dataclass(frozen=True)
class Vendors:
    """The server process, as the benchmark sees it."""

    port: int

    @property
    def url(self) -> str:
        """Where they answer, each under its name."""
        return f"http://127.0.0.1:{self.port}"

    def settings(self) -> dict[str, dict[str, str]]:
        """What points every provider at it."""
        return {name: {"base_url": f"{self.url}/{name}", "api_key": "k"} for name in VENDORS}

    async def behave(self, behaviours: Behaviours) -> None:
        """Let vendors behave so from now on."""
        await self._control(behaviours)

    async def calls(self, *, forget: bool = False) -> Calls:
        """What was counted, once nothing comes in any more."""
        counted = await self._control({})
        while True:
            await asyncio.sleep(0.1)
            before, counted = counted, await self._control({})
            if before == counted:
                break
        if forget:
            await self._control({}, forget=True)
        return counted

    async def _control(self, behaviours: Behaviours, *, forget: bool = False) -> Calls:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        packed = {vendor: behaviour.packed() for vendor, behaviour in behaviours.items()}
        body = json.dumps({"behaviours": packed, "forget": forget}).encode()
        writer.write(f"POST /control/ HTTP/1.1\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
        top = await reader.readuntil(b"\r\n\r\n")
        size = int(top.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
        counted = json.loads(await reader.readexactly(size))
        writer.close()
        return {vendor: Counter(kinds) for vendor, kinds in counted.items()}


@contextmanager
def vendors() -> Iterator[Vendors]:
    """The server, running; all vendors are healthy until told otherwise."""
    process = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.faults.server"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield Vendors(int(process.stdout.readline()))
    finally:
        process.stdin.close()
        process.stdout.close()
        process.wait()


if __name__ == "__main__":
    asyncio.run(Server().serve())
