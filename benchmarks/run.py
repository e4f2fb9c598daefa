"""
Run every benchmark that needs no data folder of its own, one after another, and print their tables.

    python benchmarks/run.py                   small: about a quarter of an hour
    python benchmarks/run.py --full            as large as the figures in README.md: about two hours
    python benchmarks/run.py faults overhead   only these

A benchmark that misses what it promises fails, and so does the whole run.
"""

import argparse
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]

SMALL = {
    "overhead": ["overhead"],
    "senders": ["senders"],
    "store": ["store"],
    "faults": ["faults", "--scale", "0.1"],
    "hostile": ["hostile"],
    "structure": ["structure"],
    "hidden": ["hidden"],
    "ring": ["ring"],
    "money": ["money", "--calls", "600"],
    "speech": ["speech", "--documents", "1500"],
    "hidden_pdf": ["hidden_pdf"],
    "office": ["office", "--documents", "10"],
    "service": ["service_load", "--scale", "0.2"],
    "batch": ["batch", "--pages", "300", "--kills", "3", "--site", "60"],
}
FULL = {
    "overhead": ["overhead", "--full"],
    "senders": ["senders", "--full"],
    "store": ["store"],
    "faults": ["faults"],
    "hostile": ["hostile"],
    "structure": ["structure"],
    "hidden": ["hidden"],
    "ring": ["ring", "--searches", "8"],
    "money": ["money"],
    "speech": ["speech"],
    "hidden_pdf": ["hidden_pdf"],
    "office": ["office"],
    "service": ["service_load"],
    "batch": ["batch"],
}
"""
Module and options by name. `faults` contains `pace` and `kill9`; `extraction`, `passages` and `quotes` need data of
their own.
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which of {', '.join(SMALL)} (default: all)")
    parser.add_argument("--full", action="store_true", help="full size")
    wanted = parser.parse_args()
    if unknown := set(wanted.names) - SMALL.keys():
        parser.error(f"there is no benchmark {', '.join(sorted(unknown))}; there are {', '.join(SMALL)}")
    failed = []
    for name, (module, *options) in (FULL if wanted.full else SMALL).items():
        if wanted.names and name not in wanted.names:
            continue
        command = ["-m", f"benchmarks.{module}", *options]
        print(f"\n== {name}: {' '.join(['python', *command])}", flush=True)
        if subprocess.run([sys.executable, *command], check=False, cwd=ROOT).returncode:
            failed.append(name)
    if failed:
        print(f"\nfailed: {', '.join(failed)}")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
