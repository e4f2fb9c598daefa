"""
Structure side by side: which of 93 kinds of structure survive as Markdown, and which of some smaller shapes.

    python -m benchmarks.structure [--peers PYTHON] [--lost]

Eleven pages of our own stand in `structured_pages`, with what their Markdown must show and must not. Pages are read
with images on. `--peers` names an interpreter that has other extractors installed (trafilatura, rs-trafilatura,
readability-lxml, resiliparse, html-to-markdown); those that it lacks are left out. `--lost` names what every reader
lost. Exits with 1 when seekread keeps fewer than 90 of the 93, or loses one of the shapes.
"""

import argparse
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from benchmarks.promises import Promises
from seekread.extraction.html import extract_html

PAGES = Path(__file__).parent / "structured_pages"
PEERS = Path(__file__).parent / "structure_peers.py"
ADDRESS = "https://tidewater.example/pages/"
PROMISED = 90
SHORTEST = 20
"""Output that is shorter has hidden nothing: it has found nothing."""


@dataclass(frozen=True)
class StructureCheck:
    """Something that the Markdown of a page must show, or must not."""

    page: str
    about: str
    pattern: str
    hides: bool = False

    def holds(self, markdown: str) -> bool:
        found = re.search(self.pattern, markdown, re.MULTILINE) is not None
        return not found and len(markdown) > SHORTEST if self.hides else found


def checks_of(name: str, about: str, wanted: dict[str, str]) -> StructureCheck:
    hides = "hides" in wanted
    return StructureCheck(name, about, wanted["hides" if hides else "shows"], hides)


@cache
def kinds() -> tuple[StructureCheck, ...]:
    """The 93 kinds."""
    tables = tomllib.loads((PAGES / "kinds.toml").read_text("utf-8"))
    return tuple(checks_of(page, about, wanted) for page, kinds in tables.items() for about, wanted in kinds.items())


@cache
def page(name: str) -> str:
    """A page of ours, with header and footer in their places."""
    html = (PAGES / f"{name}.html").read_text("utf-8")
    for part in ("header", "footer"):
        html = html.replace(f"{{{part}}}", (PAGES / f"{part}.html").read_text("utf-8"))
    return html


def shapes() -> Iterator[tuple[StructureCheck, str]]:
    """The smaller shapes: each a check and the page it is made on."""
    for number, shape in enumerate(tomllib.loads((PAGES / "shapes.toml").read_text("utf-8"))["shape"]):
        html = (
            f"<!doctype html><html lang='en'><body><main><h1>Notes</h1>{LEAD}{shape['html']}{LEAD}</main></body></html>"
        )
        for key in ("shows", "hides"):
            for pattern in shape.get(key, []):
                yield StructureCheck(f"shape-{number}", shape["about"], pattern, hides=key == "hides"), html


LEAD = "<p>" + "The harbour wall was built by hand, and the sea has been at it ever since. " * 4 + "</p>"


def ours(html: str, name: str) -> str:
    return extract_html(html, ADDRESS + name, images=True).markdown


def others(python: str, documents: dict[str, str]) -> dict[str, dict[str, str]]:
    """The Markdown of every peer that an interpreter has, by name and page."""
    asked = json.dumps({"address": ADDRESS, "pages": documents})
    done = subprocess.run([python, str(PEERS)], input=asked, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", default=sys.executable, metavar="PYTHON", help="an interpreter with the peers")
    parser.add_argument("--lost", action="store_true", help="name what every reader lost")
    arguments = parser.parse_args()
    small = list(shapes())
    documents = {check.page: page(check.page) for check in kinds()} | {check.page: html for check, html in small}
    readers = {"seekread": {name: ours(html, name) for name, html in documents.items()}}
    readers |= others(arguments.peers, documents)
    promises = Promises("structure")
    print(f"| reader | of {len(kinds())} kinds | of {len(small)} checks of shapes |\n|---|---|---|")
    for name, found in readers.items():
        kept = [check for check in kinds() if check.holds(found[check.page])]
        shaped = [check for check, _ in small if check.holds(found[check.page])]
        print(f"| {name} | {len(kept)} | {len(shaped)} |")
        if arguments.lost or name == "seekread":
            for check in (*kinds(), *(check for check, _ in small)):
                if check not in kept and check not in shaped:
                    print(f"|   lost: {check.page}: {check.about} ({check.pattern}) |")
        if name == "seekread":
            promises.at_least("kinds of structure that survive", len(kept), PROMISED)
            promises.at_least("checks of smaller shapes that survive", len(shaped), len(small))
    return promises.told()


if __name__ == "__main__":
    sys.exit(main())
