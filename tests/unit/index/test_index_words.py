"""How text is brought to the form in which words are compared."""

import pytest

from seekread.index.words import fold_in_place, fold_words, indexed


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
    ],
)
def test_spellings_that_people_take_for_one_word_fold_to_one_word(one: str, other: str) -> None:
    assert fold_words(one) == fold_words(other)


@pytest.mark.parametrize(("one", "other"), [("か", "が"), ("हिन्दी", "हिनदी"), ("over", "ovér-")])
def test_marks_that_make_another_word_are_kept(one: str, other: str) -> None:
    assert fold_words(one) != fold_words(other)


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("東京都", ["東京", "京都", "都"]),
        ("東", ["東"]),
        ("Python入門", ["python", "入門", "門"]),
        ("サーバー", ["サー", "ーバ", "バー", "ー"]),
        ("한국어", ["한국", "국어", "어"]),
        ("東京、大阪", ["東京", "京", "大阪", "阪"]),
        ("plain words", ["plain", "words"]),
    ],
)
def test_runs_without_spaces_are_stored_as_pairs_and_their_last_character(text: str, stored: list[str]) -> None:
    assert indexed(text).split() == stored


@pytest.mark.parametrize("text", ["Straße ﬁn", "a\u00adb", "東京 x", ""])
def test_each_folded_character_knows_where_it_came_from(text: str) -> None:
    folded, origins = fold_in_place(text)
    assert len(folded) == len(origins)
    assert all(folded[at] in fold_words(text[origin]) for at, origin in enumerate(origins))
