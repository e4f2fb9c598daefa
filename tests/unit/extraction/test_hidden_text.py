"""Every trick of the benchmark, believed as it is written; whether it hides at all is the benchmark's to see."""

import pytest

from benchmarks.hidden import DATA, TOLD, WORDS, Case, cases, static
from tests.support.tricks import HIDING, LEAKS, NOT_HIDDEN, TRICKS

FRESH = cases(DATA / "fresh.toml")
LATER = cases(DATA / "later.toml")
CONTROLS = cases(DATA / "controls.toml")


LEFT = {
    "selectors: language of an ancestor",
    "selectors: state of a widget",
    "conditions: between two widths, pointing",
    "colours: inset shadow of the ink",
    "colours: thick line through",
    "boxes: next column",
    "boxes: clamped lines",
    "boxes: after the ellipsis",
    "boxes: start of a line from right to left",
    "boxes: reversed out of the top",
    "covers: pulled over by a margin",
    "covers: shadow of the one before",
    "covers: to the left of its anchor",
    "elements: until found",
}
"""Of the tricks that others wrote, those that a browser shows, that are kept and flagged, or that need a layout."""


@pytest.mark.parametrize(
    "case", [*(case for case in FRESH if case.name not in LEFT), *LATER], ids=lambda case: case.name
)
def test_a_trick_of_others_hides_its_words_from_models_too(case: Case) -> None:
    assert not TOLD.search(static(case.page(WORDS[0]), "https://basin.example/"))


@pytest.mark.proves("S3-33")
@pytest.mark.parametrize("case", HIDING, ids=lambda case: case.name)
def test_a_trick_hides_its_words_from_models_too(case: Case) -> None:
    assert not TOLD.search(static(case.page(WORDS[0]), "https://basin.example/"))


@pytest.mark.parametrize("case", CONTROLS, ids=lambda case: case.name)
def test_words_that_a_reader_sees_are_kept(case: Case) -> None:
    assert TOLD.search(static(case.page(WORDS[0]), "https://basin.example/"))


def test_there_are_as_many_as_promised() -> None:
    assert len(TRICKS) >= 150
    assert len(CONTROLS) >= 50
    assert {case.name for case in TRICKS} >= LEAKS | NOT_HIDDEN
