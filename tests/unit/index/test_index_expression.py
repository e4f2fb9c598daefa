"""What a user typed, as an expression."""

import pytest

from seekread.index.expression import MOST_TERMS, parse, spellings


def test_every_word_is_wanted() -> None:
    assert parse("red 42").strict == '(("red" OR "reds")) AND ("42")'


def test_or_joins_its_two_neighbours_only() -> None:
    assert parse("x1 y1 OR z1").strict == '("x1") AND ("y1" OR "z1")'


@pytest.mark.parametrize("text", ["OR x1", "x1 OR", "OR OR x1 OR", "x1 OR ???"])
def test_an_or_without_two_neighbours_is_nothing(text: str) -> None:
    assert parse(text).strict == '("x1")'


def test_lower_case_or_is_a_word_like_any_other() -> None:
    assert [term.pieces for term in parse("red or2 blue or").terms] == [("red",), ("or2",), ("blue",)]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("how do I remove a folder", ["remove", "folder"]),
        ("Wie kann ich einen Ordner entfernen", ["ordner", "entfernen"]),
        ("what is the WHO", ["who"]),
        ('to be "or not" at x1', ["or not", "x1"]),
        ("to be or not to be", ["to", "be", "or", "not"]),
        ("the the", ["the"]),
    ],
)
def test_small_words_are_left_out_unless_there_are_no_others(text: str, left: list[str]) -> None:
    assert [" ".join(term.pieces) for term in parse(text).terms] == left


@pytest.mark.parametrize("text", ['"red fox"', "“red fox”", "「red fox」"])
def test_a_quoted_phrase_stays_together_in_both_readings(text: str) -> None:
    expression = parse(text)
    assert expression.strict == '("red fox")'
    assert expression.loose() == '("red fox") AND ("red fox")'


def test_no_syntax_of_the_database_comes_through() -> None:
    strict = parse('NEAR(a1 b1, 2) title:c1 d1* ^e1 {f1} -g1 + "h1').strict
    assert strict == (
        '("near a1") AND ("b1") AND ("2") AND ("title c1") AND ("d1") AND ("e1") AND ("f1") AND ("g1") AND ("h1")'
    )


@pytest.mark.parametrize("text", ["", "   ", "???", '""', "OR", "- ( ) *"])
def test_text_without_a_word_is_no_expression(text: str) -> None:
    assert not parse(text)


def test_a_single_character_is_looked_for_at_the_start_of_pairs() -> None:
    assert parse("京").strict == '("京"*)'


def test_a_run_that_is_not_the_end_of_a_phrase_is_spelled_as_it_is_stored() -> None:
    assert parse("入門Python").strict == '("入門 門 python")'


def test_the_loose_reading_takes_long_runs_apart() -> None:
    assert parse("東京天気").loose() == '"東京" OR "京天" OR "天気"'


def test_a_query_of_thousands_of_words_is_cut() -> None:
    assert len(parse(" ".join(f"w{number}" for number in range(2000))).groups) == MOST_TERMS


@pytest.mark.parametrize(
    ("word", "both"),
    [
        ("page", ["page", "pages"]),
        ("pages", ["pages", "page"]),
        ("class", ["class"]),
        ("gas", ["gas"]),
        ("of", ["of"]),
        ("x86", ["x86"]),
        ("niño", ["niño"]),
    ],
)
def test_singular_and_plural_find_each_other(word: str, both: list[str]) -> None:
    assert spellings(word) == both
