"""
Run benchmarks one after another, print their tables, and write them into `docs/benchmarks.md`.

    python benchmarks/run.py                    small: all that need no data of their own, about half an hour
    python benchmarks/run.py --full             at full size: hours
    python benchmarks/run.py faults overhead    only these; the rest of the page stays as it is
    python benchmarks/run.py --data FOLDER      also those that need public sets: FOLDER/extraction, FOLDER/qa …
    python benchmarks/run.py --no-page ring     leave the page alone

What others are measured with is installed into `.venvs/` first. Exits with 1 when a benchmark misses a required figure,
a known miss gets worse, or a peer cannot be installed.
"""

import argparse
import os
import sys
from pathlib import Path
from subprocess import PIPE, STDOUT, Popen

from benchmarks import peers, report
from benchmarks.catalogue import BENCHMARKS

ROOT = Path(__file__).parents[1]


def run(name: str, *, full: bool, folder: str) -> report.Section:
    """Run one and print what it prints, while it does."""
    benchmark = BENCHMARKS[name]
    command = benchmark.command(full=full, folder=folder)
    # Where the data is kept is of no interest to others.
    told = benchmark.command(full=full, folder="DATA")
    print(f"\n== {name}: {' '.join(['python', *told])}", flush=True)
    before, printed = os.getloadavg()[0], []
    environ = {**os.environ, "PYTHONUNBUFFERED": "1"}
    # A benchmark that gives up says why on stderr.
    started = [sys.executable, *command]
    with Popen(started, cwd=ROOT, env=environ, text=True, stdout=PIPE, stderr=STDOUT) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            printed.append(line)
    loads = (before, os.getloadavg()[0])
    return report.section(benchmark, told, "".join(printed), process.returncode, loads)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which of {', '.join(BENCHMARKS)} (default: all)")
    parser.add_argument("--full", action="store_true", help="full size")
    parser.add_argument("--data", default="", metavar="FOLDER", help="the folder with public sets")
    parser.add_argument("--no-page", action="store_true", help="do not write docs/benchmarks.md")
    wanted = parser.parse_args()
    if unknown := set(wanted.names) - BENCHMARKS.keys():
        parser.error(f"there is no benchmark {', '.join(sorted(unknown))}; there are {', '.join(BENCHMARKS)}")
    names = [name for name in BENCHMARKS if name in wanted.names or not wanted.names]
    lacking = [] if wanted.data else [name for name in names if BENCHMARKS[name].data]
    if lacking and wanted.names:
        parser.error(f"{', '.join(lacking)}: say with --data where the sets are")
    names = [name for name in names if name not in lacking]
    if any(BENCHMARKS[name].needs_peers for name in names):
        peers.environment()
    failed = []
    for name in names:
        section = run(name, full=wanted.full, folder=wanted.data)
        if section.code:
            failed.append(name)
        if not wanted.no_page:
            report.write({name: section})
    print()
    if lacking:
        print(f"not run, for they need --data: {', '.join(lacking)}")
    print(f"failed: {', '.join(failed)}" if failed else f"{len(names)} of {len(names)} kept what is required")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
