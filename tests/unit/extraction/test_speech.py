"""Whatever a document of any kind holds, it does not speak Markdown: two independent parsers are the judges."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seekread.extraction.document import read_document
from seekread.extraction.options import ExtractOptions
from tests.support.speech import CONSTRUCTS, SIGNS, WRITERS, said, speaking_text

TEXTS = st.lists(st.sampled_from(SIGNS + CONSTRUCTS), min_size=1, max_size=20).map("".join)


def test_the_judges_hear_what_speaks() -> None:
    """A judge that never objects would prove nothing."""
    for speaking in ("![a](b)", "<b>", "[a](javascript:x)", "<ftp://a.example/>", "<div>\n\nx"):
        judges = {finding.partition(":")[0] for finding in said(speaking)}
        assert judges == {"markdown-it", "markdown-it with tables", "cmark"}
    assert not said("# A [link](https://a.example/) and `<b>`")


@pytest.mark.parametrize("writer", sorted(WRITERS))
@settings(max_examples=40, deadline=None, derandomize=True)
@given(text=TEXTS)
def test_no_document_speaks(writer: str, text: str) -> None:
    assert not said(WRITERS[writer](text))


@pytest.mark.parametrize("writer", sorted(WRITERS))
def test_no_document_speaks_whatever_chance_writes(writer: str) -> None:
    chance = random.Random(writer)
    texts = [speaking_text(chance) for _ in range(40)]
    assert not [text for text in texts if said(WRITERS[writer](text))]


ODD_CODE = (
    "<b><pre>&lt;b&gt;![a](https://evil.example/p)</pre></b>",
    "<q><section><pre>&lt;script&gt;</pre></section></q>",
    "<summary><pre>[a](javascript:x)</pre></summary>",
    "<i>a<ul><li><h3><pre>&lt;b&gt;</pre></h3></ul></i>",
    "<code>`<figure>&lt;b&gt;</figure>`&lt;b&gt;</code>",
    "<kbd>a<ul><li>```&lt;b&gt;</ul>b</kbd>",
    "<ul><li><small><dt>- [r]: javascript:x</dt></small></ul><p>[r]</p>",
    "<p>[r]<span>: javascript:x</span></p><p>[r]</p>",
    "<table><tr><td>a<br>b</td><td>c</td></tr></table>",
)


@pytest.mark.parametrize("piece", ODD_CODE)
@pytest.mark.parametrize("images", [False, True])
def test_code_in_odd_places_says_nothing(piece: str, images: bool) -> None:
    words = "<p>" + "Some ordinary sentence about a river. " * 8 + "</p>"
    page = f"<!doctype html><main><h1>A page</h1>{words}<div>{piece}</div>{words}</main>"
    read = read_document(page.encode(), "text/html", "https://ok.example/", ExtractOptions(images=images))
    assert not said(read.markdown)


IN_PIECES = (
    "<span>&lt;</span>img src=x&gt;",
    "&lt;<i></i>img src=x&gt;",
    "&lt;<wbr>/b&gt;",
    "<span>[a]</span>(javascript:x)",
    "[a]<span>(</span>javascript:x)",
    "[<b>a</b>](<i></i>javascript:x)",
    "[a]( javascript:x)",
    "<span>[a]</span><i></i>(&amp;#106;avascript:x)",
    "<i>x[a]</i><!-- c -->(javascript:x)",
    "<p><span>[r]</span><span>:</span> <span>javascript:x</span></p><p>[r]</p>",
    "<p><span>[r]</span>: &amp;#106;avascript:x</p><p>[r]</p>",
    "<p><math><mo>[</mo><mi>a</mi></math><u>]( javasc</u>ript:x)</p>",
)


@pytest.mark.parametrize("piece", IN_PIECES)
def test_words_that_stand_in_pieces_say_nothing_together(piece: str) -> None:
    words = "<p>" + "Some ordinary sentence about a river. " * 8 + "</p>"
    page = f"<!doctype html><main><h1>A page</h1>{words}<p>{piece}</p>{words}</main>"
    assert not said(read_document(page.encode(), "text/html", "https://ok.example/").markdown)


def test_code_that_crosses_the_cells_of_a_table_hides_no_image() -> None:
    cell = r"`\`![x](https://evil.example/p)`"
    assert not said(read_document(f"a\tb\n{cell}\t{cell}\n".encode(), "text/tab-separated-values", "").markdown)
    assert not said(read_document(f"| a | b |\n|---|---|\n| {cell} | {cell} |".encode(), "text/markdown", "").markdown)


@pytest.mark.parametrize("nothing", ["&#1;", "&#xfffe;", "&#xffff;"])
def test_controls_in_the_address_that_links_are_relative_to_break_nothing(nothing: str) -> None:
    """Least of all the wash: a page that breaks its worker is read without its tags."""
    words = "<p>" + "Some ordinary sentence about a river. " * 8 + "</p>"
    page = f"<base href='https://ok.example/{nothing}x/'><main><h1>A page</h1>{words}<a href='there'>a link</a>{words}"
    read = read_document(page.encode(), "text/html", "https://ok.example/")
    assert "[a link](https://ok.example/x/there)" in read.markdown
