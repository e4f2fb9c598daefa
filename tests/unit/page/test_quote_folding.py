"""Text as a comparison sees it, with the way back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seekread.page.folding import fold

ALPHABET = st.sampled_from(
    [*"aB1 .\n\t*_`[]()|#>-\\", "ß", "ﬁ", "⁵", "½", "๕", "…", "“", "é", "e\u0301", "\u200b", "漢", "，", "Я", "İ"]
)


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Some  TEXT\n\nhere", "some text here"),
        ("## A **bold** _word_ and `code`", "a bold word and code"),
        ('[link](https://a.example/b_(c)) and ![alt](x.png "t")', "link and alt"),
        ("snake_case and 2*3 and 2 * 3", "snake_case and 2*3 and 2 * 3"),
        ("- one\n- two\n1. three\n> four", "one two 1. three four"),
        ("| a | b |\n| --- | --- |\n| c | d |", "a b c d"),
        ("“x” – ‘y’ … soft\u00adhyphen zero\u200bwidth", "\"x\" - 'y' ... softhyphen zerowidth"),
        (r"a \* b \[c\]", "a * b c"),
        ("Straße ﬁne ＡＢＣ cafe\u0301", "strasse fine abc café"),
        ("a\u00a0b", "a b"),
        ("3. Mai ２０๑๕", "3. mai 2015"),
        ("10⁵ m² CO₂ 1½ 10⁻¹² 5①", "10^5 m2 co2 1 1/2 10^-12 5 1"),
        ("in 2015.[3] word[3] [T]he [3](x)", "in 2015. 3 word 3 the 3"),
    ],
)
def test_what_makes_no_difference_is_folded(text: str, folded: str) -> None:
    assert fold(text).text.strip() == folded


@given(st.lists(ALPHABET, max_size=60).map("".join))
def test_every_folded_character_knows_where_it_came_from(text: str) -> None:
    folded = fold(text)
    spans = [folded.span(place, place + 1) for place in range(len(folded.text))]
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert [start for start, _ in spans] == sorted(start for start, _ in spans)
    for character, (start, end) in zip(folded.text, spans, strict=True):
        if character.isalnum() and character.isascii() and end - start == 1 and text[start].isascii():
            assert text[start].lower() == character
