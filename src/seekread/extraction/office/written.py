"""HTML as the translators write it: everything escaped, lists nested by their levels, looks as inline styles."""

from collections.abc import Iterable
from dataclasses import field
from functools import cached_property
from html import escape

from seekread.late import dataclass

WHITE, BLACK = "FFFFFF", "000000"
LIGHT = 0.55
"""Brightness from which letters may vanish on a white page."""


def element(tag: str, inside: str, **attributes: str) -> str:
    """An element around what is already HTML."""
    if not attributes:
        return f"<{tag}>{inside}</{tag}>"
    written = "".join(f' {name}="{escape(value)}"' for name, value in attributes.items() if value)
    return f"<{tag}{written}>{inside}</{tag}>"


def table(rows: Iterable[str]) -> str:
    """A table of rows."""
    return element("table", "".join(rows))


def row(cells: Iterable[str]) -> str:
    """A row of cells that are written already."""
    return element("tr", "".join(cells))


def cell(inside: str, *, head: bool = False, across: int = 1) -> str:
    """A cell, perhaps over several columns."""
    tag = "th" if head else "td"
    return element(tag, inside, colspan=str(across)) if across > 1 else element(tag, inside)


@dataclass(frozen=True)
class TextLook:
    """How letters look, as far as it decides whether they are seen; an unknown backdrop is `None`."""

    colour: str | None = None
    backdrop: str | None = WHITE
    points: float | None = None

    @cached_property
    def style(self) -> str:
        """The look as inline style, empty where nothing about it is worth a look."""
        parts = []
        colour = self.colour or BLACK
        if self.backdrop is not None and (self.backdrop != WHITE or brightness(colour) > LIGHT):
            parts.append(f"color:#{colour};background-color:#{self.backdrop}")
        if self.points is not None and self.points < 4:
            parts.append(f"font-size:{self.points:g}pt")
        return ";".join(parts)


def brightness(colour: str) -> float:
    """How bright a colour is, from 0 to 1, as eyes weigh it."""
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (0, 2, 4))
    return 0.299 * red + 0.587 * green + 0.114 * blue


def hexadecimal(colour: str | None) -> str | None:
    """Six hexadecimal digits, or `None` for what is no plain colour."""
    digits = (colour or "")[-6:].upper()
    return digits if len(digits) == 6 and set(digits) <= set("0123456789ABCDEF") else None


PLAIN_LOOK = TextLook()


@dataclass(frozen=True)
class TextRun:
    """A run of text with one look."""

    text: str
    look: TextLook = PLAIN_LOOK
    link: str = ""
    bold: bool = False
    italic: bool = False
    raised: bool = False


def inline(pieces: Iterable[TextRun]) -> str:
    """Runs as HTML; neighbours that look alike are one."""
    merged: list[TextRun] = []
    for piece in pieces:
        if merged and alike_but_text(merged[-1], piece):
            merged[-1] = TextRun(merged[-1].text + piece.text, *looks(piece))
        else:
            merged.append(piece)
    return "".join(map(written_piece, merged))


def looks(piece: TextRun) -> tuple[TextLook, str, bool, bool, bool]:
    return piece.look, piece.link, piece.bold, piece.italic, piece.raised


def alike_but_text(one: TextRun, other: TextRun) -> bool:
    # Space between two words has no look of its own.
    return looks(one) == looks(other) or (not other.text.strip(" ") and one.link == other.link)


def written_piece(piece: TextRun) -> str:
    """One run as HTML, with its line breaks."""
    text = escape(piece.text).replace("\n", "<br>")
    if not text.strip():
        return text
    for tag, wanted in (("sup", piece.raised), ("em", piece.italic), ("strong", piece.bold)):
        text = element(tag, text) if wanted else text
    if piece.look.style:
        text = element("span", text, style=piece.look.style)
    return element("a", text, href=piece.link) if piece.link else text


@dataclass
class Flow:
    """Blocks one after another; items of lists are gathered into lists by their levels."""

    parts: list[str] = field(default_factory=list)
    _open: list[str] = field(default_factory=list)
    size: int = 0

    def block(self, html: str) -> None:
        """A block of its own; it ends every list."""
        self._close(0)
        self._write(html)

    def item(self, html: str, level: int, *, number: int | None = None) -> None:
        """An item of a list, `level` lists deep from 0; one with a number belongs to a numbered list."""
        tag = "ul" if number is None else "ol"
        level = min(level, len(self._open), 8)
        self._close(level + 1)
        if len(self._open) == level + 1 and self._open[-1] != tag:
            self._close(level)
        if len(self._open) == level:
            self._write(f"<{tag}>" if number in {None, 1} else f'<{tag} start="{number}">')
            self._open.append(tag)
        else:
            self._write("</li>")
        self._write(f"<li>{html}")

    def html(self) -> str:
        """Everything, with all lists closed."""
        self._close(0)
        return "".join(self.parts)

    def _close(self, levels: int) -> None:
        while len(self._open) > levels:
            self._write(f"</li></{self._open.pop()}>")

    def _write(self, html: str) -> None:
        self.parts.append(html)
        self.size += len(html)
