"""Markdown in the console: readable structure, and never a tag or an address of the page's own making."""

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seekread.extraction.html import extract_html
from seekread.page.blocks import blocks
from seekread.server.console.markdown import Line, Renderer, lines_of, render, render_part, web_address

ALLOWED = {
    "a": {"href", "rel"},
    "div": {"class", "id", "role", "aria-label", "tabindex"},
    "ol": {"start"},
    "pre": {"id", "data-language", "tabindex"},
    **{tag: {"id"} for tag in ("h2", "h3", "h4", "h5", "h6", "p", "li", "blockquote", "dl")},
    **{tag: set() for tag in ("ul", "dt", "dd", "hr", "br", "strong", "em", "del", "code")},
    **{tag: set() for tag in ("table", "thead", "tbody", "tr", "th", "td")},
}
VOID = {"br", "hr"}


class Audit(HTMLParser):
    """Reads HTML the way a browser does and complains about everything that was not promised."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.opened: list[str] = []
        self.links: list[str] = []
        self.text = ""
        self.feed(html)
        self.close()
        assert not self.opened

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ALLOWED
        assert {name for name, _ in attrs} <= ALLOWED[tag]
        given = dict(attrs)
        if tag == "a":
            assert "a" not in self.opened
            assert given["rel"] == "noopener noreferrer nofollow"
            address = given["href"] or ""
            assert re.match(r"https?://[^\s\\]+$", address)
            self.links.append(address)
        if tag not in VOID:
            self.opened.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.opened.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data

    def unknown_decl(self, data: str) -> None:
        raise AssertionError(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)


def html(markdown: str) -> str:
    return str(render(markdown).html)


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        ("# Title #", '<h2 id="c0">Title</h2>'),
        ("Title\n=====\nafter", '<h2 id="c0">Title</h2>\n<p id="c12">after</p>'),
        ("one\ntwo\n---", '<p id="c0">one\ntwo</p>\n<hr>'),
        ("> Title\n> ---", '<blockquote id="c0">\n<h3 id="c2">Title</h3>\n</blockquote>'),
        ("> ```\n> a\n> ```\nb", "<code>a</code></pre>\n</blockquote>\n<p"),
        ("one\ntwo", '<p id="c0">one\ntwo</p>'),
        ("one  \ntwo", '<p id="c0">one<br>two</p>'),
        ("a **b *c* d** `e<f>`", '<p id="c0">a <strong>b <em>c</em> d</strong> <code>e&lt;f&gt;</code></p>'),
        ("***both*** ~~gone~~ __init__", '<p id="c0"><strong><em>both</em></strong> <del>gone</del> <strong>init'),
        ("2*3*4 and snake_case_name", '<p id="c0">2*3*4 and snake_case_name</p>'),
        (r"\*not\* \<b> \[x]", '<p id="c0">*not* &lt;b&gt; [x]</p>'),
        ("---", "<hr>"),
        ("> a\n>\n> b", '<blockquote id="c0">\n<p id="c2">a</p>\n<p id="c8">b</p>\n</blockquote>'),
        ("3. a\n4. b", '<ol start="3">\n<li id="c0">\na\n</li>\n<li id="c5">\nb\n</li>\n</ol>'),
        ("```py\na <b>\n```", '<pre id="c0" data-language="py" tabindex="0"><code>a &lt;b&gt;</code></pre>'),
        ("term\n: one\n: two", '<dl id="c0"><dt>term</dt>\n<dd>one</dd>\n<dd>two</dd>\n</dl>'),
        ("[a](https://x.example/a_(b))", 'href="https://x.example/a_(b)"'),
        ("<https://x.example/?a=1&b=2>", '<a href="https://x.example/?a=1&amp;b=2"'),
        ("![a cat](https://x.example/c.png)", ">image: a cat</a>"),
    ],
)
def test_the_structure_of_a_page_is_shown(markdown: str, shown: str) -> None:
    assert shown in html(markdown)


def test_lists_nest_and_hold_paragraphs_and_code() -> None:
    text = "- one\n  - two\n    1. three\n- four\n\n  more of four\n\n  ```\n  code\n    deep\n  ```\n\nafter"
    shown = re.sub(r' id="c\d+"|\n', "", html(text))
    assert shown == (
        "<ul><li>one<ul><li>two<ol><li>three</li></ol></li></ul></li>"
        '<li>four<p>more of four</p><pre tabindex="0"><code>code  deep</code></pre></li></ul><p>after</p>'
    )


def test_a_table_has_a_head_and_breaks_inside_cells() -> None:
    shown = html("| a | b |\n| --- | --- |\n| x<br>y | `p\\|q` |")
    assert "<thead><tr><th>a</th><th>b</th></tr></thead>" in shown
    assert "<tr><td>x y</td><td>" in shown
    assert 'tabindex="0"' in shown


@pytest.mark.parametrize(
    "attack",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        '<svg/onload=alert(1)>"><b>',
        "[x](javascript:alert(1))",
        "[x](JaVaScRiPt:alert(1))",
        "[x](<javascript:alert(1)>)",
        "[x](java\tscript:alert(1))",
        "[x](data:text/html;base64,PHNjcmlwdD4=)",
        "[x](vbscript:x) [y](file:///etc/passwd) [z](//evil.example/)",
        "<javascript:alert(1)>",
        '[x](https://a.example/"onmouseover="alert(1))',
        "[x](https://a.example/'onmouseover='alert(1)')",
        '[x](https://a.example/ "t" onclick=alert(1))',
        '![x"onerror="alert(1)](https://a.example/x.png)',
        "[a [b](javascript:x) c](https://a.example/)",
        "[a [b](https://b.example/) <https://c.example/> c](https://a.example/)",
        "[**](https://a.example/)**<b>",
        '```"><script>alert(1)</script>\n</code></pre><script>alert(2)</script>\n```',
        "~~~ x onload=alert(1)\n<b>",
        '| <script> |\n| --- |\n| "><img src=x onerror=alert(1)> |',
        "# <svg onload=alert(1)>",
        "> <iframe src=javascript:alert(1)>",
        "- <details open ontoggle=alert(1)>",
        "term<script>\n: <style>@import 'x'</style>",
        "[x]: javascript:alert(1)\n\n[x]",
        "&lt;script&gt;alert(1)&lt;/script&gt; &#106;avascript:",
        "[x](&#106;avascript:alert(1))",
        "{{7*7}} {% import os %} ${7*7} <%= 7*7 %>",
        "<!--><script>alert(1)</script>-->",
        "`<b>` ``<i>`` \\`<u>",
        "[x](https://a.example\\@evil.example/)",
        '1. x" onclick="alert(1)',
    ],
)
def test_a_page_cannot_make_a_tag_an_attribute_or_a_link_of_its_own(attack: str) -> None:
    for shown in (html(attack), str(render_part(attack))):
        Audit(shown)
        assert "javascript:alert" not in re.sub(r">[^<]*<", "><", shown)


ATTACK_PIECES = st.sampled_from(
    ["<script>", "</p>", '"', "'", "<!--", "](", "[", ")", "**", "*", "_", "`", "```\n", "~~", "\\", "> ", "- ", "1. ",
     "| ", "|", "\n", "\n\n", "  ", "\t", "# ", "javascript:", "https://a.example/", "<https://", ">", "<br>", ": ",
     "&", "&lt;", "onload=", "---", "\x00", "\u2028", "é", "word"]
)  # fmt: skip


@given(st.lists(ATTACK_PIECES, max_size=40).map("".join))
def test_no_mixture_of_marks_gets_out(markdown: str) -> None:
    Audit(html(markdown))
    Audit(str(render_part(markdown)))


@given(st.text(max_size=200))
def test_any_text_is_shown_as_text(text: str) -> None:
    Audit(html(text))


def test_every_block_can_be_jumped_to_by_its_offset(fixtures: Path) -> None:
    page = (fixtures / "pages" / "guide.html").read_text(encoding="utf-8")
    text = extract_html(page, "https://basin.example/guide").markdown
    rendered = render(text, offset=0)
    audit = Audit(str(rendered.html))
    headings = [block.start for block in blocks(text) if block.kind == "heading"]
    assert len(headings) == 5
    assert set(headings) <= set(rendered.anchors)
    assert all(f'id="c{anchor}"' in rendered.html for anchor in rendered.anchors)
    assert "The tape does not lie, but it does stretch." in audit.text
    shifted = render(text[headings[1] :], offset=headings[1])
    assert shifted.anchors[0] == headings[1]


class CountedLines(list[Line]):
    """Lines that count how often one of them is looked at."""

    looked_at = 0

    def __getitem__(self, place: Any) -> Any:
        self.looked_at += len(range(*place.indices(len(self)))) if isinstance(place, slice) else 1
        return super().__getitem__(place)


@pytest.mark.parametrize(
    "piece", ["- a\n\n", "- a\n\nb\n\n", "1. a\n\n\n\n", "> a\n\n", "| a |\n\n", "a\nb\n\n", "```\n\n", "a\n--\n"]
)
def test_the_work_grows_with_the_page_and_not_with_its_square(piece: str) -> None:
    def looks(pieces: int) -> int:
        lines = CountedLines(lines_of(piece * pieces, 0))
        list(Renderer().blocks(lines))
        return lines.looked_at

    assert looks(400) < 3 * looks(200)


def test_no_depth_hides_a_word() -> None:
    for mark in ("> ", "- ", "1. ", "*a **b "):
        assert "the end" in Audit(html(mark * 60 + "the end")).text


def test_deep_nesting_ends_in_plain_text() -> None:
    deep = html("> " * 60 + "end") + html("- " * 60 + "end") + html("*a **b " * 40 + "c** d*" * 40)
    Audit(deep)
    assert deep.count("<blockquote") <= 8


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("https://a.example/x", True),
        ("HTTP://a.example", True),
        ("https:a.example", False),
        ("//a.example", False),
        ("/x", False),
        ("mailto:a@b.example", False),
        (" https://a.example", False),
        ("https://a.example/\n", False),
        ("https://[a.example/", False),
    ],
)
def test_only_absolute_web_addresses_become_links(url: str, kept: bool) -> None:
    assert (web_address(url) == url) is kept
