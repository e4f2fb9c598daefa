"""The washed tree as HTML: it says what readers see, and does nothing."""

import random

import pytest

from benchmarks.hidden import TOLD, WORDS, Case
from seekread.extraction.document import read_document
from seekread.extraction.options import ExtractOptions
from seekread.models import PageShape
from seekread.page.plain import plain_text
from tests.support.inert_html import done_by
from tests.support.speech import DOCUMENTS, said, speaking_text
from tests.support.tricks import HIDING

SHAPES = {
    "main content": PageShape(html=True),
    "whole": PageShape(html=True, whole=True),
    "selected": PageShape(html=True, only=("article", "body > *")),
    "without": PageShape(html=True, without=("aside",)),
}
SENTENCES = "".join(
    f"The river bends towards the {place} and comes back after {number} miles. "
    for number, place in enumerate(("mill", "church", "bridge", "school", "market", "station"))
)
LIVE = f"""<!doctype html><html><head><title>River</title><base href="https://a.example/dir/">
<style>p {{ background: url(https://evil.example/s) }}</style><link rel=stylesheet href=https://evil.example/c></head>
<body background="https://evil.example/b" onload="evil()"><main onclick="evil()"><h1 style="color: red">River</h1>
<p id="one" class="lead" onmouseover="evil()">{SENTENCES}
<a href="javascript:evil()">script</a> <a href="java&#10;script:evil()">script</a> <a href="page" ping="/p">page</a>
<a href="data:text/html,evil">data</a> <a href="https://me:pw@c.example/">login</a></p>
<p id="two">{SENTENCES.upper()}<img src="https://evil.example/p" srcset="x 2x" alt="a bridge" onerror="evil()"></p>
<svg onload="evil()"><a href="javascript:evil()"><text>drawn</text></a></svg><math><mi href="javascript:evil()">x</mi>
</math><form action="https://evil.example/f"><button formaction="https://evil.example/g">go</button></form>
<video src="https://evil.example/v" poster="https://evil.example/w"></video><iframe srcdoc="evil"></iframe>
<object data="https://evil.example/o">fallback</object><x-widget onclick="evil()">widget words</x-widget>
<noscript><p title="</noscript><img src=x onerror=evil()>">no</p></noscript><!-- comment --><?php evil() ?>
<blockquote cite="https://evil.example/q">{SENTENCES.title()}</blockquote></main></body></html>"""


def html(page: str, shape: PageShape) -> str:
    extracted = read_document(page.encode(), "text/html", "https://a.example/", ExtractOptions(shape=shape))
    return extracted.markup.html


@pytest.mark.parametrize("case", HIDING, ids=lambda case: case.name)
def test_a_trick_hides_its_words_from_every_form(case: Case) -> None:
    for name, shape in SHAPES.items():
        options = ExtractOptions(shape=shape)
        extracted = read_document(case.page(WORDS[0]).encode(), "text/html", "https://basin.example/", options)
        for form in (extracted.markup.html, extracted.markdown, plain_text(extracted.markdown)):
            assert not TOLD.search(form), name


@pytest.mark.parametrize("name", SHAPES)
def test_html_of_a_live_page_does_nothing_and_says_what_it_says(name: str) -> None:
    written = html(LIVE, SHAPES[name])
    assert "bends towards the mill" in written
    assert not done_by(written)
    assert "evil" not in written
    assert "pw@" not in written


def test_structure_names_and_safe_links_stay() -> None:
    written = html(LIVE, PageShape(html=True))
    assert '<p id="one" class="lead">' in written
    assert '<a href="https://a.example/dir/page">page</a>' in written
    assert "<h1>River</h1>" in written


@pytest.mark.parametrize("kind", DOCUMENTS)
def test_a_document_of_any_kind_cannot_bring_live_markup_along(kind: str) -> None:
    chance = random.Random(f"html of {kind}")
    content_type, written = DOCUMENTS[kind]
    for _ in range(30):
        text = speaking_text(chance)
        options = ExtractOptions(shape=PageShape(html=True))
        extracted = read_document(written(text), content_type, "https://ok.example/", options)
        assert not done_by(extracted.markup.html), text
        assert not said(plain_text(extracted.markdown)), text


def test_the_source_is_handed_out_only_where_it_is_asked_for() -> None:
    options = ExtractOptions(shape=PageShape(source=True))
    extracted = read_document(LIVE.encode(), "text/html", "https://a.example/", options)
    assert extracted.markup.source == LIVE
    assert not extracted.markup.html
    usual = read_document(LIVE.encode(), "text/html", "https://a.example/", ExtractOptions())
    assert (usual.markup.html, usual.markup.source) == ("", "")
    assert usual.markdown == extracted.markdown
