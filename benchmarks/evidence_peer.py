"""
The spans of web-search-plus, in an environment of their own: asked on standard input, answering on standard output.

Each line asked is a JSON list of texts, a question and a budget in characters, and each line told the spans as one
string. They are chosen by its own `select_spans`, as long as its research has them, from every text by itself; those
with the best of its scores are taken while they fit, whichever text they are from. It can be given a model as a ranker,
which we have none for: this is its default, by words. It ranks no collection and finds no pages without a service, so
that there is nothing to compare with a local index, and pages to gather from are handed to it.

It imports nothing of ours, so that the environment needs nothing of ours.
"""

import json
import sys
from collections.abc import Sequence

from web_search_plus_mcp.research import SOURCE_PASSAGE_CHARS
from web_search_plus_mcp.span_extraction_v3 import select_spans

BETWEEN = "\n"


def spans(texts: Sequence[str], question: str, budget: int) -> str:
    """The best spans of all texts that fit, in the order of the texts."""
    longest = min(SOURCE_PASSAGE_CHARS, budget)
    found = [
        (-span["score"], number, span["start"], span["text"])
        for number, text in enumerate(texts)
        # No more than this many can be shown; its research takes two.
        for span in select_spans(text, question, max_spans=budget, max_span_chars=longest)
    ]
    chosen = []
    for _, number, start, text in sorted(found):
        if len(text) <= budget:
            chosen.append((number, start, text))
            budget -= len(text)
    return BETWEEN.join(text for _, _, text in sorted(chosen))


def main() -> None:
    for line in sys.stdin:
        sys.stdout.write(json.dumps(spans(*json.loads(line))) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
