"""
Run every benchmark that needs no data folder of its own, one after another, and print their tables.

    python benchmarks/run.py                   small: a few minutes
    python benchmarks/run.py --full            as large as the figures in README.md: about half an hour
    python benchmarks/run.py faults overhead   only these
"""

import argparse
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent

SMALL = {
    "overhead": ["overhead.py"],
    "store": ["store.py"],
    "faults": ["faults.py", "--scale", "0.05"],
    "hostile": ["hostile.py"],
}
FULL = {
    "overhead": ["overhead.py", "--full"],
    "store": ["store.py"],
    "faults": ["faults.py"],
    "hostile": ["hostile.py"],
}
"""Command by name. `faults` contains `pace` and `kill9`; `extraction`, `passages` and `quotes` need data."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which of {', '.join(SMALL)} (default: all)")
    parser.add_argument("--full", action="store_true", help="full size")
    wanted = parser.parse_args()
    if unknown := set(wanted.names) - SMALL.keys():
        parser.error(f"there is no benchmark {', '.join(sorted(unknown))}; there are {', '.join(SMALL)}")
    failed = 0
    for name, (script, *options) in (FULL if wanted.full else SMALL).items():
        if wanted.names and name not in wanted.names:
            continue
        print(f"\n== {name}: {' '.join(['python', f'benchmarks/{script}', *options])}", flush=True)
        failed += subprocess.run([sys.executable, str(HERE / script), *options], check=False).returncode != 0
    return failed


if __name__ == "__main__":
    sys.exit(main())
