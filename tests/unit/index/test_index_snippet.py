"""Snippets are cut from the original text, around the words that were looked for."""

import pytest

from seekread.index.expression import parse
from seekread.index.snippet import snippet

FILLER = "Nothing of interest stands in this sentence at all. " * 20


def cut(text: str, query: str, width: int = 100) -> str:
    return snippet(text, parse(query).terms, width)


def test_a_short_text_is_shown_whole_on_one_line() -> None:
    assert cut("one\n\n  two", "two") == "one two"


def test_the_matched_word_stands_in_the_middle_as_it_was_written() -> None:
    shown = cut(f"{FILLER} The Straße was closed. {FILLER}", "strasse")
    assert "Straße" in shown
    assert abs(shown.index("Straße") - len(shown) / 2) < 20


def test_cuts_fall_between_words_and_are_marked() -> None:
    shown = cut(f"{FILLER} needle {FILLER}", "needle")
    assert shown[0] == shown[-1] == "…"
    assert len(shown) <= 102
    assert set(shown.strip("…").replace(".", "").split()) <= {*FILLER.replace(".", "").split(), "needle"}


def test_the_stretch_with_more_different_words_wins() -> None:
    text = f"red red red. {FILLER} a red fox. {FILLER}"
    assert "red fox" in cut(text, "red fox")


@pytest.mark.parametrize("query", ["absent", ""])
def test_without_a_mention_the_beginning_is_shown(query: str) -> None:
    assert cut(f"First words. {FILLER}", query).startswith("First words.")


def test_a_word_inside_another_word_is_not_a_mention() -> None:
    assert "cat sat" in cut(f"concatenate {FILLER} the cat sat {FILLER}", "cat")


def test_text_without_spaces_is_cut_around_the_mention() -> None:
    shown = cut("あ" * 500 + "東京" + "い" * 500, "東京")
    assert "東京" in shown
    assert len(shown) <= 102


def test_a_word_at_the_very_end_is_shown() -> None:
    assert cut(f"{FILLER} needle", "needle").endswith("needle")


def test_a_mention_longer_than_the_snippet_does_no_harm() -> None:
    assert "a" * 40 in cut(f"{FILLER}{'a' * 300} {FILLER}", "a" * 300)
