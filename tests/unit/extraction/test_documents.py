"""Documents that are not HTML, and the way every document takes."""

import json
import sys
from pathlib import Path

import pytest

from seekread.extraction.document import read_document
from seekread.extraction.options import ExtractOptions
from seekread.extraction.pdf import spaced
from seekread.extraction.pdf_layout import joined
from tests.support.hostile_pages import pdf, pdf_text
from tests.support.pdfs import SEEN, document

RSS = b"""<?xml version="1.0"?><rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>
<title>Harbour news</title><description>What &lt;b&gt;happens&lt;/b&gt; at the pier</description>
<item><title>Wall [finished]</title><link>https://harbour.example/wall</link><pubDate>Mon, 02 Mar 2026</pubDate>
<description>&lt;p&gt;The wall &lt;em&gt;stands&lt;/em&gt;.&lt;/p&gt;</description></item>
<item><title>Odd</title><link>javascript:alert(1)</link></item></channel></rss>"""
PLAIN_PAGE = b"<p>Hello <b>there</b></p>"
ATOM = b"""<feed xmlns="http://www.w3.org/2005/Atom"><title>Log</title>
<entry><title>One</title><link rel="self" href="https://a.example/self"/><link href="https://a.example/1"/>
<updated>2026-03-02</updated><summary>First</summary></entry></feed>"""


def test_a_feed_becomes_a_list_with_links_dates_and_summaries() -> None:
    extracted = read_document(RSS, "application/rss+xml", "https://harbour.example/feed")
    assert extracted.title == "Harbour news"
    assert "What happens at the pier" in extracted.markdown
    assert (
        "- [Wall \\[finished\\]](https://harbour.example/wall) (2026-03-02)\n  The wall stands ." in extracted.markdown
    )
    assert "javascript" not in extracted.markdown
    assert [link.url for link in extracted.links] == ["https://harbour.example/wall"]


def test_an_atom_feed_links_to_the_page_not_to_itself() -> None:
    extracted = read_document(ATOM, "text/html", "https://a.example/feed")
    assert "[One](https://a.example/1) (2026-03-02)\n  First" in extracted.markdown


def test_a_sitemap_becomes_a_list_of_addresses() -> None:
    body = (
        b"<?xml version='1.0'?><urlset><url><loc>https://a.example/1</loc><lastmod>2026-01-01</lastmod></url></urlset>"
    )
    assert "- [https://a.example/1](https://a.example/1) (2026-01-01)" in read_document(body, "", "").markdown


def test_entities_of_xml_reach_no_file(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("the secret of this machine")
    body = (
        f'<?xml version="1.0"?><!DOCTYPE f [<!ENTITY x SYSTEM "{secret.as_uri()}">]>'
        "<rss><channel><title>News</title><item><title>a&x;b</title></item></channel></rss>"
    )
    markdown = read_document(body.encode(), "", "").markdown
    assert "# News" in markdown
    assert "secret of this machine" not in markdown


def test_json_is_indented_and_fenced() -> None:
    extracted = read_document(b'{"title":"T","n":[1,2]}', "text/html", "")
    assert extracted.markdown == '```json\n{\n  "title": "T",\n  "n": [\n    1,\n    2\n  ]\n}\n```'
    assert extracted.title == "T"


def test_json_that_does_not_parse_is_shown_and_flagged() -> None:
    extracted = read_document(b'{"a": [1,', "application/json", "")
    assert '{"a": [1,' in extracted.markdown
    assert "invalid-json" in {signal.kind for signal in extracted.signals}


def test_half_characters_from_json_escapes_go_and_are_counted() -> None:
    extracted = read_document(
        rb'{"title": "T\ud800", "a": "cut\ud83d", "whole": "\ud83d\ude00"}', "application/json", ""
    )
    assert extracted.title == "T"
    assert [(signal.kind, signal.detail) for signal in extracted.signals] == [
        ("invisible-characters", "half a character, 3 characters")
    ]
    assert '"a": "cut"' in extracted.markdown
    assert "\U0001f600" in extracted.markdown


def test_plain_text_stands_as_it_is() -> None:
    extracted = read_document(b"A title\r\n\r\nSome words.\r\n", "text/plain", "")
    assert extracted.markdown == "A title\n\nSome words."
    assert extracted.title == "A title"


def test_markdown_passes_through_without_comments_images_scripts_and_invisible_characters() -> None:
    body = (
        "# Guide\n\n<!-- obey me -->[safe](https://a.example/) [not](javascript:alert(1)) "
        "![pixel](https://evil.example/?q=1) ![ref][r] <img src='https://evil.example/'>te\u200bxt\n\n"
        "[r]: data:text/html,x"
    )
    extracted = read_document(body.encode(), "text/markdown", "")
    assert extracted.title == "Guide"
    assert "obey me" not in extracted.markdown
    assert "evil.example" not in extracted.markdown
    assert "[not]\\(javascript:alert(1))" in extracted.markdown
    assert "[image: pixel]" in extracted.markdown
    assert "text" in extracted.markdown
    assert [link.url for link in extracted.links] == ["https://a.example/"]
    assert {"hidden-text", "invisible-characters"} <= {signal.kind for signal in extracted.signals}


def test_a_pdf_is_read_page_by_page() -> None:
    body = pdf(pdf_text(b"The harbour wall was finished", b"in the spring."), kids=2)
    extracted = read_document(body, "text/html", "https://a.example/x.pdf")
    assert extracted.outcome == "ok"
    assert extracted.markdown.count("The harbour wall was finished") == 2
    assert extracted.metadata["pages"] == "2"


def test_what_a_pdf_says_about_itself_is_washed_like_its_text() -> None:
    words = "".join(f"{ord(sign):04x}" for sign in "Obey\u202e\u200b\nme").encode()
    body = document(SEEN, b"", {10: b"<< /Author <feff%s> >>" % words})
    body = body.replace(b"/Root 1 0 R", b"/Root 1 0 R /Info 10 0 R")
    assert read_document(body, "", "").metadata["author"] == "Obey me"


def test_a_long_pdf_is_cut_at_the_page_limit_and_says_so() -> None:
    extracted = read_document(pdf(pdf_text(b"line"), kids=5), "", "", ExtractOptions(pdf_pages=3))
    assert [(signal.kind, signal.count) for signal in extracted.signals] == [("pages-left-out", 2)]


def test_a_pdf_without_text_or_damaged_is_no_empty_page() -> None:
    assert read_document(pdf(b""), "", "").outcome == "unsupported_type"
    assert read_document(b"%PDF-1.7 garbage", "", "").outcome == "bad_reply"


def test_a_pdf_without_the_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pypdfium2", None)
    extracted = read_document(pdf(pdf_text(b"x")), "", "")
    assert extracted.outcome == "unsupported_type"
    assert "seekread[pdf]" in extracted.error


def test_lines_that_a_typesetter_broke_are_joined_and_divided_words_mended() -> None:
    text = "The harbour wall was fin-\nished in the spring and the\nfirst boats came.\nShort.\nNext one here."
    assert joined(text.split("\n"), 27) == [
        "The harbour wall was finished in the spring and the first boats came.",
        "Short.",
        "Next one here.",
    ]


def words_at(x: int, y: int, text: str, size: int = 10) -> bytes:
    return b"BT /F1 %d Tf %d %d Td (%s) Tj ET\n" % (size, x, y, text.encode())


def pdf_markdown(content: bytes) -> str:
    return read_document(document(content, b"", {}), "application/pdf", "").markdown


def test_lines_of_a_pdf_that_are_larger_than_its_text_are_headings() -> None:
    text = b"".join(
        words_at(72, 640 - 14 * line, f"Line {line} of the text runs on to its end here") for line in range(8)
    )
    markdown = pdf_markdown(
        words_at(72, 740, "River levels of the", 22)
        + words_at(72, 715, "upper basin", 22)
        + words_at(72, 680, "Method", 15)
        + text
        + words_at(72, 500, "12", 15)
    )
    assert markdown.startswith("# River levels of the upper basin\n\n## Method\n\nLine 0 of the text")
    assert "## 12" not in markdown


def test_rows_of_cells_in_a_pdf_are_a_table() -> None:
    rows = (("Station", "Level", "Change"), ("Upper weir", "112.4", "+1.3"), ("Mill", "77.0", "0 | 1"))
    cells = b"".join(
        words_at(x, 560 - 14 * number, cell)
        for number, row in enumerate(rows)
        for x, cell in zip((72, 250, 350), row, strict=True)
    )
    markdown = pdf_markdown(words_at(72, 600, "Levels at three stations of the basin:") + cells)
    assert "| Station | Level | Change |\n| --- | --- | --- |\n| Upper weir | 112.4 | +1.3 |" in markdown
    assert "| 0 \\| 1 |" in markdown


def test_columns_of_a_pdf_are_read_one_after_the_other() -> None:
    lines = b"".join(
        words_at(72, 680 - 14 * line, f"Left words run on in line {line} here")
        + words_at(320, 680 - 14 * line, f"right words run on in line {line} here")
        for line in range(6)
    )
    markdown = pdf_markdown(
        words_at(72, 720, "A line above both of the columns, from the left edge to the right") + lines
    )
    assert markdown.index("Left words run on in line 5") < markdown.index("right words run on in line 0")
    assert markdown.index("A line above") < markdown.index("Left words")


def test_text_is_bounded_and_the_cut_is_told() -> None:
    extracted = read_document(b"word " * 1_000, "text/plain", "", ExtractOptions(characters=100))
    assert len(extracted.markdown) == 100
    assert "text-cut" in {signal.kind for signal in extracted.signals}


def test_what_cannot_be_read_is_an_outcome_with_a_reason() -> None:
    extracted = read_document(b"\x89PNG\r\n\x1a\n", "image/png", "")
    assert extracted.outcome == "unsupported_type"
    assert "image/png" in extracted.error


def test_an_empty_document_is_empty_not_broken() -> None:
    assert read_document(b"  \n ", "text/html", "").outcome == "empty"
    assert read_document(b"  \n ", "text/plain", "").outcome == "empty"


def test_a_page_refused_by_the_pre_scan_is_read_without_tags_and_flagged() -> None:
    extracted = read_document(b"<title>T</title><p>Hello there</p>" + b"<div>" * 600, "text/html", "")
    assert "Hello there" in extracted.markdown
    assert "nested deeper" in extracted.signals[0].detail


def test_json_stays_json_in_utf_16() -> None:
    body = json.dumps({"key": "value of some length"}).encode("utf-16")
    assert '"key": "value of some length"' in read_document(body, "application/json", "").markdown


def test_a_document_that_failed_once_is_shown_as_plainly_as_its_kind_allows() -> None:
    options = ExtractOptions(plain="the page could not be parsed (it crashed)")
    assert read_document(b'{"a": "<b>"}', "application/json", "", options).markdown == '{"a": "\\<b>"}'
    assert read_document(RSS, "application/rss+xml", "", options).markdown.startswith("Harbour news")
    assert read_document(PLAIN_PAGE, "text/html", "", options).markdown == "Hello there"
    failed = read_document(pdf(pdf_text(b"x")), "application/pdf", "", options)
    assert (failed.outcome, failed.error) == ("too_large", "the PDF could not be parsed (it crashed)")


JSON_FEED = {
    "version": "https://jsonfeed.org/version/1.1",
    "title": "Harbour log",
    "description": "What <b>happens</b>",
    "items": [
        {
            "url": "https://a.example/1",
            "title": "Wall",
            "date_published": "2026-03-04T05:06:07Z",
            "content_html": "<p>It stands.</p>",
        },
        {"id": "2", "content_text": "No title"},
        "odd",
    ],
}


def test_a_json_feed_is_a_list_like_any_feed() -> None:
    extracted = read_document(json.dumps(JSON_FEED).encode(), "application/feed+json", "https://a.example/feed.json")
    assert extracted.title == "Harbour log"
    assert "What happens" in extracted.markdown
    assert "- [Wall](https://a.example/1) (2026-03-04T05:06:07Z)\n  It stands." in extracted.markdown


@pytest.mark.parametrize(
    ("written", "iso"),
    [
        ("Mon, 02 Mar 2026 10:11:12 GMT", "2026-03-02T10:11:12Z"),
        ("Mon, 02 Mar 2026 10:11:12 +0200", "2026-03-02T10:11:12+02:00"),
        ("2026-03-02", "2026-03-02"),
        ("yesterday", "yesterday"),
    ],
)
def test_dates_of_feeds_are_iso_where_they_can_be_read(written: str, iso: str) -> None:
    feed = f"<rss><channel><title>N</title><item><title>a</title><pubDate>{written}</pubDate></item></channel></rss>"
    assert f"- a ({iso})" in read_document(feed.encode(), "", "").markdown


def test_csv_is_a_table_named_after_its_file() -> None:
    body = b'Port;Range\nBrest;"6,1 m | high"\nKiel\n'
    for content_type in ("text/csv", "text/plain", ""):
        extracted = read_document(body, content_type, "https://a.example/data/ranges.csv?v=2")
        assert extracted.markdown == "| Port | Range |\n| --- | --- |\n| Brest | 6,1 m \\| high |\n| Kiel |  |"
        assert extracted.title == "ranges.csv"


def test_a_table_that_is_too_long_says_so() -> None:
    body = "a,b\n" + "1,2\n" * 6000
    extracted = read_document(body.encode(), "text/csv", "")
    assert extracted.markdown.count("\n") == 5001
    assert "rows-left-out" in {signal.kind for signal in extracted.signals}


def test_json_in_lines_is_a_table() -> None:
    body = b'{"port": "Brest", "range": 6.1}\n\n{"port": "Kiel", "open": true}\n'
    for content_type in ("application/x-ndjson", "application/json", ""):
        markdown = read_document(body, content_type, "https://a.example/x.ndjson").markdown
        assert markdown == "| port | range | open |\n| --- | --- | --- |\n| Brest | 6.1 |  |\n| Kiel |  | true |"


def test_code_is_code_named_after_its_file() -> None:
    extracted = read_document(b"def ebb():\n    return '![x](y)'\n", "text/plain", "https://a.example/src/ebb.py")
    assert extracted.markdown == "```python\ndef ebb():\n    return '![x](y)'\n```"
    assert extracted.title == "ebb.py"


def test_markdown_without_a_heading_is_named_after_its_file() -> None:
    extracted = read_document(b"Some *words* <!-- unseen --> here.", "text/plain", "/notes/tides.md")
    assert extracted.title == "tides.md"
    assert "unseen" not in extracted.markdown
    assert read_document(b"# Tides\n\nWords.", "", "/notes/tides.md").title == "Tides"


def test_the_name_of_a_file_never_overrules_its_bytes() -> None:
    assert read_document(b"<!doctype html><p>" + b"Words of a page. " * 20, "", "https://a.example/x.csv").title == ""
    assert (
        "| ---" not in read_document(b"<html><body>a,b</body></html>", "text/html", "https://a.example/x.csv").markdown
    )


@pytest.mark.parametrize(
    ("written", "iso"),
    [
        ("D:20260304101112+01'00'", "2026-03-04T10:11:12+01:00"),
        ("D:20260304101112Z00'00'", "2026-03-04T10:11:12Z"),
        ("D:20260304", "2026-03-04"),
        ("March 2026", "March 2026"),
    ],
)
def test_the_date_of_a_pdf_is_iso(written: str, iso: str) -> None:
    assert spaced(written) == iso
