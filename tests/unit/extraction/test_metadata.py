"""Metadata: what a page says about itself, capped and in one form."""

import json

import pytest

from seekread.extraction.html import extract_html
from seekread.extraction.metadata import iso

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


@pytest.mark.parametrize(
    ("written", "date"),
    [
        ("2026-03-04", "2026-03-04"),
        ("20260304T101112Z", "2026-03-04T10:11:12Z"),
        ("March 4, 2026", "2026-03-04"),
        ("4th Mar 2026", "2026-03-04"),
        ("4. März 2026", "2026-03-04"),
        ("04.03.2026", "2026-03-04"),
        ("2026/03/04", "2026-03-04"),
        ("2026-13-44", ""),
        ("soon", ""),
    ],
)
def test_dates_become_iso(written: str, date: str) -> None:
    assert iso(written) == date
