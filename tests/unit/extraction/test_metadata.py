"""Metadata: what a page says about itself, capped and in one form."""

import json

from seekread.extraction.html import extract_html

TEXT = "<p>" + "Words about water. " * 30 + "</p>"


def metadata(head: str, body: str = "", url: str | None = "https://a.example/x") -> dict[str, str]:
    return extract_html(
        f"<html lang='de-AT'><head>{head}</head><body><article>{body}{TEXT}</article></body></html>", url
    ).metadata


def test_json_ld_names_author_date_and_site() -> None:
    data = {
        "@graph": [
            {
                "@type": ["NewsArticle"],
                "headline": "Flood",
                "author": [{"name": "Ida Lund"}, {"name": "Ole Berg"}],
                "datePublished": "2026-02-03T04:05:06Z",
                "publisher": {"name": "Basin"},
            }
        ]
    }
    found = metadata(f'<script type="application/ld+json">{json.dumps(data)}</script>')
    assert found == {
        "title": "Flood",
        "author": "Ida Lund, Ole Berg",
        "date": "2026-02-03T04:05:06Z",
        "site_name": "Basin",
        "language": "de-AT",
    }


def test_the_name_of_the_site_is_cut_from_the_title() -> None:
    found = metadata('<title>Flood in spring – Basin Notes</title><meta property="og:site_name" content="Basin Notes">')
    assert found["title"] == "Flood in spring"


def test_fields_are_one_line_of_at_most_200_characters() -> None:
    found = metadata(f'<meta name="description" content="{"ignore all rules " * 50}"><title>A\u200b\n  B</title>')
    assert len(found["description"]) == 200
    assert found["title"] == "A B"


def test_the_byline_and_time_element_are_used_when_nothing_else_is_there() -> None:
    found = metadata(
        "", '<h1>Flood</h1><span class="byline">By Ida Lund</span><time datetime="2026-03-04">yesterday</time>'
    )
    assert (found["title"], found["author"], found["date"]) == ("Flood", "Ida Lund", "2026-03-04")


def test_a_canonical_address_that_is_no_web_address_is_left_out() -> None:
    assert "canonical_url" not in metadata('<link rel="canonical" href="javascript:x">')
    assert metadata('<link rel="canonical" href="/y">')["canonical_url"] == "https://a.example/y"


def test_a_date_is_read_however_the_page_writes_it() -> None:
    day = "2026-03-04"
    assert metadata('<meta name="date" content="4. März 2026">')["date"] == day
    assert metadata('<meta name="date" content="soon"><meta name="dc.date" content="2026年3月4日">')["date"] == day
    assert metadata("", url="https://a.example/2026/03/04/flood")["date"] == day
    assert "date" not in metadata('<meta name="date" content="2026-13-44">')


def json_ld(**thing: object) -> str:
    return f'<script type="application/ld+json">{json.dumps({"@type": "Article", **thing})}</script>'


def test_the_heading_a_reader_sees_is_the_title_when_json_ld_only_describes() -> None:
    found = metadata(json_ld(headline="Wikimedia list article"), "<h1>List of weirs</h1>")
    assert found["title"] == "List of weirs"


def test_entities_in_a_title_are_decoded_even_when_they_were_written_twice() -> None:
    assert metadata('<meta property="og:title" content="Weirs &amp;amp; locks&amp;#39; keepers">')["title"] == (
        "Weirs & locks' keepers"
    )


def test_the_site_is_cut_from_a_title_by_its_heading_or_by_its_host() -> None:
    assert metadata("<title>Tide - Wikipedia</title>", url="https://en.wikipedia.org/wiki/Tide")["title"] == "Tide"
    assert metadata("<title>Tide | Notes of a keeper</title>", "<h1>Tide</h1>")["title"] == "Tide"
    assert metadata("<title>Tide - ebb and flow</title>", "<h1>Basin</h1>")["title"] == "Tide - ebb and flow"


def test_a_single_heading_that_words_the_title_anew_is_the_title() -> None:
    head = '<meta property="og:title" content="Best weirs of 2026: the river guide">'
    assert metadata(head, "<h1>The best weirs on the river</h1>")["title"] == "The best weirs on the river"
    assert metadata(head, "<h1>Basin</h1><h1>The best weirs</h1>")["title"] == "Best weirs of 2026: the river guide"


def test_a_byline_is_the_name_alone() -> None:
    for written in (
        '<p class="byline">By <a href="/ida">Ida Lund</a> | 4 March 2026 | 3 min read</p>',
        '<div class="post-author">Written by Ida Lund on March 4</div>',
        '<span itemprop="author" itemscope><b itemprop="name">Ida Lund</b> 6,796 8 gold</span>',
        '<a rel="author" href="/ida">Ida Lund</a>',
        '<p class="author">Von Ida Lund, Redakteurin</p>',
    ):
        assert metadata("", f"<h1>Flood</h1>{written}")["author"] == "Ida Lund", written


def test_who_comments_or_manages_the_site_is_not_the_author() -> None:
    assert "author" not in metadata(
        '<meta name="author" content="admin"><meta property="article:author" content="https://social.example/ida">',
        '<h1>Flood</h1><div class="comments"><span class="author">Ole Berg</span></div>',
    )


def test_text_that_nobody_sees_signs_nothing() -> None:
    found = metadata("", '<h1>Flood</h1><p class="byline" style="display:none">By Ole Berg, 4 March 2026</p>')
    assert "author" not in found
    assert "date" not in found


def test_a_date_beside_the_heading_is_that_of_the_page() -> None:
    for written in (
        '<div class="post-meta">4 de marzo de 2026</div>',
        "<p>Опубликовано 4 марта 2026</p>",
        "<span>2026년 3월 4일</span>",
        '<span class="datum">04/03/2026</span>',
        '<time>March 4, 2026</time><div class="comments"><time datetime="2020-01-01">old</time></div>',
        '<p>Updated 9 March 2026</p><p class="entry-date">Published 4 March 2026</p>',
    ):
        assert metadata("", f"<h1>Flood</h1>{written}")["date"] == "2026-03-04", written


def test_a_page_that_only_says_when_it_was_changed_is_dated_by_that() -> None:
    found = metadata('<meta property="article:modified_time" content="2026-03-05T06:07:08Z">')
    assert found["date"] == found["modified"] == "2026-03-05T06:07:08Z"


def test_dates_of_other_things_than_the_page_are_not_its_own() -> None:
    assert "date" not in metadata("", '<h1>Flood</h1><aside class="related">4 March 2026</aside>')
    assert "date" not in metadata("", "<h1>Flood</h1>", url="https://a.example/flood")
    assert metadata("", "<h1>Flood</h1>", url="https://a.example/2026/mar/04/flood")["date"] == "2026-03-04"
