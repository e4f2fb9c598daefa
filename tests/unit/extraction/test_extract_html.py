"""Extraction: the main content of pages of several kinds, and an honest answer when there is none."""

import json
from pathlib import Path

import pytest

from seekread.extraction.extracted import Extracted
from seekread.extraction.html import extract_html

PAGES = Path(__file__).parents[2] / "data" / "pages"
SENTENCE = "The valley was quiet after the flood, and the people counted what the water had left them. "


def read(name: str) -> Extracted:
    return extract_html((PAGES / name).read_text("utf-8"), "https://basin.example/guides/float-gauge")


@pytest.fixture(scope="module")
def guide() -> Extracted:
    return read("guide.html")


@pytest.mark.proves("S3-33")
@pytest.mark.parametrize(
    "piece",
    [
        "# Measuring river levels with a float gauge",
        "## What you need",
        "### Stations",
        "```python\ndef mean(levels):\n    total = sum(levels)",
        "```shell\n$ gauge --mean 60\n```",
        "- A stilling well\n  - a pipe of 20 cm\n    1. cut to length\n    2. drilled at the foot",
        "| Upper weir | 112.4 m | 1.32 m |",
        "| Mill bridge | 98.0 m |  |",
        "> The tape does not lie, but it does stretch.\n>\n> Old saying",
        "Stage\n: The height of the water.\n: Also called level.",
        "$Q = c (h - h_0)^{b}$",
        "$24.99",
        "10^3 readings",
        "[levels above datum](https://basin.example/levels?station=4)",
        "[image: A float gauge in its well]",
        "[read this](https://example.org/a%20b)",
    ],
)
def test_structure_survives(guide: Extracted, piece: str) -> None:
    """Headings, code with its language, nested lists, tables, quotes, definitions, maths, prices and links."""
    assert piece in guide.markdown


@pytest.mark.proves("S3-26")
@pytest.mark.parametrize("noise", ["TRACKED", "Home", "Copyright", "javascript:", "secret", "Q=c("])
def test_what_surrounds_the_content_is_left_out(guide: Extracted, noise: str) -> None:
    """Navigation, scripts and footers cost no tokens."""
    assert noise not in guide.markdown


def test_links_are_listed_once_and_safe(guide: Extracted) -> None:
    assert [link.url for link in guide.links] == ["https://basin.example/levels?station=4", "https://example.org/a%20b"]


def test_a_listing_keeps_its_items_and_prices() -> None:
    cards = "".join(
        f'<li class="card"><a href="/p/{n}"><h3>Pump number {n}</h3><p>Lifts {n} litres a minute.</p></a>'
        f'<span class="price">${n}9.50</span></li>'
        for n in range(1, 9)
    )
    menu = "".join(f'<li><a href="/c/{n}">Menu {n}</a></li>' for n in range(9))
    extracted = extract_html(
        f"<body><nav><ul>{menu}</ul></nav><main><h1>Pumps</h1><ul>{cards}</ul></main></body>", "https://shop.example/"
    )
    assert extracted.markdown.startswith("# Pumps")
    assert "[Pump number 3](https://shop.example/p/3)" in extracted.markdown
    assert "$39.50" in extracted.markdown
    assert "Menu 4" not in extracted.markdown


def test_a_page_of_links_is_not_taken_for_a_menu() -> None:
    items = "".join(f'<li><a href="/{n}">Name {n}</a></li>' for n in range(60))
    markdown = extract_html(f"<body><main><ul>{items}</ul></main></body>", "https://list.example/").markdown
    assert "[Name 42](https://list.example/42)" in markdown


def test_the_article_body_of_a_shell_is_read_from_json_ld() -> None:
    data = json.dumps({"@type": "NewsArticle", "headline": "Flood", "articleBody": SENTENCE * 8})
    extracted = extract_html(f'<body><div id="root"></div><script type="application/ld+json">{data}</script></body>')
    assert SENTENCE.strip() in extracted.markdown
    assert extracted.outcome == "ok"
    assert extracted.title == "Flood"


def test_json_ld_is_data_only_when_the_page_shows_its_text() -> None:
    data = json.dumps({"@type": "NewsArticle", "articleBody": "PAYLOAD " * 100})
    page = f'<body><script type="application/ld+json">{data}</script><article><p>{SENTENCE * 8}</p></article></body>'
    assert "PAYLOAD" not in extract_html(page).markdown


def test_the_state_of_a_script_is_read_when_the_dom_is_a_shell() -> None:
    state = json.dumps({"props": {"pageProps": {"body": f"<h2>Report</h2><p>{SENTENCE * 4}</p>", "key": "a" * 200}}})
    extracted = extract_html(
        f'<body><div id="__next"></div><script id="__NEXT_DATA__" type="application/json">{state}</script></body>'
    )
    assert "## Report" in extracted.markdown
    assert SENTENCE.strip() in extracted.markdown
    assert any(signal.kind == "structured-data" for signal in extracted.signals)


def test_hidden_text_in_the_state_of_a_script_is_washed_too() -> None:
    state = json.dumps({"a": f"<p>{SENTENCE * 4}</p><p style='display:none'>PAYLOAD</p>"})
    assert "PAYLOAD" not in extract_html(f'<body><script id="__NEXT_DATA__">{state}</script></body>').markdown


@pytest.mark.parametrize("html", ["<html></html>", "<body><img src=a.png></body>", "<p> \n </p>", "<!-- only -->"])
def test_a_page_without_text_says_so(html: str) -> None:
    extracted = extract_html(html)
    assert (extracted.outcome, extracted.markdown) == ("empty", "")
    assert extracted.error


def test_a_short_page_is_still_a_page() -> None:
    extracted = extract_html("<html><body><h1>Example Domain</h1><p>For use in examples.</p></body></html>")
    assert extracted.markdown == "# Example Domain\n\nFor use in examples."
    assert extracted.outcome == "ok"


def test_deep_pages_keep_their_text() -> None:
    deep = "<div>" * 400 + f"<p>{SENTENCE * 3}</p>" + "</div>" * 400
    assert SENTENCE.strip() in extract_html(f"<body>{deep}</body>").markdown


@pytest.mark.proves("S3-26")
def test_reading_saves_most_of_the_tokens() -> None:
    """A page of 100 KB with a few paragraphs of content becomes a few KB."""
    script = "<script>" + "var a = 1; " * 9000 + "</script>"
    page = f"<body>{script}<nav>{'<a href=/x>Menu</a>' * 200}</nav><article><p>{SENTENCE * 30}</p></article></body>"
    assert len(extract_html(page).markdown) < 0.05 * len(page)


def test_characters_that_no_tree_can_hold_do_not_stop_a_page() -> None:
    page = f"<body><p>{SENTENCE}\x00\x0b\x1f\ufffe&#1;&#xFFFF;</p><!-- c -->\x02<p>{SENTENCE}</p></body>"
    assert extract_html(page, "not a url").markdown.count("quiet after the flood") == 2


@pytest.mark.parametrize("url", [None, "", "http://[::1", "mailto:a@b.example"])
def test_a_page_of_unknown_origin_is_read_without_relative_links(url: str | None) -> None:
    extracted = extract_html(
        f'<body><p>{SENTENCE}<a href="/x">next</a> and <a href="https://b.example/">b</a></p></body>', url
    )
    assert "next and [b](https://b.example/)" in extracted.markdown


@pytest.mark.parametrize("frame", ["{}", "<h1>Survey</h1>{}", "<div>{}</div>", "<article>{}</article>"])
@pytest.mark.parametrize("paragraphs", [3, 900])
def test_a_short_last_section_keeps_its_heading(frame: str, paragraphs: int) -> None:
    text = "".join(f"<p>Part {number}: {SENTENCE}</p>" for number in range(paragraphs))
    page = f"<body>{frame.format(text + '<h2>End</h2><p>The survey ends here.</p>')}</body>"
    assert extract_html(page).markdown.endswith("## End\n\nThe survey ends here.")


def test_navigation_and_footer_go_and_a_page_made_of_them_stays() -> None:
    around = f"<nav><a href=/x>Menu</a></nav>{{}}<footer>Kept by the basin office. {SENTENCE}</footer>"
    long = extract_html(f"<body>{around.format(f'<main><p>{SENTENCE * 40}</p></main>')}</body>").markdown
    assert "basin office" not in long
    assert "Menu" not in long
    assert "basin office" in extract_html(f"<body>{around.format('')}</body>").markdown


def test_pictures_are_named_once_and_where_the_text_does_not_name_them() -> None:
    page = (
        "<body><article><p>{}</p><p>A weir <img src=a alt='A weir'> and <img src=b alt='the [old] mill'></p></article>"
    )
    markdown = extract_html(page.format(SENTENCE * 4)).markdown
    assert "[image: A weir]" not in markdown
    assert "[image: the (old) mill]" in markdown
