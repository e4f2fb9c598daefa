"""Where documents come from."""

import os
from pathlib import Path

import pytest

from seekread.index import sources
from seekread.index.document import DocumentSection
from seekread.index.sources import Skipped, document_of, document_of_page, files_in, read_bytes, shipped_docs
from seekread.models import Page
from tests.support.pdfs import document as pdf_of


def write(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_a_folder_gives_its_text_files_and_leaves_the_rest_alone(tmp_path: Path) -> None:
    kept = [write(tmp_path / name, "x") for name in ("B.MD", "a.md", "page.html", "sub/deep/c.txt")]
    for name in (".hidden.md", ".git/x.md", "node_modules/p/README.md", "__pycache__/x.txt", "image.png", "code.py"):
        write(tmp_path / name, "x")
    (tmp_path / "link.md").symlink_to(kept[0])
    (tmp_path / "loop").symlink_to(tmp_path)
    assert list(files_in(tmp_path)) == kept


def test_a_folder_that_is_hidden_itself_may_be_named(tmp_path: Path) -> None:
    note = write(tmp_path / ".notes" / "a.md", "x")
    assert list(files_in(tmp_path / ".notes")) == [note]


def test_a_file_named_by_itself_is_taken_whatever_its_name(tmp_path: Path) -> None:
    licence = write(tmp_path / "LICENSE", "Do as you like.")
    assert list(files_in(licence)) == [licence]
    assert document_of(licence, read_bytes(licence)).title == "LICENSE"


def test_a_file_is_named_by_its_uri_its_heading_and_the_day_it_changed(tmp_path: Path) -> None:
    note = write(tmp_path / "my note.md", "# On Ümlauts\n\nText.")
    os.utime(note, (1_700_000_000, 1_700_000_000))
    document = document_of(note, read_bytes(note))
    assert document.url == note.as_uri()
    assert document.url.endswith("/my%20note.md")
    assert (document.title, document.date) == ("On Ümlauts", "2023-11-14")


def test_a_date_in_the_file_wins_over_the_day_it_changed(tmp_path: Path) -> None:
    note = write(tmp_path / "note.md", "---\ndate: 2020-02-29\n---\nText.")
    assert document_of(note, read_bytes(note)).date == "2020-02-29"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("Grüße".encode(), "Grüße"),
        (b"\xef\xbb\xbfplain", "plain"),
        ("Grüße".encode("utf-16"), "Grüße"),
        (b"caf\xe9 au lait, d\xe9j\xe0 vu", "au lait"),
        (b"broken \xff\xfe\xfa bytes", "broken"),
    ],
)
def test_no_bytes_of_a_text_file_stop_the_index(tmp_path: Path, content: bytes, words: str) -> None:
    note = write(tmp_path / "note.txt", content)
    assert words in document_of(note, read_bytes(note)).sections[0].text


@pytest.mark.parametrize(("content", "reason"), [(b"\x7fELF\0\0", "not text"), (b"x" * 21, "larger than")])
def test_what_is_no_text_or_too_long_is_skipped_with_a_reason(
    tmp_path: Path, content: bytes, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "LARGEST_FILE", 20)
    with pytest.raises(Skipped, match=reason):
        read_bytes(write(tmp_path / "file.txt", content))


def test_a_file_that_cannot_be_opened_is_skipped_with_a_reason(tmp_path: Path) -> None:
    with pytest.raises(Skipped, match="cannot be read"):
        read_bytes(tmp_path / "gone.md")


PAGE = """<!doctype html><html><head><title>Bees &amp; Honey</title>
<meta property="article:published_time" content="2021-05-06T07:08:09Z"><style>p { color: red }</style></head>
<body><nav>Home About</nav><h1>Bees &amp; Honey</h1>loose <b>bold</b> text<p>First<br>second.</p>
<div>In the <i>div</i><h2>Hives</h2>after it</div><table><tr><td>one</td><td>two</td></tr></table>
<script>track()</script></body></html>"""


@pytest.mark.parametrize("html", ["<", "<html></html>", "<div>" * 3000 + "deep"])
def test_no_html_stops_the_index(tmp_path: Path, html: str) -> None:
    page = write(tmp_path / "page.html", html)
    assert document_of(page, read_bytes(page)).title == "page"


def test_a_page_without_text_for_readers_is_skipped_with_a_reason(tmp_path: Path) -> None:
    shell = (
        "<!doctype html><title>App</title><div id=root></div><noscript>Enable JavaScript to run this app.</noscript>"
    )
    page = write(tmp_path / "app.html", f"{shell}<script src=app.js></script>")
    with pytest.raises(Skipped, match="cannot be read"):
        document_of(page, read_bytes(page))


def test_an_html_file_is_found_by_its_title_sections_and_date(tmp_path: Path) -> None:
    page = write(tmp_path / "bees.html", PAGE)
    document = document_of(page, read_bytes(page))
    assert (document.title, document.date) == ("Bees & Honey", "2021-05-06")
    assert [section.heading for section in document.sections] == ["", "Hives"]
    text = " ".join(section.text for section in document.sections)
    assert "loose bold text" in text
    assert not any(word in text for word in ("track", "color", "About"))


def test_a_page_that_was_read_is_a_document_under_its_final_address() -> None:
    page = Page(
        url="https://a.example/old",
        final_url="https://a.example/new",
        title="News",
        content="# News\n\nBody.",
        metadata={"date": "2022-01-02T00:00:00Z"},
    )
    document = document_of_page(page)
    assert (document.url, document.title, document.date) == ("https://a.example/new", "News", "2022-01-02")
    assert document.sections == (DocumentSection("", "Body."),)


def test_halves_of_characters_in_a_page_become_replacement_characters() -> None:
    document = document_of_page(Page(url="https://a.example", title="A\ud800", content="B\udfff"))
    assert (document.title, document.sections[0].text) == ("A\ufffd", "B\ufffd")


def test_a_page_that_could_not_be_read_is_skipped_with_the_reason() -> None:
    with pytest.raises(Skipped, match="behind a wall"):
        document_of_page(Page(url="https://a.example", success=False, outcome="paywalled", error="behind a wall"))


def test_the_documentation_is_there_and_carries_no_date_of_its_own() -> None:
    guide = shipped_docs() / "guides" / "local-index.md"
    document = document_of(guide, read_bytes(guide))
    assert document.url.startswith("file://")
    assert document.date is None


def test_a_pdf_is_read_from_a_folder_and_a_feed_when_it_is_named(tmp_path: Path) -> None:
    (tmp_path / "paper.pdf").write_bytes(pdf_of(b"BT /F1 12 Tf 72 700 Td (Turtles in the deep sea) Tj ET", b"", {}))
    feed = "<rss><channel><title>News</title><item><title>Owls</title></item></channel></rss>"
    (tmp_path / "news.rss").write_text(feed)
    assert [file.name for file in files_in(tmp_path)] == ["paper.pdf"]
    read = [document_of(tmp_path / name, read_bytes(tmp_path / name)) for name in ("paper.pdf", "news.rss")]
    assert "Turtles" in read[0].sections[0].text
    assert "Owls" in " ".join(section.heading + section.text for section in read[1].sections)
