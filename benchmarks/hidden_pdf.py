"""
Text in PDFs that nobody sees: how much of it is read, and how much is lost that is seen.

The truth is a picture: each page is rendered with two different texts in the place in question. Where that makes no
difference the text is hidden, and must not be read; where it does, it must be.
"""

import argparse
import sys

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
    print(f"{len(hidden)} tricks that a picture proves hidden: {len(leaks)} read {leaks or ''}; promised {MOST_LEAKS}")
    print(f"{len(seen)} texts that a picture proves seen: {len(lost)} lost {lost or ''}; promised 0")
    print(f"text read off a scan: {'kept' if is_read(SCAN) else 'LOST'}")
    print(f"cases that a picture says are none: {wrong or 'none'}")
    kept = len(leaks) <= MOST_LEAKS and len(hidden) >= FEWEST_TRICKS and not lost and not wrong and is_read(SCAN)
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
