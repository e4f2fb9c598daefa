"""Where a quotation stands on a page, or that it does not, and then what differs."""

import hashlib
import random
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seekread.page.quote import Quotable, quote, text_fragment

PAGE = """\
# Report

The company earned **1,234 million** euros in 2025, “more than ever”, said [Ms Müller](https://example.org/m).

| Year | Profit |
| --- | --- |
| 2024 | 980 |

It was unable to repeat this – nobody knows why – in the following year. Costs rose by 1.5 percent. \
The well-known e-mail from the U.S. office says so.
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


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        (
            "It was unable to repeat this, nobody knows why, in the following year!",
            "It was unable to repeat this – nobody knows why – in the following year",
        ),
        ("more than ever said Ms Müller", "more than ever”, said [Ms Müller"),
        ("the well known email from the US office", "The well-known e-mail from the U.S. office"),
        ("The wellknown e mail", "The well-known e-mail"),
        ("rose by 1.5 percent The well-known", "rose by 1.5 percent. The well-known"),
    ],
)
def test_punctuation_and_hyphens_make_it_fuzzy_and_show_what_the_page_says(wanted: str, text: str) -> None:
    found = quote(PAGE, wanted)
    assert found is not None
    assert (found.kind, found.score, found.text) == ("fuzzy", 1.0, text)


@pytest.mark.parametrize(
    ("page", "wanted", "difference"),
    [
        ("A cup has about 30 mg of caffeine", "90 mg of caffeine", "the page says 30, the quotation 90"),
        ("We counted 1,204 birds that day", "counted 1,240 birds that day", "the page says 1,204, the quotation 1,240"),
        ("It weighs 5 kg in all", "It weighs 5 lb in all", "the page says 'kg', the quotation 'lb'"),
        ("It costs $5 a piece today", "It costs €5 a piece today", "the page says '$', the quotation '€'"),
        ("The dose is safe for children", "The dose is not safe for children", "the page does not say 'not' here"),
        ("The dose is not safe for children", "The dose is safe for children", "the quotation leaves out 'not'"),
        ("It was built by Anna Berg", "It was built by Anna Burg", "the page says 'Berg', the quotation 'Burg'"),
        ("It began on 3 May 2015", "It began on 3 March 2015", "the page says 'May', the quotation 'March'"),
        ("Dogs chase cats in spring", "Cats chase dogs in spring", "the page says these words in another order"),
        ("It was unable to repeat this", "able to repeat this", "the page says 'unable', the quotation 'able'"),
        ("Am 3. Mai 2015 wurde es kalt", "5. Mai 2015 wurde es kalt", "the page says 3, the quotation 5"),
        ("Она не приехала в Москву в мае", "Она приехала в Москву в мае", "the quotation leaves out 'не'"),
        ("黑豹队的防守只丢了308分", "黑豹队的防守只丢了380分", "the page says 308, the quotation 380"),
        ("在联赛中排名第六，同时也领先", "在联赛里排名第六，同时也领先", "the page says '中', the quotation '里'"),
        ("ในปี 2558 เขาไม่ได้มาที่นี่", "ในปี 2558 เขาได้มาที่นี่", "the quotation leaves out 'ไม่'"),
    ],
)  # fmt: skip
def test_with_another_word_it_is_not_there_and_what_differs_is_said(page: str, wanted: str, difference: str) -> None:
    """Evidence V2: "90 mg of caffeine" was close enough to 30 mg."""
    checked = Quotable(page).check(wanted)
    assert checked.found is None
    assert checked.differences == (difference,)
    assert checked.nearest is not None
    assert page[checked.nearest.start : checked.nearest.end] == checked.nearest.text


@pytest.mark.parametrize(
    ("page", "wanted"),
    [
        ("It fell to -5 degrees at night", "5 degrees at night"),
        ("It fell to -5 degrees at night", "It fell to 5 degrees at night"),
        ("We found 10⁵ cells in it", "We found 105 cells in it"),
        ("It took 1½ hours by train", "It took 11/2 hours by train"),
        ("Growth was 5% last year", "Growth was 5"),
        ("You can't do that here", "You can"),
        ("It was known in 2015.[3] Then", "it was known in 2015.3"),
        ("Costs were 10–20 euros", "Costs were 1020 euros"),
        ("A dose of 5 mW is allowed", "A dose of 5 MW is allowed"),
        ("We are now here in town", "We are nowhere in town"),
        ("3. Foo is the third of them", "4. Foo is the third of them"),
    ],
)
def test_a_sign_that_changes_the_number_or_the_word_is_no_punctuation(page: str, wanted: str) -> None:
    assert quote(page, wanted) is None


@pytest.mark.parametrize(
    ("page", "wanted"),
    [
        ("Es begann ２０１５ in Rom", "Es begann 2015 in Rom"),
        ("ในปี ๒๕๕๘ เขามาที่นี่", "ในปี 2558 เขามาที่นี่"),
        ("We found 10⁵ cells on 3 m²", "We found 10^5 cells on 3 m2"),
        ("It took 1½ hours by train", "It took 1 1/2 hours by train"),
        ("在 2015 年，他来到 Rome", "在2015年他来到Rome"),
        ("A dose of 5 mW is allowed", "A DOSE OF 5 MW IS ALLOWED"),
        ("It grew by 5 % a year", "It grew by 5% a year"),
        ("It was known in 2015.[3] Then", "IT WAS KNOWN IN 2015"),
        ("He said: «да, это так»", "he said „ДА это так“"),
    ],
)
def test_scripts_of_digits_spacing_and_typography_are_no_difference(page: str, wanted: str) -> None:
    assert quote(page, wanted) is not None


@pytest.mark.parametrize("wanted", ["23", "234 million", "5 percent", "1", "202", "any", "able to repeat this"])
def test_part_of_a_number_or_of_a_word_is_not_there(wanted: str) -> None:
    assert quote(PAGE, wanted) is None


@pytest.mark.parametrize(
    "wanted", ["", "   ", "**", "A sentence that nobody wrote anywhere on this page at all.", "x" * 30_000]
)
def test_what_is_not_there_is_none(wanted: str) -> None:
    assert quote(PAGE, wanted) is None
    assert quote("", wanted) is None


UNSHOWN = "what the quotation leaves out crosses the end of a sentence, and it does not show that"
SENTENCES = """\
The old bridge, which was built of oak and much admired, fell into the river in spring. It was not repaired by anyone.

Then Anna Berg came and paid 300 euros for the wood. Die Brücke fiel, wie alle sahen und keiner glaubte, in den Fluss.
"""


@pytest.mark.parametrize("mark", ["…", "...", "[...]", "[…]", "(…)", "(...)", ". . ."])
def test_dots_stand_for_words_without_weight(mark: str) -> None:
    found = quote(SENTENCES, f"The old bridge {mark} fell into the river in spring")
    assert found is not None
    assert (found.kind, found.score) == ("fuzzy", 0.5294)
    assert found.text == SENTENCES[: SENTENCES.index(". It")]


@pytest.mark.parametrize(
    ("wanted", "difference"),
    [
        ("It was […] repaired by anyone", "the quotation leaves out 'not'"),
        ("came and paid … euros for the wood", "the quotation leaves out 300"),
        ("Then … came and paid", "the quotation leaves out 'Anna', which may be a name"),
        ("Die Brücke fiel […] in den Fluss", "the quotation leaves out 'keiner'"),
        ("fell into the river … not repaired", UNSHOWN),
        ("The old bridge … fell into the sea", "the page says 'river', the quotation 'sea'"),
        ("into the river … The old bridge", "the page does not say these parts one after the other, close together"),
    ],
)  # fmt: skip
def test_what_is_left_out_may_not_change_what_is_said(wanted: str, difference: str) -> None:
    checked = Quotable(SENTENCES).check(wanted)
    assert checked.found is None
    assert checked.differences == (difference,)


@pytest.mark.parametrize("wanted", ["fell into the river. […] not repaired", "fell into the river …. not repaired"])
def test_the_end_of_a_sentence_may_be_left_out_where_the_quotation_shows_it(wanted: str) -> None:
    assert quote(SENTENCES, wanted) is not None


def test_chinese_is_quoted_without_word_boundaries() -> None:
    page = "黑豹队的防守只丢了308分，在联赛中排名第六，同时也以24次拦截领先国家橄榄球联盟。"
    exact = quote(page, "在联赛中排名第六")
    assert exact is not None
    assert exact.kind == "exact"
    assert quote(page, "在联赛里排名第六，同时以24次拦截领先国家橄榄球联盟") is None


@given(st.integers(0, 199), st.integers(4, 40), st.integers(0, 2**32))
def test_a_quotation_with_a_slip_is_told_where_it_was_taken(first: int, count: int, seed: int) -> None:
    words = ["".join(random.Random(number).choices("abcdefgh", k=10)) for number in range(240)]
    taken = words[first : first + count]
    place = random.Random(seed).randrange(count)
    slipped = " ".join([*taken[:place], "another", *taken[place + 1 :]])
    checked = Quotable(" ".join(words)).check(slipped)
    assert checked.found is None
    assert checked.nearest is not None
    assert checked.nearest.text == " ".join(taken)
    assert checked.differences[0].endswith("the quotation 'another'")


def test_a_quotation_is_found_in_two_million_characters() -> None:
    """The work is bounded: a page this long is folded once and compared in a few places only."""
    draw = random.Random(7)
    words = ["".join(draw.choices("abcdefghijklmnop", k=draw.randint(2, 9))) for _ in range(4_000)]
    page = " ".join(draw.choices(words, k=310_000))
    start = page.index(" ", 1_500_000) + 1
    taken = page[start : page.index(" ", start + 300)]
    quotable = Quotable(page)
    found = quotable.quote(taken.replace(" ", " - "))
    assert found is not None
    assert (found.kind, found.start, found.text) == ("fuzzy", start, taken)
    wrong = quotable.check(taken.replace(taken.split()[5], "replaced"))
    assert wrong.found is None
    assert wrong.nearest is not None
    assert (wrong.nearest.start, wrong.nearest.text) == (start, taken)
    assert quotable.quote(" ".join(draw.choices(words, k=40)) + " zzzz") is None


@pytest.mark.parametrize(
    ("page", "wanted"),
    [
        ("a" * 300_000, "a" * 20_000),
        ("a5% " * 80_000, "a5 " * 5_000),
        ("a b " * 80_000, "a … b … " * 3_000 + "c"),
        ("a-" * 150_000, "a" * 20_000),
        ("b" + " " * 300_000, "b" + " " * 100_000 + "c …"),
    ],
)
def test_pages_made_to_be_slow_are_answered(page: str, wanted: str) -> None:
    """Quadratic work would take hours here; `benchmarks/quotes.py` shows how the time grows."""
    assert quote(page, wanted) is None


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


def test_where_no_spaces_stand_a_long_quotation_is_given_by_whole_clauses() -> None:
    """Chromium finds no text that ends inside a word, and knows words where no spaces stand."""
    thai = "ที่เมืองซิบเบอร์มีประภาคารเก่าแก่แห่งหนึ่งริมทะเล สร้างขึ้นใน พ.ศ. 2407"
    first, last = (
        unquote(text_fragment("https://example.org/", f"{thai}\n\nA lamp burns oil.")).partition("=")[2].split(",")
    )
    assert (first, last) == (thai.partition(" ")[0], "A lamp burns oil.")
    clauses = ["灯塔建于一八六四年", "由安娜点亮" * 9, "至今仍然屹立在岸边"]
    first, last = unquote(text_fragment("https://example.org/", "，".join(clauses) * 3)).partition("=")[2].split(",")
    assert (first, last) == (clauses[0], clauses[2])


def test_a_line_without_any_break_is_cut_all_the_same() -> None:
    assert len(unquote(text_fragment("https://example.org/", "灯" * 5000))) < 400


def test_a_long_quotation_is_given_by_its_first_and_last_words() -> None:
    text = "It begins here and " + "goes on and on " * 30 + "until it ends here."
    assert text_fragment("https://example.org/", text) == (
        "https://example.org/#:~:text=It%20begins%20here%20and%20goes%20on%20and%20on%20goes,"
        "on%20goes%20on%20and%20on%20until%20it%20ends%20here."
    )
