"""
Read a list with `read-many` in one process and on a Ray cluster of two nodes, with the same packages and one Redis.

    python -m benchmarks.ray_cluster                    2,000 pages
    python -m benchmarks.ray_cluster --pages 300        a small run

The list is read in two halves, each in one way and then in the other, so that whatever else the machine does falls on
both. Counts CPU seconds of the processes that read, and of their workers, after a quarter of the pages, when all of
them have begun: of the process itself there, of the actors here. What the first quarter took them, and the cluster's
own cost (the command that writes included), are printed beside it. Fails when a page is lost or asked for twice, and
when the actors read fewer than .9 of the pages that the process reads in a CPU second.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.batch import long_article
from benchmarks.processes import cpu_of
from benchmarks.promises import Promises
from tests.support.ray_cluster import RayCluster, descendants_of, ray_cluster
from tests.support.redis_server import RedisServer
from tests.support.small_site import SmallSite

AT_ONCE, ACTORS = 16, 2
LOOK = 0.1
"""Seconds between two looks at the processes."""
ROUNDS, LEAST = 2, 0.9


@dataclass
class Meter:
    """Looks at the CPU of processes again and again, for they come and go."""

    who: Callable[[], Mapping[str, list[int]]]
    """Names of groups, and the processes of each."""
    used: dict[str, dict[int, float]] = field(default_factory=dict)
    _ended: threading.Event = field(default_factory=threading.Event)

    def look(self) -> None:
        for name, processes in self.who().items():
            group = self.used.setdefault(name, {})
            for process in processes:
                # One that has ended has been looked at before.
                with suppress(OSError):
                    group[process] = cpu_of(process)

    def sum(self, name: str) -> float:
        """CPU seconds of a group up to now."""
        return sum(self.used.get(name, {}).values())

    def run(self) -> None:
        while not self._ended.wait(LOOK):
            self.look()

    def stop(self) -> None:
        self._ended.set()


@dataclass
class Measured:
    """What a run took."""

    pages: int
    seconds: float
    reading: float
    """CPU seconds of whoever reads, after the first quarter of the pages …"""
    beginning: float
    """… and for that, with all it takes to begin."""
    rest: float
    """CPU seconds of everything else."""


def rate_of(rounds: list[Measured]) -> float:
    """Pages in a CPU second."""
    return sum(each.pages for each in rounds) / sum(each.reading for each in rounds)


def run(
    command: list[str], environment: dict[str, str], site: SmallSite, pages: int, cluster: RayCluster | None
) -> Measured:
    """Run a command and measure whoever reads: the command itself, or the actors of a cluster."""
    started = time.monotonic()
    process = subprocess.Popen(command, env=environment)

    def who() -> Mapping[str, list[int]]:
        ours = [process.pid, *descendants_of(process.pid)]
        if cluster is None:
            return {"reading": ours}
        actors = [found for actor in cluster.actors() for found in (actor, *descendants_of(actor))]
        return {"reading": actors, "rest": list({*ours, *cluster.processes} - set(actors))}

    meter = Meter(who)
    meter.look()
    before, beginning, begun = meter.sum("rest"), 0.0, 0
    watching = threading.Thread(target=meter.run, daemon=True)
    watching.start()
    while process.poll() is None:
        if not beginning and len(site.visits.at) >= pages / 4:
            beginning, begun = meter.sum("reading"), len(site.visits.at)
        time.sleep(LOOK)
    meter.stop()
    watching.join()
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    seconds = time.monotonic() - started
    return Measured(
        len(site.visits.at) - begun, seconds, meter.sum("reading") - beginning, beginning, meter.sum("rest") - before
    )


def read(
    folder: Path, pages: int, cluster: RayCluster, redis: RedisServer, promises: Promises, *, on_ray: bool
) -> Measured:
    """Read a list in one of the two ways."""
    name = "ray" if on_ray else "process"
    folder.mkdir()
    urls, output = folder / "urls.txt", folder / "pages.jsonl"
    with SmallSite(long_article) as site:
        urls.write_text("".join(f"{site.url}/{number}\n" for number in range(pages)))
        words = ["--store", redis.url, "read-many", str(urls), "-o", str(output), "-q", "--delay", "0"]
        # As many pages under way altogether: of one host, whoever has no place for a page only waits for one.
        words += ["--per-host", str(AT_ONCE), "--at-once", str(AT_ONCE // (ACTORS if on_ray else 1)), "--engine", name]
        command = [str(cluster.python), "-m", "seekread", *words, *(["--actors", str(ACTORS)] if on_ray else [])]
        environment = {**cluster.environment, "RAY_ADDRESS": cluster.address, "SEEKREAD_ALLOW_PRIVATE": site.endpoint}
        measured = run(command, environment, site, pages, cluster if on_ray else None)
        asked = Counter(path for _, path in site.visits.at if path != "/robots.txt")
    got = Counter(json.loads(line)["outcome"] for line in output.open())
    print(
        f"{name:>8}: {pages} pages in {measured.seconds:.0f} s, {rate_of([measured]):.1f} a CPU second of who reads: "
        f"{measured.reading:.1f} s; the first quarter {measured.beginning:.1f} s; all else {measured.rest:.1f} s"
    )
    promises.at_most(f"{name}: pages lost", pages - got["ok"], 0)
    promises.at_most(f"{name}: requests for one page", max(asked.values()), 1)
    return measured


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=2000)
    wanted = parser.parse_args()
    promises = Promises("ray_cluster")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with RedisServer(folder / "redis", durable=False) as redis, ray_cluster(folder) as cluster:
            ways: dict[bool, list[Measured]] = {False: [], True: []}
            for number in range(ROUNDS):
                for on_ray, measured in ways.items():
                    where = folder / f"{number}-{on_ray}"
                    pages = wanted.pages // ROUNDS
                    measured.append(read(where, pages, cluster, redis, promises, on_ray=on_ray))
    alone, together = (rate_of(measured) for measured in ways.values())
    print(f"pages in a CPU second of whoever reads: {alone:.1f} of the process, {together:.1f} of the actors")
    promises.at_least("pages a CPU second of the actors beside one process", together / alone, LEAST)
    return promises.told()


if __name__ == "__main__":
    sys.exit(main())
