"""
What one machine carries, and how many share one Redis: measured inputs, and what follows from them.

    python benchmarks/scale.py                  the inputs and the derivation of docs/scale.md
    python benchmarks/scale.py --calls 100      quicker, less exact

A service process answers searches and reads pages over a Redis of its own, an engine and a site on loopback. For each
kind of call it is counted how much CPU the service and its workers used, and what Redis saw: commands, bytes, CPU of
its one thread, memory. No figure here is a time on the wall.
Counts are promised: a call that asks Redis for more than it did makes the exit code 1.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import redis
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from benchmarks.promises import Promises
from tests.support.redis_server import RedisServer

CALLS, CLIENTS = 400, 16
CORES = 8
"""Of a machine in the derivation."""
BUSY = 0.6
"""The part of a core, and of Redis' one thread, that is planned with: above that, queues grow."""
ASKED_BY_US = {"info", "config", "config|set", "config|resetstat", "flushall", "select", "client|setinfo", "hello"}
PROMISED = {"search anew": 56, "search kept": 2, "page anew": 14, "page kept": 3}
"""
Commands of Redis for one call, at most, with those that its scripts run; a search has four scripts, a page two.

Signs of life of whoever is at work are not among them: a busy machine needs more.
"""
SIGN_OF_LIFE = 3
"""Commands of one: the script, and two in it."""


def row(number: int) -> dict[str, str]:
    return {
        "title": f"Green tea and the oxidation of leaves, part {number}",
        "url": f"https://tea{number}.example/leaves/{number}",
        "description": "Green tea is made from leaves that were not oxidised; black tea is made from others. " * 3,
    }


def article(number: int) -> str:
    """A page as blogs and papers have them: 60 KB with its menus, of which a third is text."""
    text = "".join(
        f"<h2>Part {part} of {number}</h2><p>{'Green tea is made from leaves that were not oxidised. ' * 6}"
        f"<a href='/leaf/{part}'>More</a></p>"
        for part in range(50)
    )
    items = (f"<li class='menu-item level-{item % 3}'><a href='/m/{item}'>Item {item}</a></li>" for item in range(400))
    head = f"<title>Tea {number}</title><style>{'.menu-item { color: #334455; margin: 0 2px } ' * 40}</style>"
    body = f"<nav><ul>{''.join(items)}</ul></nav><main><h1>Tea</h1>{text}</main>"
    return f"<html lang=en><head>{head}</head><body>{body}</body></html>"


def side() -> Starlette:
    """An engine and a site."""

    async def search(_request: Request) -> Response:
        return JSONResponse({"web": {"results": [row(number) for number in range(10)]}})

    async def page(request: Request) -> Response:
        return HTMLResponse(article(int(request.path_params["number"])))

    return Starlette(routes=[Route("/res/v1/web/search", search), Route("/page/{number:int}", page)])


def serve_side() -> None:
    import socket

    import uvicorn

    listening = socket.create_server(("127.0.0.1", 0))
    print(f"http://127.0.0.1:{listening.getsockname()[1]}", flush=True)
    uvicorn.Server(uvicorn.Config(side(), log_level="error")).run(sockets=[listening])


@contextmanager
def running(command: list[str], env: dict[str, str]) -> Iterator[tuple[str, int]]:
    """A process that prints its address."""
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            yield process.stdout.readline().split()[-1].rstrip("/"), process.pid
        finally:
            process.terminate()


def cpu_of(pid: int) -> float:
    """Seconds of CPU of a process and all it has started: those that are there, and those that have ended."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    own = sum(int(ticks) for ticks in fields[11:15]) / os.sysconf("SC_CLK_TCK")
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return own + sum(cpu_of(int(child)) for task in tasks for child in (task / "children").read_text().split())


@dataclass(frozen=True)
class Measured:
    """What one call of a kind costs."""

    kind: str
    cpu: float
    """Milliseconds of the service and its workers."""
    redis_cpu: float
    """Microseconds of Redis' one thread."""
    commands: dict[str, float]
    received: float
    """Bytes that Redis gets …"""
    sent: float
    """… and sends."""
    kept: float
    """Bytes of memory it needs more afterwards."""

    @property
    def asked(self) -> float:
        """Commands, without the signs of life."""
        return sum(self.commands.values()) - SIGN_OF_LIFE * self.commands.get("eval", 0.0)

    @property
    def trips(self) -> float:
        """How often Redis is asked: a script is one question, whatever it runs."""
        alone = {name: calls for name, calls in self.commands.items() if name in {"get", "evalsha"}}
        return sum(alone.values()) - self.commands.get("eval", 0.0) + self.written

    @property
    def written(self) -> float:
        """Values that are written; the lock of whoever works is written by a script."""
        return max(0.0, self.commands.get("set", 0.0) - self.commands.get("incr", 0.0))


def seen(client: "redis.Redis") -> tuple[Counter[str], float, float, float, float]:
    """What Redis has seen so far: commands, CPU of its main thread, bytes in and out, bytes of data."""
    stats: Any = client.info("commandstats")
    commands = Counter({name.removeprefix("cmdstat_"): float(each["calls"]) for name, each in stats.items()})
    for name in [name for name in commands if name in ASKED_BY_US]:
        del commands[name]
    rest: Any = client.info("everything")
    cpu = float(rest["used_cpu_user_main_thread"]) + float(rest["used_cpu_sys_main_thread"])
    data = float(rest["used_memory_dataset"])
    return commands, cpu, float(rest["total_net_input_bytes"]), float(rest["total_net_output_bytes"]), data


async def asked(url: str, paths: list[str]) -> None:
    """Ask for all of them, many at a time."""
    waiting = iter(paths)
    limits = httpx2.Limits(max_connections=CLIENTS)
    async with httpx2.AsyncClient(base_url=url, timeout=300, trust_env=False, limits=limits) as client:

        async def work() -> None:
            for path in waiting:
                answered = await client.get(path)
                if answered.status_code != 200 or '"outcome":"ok"' not in answered.text.replace('": "', '":"'):
                    raise SystemExit(f"no answer: {answered.status_code} {answered.text[:300]}")

        async with asyncio.TaskGroup() as group:
            for _ in range(CLIENTS):
                group.create_task(work())


def measured(kind: str, url: str, pid: int, client: "redis.Redis", paths: list[str]) -> Measured:
    """What calls of one kind cost, each."""
    commands, cpu, received, sent, data = seen(client)
    before = cpu_of(pid)
    asyncio.run(asked(url, paths))
    used = cpu_of(pid) - before
    now = seen(client)
    count = len(paths)
    return Measured(
        kind,
        used * 1000 / count,
        (now[1] - cpu) * 1e6 / count,
        {name: calls / count for name, calls in (now[0] - commands).items()},
        (now[2] - received) / count,
        (now[3] - sent) / count,
        (now[4] - data) / count,
    )


def inputs(calls: int) -> tuple[list[Measured], float]:
    """Every kind of call, and the microseconds Redis needs to look through a thousand keys."""
    with tempfile.TemporaryDirectory() as folder, RedisServer(Path(folder) / "redis", durable=False) as store:
        client = redis.Redis.from_url(store.url)
        client.config_set("appendonly", "yes")
        env = {**os.environ, "XDG_STATE_HOME": folder, "XDG_CONFIG_HOME": folder, "SEEKREAD_STORE": store.url}
        with running([sys.executable, "-m", "benchmarks.scale", "--side"], env) as (beside, _):
            env |= {
                "BRAVE_SEARCH_API_KEY": "simulated",
                "SEEKREAD_BRAVE_BASE_URL": f"{beside}/res/v1",
                "SEEKREAD_PLANS": "",
                "WEB_SEARCH_PROVIDER": "brave",
                "SEEKREAD_ALLOW_PRIVATE": beside.removeprefix("http://"),
                "SEEKREAD_ALLOWED_PORTS": beside.rpartition(":")[2],
            }
            with running([sys.executable, "-m", "seekread.server", "--port", "0"], env) as (url, pid):
                searches = [f"/v1/search?query=green+tea+{number}&limit=10" for number in range(calls)]
                pages = [f"/v1/open?url={beside}/page/{number}" for number in range(calls)]
                # What is loaded once, and the workers, which begin with their first page.
                warm = [f"/v1/search?query=warm+{number}" for number in range(40)]
                asyncio.run(asked(url, warm + [f"/v1/open?url={beside}/page/{calls + number}" for number in range(40)]))
                kinds = {"search anew": searches, "search kept": searches, "page anew": pages, "page kept": pages}
                found = [measured(kind, url, pid, client, paths) for kind, paths in kinds.items()]
        return found, looking_through(client)


def looking_through(client: "redis.Redis", keys: int = 200_000) -> float:
    """Microseconds of Redis' thread to look at a thousand keys, as a look for crawls does."""
    client.flushall()
    for start in range(0, keys, 10_000):
        client.mset({f"seekread:v:snapshot/{number:032x}": b"" for number in range(start, start + 10_000)})
    _, before, *_ = seen(client)
    for _ in client.scan_iter(match=b"seekread:v:job/*", count=500):
        pass
    _, after, *_ = seen(client)
    return (after - before) * 1e6 / (keys / 1000)


MIX = {"search anew": 0.2, "search kept": 0.2, "page anew": 0.3, "page kept": 0.3}
"""What agents ask for: a page or two for each search, half of it asked before."""


def mixed(found: list[Measured], figure: Callable[[Measured], float]) -> float:
    """A figure of one call of the mix."""
    return sum(MIX[one.kind] * figure(one) for one in found)


def table(*rows: str) -> None:
    """A table of Markdown; the first row is its head."""
    head, *rest = rows
    print(f"| {head} |", f"|{'---|' * (head.count('|') + 1)}", *(f"| {each} |" for each in rest), sep="\n")


def told(found: list[Measured], look: float) -> None:
    """The tables of docs/scale.md."""
    table(
        "call | CPU of the service | questions to Redis | commands it runs | bytes to and from it | its CPU | it keeps",
        *(
            f"{one.kind} | {one.cpu:.1f} ms | {one.trips:.0f} | {one.asked:.0f} | "
            f"{one.received:,.0f} and {one.sent:,.0f} | {one.redis_cpu:.0f} µs | {max(0.0, one.kept):,.0f} B"
            for one in found
        ),
    )
    cpu, redis_cpu = mixed(found, lambda one: one.cpu), mixed(found, lambda one: one.redis_cpu)
    traffic = mixed(found, lambda one: one.received + one.sent)
    kept = mixed(found, lambda one: max(0.0, one.kept))
    machine = CORES * BUSY * 1000 / cpu
    one_redis = BUSY * 1e6 / redis_cpu
    print(f"\nA call of the mix {MIX}: {cpu:.1f} ms of the service, {redis_cpu:.0f} µs of Redis, {traffic:,.0f} B\n")
    rows = [(machines, machine * machines) for machines in (1, 10, 1000)]
    table(
        "machines | calls a second | threads of Redis | cells | traffic of the store | it keeps in an hour",
        *(
            f"{machines:,} | {rate:,.0f} | {rate * redis_cpu / 1e6:,.2f} | {max(1, -(-rate // one_redis)):,.0f}"
            f" | {rate * traffic * 8 / 1e6:,.0f} Mbit/s | {rate * kept * 3600 / 1e9:,.0f} GB"
            for machines, rate in rows
        ),
    )
    print(f"\nOne Redis: {one_redis:,.0f} calls a second, {one_redis / machine:.1f} machines of {CORES} cores")
    print(f"To look through a million keys for crawls: {look / 1000:.2f} s of Redis\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=CALLS, help=f"calls of each kind (default: {CALLS})")
    parser.add_argument("--json", metavar="FILE", help="keep the measured inputs")
    parser.add_argument("--side", action="store_true", help=argparse.SUPPRESS)
    wanted = parser.parse_args()
    if wanted.side:
        serve_side()
        return 0
    found, look = inputs(wanted.calls)
    told(found, look)
    if wanted.json:
        Path(wanted.json).write_text(json.dumps([vars(one) for one in found], indent=1), encoding="utf-8")
    promises = Promises("scale")
    for one in found:
        promises.at_most(f"commands to Redis for a {one.kind}", one.asked, PROMISED[one.kind])
    return promises.told()


if __name__ == "__main__":
    sys.exit(main())
