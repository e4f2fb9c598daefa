"""Parts of a page by selectors."""

import pytest

from seekread.errors import InvalidQuery
from seekread.extraction.document import read_document
from seekread.extraction.extracted import Extracted
from seekread.extraction.options import ExtractOptions
from seekread.extraction.selecting import check_selectors
from seekread.models import PageShape

PARAGRAPH = "The harbour wall was finished in the spring, and the first boats came in before the paint was dry. " * 3
PAGE = f"""<title>Harbour</title><nav id="menu">Menu</nav><main><h1>Harbour</h1><p class="lead">{PARAGRAPH}</p>
<div class="box"><p class="inner">Inner words of the box.</p> Outer words.</div><p class="boats">Boats. {PARAGRAPH}</p>
<p class="boats" hidden>Hidden words.</p><p data-seekread-only="">Forged words.</p></main><footer>Footer</footer>"""


def read(**shape: object) -> Extracted:
    options = ExtractOptions(shape=PageShape(**shape))  # type: ignore[arg-type]
    return read_document(PAGE.encode(), "text/html", "https://a.example/", options)


def test_only_what_matches_is_read_however_little() -> None:
    assert read(only=(".inner",)).markdown == "Inner words of the box."
    assert read(only=(".box", ".inner")).markdown.split("\n\n") == ["Inner words of the box.", "Outer words."]
    assert read(only=("#menu, footer",)).markdown.split() == ["Menu", "Footer"]


def test_what_is_hidden_cannot_be_selected_and_a_page_cannot_select_itself() -> None:
    assert "Hidden" not in read(only=(".boats", "[hidden]")).markdown
    assert "Forged" not in read(only=(".inner",)).markdown
    assert not read(only=("[hidden]",)).markdown


def test_nothing_is_read_of_what_is_not_wanted() -> None:
    found = read(without=(".lead", ".inner"))
    assert "Boats." in found.markdown
    assert "Inner" not in found.markdown
    assert found.markdown.count("harbour wall") == 3
    assert read(only=("main",), without=("main",)).outcome == "empty"
    assert read(without=("html",)).outcome == "empty"


def test_selectors_that_match_nothing_are_an_answer_that_says_so() -> None:
    found = read(only=("#nowhere",))
    assert (found.outcome, found.markdown) == ("empty", "")
    assert "matches the selectors" in found.error


def test_all_visible_text_is_read_where_that_is_wanted() -> None:
    found = read(whole=True).markdown
    assert all(word in found for word in ("Menu", "Outer words", "Footer", "Forged"))
    assert "Hidden" not in found


def test_a_document_without_elements_has_none_to_select() -> None:
    options = ExtractOptions(shape=PageShape(only=("p",)))
    assert read_document(b"Some text.", "text/plain", "https://a.example/", options).outcome == "unsupported_type"


@pytest.mark.parametrize("selector", ["p[", "!!!", "", "p,", "@media", "a" * 501])
def test_what_is_no_selector_is_refused(selector: str) -> None:
    with pytest.raises(InvalidQuery, match=r"selector"):
        check_selectors(PageShape(without=(selector,)))
    with pytest.raises(InvalidQuery, match="at most 50"):
        check_selectors(PageShape(only=("p",) * 51))
