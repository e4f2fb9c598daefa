"""
The cascade: the rules of a page, and which of them say something about an element, the weakest first.

Rules lie in buckets by the id, class or tag their last compound asks for, so an element meets only those that can
match. Origins stand in the order of the standard: the browser's own (`css_browser.py`), attributes, layers, sheets, the
element's own style, animations, and what is important in the opposite order. What comes of it for an element at one
width is told by `css_look.py`.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple, cast

from selectolax.lexbor import LexborNode

from seekread.extraction.css_browser import BROWSER_PROPERTIES
from seekread.extraction.css_possible import is_possible, is_understood
from seekread.extraction.css_select import (
    PLAIN_SELECTOR,
    BadSelector,
    Compound,
    Matcher,
    ScopeRoots,
    Selector,
    Selectors,
    Specificity,
    StepBudget,
    parse,
    parts,
    within,
)
from seekread.extraction.css_sheet import Declarations, Layer, Rule, Sheets, declarations
from seekread.extraction.markup import Box, Markup
from seekread.extraction.prescan import words

NAMES = re.compile(r"([.#])([\w-]+)")
PLAIN_ATTRIBUTE = re.compile(r"\[[A-Za-z][\w-]*\]", re.ASCII)
PLAIN_DOWNWARD = re.compile(rf"(?![^+~]*[+~]){PLAIN_SELECTOR.pattern}")
LAST = re.compile(r"(\*|[a-zA-Z][\w-]*)?((?:[.#][\w-]+)*)")
GROUP = r"\(((?:[^()]|\([^()]*+\))*+)\)"
SCOPE = re.compile(rf"@scope\s*(?:{GROUP})?\s*(?:to\s*{GROUP})?\s*", re.DOTALL)
SWEEPING = words("all animation-name")
"""Properties that may decide any other."""
WHOLE_BOXES = words("border-box padding-box content-box")
"""What a background is cut to when it is not cut out by letters."""
ALWAYS_REMARKABLE = words("color background-color background-image")


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
                nodes = [one for node in self.nodes_of(keys) for one in node.iter() if one.is_element_node]
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
