"""How words are brought to the form in which a search compares them, on pages and in the index alike."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seekread.page.folding import fold_word, fold_words, fold_words_in_place


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Straße", "STRASSE"),
        ("café", "CAFE"),
        ("cafe\u0301", "café"),
        ("ｆｕｌｌ", "full"),
        ("ﬁne", "fine"),
        ("soft\u00adhyphen", "softhyphen"),
        ("zero\u200bwidth", "zerowidth"),
        ("か\u3099", "が"),
        ("\u1112\u1161\u11ab", "한"),
        ("ΑΘΉΝΑ", "αθηνα"),
        ("ℌ𝔸mlet", "hamlet"),
        ("ज़रूरत", "जरूरत"),
        ("й", "и"),
        ("pass\ufe0fword", "password"),
        ("pass\u034fw\u3164ord", "password"),
        ("pass\U000e0041\x07word", "password"),
    ],
)
def test_spellings_that_people_take_for_one_word_fold_to_one_word(one: str, other: str) -> None:
    assert fold_words(one) == fold_words(other)


@pytest.mark.parametrize(("one", "other"), [("か", "が"), ("हिन्दी", "हिनदी"), ("over", "ovér-")])
def test_marks_that_make_another_word_are_kept(one: str, other: str) -> None:
    assert fold_words(one) != fold_words(other)


@pytest.mark.parametrize("text", ["Straße ﬁn", "a\u00adb", "東京 x", ""])
def test_each_folded_character_knows_where_it_came_from(text: str) -> None:
    folded, origins = fold_words_in_place(text)
    assert len(folded) == len(origins)
    assert all(folded[at] in fold_words(text[origin]) for at, origin in enumerate(origins))


@settings(derandomize=True, database=None, deadline=None, max_examples=300)
@given(st.text(st.characters(categories=["L", "N"]), max_size=12))
def test_a_word_is_folded_alone_as_it_is_in_a_text(word: str) -> None:
    assert fold_word(word) == fold_words(word)
    assert fold_words(fold_words(word)) == fold_words(word)
