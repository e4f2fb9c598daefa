"""
The cascade: which value a property has on an element, at one of the widths a page is looked at.

Rules lie in buckets by the id, class or tag their last compound asks for, so an element meets only those that can
match. Values are worked out when they are asked for: variables put in, shorthands taken apart, `inherit` and the like
followed. Origins stand in the order of the standard: the browser's own, attributes, layers, sheets, the element's own
style, animations, and what is important in the opposite order.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from seekread.extraction.css_properties import GLOBAL, INHERITED, PENDING, SHORTHANDS, is_valid
from seekread.extraction.css_select import (
    BadSelector,
    Compound,
    Matcher,
    OutOfBudget,
    Selector,
    Selectors,
    StepBudget,
    parse,
)
from seekread.extraction.css_sheet import Declaration, Declarations, Layer, Rule, Sheets, declarations
from seekread.extraction.css_values import LONGEST, Units, amount
from seekread.extraction.markup import Box, Markup
from seekread.extraction.prescan import words

NAMES = re.compile(r"([.#])([\w-]+)")
VARIABLE = re.compile(r"var\(", re.IGNORECASE)
MAX_VARIABLES = 400
"""Variables put in for one value."""
FONT_SIZES = {"xx-small": 9.0, "x-small": 10.0, "small": 13.0, "medium": 16.0, "large": 18.0, "x-large": 24.0,
              "xx-large": 32.0, "xxx-large": 48.0}  # fmt: skip
HTML_SIZES = ("x-small", "small", "medium", "large", "x-large", "xx-large", "xxx-large")
NEVER_SHOWN = words(
    "area base basefont datalist head link meta noembed noframes param rp script style template title noscript"
)
LONG_SECONDS = 60.0
"""An animation that takes or waits longer is, for a reader, how the page is."""


@dataclass(frozen=True, slots=True)
class SelectorRule:
    """One selector of a rule with what it declares."""

    selector: Selector
    declarations: Declarations
    widths: int
    layer: Layer
    order: int
    above: frozenset[str]


def key_of(compound: Compound) -> str:
    """The bucket of a compound: an id, a class, a tag, or everything."""
    if compound.identifiers:
        return "#" + min(compound.identifiers)
    if compound.classes:
        return "." + min(compound.classes)
    return compound.tag or "*"


def is_simple(selectors: str) -> bool:
    """Say whether the names of selectors can be told without reading them."""
    return "(" not in selectors and "\\" not in selectors and "[" not in selectors


def is_possible(markup: Markup, selectors: str) -> bool:
    """Say whether the page has every class and id that one of several selectors names."""
    if not is_simple(selectors):
        return True
    by_class, by_id, fold = markup.by_class, markup.by_id, markup.fold
    for selector in selectors.split(","):
        for kind, name in NAMES.findall(selector):
            if fold(name) not in (by_class if kind == "." else by_id):
                break
        else:
            return True
    return False


class Cascade:
    """The rules of a page that can match, and what they and the elements themselves declare."""

    def __init__(self, markup: Markup, sheets: Sheets, budget: StepBudget) -> None:
        self.markup = markup
        self.sheets = sheets
        self.budget = budget
        self.matcher = Matcher(budget)
        self.parsed: dict[tuple[str, ...], Selectors | None] = {}
        self.inlined: dict[str, Declarations] = {}
        self.found: dict[int, list[SelectorRule]] = {}
        self.boxes: dict[str, list[Box]] = {}
        self.properties = set(BROWSER_PROPERTIES)
        """Everything that is declared anywhere; what is not has its initial value."""
        for declared in (
            *(rule.declarations for rule in sheets.rules),
            *(frame for frames in sheets.frames.values() for frame in frames.values()),
        ):
            self.properties.update(declared)

    @cached_property
    def entries(self) -> list[SelectorRule]:
        """The rules whose names the page has, one entry for each selector."""
        return [entry for rule in self.sheets.rules for entry in self.entries_of(rule)]

    @cached_property
    def buckets(self) -> dict[str, list[SelectorRule]]:
        found: dict[str, list[SelectorRule]] = {}
        for entry in self.entries:
            if not entry.selector.pseudo_element:
                found.setdefault(key_of(entry.selector.last), []).append(entry)
        return found

    @cached_property
    def varies(self) -> bool:
        """Whether something differs between the widths."""
        return any(entry.widths not in {~0, 7, 0} for entry in self.entries)

    def entries_of(self, rule: Rule) -> Iterator[SelectorRule]:
        for selector in self.selectors(rule.selectors) or ():
            above = selector.names_above()
            yield SelectorRule(selector, rule.declarations, rule.widths, rule.layer, rule.order, above)

    def selectors(self, chain: tuple[str, ...]) -> Selectors | None:
        """The selectors of a rule within others; `None` when they match nothing here, or nothing at all."""
        if chain not in self.parsed:
            parent = self.selectors(chain[:-1]) if len(chain) > 1 else None
            if len(chain) > 1 and not parent:
                self.parsed[chain] = None
            else:
                self.parsed[chain] = self.read(chain[-1], parent)
        return self.parsed[chain]

    def read(self, text: str, parent: Selectors | None) -> Selectors | None:
        if is_simple(text):
            text = ",".join(part for part in text.split(",") if is_possible(self.markup, part))
        self.budget.spend(1 + len(text) // 20)
        try:
            return parse(text, quirks=self.markup.quirks, parent=parent)
        except BadSelector:
            return None

    def candidates(self, compound: Compound) -> list[Box]:
        """The elements that a compound may be about."""
        key, markup = key_of(compound), self.markup
        if key[0] == "#":
            nodes = markup.by_id.get(key[1:], [])
        elif key[0] == ".":
            nodes = markup.by_class.get(key[1:], [])
        elif compound.attribute and key == "*":
            key = f"[{compound.attribute}]"
            nodes = markup.document.css(key)
        elif key == "*":
            nodes = [node for found in markup.by_tag.values() for node in found]
        else:
            nodes = markup.by_tag.get(key, [])
        self.budget.spend(len(nodes))
        boxes = self.boxes.get(key)
        if boxes is None:
            boxes = self.boxes[key] = [markup.box(node) for node in nodes]
        return boxes

    def matching(self, box: Box) -> list[SelectorRule]:
        """The rules that match an element."""
        known = self.found.get(box.key)
        if known is None:
            known = self.found[box.key] = []
            buckets, around, steps = self.buckets, box.around, 0
            for key in (*box.names, "*"):
                for entry in buckets.get(key, ()):
                    if entry.above <= around and self.matcher.matches(entry.selector, box):
                        known.append(entry)
                    steps += 1
            self.budget.spend(steps // 4)
        return known

    def inline(self, box: Box) -> Declarations:
        """The declarations of the element's own style."""
        return self.style(box.attribute("style"))

    def style(self, text: str) -> Declarations:
        known = self.inlined.get(text)
        if known is None:
            known = self.inlined[text] = declarations(text)
            self.properties.update(known)
        return known


def own_of_browser(box: Box) -> dict[str, str]:
    """What browsers declare themselves, and what attributes stand for."""
    found: dict[str, str] = {}
    attributes = box.attributes
    tag = box.tag
    if tag in NEVER_SHOWN:
        found["display"] = "none"
    if "hidden" in attributes:
        found["display" if box.attribute("hidden").lower() != "until-found" else "content-visibility"] = (
            "none" if box.attribute("hidden").lower() != "until-found" else "hidden"
        )
    if (tag == "dialog" and "open" not in attributes) or "popover" in attributes:
        found["display"] = "none"
    hint = HINTS.get(tag)
    if hint is not None:
        found.update(hint)
    if tag == "a" and "href" in attributes:
        found["color"] = "linktext"
    if attributes.get("bgcolor"):
        found["background-color"] = legacy_colour(box.attribute("bgcolor"))
    if tag == "body" and attributes.get("text"):
        found["color"] = legacy_colour(box.attribute("text"))
    if tag == "font":
        if attributes.get("color"):
            found["color"] = legacy_colour(box.attribute("color"))
        if attributes.get("size"):
            found["font-size"] = html_size(box.attribute("size"))
    return found


HINTS: dict[str, dict[str, str]] = {
    "mark": {"background-color": "mark", "color": "marktext"},
    "button": {"background-color": "buttonface", "color": "buttontext", "font-size": "13.3333px"},
    "h1": {"font-size": "2em"},
    "h2": {"font-size": "1.5em"},
    "h3": {"font-size": "1.17em"},
    "h5": {"font-size": ".83em"},
    "h6": {"font-size": ".67em"},
    "small": {"font-size": "smaller"},
    "big": {"font-size": "larger"},
    "sub": {"font-size": "smaller"},
    "sup": {"font-size": "smaller"},
    "rt": {"font-size": "50%"},
    "code": {"font-size": ".8125em"},
    "mphantom": {"visibility": "hidden"},
}


BROWSER_PROPERTIES = words("display content-visibility color background-color font-size visibility")
"""What browsers and attributes declare by themselves."""


def legacy_colour(text: str) -> str:
    text = text.strip().lower()
    return f"#{text}" if re.fullmatch(r"[0-9a-f]{6}", text) else text


def html_size(text: str) -> str:
    number = re.match(r"\s*([-+]?)(\d+)", text)
    if number is None:
        return "medium"
    size = int(number[2]) + {"+": 3, "-": -2 * int(number[2]) + 3}.get(number[1], 0)
    return HTML_SIZES[min(max(size, 1), 7) - 1]


class Look:
    """A page at one width: values of properties on its elements."""

    def __init__(self, cascade: Cascade, bit: int, width: float) -> None:
        self.cascade = cascade
        self.bit = 1 << bit
        self.width = width
        self.known: dict[int, dict[str, str]] = {}
        self.resolved: dict[tuple[int, str], str | None] = {}
        self.sizes: dict[int, float] = {}
        self.values: dict[str, dict[int, str]] = {}
        self.variables: dict[tuple[int, str], str | None] = {}

    def specified(self, box: Box) -> dict[str, str]:
        """What is declared for an element, the winner for each property."""
        known = self.known.get(box.key)
        if known is None:
            known = self.known[box.key] = self.cascaded(box)
        return known

    def cascaded(self, box: Box) -> dict[str, str]:
        entries = [entry for entry in self.cascade.matching(box) if entry.widths & self.bit]
        inline = self.cascade.inline(box) if box.attributes.get("style") else {}
        browser = own_of_browser(box)
        if not entries and not inline:
            return browser
        found = dict(browser)
        entries.sort(key=lambda entry: (entry.layer, entry.selector.specificity, entry.order))
        for entry in entries:
            apply(found, entry.declarations, browser, important=False)
        apply(found, inline, browser, important=False)
        if found.get("animation-name", "none") != "none":
            found.update(self.animated(found))
        # What is important in an earlier layer outweighs what is in a later one.
        entries.sort(key=lambda entry: (tuple(-rank for rank in entry.layer), entry.selector.specificity, entry.order))
        for entry in entries:
            apply(found, entry.declarations, browser, important=True)
        apply(found, inline, browser, important=True)
        return found

    def animated(self, found: dict[str, str]) -> dict[str, str]:
        """What an animation leaves behind, or shows for as long as anybody looks."""
        frames = self.cascade.sheets.frames.get(found["animation-name"].split(",")[0].strip())
        if not frames:
            return {}
        duration = amount(found.get("animation-duration", "0s").split(",")[0]) or 0.0
        delay = amount(found.get("animation-delay", "0s").split(",")[0]) or 0.0
        count = found.get("animation-iteration-count", "1").split(",")[0]
        fill = found.get("animation-fill-mode", "none").split(",")[0]
        backwards = found.get("animation-direction", "normal").startswith(("reverse", "alternate-reverse"))
        paused = "paused" in found.get("animation-play-state", "")
        first, last = (max(frames), min(frames)) if backwards else (min(frames), max(frames))
        if paused or delay > LONG_SECONDS:
            if delay < 0 and duration:
                place = min(100.0, -100 * delay / duration)
                return plain(frames[min(frames, key=lambda one: abs(one - place))])
            return plain(frames[first]) if fill in {"backwards", "both"} or delay <= 0 < duration else {}
        if duration > LONG_SECONDS:
            place = min(100.0, max(0.0, -100 * delay / duration))
            return plain(frames[min(frames, key=lambda one: abs(one - place))])
        if count == "infinite":
            shared = [set(plain(frame).items()) for frame in frames.values()]
            return dict(set.intersection(*shared)) if duration else {}
        return plain(frames[last]) if fill in {"forwards", "both"} else {}

    def value(self, box: Box, name: str, default: str = "") -> str:
        """The value of a property on an element, inherited where it is."""
        if name not in self.cascade.properties:
            return default
        if name not in INHERITED:
            written = self.own(box, name)
            if written == "inherit" and box.parent is not None:
                return self.value(box.parent, name, default)
            return default if written is None or written in GLOBAL else written
        return self.inherited(box, name) or default

    def inherited(self, box: Box, name: str) -> str:
        """The value of an inherited property; an empty text for the initial one."""
        known = self.values.setdefault(name, {})
        path: list[int] = []
        found, current = "", box
        while True:
            if current.key in known:
                found = known[current.key]
                break
            path.append(current.key)
            written = self.own(current, name)
            if written is not None and written not in {"inherit", "unset"}:
                found = "" if written in GLOBAL else written
                break
            if current.parent is None:
                break
            current = current.parent
        known.update(dict.fromkeys(path, found))
        return found

    def own(self, box: Box, name: str) -> str | None:
        """The value declared for an element, its variables put in; what comes out wrong counts as unset."""
        raw = self.specified(box).get(name)
        if raw is None or "(" not in raw or not VARIABLE.search(raw):
            return raw
        key = box.key, name
        if key not in self.resolved:
            self.resolved[key] = self.resolve(box, name, raw)
        return self.resolved[key]

    def resolve(self, box: Box, name: str, raw: str) -> str:
        shorthand = ""
        if raw.startswith(PENDING):
            shorthand, _, raw = raw[1:].partition(":")
        value = self.substituted(box, raw, [])
        if value is None:
            return "unset"
        value = value.strip().lower()
        if shorthand:
            value = SHORTHANDS[shorthand](value).get(name, "unset")
        return value if is_valid(name, value) else "unset"

    def substituted(self, box: Box, text: str, asked: list[str]) -> str | None:
        """A value with its variables put in; `None` when one is missing or stands for itself."""
        found = VARIABLE.search(text)
        while found is not None:
            self.cascade.budget.spend(1 + len(text) // 100)
            end = closing(text, found.end())
            name, _, fallback = text[found.end() : end].partition(",")
            value = self.variable(box, name.strip(), asked)
            if value is None:
                value = self.substituted(box, fallback, asked) if "," in text[found.end() : end] else None
            if value is None:
                return None
            text = f"{text[: found.start()]}{value}{text[end + 1 :]}"
            if len(text) > LONGEST:
                raise OutOfBudget
            found = VARIABLE.search(text, found.start() + len(value))
        return text

    def variable(self, box: Box, name: str, asked: list[str]) -> str | None:
        """What a variable stands for at an element."""
        key = box.key, name
        if key in self.variables:
            return self.variables[key]
        if name in asked:
            return None
        if len(asked) > MAX_VARIABLES:
            raise OutOfBudget
        current: Box | None = box
        value: str | None = None
        while current is not None:
            value = self.specified(current).get(name)
            if value is not None and value not in {"inherit", "unset"}:
                break
            current, value = current.parent, None
        if value is None or value == "initial":
            value = self.cascade.sheets.initial.get(name)
        elif current is not None and VARIABLE.search(value):
            value = self.substituted(current, value, [*asked, name])
        self.variables[key] = value
        return value

    def font_size(self, box: Box) -> float:
        """The size of letters in pixels."""
        path: list[Box] = []
        current: Box | None = box
        size = FONT_SIZES["medium"]
        while current is not None:
            known = self.sizes.get(current.key)
            if known is not None:
                size = known
                break
            path.append(current)
            current = current.parent
        for one in reversed(path):
            size = self.sizes[one.key] = self.own_size(one, size)
        return size

    def own_size(self, box: Box, around: float) -> float:
        written = self.own(box, "font-size")
        if written is None or written in {"inherit", "unset"}:
            return around
        if written in FONT_SIZES:
            return FONT_SIZES[written]
        if written in {"smaller", "larger"}:
            return around / 1.2 if written == "smaller" else around * 1.2
        root = self.root if box.parent is not None else FONT_SIZES["medium"]
        size = amount(written, Units(font=around, root=root, width=self.width, percent=around))
        return FONT_SIZES["medium"] if size is None else max(0.0, size)

    @cached_property
    def root(self) -> float:
        """The size of letters of the page itself, which `rem` is relative to."""
        top = self.cascade.markup.document.root
        return FONT_SIZES["medium"] if top is None else self.font_size(self.cascade.markup.box(top))

    def length(self, box: Box, name: str, percent: float | None = None) -> float | None:
        """A length in pixels, or `None` where it is not known before the page is laid out."""
        written = self.value(box, name)
        if not written or (percent is None and "%" in written and written.strip("0.%")):
            return None
        units = Units(font=self.font_size(box), root=self.root, width=self.width, percent=percent or 0.0)
        return amount(written, units)


def plain(frame: Declarations) -> dict[str, str]:
    return {name: declared.value for name, declared in frame.items()}


def apply(found: dict[str, str], declared: Declarations, browser: dict[str, str], *, important: bool) -> None:
    """Let declarations of one weight win over what was there."""
    for name, one in declared.items():
        if one.important is not important or one.value == "revert-layer":
            continue
        if one.value == "revert":
            found.pop(name, None)
            if name in browser:
                found[name] = browser[name]
        elif name == "all":
            reset(found, one)
        else:
            found[name] = one.value


def reset(found: dict[str, str], one: Declaration) -> None:
    """`all`: everything but variables back to what it was."""
    for name in list(found):
        if not name.startswith("--"):
            found[name] = one.value


def closing(text: str, position: int) -> int:
    """The place of the parenthesis that ends what began before a position."""
    depth = 1
    for index in range(position, len(text)):
        depth += {"(": 1, ")": -1}.get(text[index], 0)
        if not depth:
            return index
    return len(text)
