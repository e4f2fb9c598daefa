"""
Take out of a page what its readers cannot see, and count it.

Rules find elements; nothing is deleted until all of them have spoken. A rule that would take more than 30 % of the
page's text is not a trick but the way the site works (everything hidden until a script runs): it flags and deletes
nothing. What a reader can open (a tab, an accordion, `details`) is not hidden. Maths is exempt: its visible half is
marked `aria-hidden`, its readable half is hidden.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import cast

from lxml.etree import Comment, XPath
from lxml.etree import _ElementUnicodeResult as Piece

from seekread.extraction.colours import WHITE, Colour, alike, colour
from seekread.extraction.signals import Tally
from seekread.extraction.styles import Declarations, Sheet, declarations, hiding
from seekread.extraction.tree import Element, body_of, drop, elements, text_of

SHARE = 0.3
"""A rule that would take more of the page's text than this flags instead of deleting."""
SCREEN_READERS = re.compile(
    r"(?:^|\s)(?:sr-only|visually-?hidden|screen-?reader(?:-(?:text|only))?"
    r"|u-(?:visually-?)?hidden(?:-visually)?|a-offscreen"
    r"|element-invisible|cdk-visually-hidden|assistive-text|hide-visually|offscreen|off-screen)(?:\s|$)",
    re.IGNORECASE,
)
"""Names by which style sheets everywhere hide text from eyes and keep it for screen readers."""
MATHS = re.compile(r"(?:^|[\s_-])(?:katex|mathjax|mjx|mwe-math|ltx_math|math)", re.IGNORECASE)
DARK = re.compile(
    r"dark|hero|banner|cover|overlay|inverse|invert|black|navy|bg-|background|footer|header|gradient|video"
    r"|slide|jumbotron|cta|btn|button"
    r"|badge|parallax|has-[\w-]*-color",
    re.IGNORECASE,
)
"""Names of parts that a style sheet out of sight is likely to paint dark."""
PRICE = re.compile(r"(?=\D*\d)(?:[^\W\d_]{0,3}[\d\s.,$€£¥₹%/*+\u2013-]+){1,3}[^\W\d_]{0,3}")
"""A number with a currency around it, or a range of two."""
PRICE_LIMIT = 40
OPENABLE = frozenset({"display none", "hidden", "visibility hidden", "no size", "aria-hidden", "transparent", "inert"})
PANELS = re.compile(
    r"(?:^|[\s_-])(?:tab-?(?:pane|panel|content)s?|accordion|collaps(?:e|ed|ible)|toggle|expand(?:ed|able"
    r"|er)?|faq|answer|read-?more|show-?more"
    r"|slides?|slider|carousel|swiper|slick|gallery)(?:$|[\s_-])",
    re.IGNORECASE,
)
"""Names of parts that a reader opens or turns to: tabs, accordions, slides."""
TELLING = frozenset({"style", "hidden", "aria-hidden", "inert", "popover", "color"})
"""Attributes that can hide an element by themselves."""
LENGTH = XPath("string-length(normalize-space())")
REPAINTED = XPath("boolean(.//*[contains(@style, 'color') or contains(@style, 'background')])")
LONG = XPath(".//text()[string-length() > 100]")
"""Pieces of text that are long enough to be stuffing."""
LAYOUT = frozenset({"shown on some screens", "faded in by a script"})
MOVING = frozenset({"transform", "-webkit-transform", "will-change", "transition", "animation"})
"""Properties that go with a fade: text that is transparent only until it is scrolled into view."""
CONTROLS = (
    ".//*[@aria-controls or @data-target or @data-bs-target or @data-toggle or @data-bs-toggle"
    " or @aria-expanded or @role='tab']"
)


@dataclass(frozen=True)
class Hidden:
    """An element that a rule found hidden."""

    element: Element
    reason: str


def wash(tree: Element, sheet: Sheet, tally: Tally) -> None:
    """Remove comments and hidden elements from a tree, collapse stuffing, and count everything."""
    drop_comments(tree, tally)
    count_attributes(tree, tally)
    body = body_of(tree)
    found = list(find_hidden(body, sheet))
    if found:
        remove(body, found, tally)
    for text in cast("list[Piece]", LONG(body)):
        parent, name = text.getparent(), "tail" if text.is_tail else "text"
        whole = getattr(parent, name)
        collapsed = tally.collapse(whole)
        if collapsed != whole:
            setattr(parent, name, collapsed)


def drop_comments(tree: Element, tally: Tally) -> None:
    """Remove every comment; those with text are counted."""
    for comment in list(tree.iter(Comment)):
        text = (comment.text or "").strip()
        if text:
            tally.note("comment", "removed", characters=len(text))
        drop(comment)


def count_attributes(tree: Element, tally: Tally) -> None:
    """Count the text in `title` and `data-` attributes; no attribute is ever rendered as text."""
    count = int(cast("float", tree.xpath("count(//@title) + count(//@*[starts-with(name(), 'data-')])")))
    if count:
        tally.note("attributes", "title and data attributes left out", count=count)


def find_hidden(body: Element, sheet: Sheet) -> Iterator[Hidden]:
    """Every element that a rule finds hidden, in document order."""
    looks = Looks(body, sheet)
    for element in elements(body):
        names = element.keys()
        if not names and element.tag != "dialog":
            continue
        # Most elements have a class at most, and most classes mean nothing here.
        if TELLING.isdisjoint(names) and element.tag != "dialog" and not looks.concern(element):
            continue
        reason = judge(element, looks)
        if reason and element is not body:
            yield Hidden(element, reason)


def judge(element: Element, looks: "Looks") -> str:
    """The reason why an element is hidden, or an empty string."""
    attributes = element.attrib
    if "hidden" in attributes and attributes["hidden"] != "until-found":
        return "hidden"
    if attributes.get("aria-hidden", "").lower() == "true":
        return "" if is_maths(element) else "aria-hidden"
    if "inert" in attributes:
        return "inert"
    if "popover" in attributes:
        return "closed popover"
    if element.tag == "dialog" and "open" not in attributes:
        return "closed dialog"
    classes = attributes.get("class", "")
    if SCREEN_READERS.search(classes):
        return "" if is_maths(element) else "for screen readers"
    style = declarations(attributes.get("style", ""))
    sheeted = looks.sheeted(element)
    reason = hiding({**sheeted, **style})
    if reason and not hiding(style) and looks.shown_elsewhere(element):
        return "shown on some screens"
    if reason == "transparent" and MOVING & style.keys():
        return "faded in by a script"
    reason = reason or unseen_colour(element, style, sheeted, looks)
    return "" if reason and is_maths(element) else reason


def is_maths(element: Element) -> bool:
    """Say whether an element belongs to a formula."""
    if MATHS.search(element.get("class") or "") or str(element.tag).startswith("mjx-"):
        return True
    return any(MATHS.search(parent.get("class") or "") for parent in ancestors(element, 3))


def ancestors(element: Element, count: int) -> Iterator[Element]:
    """The nearest ancestors of an element."""
    for _ in range(count):
        parent = element.getparent()
        if parent is None:
            return
        yield parent
        element = parent


class Looks:
    """What the styles of a page say about its elements: what classes mean, and what text stands on."""

    def __init__(self, body: Element, sheet: Sheet) -> None:
        self.body = body
        self.sheet = sheet
        self.known: dict[str, bool] = {}
        self.styles: dict[tuple[str, str, str], dict[str, str]] = {}
        self.grounds: dict[Element, Colour | None] = {}

    def concern(self, element: Element) -> bool:
        """Say whether the class or the id of an element may hide it."""
        names = element.get("class")
        if names:
            known = self.known.get(names)
            if known is None:
                suspicious = not self.sheet.suspects.isdisjoint(names.split())
                known = self.known[names] = suspicious or SCREEN_READERS.search(names) is not None
            if known:
                return True
        identifier = element.get("id")
        return identifier is not None and f"#{identifier}" in self.sheet.suspects

    def sheeted(self, element: Element) -> dict[str, str]:
        """The declarations that the style sheets of the page make for an element."""
        key = str(element.tag), element.get("class") or "", element.get("id") or ""
        if key not in self.styles:
            self.styles[key] = self.sheet.style(key[0], key[1].split(), key[2])
        return self.styles[key]

    def shown_elsewhere(self, element: Element) -> bool:
        """Say whether some screen size shows what the style sheets hide."""
        names = (element.get("class") or "").split()
        return not self.sheet.revealed.isdisjoint((*names, f"#{element.get('id')}"))

    def own(self, element: Element) -> tuple[Colour | None, bool]:
        """The background an element declares, and whether it declares one we cannot judge (an image, a gradient)."""
        style = {**self.sheeted(element), **declarations(element.get("style") or "")}
        value = style.get("background-color") or style.get("background") or (element.get("bgcolor") or "").lower()
        if not value:
            return None, "background-image" in style
        known = colour(value)
        if "url(" in value or "gradient" in value or "var(" in value or known is None:
            return None, value not in {"none", "inherit", "initial", "unset"}
        return (known, False) if known.alpha > 0.5 else (None, False)

    def behind(self, element: Element) -> Colour | None:
        """The background of an element, or `None` when it cannot be known."""
        path: list[Element] = []
        current: Element | None = element
        ground: Colour | None = WHITE
        while current is not None:
            if current in self.grounds:
                ground = self.grounds[current]
                break
            path.append(current)
            known, unknown = self.own(current)
            if known is not None or unknown or self.may_be_dark(current):
                ground = known
                break
            current = current.getparent()
        self.grounds.update(dict.fromkeys(path, ground))
        return ground

    def may_be_dark(self, element: Element) -> bool:
        """Say whether a style sheet out of sight may paint an element dark, going by its names."""
        names = f"{element.get('class') or ''} {element.get('id') or ''}"
        return not self.sheet.whole and element is not self.body and DARK.search(names) is not None


def unseen_colour(element: Element, inline: Declarations, sheeted: Declarations, looks: Looks) -> str:
    """Say whether an element's own text colour cannot be seen on what lies behind it."""
    style = {**sheeted, **inline}
    written = style.get("-webkit-text-fill-color") or style.get("color")
    if written is None and element.tag == "font":
        written = (element.get("color") or "").lower()
    ink = colour(written) if written else None
    if ink is None or "text" in style.get("background-clip", style.get("-webkit-background-clip", "")):
        return ""
    own = "color" in inline or element.tag == "font" or "background" in " ".join(sheeted)
    if not own and not looks.sheet.whole:
        return ""
    if ink.alpha <= 0.05:
        return "transparent colour"
    behind = looks.behind(element)
    if behind is None or not alike(ink, behind):
        return ""
    return "" if REPAINTED(element) else "colour of the background"


def remove(body: Element, found: list[Hidden], tally: Tally) -> None:
    """Delete what the rules found, except where a rule would take too much or a reader can open the part."""
    lengths = {hidden.element: length(hidden.element) for hidden in found}
    controls = Controls(body)
    for_screen_readers = {hidden.element.getparent() for hidden in found if hidden.reason == "for screen readers"}
    by_reason: dict[str, list[Element]] = defaultdict(list)
    for hidden in found:
        if not lengths[hidden.element]:
            continue
        if hidden.reason == "aria-hidden" and is_visible_twin(hidden.element, for_screen_readers):
            continue
        if hidden.reason in OPENABLE and controls.open(hidden.element):
            tally.note("hidden-text-kept", "a reader can open it", characters=lengths[hidden.element])
            continue
        if hidden.reason in LAYOUT:
            tally.note("hidden-text-kept", hidden.reason, characters=lengths[hidden.element])
            continue
        by_reason[hidden.reason].append(hidden.element)
    total = length(body) if by_reason else 0
    doomed: set[Element] = set()
    for reason, members in by_reason.items():
        own = set(members)
        outermost = [element for element in members if not any(parent in own for parent in element.iterancestors())]
        taken = sum(lengths[element] for element in outermost)
        if taken > SHARE * total:
            tally.note(
                "hidden-text-kept",
                f"{reason}: more than {SHARE:.0%} of the page",
                count=len(outermost),
                characters=taken,
            )
            continue
        for element in outermost:
            if element not in doomed and not any(parent in doomed for parent in element.iterancestors()):
                tally.removed(reason, text_of(element))
        doomed.update(outermost)
    for element in doomed:
        drop(element)


def length(element: Element) -> int:
    """The number of characters a reader would see in an element."""
    return int(cast("float", LENGTH(element)))


def is_visible_twin(element: Element, for_screen_readers: set[Element | None]) -> bool:
    """Say whether an `aria-hidden` element is the visible half of a pair, or a mark between words."""
    if (
        element.tag in {"span", "sup", "i", "b", "em", "strong", "del", "ins", "bdi"}
        and element.getparent() in for_screen_readers
    ):
        return True
    text = text_of(element)
    return len(text) <= PRICE_LIMIT and (PRICE.fullmatch(text) is not None or not any(map(str.isalnum, text)))


class Controls:
    """What on a page opens other parts of it."""

    def __init__(self, body: Element) -> None:
        self.body = body

    @cached_property
    def targets(self) -> frozenset[str]:
        """The ids that a control on the page opens."""
        ids: set[str] = set()
        for control in cast("list[Element]", self.body.xpath(CONTROLS)):
            for name in ("aria-controls", "data-target", "data-bs-target", "href"):
                ids.update(part.lstrip("#") for part in (control.get(name) or "").split())
        return frozenset(ids)

    def open(self, element: Element) -> bool:
        """Say whether a reader can open this part: it is a panel, or a control stands before it or points to it."""
        if element.get("role") == "tabpanel":
            return True
        for part in (element, *ancestors(element, 1)):
            if PANELS.search(part.get("class") or "") or (part.get("id") and part.get("id") in self.targets):
                return True
        before = element.getprevious()
        return before is not None and any(is_control(part) for part in before.iter("*"))


def is_control(element: Element) -> bool:
    """Say whether an element opens and closes something."""
    return element.tag in {"button", "summary"} or element.get("role") == "button" or "aria-expanded" in element.attrib
