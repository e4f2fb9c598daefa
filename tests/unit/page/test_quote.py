"""Where a quotation stands on a page, or that it does not."""

import hashlib
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seekread.page.quote import nearest, quote, text_fragment

PAGE = """\
# Report

The company earned **1,234 million** euros in 2025, “more than ever”, said [Ms Müller](https://example.org/m).

| Year | Profit |
| --- | --- |
| 2024 | 980 |

It was unable to repeat this – nobody knows why – in the following year. Costs rose by 1.5 percent.
"""


def test_words_as_they_stand_are_exact() -> None:
    found = quote(PAGE, "  Costs rose by 1.5 percent. ")
    assert found is not None
    assert (found.kind, found.score) == ("exact", 1.0)
    assert PAGE[found.start : found.end] == found.text == "Costs rose by 1.5 percent."
    assert found.sha256 == hashlib.sha256(found.text.encode()).hexdigest()


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ("THE COMPANY EARNED 1,234 million euros", "The company earned **1,234 million** euros"),
        ('"more than ever", said Ms Müller', "“more than ever”, said [Ms Müller"),
        ("unable to repeat this - nobody\nknows why", "unable to repeat this – nobody knows why"),
        ("2024 980", "2024 | 980"),
        ('"nobody knows why."', "nobody knows why"),
        ("Ms Mu\u0308ller", "Ms Müller"),
    ],
)
def test_case_space_typography_and_markup_are_no_difference(wanted: str, text: str) -> None:
    found = quote(PAGE, wanted)
    assert found is not None
    assert (found.kind, found.score, found.text) == ("normalised", 1.0, text)


def test_similar_words_are_fuzzy_and_show_what_the_page_says() -> None:
    found = quote(PAGE, "It was not able to repeat this, nobody knows why, in the following year.")
    assert found is not None
    assert found.kind == "fuzzy"
    assert 0.8 <= found.score < 1
    assert found.text == "It was unable to repeat this – nobody knows why – in the following year"


def test_part_of_a_word_is_never_exact() -> None:
    """ "able to" must not stand because the page says "unable to"."""
    found = quote(PAGE, "able to repeat this")
    assert found is not None
    assert (found.kind, found.text) == ("fuzzy", "unable to repeat this")
    assert found.score < 1


@pytest.mark.parametrize("wanted", ["23", "234 million", "5 percent", "1", "202", "any"])
def test_part_of_a_number_or_a_short_part_of_a_word_is_not_there(wanted: str) -> None:
    assert quote(PAGE, wanted) is None


@pytest.mark.parametrize(
    "wanted", ["", "   ", "**", "A sentence that nobody wrote anywhere on this page at all.", "x" * 30_000]
)
def test_what_is_not_there_is_none(wanted: str) -> None:
    assert quote(PAGE, wanted) is None
    assert quote("", wanted) is None


@pytest.mark.parametrize(
    "wanted",
    [
        "It was able to repeat that, and everybody knows why, in the following year.",
        "The company lost some thousand dollars in 2025, “more than ever”",
        "Costs fell by 1.5 percent in all the years",
    ],
)
def test_words_of_which_a_third_are_others_are_not_there(wanted: str) -> None:
    assert quote(PAGE, wanted) is None


def test_dots_stand_for_what_was_left_out() -> None:
    found = quote(PAGE, "The company earned […] more than ever")
    assert found is not None
    assert found.kind == "fuzzy"
    assert found.text == "The company earned **1,234 million** euros in 2025, “more than ever"


def test_chinese_is_quoted_without_word_boundaries() -> None:
    page = "黑豹队的防守只丢了308分，在联赛中排名第六，同时也以24次拦截领先国家橄榄球联盟。"
    exact = quote(page, "在联赛中排名第六")
    close = quote(page, "在联赛里排名第六，同时以24次拦截领先国家橄榄球联盟")
    assert exact is not None
    assert exact.kind == "exact"
    assert close is not None
    assert close.kind == "fuzzy"
    assert close.text == "在联赛中排名第六，同时也以24次拦截领先国家橄榄球联盟"


@given(st.integers(0, 199), st.integers(4, 40), st.integers(0, 2**32))
def test_a_quotation_with_a_slip_is_found_where_it_was_taken(first: int, count: int, seed: int) -> None:
    words = [f"{random.Random(number).getrandbits(40):x}" for number in range(240)]
    taken = words[first : first + count]
    wanted = " ".join(taken)
    place = random.Random(seed).randrange(len(wanted))
    slipped = f"{wanted[:place]}ö{wanted[place + 1 :]}"
    found = quote(" ".join(words), slipped)
    assert found is not None
    assert wanted in found.text or found.text in wanted
    assert found.score > 0.9


def test_a_quotation_is_found_in_two_million_characters() -> None:
    """The work is bounded: a page this long is folded once and compared in a few places only."""
    draw = random.Random(7)
    words = ["".join(draw.choices("abcdefghijklmnop", k=draw.randint(2, 9))) for _ in range(4_000)]
    page = " ".join(draw.choices(words, k=310_000))
    start = page.index(" ", 1_500_000) + 1
    taken = page[start : page.index(" ", start + 300)]
    found = quote(page, taken.replace(taken.split()[5], "replaced"))
    assert found is not None
    assert (found.kind, found.start, found.text) == ("fuzzy", start, taken)
    assert quote(page, " ".join(draw.choices(words, k=40)) + " zzzz") is None


@pytest.mark.parametrize(
    ("needle", "text", "expected"),
    [
        ("kitten", "sitting", (3, 4)),
        ("abc", "xxabcxx", (0, 5)),
        ("abc", "", (3, 0)),
        ("abcd", "zzabxdzz", (1, 6)),
    ],
)
def test_the_nearest_part_has_the_smallest_edit_distance(needle: str, text: str, expected: tuple[int, int]) -> None:
    assert nearest(needle, text)[0] == brute_force(needle, text)
    if needle != "kitten":
        assert nearest(needle, text) == expected


@given(st.text("abc", min_size=1, max_size=12), st.text("abc", max_size=20))
def test_the_bit_vectors_agree_with_the_table(needle: str, text: str) -> None:
    assert nearest(needle, text)[0] == brute_force(needle, text)


def brute_force(needle: str, text: str) -> int:
    """The smallest edit distance to any part of a text, by the whole table."""
    row = list(range(len(needle) + 1))
    best = row[-1]
    for character in text:
        following = [0]
        for index, letter in enumerate(needle, 1):
            following.append(min(row[index - 1] + (letter != character), row[index] + 1, following[-1] + 1))
        row = following
        best = min(best, row[-1])
    return best


@pytest.mark.parametrize(
    ("url", "text", "expected"),
    [
        ("https://example.org/a", "two words", "https://example.org/a#:~:text=two%20words"),
        ("https://example.org/a", "well-known, a & b", "https://example.org/a#:~:text=well%2Dknown%2C%20a%20%26%20b"),
        ("https://example.org/a#part", "word", "https://example.org/a#part:~:text=word"),
        ("https://example.org/a#", "word", "https://example.org/a#:~:text=word"),
        ("https://example.org/a#:~:text=old", "word", "https://example.org/a#:~:text=word"),
        ("https://example.org/a#part:~:text=old", "word", "https://example.org/a#part:~:text=word"),
        ("https://example.org/a", "**bold** [link](https://b.example)", "https://example.org/a#:~:text=bold%20link"),
        ("https://example.org/a", "first line\n\nlast line", "https://example.org/a#:~:text=first%20line,last%20line"),
        ("https://example.org/a", "# Title", "https://example.org/a#:~:text=Title"),
        ("https://example.org/a", "| 2024 | 980 |", "https://example.org/a#:~:text=2024,980"),
        ("https://example.org/a", "grün", "https://example.org/a#:~:text=gr%C3%BCn"),
        ("https://example.org/a", " ", "https://example.org/a"),
    ],
)
def test_a_text_fragment_leads_to_the_words(url: str, text: str, expected: str) -> None:
    assert text_fragment(url, text) == expected


def test_a_long_quotation_is_given_by_its_first_and_last_words() -> None:
    text = "It begins here and " + "goes on and on " * 30 + "until it ends here."
    assert text_fragment("https://example.org/", text) == (
        "https://example.org/#:~:text=It%20begins%20here%20and%20goes%20on%20and%20on%20goes,"
        "on%20goes%20on%20and%20on%20until%20it%20ends%20here."
    )
