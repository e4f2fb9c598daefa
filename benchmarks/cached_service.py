"""
What an answer that is kept costs the service, beside a bare Starlette application that sends the same body.

    python benchmarks/cached_service.py              a short run
    python benchmarks/cached_service.py --full       a longer one

Both run as processes of their own, under the same uvicorn, and are asked in turns by the same clients; what counts is
the CPU of the process that answers, by the kernel's count in nanoseconds. The bare application makes its body anew from
values each time, as Starlette's `JSONResponse` does. It is asked twice in each round: how far the two are apart tells
how far the machine can be trusted. The memory of two workers is measured as their proportional share (PSS), with and
without the process that looks after them. It exits with 1 when a promise is missed.
"""

import argparse
import json
import os
import socket
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from urllib.request import Request, urlopen

from benchmarks.processes import cpu_of, family
from benchmarks.promises import Promises
from benchmarks.service_load import address, running

CLIENTS = 32
REQUIRED, GOAL = 0.6, 0.8
"""Of the rate of the bare application: its CPU for an answer, by ours."""
MEMORY_MB = 150.0
"""Two workers, the process they share their modules with, and the one that looks after them."""
QUERY = "green tea"
TOKEN = "skr_" + "t" * 43
WORDS = "Green tea is made from leaves that were not oxidised, and the water should not boil. "


def results() -> list[dict[str, str]]:
    return [
        {"title": f"Tea {n}", "url": f"https://tea.example/{n}", "description": WORDS * (10 + n % 3)} for n in range(10)
    ]


def serve(app: object) -> None:
    """Serve an application as the service is served, and say where."""
    import uvicorn

    listening = socket.create_server(("127.0.0.1", 0), backlog=2048)
    print(f"http://127.0.0.1:{listening.getsockname()[1]}", flush=True)
    options = {"log_config": None, "access_log": False, "server_header": False, "http": "httptools", "ws": "none"}
    uvicorn.Server(uvicorn.Config(app, **options)).run(sockets=[listening])  # type: ignore[arg-type]


def serve_engine() -> None:
    """An engine, for the one search that is really made."""
    from starlette.applications import Starlette
    from starlette.requests import Request as Asked
    from starlette.responses import JSONResponse, Response
    from starlette.routing import Route

    async def search(_request: Asked) -> Response:
        return JSONResponse({"web": {"results": results()}})

    serve(Starlette(routes=[Route("/res/v1/web/search", search)]))


def serve_bare(body: Path) -> None:
    """The same answer from a bare application, made from values each time; and as bytes that are ready."""
    from starlette.applications import Starlette
    from starlette.requests import Request as Asked
    from starlette.responses import JSONResponse, Response
    from starlette.routing import Route

    ready = body.read_bytes()
    values = json.loads(ready)

    async def search(_request: Asked) -> Response:
        return JSONResponse(values)

    async def as_bytes(_request: Asked) -> Response:
        return Response(ready, media_type="application/json")

    serve(Starlette(routes=[Route("/v1/search", search), Route("/bytes", as_bytes)]))


@dataclass(frozen=True)
class Contender:
    """Who is asked, and how."""

    name: str
    where: tuple[str, int]
    pid: int
    request: bytes


def get(path: str, *lines: str) -> bytes:
    head = [f"GET {path} HTTP/1.1", "Host: 127.0.0.1", "Accept: */*", "User-Agent: benchmark", *lines, "", ""]
    return "\r\n".join(head).encode()


def post(path: str, body: object) -> bytes:
    content = json.dumps(body)
    lines = ["Host: 127.0.0.1", "Content-Type: application/json", f"Content-Length: {len(content)}"]
    return "\r\n".join([f"POST {path} HTTP/1.1", *lines, "", content]).encode()


def whole_reply(connection: socket.socket) -> bytes:
    """One reply, with its head."""
    data = connection.recv(262_144)
    while b"\r\n\r\n" not in data:
        data += connection.recv(262_144)
    head, _, body = data.partition(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 200"):
        raise SystemExit(f"no answer: {data[:400]!r}")
    length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n", 1)[0])
    while len(body) < length:
        body += connection.recv(262_144)
    return head + b"\r\n\r\n" + body


def asked(contender: Contender, times: int) -> float:
    """Microseconds of CPU the process uses for one answer, while many clients ask at once."""
    with ExitStack() as stack:
        clients = [stack.enter_context(closing(socket.create_connection(contender.where))) for _ in range(CLIENTS)]
        before = 0.0
        for number in range(times // CLIENTS + 1):
            if number == 1:
                before = cpu_of(contender.pid)
            for client in clients:
                client.sendall(contender.request)
            for client in clients:
                whole_reply(client)
        return (cpu_of(contender.pid) - before) * 1e6 / (times // CLIENTS * CLIENTS)


@contextmanager
def contenders() -> Iterator[list[Contender]]:
    """The services, each with the answer kept already, and the bare application with the same body."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        env = {**os.environ, "XDG_STATE_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
        engine, _ = stack.enter_context(running([sys.executable, "-m", "benchmarks.cached_service", "--engine"], env))
        env |= {"BRAVE_SEARCH_API_KEY": "simulated", "SEEKREAD_BRAVE_BASE_URL": f"{engine}/res/v1"}
        path = f"/v1/search?query={QUERY.replace(' ', '+')}&limit=10"
        service = [sys.executable, "-m", "seekread.server", "--port", "0"]
        (folder / "token").write_text(TOKEN)
        (folder / "token").chmod(0o600)
        usual, usual_pid = stack.enter_context(running(service, env))
        shut, shut_pid = stack.enter_context(
            running([*service, "--require-token", "--token-file", str(folder / "token")], env)
        )
        with urlopen(usual + path, timeout=60) as answer:
            (folder / "body").write_bytes(answer.read())
        urlopen(Request(shut + path, headers={"Authorization": f"Bearer {TOKEN}"}), timeout=60).close()
        command = [sys.executable, "-m", "benchmarks.cached_service", "--bare", str(folder / "body")]
        bare, bare_pid = stack.enter_context(running(command, env))
        yield [
            Contender("Starlette JSONResponse", address(bare), bare_pid, get(path)),
            Contender("the same again", address(bare), bare_pid, get(path)),
            Contender("Starlette, bytes ready to send", address(bare), bare_pid, get("/bytes")),
            Contender("seekread GET", address(usual), usual_pid, get(path)),
            Contender(
                "seekread POST", address(usual), usual_pid, post("/v1/search", {"query": QUERY, "limit": 10})
            ),
            Contender(
                "seekread GET, with a token", address(shut), shut_pid, get(path, f"Authorization: Bearer {TOKEN}")
            ),
            Contender("seekread /healthz", address(usual), usual_pid, get("/healthz")),
        ]  # fmt: skip


def rates(promises: Promises, rounds: int, times: int) -> None:
    """CPU for an answer that is kept."""
    spent: dict[str, list[float]] = {}
    with contenders() as everybody:
        for contender in everybody:
            asked(contender, 200)
        for _ in range(rounds):
            for contender in everybody:
                spent.setdefault(contender.name, []).append(asked(contender, times))
    bare = spent["Starlette JSONResponse"]
    print(f"An answer that is kept, {CLIENTS} clients: µs of CPU, median of {rounds} rounds, and the rate it allows")
    shares = {}
    for name, figures in spent.items():
        shares[name] = median(one / own for one, own in zip(bare, figures, strict=True))
        print(f"  {name:<34}{median(figures):>8.0f} µs {shares[name]:>6.2f}x")
    print(f"  the aim is {GOAL}")
    for name in ("seekread GET", "seekread POST", "seekread GET, with a token"):
        promises.at_least(f"{name}, rate beside Starlette's JSONResponse", shares[name], REQUIRED)


def share_of(pid: int) -> float:
    """Megabytes of memory that are a process's, of those it shares its part."""
    return int(Path(f"/proc/{pid}/smaps_rollup").read_text().partition("\nPss:")[2].split()[0]) / 1024


def memory(promises: Promises) -> None:
    """The memory of two workers that have answered."""
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        env = {**os.environ, "XDG_STATE_HOME": folder, "XDG_CONFIG_HOME": folder, "BRAVE_SEARCH_API_KEY": "simulated"}
        service = [sys.executable, "-m", "seekread.server", "--port", "0", "--workers"]
        alone, pid = stack.enter_context(running([*service, "1"], env))
        two, above = stack.enter_context(running([*service, "2"], env))
        for url in (alone, two):
            for _ in range(40):
                urlopen(f"{url}/readyz", timeout=60).close()
        shares = {process: share_of(process) for process in family(above)}
        everything, workers = sum(shares.values()), sum(shares.values()) - shares[above]
        print("\nMemory, proportional share")
        print(f"  {'one worker, alone':<34}{share_of(pid):>8.0f} MB")
        print(f"  {'two workers and what they share':<34}{workers:>8.0f} MB")
        print(f"  {'with the process above them':<34}{everything:>8.0f} MB")
    promises.at_most("MB of two workers and what is above them", everything, MEMORY_MB)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="more rounds")
    parser.add_argument("--engine", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--bare", type=Path, help=argparse.SUPPRESS)
    wanted = parser.parse_args()
    if wanted.engine:
        serve_engine()
    elif wanted.bare:
        serve_bare(wanted.bare)
    else:
        promises = Promises("cached_service")
        rates(promises, *((9, 3000) if wanted.full else (5, 1000)))
        memory(promises)
        print()
        return promises.told()
    return 0


if __name__ == "__main__":
    sys.exit(main())
