"""
One page from its address to its Markdown: `open_page` beside a script with urllib3 and trafilatura.

    python -m benchmarks.opening DATA_DIR [--every N]

DATA_DIR holds the sets of `extraction.py`. Each page is served on loopback and opened by both, in turns, each in a
process that has read pages before. Neither side starts a browser for a page that needs one. What counts is the CPU of
the process and of all below it: `open_page` fetches through the guard and reads in a worker process, the script does
both in one. Every page is new, so nothing is cached.
Exits with 1 when a required figure is missed and is no known miss.
"""

import argparse
import asyncio
import json
import lzma
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import mean, median
from typing import NamedTuple

from benchmarks import peers
from benchmarks.processes import cpu_of, family
from benchmarks.promises import Promises
from seekread.testing.server import Answer, LoopbackServer, Received

SETS = ("articles", "mixed")
REQUIRED, GOAL = 1.25, 2.0
"""CPU of the script, by ours."""
COLUMNS = {"pages": 7, "mean ms": 9, "own": 7, "median": 8, "empty": 7}
WARM = 5
"""Pages that are opened before it counts."""
SCRIPT = """
import sys
import trafilatura, urllib3
pool = urllib3.PoolManager()
for url in map(str.strip, sys.stdin):
    body = pool.request("GET", url).data
    markdown = trafilatura.extract(body, url=url, output_format="markdown", include_links=True, include_comments=False)
    print(len(markdown or ""), flush=True)
"""


async def open_all() -> None:
    """Be the process that opens pages: an address a line in, the length of its Markdown out."""
    from seekread import Seekread

    async with Seekread() as web:
        for url in map(str.strip, sys.stdin):
            page = await web.open_page(url, reader="builtin")
            print(page.original_length if page.success else 0, flush=True)


class Opened(NamedTuple):
    """What one page cost, in milliseconds of CPU, and whether nothing came of it."""

    spent: float
    own: float
    """Of it the process itself, without those below it."""
    empty: bool


class Opener:
    """A process that opens pages."""

    def __init__(self, command: list[str], environ: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1, env=environ
        )

    def open(self, url: str) -> "Opened":
        """Open one page."""
        assert self.process.stdin
        assert self.process.stdout
        own, all_of_them = self._cpu()
        print(url, file=self.process.stdin, flush=True)
        told = self.process.stdout.readline()
        if not told:
            sys.exit("a process that opens pages has ended")
        own_now, all_now = self._cpu()
        return Opened((all_now - all_of_them) * 1000, (own_now - own) * 1000, told.strip() == "0")

    def _cpu(self) -> tuple[float, float]:
        spent = list(map(cpu_of, family(self.process.pid)))
        return spent[0], sum(spent)

    def close(self) -> None:
        self.process.terminate()
        self.process.wait()


def documents(folder: Path, name: str, every: int) -> Iterator[bytes]:
    with lzma.open(folder / f"{name}.jsonl.xz", "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            if number % every == 0:
                yield json.loads(line)["html"].encode("utf-8", "surrogatepass")


@contextmanager
def openers(site: LoopbackServer) -> Iterator[dict[str, Opener]]:
    """Both, side by side."""
    host = site.url.removeprefix("http://")
    environ = {**os.environ, "SEEKREAD_ALLOW_PRIVATE": host, "SEEKREAD_STORE": "memory:"}
    with ExitStack() as stack:
        made = {
            "seekread": Opener([sys.executable, "-m", "benchmarks.opening", "--open"], environ),
            "urllib3 and trafilatura": Opener([str(peers.interpreter()), "-c", SCRIPT], environ),
        }
        for opener in made.values():
            stack.callback(opener.close)
        yield made


def compare(folder: Path, every: int, promises: Promises) -> None:
    """Print what a page costs each, set by set."""
    served: dict[str, bytes] = {}

    def answer(received: Received) -> Answer:
        body = served.get(received.path)
        return Answer("gone", 404) if body is None else Answer(body, content_type="text/html; charset=utf-8")

    names = "".join(f"{name:>{width}}" for name, width in COLUMNS.items())
    print(f"{'CPU of a page, from its address to its Markdown':<50}{names}")
    with LoopbackServer(answer) as site, openers(site) as both:
        for name in SETS:
            opened: dict[str, list[Opened]] = {opener: [] for opener in both}
            for number, body in enumerate(documents(folder, name, every)):
                path = f"/{name}/{number}"
                served[path] = body
                for opener, running in both.items():
                    page = running.open(site.url + path)
                    if number >= WARM:
                        opened[opener].append(page)
                del served[path]
            for opener, pages in opened.items():
                own, empty = mean(page.own for page in pages), sum(page.empty for page in pages)
                spent = [page.spent for page in pages]
                figures = f"{mean(spent):>9.1f}{own:>7.1f}{median(spent):>8.1f}{empty:>7}"
                print(f"  {f'{name}, {opener}':<48}{len(pages):>7}{figures}")
            ours, theirs = (sum(page.spent for page in pages) for pages in opened.values())
            promises.at_least(f"{name}: CPU of urllib3 and trafilatura beside open_page", theirs / ours, REQUIRED)
    print(f"  the aim is {GOAL}\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data_dir", type=Path, nargs="?", help="the folder with the sets of `extraction.py`")
    parser.add_argument("--every", type=int, default=1, help="only every Nth page")
    parser.add_argument("--open", action="store_true", help=argparse.SUPPRESS)
    wanted = parser.parse_args()
    if wanted.open:
        asyncio.run(open_all())
        return 0
    if wanted.data_dir is None or not all((wanted.data_dir / f"{name}.jsonl.xz").is_file() for name in SETS):
        parser.error("a folder with articles.jsonl.xz and mixed.jsonl.xz is needed")
    promises = Promises("opening")
    compare(wanted.data_dir, wanted.every, promises)
    return promises.told()


if __name__ == "__main__":
    sys.exit(main())
