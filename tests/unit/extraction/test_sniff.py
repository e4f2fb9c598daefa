"""What a document is, by its bytes."""

import pytest

from seekread.errors import Unreadable
from seekread.extraction.sniff import sniff, wide_encoding


@pytest.mark.parametrize(
    ("body", "declared", "kind"),
    [
        (b"<!DOCTYPE html><html><body>x", "", "html"),
        (b"\xef\xbb\xbf\n<html>", "text/plain", "html"),
        (b"<!-- by hand --><div>x</div>", "text/html", "html"),
        (b"<?xml version='1.0'?><!DOCTYPE html><html xmlns='http://www.w3.org/1999/xhtml'>", "text/xml", "html"),
        (b"Words first, <b>tags</b> later", "text/html", "html"),
        (b"%PDF-1.7\n", "text/html", "pdf"),
        (b"\n\n%PDF-1.4\n", "", "pdf"),
        (b'{"a": 1}', "text/html", "json"),
        (b"[1, 2]", "", "json"),
        (b"[a link](http://x/) in prose", "text/plain", "text"),
        (b"{ not json at all }", "", "text"),
        (b"not json", "application/json", "json"),
        (b"<?xml version='1.0'?><rss version='2.0'><channel>", "text/html", "feed"),
        (b"<feed xmlns='http://www.w3.org/2005/Atom'>", "text/xml", "feed"),
        (b"<rdf:RDF xmlns:rdf='x'>", "text/xml", "feed"),
        (b"<?xml version='1.0'?><urlset>", "text/html", "xml"),
        (b"<note><to>x</to></note>", "application/xml", "xml"),
        (b"# Heading\n\ntext", "text/markdown; charset=utf-8", "markdown"),
        (b"# Heading\n\ntext", "text/plain", "text"),
        (b"plain words", "application/octet-stream", "text"),
        ("<html><p>x</p>".encode("utf-16"), "", "html"),
        ("<html><p>words and more words</p>".encode("utf-16-be"), "text/html", "html"),
        (b"", "text/html", "html"),
    ],
)
def test_the_bytes_decide_and_the_claim_helps_where_they_leave_a_choice(body: bytes, declared: str, kind: str) -> None:
    assert sniff(body, declared) == kind


@pytest.mark.parametrize(
    ("body", "name"),
    [
        (b"\x89PNG\r\n\x1a\n....", "image/png"),
        (b"\xff\xd8\xff\xe0....", "image/jpeg"),
        (b"RIFF\x10\x00\x00\x00WEBPVP8 ", "image/webp"),
        (b"\x00\x00\x00\x18ftypmp42....", "video/mp4"),
        (b"PK\x03\x04....", "application/zip"),
        (b"\x1f\x8b\x08....", "application/gzip"),
        (b"\x7fELF\x02....", "application/x-executable"),
        (b"MZ\x90\x00....", "application/vnd.microsoft.portable-executable"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'></svg>", "image/svg+xml"),
        (bytes(range(1, 200)) * 3, "application/octet-stream"),
    ],
)
def test_a_type_that_holds_no_text_is_named_whatever_it_is_called(body: bytes, name: str) -> None:
    with pytest.raises(Unreadable, match="cannot be read as text") as caught:
        sniff(body, "text/plain")
    assert caught.value.outcome == "unsupported_type"
    assert name in str(caught.value)
    assert "text/plain" in str(caught.value)


def test_utf_16_is_recognised_without_a_mark_and_not_seen_in_plain_text() -> None:
    assert wide_encoding("plain words here".encode("utf-16-le")) == "utf-16-le"
    assert wide_encoding("plain words here".encode("utf-16-be")) == "utf-16-be"
    assert wide_encoding(b"plain words here") is None
    assert wide_encoding(b"a few \0 zero \0 bytes in plain text") is None
