"""From bytes to text: mark, header, meta, validity, detector; lies are told."""

import pytest

from seekread.extraction.charset import decode, normalised

GERMAN = "Grüße aus Köln: der Fluß ist schön, die Brücke größer, das Frühstück süß und die Straße naß. " * 20
RUSSIAN = "Стена гавани была готова весной, и первые лодки пришли раньше, чем высохла краска. " * 20
JAPANESE = "港の壁は春に完成し、塗料が乾く前に最初の船が入ってきた。カモメには誰も聞かなかった。" * 20


@pytest.mark.parametrize(
    ("text", "encoding", "content_type", "head"),
    [
        (GERMAN, "utf-8", "text/html", ""),
        (GERMAN, "utf-8-sig", "text/html; charset=iso-8859-1", ""),
        (GERMAN, "utf-16", "text/html; charset=utf-8", ""),
        (GERMAN, "cp1252", "text/html; charset=ISO-8859-1", ""),
        (GERMAN, "cp1252", "text/html", '<meta charset="windows-1252">'),
        (RUSSIAN, "cp1251", "text/html; charset=windows-1251", ""),
        (RUSSIAN, "koi8-r", "text/html", '<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">'),
        (RUSSIAN, "cp1251", "text/html", ""),
        (RUSSIAN, "cp1251", "text/html; charset=utf-8", ""),
        (JAPANESE, "shift_jis", "text/html; charset=Shift_JIS", ""),
        (JAPANESE, "euc-jp", "text/html", '<?xml version="1.0" encoding="euc-jp"?>'),
        (JAPANESE, "euc-jp", "text/html; charset=utf-8", ""),
        (JAPANESE, "utf-8", "text/html; charset=klingon", ""),
        (GERMAN, "utf-8", "text/html; charset=utf-16", ""),
    ],
)
def test_text_survives_every_way_of_declaring_its_charset(
    text: str, encoding: str, content_type: str, head: str
) -> None:
    whole = f"{head}<title>t</title><p>{text}</p>"
    assert decode(whole.encode(encoding), content_type).text == whole


def test_a_header_that_lies_about_utf_8_is_told() -> None:
    decoded = decode(GERMAN.encode(), "text/html; charset=iso-8859-1")
    assert decoded.encoding == "utf-8"
    assert [signal.kind for signal in decoded.signals] == ["charset-lie"]


def test_a_few_broken_bytes_do_not_change_the_charset_and_are_counted() -> None:
    decoded = decode(GERMAN.encode() + b"\xff\xfe end", "text/html; charset=utf-8")
    assert decoded.encoding == "utf-8"
    assert decoded.text.endswith("\ufffd\ufffd end")
    assert [(signal.kind, signal.count) for signal in decoded.signals] == [("undecodable-characters", 2)]


def test_a_character_cut_off_at_the_end_is_no_reason_to_doubt_utf_8() -> None:
    assert decode(GERMAN.encode()[:-1] + "ß".encode()[:1], "").encoding == "utf-8"


def test_zero_characters_are_dropped_and_counted() -> None:
    decoded = decode(b"one\0two\0three and some more words", "text/plain")
    assert decoded.text == "onetwothree and some more words"
    assert decoded.signals[0].kind == "null-characters"
    assert decoded.signals[0].count == 2


@pytest.mark.parametrize(
    "label",
    [
        "base64",
        "rot13",
        "utf-7",
        "zlib",
        "klingon",
        "idna",
        "\0",
        "unicode_escape",
        "raw_unicode_escape",
        "cp037",
        "hz",
    ],
)
def test_labels_that_name_no_charset_of_the_web_are_ignored(label: str) -> None:
    assert normalised(label) is None


@pytest.mark.parametrize("label", ["unicode_escape", "raw_unicode_escape", "mbcs", "johab"])
def test_an_escape_of_python_makes_no_tag_of_text(label: str) -> None:
    page = rb"<p>Harmless words, and then \x3cscript\x3e in a page about escapes.</p>"
    assert "<script" not in decode(page, f"text/html; charset={label}").text


@pytest.mark.parametrize("text", [GERMAN, RUSSIAN, JAPANESE, "It’s “here” – 5 € … naïve café, señor, Łódź"])
def test_text_that_was_encoded_twice_is_read_as_it_was_meant_and_flagged(text: str) -> None:
    twice = "".join(bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in text.encode())
    decoded = decode(f"<p>{twice}</p>".encode(), "text/html; charset=utf-8")
    assert decoded.text == f"<p>{text}</p>"
    assert [signal.kind for signal in decoded.signals] == ["double-encoded"]


@pytest.mark.parametrize(
    "text", [GERMAN + " They write Ã¼ for ü, Ã¤ for ä and Ã¶ for ö.", "Ã¼ is no word", "à la carte Â©"]
)
def test_a_page_that_only_shows_what_double_encoding_looks_like_stays_as_it_is(text: str) -> None:
    decoded = decode(text.encode(), "text/html; charset=utf-8")
    assert decoded.text == text
    assert not decoded.signals
