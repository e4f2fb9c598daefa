"""The parts of a page that answer a question, within a budget."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seekread.errors import InvalidQuery
from seekread.models import estimated_tokens
from seekread.page.passages import LONGEST_SPACELESS, Frame, PassageIndex, passages, short_enough

FILLER = "Nothing of interest happened on this quiet afternoon in the village. The river flowed slowly to the sea. "

PAGE = f"""\
# The lighthouse of Norrby

{FILLER * 4}

## Building

The tower was built by Karl Lind between 1861 and 1864. It stands 42 metres above the rocks. {FILLER * 3}

## Keepers

{FILLER * 2}The first keeper, Anna Berg, lived there with nine cats. She kept a diary that survives to this day.

| Keeper | Years |
| --- | --- |
| Anna Berg | 1864 to 1890 |
| Olof Strand | 1890 to 1921 |
| Maja Holm | 1921 to 1950 |

## Light

{FILLER * 3}

```python
def flash(seconds: int) -> None:
    lamp.on(seconds)
```
"""


def test_the_answer_stands_in_the_passages_in_document_order() -> None:
    found = passages(PAGE, "Who built the tower, and which cats did the first keeper have?", budget=400)
    assert "built by Karl Lind between 1861 and 1864" in found.content
    assert "lived there with nine cats" in found.content
    offsets = [passage.offset for passage in found.passages]
    assert offsets == sorted(offsets)
    assert all(PAGE[passage.offset : passage.end] == passage.text for passage in found.passages)


def test_a_passage_keeps_the_headings_above_it() -> None:
    (passage, *_) = passages(PAGE, "tower metres above rocks", budget=250).passages
    assert passage.heading == "The lighthouse of Norrby › Building"
    assert passages(PAGE, "tower metres above rocks", budget=250).content.startswith(
        "**The lighthouse of Norrby › Building**\n\nThe tower was built"
    )


def test_the_sentence_after_the_word_that_was_asked_for_comes_along() -> None:
    found = passages(PAGE, "nine cats", budget=200)
    assert "She kept a diary" in found.content


def test_words_of_a_heading_count_for_everything_under_it() -> None:
    text = f"# Opening hours\n\nTuesday to Sunday, ten to five.\n\n# History\n\n{FILLER * 5}"
    assert passages(text, "opening hours", budget=120).passages[0].text == "Tuesday to Sunday, ten to five."


def test_a_row_comes_with_the_head_of_its_table() -> None:
    found = passages(PAGE, "Maja Holm", budget=130)
    assert [passage.text for passage in found.passages] == [
        "| Keeper | Years |\n| --- | --- |",
        "| Maja Holm | 1921 to 1950 |",
    ]


TABLE = "| code | meaning |\n| --- | --- |\n| 1 | a lamp is broken |\n| 2 | no oil |\n| 3 | the keeper sleeps |"


def test_the_head_of_a_table_never_stands_for_the_table() -> None:
    found = passages(f"{TABLE}\n\n{FILLER * 4}", "which code has which meaning", budget=80)
    assert [passage.text for passage in found.passages] == [
        "| code | meaning |\n| --- | --- |\n| 1 | a lamp is broken |"
    ]


def test_where_passages_stand_alone_a_head_comes_only_right_above_its_row() -> None:
    index = PassageIndex(f"{TABLE}\n\n{FILLER * 4}")

    def alone(question: str) -> list[str]:
        found = index.passages(question, budget=80, frame=Frame("\n\n", headings=False))
        return [passage.text for passage in found.passages]

    assert alone("keeper sleeps") == ["| 3 | the keeper sleeps |"]
    assert alone("lamp is broken") == ["| code | meaning |\n| --- | --- |\n| 1 | a lamp is broken |"]


def test_a_head_that_comes_along_is_told_from_what_answers() -> None:
    found = passages(f"{TABLE}\n\n{FILLER * 4}", "keeper sleeps", budget=120)
    assert [passage.head for passage in found.passages] == [True, False]


def test_a_long_row_is_not_beaten_by_the_short_rows_around_it() -> None:
    long_row = f"| browser | {'a long explanation ' * 15}|"
    text = f"| job | choice |\n| --- | --- |\n| values | one |\n{long_row}\n| cache | two |\n\n{FILLER * 4}"
    found = passages(text, "browser", budget=400)
    assert [passage.text for passage in found.passages] == ["| job | choice |\n| --- | --- |", long_row]


def test_long_code_is_cut_between_lines_and_its_parts_are_without_fences() -> None:
    code = [f"lamp_{number} = light(oil={number}, keeper='Anna Skov', wind='north')" for number in range(9)]
    text = "\n".join(["```python", *code, "```", "", "Lamps burn oil.", ""]) + FILLER * 4
    chunks = [text[chunk.start : chunk.end] for chunk in PassageIndex(text, 80).chunks]
    assert chunks[:10] == [*code, "Lamps burn oil."]


def test_a_long_line_of_code_is_cut_between_words() -> None:
    line = "lamp oil keeper wind " * 20
    text = f"```\n{line}\n```"
    assert {word for chunk in PassageIndex(text, 80).chunks for word in text[chunk.start : chunk.end].split()} == {
        "lamp",
        "oil",
        "keeper",
        "wind",
    }


def test_a_short_piece_of_code_stays_whole() -> None:
    found = passages(PAGE, "flash lamp seconds", budget=200)
    assert "```python\ndef flash(seconds: int) -> None:\n    lamp.on(seconds)\n```" in found.content


@pytest.mark.parametrize(
    ("text", "question", "answer"),
    [
        ("The committee rejected both proposals. " + FILLER * 20, "proposal rejection", "rejected both"),
        (
            "Die Verteidigungslinie hielt. " + "Es regnete den ganzen Tag in der Stadt. " * 40,
            "Wie war die Verteidigung?",
            "hielt",
        ),
        ("Der Fluß heißt Weiße Elster. " + "Es regnete den ganzen Tag in der Stadt. " * 40, "weisser Fluss", "Elster"),
        (
            "Они построили новые мосты. " + "Весь день шел дождь, и было холодно. " * 40,
            "Кто построил новый мост?",
            "построили",
        ),
        ("大桥于1957年建成。" + "今天天气很好，我们去公园散步。" * 60, "大桥是哪一年建成的？", "1957"),
        ("橋は1957年に完成した。" + "今日は天気がよいので散歩に行きます。" * 60, "橋はいつ完成しましたか", "1957"),
        ("다리는 1957년에 완공되었다. " + "오늘은 날씨가 좋아서 산책을 갑니다. " * 60, "다리가 완공된 해는?", "1957"),
        ("สะพานสร้างเสร็จในปี 1957 " + "วันนี้อากาศดีมากเราไปเดินเล่น " * 60, "สะพานสร้างปีไหน", "1957"),
        (
            "Le pont fut achevé en 1957. " + "Il pleuvait sur la ville toute la journée. " * 40,
            "achèvement du pont",
            "1957",
        ),
        ("The Kyrgyzstan embassy moved. " + FILLER * 20, "Krygyzstan", "moved"),
    ],
    ids=["en", "de compound", "de sharp s", "ru", "zh", "ja", "ko", "th", "fr", "misspelled"],
)
def test_words_match_across_endings_compounds_scripts_and_slips(text: str, question: str, answer: str) -> None:
    first = passages(f"{text[len(text) // 2 :]}\n\n{text}", question, budget=120).passages
    assert any(answer in passage.text for passage in first)


def test_a_question_about_something_else_has_no_passages() -> None:
    """Nothing found is an answer: small words of the question alone are not enough."""
    found = passages(PAGE, "What is the price of copper in Zambia?", budget=500)
    assert (found.passages, found.used, found.content) == ((), 0, "")
    assert found.total == len(PAGE)


def test_an_empty_page_has_no_passages() -> None:
    assert passages("", "anything", budget=100).passages == ()
    assert passages("# Only a heading", "heading", budget=100).passages == ()


@pytest.mark.parametrize(("query", "budget"), [("", 100), ("  ", 100), ("cats", 0), ("cats", -1)])
def test_senseless_arguments_are_the_callers_mistake(query: str, budget: int) -> None:
    with pytest.raises(InvalidQuery):
        passages(PAGE, query, budget=budget)


@given(
    st.integers(min_value=1, max_value=3_000),
    st.sampled_from(["cats keeper diary", "tower", "river sea Anna 1890 flash", "afternoon"]),
)
def test_the_content_never_exceeds_the_budget(budget: int, query: str) -> None:
    index = PassageIndex(PAGE)
    characters = index.passages(query, budget=budget)
    assert len(characters.content) <= budget
    assert characters.used == len(characters.content)
    tokens = index.passages(query, budget=budget, unit="tokens")
    assert estimated_tokens(tokens.content) <= budget
    assert (tokens.used, tokens.total) == (estimated_tokens(tokens.content), estimated_tokens(PAGE))


def test_a_budget_below_one_sentence_gives_its_beginning() -> None:
    (passage,) = passages(PAGE, "Who built the tower?", budget=30).passages
    assert passage.text == "The tower was built by Karl "


def test_a_large_budget_joins_neighbours_into_one_passage() -> None:
    text = "The cat slept. The cat woke. The cat ate."
    (passage,) = passages(text, "cat", budget=1_000).passages
    assert (passage.offset, passage.end, passage.text) == (0, len(text), text)


def test_scores_say_how_much_of_the_question_is_covered() -> None:
    index = PassageIndex(PAGE)
    covered = max(passage.score for passage in index.passages("tower built Karl Lind", budget=200).passages)
    barely = max(passage.score for passage in index.passages("tower zebra quartz banjo", budget=200).passages)
    assert covered > 0.9
    assert barely < 0.5


def test_a_reranker_sees_the_best_parts_with_their_headings_and_decides() -> None:
    seen: list[str] = []

    def prefer_diaries(query: str, texts: Sequence[str]) -> list[float]:
        assert query == "keeper"
        seen.extend(texts)
        return [float("diary" in text) for text in texts]

    found = passages(PAGE, "keeper", budget=150, rerank=prefer_diaries)
    assert "She kept a diary that survives to this day." in [passage.text for passage in found.passages]
    assert any(text.startswith("The lighthouse of Norrby › Keepers\n") for text in seen)


def test_a_very_long_line_without_stops_is_still_cut() -> None:
    text = "word " * 5_000 + "needle " + "word " * 5_000
    found = passages(text, "needle", budget=500)
    assert "needle" in found.content
    assert found.used <= 500


LONG_PAGE = "\n\n".join(
    [
        "Tokens are revoked in the console. Open the page of the token and choose revoke.",
        *(f"Paragraph {number} is about a console of rain in the hills. It rains there." for number in range(40)),
    ]
)


def test_passages_end_where_nothing_more_has_to_do_with_the_question() -> None:
    found = passages(LONG_PAGE, "how is a token revoked in the console", budget=15_000)
    assert "choose revoke" in found.content
    assert found.used < 300


def test_a_page_that_covers_too_little_of_a_question_gives_no_passage() -> None:
    page = "The festival of lanterns begins in spring. " * 3 + "The river is long and the city lies at its mouth."
    assert not passages(
        page, "Which river did the emperor Napoleon cross near Kaunas in June 1812?", budget=1500
    ).passages


@pytest.mark.parametrize("budget", [100, 1500, 15_000])
def test_asking_a_page_costs_no_more_than_reading_it(budget: int) -> None:
    page = "# Tea\n\nTea is a drink.\n\n## Green tea\n\nGreen tea is tea.\n\n## Black tea\n\nBlack tea is tea too."
    assert passages(page, "what is tea", budget=budget).used <= len(page)


def test_a_reranker_sees_what_the_words_of_the_question_would_leave_out() -> None:
    seen: list[str] = []

    def rerank(_question: str, texts: Sequence[str]) -> list[float]:
        seen.extend(texts)
        return [float("hills" in text) for text in texts]

    found = passages(LONG_PAGE, "how is a token revoked in the console", budget=200, rerank=rerank)
    assert len(seen) > 10
    assert "hills" in found.content


def test_a_short_form_is_found_by_its_long_one_and_the_other_way() -> None:
    page = (
        "Respiratory syncytial virus (RSV) was described in 1956. Many children have had a cold by then. "
        "It is the weather, people said. RSV peaks in winter. The common cold peaks in autumn and in spring."
    )
    assert "RSV peaks in winter" in passages(page, "When does respiratory syncytial virus peak?", budget=100).content
    assert "Respiratory syncytial" in passages(page, "What does RSV stand for?", budget=120).content


def test_of_two_sentences_alike_the_one_with_a_number_answers_how_many() -> None:
    page = (
        "The bridge has these red cables. Nobody paints it any more. It is old. It was built by hand, by men. "
        "The bridge has 312 red cables."
    )
    assert "312" in passages(page, "How many cables does the bridge have?", budget=35).content


def test_a_thai_answer_fits_into_333_characters() -> None:
    filler = "วันนี้อากาศดีมากและทุกคนออกไปเดินเล่นในสวนสาธารณะ " * 12
    page = f"{filler}กรุงเทพมหานครเป็นเมืองหลวงของประเทศไทย {filler}"
    found = passages(page, "เมืองหลวงของประเทศไทยคือเมืองใด", budget=333)
    assert "กรุงเทพมหานคร" in found.content
    assert found.used <= 333


def test_the_parts_of_a_thai_page_are_as_long_as_what_they_say() -> None:
    page = "วันนี้อากาศดีมากและทุกคนออกไปเดินเล่นในสวนสาธารณะ " * 30
    assert max(chunk.end - chunk.start for chunk in PassageIndex(page).chunks) <= 2 * LONGEST_SPACELESS


def test_a_page_that_speaks_of_nothing_else_answers() -> None:
    teas = "\n\n".join(
        f"## Part {number}\n\nGreen tea number {number} is brewed at {number} degrees, says everybody."
        for number in range(200)
    )
    found = passages(teas, "at how many degrees is green tea brewed", budget=500)
    assert "is brewed at" in found.content
    assert not passages(teas, "who won the bicycle race in Norrby", budget=500).passages


def test_of_two_sentences_alike_the_one_in_the_paragraph_about_it_answers() -> None:
    between = "It is old. Many come to see it. Some stay for a week. Few of them ever leave again."
    lighthouses = f"The harbour has a lighthouse. {between} The lamp was lit in 1801."
    streets = f"The town has streets. {between} The lamp was lit in 1855."
    text = f"{streets}\n\n{lighthouses}\n\n{FILLER}"
    found = passages(text, "when was the lamp of the lighthouse in the harbour lit", budget=26)
    assert [passage.text for passage in found.passages] == ["The lamp was lit in 1801."]


def test_of_two_sentences_alike_the_one_with_a_name_answers_who() -> None:
    text = f"The bridge was built in a hurry.\n\n{FILLER}\n\nThe bridge was built by John Smeaton.\n\n{FILLER}"
    found = passages(text, "who built the bridge", budget=40)
    assert [passage.text for passage in found.passages] == ["The bridge was built by John Smeaton."]


def test_a_sentence_that_is_a_little_too_long_stays_whole_and_a_longer_one_falls_into_even_parts() -> None:
    little = "The keeper of the old lighthouse lights its lamp every evening, even in summer, at nine."
    longer = f"{little[:-1]}, and puts it out at dawn, when the boats have come home, or later if there is fog."
    assert [little[a:b] for a, b in short_enough(little, 0, len(little), 80)] == [little]
    parts = [longer[a:b] for a, b in short_enough(longer, 0, len(longer), 80)]
    assert " ".join(parts) == longer
    assert min(map(len, parts)) > 45
    assert all(part.endswith((",", ".")) for part in parts)


def test_what_is_left_of_a_sentence_is_taken_before_one_that_says_less() -> None:
    told = "The harbour wall was built of granite in nineteen months, because its owner, a merchant who had lost three "
    told += (
        "ships to the storms, paid whoever came with a cart of stone on the very same day, and never asked for a bill."
    )
    lesser = "Of another harbour nobody remembers when it got a wall, or how much granite was in it."
    page = "\n\n".join([told, *9 * ["Nothing else is told of it."], lesser])
    assert passages(page, "harbour wall granite months", budget=250).content == told
