"""
What a shadow tree makes of what its host holds: shown where a slot stands, hidden with it, or not shown at all.

The tree is laid out as a page of its own in which stand-ins for the host's children fill the slots, so that its style
sheets are judged by the same engine as those of any page. They are about what fills a slot by `::slotted` alone, and
about the host by `:host` alone, so other rules get a condition that leaves both out, and the names of stand-ins begin
with a prefix, as do those that `::slotted` asks for.
"""

import re
from collections.abc import Mapping
from html import escape

from selectolax.lexbor import LexborHTMLParser

from seekread.extraction.css_select import parts
from seekread.extraction.css_sheet import tidy
from seekread.extraction.hiding import INLINE
from seekread.extraction.markup import Box
from seekread.late import dataclass

LONGEST = 100_000
"""Characters of a shadow tree that are looked at."""
STAND_IN = "data-seekread-stand-in"
HOST = "x-host"
SLOT = re.compile(r"<slot\b([^>]*)>", re.IGNORECASE)
NAMED = re.compile(r"""\bname\s*=\s*["']?([^"'\s>]*)""", re.IGNORECASE)
SLOTTED = re.compile(r"([\w.#\])*-]*)::slotted\(((?:[^()]|\([^()]*\))*)\)", re.IGNORECASE)
OF_CHILD = "child-"
"""What the names of stand-ins begin with."""
ASKED = re.compile(
    r":(?:nth|lang|dir)[\w-]*\([^()]*\)|:[\w-]+|\[\s*(?P<rest>[^\]]*\])|(?P<mark>[.#]?)(?P<name>[a-z_][\w-]*)",
    re.IGNORECASE,
)
"""What a selector asks of an element itself: its place and state, which stay, and its names."""
ATTRIBUTES = {".": "class~", "#": "id"}
"""What a class and an id of a selector ask for."""
FRAME = re.compile(r"\s*(?:from|to|[\d.]+%)\s*", re.IGNORECASE)
"""A step of an animation, which looks like a selector."""
OF_OTHERS = re.compile(r"::slotted\(|:host(?:\([^()]*\))?\s*\Z", re.IGNORECASE)
"""In a selector that is about what fills a slot, or about the host."""
GENERATED = re.compile(r"(?:::[\w-]+(?:\([^()]*\))?|:(?:before|after|first-line|first-letter)){0,3}\Z", re.IGNORECASE)
"""The end of a selector that is about a box without an element."""
OWN = f":where(:not([{STAND_IN}], {HOST}, body, html))"
HOST_SELECTOR = re.compile(r":host(?:(\()|(?![\w-]))", re.IGNORECASE)
TAG = re.compile(r"[a-z][a-z0-9-]*")


@dataclass(frozen=True)
class Child:
    """Something a host holds: an element, or its own words."""

    box: Box
    is_text: bool

    @property
    def slot(self) -> str:
        return "" if self.is_text else self.box.attribute("slot")

    @property
    def tag(self) -> str:
        """The tag of its stand-in."""
        return f"{OF_CHILD}{self.box.tag}" if not self.is_text and TAG.fullmatch(self.box.tag) else f"{OF_CHILD}-"

    @property
    def is_block(self) -> bool:
        return not self.is_text and self.box.tag not in INLINE

    def stand_in(self, number: int) -> str:
        """An element with the names of the child, but for a prefix, and a word that can be seen or not."""
        written = {STAND_IN: str(number)}
        for name, value in self.box.attributes.items() if not self.is_text else ():
            written[name if name == "style" else f"{OF_CHILD}{name}"] = value or ""
        return f"<{self.tag}{written_out(written)}>x</{self.tag}>"


def children_of(host: Box) -> list[Child]:
    """What a host holds beside its shadow tree."""
    words = any(node.is_text_node and (node.text_content or "").strip() for node in host.node.iter(include_text=True))
    held = [Child(box, is_text=False) for box in host.children if "shadowrootmode" not in box.attributes]
    return [*held, *([Child(host, is_text=True)] if words else [])]


def flattened(host: Box, template: Box, children: list[Child]) -> tuple[str, set[int]]:
    """A shadow tree as a page with stand-ins in its slots, and the numbers of those that found one."""
    inside = (template.node.html or "").partition(">")[2].removesuffix("</template>")[:LONGEST]
    inside = with_own_rules(inside)
    placed: set[int] = set()

    def filled(found: re.Match[str]) -> str:
        name = NAMED.search(found[1])
        wanted = name[1] if name else ""
        fitting = [number for number, child in enumerate(children) if child.slot == wanted and number not in placed]
        placed.update(fitting)
        return found[0] + "".join(children[number].stand_in(number) for number in fitting)

    inside = SLOT.sub(filled, inside)
    inside = SLOTTED.sub(lambda found: f"{found[1] or 'slot'} > :is({of_child(found[2])})", inside)
    inside = HOST_SELECTOR.sub(lambda found: f"{HOST}:is(" if found[1] else HOST, inside)
    blocks = ", ".join({child.tag: None for child in children if child.is_block})
    usual = f"<style>:where({blocks}){{display:block}}</style>" if blocks else ""
    return f"<!doctype html><body>{usual}<{HOST}{written_out(host.attributes)}>{inside}</{HOST}>", placed


def with_own_rules(inside: str) -> str:
    """A shadow tree whose rules are about elements of the tree, but for those that ask for others."""
    pieces: list[str] = []
    position = 0
    for style in LexborHTMLParser(inside).css("style"):
        sheet = style.text()
        start = inside.find(f">{sheet}</style>", position) + 1
        if start:
            pieces += inside[position:start], of_itself(sheet)
            position = start + len(sheet)
    return "".join((*pieces, inside[position:]))


def of_itself(sheet: str) -> str:
    *before, last = tidy(sheet).split("{")
    for number, piece in enumerate(before):
        begin = max(piece.rfind("}"), piece.rfind(";")) + 1
        before[number] = piece[:begin] + ",".join(map(limited, parts(piece[begin:])))
    return "{".join((*before, last))


def limited(selector: str) -> str:
    """A selector that is about nothing but elements of its tree."""
    if "@" in selector or FRAME.fullmatch(selector) or OF_OTHERS.search(selector):
        return selector
    return GENERATED.sub(lambda found: f"{OWN}{found[0]}", selector.rstrip(), count=1)


def of_child(selectors: str) -> str:
    """What is asked of a child, asked of its stand-in."""

    def renamed(found: re.Match[str]) -> str:
        if found["rest"]:
            return f"[{OF_CHILD}{found['rest']}"
        if found["mark"]:
            return f'[{OF_CHILD}{ATTRIBUTES[found["mark"]]}="{found["name"]}"]'
        return f"{OF_CHILD}{found['name']}" if found["name"] else found[0]

    return ASKED.sub(renamed, selectors)


def written_out(attributes: Mapping[str, str | None]) -> str:
    return "".join(f' {name}="{escape(value or "")}"' for name, value in attributes.items())
