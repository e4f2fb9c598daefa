"""Text that nobody sees in a PDF is not read; the pictures of the pages say what is seen."""

import pytest

from seekread.extraction import pdf_ink
from seekread.extraction.document import read_document
from tests.support.pdfs import CONTROLS, SCAN, SCAN_WITH_MORE, TRICKS, WORDS, PdfCase, is_seen


def read(case: PdfCase) -> tuple[str, set[str]]:
    extracted = read_document(case.with_words(WORDS), "application/pdf", "https://a.example/x.pdf")
    return extracted.markdown, {signal.kind for signal in extracted.signals}


@pytest.mark.parametrize("name", sorted(TRICKS))
def test_hidden_text_is_removed_and_counted(name: str) -> None:
    assert not is_seen(TRICKS[name])
    markdown, signals = read(TRICKS[name])
    assert "The harbour wall was finished" in markdown
    assert WORDS.decode() not in markdown
    assert "hidden-text" in signals


@pytest.mark.parametrize("name", sorted(CONTROLS))
def test_text_that_is_seen_stays(name: str) -> None:
    assert is_seen(CONTROLS[name])
    markdown, signals = read(CONTROLS[name])
    assert WORDS.decode() in markdown
    assert "hidden-text" not in signals


def test_what_was_read_off_a_scan_stays_and_is_flagged() -> None:
    markdown, signals = read(SCAN)
    assert WORDS.decode() in markdown
    assert "hidden-text-kept" in signals


def test_invisible_text_on_a_blank_picture_was_not_read_off_it() -> None:
    markdown, signals = read(SCAN_WITH_MORE)
    assert WORDS.decode() not in markdown
    assert "hidden-text" in signals


def test_words_given_for_glyphs_do_not_replace_them() -> None:
    markdown, _ = read(TRICKS["words that are not the glyphs"])
    assert "An ordinary line of text stands here." in markdown


def test_a_page_too_large_to_be_rendered_loses_only_what_is_hidden_for_sure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_ink, "MOST_OBJECTS", 2)
    assert WORDS.decode() not in read(TRICKS["invisible mode"])[0]
    markdown, signals = read(TRICKS["white on paper"])
    assert WORDS.decode() in markdown
    assert "hidden-text-unchecked" in signals


@pytest.mark.parametrize(
    "content",
    [
        b"BT /F1 12 Tf 1 g " + b"72 600 Td (white) Tj " * 3000 + b"ET",
        b"".join(
            b"0.9 g %d 500 40 40 re f BT /F1 9 Tf 1 g %d 510 Td (w) Tj ET " % (n % 500, n % 500) for n in range(3000)
        ),
        b"q " * 2000 + b"BT /F1 12 Tf 1 g 72 600 Td (white) Tj ET",
        b"BT /F1 1e30 Tf 72 600 Td (huge) Tj ET BT /F1 12 Tf 1e30 0 0 1e30 0 0 Tm (huge) Tj ET",
        b"/X Do",
    ],
    ids=["white lines", "boxes and letters", "states", "numbers", "a form that is not there"],
)
def test_hostile_pages_end(content: bytes) -> None:
    """The suite's own limit of time is the assertion: work on one page is bounded."""
    assert "The harbour wall was finished" in read(PdfCase(content))[0]
