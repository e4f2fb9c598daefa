"""Which blocks the training of the block model takes for content, by a gold text."""

import re
from types import ModuleType

from tools.train_blocks.labels import by_gold, by_votes

MEASURE = ModuleType("score")
MEASURE.__dict__["TOKEN"] = re.compile(r"\w+")
PROSE = "The upper weir was rebuilt in spring, after the flood had taken the old gates with it."


def labels(gold: str, *texts: str) -> list[float]:
    return [float(label) for label in by_gold(gold, list(texts), MEASURE)]


def test_a_block_is_content_when_it_stands_in_the_gold_text() -> None:
    assert labels(f"Weirs\n{PROSE}", "Menu", "Weirs", PROSE, "Imprint") == [0, 1, 1, 0]


def test_of_a_text_that_the_gold_text_has_once_the_one_among_content_is_content() -> None:
    other = "Nobody expected the gauge to fail twice in one month."
    texts = (
        "Menu",
        "Weirs rebuilt at last",
        "Search",
        "Log in",
        "Basket",
        "Help",
        "Weirs rebuilt at last",
        PROSE,
        other,
    )
    assert labels(f"Weirs rebuilt at last\n{PROSE}\n{other}", *texts) == [0, 0, 0, 0, 0, 0, 1, 1, 1]


def test_the_cells_of_a_table_are_content_though_no_line_is_as_short() -> None:
    gold = f"{PROSE}\nStation Level\nUpper weir 112.4 m\nMill 98.1 m"
    assert labels(gold, PROSE, "Station", "Level", "Upper weir", "112.4 m", "Mill", "98.1 m", "Menu") == [1] * 7 + [0]


def test_a_block_of_which_less_than_half_is_wanted_is_none() -> None:
    assert labels("rebuilt weir", "The weir of the town and its gates were rebuilt") == [0]


def test_a_page_without_a_gold_text_or_without_text_has_no_content() -> None:
    assert labels("", PROSE) == [0]
    assert labels(PROSE) == []
    assert labels(PROSE, "\u2022", PROSE) == [0, 1]


def test_peers_that_found_nothing_vote_against_every_block() -> None:
    answers = {"trafilatura": PROSE, "rs-trafilatura": PROSE, "readability": "", "resiliparse": ""}
    assert by_votes(answers, ["Menu", PROSE], MEASURE).tolist() == [0, 0.75]
