"""A clean tree becomes Markdown that two readers of Markdown read as it was meant."""

from itertools import repeat

import cmarkgfm
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml.html import document_fromstring, fromstring
from markdown_it import MarkdownIt

from seekread.extraction.markdown import tidy_markdown
from seekread.extraction.tree import Element, body_of, text_of
from seekread.extraction.writer import DEEPEST, MOST_COLUMNS, write_markdown


def written(html: str) -> str:
    return tidy_markdown(write_markdown(body_of(document_fromstring(f"<body>{html}</body>"))))


def shown_by(markdown: str) -> list[Element]:
    """What two readers of Markdown show."""
    first = cmarkgfm.github_flavored_markdown_to_html(markdown)  # type: ignore[no-untyped-call]
    second = MarkdownIt("gfm-like", {"linkify": False}).render(markdown)
    return [fromstring(f"<div>{html}</div>") for html in (first, second)]


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<p>a <b>bold </b>x <em> it</em>y</p>", "a **bold** x *it*y"),
        ("<p><del>d</del><s>s</s> <u>u</u> <q>said</q> <var>v</var></p>", '~~ds~~ u "said" *v*'),
        ("<p><b>one</b><strong>two</strong> <b>a <i>b</i> c</b></p>", "**onetwo** **a *b* c**"),
        ("<p>「<b>重要。</b>」です<b>「名」</b>は</p>", "「**重要。**」です「名」は"),
        ("<p><del>~1</del> <s>2~</s></p>", "~1 2~"),
        ("<p>x<b>.y.</b>z <b> </b><i></i></p>", "x.y.z"),
        ("<div>text <p>para</p> tail <div>deep</div>more</div>", "text\n\npara\n\ntail\n\ndeep\n\nmore"),
        ("<p>a<br>b<br><br>c<br></p>", "a  \nb\n\nc"),
        ("<h1>a <b>b</b></h1><h2></h2><h4>h<br>i</h4>", "# a **b**\n\n#### h i"),
        ("x<hr>y", "x\n\n---\n\ny"),
        ("<ruby>漢<rt>kan</rt></ruby>", "漢(kan)"),
        ("<details><summary>More</summary>text</details>", "**More**\n\ntext"),
    ],
)  # fmt: skip
def test_words_and_their_marks(html: str, markdown: str) -> None:
    assert written(html) == markdown


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<ul><li>a<li>b</ul>", "- a\n- b"),
        ("<ul><li>a<ul><li>b</ul><li>c</ul>", "- a\n  - b\n- c"),
        ("<ul><li>a<ol start=3><li>b<li>c</ol></ul>", "- a\n\n  3. b\n  4. c"),
        ("<ol><li><p>a</p><p>b</p><li>c</ol>", "1. a\n\n   b\n\n2. c"),
        ("<ol start=9><li>a<li><li>b</ol>", "9. a\n11. b"),
        ("<ol start=99999999999><li>a</ol>", "1. a"),
        ("<ul><li>x<pre><code class='language-sh'>ls\n  -l</code></pre></ul>", "- x\n\n  ```sh\n  ls\n    -l\n  ```"),
        ("<ul>before<li>x<ul><li>y</ul></ul>", "- before\n- x\n  - y"),
        ("<ul><li>x</li><ul><li>y</li></ul></ul>", "- x\n  - y"),
        ("<div><li>alone</li></div>", "- alone"),
        ("<blockquote>a<ul><li>b</ul><blockquote>c</blockquote></blockquote>", "> a\n>\n> - b\n>\n> > c"),
    ],
)
def test_lists_and_quotations(html: str, markdown: str) -> None:
    assert written(html) == markdown


@pytest.mark.parametrize(
    ("html", "rows"),
    [
        ("<tr><th>a<th>b<tr><td>1|2<td>x<br>y", ["| a | b |", "| --- | --- |", "| 1\\|2 | x y |"]),
        ("<tr><td>a<tr><td>b<td>c", ["| a |  |", "| --- | --- |", "| b | c |"]),
        ("<tr><td rowspan=2>a<td>b<tr><td>c<tr><td>d<td>e",
         ["| a | b |", "| --- | --- |", "|  | c |", "| d | e |"]),
        ("<tr><td colspan=2>a<td>b<tr><td>c<td>d<td>e",
         ["| a |  | b |", "| --- | --- | --- |", "| c | d | e |"]),
        ("<tr><td><ul><li>a<li>b</ul><td><p>c<p>d<pre>e  f</pre>", ["| a b | c d `e f` |", "| --- | --- |"]),
        ("<tr><td>a<table><tr><td>b<td>c</table><td>d", ["| a b c | d |", "| --- | --- |"]),
        ("<caption>Title</caption><tr><td>a<tr><td>", ["*Title*", "", "| a |", "| --- |"]),
    ],
)  # fmt: skip
def test_tables(html: str, rows: list[str]) -> None:
    assert written(f"<table>{html}</table>").split("\n") == rows


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<p>a <code>b`c</code> <kbd> d </kbd><code>`</code></p>", "a ``b`c`` `d` `` ` ``"),
        ("<pre>x ``` y\n\n\n  z\n</pre>", "````\nx ``` y\n\n\n  z\n````"),
        ("<pre><code class='hl lang-c++'>a<br>b<span>c</span></code></pre>", "```c++\na\nbc\n```"),
        ("<pre><code class='language-a`b'> </code></pre>", ""),
    ],
)
def test_code(html: str, markdown: str) -> None:
    assert written(html) == markdown


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<a href='https://e.org/'> the <b>word</b> </a>x", "[the **word**](https://e.org/) x"),
        ("<b>see <a href='https://e.org/'>it</a> now</b>", "**see [it](https://e.org/) now**"),
        ("<a href='https://e.org/(a)'>t [x] y</a>", "[t [x] y](https://e.org/(a))"),
        ("<a href='https://e.org/(a'>t ]x[ y</a>", "[t \\]x\\[ y](<https://e.org/(a>)"),
        ("<a href='https://e.org/'>two<br>lines</a>", "[two lines](https://e.org/)"),
        ("<a href='https://e.org/'> </a>x", "x"),
    ],
)
def test_links(html: str, markdown: str) -> None:
    assert written(html) == markdown


@pytest.mark.parametrize(
    "line", ["1. a", "12) a", "- a", "+ a", "* a", "# a", "###### a", "> a", "---", "* * *", "==="]
)
@pytest.mark.parametrize("before", ["", "x<br>"])
def test_words_that_begin_a_line_stay_words(line: str, before: str) -> None:
    for shown in shown_by(written(f"<p>{before}{line.replace('>', '&gt;')}</p>")):
        assert {element.tag for element in shown.iter("*")} <= {"div", "p", "br"}
        assert text_of(shown).split() == [*before.removesuffix("<br>").split(), *line.split()]


@pytest.mark.parametrize("tag", ["blockquote", "ul><li", "b", "ol><li><p", "div", "table><tr><td"])
def test_deep_nesting_costs_no_more_than_its_length(tag: str) -> None:
    paragraphs = "".join(f"<p>paragraph {number}" for number in range(300))
    shown = written("".join(repeat(f"<{tag}>", 80)) + paragraphs)
    assert "paragraph 299" in shown
    assert len(shown) < 300 * 8 * DEEPEST


def test_a_cell_cannot_claim_more_columns_than_a_table_has() -> None:
    shown = written("<table><tr><td colspan=99999 rowspan=99999>a<td colspan=150>b<td colspan=150>c</table>")
    assert shown.count("|") < 4 * MOST_COLUMNS


WORDS = st.text(alphabet="ab .,!()-+#*_~>|1", min_size=1, max_size=12).map(
    lambda text: text.replace("~~", "~").replace(">", "&gt;")
)
INLINE = ("b", "i", "del", "code", "span", "sup")
BLOCK = ("p", "div", "ul", "ol", "li", "blockquote", "h2", "table", "tr", "td", "pre", "section")
TREES = st.recursive(
    WORDS | st.just("<br>"),
    lambda inner: st.builds(
        lambda tag, parts: f"<{tag}>{''.join(parts)}</{tag}>",
        st.sampled_from(INLINE + BLOCK),
        st.lists(inner, max_size=4),
    ),
    max_leaves=20,
)


def letters(element: Element) -> str:
    """What people read, without the marks and the spaces."""
    return "".join(character for character in text_of(element) if character.isalnum())


@given(TREES)
def test_no_word_is_lost_and_none_comes_in(html: str) -> None:
    body = body_of(document_fromstring(f"<body>{html}</body>"))
    meant = letters(body)
    read = [letters(shown) for shown in shown_by(tidy_markdown(write_markdown(body)))]
    if "<table>" in html:
        # Words between the cells of a table come before it, as browsers put them.
        read, meant = ["".join(sorted(shown)) for shown in read], "".join(sorted(meant))
    assert read == [meant, meant]
