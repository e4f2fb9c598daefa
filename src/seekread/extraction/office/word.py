"""
Word documents (`.docx`) as HTML: headings, lists, tables, links, notes.

Hidden runs and deleted text are counted and left out. Notes are numbered and stand at the end; headers, footers and
comments of reviewers are left out.
"""

import re
from collections.abc import Iterator
from dataclasses import field, replace
from html import escape

from seekread.extraction.office.package import Package, Relationship
from seekread.extraction.office.word_styles import (
    OFF,
    UNKNOWN,
    Looks,
    WordStyle,
    WordStyles,
    looks_in,
    numbering_in,
    shade_of,
    value_of,
)
from seekread.extraction.office.written import (
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
)
from seekread.extraction.signals import Tally
from seekread.late import dataclass
from seekread.xml_tree import XmlElement

HEADING = re.compile(r"heading (\d)")
DEEPER = re.compile(r"list (?:bullet|number|continue) ([2-9])")
"""Styles of Word whose level is in their names."""
FIELD_LINK = re.compile(r'\s*HYPERLINK\s+"([^"]+)"')
CODE = re.compile(r"code|preformatted|listing")
LINE_END = re.compile(r"[\r\n]+")
"""Space in the text of a run; lines are broken by an element."""
GONE = frozenset({"del", "moveFrom"})
"""What a reviewer has taken out."""
SIGNS = {"tab": " ", "br": "\n", "cr": "\n", "noBreakHyphen": "\u2011", "ptab": " "}
THROUGH = frozenset(
    {"ins", "moveTo", "smartTag", "sdt", "sdtContent", "customXml", "fldSimple", "AlternateContent", "Choice",
     "Fallback", "dir", "bdo"}
)  # fmt: skip
"""Wrappers that change nothing about the text inside."""
FILLS = ("solidFill", "gradFill", "blipFill", "pattFill")
NOTES = {"footnoteReference": "footnotes", "endnoteReference": "endnotes"}


@dataclass(frozen=True)
class Backdrops:
    """What lies behind a paragraph, from the page up; `None` where nobody knows."""

    colour: str | None = WHITE

    def under(self, shade: str | None) -> "Backdrops":
        """The same with something drawn on it."""
        if shade is None:
            return self
        return Backdrops(None if shade == UNKNOWN else shade)


@dataclass
class WordText:
    """One document while it is translated."""

    package: Package
    tally: Tally
    limit: int
    part: str = ""
    styles: WordStyles = field(default_factory=lambda: WordStyles(None))
    numbering: dict[tuple[str, int], str] = field(default_factory=dict)
    links: dict[str, Relationship] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    counts: dict[tuple[str, int], int] = field(default_factory=dict)
    page: Backdrops = field(default_factory=Backdrops)
    _notes: dict[str, dict[str, XmlElement]] = field(default_factory=dict)

    def translate(self) -> str:
        """The whole document."""
        self.part = self.package.main_part
        root = self.package.main
        self.links = self.package.relationships(self.part)
        self.styles = WordStyles(self._related("styles"))
        self.numbering = formats_in(self._related("numbering"))
        background = root.find("background")
        self.page = Backdrops().under(hexadecimal(background.get("color")) if background is not None else None)
        self._note_comments()
        flow = Flow()
        body = root.find("body")
        self.blocks(body if body is not None else root, flow, self.page)
        if self.notes:
            flow.block("<h2>Notes</h2>")
            for number, note in enumerate(self.notes, 1):
                flow.item(note, 0, number=number)
        return flow.html()

    def blocks(self, parent: XmlElement, flow: Flow, backdrop: Backdrops) -> None:
        """Paragraphs and tables one after another, until the limit."""
        for child in parent:
            if flow.size > self.limit:
                self.tally.note("text-cut", "the document is longer than what is read of it")
                return
            if child.tag == "p":
                self.paragraph(child, flow, backdrop)
            elif child.tag == "tbl":
                self.table(child, flow, backdrop)
            elif child.tag in THROUGH:
                self.blocks(child, flow, backdrop)
            elif child.tag in GONE:
                self._deleted(child)

    def paragraph(self, paragraph: XmlElement, flow: Flow, backdrop: Backdrops) -> None:
        """A paragraph as a heading, an item of a list, a line of code or what it is."""
        properties = paragraph.find("pPr")
        style = self.styles.style(value_of(properties, "pStyle") or self.styles.paragraph)
        shade = shade_of(properties.find("shd")) if properties is not None else None
        pieces = list(self.runs(paragraph, style, backdrop.under(shade or style.shade)))
        level = heading_level(style, properties)
        if level is not None:
            # A heading is bold by itself.
            pieces = [replace(piece, bold=False, italic=False) for piece in pieces]
        html = inline(pieces)
        boxes = [box for box in paragraph.iter("txbxContent") if not inside_another_box(box, paragraph)]
        if html.strip():
            self._write(html, pieces, flow, level, style, numbering_in(properties) or style.numbering)
        for box in boxes:
            self._box(box, flow)

    def _box(self, box: XmlElement, flow: Flow) -> None:
        """The text in a drawing, unless the drawing is hidden."""
        around = list(box.iterancestors("drawing", "wsp"))
        if any((about.get("hidden") or "0") not in OFF for one in around for about in one.iter("docPr")):
            self.tally.removed("hidden drawing", "".join(t.text or "" for t in box.iter("t")).strip())
            return
        shape = next((one for one in around if one.tag == "wsp"), None)
        self.blocks(box, flow, self.page.under(fill_of(shape.find("spPr") if shape is not None else None)))

    def _write(
        self,
        html: str,
        pieces: list[TextRun],
        flow: Flow,
        level: int | None,
        style: WordStyle,
        numbering: tuple[str, int] | None,
    ) -> None:
        if level is not None:
            flow.block(element(f"h{min(level + 1, 6)}", html))
        elif numbering and numbering[0] != "0":
            named = DEEPER.match(style.name)
            flow.item(html, int(named[1]) - 1 if named else numbering[1], number=self._number(numbering))
        elif CODE.search(style.name):
            self._code("".join(piece.text for piece in pieces), flow)
        elif "quote" in style.name:
            flow.block(element("blockquote", element("p", html)))
        else:
            flow.block(element("p", html))

    def _code(self, text: str, flow: Flow) -> None:
        """A line of code; lines that follow each other are one block."""
        end = "</code></pre>"
        if flow.parts and flow.parts[-1].endswith(end):
            flow.parts[-1] = f"{flow.parts[-1].removesuffix(end)}\n{escape(text)}{end}"
        else:
            flow.block(f"<pre><code>{escape(text)}{end}")

    def _number(self, numbering: tuple[str, int]) -> int | None:
        """The number of the next item of a list, or `None` in a list without numbers."""
        if self.numbering.get(numbering, "decimal") in {"bullet", "none"}:
            return None
        number, level = numbering
        for deeper in [key for key in self.counts if key[0] == number and key[1] > level]:
            del self.counts[deeper]
        self.counts[numbering] = self.counts.get(numbering, 0) + 1
        return self.counts[numbering]

    def runs(self, parent: XmlElement, style: WordStyle, backdrop: Backdrops, link: str = "") -> Iterator[TextRun]:
        """The runs of a paragraph; those of a field that is a link lead where the field says."""
        inside: list[str] = []
        for child in parent:
            if child.tag == "r":
                inside = self._fields(child, inside)
                target = link or next((found[1] for at in inside[::-1] if (found := FIELD_LINK.match(at))), "")
                yield from self.run(child, style, backdrop, target)
            elif child.tag == "hyperlink":
                related = self.links.get(child.get("rel-id") or "")
                target = related.target if related and related.external else ""
                yield from self.runs(child, style, backdrop, target)
            elif child.tag in THROUGH:
                yield from self.runs(child, style, backdrop, link)
            elif child.tag in GONE:
                self._deleted(child)
            elif child.tag in {"oMath", "oMathPara"}:
                yield TextRun("".join(t.text or "" for t in child.iter("t")))

    def _fields(self, run: XmlElement, inside: list[str]) -> list[str]:
        """The instructions of the fields that are open after a run."""
        for child in run:
            if child.tag == "fldChar":
                kind = child.get("fldCharType")
                inside = [*inside, ""] if kind == "begin" else inside[:-1] if kind == "end" else inside
            elif child.tag == "instrText" and inside:
                inside = [*inside[:-1], inside[-1] + (child.text or "")]
        return inside

    def run(self, run: XmlElement, style: WordStyle, backdrop: Backdrops, link: str) -> Iterator[TextRun]:
        """One run, unless it is hidden."""
        properties = run.find("rPr")
        named = self.styles.style(value_of(properties, "rStyle"))
        looks = {**self.styles.defaults, **style.looks, **named.looks, **looks_in(properties)}
        text = "".join(self._texts(run))
        if looks.get("hidden"):
            self.tally.removed("hidden run", text.strip())
            return
        yield TextRun(
            text,
            look=look_of(looks, backdrop),
            link=link,
            bold=bool(looks.get("bold")),
            italic=bool(looks.get("italic")),
            raised=bool(looks.get("raised")),
        )

    def _texts(self, run: XmlElement) -> Iterator[str]:
        for child in run:
            if child.tag == "t":
                yield LINE_END.sub(" ", child.text or "")
            elif child.tag in SIGNS:
                yield SIGNS[child.tag]
            elif child.tag == "sym":
                yield "\u2022"
            elif child.tag in NOTES:
                yield self._note(NOTES[child.tag], child.get("id") or "")
            elif child.tag == "delText":
                self.tally.removed("deleted text", (child.text or "").strip())
            elif child.tag in {"drawing", "pict", "AlternateContent"}:
                yield from alternative_texts(child)

    def _note(self, kind: str, number: str) -> str:
        """The mark of a note, whose text is kept for the end."""
        if kind not in self._notes:
            root = self._related(kind)
            self._notes[kind] = {note.get("id") or "": note for note in root} if root is not None else {}
        note = self._notes[kind].get(number)
        if note is None:
            return ""
        place = len(self.notes)
        self.notes.append("")
        style = self.styles.style(self.styles.paragraph)
        paragraphs = [inline(self.runs(one, style, self.page)) for one in note.iter("p")]
        self.notes[place] = "<br>".join(text.strip() for text in paragraphs if text.strip())
        return f"[{place + 1}]"

    def table(self, source: XmlElement, flow: Flow, backdrop: Backdrops) -> None:
        """A table; one of a single cell is a frame around its text."""
        properties = source.find("tblPr")
        backdrop = backdrop.under(self.styles.style(value_of(properties, "tblStyle")).shade)
        backdrop = backdrop.under(shade_of(properties.find("shd")) if properties is not None else None)
        rows = [list(cells_of(one)) for one in rows_of(source)]
        if len(rows) == 1 and len(rows[0]) == 1:
            self.blocks(rows[0][0], flow, backdrop.under(shade_of(rows[0][0].find("tcPr/shd"))))
            return
        flow.block(table(row(self._cells(cells, backdrop, head=not at)) for at, cells in enumerate(rows)))

    def _cells(self, cells: list[XmlElement], backdrop: Backdrops, *, head: bool) -> Iterator[str]:
        for one in cells:
            across = value_of(one, "tcPr/gridSpan") or "1"
            inside = Flow()
            merged = one.find("tcPr/vMerge")
            if merged is None or merged.get("val") == "restart":
                self.blocks(one, inside, backdrop.under(shade_of(one.find("tcPr/shd"))))
            html = inside.html()
            # A single paragraph is the cell.
            if html.count("<p>") == 1 and html.startswith("<p>"):
                html = html.removeprefix("<p>").replace("</p>", "", 1)
            yield cell(html, head=head, across=int(across) if across.isdecimal() else 1)

    def _deleted(self, gone: XmlElement) -> None:
        self.tally.removed("deleted text", " ".join(t.text or "" for t in gone.iter("delText", "t")).strip())

    def _note_comments(self) -> None:
        root = self._related("comments")
        if root is not None and len(root):
            self.tally.note("comments-left-out", "remarks of reviewers", count=len(root))

    def _related(self, kind: str) -> XmlElement | None:
        """The part of a kind that the document points to."""
        found = next((one.target for one in self.links.values() if one.kind == kind and not one.external), None)
        return self.package.tree_if_any(found)


def look_of(looks: Looks, backdrop: Backdrops) -> TextLook:
    """The look of a run on what lies behind it."""
    return TextLook(looks.get("colour"), backdrop.under(looks.get("backdrop")).colour, looks.get("points"))


def fill_of(properties: XmlElement | None) -> str | None:
    """The colour a shape is filled with, `UNKNOWN` where it is no plain one, `None` where there is none."""
    if properties is None:
        return UNKNOWN
    plain = properties.find("solidFill/srgbClr")
    if plain is not None:
        return hexadecimal(plain.get("val"))
    return UNKNOWN if any(properties.find(kind) is not None for kind in FILLS) else None


def heading_level(style: WordStyle, properties: XmlElement | None) -> int | None:
    """The level of a heading from 0, or `None` for other paragraphs."""
    named = HEADING.match(style.name)
    own = value_of(properties, "outlineLvl")
    level = int(own) if own and own.isdecimal() else int(named[1]) - 1 if named else style.level
    if style.name == "title":
        return 0
    return level if level is not None and 0 <= level < 9 else None


def formats_in(root: XmlElement | None) -> dict[tuple[str, int], str]:
    """How each level of each list is numbered."""
    if root is None:
        return {}
    kinds = {
        abstract.get("abstractNumId"): {
            int(level.get("ilvl") or 0): value_of(level, "numFmt") or "decimal" for level in abstract.findall("lvl")
        }
        for abstract in root.findall("abstractNum")
    }
    return {
        (number.get("numId") or "", level): kind
        for number in root.findall("num")
        for level, kind in kinds.get(value_of(number, "abstractNumId"), {}).items()
    }


def rows_of(source: XmlElement) -> Iterator[XmlElement]:
    """The rows of a table, also those in a wrapper."""
    for child in source:
        if child.tag == "tr":
            yield child
        elif child.tag in THROUGH:
            yield from rows_of(child)


def cells_of(source: XmlElement) -> Iterator[XmlElement]:
    """The cells of a row, also those in a wrapper."""
    for child in source:
        if child.tag == "tc":
            yield child
        elif child.tag in THROUGH:
            yield from cells_of(child)


def alternative_texts(drawing: XmlElement) -> Iterator[str]:
    """What a picture shows, in the words of its author."""
    for about in drawing.iter("docPr"):
        words = " ".join((about.get("descr") or "").split())[:200]
        if words:
            yield f" [image: {words}] "
            return


def inside_another_box(box: XmlElement, paragraph: XmlElement) -> bool:
    """Say whether a text box stands in another one of the same paragraph, which brings it along."""
    above = box.getparent()
    while above is not None and above is not paragraph:
        if above.tag == "txbxContent":
            return True
        above = above.getparent()
    return False
