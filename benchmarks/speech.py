"""
Documents of every kind that try to speak Markdown: how many do, and what the gate costs.

Texts of signs and constructs are put into documents of every kind that is read and into everything else that writes
Markdown. Two independent parsers, markdown-it and cmark, say whether an image, a raw tag or a link to anything but the
web or a mailbox came of it. Then the gate is timed on Markdown as projects write it, and on the densest there is.
"""

import argparse
import random
import statistics
import sys
import time
from collections import Counter
from pathlib import Path

from benchmarks.promises import Promises
from seekread.page.gate import gated
from tests.support.speech import WRITERS, said, speaking_text

MOST_MS = 20.0
"""CPU of the gate for 10 KB of Markdown, however dense."""
TRIES = 5
"""Each text is timed so often, and the fastest counts: others work on this machine too."""
SAMPLES = {
    "a project's README": (
        "# A project\n\n[![build](https://a.example/b.svg)](https://a.example/b) <p><img src='x.png'></p>\n\n"
        "Some words about `Vec<T>`, [links](https://a.example/), *emphasis* and ![images](https://a.example/i.png).\n\n"
        "```html\n<div>example</div>\n```\n\n- item <br> one\n- item two\n\n"
    )
    * 40,
    "a list of badges": "- `a<b>` [![x](https://a.example/b.svg)](https://c.example/) <br> text\n" * 150,
    "a table of images": "| a | b |\n|---|---|\n" + "| `x<y>` ![i](https://a.example/b.png) | <b>z</b> |\n" * 200,
    "a paragraph of images": "word ![i](https://a.example/b.png) `c<d>` <b>z</b> [l](https://x.example/y) " * 120,
    "blocks of HTML": "<p align='center'><a href='https://a.example/'><img src='a.png' alt='b'></a></p>\n\n" * 120,
}
"""Markdown in which every line has an image or a tag."""


def speaking(count: int, seed: int) -> Counter[str]:
    """How many of so many texts speak in each kind of document."""
    chance, found = random.Random(seed), Counter(dict.fromkeys(WRITERS, 0))
    writers = list(WRITERS.items())
    for number in range(count):
        name, write = writers[number % len(writers)]
        text = speaking_text(chance)
        if heard := said(write(text)):
            found[name] += 1
            print(f"{name}: {heard[0]} in {text!r}", file=sys.stderr)
    return found


def cost(text: str) -> float:
    """Milliseconds of CPU that the gate takes for 10 KB of such a text."""
    figures = []
    for _ in range(TRIES):
        started = time.process_time()
        gated(text)
        figures.append(time.process_time() - started)
    return min(figures) * 1000 / len(text) * 10_000


def main() -> int:
    """Print the figures; 1 when something speaks or the gate is slow."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--documents", type=int, default=10_000)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    found = speaking(given.documents, given.seed)
    for name, count in found.items():
        print(f"{name:24} {count:5} of {given.documents // len(WRITERS)} speak")
    documents = [path.read_text(encoding="utf-8") for path in Path(__file__).parents[1].glob("docs/**/*.md")]
    costs = {"our own documents, median": statistics.median(map(cost, documents))}
    costs |= {name: cost(text) for name, text in SAMPLES.items()}
    for name, figure in costs.items():
        print(f"the gate, CPU for 10 KB of {name}: {figure:.1f} ms")
    promises = Promises("speech")
    promises.at_most("documents that speak", found.total(), 0)
    promises.at_most("most CPU of the gate for 10 KB, ms", max(costs.values()), MOST_MS)
    return promises.told()


if __name__ == "__main__":
    sys.exit(main())
