"""
The cascade: which value a property has on an element, at one of the widths a page is looked at.

Rules lie in buckets by the id, class or tag their last compound asks for, so an element meets only those that can
match. Values are worked out when they are asked for: variables put in, shorthands taken apart, `inherit` and the like
followed. Origins stand in the order of the standard: the browser's own, attributes, layers, sheets, the element's own
style, animations, and what is important in the opposite order.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from typing import NamedTuple, cast

from selectolax.lexbor import LexborNode

from seekread.extraction.colours import legacy_colour
from seekread.extraction.css_conditions import COMPARE, RANGE, contained, container, media, split, supports, weigh
from seekread.extraction.css_possible import is_possible, is_understood
from seekread.extraction.css_properties import (
    GLOBAL,
    INHERITED,
    PENDING,
    SHORTHANDS,
    SUBSTITUTED,
    is_of_syntax,
    is_valid,
)
from seekread.extraction.css_select import (
    PLAIN_SELECTOR,
    BadSelector,
    Compound,
    Matcher,
    OutOfBudget,
    ScopeRoots,
    Selector,
    Selectors,
    Specificity,
    StepBudget,
    parse,
    parts,
    within,
)
from seekread.extraction.css_sheet import Declaration, Declarations, Layer, Rule, Sheets, declarations
from seekread.extraction.css_values import LONGEST, VIEWPORT_HEIGHT, Units, amount, amounts, words_of
from seekread.extraction.markup import Box, Markup
from seekread.extraction.prescan import words

NAMES = re.compile(r"([.#])([\w-]+)")
PLAIN_ATTRIBUTE = re.compile(r"\[[A-Za-z][\w-]*\]", re.ASCII)
PLAIN_DOWNWARD = re.compile(rf"(?![^+~]*[+~]){PLAIN_SELECTOR.pattern}")
LAST = re.compile(r"(\*|[a-zA-Z][\w-]*)?((?:[.#][\w-]+)*)")
GROUP = r"\(((?:[^()]|\([^()]*+\))*+)\)"
SCOPE = re.compile(rf"@scope\s*(?:{GROUP})?\s*(?:to\s*{GROUP})?\s*", re.DOTALL)
SIZE_QUERY = re.compile(r"(?<![-\w])\((?!\s*(?:not|style|\())")
"""A feature in parentheses by itself asks for a size; `style(…)` does not."""
FEATURE = re.compile(r"[:<>=]")
ROLLED_BACK = words("revert revert-layer")
SWEEPING = words("all animation-name")
"""Properties that may decide any other."""
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


@dataclass(eq=False, slots=True)
class SelectorRule:
    """One selector of a rule with what it declares."""

    selector: Selector
    rule: Rule
    last: Compound
    bare: bool
    """Whether the names of an element are all that is asked for."""
    above: frozenset[str]
    parent: frozenset[str] | None
    """All that is asked of the element around, if that is all that is asked beside its own names."""
    settled: bool
    """Whether nothing more is asked than its own names and one name above."""
    rank: tuple[Layer, Specificity, int]
    """The place among other rules."""

    @property
    def declarations(self) -> Declarations:
        return self.rule.declarations


def selector_rule(selector: Selector, rule: Rule) -> SelectorRule:
    rank = (rule.layer, selector.specificity, rule.order)
    above, parent, settled = selector.names_above(), None, False
    if len(selector.compounds) == 2 and not any(one.tests for one in selector.compounds):
        parent = above if selector.last.combinator == ">" else None
        settled = selector.last.combinator == " " and len(above) == 1
    return SelectorRule(selector, rule, selector.last, selector.is_bare, above, parent, settled, rank)


def against_layers(entry: SelectorRule) -> Layer:
    """The place among rules in order of what is important: an earlier layer outweighs a later one."""
    return tuple(-rank for rank in entry.rule.layer)


def in_order(entry: SelectorRule) -> tuple[Layer, Specificity, int]:
    return entry.rank


class Declarers(NamedTuple):
    """Which elements some rule may declare a property for."""

    everything: bool
    keys: frozenset[str]
    """Names of elements, written as in the buckets."""
    attributes: frozenset[str]


class Cascade:
    """The rules of a page that can match, and what they and the elements themselves declare."""

    def __init__(self, markup: Markup, sheets: Sheets, budget: StepBudget) -> None:
        self.markup = markup
        self.sheets = sheets
        self.budget = budget
        self.matcher = Matcher(budget)
        self.parsed: dict[tuple[str, ...], Selectors | None] = {}
        self.entries: dict[int, list[SelectorRule]] = {}
        self.inlined: dict[str, Declarations] = {}
        self.found: dict[int, list[SelectorRule]] = {}
        self.asked: dict[str, list[LexborNode]] = {}
        """Elements by what was asked for: ids, classes, tags, attributes."""
        self.weighed: dict[int, tuple[dict[str, str], dict[str, str]]] = {}
        self.by_path: dict[int, list[SelectorRule]] = {}
        self.odd_rules: list[SelectorRule] = []
        self.read_buckets: set[str] = set()
        self.declared_by: dict[str, Declarers] = {}
        self.parts: dict[str, dict[str, list[SelectorRule]]] = {}
        """Rules for parts of elements (`::before`), by the name of the part and by what their last compound asks."""
        self.properties = set(BROWSER_PROPERTIES)
        """Everything that is declared anywhere; what is not has its initial value."""
        self.remarkable = set(ALWAYS_REMARKABLE)
        """Properties that some declaration sets to something that could decide whether text is seen."""
        for declared in (
            *(rule.declarations for rule in sheets.rules),
            *(frame for frames in sheets.frames.values() for frame in frames.values()),
        ):
            self.note(declared)
        self.varies = any(rule.widths not in {~0, 7, 0} for rule in sheets.rules)
        """Whether something differs between the widths."""

    def note(self, declared: Declarations) -> None:
        """Note what is declared somewhere."""
        self.properties.update(declared)
        clip = declared.get("background-clip")
        if clip is not None and clip.value not in WHOLE_BOXES:
            self.remarkable.add("background-clip")

    @cached_property
    def resizing_fonts(self) -> bool:
        """Whether a font of the page's own has letters of another size than others."""
        return any("size-adjust" in face for face in self.sheets.faces.values())

    @cached_property
    def buckets(self) -> dict[str, list[SelectorRule | tuple[Rule, str]]]:
        """Rules that ask for names only, by the last compound; each is read when an element asks for its bucket."""
        found: dict[str, list[SelectorRule | tuple[Rule, str]]] = {}
        for rule in self.sheets.rules:
            if len(rule.selectors) > 1:
                self.odd_rules.extend(self.entries_of(rule))
                continue
            plain, odd = self.members(rule)
            self.odd_rules.extend(odd)
            for part in plain:
                found.setdefault(self.key_in(part), []).append((rule, part))
        return found

    def members(self, rule: Rule) -> tuple[list[str], list[SelectorRule]]:
        """The selectors of a rule that may match something: plain ones, and others, which are read."""
        plain: list[str] = []
        odd: list[SelectorRule] = []
        try:
            members = [part.strip() for part in parts(rule.selectors[0])]
            if len(members) == 1 and not PLAIN_DOWNWARD.fullmatch(members[0]):
                return [], self.entries_of(rule)
            for part in members:
                if not PLAIN_DOWNWARD.fullmatch(part):
                    odd.extend(selector_rule(one, rule) for one in self.read_one(part))
                elif is_possible(self.markup, part):
                    plain.append(part)
        except BadSelector:
            # One that is wrong makes the whole list wrong.
            return [], []
        return plain, odd

    @cached_property
    def odd(self) -> dict[str, list[SelectorRule]]:
        """All other rules, by what their last compound asks for."""
        found: dict[str, list[SelectorRule]] = {}
        for entry in self.odd_rules if self.buckets is not None else ():
            part = entry.selector.pseudo_element
            place = self.parts.setdefault(part, {}) if part else found
            for key in self.keys_of(entry.last):
                place.setdefault(key, []).append(entry)
        return found

    @cached_property
    def declaring(self) -> dict[str, set[str]]:
        """The buckets in which something declares a property, by its name."""
        found: dict[str, set[str]] = {}
        for key, entries in self.buckets.items():
            for entry in entries:
                rule = entry[0] if isinstance(entry, tuple) else entry.rule
                for name in rule.declarations:
                    found.setdefault(name, set()).add(key)
        for key, odd in self.odd.items():
            for one in odd:
                for name in one.rule.declarations:
                    found.setdefault(name, set()).add(key)
        return found

    def declarers(self, name: str) -> "Declarers":
        """Who may declare a property."""
        known = self.declared_by.get(name)
        if known is None:
            keys = frozenset().union(*(self.declaring.get(one, ()) for one in (name, *SWEEPING)))
            attributes = frozenset(key[1:-1] for key in keys if key[0] == "[")
            known = self.declared_by[name] = Declarers("*" in keys, keys, attributes)
        return known

    def may_declare(self, name: str, box: Box) -> bool:
        """Say whether some rule or the element's own style may declare a property for an element."""
        everything, keys, attributes = self.declarers(name)
        return (
            everything
            or "style" in box.attributes
            or not keys.isdisjoint(box.names)
            or not attributes.isdisjoint(box.attributes)
        )

    @cached_property
    def asked_attributes(self) -> list[str]:
        """The attributes that alone decide whether some rule is looked at."""
        return [key[1:-1] for key in self.odd if key[0] == "["]

    def key_in(self, selector: str) -> str:
        """The bucket of a plain selector, by its last compound."""
        if self.markup.quirks:
            selector = selector.lower()
        tag, named = LAST.fullmatch(selector.split()[-1].rpartition(">")[2]).groups()  # type: ignore[union-attr]
        if not named:
            return (tag or "*").lower()
        names = NAMES.findall(named)
        identifier = next((name for kind, name in names if kind == "#"), "")
        return f"#{identifier}" if identifier else self.rarest(name for _, name in names)

    def rarest(self, classes: Iterable[str]) -> str:
        by_class = self.markup.by_class
        return "." + min(classes, key=lambda name: len(by_class.get(name, ())))

    def key_of(self, compound: Compound) -> str:
        """The bucket of a compound: an id, a class, a tag, an attribute, or everything."""
        if compound.identifiers:
            return "#" + min(compound.identifiers)
        if compound.classes:
            return self.rarest(compound.classes)
        if compound.tag:
            return compound.tag
        return f"[{compound.attribute}]" if compound.attribute else "*"

    def keys_of(self, compound: Compound) -> tuple[str, ...]:
        """The buckets of a compound: one, or one for each of the names it gives a choice of."""
        key = self.key_of(compound)
        return compound.choices if key == "*" and compound.choices else (key,)

    def bucket(self, key: str) -> list[SelectorRule]:
        """The rules of a bucket, all of them read."""
        waiting = self.buckets.get(key)
        if not waiting:
            return []
        if key not in self.read_buckets:
            self.read_buckets.add(key)
            waiting[:] = [self.entry(one[1], one[0]) if isinstance(one, tuple) else one for one in waiting]
        return cast("list[SelectorRule]", waiting)

    def entry(self, selector: str, rule: Rule) -> SelectorRule:
        """A rule under one of its selectors."""
        self.budget.spend(1 + len(selector) // 20)
        return selector_rule(parse(selector, quirks=self.markup.quirks)[0], rule)

    def entries_of(self, rule: Rule) -> list[SelectorRule]:
        """The selectors of a rule, one by one; worked out once."""
        known = self.entries.get(rule.order)
        if known is None:
            selectors = self.selectors(rule.selectors) or ()
            known = self.entries[rule.order] = [selector_rule(selector, rule) for selector in selectors]
        return known

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
        if text.startswith("@scope"):
            return self.scope(text)
        if isinstance(parent, ScopeRoots):
            return self.read_within(text, parent)
        try:
            if parent is not None:
                self.budget.spend(1 + len(text) // 20)
                return parse(text, quirks=self.markup.quirks, parent=parent)
            return [one for part in parts(text) for one in self.read_one(part.strip())]
        except BadSelector:
            return None

    def read_one(self, text: str) -> Selectors:
        """One selector that stands by itself; none if it is right and matches nothing here."""
        possible = is_possible(self.markup, text)
        if not possible and is_understood(text):
            return []
        self.budget.spend(1 + len(text) // 20)
        found = parse(text, quirks=self.markup.quirks)
        return found if possible else []

    def scope(self, text: str) -> ScopeRoots | None:
        """The roots and the limits of a scope."""
        found = SCOPE.fullmatch(text)
        if found is None:
            return None
        roots = self.read(found[1], None) if found[1] is not None else parse(":root")
        limits = self.read(found[2], None) if found[2] is not None else None
        return ScopeRoots(roots, limits or []) if roots else None

    def read_within(self, text: str, scope: ScopeRoots) -> Selectors | None:
        """Selectors of a rule in a scope: what they match stands in it; `:scope` and `&` are its root."""
        found: Selectors = []
        self.budget.spend(1 + len(text) // 20)
        try:
            for written in parts(text):
                part = re.sub(":scope", "&", written.strip(), flags=re.IGNORECASE)
                relative = list(scope) if "&" in part or part[:1] in {">", "+", "~"} else None
                found.extend(within(one, scope) for one in parse(part, quirks=self.markup.quirks, parent=relative))
        except BadSelector:
            return None
        return found

    def candidates(self, selector: Selector) -> list[LexborNode]:
        """The elements that a selector may be about."""
        keys = self.keys_of(selector.last)
        if keys == ("*",) and selector.last.combinator == ">":
            # What asks for nothing by name but stands right inside of something that has one.
            around = self.keys_of(selector.compounds[-2])
            nodes = self.nodes_of(around, inside="*" not in around)
        else:
            nodes = self.nodes_of(keys)
        self.budget.spend(len(nodes))
        return nodes

    def nodes_of(self, keys: tuple[str, ...], *, inside: bool = False) -> list[LexborNode]:
        """The elements of some buckets, or those right inside of them; looked for once."""
        asked = (">" if inside else "") + " ".join(keys)
        nodes = self.asked.get(asked)
        if nodes is None:
            if inside:
                nodes = [one for node in self.nodes_of(keys) for one in node.iter()]
            elif len(keys) > 1:
                nodes = [node for key in keys for node in self.nodes_of((key,))]
            else:
                nodes = self.nodes_named(keys[0])
            self.asked[asked] = nodes
        return nodes

    def nodes_named(self, key: str) -> list[LexborNode]:
        markup = self.markup
        if key[0] == "#":
            return markup.by_id.get(key[1:], [])
        if key[0] == ".":
            return markup.by_class.get(key[1:], [])
        if key[0] == "[":
            # A name such as `xlink:href`, escaped in the sheet, is none that lexbor can be asked for.
            return markup.document.css(key) if PLAIN_ATTRIBUTE.fullmatch(key) else markup.by_tag("*")
        return markup.by_tag(key)

    def matching(self, box: Box) -> list[SelectorRule]:
        """The rules that match an element, in the order of the cascade."""
        known = self.found.get(box.key)
        if known is None:
            known = self.found[box.key] = [*self.matching_by_names(box)]
            odd = self.odd
            if odd:
                keys = [key for key in (*box.names, "*") if key in odd]
                keys.extend(f"[{name}]" for name in self.asked_attributes if name in box.attributes)
                found = [entry for key in keys for entry in odd[key] if self.fits(entry, box)]
                self.budget.spend(sum(len(odd[key]) for key in keys) // 4)
                if found:
                    # One with a choice of names lies in several buckets.
                    known.extend(dict.fromkeys(found))
                    known.sort(key=in_order)
                    if any(entry.selector.scope is not None for entry in found):
                        known.sort(key=partial(self.in_scopes, box))
        return known

    def in_scopes(self, box: Box, entry: SelectorRule) -> tuple[Layer, Specificity, float, int]:
        """The place among other rules where some count in a scope: of two alike, the one with the nearer root wins."""
        layer, specificity, order = entry.rank
        return layer, specificity, -self.matcher.steps_to(entry.selector.scope, box), order

    def matching_part(self, box: Box, name: str) -> Iterator[SelectorRule]:
        """The rules that match a part of an element."""
        rules = self.parts.get(name, {}) if self.odd is not None else {}
        # An element has few names, and a sheet may have a thousand rules for such parts.
        keys = [key for key in (*box.names, "*", *map("[{}]".format, box.attributes)) if key in rules]
        found = dict.fromkeys(entry for key in keys for entry in rules[key])
        return (entry for entry in found if self.fits(entry, box))

    def matching_by_names(self, box: Box) -> list[SelectorRule]:
        """The rules that match an element by its names and those around it; worked out once for all that share them."""
        if not self.buckets:
            return []
        known = self.by_path.get(box.path)
        if known is None:
            known = self.by_path[box.path] = []
            for key in (*box.names, "*"):
                if key in self.buckets:
                    bucket = self.bucket(key)
                    self.budget.spend(len(bucket) // 4)
                    known.extend(entry for entry in bucket if self.fits(entry, box))
            known.sort(key=in_order)
        return known

    def fits(self, entry: SelectorRule, box: Box) -> bool:
        """Say whether a rule is about an element."""
        last = entry.last
        if (last.tag and last.tag != box.tag) or not last.classes <= box.classes:
            return False
        if last.identifiers and last.identifiers != {box.identifier}:
            return False
        if entry.bare:
            return True
        if entry.parent is not None:
            return box.parent is not None and entry.parent <= box.parent.names
        if not entry.above <= (box.around_known or box.around):
            return False
        return entry.settled or self.matcher.matches(entry.selector, box)

    def inline(self, box: Box) -> Declarations:
        """The declarations of the element's own style."""
        return self.style(box.attribute("style"))

    def style(self, text: str) -> Declarations:
        known = self.inlined.get(text)
        if known is None:
            known = self.inlined[text] = declarations(text, quirks=self.markup.quirks)
            self.note(known)
        return known

    def by_weight(self, declared: Declarations) -> tuple[dict[str, str], dict[str, str]]:
        """What is declared plainly, and what is important; worked out once."""
        known = self.weighed.get(id(declared))
        if known is None:
            known = self.weighed[id(declared)] = (
                {name: one.value for name, one in declared.items() if not one.important},
                {name: one.value for name, one in declared.items() if one.important},
            )
        return known


def own_of_browser(box: Box) -> dict[str, str]:
    """What browsers declare themselves, and what attributes stand for."""
    found = of_browser(box)
    if not PRESENTING.isdisjoint(box.attributes):
        found.update(of_attributes(box))
    return found


def of_browser(box: Box) -> dict[str, str]:
    """What browsers declare for an element themselves."""
    attributes, tag = box.attributes, box.tag
    found = dict(HINTS[tag]) if tag in HINTS else {}
    if tag in NEVER_SHOWN or (tag == "dialog" and "open" not in attributes) or "popover" in attributes:
        found["display"] = "none"
    if tag == "a" and "href" in attributes:
        found["color"] = "linktext"
    if tag == "button" and "disabled" in attributes:
        found.update({"color": "rgba(16, 16, 16, .3)", "background-color": "rgba(239, 239, 239, .3)"})
    if tag == "input" and box.attribute("type").lower() in UNPAINTED:
        del found["background-color"]
    if tag == "table" and box.markup.quirks:
        found["font-size"] = "medium"
    return found


UNPAINTED = words("checkbox radio range file image hidden")
"""Kinds of fields without a ground of their own."""


PRESENTING = words("hidden bgcolor text color size")
"""Attributes that stand for a style."""


def of_attributes(box: Box) -> dict[str, str]:
    """What attributes of an element stand for; a page's own rules are asked to go back before them."""
    found: dict[str, str] = {}
    attributes, tag = box.attributes, box.tag
    if "hidden" in attributes:
        found_until = box.attribute("hidden").lower() == "until-found"
        found["content-visibility" if found_until else "display"] = "hidden" if found_until else "none"
    if attributes.get("bgcolor"):
        found["background-color"] = legacy_colour(box.attribute("bgcolor"))
    if tag == "body" and attributes.get("text"):
        found["color"] = legacy_colour(box.attribute("text"))
    if tag == "font" and attributes.get("color"):
        found["color"] = legacy_colour(box.attribute("color"))
    if tag == "font" and attributes.get("size"):
        found["font-size"] = html_size(box.attribute("size"))
    return found


HINTS: dict[str, dict[str, str]] = {
    "mark": {"background-color": "mark", "color": "marktext"},
    "button": {"background-color": "buttonface", "color": "buttontext", "font-size": "13.3333px"},
    "input": {"background-color": "field", "color": "fieldtext", "font-size": "13.3333px"},
    "select": {"background-color": "field", "color": "fieldtext", "font-size": "13.3333px"},
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
    "pre": {"white-space": "pre"},
    "listing": {"white-space": "pre"},
    "xmp": {"white-space": "pre"},
    "textarea": {
        "background-color": "field",
        "color": "fieldtext",
        "font-size": "13.3333px",
        "white-space": "pre-wrap",
    },
    "nobr": {"white-space": "nowrap"},
}


NOTHING_DECLARED: dict[str, str] = {}
WHOLE_BOXES = words("border-box padding-box content-box")
"""What a background is cut to when it is not cut out by letters."""
ALWAYS_REMARKABLE = words("color background-color background-image")
BROWSER_PROPERTIES = words("display content-visibility color background-color font-size visibility white-space")
"""What browsers and attributes declare by themselves."""


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


def plain(frame: Declarations) -> dict[str, str]:
    return {name: declared.value for name, declared in frame.items()}


@dataclass(frozen=True, slots=True)
class Timing:
    """How one animation runs."""

    duration: float
    delay: float
    count: str
    fill: str
    backwards: bool
    paused: bool
    timeline: str

    @staticmethod
    def of(found: dict[str, str], number: int) -> "Timing":
        def one(name: str, default: str) -> str:
            listed = words_of(found.get(f"animation-{name}", default), ", ") or [default]
            return listed[number % len(listed)]

        return Timing(
            amount(one("duration", "0s")) or 0.0,
            amount(one("delay", "0s")) or 0.0,
            one("iteration-count", "1"),
            one("fill-mode", "none"),
            one("direction", "normal") in {"reverse", "alternate-reverse"},
            one("play-state", "running") == "paused",
            one("timeline", "auto"),
        )


def place_shown(frames: dict[float, Declarations], timing: Timing) -> Declarations:
    """The frame of an animation that a reader meets; what all share if it never rests."""
    first, last = (max(frames), min(frames)) if timing.backwards else (min(frames), max(frames))
    if timing.timeline not in {"auto", "none"}:
        # A page that was just opened is not scrolled; what its position in sight drives, a reader brings about.
        return frames[first] if not timing.timeline.startswith("view") else {}
    if timing.paused or timing.delay > LONG_SECONDS or timing.duration > LONG_SECONDS:
        if timing.delay > 0:
            return frames[first] if timing.fill in {"backwards", "both"} else {}
        if not timing.duration:
            return {}
        place = min(100.0, -100 * timing.delay / timing.duration)
        place = 100 - place if timing.backwards else place
        return frames[min(frames, key=lambda one: abs(one - place))]
    if timing.count == "infinite":
        shared = [set(plain(frame).items()) for frame in frames.values()] if timing.duration else []
        found = {name: Declaration(value) for name, value in (set.intersection(*shared) if shared else ())}
        return found | strongest(frames.values())
    if timing.fill not in {"forwards", "both"}:
        return {}
    rounds = amount(timing.count)
    part = 100.0 if rounds is None or (rounds and rounds == int(rounds)) else 100 * (rounds % 1)
    return frames[last] if part == 100 else frames[min(frames, key=lambda one: abs(one - part))]


def strongest(frames: Iterable[Declarations]) -> Declarations:
    """The opacity at which a box is seen best while it changes without end, if every frame has one."""
    shares = [amount(frame["opacity"].value) if "opacity" in frame else None for frame in frames]
    known = [share for share in shares if share is not None]
    return {"opacity": Declaration(f"{max(known)}")} if known and len(known) == len(shares) else {}


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


def lasts(found: dict[str, str]) -> bool:
    """Say whether a transition from a starting style takes so long that nobody sees its end."""
    if found.get("transition-timing-function", "").startswith(("step-start", "steps(1, start", "steps(1,start")):
        return False
    seconds = [*amounts(found.get("transition-duration", "0s")), *amounts(found.get("transition-delay", "0s"))]
    return max(seconds, default=0.0) > LONG_SECONDS


def closing(text: str, position: int) -> int:
    """The place of the parenthesis that ends what began before a position."""
    depth = 1
    for index in range(position, len(text)):
        depth += {"(": 1, ")": -1}.get(text[index], 0)
        if not depth:
            return index
    return len(text)
