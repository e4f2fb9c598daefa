"""
What `pip install seekread` puts on a disk: packages and megabytes, beside other packages that search and read.

    python benchmarks/install_size.py

The core lock is installed into an environment of its own; the peers are in theirs, and each is counted with everything
it needs there. Compiled modules are not counted, for they come later. numpy is told apart: most agents have it.
Exits with 1 when the core is larger than what is required.
"""

import argparse
import re
import sys
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, distributions
from pathlib import Path

from packaging.requirements import Requirement

from benchmarks import peers
from benchmarks.promises import Promises
from tests.support.environments import ROOT

MOST_MB, MOST_PACKAGES = 75, 26
APART = "numpy"
LARGEST = 8
PEERS = {
    "clients": ("tavily-python", "firecrawl-py", "langchain-community"),
    "peers": ("trafilatura",),
    "mcp-server-fetch": ("mcp-server-fetch",),
    "crawl4ai": ("crawl4ai",),
}
"""Peers by the environment they are in."""


def packages_in(environment: Path) -> dict[str, Distribution]:
    """What is installed there, by normalised name."""
    [folder] = environment.glob("lib/python3*/site-packages")
    return {normal(found.name): found for found in distributions(path=[str(folder)])}


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def megabytes(package: Distribution) -> float:
    """Its files, without what Python compiled of them."""
    files = (package.locate_file(file) for file in package.files or () if "__pycache__" not in file.parts)
    return total(Path(str(file)) for file in files)


def total(files: Iterable[Path]) -> float:
    return sum(file.stat().st_size for file in files if file.is_file()) / 1e6


def needed(name: str, installed: dict[str, Distribution]) -> dict[str, Distribution]:
    """A package with everything that it needs here."""
    looked: set[tuple[str, frozenset[str]]] = set()
    waiting = {(normal(name), frozenset[str]())}
    while waiting:
        looked |= waiting
        # What is not there was kept out by a marker.
        waiting = {
            need for name, extras in waiting if name in installed for need in needs(installed[name], extras)
        } - looked
    return {name: installed[name] for name, _ in looked if name in installed}


def needs(package: Distribution, extras: frozenset[str]) -> Iterator[tuple[str, frozenset[str]]]:
    for line in package.requires or ():
        need = Requirement(line)
        if need.marker is None or any(need.marker.evaluate({"extra": extra}) for extra in extras or {""}):
            yield normal(need.name), frozenset(need.extras)


def main() -> int:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    sizes = {name: megabytes(package) for name, package in packages_in(peers.environment("core")).items()}
    ours = [ROOT / "src" / "seekread", ROOT / "docs"]
    sizes["seekread"] = total(file for folder in ours for file in folder.rglob("*") if "__pycache__" not in file.parts)
    apart = sizes.pop(APART)
    print(f"{'installed':<28} {'MB':>6} {'packages':>9}")
    print(f"  {'seekread':<26} {sum(sizes.values()):>6.0f} {len(sizes):>9}")
    print(f"  {'seekread with numpy':<26} {sum(sizes.values()) + apart:>6.0f} {len(sizes) + 1:>9}")
    for environment, names in PEERS.items():
        installed = packages_in(peers.environment(environment))
        for name in names:
            found = needed(name, installed)
            print(f"  {name:<26} {sum(map(megabytes, found.values())):>6.0f} {len(found):>9}")
    largest = sorted(sizes.items(), key=lambda size: -size[1])[:LARGEST]
    print(f"\nof it {', '.join(f'{name} {size:.1f}' for name, size in largest)}\n")
    promises = Promises("install_size")
    promises.at_most("megabytes without numpy", round(sum(sizes.values()), 1), MOST_MB)
    promises.at_most("packages without numpy", len(sizes), MOST_PACKAGES)
    return promises.told()


if __name__ == "__main__":
    sys.exit(main())
