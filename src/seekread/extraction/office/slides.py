"""
Presentations (`.pptx`) as HTML: every slide a section with its number, its lists, tables, pictures and notes.

Hidden slides and shapes, and what lies off the slide, are counted and left out. The colour of letters is handed on
only where it is known what lies behind them: on most slides white letters stand on a dark picture.
"""

from collections.abc import Iterator
from dataclasses import field

from seekread.extraction.office.package import Package, Relationship
from seekread.extraction.office.written import Flow, TextLook, TextRun, cell, element, hexadecimal, inline, row, table
from seekread.extraction.signals import Tally
from seekread.late import dataclass
from seekread.xml_tree import XmlElement

FILLS = ("solidFill", "gradFill", "blipFill", "pattFill", "grpFill")
TITLES = frozenset({"title", "ctrTitle"})
FURNITURE = frozenset({"dt", "ftr", "sldNum", "hdr", "sldImg"})
"""Placeholders that repeat on every slide: the date, the footer, the number."""
BULLETS = frozenset({"body", "obj", None})
"""Placeholders whose paragraphs are items of a list unless they say otherwise."""
SHAPES = frozenset({"sp", "pic", "graphicFrame", "cxnSp"})
DARK, LIGHT = {"dk1": "000000", "dk2": "000000"}, {"lt1": "FFFFFF", "lt2": "FFFFFF"}
USUAL_MAP = {"bg1": "lt1", "tx1": "dk1", "bg2": "lt2", "tx2": "dk2"}
UNKNOWN = "unknown"


@dataclass(frozen=True)
class Extent:
    """Where a shape lies on its slide."""

    left: int
    top: int
    width: int
    height: int

    def meets(self, other: "Extent") -> bool:
        """Say whether two shapes overlap."""
        return not (
            self.left + self.width <= other.left
            or other.left + other.width <= self.left
            or self.top + self.height <= other.top
            or other.top + other.height <= self.top
        )


@dataclass(frozen=True)
class Palette:
    """The colours of a theme by the names that slides use for them."""

    colours: dict[str, str] = field(default_factory=lambda: {**DARK, **LIGHT})
    names: dict[str, str] = field(default_factory=lambda: dict(USUAL_MAP))

    def colour(self, fill: XmlElement | None) -> str | None:
        """The colour that a fill or a reference names, or `None` if it is none we can tell."""
        for child in fill if fill is not None else ():
            if len(child):
                # Tinted, shaded, transparent: not the colour that is named.
                return None
            if child.tag == "srgbClr":
                return hexadecimal(child.get("val"))
            if child.tag == "sysClr":
                return hexadecimal(child.get("lastClr"))
            if child.tag == "schemeClr":
                name = child.get("val") or ""
                return self.colours.get(self.names.get(name, name))
        return None


@dataclass
class SlideText:
    """One presentation while it is translated."""

    package: Package
    tally: Tally
    limit: int
    whole: Extent = Extent(0, 0, 0, 0)

    def translate(self) -> str:
        """All slides in their order."""
        part = self.package.main_part
        root, related = self.package.main, self.package.relationships(part)
        size = root.find("sldSz")
        if size is not None:
            self.whole = Extent(0, 0, number(size.get("cx")), number(size.get("cy")))
        flow = Flow()
        slides = [related.get(one.get("rel-id") or "") for one in root.iterfind("sldIdLst/sldId")]
        for count, slide in enumerate(slides, 1):
            if flow.size > self.limit:
                self.tally.note("slides-left-out", "the presentation is longer than what is read of it",
                                count=len(slides) - count + 1)  # fmt: skip
                break
            if slide is not None and not slide.external and slide.target in self.package:
                self.slide(slide.target, count, flow)
        return flow.html()

    def slide(self, part: str, count: int, flow: Flow) -> None:
        """One slide, with its number and its notes, unless it is hidden."""
        root = self.package.tree(part)
        if root.get("show") in {"0", "false"}:
            self.tally.removed("hidden slide", all_text(root))
            return
        links = self.package.relationships(part)
        palette, paper = self._paper(root, links)
        scene = SlideScene(self, links, palette, paper)
        shapes = list(shapes_of(root.find("cSld/spTree"), self.tally))
        title = next((shape for shape in shapes if holder_kind(shape) in TITLES), None)
        named = " ".join(inline(scene.plain_text(title)).split()) if title is not None else ""
        flow.block(element("h2", f"Slide {count}: {named}" if named else f"Slide {count}"))
        for shape in shapes:
            if shape is not title and holder_kind(shape) not in FURNITURE:
                scene.shape(shape, flow)
            scene.drawn.append(shape)
        self._notes(links, flow)

    def _paper(self, slide: XmlElement, links: dict[str, Relationship]) -> tuple[Palette, str | None]:
        """The colours of a slide, and the one it is painted with if that is a plain one."""
        layout, below = self._next(links, "slideLayout")
        master, theme_links = self._next(below, "slideMaster")
        theme = self.package.tree_if_any(target_of(theme_links, "theme"))
        scheme = theme.find("themeElements/clrScheme") if theme is not None else None
        colours = {
            one.tag: hexadecimal(one[0].get("lastClr") or one[0].get("val")) or ""
            for one in scheme if len(one)
        } if scheme is not None else {**DARK, **LIGHT}  # fmt: skip
        mapped = master.find("clrMap") if master is not None else None
        palette = Palette(colours, {**USUAL_MAP, **(dict(mapped.attrib) if mapped is not None else {})})  # type: ignore[arg-type]
        for root in (slide, layout, master):
            background = root.find("cSld/bg") if root is not None else None
            if background is not None:
                fill = background.find("bgPr/solidFill")
                return palette, palette.colour(fill if fill is not None else background.find("bgRef"))
        return palette, "FFFFFF"

    def _next(self, links: dict[str, Relationship], kind: str) -> tuple[XmlElement | None, dict[str, Relationship]]:
        part = target_of(links, kind)
        return self.package.tree_if_any(part), self.package.relationships(part) if part else {}

    def _notes(self, links: dict[str, Relationship], flow: Flow) -> None:
        """What the speaker wants to say, as a quotation below the slide."""
        root = self.package.tree_if_any(target_of(links, "notesSlide"))
        if root is None:
            return
        shapes = [one for one in shapes_of(root.find("cSld/spTree"), self.tally) if holder_kind(one) == "body"]
        scene = SlideScene(self, {}, Palette(), None)
        paragraphs = [inline(scene.pieces(one)) for shape in shapes for one in shape.iterfind("txBody/p")]
        written = "".join(element("p", text) for text in paragraphs if text.strip())
        if written:
            flow.block(element("h3", "Notes"))
            flow.block(element("blockquote", written))


@dataclass
class SlideScene:
    """One slide: its links, its colours and what was drawn on it so far."""

    whole: SlideText
    links: dict[str, Relationship]
    palette: Palette
    paper: str | None
    drawn: list[XmlElement] = field(default_factory=list)

    def shape(self, shape: XmlElement, flow: Flow) -> None:
        """A picture, a table or a text."""
        extent = extent_of(shape)
        if extent and self.whole.whole.width and not extent.meets(self.whole.whole):
            self.whole.tally.removed("off the slide", all_text(shape))
            return
        for rows in shape.iter("tbl"):
            self.table(rows, flow)
        words = " ".join((about_of(shape).get("descr") or "").split())[:200]
        if shape.tag == "pic" and words:
            flow.block(element("p", f"[image: {inline([TextRun(words)])}]"))
        self.text(shape, flow)

    def text(self, shape: XmlElement, flow: Flow) -> None:
        """The paragraphs of a shape, as a list where they are one."""
        listed = is_placeholder(shape) and holder_kind(shape) in BULLETS
        backdrop = self.backdrop(shape)
        for paragraph in shape.iterfind("txBody/p"):
            html = inline(self.pieces(paragraph, backdrop))
            if not html.strip():
                continue
            properties = paragraph.find("pPr")
            level = number(properties.get("lvl")) if properties is not None else 0
            bullet = bullet_of(properties, listed=listed)
            if bullet:
                flow.item(html, level, number=None if bullet == "sign" else 1)
            else:
                flow.block(element("p", html))

    def table(self, rows: XmlElement, flow: Flow) -> None:
        """A table; what lies behind its cells is the business of its style."""
        lines = [
            row(
                cell(self._cell(one), head=not at, across=max(1, number(one.get("gridSpan"))))
                for one in line.iterfind("tc")
                if not one.get("hMerge")
            )
            for at, line in enumerate(rows.iterfind("tr"))
        ]
        flow.block(table(lines))

    def _cell(self, one: XmlElement) -> str:
        return "<br>".join(text for p in one.iterfind("txBody/p") if (text := inline(self.pieces(p))).strip())

    def plain_text(self, shape: XmlElement) -> Iterator[TextRun]:
        """The words of a title, on one line."""
        for paragraph in shape.iterfind("txBody/p"):
            yield from (TextRun(piece.text.replace("\n", " ") + " ") for piece in self.pieces(paragraph))

    def pieces(self, paragraph: XmlElement, backdrop: str | None = None) -> Iterator[TextRun]:
        """The runs of a paragraph."""
        for run in paragraph:
            if run.tag == "br":
                yield TextRun("\n")
            elif run.tag in {"r", "fld"}:
                yield self._piece(run, backdrop)

    def _piece(self, run: XmlElement, backdrop: str | None) -> TextRun:
        properties = run.find("rPr")
        text = " ".join("".join(t.text or "" for t in run.iterfind("t")).split("\n")).replace("\v", "\n")
        if properties is None:
            return TextRun(text)
        click = properties.find("hlinkClick")
        related = self.links.get(click.get("rel-id") or "") if click is not None else None
        size = number(properties.get("sz"))
        colour = self.palette.colour(properties.find("solidFill"))
        return TextRun(
            text,
            look=TextLook(colour, backdrop if colour else None, size / 100 if size else None),
            link=related.target if related and related.external else "",
            bold=properties.get("b") in {"1", "true"},
            italic=properties.get("i") in {"1", "true"},
        )

    def backdrop(self, shape: XmlElement) -> str | None:
        """What lies behind the text of a shape, or `None` where that cannot be told."""
        properties = shape.find("spPr")
        own = properties.find("solidFill") if properties is not None else None
        if own is not None:
            return self.palette.colour(own)
        if fills(shape) or is_placeholder(shape):
            # A placeholder may be filled by its layout.
            return None
        extent = extent_of(shape)
        if extent is None or any(self._may_cover(other, extent) for other in self.drawn):
            return None
        return self.paper

    def _may_cover(self, other: XmlElement, extent: Extent) -> bool:
        if other.tag == "sp" and not fills(other):
            return False
        theirs = extent_of(other)
        return theirs is None or theirs.meets(extent)


def shapes_of(tree: XmlElement | None, tally: Tally) -> Iterator[XmlElement]:
    """The shapes of a slide, those of groups included, without hidden ones."""
    for shape in tree if tree is not None else ():
        if shape.tag in SHAPES | {"grpSp"} and (about_of(shape).get("hidden") or "0") in {"1", "true"}:
            tally.removed("hidden shape", all_text(shape))
        elif shape.tag in SHAPES:
            yield shape
        elif shape.tag in {"grpSp", "AlternateContent", "Choice", "Fallback"}:
            yield from shapes_of(shape, tally)


def about_of(shape: XmlElement) -> XmlElement:
    """What a shape says about itself."""
    found = shape.find("*/cNvPr")
    return found if found is not None else shape


def is_placeholder(shape: XmlElement) -> bool:
    return shape.find("*/nvPr/ph") is not None


def holder_kind(shape: XmlElement) -> str | None:
    """The kind of place in the layout that a shape fills."""
    found = shape.find("*/nvPr/ph")
    return found.get("type") if found is not None else None


def bullet_of(properties: XmlElement | None, *, listed: bool) -> str:
    """Whether a paragraph is an item of a list with a `sign` or a `number`; empty if it is none."""
    if properties is not None:
        if properties.find("buAutoNum") is not None:
            return "number"
        if properties.find("buNone") is not None:
            return ""
        if properties.find("buChar") is not None:
            return "sign"
    return "sign" if listed else ""


def fills(shape: XmlElement) -> bool:
    """Say whether a shape paints anything but its letters."""
    properties = shape.find("spPr")
    painted = properties is not None and any(properties.find(kind) is not None for kind in FILLS)
    bare = properties is not None and properties.find("noFill") is not None
    return shape.tag in {"pic", "graphicFrame"} or painted or (shape.find("style/fillRef") is not None and not bare)


def extent_of(shape: XmlElement) -> Extent | None:
    """Where a shape lies, if it says so and is not part of a group with measures of its own."""
    parent = shape.getparent()
    if parent is not None and parent.tag == "grpSp":
        return None
    frame = shape.find("spPr/xfrm")
    frame = frame if frame is not None else shape.find("xfrm")
    place, size = (frame.find("off"), frame.find("ext")) if frame is not None else (None, None)
    if place is None or size is None:
        return None
    return Extent(number(place.get("x")), number(place.get("y")), number(size.get("cx")), number(size.get("cy")))


def all_text(root: XmlElement) -> str:
    """All the words in a part of a slide."""
    return " ".join(" ".join(t.text or "" for t in root.iter("t")).split())


def target_of(links: dict[str, Relationship], kind: str) -> str | None:
    """The part of a kind among relationships."""
    return next((one.target for one in links.values() if one.kind == kind and not one.external), None)


def number(text: str | None) -> int:
    """A whole number, or 0 for what is none."""
    try:
        return int(text or 0)
    except ValueError:
        return 0
