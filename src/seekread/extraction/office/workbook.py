"""
Workbooks (`.xlsx`) as HTML: every sheet a section with a table of what its cells show.

Hidden sheets, rows and columns, and cells whose format shows nothing, are counted and left out. Formulas are not
worked out: the value that the program stored is shown, or the formula where there is none. Sheets are read row by row
and no further than the limit.
"""

import re
from collections.abc import Iterator
from dataclasses import field
from datetime import datetime, timedelta

from lxml import etree

from seekread.extraction.office.package import Package, Relationship, damaged
from seekread.extraction.office.written import (
    PLAIN_LOOK,
    WHITE,
    Flow,
    TextLook,
    TextRun,
    cell,
    element,
    hexadecimal,
    inline,
    row,
    table,
    written_piece,
)
from seekread.extraction.signals import Tally
from seekread.late import dataclass
from seekread.xml_tree import XmlElement, local_name

MOST_CELLS = 40_000
"""Cells that are read of one workbook: what a worker can do in half of its time."""
MOST_COLUMNS = 200
SKIPPED = frozenset({"c", "v", "f", "is", "t", "r"})
"""Parts of a row, which are looked at with it."""
SHEETS = frozenset({"worksheet"})
DATES = frozenset({*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)})
"""Built-in formats that show a day or a time."""
DATE_SIGNS = re.compile(r"[ymdhs]", re.IGNORECASE)
NOT_SIGNS = re.compile(r'"[^"]*"|\[[^\]]*\]|\\.|_.|\*.')
"""Parts of a format that stand for themselves."""
PERCENT = frozenset({9, 10})
NOTHING = re.compile(r";{2,3}\s*")
DAY_ONE, DAY_ONE_OF_APPLE = datetime(1899, 12, 30), datetime(1904, 1, 1)  # noqa: DTZ001 cells know no zones
NO_TEXT = TextRun("")
PLACE = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")
FORMULA_LINK = re.compile(r'HYPERLINK\(\s*"([^"]{1,2000})"', re.IGNORECASE)


@dataclass(frozen=True)
class CellFormat:
    """How a cell shows its value."""

    kind: str = "number"
    """`number`, `date`, `percent` or `nothing`."""
    look: TextLook = PLAIN_LOOK
    places: int = 0


@dataclass(frozen=True)
class SheetCell:
    """What one cell shows, its column from 1, its name such as `B7`, and where it leads."""

    column: int
    text: str
    look: TextLook
    name: str = ""
    link: str = ""


@dataclass
class WorkbookText:
    """One workbook while it is translated."""

    package: Package
    tally: Tally
    limit: int
    left: int = MOST_CELLS
    strings: list[str] = field(default_factory=list)
    formats: list[CellFormat] = field(default_factory=list)
    origin: datetime = DAY_ONE

    def translate(self) -> str:
        """All sheets in their order."""
        part = self.package.main_part
        root, related = self.package.main, self.package.relationships(part)
        about = root.find("workbookPr")
        if about is not None and about.get("date1904") in {"1", "true"}:
            self.origin = DAY_ONE_OF_APPLE
        by_kind = {one.kind: one.target for one in related.values() if not one.external}
        self.strings = list(strings_in(self.package.tree_if_any(by_kind.get("sharedStrings"))))
        self.formats = formats_in(self.package.tree_if_any(by_kind.get("styles")))
        flow = Flow()
        for sheet in root.iterfind("sheets/sheet"):
            self.sheet(sheet, related.get(sheet.get("rel-id") or ""), flow)
        return flow.html()

    def sheet(self, sheet: XmlElement, target: Relationship | None, flow: Flow) -> None:
        """One sheet, unless it is hidden or no sheet of cells."""
        name = sheet.get("name") or ""
        if target is None or target.external or target.target not in self.package or target.kind not in SHEETS:
            self.tally.note("sheets-left-out", "charts, dialogs and macros")
            return
        if (sheet.get("state") or "visible") != "visible":
            shown = sum(len(one.text) for line in SheetRows(self, target.target, seen=False) for one in line)
            self.tally.note("hidden-text", "hidden sheet", characters=len(name) + shown)
            return
        flow.block(element("h2", inline([TextRun(name)])))
        rows = SheetRows(self, target.target)
        lines = trimmed(list(rows))
        if lines:
            flow.block(table(row(written(line, rows.links, head=not at)) for at, line in enumerate(lines)))


@dataclass
class SheetRows:
    """The rows of one sheet that are shown, cell by cell, while its part is unpacked."""

    book: WorkbookText
    part: str
    seen: bool = True
    """Whether what is hidden counts as hidden here; on a hidden sheet everything is."""
    unseen: list[tuple[int, int]] = field(default_factory=list)
    """Columns that are hidden, as spans."""
    links: dict[str, str] = field(default_factory=dict)
    """Where cells lead, by their names; a sheet says it after its rows."""

    def __iter__(self) -> Iterator[list[SheetCell]]:
        related = self.book.package.relationships(self.part)
        if any(one.kind in {"comments", "threadedComment"} for one in related.values()):
            self.book.tally.note("comments-left-out", "remarks on cells")
        try:
            with self.book.package.stream(self.part) as stream:
                yield from self._rows(stream, related)
        except etree.XMLSyntaxError:
            raise damaged() from None

    def _rows(self, stream: object, related: dict[str, Relationship]) -> Iterator[list[SheetCell]]:
        events = etree.iterparse(stream, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
        for _, found in events:
            kind = local_name(found.tag)
            if kind in SKIPPED:
                continue
            if kind == "col" and found.get("hidden") in {"1", "true"}:
                self.unseen.append((int(found.get("min") or 0), int(found.get("max") or 0)))
            elif kind == "hyperlink":
                target = next((related.get(found.get(key) or "") for key in found.keys() if key.endswith("}id")), None)  # noqa: SIM118 attributes of lxml
                if target and target.external:
                    self.links[found.get("ref") or ""] = target.target
            elif kind == "row":
                if self.book.left <= 0:
                    self.book.tally.note("rows-left-out", f"only {MOST_CELLS:,} cells of a workbook are read")
                    return
                yield from self._row(found)
                # What was read need not stay in memory.
                found.clear()
                while found.getprevious() is not None:
                    del found.getparent()[0]

    def _row(self, line: XmlElement) -> Iterator[list[SheetCell]]:
        cells = list(self._cells(line))
        self.book.left -= len(cells)
        if self.seen and line.get("hidden") in {"1", "true"}:
            self.book.tally.removed("hidden row", " ".join(one.text for one in cells))
            return
        shown = []
        for one in cells:
            if self.seen and any(first <= one.column <= last for first, last in self.unseen):
                self.book.tally.removed("hidden column", one.text)
            else:
                shown.append(one)
        yield shown

    def _cells(self, line: XmlElement) -> Iterator[SheetCell]:
        column = 0
        for one in line:
            if local_name(one.tag) != "c":
                continue
            place = PLACE.fullmatch(one.get("r") or "")
            column = column_number(place[1]) if place else column + 1
            style = one.get("s") or "0"
            formats = self.book.formats
            shape = formats[int(style)] if style.isdecimal() and int(style) < len(formats) else CellFormat()
            text = self.book_text(one, shape)
            # A table of Markdown has no lines within a cell.
            text = " ".join(text.split())
            if not text or column > MOST_COLUMNS:
                continue
            if shape.kind == "nothing" and self.seen:
                self.book.tally.removed("a format that shows nothing", text)
                continue
            yield SheetCell(column, text, shape.look, place[0] if place else "", formula_link(one))

    def book_text(self, one: XmlElement, shape: CellFormat) -> str:
        """What a cell shows."""
        parts = {local_name(child.tag): child for child in one}
        kind = one.get("t") or "n"
        if kind == "inlineStr" and "is" in parts:
            return string_of(parts["is"])
        value = (parts["v"].text or "").strip() if "v" in parts else ""
        if not value:
            formula = parts["f"].text if "f" in parts else ""
            return f"={formula}" if formula else ""
        if kind == "s":
            known = value.isdecimal() and int(value) < len(self.book.strings)
            return self.book.strings[int(value)] if known else ""
        if kind == "b":
            return "TRUE" if value == "1" else "FALSE"
        return shown_number(value, shape, self.book.origin) if kind == "n" else value


def written(line: list[SheetCell | None], links: dict[str, str], *, head: bool) -> Iterator[str]:
    """The cells of a row as HTML."""
    for one in line:
        piece = TextRun(one.text, one.look, one.link or links.get(one.name, "")) if one else NO_TEXT
        yield cell(written_piece(piece), head=head)


def formula_link(one: XmlElement) -> str:
    """Where a formula leads that is a link."""
    formula = next((child.text or "" for child in one if local_name(child.tag) == "f"), "")
    found = FORMULA_LINK.match(formula)
    return found[1] if found else ""


def trimmed(lines: list[list[SheetCell]]) -> list[list[SheetCell | None]]:
    """Rows with a place for each column that any of them uses; empty rows are left out."""
    filled = [line for line in lines if line]
    columns = sorted({one.column for line in filled for one in line})
    return [
        [by_column.get(column) for column in columns] for line in filled if (by_column := {c.column: c for c in line})
    ]


def shown_number(value: str, shape: CellFormat, origin: datetime) -> str:
    """A number as its format shows it: a day, a share, or without the noise of its last digits."""
    try:
        amount = float(value)
    except ValueError:
        return value
    if shape.kind == "date" and 0 <= amount < 2_958_466:
        return shown_moment(amount, origin)
    if shape.kind == "percent":
        return f"{amount * 100:.{shape.places}f}%"
    return f"{amount:.15g}" if "e" not in value.lower() and len(value) > 15 else value


def shown_moment(amount: float, origin: datetime) -> str:
    """A day, a moment, or a time of no day."""
    moment = origin + timedelta(days=amount)
    moment = (moment + timedelta(microseconds=500_000)).replace(microsecond=0)
    if amount < 1:
        return moment.strftime("%H:%M:%S")
    return moment.strftime("%Y-%m-%d" if moment.time().isoformat() == "00:00:00" else "%Y-%m-%d %H:%M:%S")


def column_number(letters: str) -> int:
    """The number of a column from its letters: A is 1."""
    count = 0
    for letter in letters:
        count = count * 26 + ord(letter) - 64
    return count


def strings_in(root: XmlElement | None) -> Iterator[str]:
    """The texts that cells share."""
    return (string_of(one) for one in root.iterfind("si")) if root is not None else iter(())


def string_of(one: XmlElement) -> str:
    """The words of a text without how they are pronounced."""
    return "".join(
        t.text or ""
        for t in one.iter("*")
        if local_name(t.tag) == "t" and local_name(t.getparent().tag) != "rPh"  # type: ignore[union-attr]
    ).strip()


def formats_in(root: XmlElement | None) -> list[CellFormat]:
    """The formats of cells, by number."""
    if root is None:
        return []
    codes = {int(one.get("numFmtId") or 0): one.get("formatCode") or "" for one in root.iterfind("numFmts/numFmt")}
    fonts = root.findall("fonts/font")
    fills = root.findall("fills/fill")
    return [cell_format(one, codes, fonts, fills) for one in root.iterfind("cellXfs/xf")]


def cell_format(one: XmlElement, codes: dict[int, str], fonts: list[XmlElement], fills: list[XmlElement]) -> CellFormat:
    """One format."""
    number = int(one.get("numFmtId") or 0)
    kind = format_kind(number, codes.get(number, ""))
    font, fill = picked(fonts, one.get("fontId")), picked(fills, one.get("fillId"))
    code = NOT_SIGNS.sub("", codes.get(number, "0.00%" if number == 10 else "0%"))
    places = len(re.match(r"[^.]*\.?(0*)", code)[1])  # type: ignore[index]
    return CellFormat(kind, TextLook(ink_of(font), backdrop_of(fill), size_of(font)), places)


def format_kind(number: int, code: str) -> str:
    """Whether a format shows a day, a share, a number, or nothing."""
    if NOTHING.fullmatch(code):
        return "nothing"
    plain = NOT_SIGNS.sub("", code)
    if number in DATES or (DATE_SIGNS.search(plain) and "general" not in plain.lower()):
        return "date"
    return "percent" if number in PERCENT or "%" in plain else "number"


def picked(several: list[XmlElement], number: str | None) -> XmlElement | None:
    return several[int(number)] if number and number.isdecimal() and int(number) < len(several) else None


def ink_of(font: XmlElement | None) -> str | None:
    """The colour of letters; of the theme only its white is known."""
    colour = font.find("color") if font is not None else None
    if colour is None:
        return None
    return hexadecimal(colour.get("rgb")) or (WHITE if colour.get("theme") == "0" and not colour.get("tint") else None)


def backdrop_of(fill: XmlElement | None) -> str | None:
    """The colour of a cell, `None` where it cannot be told; a cell without one is white."""
    pattern = fill.find("patternFill") if fill is not None else None
    if fill is None or (pattern is not None and (pattern.get("patternType") or "none") == "none"):
        return WHITE
    colour = pattern.find("fgColor") if pattern is not None and pattern.get("patternType") == "solid" else None
    return hexadecimal(colour.get("rgb")) if colour is not None else None


def size_of(font: XmlElement | None) -> float | None:
    size = font.find("sz") if font is not None else None
    try:
        return float(size.get("val") or 11) if size is not None else None
    except ValueError:
        return None
