"""Which part of a page is handed out: with a question, what answers it and no more."""

from seekread.models import Page
from seekread.page.snapshot import with_handle
from seekread.reading.part import part_of, to_wanted
from seekread.render.pages import page_text

FILLER = "The hills are green and the token sheep are white, as they have been for a hundred years or more. "
ANSWER = "A token is revoked in the console by its owner."
PAGE = with_handle(Page(url="https://example.org/", title="Tokens", content=f"{FILLER * 200}\n\n{ANSWER}\n"))


def asked(query: str, **options: int) -> Page:
    return part_of(PAGE, to_wanted({"query": query, **options}, usual_length=15_000))


def test_a_question_gets_fifteen_hundred_characters_unless_it_asks_for_more() -> None:
    assert ANSWER in asked("who revokes a token in the console").content
    assert 1000 < len(asked("white sheep on green hills").content) <= 1500
    assert 1500 < len(asked("white sheep on green hills", max_length=4000).content) <= 4000


def test_a_page_without_an_answer_says_so_in_a_signal_and_in_words() -> None:
    page = asked("volcanoes of Iceland")
    assert page.success
    assert page.content == ""
    assert [signal.kind for signal in page.signals] == ["unanswered"]
    text = page_text(page)
    assert "Nothing on this page answers the question" in text
    assert "has no text" not in text


def test_reading_without_a_question_keeps_its_length() -> None:
    assert to_wanted({}, usual_length=15_000).max_length == 15_000
