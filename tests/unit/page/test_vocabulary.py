"""Which words of a page are looked at as kin of another."""

import random

from seekread.page.stemming import kinship
from seekread.page.vocabulary import PageVocabulary


def test_no_kin_is_overlooked() -> None:
    made = random.Random(3)
    words = ["".join(made.choices("abc", k=made.randint(1, 9))) for _ in range(600)]
    vocabulary = PageVocabulary(dict.fromkeys(words))
    for word in words[:150]:
        kin = {other for other in words if other != word and kinship(word, other)}
        assert kin == {other for other in vocabulary.near(word) if other != word and kinship(word, other)}


def test_the_words_between_which_there_is_no_kinship_are_left_out() -> None:
    vocabulary = PageVocabulary(dict.fromkeys(["verteidigung", "linie", "verteidigungslinie", "haus", "line"]))
    assert vocabulary.near("verteidigungslinie") == {"verteidigung", "linie", "verteidigungslinie"}
    assert vocabulary.near("linie") == {"linie", "verteidigungslinie"}
