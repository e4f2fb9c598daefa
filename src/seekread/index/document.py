"""
Documents: what is put into the index, split where their headings are.

A long document is found by its sections, so that a hit names the place and its snippet belongs to it.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator

from seekread.late import dataclass
from seekread.page.blocks import ESCAPE, FENCE, LINK, blocks, closes, fences, heading_text
from seekread.page.dates import day_in

LONGEST_SECTION = 6000
"""Characters. A text without headings is split at paragraphs, or ranking would always prefer the short texts."""
DEEPEST_HEADING = 3
JOIN = " \N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK} "
"""Between a document and its section, and between a section and what is below it."""

FRONT_MATTER = re.compile(r"\A(---|\+\+\+)[ \t]*\n(.*?)\n\1[ \t]*(?:\n|\Z)", re.DOTALL)
FRONT_FIELD = re.compile(r"^(title|date|published|updated)[ \t]*+[:=](.*)$", re.MULTILINE | re.IGNORECASE)

COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
MARKUP: tuple[tuple[re.Pattern[str], str], ...] = (
    (LINK, r"\1"),
    (LINK, r"\1"),  # the link around a picture
    (re.compile(r"!?\[([^\[\]\n]{1,1000})\]\[[^\[\]\n]{0,1000}\]"), r"\1"),
    (re.compile(r"^ {0,3}\[[^\]\n]+\]:[ \t]*+\S.*$", re.MULTILINE), ""),
    (re.compile(r"^[ \t]*+\|?(?:[ \t]*+:?-{2,}+:?[ \t]*+\|)++[ \t]*+:?-*+:?[ \t]*+$", re.MULTILINE), ""),
    (re.compile(r"^[ \t]*+\|(.*)\|[ \t]*+$", re.MULTILINE), r"\1"),
    (re.compile(r"^[ \t]*+>[ \t]?", re.MULTILINE), ""),
    (re.compile(r"\*\*(?=\S)(.{1,300}?)(?<=\S)\*\*"), r"\1"),
    (re.compile(r"(?<![\w*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\w*])"), r"\1"),
    (re.compile(r"(?<!`)`++([^`\n]+)`++"), r"\1"),
    (ESCAPE, r"\1"),
)
"""
Markdown that would only disturb a snippet, and what remains of it.

No pattern goes over a long stretch again and again: a document of a megabyte may be a single line of one sign.
"""


@dataclass(frozen=True)
class DocumentSection:
    """A part of a document. The heading is empty for what stands before the first one."""

    heading: str
    text: str


@dataclass(frozen=True)
class Document:
    """Something to find. `digest` tells whether it has changed; `date` is `YYYY-MM-DD`."""

    url: str
    title: str
    sections: tuple[DocumentSection, ...]
    digest: str
    date: str | None = None


@dataclass(frozen=True)
class Text:
    """Markdown or plain text taken apart: what it says about itself, and its sections."""

    title: str
    date: str | None
    sections: tuple[DocumentSection, ...]


def take_apart(markdown: str) -> Text:
    """Find title, date and sections of a Markdown text. Plain text is Markdown without headings."""
    markdown = unicodedata.normalize("NFC", writable(markdown).replace("\r\n", "\n").replace("\r", "\n"))
    front: dict[str, str] = {}
    if matter := FRONT_MATTER.match(markdown):
        front = {name.lower(): value.strip().strip("\"'") for name, value in FRONT_FIELD.findall(matter[2])}
        markdown = markdown[matter.end() :]
    split = list(split_at_headings(markdown))
    title = front.get("title") or next((heading for _, heading, _ in split if heading), "")
    sections = tuple(
        DocumentSection(path, part) for path, body in with_paths(split, title) for part in split_at_paragraphs(body)
    )
    date = next((day for name in ("date", "published", "updated") if (day := day_in(front.get(name, "")))), None)
    return Text(title, date, sections or (DocumentSection("", ""),))


def with_paths(split: Iterable[tuple[int, str, str]], title: str) -> Iterator[tuple[str, str]]:
    """Name each stretch by the headings above it, without the title of the document itself."""
    above: dict[int, str] = {}
    for level, heading, body in split:
        above = {upper: name for upper, name in above.items() if upper < level}
        if heading and heading != title:
            above[level] = heading
        yield JOIN.join(above.values()), body


def split_at_headings(markdown: str) -> Iterator[tuple[int, str, str]]:
    """The stretches of a Markdown text as level, heading and plain text."""
    level, heading, start = 0, "", 0
    for block in blocks(markdown):
        if block.kind == "heading" and block.level <= DEEPEST_HEADING:
            yield level, heading, plain_text(markdown[start : block.start])
            heading = without_marks(heading_text(markdown[block.start : block.end]))
            level, start = block.level, block.end
    yield level, heading, plain_text(markdown[start:])


def plain_text(markdown: str) -> str:
    """The words of a stretch; what stands in code is left as it is."""
    parts: list[str] = []
    done = 0
    for start, end in fences(markdown):
        parts += [without_marks(markdown[done:start]), code_text(markdown[start:end])]
        done = end
    return "\n".join([*parts, without_marks(markdown[done:])]).strip()


def code_text(code: str) -> str:
    """Fenced code without its fences; one that is never closed has but the first."""
    opening, *lines = code.split("\n")
    fence = FENCE.match(opening)
    if fence and lines and closes(lines[-1], fence["mark"]):
        lines.pop()
    return "\n".join(lines)


def split_at_paragraphs(text: str) -> Iterator[str]:
    """Pieces of a text that are short enough, cut between paragraphs, else lines, else anywhere."""
    while len(text) > LONGEST_SECTION:
        breaks = (text.rfind(mark, LONGEST_SECTION // 2, LONGEST_SECTION) for mark in ("\n\n", "\n", " "))
        cut = next((position for position in breaks if position > 0), LONGEST_SECTION)
        yield text[:cut].strip()
        text = text[cut:].strip()
    if text:
        yield text


def without_marks(markdown: str) -> str:
    """Take the marks off a Markdown text and leave its words."""
    # Behind the last end of a comment none can end.
    last = markdown.rfind("-->") + len("-->")
    markdown = COMMENT.sub("", markdown[:last]) + markdown[last:]
    for mark, rest in MARKUP:
        markdown = mark.sub(rest, markdown)
    return markdown.strip()


def handle_of(url: str) -> str:
    """The name under which a document is kept: it says nothing about where on this machine the document is."""
    return hashlib.sha256(url.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def as_markdown(title: str, sections: Iterable[DocumentSection]) -> str:
    """A document put together again from its sections, each under its heading."""
    parts = [f"# {title}"] if title else []
    for section in sections:
        parts += [f"## {section.heading}", section.text] if section.heading else [section.text]
    return "\n\n".join(filter(None, parts))


def writable(text: str) -> str:
    """Text that can be stored: halves of characters, as odd file names have them, become replacement characters."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
