"""
Values of properties on the elements of a page, at one of the widths it is looked at.

They are worked out when they are asked for: variables put in, shorthands taken apart, `inherit` and the like followed.
"""

import re
from functools import cached_property, partial
from itertools import pairwise

from seekread.extraction.css_animations import Timing, lasts, place_shown, plain
from seekread.extraction.css_browser import BROWSER_PROPERTIES, of_attributes, of_browser, own_of_browser
from seekread.extraction.css_cascade import Cascade, SelectorRule, against_layers, in_order
from seekread.extraction.css_conditions import COMPARE, RANGE, contained, container, media, split, supports, weigh
from seekread.extraction.css_properties import (
    GLOBAL,
    INHERITED,
    PENDING,
    SHORTHANDS,
    SUBSTITUTED,
    is_of_syntax,
    is_valid,
)
from seekread.extraction.css_select import OutOfBudget
from seekread.extraction.css_sheet import Declarations
from seekread.extraction.css_values import LONGEST, VIEWPORT_HEIGHT, Units, amount, words_of
from seekread.extraction.markup import Box
from seekread.extraction.prescan import words

SIZE_QUERY = re.compile(r"(?<![-\w])\((?!\s*(?:not|style|\())")
"""A feature in parentheses by itself asks for a size; `style(…)` does not."""
FEATURE = re.compile(r"[:<>=]")
ROLLED_BACK = words("revert revert-layer")
MAX_VARIABLES = 400
"""Variables put in for one value."""
FONT_SIZES = {"xx-small": 9.0, "x-small": 10.0, "small": 13.0, "medium": 16.0, "large": 18.0, "x-large": 24.0,
              "xx-large": 32.0, "xxx-large": 48.0}  # fmt: skip
NOTHING_DECLARED: dict[str, str] = {}


class Look:
    """A page at one width: values of properties on its elements."""

    def __init__(self, cascade: Cascade, bit: int, width: float) -> None:
        self.cascade = cascade
        self.bit = 1 << bit
        self.width = width
        self.known: dict[int, dict[str, str]] = {}
        self.bare: dict[int, dict[str, str]] = {}
        """What browsers declare themselves, for elements of which nothing else was asked."""
        self.resolved: dict[tuple[int, str], str | None] = {}
        self.sizes: dict[int, float] = {}
        self.values: dict[str, dict[int, str]] = {}
        self.variables: dict[tuple[int, str], str | None] = {}
        self.queried: dict[tuple[int, str], bool] = {}
        self.generated: dict[tuple[int, str], dict[str, str]] = {}
        """What is declared for parts of elements."""
        self.rooms: dict[int, float] = {}

    def specified(self, box: Box) -> dict[str, str]:
        """What is declared for an element, the winner for each property."""
        known = self.known.get(box.key)
        if known is None:
            known = self.known[box.key] = self.cascaded(box)
        return known

    def specified_for(self, box: Box, name: str) -> dict[str, str]:
        """What is declared for an element, as far as it matters for one property."""
        known = self.known.get(box.key)
        if known is not None:
            return known
        if self.cascade.may_declare(name, box):
            return self.specified(box)
        if name not in BROWSER_PROPERTIES:
            return NOTHING_DECLARED
        known = self.bare.get(box.key)
        if known is None:
            known = self.bare[box.key] = own_of_browser(box)
        return known

    def cascaded(self, box: Box) -> dict[str, str]:
        entries = [entry for entry in self.cascade.matching(box) if self.holds(entry, box)]
        inline = self.cascade.inline(box) if box.attributes.get("style") else {}
        browser = own_of_browser(box)
        if not entries and not inline:
            return browser
        weigh, found = self.cascade.by_weight, dict(browser)
        starting = [entry for entry in entries if entry.rule.starting]
        if starting:
            entries = [entry for entry in entries if not entry.rule.starting]
        important: list[SelectorRule] = []
        for entry in entries:
            plainly, strongly = weigh(entry.rule.declarations)
            apply(found, plainly)
            if strongly:
                important.append(entry)
        apply(found, weigh(inline)[0])
        if found.get("animation-name", "none") != "none":
            found.update(self.animated(found))
        important.sort(key=against_layers)
        for entry in important:
            apply(found, weigh(entry.rule.declarations)[1])
        apply(found, weigh(inline)[1])
        if not ROLLED_BACK.isdisjoint(found.values()):
            self.roll_back(found, entries, inline, box)
        if starting and lasts(found):
            for entry in starting:
                apply(found, weigh(entry.rule.declarations)[0])
        return found

    def part(self, box: Box, name: str) -> dict[str, str]:
        """What is declared for a part of an element, such as `::before`; worked out once."""
        known = self.generated.get((box.key, name))
        if known is None:
            known = self.generated[box.key, name] = self.cascaded_part(box, name)
        return known

    def cascaded_part(self, box: Box, name: str) -> dict[str, str]:
        entries = [entry for entry in self.cascade.matching_part(box, name) if self.holds(entry, box)]
        found: dict[str, str] = {}
        weigh = self.cascade.by_weight
        entries.sort(key=in_order)
        for entry in entries:
            apply(found, weigh(entry.rule.declarations)[0])
        for entry in sorted(entries, key=against_layers):
            apply(found, weigh(entry.rule.declarations)[1])
        return {name: self.resolve(box, name, raw) if SUBSTITUTED.search(raw) else raw for name, raw in found.items()}

    def holds(self, entry: SelectorRule, box: Box) -> bool:
        """Say whether a rule counts at this width, and in the containers an element stands in."""
        rule = entry.rule
        if not rule.widths & self.bit:
            return False
        return not rule.containers or all(self.contained(box, condition) for condition in rule.containers)

    def roll_back(self, found: dict[str, str], entries: list[SelectorRule], inline: Declarations, box: Box) -> None:
        """Put what stood below a layer, or below all that the page says, in the place of `revert-layer` or `revert`."""
        weigh = self.cascade.by_weight
        ranked: list[tuple[object, dict[str, str]]] = [("", of_browser(box)), ("hints", of_attributes(box))]
        ranked += [(entry.rule.layer, weigh(entry.rule.declarations)[0]) for entry in entries]
        ranked.append(("style", weigh(inline)[0]))
        ranked += [
            (entry.rule.layer, weigh(entry.rule.declarations)[1]) for entry in sorted(entries, key=against_layers)
        ]
        ranked.append(("style", weigh(inline)[1]))
        names = {name for name, value in found.items() if value in ROLLED_BACK}
        if "all" in names:
            names.update(name for _, declared in ranked for name in declared if name not in found)
        for name in names:
            value = rolled_back([(layer, declared.get(name, declared.get("all"))) for layer, declared in ranked])
            found.pop(name, None)
            if value is not None and name != "all":
                found[name] = value

    def animated(self, found: dict[str, str]) -> dict[str, str]:
        """What animations leave behind, or show for as long as anybody looks; later ones win."""
        shown: dict[str, str] = {}
        for number, name in enumerate(words_of(found["animation-name"], ", ")):
            frames = self.cascade.sheets.frames.get(name)
            if frames:
                shown.update(plain(place_shown(frames, Timing.of(found, number))))
        return shown

    def contained(self, box: Box, condition: str) -> bool:
        """Say whether the query of a container holds for an element."""
        name, asked = container(condition)
        by_size = SIZE_QUERY.search(asked) is not None
        for around in box.ancestors():
            if name and name not in self.value(around, "container-name").split():
                continue
            if by_size and self.value(around, "container-type", "normal") == "normal":
                continue
            key = around.key, condition
            if key not in self.queried:
                self.cascade.budget.spend(1 + len(condition) // 20)
                style = partial(self.has_style, around)
                self.queried[key] = contained(asked, self.room(around), style)
            return self.queried[key]
        return False

    def has_style(self, box: Box, asked: str) -> bool | None:
        """Say whether a variable of an element has a value, or any, or lies in a range."""
        if ranged := RANGE.fullmatch(asked):
            sides = [self.side_of_range(box, part) for part in ranged.groups()[::2] if part is not None]
            signs = [sign for sign in ranged.groups()[1::2] if sign is not None]
            known = [side for side in sides if side is not None]
            return len(known) == len(sides) and all(
                COMPARE[sign](*pair) for sign, pair in zip(signs, pairwise(known), strict=True)
            )
        name, colon, value = (part.strip() for part in asked.partition(":"))
        if not name.startswith("--"):
            return None
        found = self.variable(box, name, [])
        if not colon:
            return found is not None
        wanted = self.substituted(box, value, [])
        return found is not None and wanted is not None and found.split() == wanted.split()

    def side_of_range(self, box: Box, text: str) -> float | None:
        text = text.strip()
        written = self.variable(box, text, []) if text.startswith("--") else text
        return None if written is None else amount(written, Units(font=self.font_size(box), width=self.width))

    def room(self, box: Box) -> float:
        """How wide a box is at most: as declared, or as what is around it."""
        path: list[Box] = []
        current: Box | None = box
        while current is not None and current.key not in self.rooms:
            path.append(current)
            current = current.parent
        room = self.width if current is None else self.rooms[current.key]
        for one in reversed(path):
            declared = [self.length(one, name, room) for name in ("width", "max-width")]
            room = self.rooms[one.key] = min([room, *(side for side in declared if side is not None)])
        return room

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
        specified = self.specified_for(box, name)
        raw = specified.get(name)
        if raw is None and "all" in specified and not name.startswith("--"):
            raw = specified["all"]
        if raw is None or "(" not in raw or not SUBSTITUTED.search(raw):
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
        """A value with variables, attributes and choices put in; `None` when one is missing or stands for itself."""
        found = SUBSTITUTED.search(text)
        while found is not None:
            self.cascade.budget.spend(1 + len(text) // 100)
            end = closing(text, found.end())
            value = self.stood_for(box, found[1].lower(), text[found.end() : end], asked)
            if value is None:
                return None
            text = f"{text[: found.start()]}{value}{text[end + 1 :]}"
            if len(text) > LONGEST:
                raise OutOfBudget
            found = SUBSTITUTED.search(text, found.start() + len(value))
        return text

    def stood_for(self, box: Box, function: str, inside: str, asked: list[str]) -> str | None:
        """What a function that stands for a value stands for."""
        if function == "if":
            return self.chosen(box, inside, asked)
        if function.startswith("sibling-"):
            return str(box.index + 1 if function == "sibling-index" else len(box.siblings))
        name, comma, fallback = (part.strip() for part in inside.partition(","))
        if function == "var":
            value = self.variable(box, name, asked)
        elif function == "env":
            value = "0px" if name.lower().startswith("safe-area-inset") else None
        else:
            value = from_attribute(box, name)
        if value is None and comma:
            return self.substituted(box, fallback, asked)
        return value

    def chosen(self, box: Box, inside: str, asked: list[str]) -> str | None:
        """What `if()` comes to: the value behind the first condition that holds."""

        def holds(feature: str) -> bool | None:
            kind, _, rest = feature.partition(":")
            match kind:
                case "style":
                    return self.has_style(box, rest)
                case "media":
                    bare = rest.strip()[:1] != "(" and FEATURE.search(rest)
                    return bool(media(f"({rest})".lower() if bare else rest.lower()) & self.bit)
                case "supports":
                    return supports(rest.lower()) or supports(f"({rest.lower()})")
            return None

        for branch in split(inside, ";"):
            condition = split(branch, ":")[0]
            value = branch[len(condition) + 1 :]
            if condition.strip().lower() == "else" or weigh(condition, holds):
                return self.substituted(box, value.strip(), asked)
        return None

    def variable(self, box: Box, name: str, asked: list[str]) -> str | None:
        """What a variable stands for at an element."""
        key = box.key, name
        if key in self.variables:
            return self.variables[key]
        if name in asked:
            return None
        if len(asked) > MAX_VARIABLES:
            raise OutOfBudget
        registered = self.cascade.sheets.registered.get(name)
        current: Box | None = box
        value: str | None = None
        while current is not None:
            value = self.specified_for(current, name).get(name)
            if value is not None and value != "unset" and (value != "inherit" or registered is not None):
                break
            if registered is not None and not registered.inherits and value != "inherit":
                current = None
                break
            current, value = current.parent, None
        if value == "inherit" and current is not None:
            value = self.variable(current.parent, name, [*asked, name]) if current.parent is not None else None
        elif value == "initial":
            value = None
        elif value is not None and current is not None and SUBSTITUTED.search(value):
            value = self.substituted(current, value, [*asked, name])
        if registered is not None and (value is None or not is_of_syntax(registered.syntax, value)):
            value = registered.initial
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
        units = Units(font=around, root=root, width=self.width, percent=around, container=self.container(box, written))
        size = amount(written, units)
        return FONT_SIZES["medium"] if size is None else max(0.0, size)

    @cached_property
    def root(self) -> float:
        """The size of letters of the page itself, which `rem` is relative to."""
        top = self.cascade.markup.document.root
        return FONT_SIZES["medium"] if top is None else self.font_size(self.cascade.markup.box(top))

    def container(self, box: Box, written: str) -> tuple[float, float] | None:
        """Width and height of the container that a value is relative to, if it is to one."""
        if "cq" not in written:
            return None
        kinds = [(one, self.value(one, "container-type").split()) for one in box.ancestors()]
        wide = next((self.room(one) for one, kind in kinds if {"size", "inline-size"} & set(kind)), self.width)
        high = next((self.length(one, "height") for one, kind in kinds if "size" in kind), None)
        return wide, VIEWPORT_HEIGHT if high is None else high

    def length(self, box: Box, name: str, percent: float | None = None) -> float | None:
        """A length in pixels, or `None` where it is not known before the page is laid out."""
        written = self.value(box, name)
        if not written or (percent is None and "%" in written and written.strip("0.%")):
            return None
        units = Units(font=self.font_size(box), root=self.root, width=self.width, percent=percent or 0.0,
                      container=self.container(box, written))  # fmt: skip
        return amount(written, units)


def from_attribute(box: Box, asked: str) -> str | None:
    """What `attr()` reads from an element, if it is of the type that is asked for."""
    name, _, kind = asked.partition(" ")
    written, kind = box.attributes.get(name.lower()), kind.strip()
    if written is None:
        return None
    if kind.startswith("type("):
        return written if is_of_syntax(kind[5:].rstrip(") "), written.strip()) else None
    if kind in {"", "raw-string", "string"}:
        return '"' + written.replace('"', "") + '"'
    number = amount(written.strip())
    return None if number is None else f"{written.strip()}{'' if kind == 'number' else kind}"


def apply(found: dict[str, str], declared: dict[str, str]) -> None:
    """Let declarations of one weight win over what was there; `all` takes everything but variables away."""
    if "all" in declared:
        for name in [name for name in found if not name.startswith("--")]:
            del found[name]
    found.update(declared)


def rolled_back(ranked: list[tuple[object, str | None]]) -> str | None:
    """The value that is left of several, the strongest last, when those that roll back have done so."""
    left = [(layer, value) for layer, value in ranked if value is not None]
    while left and left[-1][1] in ROLLED_BACK:
        layer, value = left[-1]
        left = [one for one in left if (one[0] != layer if value == "revert-layer" else not one[0])]
    return left[-1][1] if left else None


def closing(text: str, position: int) -> int:
    """The place of the parenthesis that ends what began before a position."""
    depth = 1
    for index in range(position, len(text)):
        depth += {"(": 1, ")": -1}.get(text[index], 0)
        if not depth:
            return index
    return len(text)
