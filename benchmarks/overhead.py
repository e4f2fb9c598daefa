"""
What seekread costs beside the bare HTTP client it is built on: CPU per search, and CPU of a cold start.

    python benchmarks/overhead.py              a short run
    python benchmarks/overhead.py --full       a longer one

Everybody asks the same server on loopback from one process, in turns, and the median over the rounds is printed:
CPU time is steadier than the clock on the wall, and what counts is the ratio. `tavily-python` and `perplexityai` are
measured where they are installed.
"""

import argparse
import asyncio
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from importlib import import_module
from itertools import count
from pathlib import Path

from benchmarks.faults.server import vendors
from seekread import Seekread

Ask = Callable[[str], Awaitable[object]]
WIDTHS = (1, 16)


def seekread(url: str, **settings: object) -> Seekread:
    providers = {"brave": {"base_url": f"{url}/brave", "api_key": "k"}}
    return Seekread("brave", settings=settings, providers=providers, environ={"HOME": "/nonexistent"})


async def contenders(url: str, folder: str, stack: AsyncExitStack) -> tuple[dict[str, Ask], list[str]]:
    """Who is measured, and who is missing."""
    import httpx2

    raw = await stack.enter_async_context(httpx2.AsyncClient())
    plain = await stack.enter_async_context(seekread(url, store="memory:", cache=False))
    usual = await stack.enter_async_context(seekread(url, store=str(Path(folder) / "state.sqlite")))

    async def ask_raw(query: str) -> object:
        return (await raw.get(f"{url}/brave/web/search", params={"q": query})).json()

    asks: dict[str, Ask] = {
        "raw httpx2": ask_raw,
        "seekread, memory, no cache": plain.search,
        "seekread, file and cache, new query": usual.search,
        "seekread, answered from the cache": lambda _: usual.search("always the same"),
    }
    missing = []
    try:
        tavily = import_module("tavily").AsyncTavilyClient("k", api_base_url=f"{url}/tavily")
    except ImportError:
        missing.append("tavily-python")
    else:
        asks["tavily-python"] = tavily.search
    try:
        perplexity = import_module("perplexity").AsyncPerplexity(api_key="k", base_url=f"{url}/tavily")
    except ImportError:
        missing.append("perplexityai")
    else:
        await stack.enter_async_context(perplexity)
        asks["perplexityai"] = lambda query: perplexity.search.create(query=query)
    return asks, missing


async def cpu(ask: Ask, calls: int, width: int, numbers: "count[int]") -> float:
    """Milliseconds of CPU for one search."""
    turns = iter(range(calls))

    async def worker() -> None:
        for _ in turns:
            await ask(f"query {next(numbers)}")

    started = time.process_time()
    await asyncio.gather(*(worker() for _ in range(width)))
    return (time.process_time() - started) * 1000 / calls


async def searches(rounds: int, calls: int) -> None:
    numbers = count()
    with vendors() as running, tempfile.TemporaryDirectory() as folder:
        async with AsyncExitStack() as stack:
            asks, missing = await contenders(running.url, folder, stack)
            for ask in asks.values():
                await cpu(ask, 5, 1, numbers)
            spent: dict[tuple[str, int], list[float]] = {(name, width): [] for name in asks for width in WIDTHS}
            for _ in range(rounds):
                for (name, width), times in spent.items():
                    times.append(await cpu(asks[name], calls, width, numbers))
    print(f"CPU per search, median of {rounds} rounds of {calls} searches")
    print(f"  {'':<38}{'one at a time':>18}{'16 at once':>18}")
    for name in asks:
        cells = ""
        for width in WIDTHS:
            middle = statistics.median(spent[name, width])
            cells += f"{middle:>9.2f} ms {middle / statistics.median(spent['raw httpx2', width]):>4.2f}x"
        print(f"  {name:<38}{cells}")
    for name in missing:
        print(f"  {name:<38}   not installed here")


def cold(rounds: int) -> None:
    """CPU of a process from its start to its end."""
    with vendors() as running, tempfile.TemporaryDirectory() as home:
        url = f"{running.url}/brave"
        environ = {**os.environ, "HOME": home, "BRAVE_SEARCH_API_KEY": "k", "SEEKREAD_BRAVE_BASE_URL": url}
        get = f"import httpx2; httpx2.get('{url}/web/search', params={{'q': 'tea'}}).json()"
        commands = {
            "python -c 'import httpx2'": [sys.executable, "-c", "import httpx2"],
            "python, one httpx2.get": [sys.executable, "-c", get],
            "import seekread": [sys.executable, "-c", "import seekread"],
            "seekread --help": [sys.executable, "-m", "seekread", "--help"],
            "seekread search tea": [sys.executable, "-m", "seekread", "search", "tea", "-p", "brave"],
        }
        spent: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(rounds):
            for name, command in commands.items():
                before = children()
                subprocess.run(command, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
                spent[name].append(children() - before)
    base = statistics.median(spent["python -c 'import httpx2'"])
    print(f"\nCold start, CPU of the whole process, median of {rounds}")
    for name, times in spent.items():
        print(f"  {name:<38}{statistics.median(times) * 1000:>9.0f} ms {statistics.median(times) / base:>4.2f}x")


def children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="more rounds")
    wanted = parser.parse_args()
    asyncio.run(searches(*((9, 100) if wanted.full else (5, 20))))
    cold(7 if wanted.full else 3)


if __name__ == "__main__":
    main()
