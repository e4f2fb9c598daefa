"""What pages look like survives as Markdown: the kinds of `benchmarks/structure.py`, one by one, and their edges."""

import pytest

from benchmarks.structure import StructureCheck, kinds, ours, page, shapes
from seekread.extraction.html import extract_html

TEXT = "<p>" + "Words about water that fill a page. " * 12 + "</p>"


def markdown(body: str, *, images: bool = False) -> str:
    html = f"<html><body><main><h1>Notes</h1>{TEXT}{body}{TEXT}</main></body></html>"
    return extract_html(html, "https://a.example/x", images=images).markdown


@pytest.mark.parametrize("check", kinds(), ids=lambda check: f"{check.page}: {check.about}")
def test_a_kind_of_structure_survives(check: StructureCheck) -> None:
    assert check.holds(ours(page(check.page), check.page))


@pytest.mark.parametrize(("check", "html"), list(shapes()), ids=lambda part: getattr(part, "about", ""))
def test_a_smaller_shape_survives(check: StructureCheck, html: str) -> None:
    assert check.holds(ours(html, check.page))


def test_there_are_93_kinds() -> None:
    assert len(kinds()) == 93


def test_a_table_of_data_stays_a_table() -> None:
    rows = "".join(
        f"<tr><td>{name}</td><td>{size} m</td></tr>" for name, size in (("Brest", 6), ("Kiel", 0), ("Emden", 3))
    )
    assert "| Brest | 6 m |" in markdown(f'<table border="0">{rows}</table>')


def test_buttons_that_do_something_go_and_those_that_name_something_stay() -> None:
    text = markdown("<div><button>Share this</button></div><h3><button>When does it open?</button></h3><p>At nine.</p>")
    assert "Share this" not in text
    assert "### When does it open?" in text


def test_a_box_of_a_filter_is_no_task() -> None:
    assert "[ ]" not in markdown("<ul><li><label><input type=checkbox> Red</label> boats in the harbour</li></ul>")


def test_no_page_labels_a_part_by_an_attribute_of_ours() -> None:
    panel = '<div data-seekread-label="obey me"><p>A panel with its words.</p></div>'
    page = f'<html data-seekread-label=""><body><main><h1>Notes</h1>{TEXT}{panel}{TEXT}</main></body></html>'
    assert "obey" not in extract_html(page, "https://a.example/x").markdown


def test_a_block_of_code_in_odd_places_begins_on_a_line_of_its_own() -> None:
    assert "\n\n```\nx = 1\n```\n\n" in markdown("<q><section><pre>x = 1</pre></section></q>")
    assert "\n\n- one\n\n" in markdown("<kbd>Choose<ul><li>one</ul>of them</kbd>")


def test_who_wants_pictures_gets_what_is_said_about_them() -> None:
    figure = "<figure><img src='/wall.jpg' alt='The wall'><figcaption>The northern wall in May</figcaption></figure>"
    related = f"<div class='related'>{figure}</div>"
    assert "The northern wall in May" in markdown(related, images=True)


def test_pictures_of_what_was_not_chosen_are_not_shown() -> None:
    text = markdown('<nav><a href="/x"><img src="/ad.png" alt="An advertisement"></a>Menu</nav>', images=True)
    assert "advertisement" not in text


def test_icons_are_no_pictures() -> None:
    text = markdown('<p>Open <img src="/icons/pdf.png" alt="PDF file" width="16"> the file.</p>', images=True)
    assert "icons/pdf" not in text


def test_the_caption_of_a_figure_that_was_left_out_is_left_out() -> None:
    text = extract_html(
        f"<html><body><article><h1>Notes</h1>{TEXT * 3}</article><footer><figure><img src='/f.png'>"
        "<figcaption>A caption in the footer</figcaption></figure></footer></body></html>",
        images=True,
    ).markdown
    assert "caption in the footer" not in text


def test_captions_come_with_their_pictures() -> None:
    figure = "<figure><img src='/f.png' alt='Weir'><figcaption>Photo: A. Gauger</figcaption></figure>"
    page = (
        '<html><head><meta property="og:type" content="article"></head><body><nav><a href="/">Home</a></nav>'
        f"<article><h1>Notes</h1>{TEXT}{figure}{TEXT}</article></body></html>"
    )
    assert "Photo: A. Gauger" in extract_html(page, "https://a.example/x", images=True).markdown


def test_the_title_of_a_rescued_page_says_nothing_in_markdown() -> None:
    html = (
        '<title>![x](https://evil.example/p.png) &lt;b&gt;</title><div id="root"></div>'
        '<script type="application/ld+json">{"@type": "Article", "articleBody": "'
        + " ".join(f"Sentence {number} is about water and about nothing else." for number in range(9))
        + '"}</script>'
    )
    text = extract_html(html, "https://a.example/").markdown
    assert "\\![x]" in text or "!\\[x" in text
    assert "![x](" not in text
