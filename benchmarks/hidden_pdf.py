"""
Text in PDFs that nobody sees: how much of it is read, and how much is lost that is seen.

The truth is a picture: each page is rendered with two different texts in the place in question. Where that makes no
difference the text is hidden, and must not be read; where it does, it must be.
"""

import argparse
import sys

from benchmarks.promises import Promises
from seekread.extraction.document import read_document
from tests.support.pdfs import CONTROLS, SCAN, TRICKS, WORDS, PdfCase, is_seen

MOST_LEAKS = 1
FEWEST_TRICKS = 14


def is_read(case: PdfCase) -> bool:
    """Say whether the text of a case is in what is read."""
    return WORDS.decode() in read_document(case.with_words(WORDS), "application/pdf", "").markdown


def main() -> int:
    """Print every case; 1 when a promise is missed."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    hidden = {name: case for name, case in TRICKS.items() if not is_seen(case)}
    leaks = [name for name, case in hidden.items() if is_read(case)]
    seen = {name: case for name, case in CONTROLS.items() if is_seen(case)}
    lost = [name for name, case in seen.items() if not is_read(case)]
    wrong = sorted({*TRICKS} - {*hidden} | {*CONTROLS} - {*seen})
    print(f"{len(hidden)} tricks that a picture proves hidden: {len(leaks)} read {leaks or ''}")
    print(f"{len(seen)} texts that a picture proves seen: {len(lost)} lost {lost or ''}")
    print(f"text read off a scan: {'kept' if is_read(SCAN) else 'LOST'}")
    print(f"cases that a picture says are none: {wrong or 'none'}")
    promises = Promises("hidden_pdf")
    promises.at_most("tricks that are read", len(leaks), MOST_LEAKS)
    promises.at_least("tricks that hide", len(hidden), FEWEST_TRICKS)
    promises.at_most("texts that are seen and lost", len(lost), 0)
    promises.at_most("cases that a picture says are none", len(wrong), 0)
    promises.at_least("text read off a scan", is_read(SCAN), 1)
    return promises.told()


if __name__ == "__main__":
    sys.exit(main())
