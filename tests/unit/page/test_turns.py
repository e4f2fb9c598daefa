"""In which order parts of several texts are taken."""

from seekread.page.turns import in_turns

ALIKE = {0: 0.9, 1: 0.9, 2: 0.9}


def test_of_texts_that_speak_equally_well_each_says_one_thing_before_one_says_more() -> None:
    assert in_turns([0.9, 0.88, 0.86, 0.85, 0.84], [0, 0, 0, 1, 2], ALIKE, 1000) == [0, 3, 4, 1, 2]


def test_where_there_is_little_room_others_have_to_speak_as_clearly() -> None:
    scores, covered = [0.9, 0.88, 0.86, 0.85, 0.6], {0: 0.9, 1: 0.8, 2: 0.8}
    assert in_turns(scores, [0, 0, 0, 1, 2], covered, 1000)[:2] == [0, 3]
    assert in_turns(scores, [0, 0, 0, 1, 2], covered, 300)[:2] == [0, 1]
    assert in_turns([0.9, 0.88, 0.9, 0.9], [0, 0, 1, 2], ALIKE, 1) == [0, 2, 3, 1]


def test_a_text_without_most_words_of_the_question_does_not_take_turns_with_one_that_has_them() -> None:
    covered = {0: 0.9, 1: 0.3, 2: 0.3}
    assert in_turns([0.9, 0.88, 0.86, 0.85, 0.84], [0, 0, 0, 1, 2], covered, 1000)[:2] == [0, 1]


def test_a_text_that_answers_far_better_goes_on() -> None:
    assert in_turns([0.9, 0.8, 0.7, 0.3, 0.25], [0, 0, 0, 1, 2], ALIKE, 1000) == [0, 1, 2, 3, 4]


def test_what_has_nothing_to_do_with_the_question_has_no_turn() -> None:
    assert in_turns([0.9, 0.0, 0.05, 0.5], [0, 1, 2, 0], ALIKE, 1000) == [0, 3]
    assert in_turns([], [], {}, 1000) == []
    assert in_turns([0.0, 0.0], [0, 1], {}, 1000) == []
