"""A long page is cut at a length in characters, visibly, and every character can be reached."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seekread.errors import InvalidQuery
from seekread.models import estimated_tokens
from seekread.page.window import Window, footer, window

PIECES = st.sampled_from(
    [
        "word ",
        "A sentence. ",
        "\n",
        "\n\n",
        "```python\n",
        "```\n",
        "x = 1\n\n",
        "e\u0301",
        "👨\u200d👩\u200d👧",
        "🇩🇪",
        "漢字。",
        "\r\n",
        "| a | b |\n",
    ]
)
TEXTS = st.lists(PIECES, max_size=80).map("".join)


def windows(text: str, max_length: int) -> list[Window]:
    """Every window in turn; each must end behind the one before, or whoever follows them never arrives."""
    found = [window(text, 0, max_length)]
    while (offset := found[-1].next_offset) is not None:
        assert offset == found[-1].end > found[-1].offset
        found.append(window(text, offset, max_length))
    return found


@pytest.mark.proves("S3-36")
@given(TEXTS, st.integers(min_value=1, max_value=60))
def test_windows_put_together_are_the_page(text: str, max_length: int) -> None:
    """Following next_offset reaches every character once, and no window is longer than asked."""
    found = windows(text, max_length)
    assert "".join(part.content for part in found) == text
    assert all(0 < len(part.content) <= max_length for part in found) or text == ""
    assert all(part.content == text[part.offset : part.end] for part in found)


@pytest.mark.proves("S3-36")
def test_a_page_that_fits_is_complete_and_says_so() -> None:
    """A complete page has truncated False."""
    page = window("One paragraph.\n\nAnother.", 0, 15_000)
    assert (page.content, page.truncated, page.next_offset) == ("One paragraph.\n\nAnother.", False, None)
    assert (page.end, page.total, page.tokens, page.total_tokens) == (24, 24, 6, 6)
    assert footer(page) == "This is the complete page: 24 characters (about 6 tokens)."


@pytest.mark.proves("S3-29")
def test_the_default_length_is_fifteen_thousand_characters() -> None:
    page = window("word " * 10_000)
    assert page.truncated
    assert len(page.content) == 15_000


def test_an_empty_page_is_a_complete_window() -> None:
    assert window("") == Window("", 0, 0, 0, truncated=False, next_offset=None, tokens=0, total_tokens=0)


def test_a_cut_falls_between_paragraphs() -> None:
    text = "First paragraph here.\n\nSecond paragraph is a bit longer. It has two sentences.\n\nThird."
    assert window(text, 0, 40).content == "First paragraph here.\n\n"
    assert window("A paragraph.\n\nOne line\nand another\n", 0, 24).content == "A paragraph.\n\n"


@pytest.mark.parametrize(
    ("text", "max_length", "content"),
    [
        ("- first item\n- second item\n- third item\n", 30, "- first item\n- second item\n"),
        (
            "The first sentence. The second sentence. The third sentence.",
            50,
            "The first sentence. The second sentence. ",
        ),
        ("第一句话。第二句话。第三句话。", 12, "第一句话。第二句话。"),
        ("one two three four five", 12, "one two "),
        ("x" * 30, 10, "x" * 10),
    ],
    ids=["line", "sentence", "Chinese sentence", "word", "anywhere"],
)
def test_without_a_paragraph_the_next_best_place_is_taken(text: str, max_length: int, content: str) -> None:
    assert window(text, 0, max_length).content == content


def test_code_that_fits_is_not_cut() -> None:
    code = "```python\nfirst = 1\n\nsecond = 2\n\nthird = 3\n```\n"
    text = f"An introduction to the code.\n\n{code}\nThe end of the page.\n"
    first, second, *_ = windows(text, 60)
    assert first.content == "An introduction to the code.\n\n"
    assert second.content.startswith(code)


def test_a_blank_line_inside_code_is_no_end_of_a_paragraph() -> None:
    begin = "A paragraph at the start.\n\n```\nfirst\n\nsecond\n```\n"
    text = f"{begin}And this text goes on without any blank line in it for long."
    assert window(text, 0, 60).content == begin


def test_code_longer_than_a_window_is_cut_between_lines() -> None:
    text = "```\n" + "a line of code\n" * 20 + "```\n"
    found = windows(text, 100)
    assert all(part.content.endswith("\n") for part in found)
    assert len(found) == 4


@pytest.mark.parametrize("cluster", ["e\u0301", "👨\u200d👩\u200d👧", "👍🏽", "🇩🇪", "❤\ufe0f", "\ud83d\udc4d"])
def test_what_a_reader_sees_as_one_character_stays_whole(cluster: str) -> None:
    text = "x" * 9 + cluster + "y" * 9
    first = window(text, 0, 10)
    assert first.content == "x" * 9


@pytest.mark.parametrize("offset", [5, 99])
def test_an_offset_past_the_end_says_how_long_the_page_is(offset: int) -> None:
    with pytest.raises(
        InvalidQuery, match=rf"offset {offset} is past the end: the page has 5 characters; use .* 0 to 4"
    ):
        window("words", offset)


@pytest.mark.parametrize(("offset", "max_length"), [(-1, 10), (0, 0), (0, -5)])
def test_senseless_numbers_are_the_callers_mistake(offset: int, max_length: int) -> None:
    with pytest.raises(InvalidQuery):
        window("some words", offset, max_length)


@pytest.mark.proves("S3-13", "S3-36")
def test_the_footer_tells_exact_totals_and_where_to_go_on() -> None:
    """Truncation is visible in the text a model reads."""
    text = "A paragraph of text.\n\n" * 100
    first = window(text, 0, 1_000)
    assert first.end == 990
    assert footer(first) == (
        "The page is longer than this part: characters 0 to 990 of 2,200 (about 248 of 550 tokens). "
        "Call again with offset=990 for the next part."
    )
    assert footer(first, again="Add --offset {next_offset}.").endswith("tokens). Add --offset 990.")
    last = windows(text, 1_000)[-1]
    assert footer(last).startswith("This is the last part of the page: characters 1,980 to 2,200 of 2,200")


def test_tokens_are_counted_for_the_part_and_the_whole() -> None:
    text = "Привет, мир. " * 50
    part = window(text, 0, 100)
    assert (part.tokens, part.total_tokens) == (estimated_tokens(part.content), estimated_tokens(text))
