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
