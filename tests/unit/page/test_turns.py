"""In which order parts of several texts are taken."""

from seekread.page.turns import in_turns


def test_of_texts_that_speak_equally_well_each_says_one_thing_before_one_says_more() -> None:
    assert in_turns([0.9, 0.88, 0.86, 0.85, 0.84], [0, 0, 0, 1, 2]) == [0, 3, 4, 1, 2]


def test_a_text_that_answers_far_better_goes_on() -> None:
    assert in_turns([0.9, 0.8, 0.7, 0.3, 0.25], [0, 0, 0, 1, 2]) == [0, 1, 2, 3, 4]


def test_what_has_nothing_to_do_with_the_question_has_no_turn() -> None:
    assert in_turns([0.9, 0.0, 0.05, 0.5], [0, 1, 2, 0]) == [0, 3]
    assert in_turns([], []) == []
    assert in_turns([0.0, 0.0], [0, 1]) == []
