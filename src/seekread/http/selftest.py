"""
The guard's self-test: built-in cases against a canary on loopback, with a resolver that answers as an attacker would.

Nothing leaves the machine. The canary listens on 127.0.0.1 and must never be reached; its neighbour on 127.0.0.2 plays
the public internet for the cases in which the first connection is legitimate and what follows is not. Where 127.0.0.2
cannot be bound (macOS, without an alias) those cases are counted as skipped.
"""

import asyncio
from collections.abc import Container, Sequence
from dataclasses import field
from typing import Any
from urllib.parse import unquote

from seekread.errors import Refused, Unreachable
from seekread.http import addresses
from seekread.http.guard import WEB_PORTS, Guard, GuardPolicy
from seekread.late import dataclass

CANARY = "127.0.0.1"
STAND_IN = "127.0.0.2"
PUBLIC = "93.184.215.14"

ALLOWED = (
    "https://example.com/",
    "http://example.com:8080/path?x=1#part",
    "HTTPS://Example.COM./",
    "https://bücher.example.org/",
    "https://例え.jp/",
    "https://sub_domain.example.net/",
    "https://1.1.1.1/",
    "http://172.32.0.1/",
    "https://[2606:4700:4700::1111]/",
    "https://[64:ff9b::808:808]/",
    "https://127.0.0.1.example.com/",
    "https://localhost.example.com/",
    "https://example.com/?next=http://127.0.0.1/",
    "https://example.com/@someone",
)
"""URLs that must pass; names resolve to a public address here."""

REFUSED = (
    "http://127.0.0.1:{port}/",
    "http://127.0.0.1.:{port}/",
    "http://127.1:{port}/",
    "http://127.0.1:{port}/",
    "http://0177.0.0.1:{port}/",
    "http://0x7f.0.0.1:{port}/",
    "http://0x7f000001:{port}/",
    "http://2130706433:{port}/",
    "http://017700000001:{port}/",
    "http://127.000.000.001:{port}/",
    "http://0.0.0.0:{port}/",
    "http://0:{port}/",
    "http://\uff11\uff12\uff17.\uff10.\uff10.\uff11:{port}/",
    "http://127。0。0。1:{port}/",
    "http://①②⑦.⓪.⓪.①:{port}/",
    "http://[::1]:{port}/",
    "http://[::]:{port}/",
    "http://[::ffff:127.0.0.1]:{port}/",
    "http://[::ffff:7f00:1]:{port}/",
    "http://[::127.0.0.1]:{port}/",
    "http://[64:ff9b::7f00:1]:{port}/",
    "http://[64:ff9b:1::7f00:1]:{port}/",
    "http://[2002:7f00:1::]:{port}/",
    "http://[::1%25lo]:{port}/",
    "http://localhost:{port}/",
    "http://LOCALHOST.:{port}/",
    "http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ:{port}/",
    "http://x.localhost:{port}/",
    "http://ip6-localhost:{port}/",
    "http://localtest.me:{port}/",
    "http://db.internal:{port}/",
    "http://user@127.0.0.1:{port}/",
    "http://example.com@127.0.0.1:{port}/",
    "http://example.com\\@127.0.0.1:{port}/",
    "http:\\\\127.0.0.1:{port}\\",
    "http:/127.0.0.1:{port}/",
    "http:127.0.0.1:{port}/",
    "http://127.0.0.1:{port}\t/",
    "http://\u200b127.0.0.1:{port}/",
    "http://169.254.169.254/latest/meta-data/",
    "http://metadata.google.internal/",
    "http://example.com:22/",
    "file:///etc/passwd",
    "gopher://127.0.0.1:{port}/_x",
    "data:text/html,x",
    "http://canary.example.org:{port}/",
    "http://six.example.org:{port}/",
    "http://mixed.example.org:{port}/",
    "http://zero.example.org:{port}/",
)
"""URLs that must be refused, with the canary's port where it matters."""

ATTACKS = (
    "http://redirect.example.org:{port}/to?http://127.0.0.1:{port}/",
    "http://redirect.example.org:{port}/to?//127.0.0.1:{port}/",
    "http://redirect.example.org:{port}/to?http://2130706433:{port}/",
    "http://redirect.example.org:{port}/to?http://canary.example.org:{port}/",
    "http://redirect.example.org:{port}/to?http://redirect.example.org:{port}/to?http://[::1]:{port}/",
    "http://rebind1.example.org:{port}/to?http://rebind1.example.org:{port}/",
    "http://rebind2.example.org:{port}/to?http://rebind2.example.org:{port}/to?http://rebind2.example.org:{port}/",
)
"""URLs whose first connection goes to the stand-in and which then try for the canary."""


@dataclass
class SelftestReport:
    """What the self-test found."""

    refused: int = 0
    refused_by_proxy: int = 0
    allowed: int = 0
    skipped: int = 0
    wrong: list[str] = field(default_factory=list)
    canary_works: bool = False
    connections: int = 0

    @property
    def passed(self) -> bool:
        """Whether every verdict was right, and the canary works and was never reached."""
        return self.canary_works and not self.connections and not self.wrong

    def as_json(self) -> dict[str, Any]:
        """The report as plain values."""
        return {"passed": self.passed, **vars(self)}


class Attacker:
    """A resolver that answers as an attacker's name server would: some names change with every lookup."""

    def __init__(self) -> None:
        self.lookups: dict[str, int] = {}

    async def resolve(self, host: str, port: int) -> list[str]:  # noqa: ARG002 - the protocol has a port
        count = self.lookups[host] = self.lookups.get(host, 0) + 1
        first_label = host.partition(".")[0]
        if first_label.startswith("rebind"):
            return [STAND_IN if count <= int(first_label.removeprefix("rebind")) else CANARY]
        fixed = {
            "canary": [CANARY],
            "six": ["::1"],
            "mixed": [STAND_IN, CANARY],
            "zero": ["0.0.0.0"],  # noqa: S104 - an answer, nothing is bound to it
            "redirect": [STAND_IN],
        }
        return fixed.get(first_label, [PUBLIC])


class SelftestServer:
    """A tiny web server that counts connections and redirects to what follows `/to?`."""

    def __init__(self) -> None:
        self.connections = 0

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            path = head.split(b" ", 2)[1].decode("ascii")
            location = unquote(path.partition("/to?")[2])
            status = f"302 Found\r\nLocation: {location}" if location else "200 OK"
            writer.write(f"HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode())
        except (asyncio.IncompleteReadError, ConnectionError):
            return
        finally:
            writer.close()


def stand_in_is_public(address: str, stand_ins: Container[str] = (STAND_IN,)) -> str | None:
    """The real judgement, but for the addresses that play the internet."""
    return None if address in stand_ins else addresses.why_not_public(address)


async def run() -> SelftestReport:
    """Run every case and report."""
    report, canary, stand_in = SelftestReport(), SelftestServer(), SelftestServer()
    listening = await asyncio.start_server(canary, CANARY, 0)
    port = listening.sockets[0].getsockname()[1]
    public = await listen_beside(stand_in, port)
    policy = GuardPolicy(ports=WEB_PORTS | {port})
    try:
        report.canary_works = await notices(canary, port)
        await expect_allowed(policy, ALLOWED, report)
        refused = [text.replace("{port}", str(port)) for text in REFUSED]
        attacks = [text.replace("{port}", str(port)) for text in ATTACKS]
        if public is None:
            report.skipped, attacks = len(attacks), []
        await expect_refused(policy, refused + attacks, report)
        await expect_refused_by_proxy(policy, refused, report)
        report.connections = canary.connections - 1
    finally:
        for server in (listening, public):
            if server is not None:
                server.close()
                await server.wait_closed()
    return report


async def listen_beside(server: SelftestServer, port: int) -> asyncio.Server | None:
    """Listen on the stand-in's address with the canary's port, where the system has that address."""
    try:
        return await asyncio.start_server(server, STAND_IN, port)
    except OSError:
        return None


async def notices(canary: SelftestServer, port: int) -> bool:
    """Knock at the canary once, so that its silence means something."""
    reader, writer = await asyncio.open_connection(CANARY, port)
    writer.write(b"GET / HTTP/1.1\r\n\r\n")
    await reader.read()
    writer.close()
    await writer.wait_closed()
    return canary.connections == 1


async def expect_allowed(policy: GuardPolicy, urls: Sequence[str], report: SelftestReport) -> None:
    """Ask for verdicts only: these hosts belong to others."""
    for url in urls:
        verdict = await Guard(policy, Attacker()).explain(url)
        report.allowed += verdict.allowed
        if not verdict.allowed:
            report.wrong.append(f"refused ({verdict.code}): {url}")


async def expect_refused(policy: GuardPolicy, urls: Sequence[str], report: SelftestReport) -> None:
    """Really fetch, following redirects, as a page would be fetched."""
    for url in urls:
        guard = Guard(policy, Attacker(), why_not_public=stand_in_is_public)
        try:
            await fetch(guard, url)
        except Refused:
            report.refused += 1
        except Unreachable:
            report.wrong.append(f"tried to connect: {url}")
        else:
            report.wrong.append(f"fetched: {url}")


async def expect_refused_by_proxy(policy: GuardPolicy, urls: Sequence[str], report: SelftestReport) -> None:
    """Ask the proxy for browsers for the same URLs."""
    from seekread.http.proxy import GuardedProxy

    guard = Guard(policy, Attacker(), why_not_public=stand_in_is_public)
    async with GuardedProxy(guard) as proxy:
        for url in urls:
            reader, writer = await asyncio.open_connection("127.0.0.1", int(proxy.url.rpartition(":")[2]))
            writer.write(b"GET " + url.encode() + b" HTTP/1.1\r\n\r\n")
            status = (await reader.readline()).split(b" ")[1:2]
            if status in ([b"403"], [b"400"]):
                report.refused_by_proxy += 1
            else:
                report.wrong.append(f"passed by the proxy: {url}")
            writer.close()
            await writer.wait_closed()


async def fetch(guard: Guard, url: str) -> None:
    """Fetch a URL with a client that follows redirects by itself, the worst case for a guard."""
    import httpx2

    from seekread.http.pinned import page_transport

    # The guard goes first here as it does everywhere: the client's own parser never sees what ours refuses.
    target = guard.check(url)
    async with httpx2.AsyncClient(
        transport=page_transport(guard), follow_redirects=True, trust_env=False, timeout=5.0
    ) as client:
        try:
            await client.get(target.url)
        except httpx2.HTTPError as error:
            raise Unreachable(str(error)) from error
