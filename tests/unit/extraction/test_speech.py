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
