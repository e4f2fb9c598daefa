"""Whatever the security pages say has tests that show it, or is said to be nothing that a test could show."""

import re
from pathlib import Path

from tools import claims

ROOT = Path(__file__).parent.parent
ROWS = claims.load()


def test_every_sentence_of_the_pages_has_its_row_in_the_same_order() -> None:
    """A sentence that is new, or begins in another way, needs a look at its tests."""
    said = [(claim.section, claim.text) for claim in claims.all_claims()]
    rows = [(row.section, row.words) for row in ROWS]
    without = [text for section, text in said if not any(section == s and text.startswith(w) for s, w in rows)]
    assert not without
    gone = [words for section, words in rows if not any(section == s and t.startswith(words) for s, t in said)]
    assert not gone
    assert all(text.startswith(words) for (_, text), (_, words) in zip(said, rows, strict=True))


def test_every_row_names_tests_or_says_why_there_are_none() -> None:
    assert not [row.words for row in ROWS if not (row.tests or row.because)]


def test_the_tests_that_are_named_are_there() -> None:
    named = {test for row in ROWS for test in row.tests}
    assert not [test for test in named if not (ROOT / test.partition("::")[0]).is_file()]
    assert not [test for test in named if "::" not in test and not test.startswith("benchmarks/")]
    assert not [test for test in named if not all(is_written(name, test) for name in test.split("::")[1:])]


def is_written(name: str, test: str) -> bool:
    text = (ROOT / test.partition("::")[0]).read_text(encoding="utf-8")
    return re.search(rf"^ *(?:async def|def|class) {name}\b", text, re.MULTILINE) is not None


def test_a_sentence_an_item_and_a_row_are_claims_and_nothing_else_is() -> None:
    page = "# A\n\nOne.\nTwo.\n\n| a | b |\n|---|---|\n| c | d |\n\n## B\n\n- three\n\n```sh\nnot this\n```\n1. four\n"
    assert [(claim.section, claim.text) for claim in claims.claims(page)] == [
        ("A", "One."),
        ("A", "Two."),
        ("A", "c | d |"),
        ("B", "three"),
        ("B", "four"),
    ]
