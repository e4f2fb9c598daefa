"""Styles of a Word document: what a paragraph and a run look like after all their styles have spoken."""

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from seekread.extraction.office.written import WHITE, hexadecimal
from seekread.late import dataclass
from seekread.xml_tree import XmlElement

OFF = frozenset({"0", "false", "off", "none"})
SWITCHES = {"b": "bold", "i": "italic", "vanish": "hidden"}
HIGHLIGHTS = {
    "black": "000000", "blue": "0000FF", "cyan": "00FFFF", "green": "00FF00", "magenta": "FF00FF", "red": "FF0000",
    "yellow": "FFFF00", "white": "FFFFFF", "darkBlue": "000080", "darkCyan": "008080", "darkGreen": "008000",
    "darkMagenta": "800080", "darkRed": "800000", "darkYellow": "808000", "darkGray": "808080", "lightGray": "C0C0C0",
}  # fmt: skip
WHITE_THEMES = frozenset({"background1", "light1", "bg1"})
MOST_ANCESTORS = 20
UNKNOWN = "unknown"
"""A backdrop that is drawn by a pattern or a style we do not work out."""

Looks = dict[str, Any]
"""Properties of a run by our names for them: bold, italic, hidden, colour, backdrop, points, raised."""


def switched_on(element: XmlElement | None) -> bool:
    """Whether a property that is there is on."""
    return element is not None and (element.get("val") or "1").lower() not in OFF


def looks_in(properties: XmlElement | None) -> Looks:
    """What the properties of a run say."""
    found: Looks = {}
    for one in properties if properties is not None else ():
        value = one.get("val") or ""
        match one.tag:
            case tag if tag in SWITCHES:
                found[SWITCHES[tag]] = switched_on(one)
            case "color":
                themed = WHITE if one.get("themeColor") in WHITE_THEMES else None
                found["colour"] = hexadecimal(value) or themed
            case "sz" if value.isdecimal():
                found["points"] = int(value[:6]) / 2
            case "highlight":
                found["backdrop"] = HIGHLIGHTS.get(value)
            case "shd":
                found["backdrop"] = shade_of(one) or found.get("backdrop")
            case "vertAlign":
                found["raised"] = value == "superscript"
    return found


def shade_of(shading: XmlElement | None) -> str | None:
    """The colour behind something, `UNKNOWN` for a pattern, or `None` where nothing is behind it."""
    if shading is None:
        return None
    if (shading.get("val") or "clear") not in {"clear", "nil"}:
        return UNKNOWN
    return hexadecimal(shading.get("fill"))


@dataclass(frozen=True)
class WordStyle:
    """A style by its own words and those it is based on."""

    name: str = ""
    looks: Mapping[str, Any] = field(default_factory=dict)
    level: int | None = None
    """The level of a heading, from 0; 9 is none."""
    numbering: tuple[str, int] | None = None
    shade: str | None = None


class WordStyles:
    """The styles of one document."""

    def __init__(self, root: XmlElement | None) -> None:
        found = root.findall("style") if root is not None else []
        self._elements = {style.get("styleId") or "": style for style in found}
        self._known: dict[str, WordStyle] = {}
        self.defaults = looks_in(root.find("docDefaults/rPrDefault/rPr") if root is not None else None)
        self.paragraph = next(
            (s.get("styleId") or "" for s in found if s.get("type") == "paragraph" and s.get("default") == "1"), ""
        )

    def style(self, name: str | None, depth: int = 0) -> WordStyle:
        """A style with everything it inherits; one that is not there says nothing."""
        if not name or name not in self._elements or depth > MOST_ANCESTORS:
            return WordStyle()
        if name not in self._known:
            self._known[name] = self._read(self._elements[name], depth)
        return self._known[name]

    def _read(self, style: XmlElement, depth: int) -> WordStyle:
        parent = self.style(value_of(style, "basedOn"), depth + 1)
        level = value_of(style, "pPr/outlineLvl")
        return WordStyle(
            name=(value_of(style, "name") or "").lower(),
            looks={**parent.looks, **looks_in(style.find("rPr"))},
            level=int(level) if level and level.isdecimal() else parent.level,
            numbering=numbering_in(style.find("pPr")) or parent.numbering,
            shade=shade_of(style.find("pPr/shd")) or any_shade(style) or parent.shade,
        )


def any_shade(style: XmlElement) -> str | None:
    """`UNKNOWN` for a style of tables that draws behind some of its cells."""
    if style.get("type") != "table":
        return None
    return UNKNOWN if any(shade_of(shading) not in {None, WHITE} for shading in style.iter("shd")) else None


def value_of(element: XmlElement | None, path: str) -> str | None:
    """The `val` of something below an element."""
    found = element.find(path) if element is not None else None
    return found.get("val") if found is not None else None


def numbering_in(properties: XmlElement | None) -> tuple[str, int] | None:
    """The list and the level that properties of a paragraph name; the list `0` is none."""
    number = value_of(properties, "numPr/numId")
    level = value_of(properties, "numPr/ilvl") or "0"
    return (number, int(level) if level.isdecimal() else 0) if number else None
