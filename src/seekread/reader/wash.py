"""
Take out of a page what its readers cannot see, and count it.

Rules find elements; nothing is deleted until all of them have spoken. A rule that would take more than 30 % of the
page's text is not a trick but the way the site works (everything hidden until a script runs): it flags and deletes
nothing. What a reader can open (a tab, an accordion, `details`) is not hidden. Maths is exempt: its visible half is
marked `aria-hidden`, its readable half is hidden.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import cast

from lxml.etree import Comment

from seekread.reader.colours import WHITE, Colour, alike, colour
from seekread.reader.dom import Element, body_of, drop, elements, text_of
from seekread.reader.extracted import Extracted
from seekread.reader.signals import Tally
from seekread.reader.styles import Declarations, Sheet, declarations, hiding

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
TELLING = frozenset({"style", "class", "id", "hidden", "aria-hidden", "inert", "popover", "color"})
"""Attributes without which an element cannot be hidden."""
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
    for element in elements(body):
        element.text = tally.collapse(element.text) if element.text and len(element.text) > 100 else element.text
        element.tail = tally.collapse(element.tail) if element.tail and len(element.tail) > 100 else element.tail


def wash_text(extracted: Extracted) -> Extracted:
    """Take invisible characters out of text that never was HTML, and count them."""
    tally = Tally()
    markdown = unicodedata.normalize("NFC", tally.clean_characters(extracted.markdown))
    title = tally.clean_characters(extracted.title)
    return replace(extracted, markdown=markdown, title=title, signals=(*extracted.signals, *tally.signals()))


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
        if not TELLING.isdisjoint(element.keys()) or element.tag == "dialog":
            reason = judge(element, sheet, looks)
            if reason and element is not body:
                yield Hidden(element, reason)


def judge(element: Element, sheet: Sheet, looks: "Looks") -> str:
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
    inline = attributes.get("style", "")
    classes, for_screen_readers, concerned = looks.of(attributes.get("class", ""))
    if for_screen_readers:
        return "" if is_maths(element) else "for screen readers"
    identifier = attributes.get("id", "")
    concerned = concerned or f"#{identifier}" in sheet.suspects
    if not inline and not concerned and element.tag != "font":
        return ""
    style = declarations(inline) if inline else {}
    sheeted = sheet.style(str(element.tag), classes, identifier) if concerned else {}
    reason = hiding({**sheeted, **style})
    if reason and not hiding(style) and (classes & sheet.revealed or f"#{identifier}" in sheet.revealed):
        return "shown on some screens"
    if reason == "transparent" and MOVING & style.keys():
        return "faded in by a script"
    reason = reason or unseen_colour(element, style, sheeted, sheet, looks)
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
        self.known: dict[str, tuple[frozenset[str], bool, bool]] = {}

    def of(self, names: str) -> tuple[frozenset[str], bool, bool]:
        """The classes of an element, whether they are for screen readers, whether a suspicious rule names one."""
        known = self.known.get(names)
        if known is None:
            classes = frozenset(names.split())
            known = classes, bool(SCREEN_READERS.search(names)), not classes.isdisjoint(self.sheet.suspects)
            self.known[names] = known
        return known

    def own(self, element: Element) -> tuple[Colour | None, bool]:
        """The background an element declares, and whether it declares one we cannot judge (an image, a gradient)."""
        names = frozenset((element.get("class") or "").split())
        style = {
            **self.sheet.style(str(element.tag), names, element.get("id") or ""),
            **declarations(element.get("style") or ""),
        }
        value = style.get("background-color") or style.get("background") or (element.get("bgcolor") or "").lower()
        if not value:
            return None, "background-image" in style
        known = colour(value)
        if "url(" in value or "gradient" in value or "var(" in value or known is None:
            return None, value not in {"none", "inherit", "initial", "unset"}
        return (known, False) if known.alpha > 0.5 else (None, False)

    def behind(self, element: Element) -> Colour | None:
        """The background of an element, or `None` when it cannot be known."""
        unsure = False
        current: Element | None = element
        while current is not None:
            known, unknown = self.own(current)
            if unknown:
                return None
            if known is not None:
                return None if unsure else known
            names = f"{current.get('class') or ''} {current.get('id') or ''}"
            # A style sheet we do not see may paint parts with such names dark.
            unsure = unsure or (not self.sheet.whole and current is not self.body and bool(DARK.search(names)))
            current = current.getparent()
        return None if unsure else WHITE


def unseen_colour(element: Element, inline: Declarations, sheeted: Declarations, sheet: Sheet, looks: Looks) -> str:
    """Say whether an element's own text colour cannot be seen on what lies behind it."""
    style = {**sheeted, **inline}
    written = style.get("-webkit-text-fill-color") or style.get("color")
    if written is None and element.tag == "font":
        written = (element.get("color") or "").lower()
    ink = colour(written) if written else None
    if ink is None or "text" in style.get("background-clip", style.get("-webkit-background-clip", "")):
        return ""
    if "color" not in inline and element.tag != "font" and not sheet.whole and "background" not in " ".join(sheeted):
        return ""
    if ink.alpha <= 0.05:
        return "transparent colour"
    behind = looks.behind(element)
    if behind is None or not alike(ink, behind):
        return ""
    repainted = any(
        "color" in (child.get("style") or "") or "background" in (child.get("style") or "")
        for child in element.iter("*")
        if child is not element
    )
    return "" if repainted else "colour of the background"


def remove(body: Element, found: list[Hidden], tally: Tally) -> None:
    """Delete what the rules found, except where a rule would take too much or a reader can open the part."""
    lengths = measured(body)
    total = lengths[body]
    opened = openable(body) if any(hidden.reason in OPENABLE for hidden in found) else frozenset()
    for_screen_readers = {hidden.element.getparent() for hidden in found if hidden.reason == "for screen readers"}
    by_reason: dict[str, list[Element]] = defaultdict(list)
    for hidden in found:
        if not lengths.get(hidden.element):
            continue
        if hidden.reason == "aria-hidden" and is_visible_twin(hidden.element, for_screen_readers):
            continue
        if hidden.reason in OPENABLE and can_be_opened(hidden.element, opened):
            tally.note("hidden-text-kept", "a reader can open it", characters=lengths[hidden.element])
            continue
        if hidden.reason in LAYOUT:
            tally.note("hidden-text-kept", hidden.reason, characters=lengths[hidden.element])
            continue
        by_reason[hidden.reason].append(hidden.element)
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


def measured(body: Element) -> dict[Element, int]:
    """The number of visible characters in every element, counted once from the leaves up."""
    lengths: dict[Element, int] = {}
    for element in reversed(list(elements(body))):
        own = len(element.text.strip()) if element.text else 0
        lengths[element] = own + sum(
            lengths.get(child, 0) + (len(child.tail.strip()) if child.tail else 0) for child in element
        )
    return lengths


def is_visible_twin(element: Element, for_screen_readers: set[Element | None]) -> bool:
    """Say whether an `aria-hidden` element is the visible half of a pair, such as a price written twice."""
    if (
        element.tag in {"span", "sup", "i", "b", "em", "strong", "del", "ins", "bdi"}
        and element.getparent() in for_screen_readers
    ):
        return True
    text = text_of(element)
    return len(text) <= PRICE_LIMIT and PRICE.fullmatch(text) is not None


def openable(body: Element) -> frozenset[str]:
    """The ids that a control on the page opens."""
    ids: set[str] = set()
    for control in cast("list[Element]", body.xpath(CONTROLS)):
        for name in ("aria-controls", "data-target", "data-bs-target", "href"):
            ids.update(part.lstrip("#") for part in (control.get(name) or "").split())
    return frozenset(ids)


def can_be_opened(element: Element, ids: frozenset[str]) -> bool:
    """Say whether a reader can open this part: it is a panel, or a control stands before it or points to it."""
    if (
        element.get("role") == "tabpanel"
        or (element.get("id") or "-") in ids
        or PANELS.search(element.get("class") or "")
    ):
        return True
    parent = element.getparent()
    if parent is not None and ((parent.get("id") or "-") in ids or PANELS.search(parent.get("class") or "")):
        return True
    before = element.getprevious()
    return before is not None and any(is_control(part) for part in before.iter("*"))


def is_control(element: Element) -> bool:
    """Say whether an element opens and closes something."""
    return element.tag in {"button", "summary"} or element.get("role") == "button" or "aria-expanded" in element.attrib
