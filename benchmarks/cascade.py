"""
Our cascade beside Chromium's: which elements of real pages get other values.

    python -m benchmarks.cascade DATA_DIR [--every N]

DATA_DIR is that of `extraction.py`. Pages with style sheets of their own are opened in Chromium without scripts and
without anything that lies elsewhere, and every element with text is compared in what decides whether it is seen.
"""

import argparse
import asyncio
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.async_api import Error
from selectolax.lexbor import LexborHTMLParser

from benchmarks.extraction import MUCH_CSS, SETS, pages
from seekread.extraction.colours import alike, parse_colour
from seekread.extraction.css_cascade import Cascade
from seekread.extraction.css_conditions import WIDTHS
from seekread.extraction.css_look import Look
from seekread.extraction.css_select import OutOfBudget, StepBudget
from seekread.extraction.css_sheet import read_sheets
from seekread.extraction.hiding import opacity
from seekread.extraction.inks import Inks
from seekread.extraction.markup import Box, Markup
from seekread.extraction.visibility import QUIRKS, STEPS, sources_of
from seekread.readers.browser.chromium import NOWHERE
from seekread.readers.browser.process import BrowserProcess, PageLost

ASK = """() => [...document.body.querySelectorAll("*")].map((one) => {
  const style = getComputedStyle(one);
  return [one.localName, style.display, style.visibility, style.opacity, style.fontSize, style.color,
          style.backgroundColor];
})"""
SCRIPTS = re.compile(r"<script\b.*?</script\s*>", re.DOTALL | re.IGNORECASE)
PATIENCE = 20_000
"""Milliseconds that a page may take."""
Differences = dict[str, Any]


def looked_at(html: str, steps: int = STEPS) -> tuple[Markup, Inks]:
    """A page as our cascade sees it."""
    document = LexborHTMLParser(html)
    quirks = QUIRKS.match(html) is None
    markup = Markup(document, quirks=quirks)
    sources = [(text, condition) for text, condition in sources_of(document, {}) if text is not None]
    sheets = read_sheets(sources, markup)
    return markup, Inks(Look(Cascade(markup, sheets, StepBudget(steps)), 0, WIDTHS[0]))


def differences(box: Box, inks: Inks, theirs: list[str]) -> Differences:
    """What differs on one element: display only as far as there is a box, letters by a fraction of a pixel."""
    _, display, visibility, share, size, colour, background = theirs
    look = inks.look
    ink, ground = parse_colour(colour), parse_colour(background)
    own = inks.background(box)
    # What is declared for a box that is not there has no effect, and is not compared.
    boxed = display != "contents"
    wrong = {
        "display": any((display == kind) != (look.value(box, "display") == kind) for kind in ("none", "contents")),
        "visibility": visibility != look.value(box, "visibility", "visible"),
        "opacity": boxed and abs(float(share) - opacity(look, box)) > 0.001,
        "font-size": abs(float(size[:-2]) - look.font_size(box)) > 0.1,
        "color": ink is not None and not alike(ink, inks.colour(box)),
        "background": boxed and ground is not None and own is not None and (ground.alpha > 0.5) != (own.alpha > 0.5),
    }
    return {name: (theirs, look.specified(box)) for name, differs in wrong.items() if differs}


@dataclass
class Comparison:
    """What was compared, and what came of it."""

    pages: int = 0
    elements: int = 0
    wrong: Counter[str] = field(default_factory=Counter)
    passed_over: Counter[str] = field(default_factory=Counter)

    def add(self, html: str, theirs: list[list[str]]) -> None:
        """Compare one page."""
        markup, inks = looked_at(html, 100 * STEPS)
        body = markup.document.body
        boxes = list(markup.box(body).below()) if body is not None else []
        if [box.tag for box in boxes] != [row[0].lower() for row in theirs]:
            self.passed_over["nested differently"] += 1
            return
        try:
            for box, row in zip(boxes, theirs, strict=True):
                if box.node.text(deep=False).strip():
                    self.elements += 1
                    self.wrong.update(differences(box, inks, row).keys())
            self.pages += 1
        except OutOfBudget:
            self.passed_over["out of budget"] += 1


async def compare(folder: Path, every: int) -> None:
    """Print how many elements of real pages differ, by property."""
    found = Comparison()
    process = BrowserProcess()
    try:
        for name in SETS:
            for page in pages(folder / f"{name}.jsonl.xz", every):
                html = SCRIPTS.sub("", page["html"])
                if sum(len(node.text()) for node in LexborHTMLParser(html).css("style")) <= MUCH_CSS:
                    continue
                try:
                    theirs = await computed(process, html)
                except (PageLost, Error):
                    found.passed_over["no answer"] += 1
                    continue
                found.add(html, theirs)
    finally:
        await process.close()
    print(f"{found.elements} elements with text on {found.pages} pages")
    print(*(f"{count} pages passed over: {why}" for why, count in found.passed_over.items()), sep="\n")
    print(*(f"{name}: {count} differ" for name, count in found.wrong.most_common()), sep="\n")


async def computed(process: BrowserProcess, html: str) -> list[list[str]]:
    """What Chromium computes for every element of a page, in order."""
    # A context for each page: one that hears nothing from us while we work is given up.
    async with process.context(NOWHERE) as context:
        page = await context.new_page()
        await page.set_content(html, wait_until="domcontentloaded", timeout=PATIENCE)
        return list(await page.evaluate(ASK))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data_dir", type=Path)
    parser.add_argument("--every", type=int, default=1, help="compare every n-th page only")
    arguments = parser.parse_args()
    asyncio.run(compare(arguments.data_dir, arguments.every))


if __name__ == "__main__":
    main()
