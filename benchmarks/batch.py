"""
Read a list of pages in bulk from a server on loopback, then again with kill -9 in between, and crawl a site of traps.

    python -m benchmarks.batch                          2,000 pages, ten kills, a site of 500
    python -m benchmarks.batch --pages 300 --kills 3    a small run

Fails when a page is lost or doubled, when more pages are asked for again than were under way, when memory grows with
the list, when a crawl is not complete or reads more than twice its site, and when fewer than 1.7 CPU seconds are used a
second of two cores, less what the site takes of them. Whether they were there to be used is asked of Linux: where
others used more than a twentieth of a core before, or meanwhile, nothing is said about that.
"""

import argparse
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

from benchmarks.processes import cpu_of_all
from benchmarks.promises import Promises
from seekread.testing.server import Answer, Received
from tests.support.small_site import SmallSite
from tests.support.trap_site import TrapSite

AT_ONCE = 32
CORES, BUSY = 2, 0.05
"""Cores that are to be used, and the part of one that others may use."""
QUIET, PATIENCE = 2.0, 60.0
"""Seconds for which a machine has to be idle before a run, and for which that is waited for."""
GROWTH = 30.0
"""Megabytes that the process may have grown by between the first quarter of its pages and the end."""


def long_article(received: Received) -> Answer:
    """A page of some 25 KB with a text of its own."""
    if received.path == "/robots.txt":
        return Answer("", status=404)
    words = random.Random(received.path)
    names = [f"{words.choice('bcdfgh')}{words.choice('aeiou')}{words.choice('lmnrst')}our" for _ in range(40)]
    paragraphs = "".join(
        f"<p>The harbour of {words.choice(names)} takes in ships from {words.choice(names)} and <a href='/{number}'>"
        f"{words.choice(names)}</a>, which carry timber, salt and letters, as they have for {number} years.</p>"
        for number in range(120)
    )
    return Answer(f"<html><title>{received.path}</title><body><h1>{received.path}</h1>{paragraphs}</body></html>")


def command(*words: str) -> list[str]:
    polite = ["--delay", "0", "--per-host", str(AT_ONCE), "--at-once", str(AT_ONCE), "-q"]
    return [sys.executable, "-m", "seekread", "--store", "memory:", *words, *polite]


def environment(site: SmallSite) -> dict[str, str]:
    return {**os.environ, "SEEKREAD_ALLOW_PRIVATE": site.endpoint}


def memory_of(process: int) -> float:
    """Megabytes a process holds."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmRSS")), 0.0)


def lines_in(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


def quiet() -> bool:
    """Wait until nobody uses the machine, and say whether that came to be."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        before, began = cpu_of_all(), time.monotonic()
        time.sleep(QUIET)
        if (cpu_of_all() - before) / (time.monotonic() - began) < BUSY:
            return True
    return False


def throughput(folder: Path, pages: int, promises: Promises) -> None:
    """One run."""
    output = folder / "pages.jsonl"
    idle = quiet()
    with SmallSite(long_article) as site:
        urls = folder / "urls.txt"
        urls.write_text("".join(f"{site.url}/{number}\n" for number in range(pages)))
        everybody = cpu_of_all()
        before, serving, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.process_time(), time.monotonic()
        process = subprocess.Popen(command("read-many", str(urls), "-o", str(output)), env=environment(site))
        early = last = 0.0
        while process.poll() is None:
            last = memory_of(process.pid) or last
            if not early and lines_in(output) >= pages / 4:
                early = last
            time.sleep(0.2)
        seconds, served = time.monotonic() - started, time.process_time() - serving
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        everybody = cpu_of_all() - everybody
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    others = max(0.0, everybody - used - served) / seconds
    got = Counter(json.loads(line)["outcome"] for line in output.open())
    print(
        f"read-many: {pages} pages in {seconds:.1f} s: {pages / seconds:.1f} a second, "
        f"{used / pages * 1000:.1f} ms CPU a page, {served / pages * 1000:.1f} ms of the site beside it"
    )
    judged = idle and others < BUSY
    print(
        f"  CPU seconds a second: {used / seconds:.2f} of read-many, {served / seconds:.2f} of the site, {others:.2f} "
        f"of others{'' if judged else ' (not judged: the machine was busy)'}"
    )
    print(f"  memory {early:.0f} MB after a quarter, {last:.0f} MB at the end; outcomes {dict(got)}")
    promises.at_most("pages lost", pages - got["ok"], 0)
    promises.at_most("megabytes that memory grew by", last - early, GROWTH)
    if judged:
        left = CORES * seconds - served
        promises.at_least("CPU seconds a second on two cores", CORES * used / left, 1.7)


def kills(folder: Path, pages: int, times: int, promises: Promises) -> None:
    """The same list, killed again and again."""
    output, urls = folder / "killed.jsonl", folder / "urls.txt"
    running: list[subprocess.Popen[bytes]] = []
    moments = set(random.Random(7).sample(range(pages // 20, pages), times))
    mutex = threading.Lock()

    def answer(received: Received) -> Answer:
        with mutex:
            if len(site.visits.paths) in moments:
                moments.remove(len(site.visits.paths))
                running[-1].send_signal(signal.SIGKILL)
        return long_article(received)

    with SmallSite(answer) as site:
        urls.write_text("".join(f"{site.url}/{number}\n" for number in range(pages)))
        codes: list[int] = []
        while not codes or codes[-1] != 0:
            words = command("read-many", str(urls), "-o", str(output))
            running.append(subprocess.Popen(words, env=environment(site)))
            codes.append(running[-1].wait())
    written = Counter(json.loads(line)["url"] for line in output.open())
    again = sum(count - 1 for path, count in site.visits.paths.items() if path != "/robots.txt")
    killed = codes.count(-9)
    print(
        f"kill -9: {killed} times; {len(written)} of {pages} pages, {max(written.values())} at most of each, "
        f"{again} asked for again"
    )
    promises.at_most("pages lost by kills", pages - len(written), 0)
    promises.at_most("lines of one page after kills", max(written.values()), 1)
    promises.at_most("pages asked for again for each kill", again / max(1, killed), AT_ONCE)


def crawl(folder: Path, pages: int, promises: Promises) -> None:
    """A site of traps."""
    traps, output = TrapSite(pages), folder / "site.jsonl"
    with SmallSite(traps.answer) as site:
        started = time.monotonic()
        words = command("crawl", site.url, "-o", str(output), "--limit", str(10 * pages), "--depth", "200")
        subprocess.run(words, env=environment(site), check=True)
        seconds = time.monotonic() - started
    records = {row["url"].removeprefix(site.url): row for row in map(json.loads, output.open())}
    good = {path for path, row in records.items() if row["outcome"] == "ok" and not row["duplicate_of"]}
    print(
        f"crawl: {len(traps.pages & good)} of {len(traps.pages)} pages of the site in {seconds:.1f} s; "
        f"{len(records)} records, {sum('calendar' in path for path in records)} of its calendar"
    )
    promises.at_most("pages of the site that a crawl does not find", len(traps.pages - good), 0)
    promises.at_most("records of a crawl for each page of the site", len(records) / len(traps.pages), 2)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--site", type=int, default=500)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder, promises = Path(name), Promises("batch")
        throughput(folder, wanted.pages, promises)
        kills(folder, wanted.pages, wanted.kills, promises)
        crawl(folder, wanted.site, promises)
    return promises.told()


if __name__ == "__main__":
    sys.exit(main())
