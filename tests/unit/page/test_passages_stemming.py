"""Words as a search sees them."""

import pytest

from seekread.page.folding import fold_word
from seekread.page.languages import ENDINGS, STOP_WORDS, Language
from seekread.page.stemming import kinship, language_of, likeness, stem, terms, weight


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", ["infection", "infections", "infected", "infect", "infecting"]),
        ("en", ["city", "cities"]),
        ("en", ["stop", "stopped", "stopping", "stops"]),
        ("de", ["Haus", "Hauses"]),
        ("de", ["Spieler", "Spielers", "Spielern"]),
        ("ru", ["мост", "моста", "мосты", "мостами", "мостов"]),
        ("ru", ["новый", "новая", "новыми", "новых"]),
        ("fr", ["nation", "nations"]),
        ("es", ["libro", "libros"]),
    ],
)
def test_forms_of_one_word_share_a_stem(language: Language, words: list[str]) -> None:
    assert len({stem(fold_word(word), language) for word in words}) == 1


def test_short_words_and_words_with_digits_are_left_alone() -> None:
    assert [stem(word, "en") for word in ("is", "was", "h1n1s", "2020s")] == ["is", "was", "h1n1s", "2020s"]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The cat sat on the mat, and it was not amused.", "en"),
        ("Die Katze saß auf der Matte und war nicht erfreut.", "de"),
        ("Кот сидел на коврике, и это было не смешно.", "ru"),
        ("Le chat est sur la table et il ne dort pas.", "fr"),
        ("El gato no está en la mesa, pero la mesa es de madera.", "es"),
        ("猫坐在垫子上。", "none"),
        ("12345", "none"),
    ],
)
def test_small_words_tell_the_language(text: str, language: Language) -> None:
    assert language_of(text) == language


def test_scripts_without_spaces_give_characters_and_pairs() -> None:
    assert list(terms("大桥 Brücken", "de")) == ["大", "桥", "大桥", "bruck"]


def test_a_sign_of_repetition_belongs_to_the_run_it_stands_in() -> None:
    assert list(terms("人々", "none")) == ["人", "々", "人々"]


def test_indic_words_keep_their_vowel_signs() -> None:
    assert len(list(terms("हिन्दी भाषा", "none"))) == 2


def test_small_words_weigh_little_and_filler_characters_nothing() -> None:
    assert weight("which", "en") < weight("bridg", "en")
    assert weight("的", "none") == 0.0
    assert weight("大", "none") < weight("大的", "none") < weight("大桥", "none")


def test_related_and_misspelled_words_are_recognised() -> None:
    assert kinship("verteidig", "verteidigungslini") > 0
    assert kinship("panther", "panzer") == 0
    assert kinship("art", "artist") == 0
    assert likeness("kyrgystan", "kyrgyzstan") > 0
    assert likeness("embassy", "bridge") == 0


def test_the_tables_are_spelled_as_words_are_folded() -> None:
    spelled = {word for table in (STOP_WORDS, ENDINGS) for words in table.values() for word in words}
    assert {word for word in spelled if fold_word(word) != word} == set()
