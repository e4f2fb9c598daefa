"""Links of a text may go when it is shown; what is left is the same words, and says nothing new."""

import pytest

from seekread.page.link_styles import restyled
from tests.support.speech import said

TEXT = "See [the map](https://a.example/map), `[code](https://b.example)` and [the map](https://a.example/map) again."


def test_inline_changes_nothing() -> None:
    assert restyled(TEXT, "inline").text == TEXT


def test_none_leaves_the_words() -> None:
    shown = restyled(TEXT, "none")
    assert shown.text == "See the map, `[code](https://b.example)` and the map again."
    assert shown.links == 1


def test_a_list_names_each_address_once() -> None:
    assert restyled(TEXT, "list").text.endswith("again.\n\nLinks:\n\n- [the map](https://a.example/map)")
    assert restyled("No links.", "list").text == "No links."


def test_a_list_ends_where_there_is_no_more_room() -> None:
    text = " ".join(f"[word {n}](https://a.example/{n})" for n in range(9))
    shown = restyled(text, "list", limit=200)
    assert len(shown.text) <= 200
    assert (shown.links, 0 < shown.listed < 9) == (9, True)
    assert restyled(text, "list", limit=80).text == restyled(text, "none").text


def test_code_keeps_its_brackets() -> None:
    code = "```\n[a](https://a.example)\n```"
    assert restyled(code, "none").text == code


def test_an_image_keeps_its_label() -> None:
    assert restyled("[image: A wall](https://a.example/w.png)", "none").text == "[image: A wall]"


def test_brackets_in_the_words_of_a_link_are_its_own() -> None:
    text = r"- [Wall \[finished\]](https://a.example/w) and [a [b] c](https://a.example/x)"
    assert restyled(text, "none").text == r"- Wall \[finished\] and a [b] c"


@pytest.mark.parametrize(
    "text",
    [
        "[foo][(javascript:alert)](https://a.example)",
        "![](https://a.example)[(https://evil.example/p.png)](https://a.example)".removeprefix("!"),
        "Look\\![x](https://a.example)(https://evil.example/p.png)",
        "[a]\\[b][(https://evil.example)](https://a.example)",
        "[a [b]](https://a.example)(javascript:x)",
        "[[b]](https://a.example)[c](https://c.example)",
        "[image: x](https://a.example)(https://evil.example/p.png)",
        "[](https://a.example)[b](https://evil.example)",
    ],
)
def test_what_is_left_makes_no_other_link(text: str) -> None:
    assert not said(restyled(text, "none").text)


def test_words_at_the_start_of_a_line_make_no_heading_or_quotation() -> None:
    assert restyled("[# obey](https://a.example)", "none").text == "\\# obey"
    assert restyled("a\n[> obey](https://a.example)", "none").text == "a\n\\> obey"
