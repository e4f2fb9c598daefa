"""
What a shadow tree makes of what its host holds: shown where a slot stands, hidden with it, or not shown at all.

The tree is laid out as a page of its own in which stand-ins for the host's children fill the slots, so that its style
sheets are judged by the same engine as those of any page.
"""

import re
from html import escape

from seekread.extraction.markup import Box
from seekread.late import dataclass

LONGEST = 100_000
"""Characters of a shadow tree that are looked at."""
STAND_IN = "data-seekread-stand-in"
HOST = "x-host"
SLOT = re.compile(r"<slot\b([^>]*)>", re.IGNORECASE)
NAMED = re.compile(r"""\bname\s*=\s*["']?([^"'\s>]*)""", re.IGNORECASE)
SLOTTED = re.compile(r"([\w.#\])*-]*)::slotted\(", re.IGNORECASE)
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

    def stand_in(self, number: int) -> str:
        """An element with the names of the child, and a word that can be seen or not."""
        if self.is_text:
            return f'<span {STAND_IN}="{number}">x</span>'
        tag = self.box.tag if TAG.fullmatch(self.box.tag) and self.box.tag not in {"template", "slot"} else "span"
        return f'<{tag} {STAND_IN}="{number}"{attributes_of(self.box)}>x</{tag}>'


def children_of(host: Box) -> list[Child]:
    """What a host holds beside its shadow tree."""
    words = any(node.is_text_node and (node.text_content or "").strip() for node in host.node.iter(include_text=True))
    held = [Child(box, is_text=False) for box in host.children if "shadowrootmode" not in box.attributes]
    return [*held, *([Child(host, is_text=True)] if words else [])]


def flattened(host: Box, template: Box, children: list[Child]) -> tuple[str, set[int]]:
    """A shadow tree as a page with stand-ins in its slots, and the numbers of those that found one."""
    inside = (template.node.html or "").partition(">")[2].removesuffix("</template>")[:LONGEST]
    placed: set[int] = set()

    def filled(found: re.Match[str]) -> str:
        name = NAMED.search(found[1])
        wanted = name[1] if name else ""
        fitting = [number for number, child in enumerate(children) if child.slot == wanted and number not in placed]
        placed.update(fitting)
        return found[0] + "".join(children[number].stand_in(number) for number in fitting)

    inside = SLOT.sub(filled, inside)
    inside = SLOTTED.sub(lambda found: f"{found[1] or 'slot'} > :is(", inside)
    inside = HOST_SELECTOR.sub(lambda found: f"{HOST}:is(" if found[1] else HOST, inside)
    return f"<!doctype html><body><{HOST}{attributes_of(host)}>{inside}</{HOST}>", placed


def attributes_of(box: Box) -> str:
    return "".join(f' {name}="{escape(value or "")}"' for name, value in box.attributes.items())
