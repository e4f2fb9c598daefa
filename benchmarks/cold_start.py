"""
CPU of a process from its start to its end: the help, a first search, a first page, beside scripts that do as much.

    python benchmarks/cold_start.py            seven rounds
    python benchmarks/cold_start.py --full     fifteen

Processes are started in turns, and their CPU is what the system counts for them and their children; medians over the
rounds, ratios taken round by round. Beside a first search stands a script with one `httpx2.get` and its JSON, beside a
first page one that reads the same page with httpx2 and trafilatura. The script is started twice: how far the two are
apart tells how far the machine can be trusted. Every search and page is new, so nothing comes from a cache.
Exits with 1 when a required figure is missed that is not known to be.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from itertools import count
from resource import RUSAGE_CHILDREN, getrusage

from benchmarks import peers
from benchmarks.faults.server import vendors
from benchmarks.promises import Promises
from seekread.testing.server import Answer, LoopbackServer, Received

BARE, SCRIPT, AGAIN, PAGE = (
    "python, nothing",
    "a script with one httpx2.get",
    "the same again",
    "httpx2 and trafilatura",
)
HELP_MS, LIBRARY, COMMAND, FIRST_PAGE = 60.0, 1.7, 2.0, 1.0
"""Required: milliseconds beyond bare Python; beside the script; beside the script that reads the page."""
PARAGRAPH = "<p>Green tea is made from leaves that were not oxidised, and the water <a href='/w'>should</a> not boil. "
ARTICLE = "".join(f"<h2>Part {n}</h2>{PARAGRAPH * 3}</p>" for n in range(40))
HTML = f"<html><head><title>Tea</title></head><body><nav><a href='/'>Home</a></nav><main><h1>Tea</h1>{ARTICLE}</main>"
SEARCH = """
import asyncio
from seekread import Seekread
async def main():
    async with Seekread("brave") as web:
        print(len((await web.search("tea {number}")).results))
asyncio.run(main())
"""
OPEN = """
import asyncio
from seekread import Seekread
async def main():
    async with Seekread() as web:
        page = await web.open_page("{site}/{number}")
        assert page.success, page.error
        print(len(page.content))
asyncio.run(main())
"""
READ = """
import sys
sys.path.append("{packages}")
import httpx2, trafilatura
print(len(trafilatura.extract(httpx2.get("{site}/{number}").text, output_format="markdown", include_links=True)))
"""


def page(_received: Received) -> Answer:
    return Answer(HTML)


def commands(engine: str, site: str, packages: str, number: int) -> dict[str, list[str]]:
    """What is started, in words that were not used before."""
    python = [sys.executable, "-c"]
    get = [*python, f"import httpx2; httpx2.get('{engine}/web/search', params={{'q': 'tea {number}'}}).json()"]
    own = [sys.executable, "-m", "seekread"]
    return {
        BARE: [*python, "pass"],
        SCRIPT: get,
        AGAIN: get,
        PAGE: [*python, READ.format(packages=packages, site=site, number=number)],
        "import seekread": [*python, "import seekread"],
        "seekread --version": [*own, "--version"],
        "seekread --help": [*own, "--help"],
        "first search, library": [*python, SEARCH.format(number=number)],
        "first search, command": [*own, "search", f"tea, and again {number}", "-p", "brave"],
        "first page, library": [*python, OPEN.format(site=site, number=number)],
    }


def children() -> float:
    used = getrusage(RUSAGE_CHILDREN)
    return (used.ru_utime + used.ru_stime) * 1000


def measured(rounds: int) -> dict[str, list[float]]:
    """Milliseconds of CPU of each command, round by round."""
    [packages] = peers.environment().glob("lib/python3*/site-packages")
    spent: dict[str, list[float]] = {}
    numbers = count()
    with vendors() as running, tempfile.TemporaryDirectory() as home, LoopbackServer(page) as site:
        engine = f"{running.url}/brave"
        environ = {**os.environ, "HOME": home, "BRAVE_SEARCH_API_KEY": "k", "SEEKREAD_BRAVE_BASE_URL": engine,
                   "SEEKREAD_ALLOW_PRIVATE": site.url.removeprefix("http://")}  # fmt: skip
        # The first turn leaves compiled modules for the next ones, as it does on a user's machine.
        environ.pop("PYTHONDONTWRITEBYTECODE", None)
        for turn in range(rounds + 1):
            for name, command in commands(engine, site.url, str(packages), next(numbers)).items():
                before = children()
                subprocess.run(command, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
                # The first turn writes what Python compiles, and the store.
                if turn:
                    spent.setdefault(name, []).append(children() - before)
    return spent


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="more rounds")
    wanted = parser.parse_args()
    rounds, promises = 15 if wanted.full else 7, Promises("cold_start")
    spent = measured(rounds)
    middle = {name: statistics.median(times) for name, times in spent.items()}

    def beside(name: str, base: str) -> float:
        return statistics.median(one / other for one, other in zip(spent[name], spent[base], strict=True))

    print(f"CPU of a process from its start to its end, medians of {rounds} rounds; beside the script with httpx2")
    for name, figure in middle.items():
        print(f"  {name:<32}{figure:>7.0f} ms {beside(name, SCRIPT):>6.2f}x")
    print()
    for name in ("seekread --version", "seekread --help"):
        promises.at_most(f"{name}, ms beyond bare Python", middle[name] - middle[BARE], HELP_MS)
    promises.at_most("first search, library, beside the script", beside("first search, library", SCRIPT), LIBRARY)
    promises.at_most("first search, command, beside the script", beside("first search, command", SCRIPT), COMMAND)
    promises.at_most("first page, beside httpx2 and trafilatura", beside("first page, library", PAGE), FIRST_PAGE)
    return promises.told()


if __name__ == "__main__":
    sys.exit(main())
