"""Extraction of pages that are broken in any way: an answer every time, and never Markdown that a page made up."""

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from seekread.extraction.html import extract_html

GUIDE = (Path(__file__).parents[2] / "data" / "pages" / "guide.html").read_text("utf-8")
PIECES = (
    "\x00", "\ufffe", "\ud800", "&#1;", "&#xfffe;", "&#xd800;", "\U0010fffd", "\U000f0001", "<svg><style><p>",
    "<math><mi><p>", "<table><p>", "<select><option><p>", "<template>", "</body>", "<frameset>", "<plaintext>",
    "<noscript><p>x", "<pre><table><tr><td>", "<dl><dt>a<dd>b<dl><dd>", '<a href="http://[">', "<!--", "-->",
    '<a href="//u:p@h:99999999/">', '<img alt="](x)" src="javascript:1">', "<style>@media{{{", "<dialog open>",
    '<p style="color:hsl(1,2);opacity:;left:-1e999px;font-size:1e400px">', '<font color="#zz">', "<plain>", "<h1>",
    '<script type="application/ld+json">[[{"@type":["Article",1],"author":[{}],"datePublished":5}]]</script>',
    '<base href="http://[x">', '<time datetime="9999-99-99">', "<sup>2</sup>", '<td colspan="999999">',
    '<ol start="99999999999999999999">', '<p class="sr-only katex">', "<b>" * 50, "<div hidden>" * 50, "![x](y)",
)  # fmt: skip
"""Pieces of HTML that parsers, style readers and renderers stumble over."""
CHANGES = st.lists(
    st.tuples(st.integers(0, len(GUIDE)), st.integers(0, 300), st.sampled_from(PIECES) | st.text(max_size=20)),
    max_size=12,
)


@given(changes=CHANGES, url=st.sampled_from([None, "", "https://basin.example/x", "http://[", "file:///x"]))
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_broken_page_gets_an_answer(changes: list[tuple[int, int, str]], url: str | None) -> None:
    """Whatever was cut out of a page or put into it, reading it raises nothing and shows no image of its own."""
    html = GUIDE
    for position, length, piece in changes:
        html = html[:position] + piece + html[position + length :]
    extracted = extract_html(html, url)
    assert extracted.markdown or extracted.outcome != "ok"
    prose = re.sub(r"^(`{3,}).*?^\1$|`[^`]*`", "", extracted.markdown, flags=re.MULTILINE | re.DOTALL)
    assert not re.search(r"(?<!\\)!\[", prose)


@pytest.mark.parametrize(
    "html",
    [
        "<style>" + "@media (min-width:1px){" * 20_000 + "</style>",
        "<style>" + ".c{display:none;color:red}" * 15_000 + "</style>" + "<p class=c>x</p>" * 5_000,
        ('<div style="color:white">x' * 300 + "</div>" * 300) * 20,
        "<p>text " + "<img src=a alt='a picture of it'>" * 10_000,
        "<p hidden>x</p>" * 20_000,
    ],
    ids=["nested conditions", "one class with many rules", "nested colours", "many pictures", "many hidden parts"],
)
def test_pages_made_to_take_long_are_read(html: str) -> None:
    """Each of these once took time that grew with the square of its size."""
    text = "<p>The gauge at the weir was read every hour of the night, and the water kept rising until the morning.</p>"
    assert "The gauge at the weir" in extract_html(f"<body>{text * 20}{html}</body>").markdown
