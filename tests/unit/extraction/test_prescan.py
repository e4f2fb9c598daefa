"""The linear look at a page before a tree is built from it: nothing a page holds is executed or trusted."""

import re
from random import Random

import pytest

from seekread.extraction.document import extract
from seekread.extraction.prescan import MAX_DEPTH, Scanner, prescan, tame, words
from seekread.extraction.strip import strip_tags

ATTRIBUTES = " ".join(f"a{n}" for n in range(1_000))


@pytest.mark.parametrize(
    ("html", "limit"),
    [
        ("<div>" * 600, "deeper"),
        ("<b><div></b>" * 600, "deeper"),
        ("<span><div></span>" * 600, "deeper"),
        ("<div><table><td></div>" * 300, "deeper"),
        ("<svg><title>" + "<div>" * 600, "deeper"),
        ("<table><tr><td>" * 300, "deeper"),
        ("".join(f"<b {n}>" for n in range(300)), "formatting"),
        ("".join(f"<p><b {n}></p>" for n in range(300)), "formatting"),
        ("".join(f"<table><b {n}></table>" for n in range(300)), "formatting"),
        (f"<p {ATTRIBUTES} {ATTRIBUTES} {ATTRIBUTES}>", "attributes"),
        (f"<p {ATTRIBUTES}>" * 30, "attributes"),
        (f"</p {ATTRIBUTES}>" * 30, "attributes"),
        ("<p " + "a" * 70_000 + ">", "64 kB"),
        ("<p>x" * 300_001, "tags"),
        ("<select>" + "<option>x" * 20_001, "options"),
        ("<x><div>" + "<y>" * 490 + "</x>" * 10_000, "tangled"),
    ],
    ids=lambda value: value[:30] if len(value) > 30 else value,
)
def test_shapes_that_cost_a_parser_dear_are_refused(html: str, limit: str) -> None:
    assert limit in prescan(html).refusal


@pytest.mark.parametrize(
    "html",
    [
        "<p>one<p>two" * 2_000,
        "<ul>" + "<li>item" * 2_000 + "</ul>",
        "<table>" + "<tr><td>a<td>b" * 2_000 + "</table>",
        "<dl>" + "<dt>a<dd>b" * 2_000 + "</dl>",
        "<p>a <b>bold</b> word, <i>another</i></p>" * 2_000,
        "<p><font color=red>red" * 2_000,
        "<b><p>crossed</b></p>" * 2_000,
        "<li><a href=/x><div>block</a></div>" * 2_000,
        "<script>" + "if (a < b) { x = '<div>' }" * 2_000 + "</script>",
        "<!-- " + "<div>" * 2_000 + " -->",
        "<textarea>" + "<div>" * 2_000 + "</textarea>",
        f"<div data-state='{'{&quot;a&quot;: [1, 2, 3]} ' * 20_000}'>x</div>",
        f"<p {' '.join(f'data-{n}=x' for n in range(50))} title='{'word ' * 200}'>x" * 2_000,
        "<svg>" + "<path d='M0 0'/>" * 2_000 + "</svg>",
        "<br><img src=x><hr>" * 2_000,
        "<a href=/x>one<a href=/y>two" * 2_000,
        "a < b and c > d " * 2_000,
        "<div><p>text</div>" * 2_000,
        "<section><div><span>x</span></div></section>" * 2_000,
        "<" * 100_000,
        "<a href='" * 100_000,
        "<!--" * 100_000,
    ],
    ids=lambda value: value[:30],
)
def test_shapes_of_real_pages_pass(html: str) -> None:
    assert prescan(html).refusal == ""


NAMES = sorted(
    words(
        "a b font p div span li ul td th tr table option select svg math path g title script style x-y button body "
        "head dd dt caption template br img h1 ruby rt"
    )
)


def soup(random: Random) -> str:
    """Tags in no order, many of which end at once."""
    written = []
    for _ in range(random.choice((5, 20, 80))):
        name, other = random.choices(NAMES, k=2)
        attributes = random.choice(("", "", " class=x", " d='>'", "/", " href=x/"))
        pieces = (
            f"<{name}{attributes}>",
            f"</{name}>",
            f"<{name}{attributes}>text</{name}>",
            f"<{name}>text</{other}>",
        )
        written.append(random.choice(pieces))
    return "".join(written)


def test_an_element_that_ends_at_once_is_seen_as_one_that_ends_later() -> None:
    random = Random(0)
    for _ in range(2_000):
        html = soup(random)
        scanners = Scanner(html), Scanner(re.sub(r"text(?=</)", "text<!-- -->", html))
        refusals = [scanner.scan() for scanner in scanners]
        assert refusals[0] == refusals[1], html
        assert scanners[0].open == scanners[1].open, html
        assert scanners[0].active == scanners[1].active, html


def test_nesting_up_to_what_browsers_allow_passes() -> None:
    assert prescan("<div>" * MAX_DEPTH + "</div>" * MAX_DEPTH).refusal == ""
    assert prescan("<div>" * (MAX_DEPTH + 1)).refusal == f"nested deeper than {MAX_DEPTH}"


def test_without_its_tags_a_page_is_still_readable_and_says_so() -> None:
    html = (
        "<title>T &amp; U</title><style>p{}</style><script>var x='<p>'</script><!-- secret -->"
        "<h1>Head</h1><p>one <b>two</b></p><ul><li>3 &lt; 4</ul>a < b"
    )
    extracted = strip_tags(html, limit=1_000, reason="too deep")
    assert extracted.markdown == "T & U\n\nHead\n\none two\n\n3 < 4\n\na < b"
    assert extracted.title == "T & U"
    assert extracted.signals[0].kind == "tags-stripped"
    assert "too deep" in extracted.signals[0].detail


def test_a_block_that_never_ends_does_not_swallow_the_page() -> None:
    assert "after" in strip_tags("<p>before</p><style>never closed <p>after</p>", limit=1_000, reason="x").markdown


def test_stripping_keeps_to_its_limit() -> None:
    assert len(strip_tags("word <p>" * 10_000, limit=500, reason="x").markdown) <= 500


@pytest.mark.parametrize(
    "flood",
    [
        "<div>" * 2_000,
        "<div a>" * 2_000,
        "".join(f"<b {n}>" for n in range(600)),
        f"<p {ATTRIBUTES * 4}>",
        f"<p {ATTRIBUTES}>x" * 100,
        "<p>x" * 310_000,
    ],
    ids=lambda value: value[:12],
)
def test_a_flood_at_the_end_of_a_page_does_not_show_what_is_hidden(flood: str) -> None:
    hidden = "<p>before</p><p style='display:none'>PAYLOAD</p><style>.z{display:none}</style><p class=z>PAYLOAD</p>"
    page = extract(f"<body>{hidden}{flood}")
    assert "before" in page.content
    assert "PAYLOAD" not in page.content
    assert page.signals[0].kind == "page-tamed"


def test_what_hides_itself_in_a_flood_stays_hidden() -> None:
    attributes = " ".join(f"a{n}" for n in range(3_000))
    page = extract(
        f"<p>before</p><p {attributes} style='display:none'>PAYLOAD</p><div>{'<div x>' * 600}<p hidden>PAYLOAD</p>"
    )
    assert page.content == "before"
    wide = " ".join(f"a{n}" for n in range(1_000))
    page = extract(f"<p>before</p>{f'<p {wide}>seen</p>' * 40}<p {wide} style='display:none'>PAYLOAD</p><p>after</p>")
    assert "PAYLOAD" not in page.content
    assert page.content.endswith("after")


def test_a_tamed_page_is_within_the_limits() -> None:
    for html in (
        "<div>" * 3_000,
        "<div a>" * 3_000,
        "".join(f"<p><b {n}></p>" for n in range(900)),
        "<option>x" * 30_000,
        f"<p {ATTRIBUTES}>x" * 100,
    ):
        tamed = tame(html)
        assert tamed.why
        assert prescan(tamed.html).refusal == ""
