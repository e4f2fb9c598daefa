"""
Selectors: read once, matched from right to left, every question answered at most once.

A page chooses its selectors, and a matcher that tries every way through them takes time exponential in their length:
three descendant combinators at depth 400 cost the libraries of the field seconds. Here the answer to "does the part of
this selector up to here match this element, or one above it" is kept, so a selector costs at most its length times
the elements it is asked about. Whoever spends the budget all the same meets `OutOfBudget`, and the caller falls back
to the last compound alone.
"""

import math
import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache

from seekread.extraction.css_values import unescape
from seekread.extraction.markup import Box
from seekread.extraction.prescan import words

MAX_COMPOUNDS = 60
"""Compounds of one selector that are matched; a longer one is matched by its last."""
MAX_DEPTH = 12
"""Selectors inside one another."""
NAME = r"(?:[^\x00-,./:-@\[-^`{-\x7f]|\\(?:[0-9a-fA-F]{1,6}\s?|.))+"
"""Letters, digits, `-`, `_` and all that is not ASCII, told by what it is not: it compiles in a tenth of the time."""
TOKEN = re.compile(
    rf"(?P<space>\s*(?P<combinator>[>+~])\s*|\s+(?=[^\s,)]))|(?P<type>(?:(?:\*|{NAME})?\|)?(?:\*|{NAME}))"
    rf"|\.(?P<class>{NAME})|#(?P<id>{NAME})|(?P<attribute>\[)|(?P<pseudo>::?)(?P<name>{NAME})(?P<open>\()?|(?P<parent>&)",
    re.DOTALL,
)
ATTRIBUTE = re.compile(
    rf"""\s*(?:(?:\*|{NAME})?\|(?!=))?(?P<name>{NAME})\s*(?:(?P<how>[~|^$*]?=)\s*"""
    rf"""(?:"(?P<double>(?:[^"\\]|\\.)*)"|'(?P<single>(?:[^'\\]|\\.)*)'|(?P<bare>{NAME}))\s*(?P<flag>[iIsS])?\s*)?\]""",
    re.DOTALL,
)
NTH = re.compile(
    r"\s*(?:(even|odd)|([-+]?\d*)n\s*(?:([-+])\s*(\d+))?|([-+]?\d+))\s*(?:of\s+(.*))?", re.DOTALL | re.IGNORECASE
)
PLAIN_NAME = re.compile(r"[a-zA-Z][\w-]*")
PLAIN_STEP = re.compile(r"(?:^|\s*([>+~])\s*|(\s+))(\*|[a-zA-Z][\w-]*)?((?:[.#]-?[a-zA-Z_][\w-]*)*)")
"""One compound of a selector that names tags, classes and ids and nothing else, with the combinator before it."""
PLAIN_SELECTOR = re.compile(
    r"(?=[\w*.#])(?:\*|[a-zA-Z][\w-]*)?(?:[.#]-?[a-zA-Z_][\w-]*)*+"
    r"(?:(?:\s*[>+~]\s*|\s+)(?=[\w*.#])(?:\*|[a-zA-Z][\w-]*)?(?:[.#]-?[a-zA-Z_][\w-]*)*+)*+"
)
NAMED = re.compile(r"([.#])([\w-]+)")
FOLDED = words("type lang dir align rel media method checked selected disabled charset color face size bgcolor valign")
"""Attributes of HTML whose values do not care about case."""
NEVER = words(
    "hover active focus focus-visible focus-within target target-within visited playing seeking buffering stalled "
    "muted fullscreen modal popover-open picture-in-picture user-invalid user-valid autofill -webkit-autofill "
    "current past future host host-context -webkit-full-screen state has-slotted out-of-range paused "
    "active-view-transition local-link volume-locked target-current"
)
"""States that a page does not have when it is opened."""
PSEUDO_ELEMENTS = words(
    "before after first-line first-letter details-content slotted part marker selection backdrop placeholder cue "
    "file-selector-button target-text highlight grammar-error spelling-error search-text view-transition "
    "view-transition-group view-transition-image-pair view-transition-new view-transition-old scroll-marker "
    "scroll-marker-group scroll-button column checkmark picker picker-icon"
)
"""Parts of elements that browsers know; with any other name (but `-webkit-…`) a list of selectors is wrong."""
FIELDS = words("input textarea select button fieldset optgroup option")
Specificity = tuple[int, int, int]


class BadSelector(Exception):
    """A selector that no browser understands; its rule does not count."""


class OutOfBudget(Exception):
    """The sheets of a page ask for more work than any page needs."""


class StepBudget:
    """How much work may be done for one page, in steps."""

    def __init__(self, steps: int) -> None:
        self.left = steps

    def spend(self, steps: int = 1) -> None:
        self.left -= steps
        if self.left < 0:
            raise OutOfBudget


ElementTest = Callable[[Box, "Matcher"], bool]


@dataclass(eq=False, slots=True)
class Compound:
    """What is asked of one element."""

    tag: str = ""
    identifiers: frozenset[str] = frozenset()
    classes: frozenset[str] = frozenset()
    tests: list[ElementTest] = field(default_factory=list)
    attribute: str = ""
    """An attribute that must be there, if its name is plain."""
    combinator: str = ""
    """How the compound before it stands to this one."""
    choices: tuple[str, ...] = ()
    """Names of which an element must have one, written as `.class`, `#id`, `tag` or `[attribute]`."""


@dataclass(eq=False, slots=True)
class Selector:
    """A complex selector."""

    compounds: list[Compound]
    specificity: Specificity
    pseudo_element: str = ""
    nested: bool = False
    """Whether it names the rule around it."""
    argument: str = ""
    """What a part of an element is asked for, between its parentheses."""
    above: frozenset[str] | None = None
    """What `names_above` found."""
    scope: "ScopeRoots | None" = None
    """The scope it counts in."""

    @property
    def last(self) -> Compound:
        return self.compounds[-1]

    @property
    def is_bare(self) -> bool:
        """Whether it asks one element for its names and nothing else."""
        return len(self.compounds) == 1 and not self.compounds[0].tests

    def names_above(self) -> frozenset[str]:
        """What must stand somewhere above an element for the selector to match it; worked out once."""
        if self.above is not None:
            return self.above
        found: set[str] = set()
        for index in range(len(self.compounds) - 1, 0, -1):
            if self.compounds[index].combinator not in {" ", ">"}:
                # What stands beside an element is not above it, but what stands above that is.
                continue
            before = self.compounds[index - 1]
            found.update(f".{name}" for name in before.classes)
            found.update(f"#{name}" for name in before.identifiers)
            if before.tag:
                found.add(before.tag)
        self.above = frozenset(found)
        return self.above


Selectors = list[Selector]


class ScopeRoots(Selectors):
    """The selectors of the roots of a scope, with those of its limits."""

    def __init__(self, roots: Selectors, limits: Selectors) -> None:
        super().__init__(roots)
        self.limits = limits


NOTHING: Specificity = (0, 0, 0)


def add(one: Specificity, other: Specificity) -> Specificity:
    return one[0] + other[0], one[1] + other[1], one[2] + other[2]


class Parser:
    """Reads a list of selectors."""

    def __init__(self, text: str, *, quirks: bool, parent: Selectors | None, depth: int = 0) -> None:
        self.text = text
        self.position = 0
        self.quirks = quirks
        self.parent = parent
        self.depth = depth
        self.specificity = NOTHING

    def fold(self, name: str) -> str:
        name = unescape(name)
        return name.lower() if self.quirks else name

    def selector(self, *, relative: bool = False) -> Selector:
        """Read one selector; it ends where the text does."""
        text = self.text = self.text.strip()
        compound = Compound()
        compounds = [compound]
        pseudo_element, argument, nested, empty = "", "", False, True
        if relative and text[:1] in {">", "+", "~"}:
            compound.combinator, self.position = text[0], 1
            while text[self.position : self.position + 1].isspace():
                self.position += 1
        while self.position < len(text):
            token = TOKEN.match(text, self.position)
            if token is None:
                raise BadSelector
            self.position = token.end()
            if token["space"]:
                if empty or pseudo_element:
                    raise BadSelector
                compound = Compound(combinator=token["combinator"] or " ")
                compounds.append(compound)
                empty = True
                continue
            if token["type"] and not empty:
                raise BadSelector
            empty = False
            if token["parent"]:
                nested = True
                self.nesting(compound)
            elif token["pseudo"] and (token["pseudo"] == "::" or token["name"].lower() in SINGLE_COLON):
                pseudo_element = token["name"].lower()
                if pseudo_element not in PSEUDO_ELEMENTS and not pseudo_element.startswith("-webkit-"):
                    raise BadSelector
                self.specificity = add(self.specificity, (0, 0, 1))
                if token["open"]:
                    argument = self.argument()
            elif token["pseudo"]:
                self.pseudo_class(compound, token["name"].lower(), bool(token["open"]))
            else:
                self.simple(compound, token)
        if empty:
            raise BadSelector
        return Selector(compounds, self.specificity, pseudo_element, nested, argument)

    def simple(self, compound: Compound, token: re.Match[str]) -> None:
        if token["type"]:
            name = unescape(token["type"].rpartition("|")[2]).lower()
            if name != "*":
                compound.tag = name
                self.specificity = add(self.specificity, (0, 0, 1))
        elif token["class"]:
            compound.classes |= {self.fold(token["class"])}
            self.specificity = add(self.specificity, (0, 1, 0))
        elif token["id"]:
            compound.identifiers |= {self.fold(token["id"])}
            self.specificity = add(self.specificity, (1, 0, 0))
        else:
            found = ATTRIBUTE.match(self.text, self.position)
            if found is None:
                raise BadSelector
            self.position = found.end()
            compound.tests.append(attribute_test(found))
            if PLAIN_NAME.fullmatch(found["name"]):
                compound.attribute = found["name"].lower()
            self.specificity = add(self.specificity, (0, 1, 0))

    def nesting(self, compound: Compound) -> None:
        """`&`: what the rule around matches."""
        parent = self.parent
        if parent is None:
            compound.tests.append(lambda box, _: box.tag == "html")
            return
        compound.tests.append(lambda box, matcher: matcher.any(parent, box))
        self.specificity = add(self.specificity, max((one.specificity for one in parent), default=NOTHING))

    def argument(self) -> str:
        """The text up to the parenthesis that ends a function."""
        depth, start = 1, self.position
        while self.position < len(self.text):
            character = self.text[self.position]
            self.position += 1
            if character == "\\":
                self.position += 1
            elif character in "\"'":
                end = self.text.find(character, self.position)
                self.position = len(self.text) if end < 0 else end + 1
            elif character in "()":
                depth += 1 if character == "(" else -1
                if not depth:
                    return self.text[start : self.position - 1]
        return self.text[start:]

    def inner(self, text: str, *, forgiving: bool, relative: bool = False) -> Selectors:
        """Selectors inside of a selector."""
        if self.depth >= MAX_DEPTH:
            raise OutOfBudget
        return parse(text, quirks=self.quirks, parent=self.parent, forgiving=forgiving, relative=relative,
                     depth=self.depth + 1)  # fmt: skip

    def pseudo_class(self, compound: Compound, name: str, opened: bool) -> None:
        argument = self.argument() if opened else ""
        if name in {"is", "where", "not", "matches", "-webkit-any", "-moz-any", "has"} and opened:
            self.functional(compound, name, argument)
            return
        self.specificity = add(self.specificity, (0, 1, 0))
        if name.startswith("nth-") and opened:
            compound.tests.append(self.nth(name, argument))
            return
        if name in NEVER:
            compound.tests.append(never)
        elif name == "lang" and opened:
            compound.tests.append(lang_test(argument))
        elif name == "dir" and opened:
            compound.tests.append(lambda box, _: direction(box) == argument.strip().lower())
        elif name in PLAIN and not opened:
            compound.tests.append(PLAIN[name])
            if name == "root":
                compound.choices = ("html",)
        else:
            raise BadSelector

    def functional(self, compound: Compound, name: str, argument: str) -> None:
        if name == "has":
            wanted = self.inner(argument, forgiving=False, relative=True)
            compound.tests.append(lambda box, matcher: matcher.has(wanted, box))
        else:
            wanted = self.inner(argument, forgiving=name != "not")
            denied = name == "not"
            compound.tests.append(lambda box, matcher: matcher.any(wanted, box) is not denied)
            choices = [] if denied else [names_of(one.last) for one in wanted]
            if choices and all(choices):
                compound.choices = tuple(dict.fromkeys(choices))
        if name != "where":
            self.specificity = add(self.specificity, max((one.specificity for one in wanted), default=NOTHING))

    def nth(self, name: str, argument: str) -> ElementTest:
        found = NTH.fullmatch(argument)
        if found is None or name not in {"nth-child", "nth-last-child", "nth-of-type", "nth-last-of-type"}:
            raise BadSelector
        step, first = steps(found)
        among = self.inner(found[6], forgiving=False) if found[6] and name.endswith("child") else None
        if among:
            self.specificity = add(self.specificity, max(one.specificity for one in among))
        backwards, typed = "last" in name, name.endswith("type")

        def test(box: Box, matcher: "Matcher") -> bool:
            if among is not None and not matcher.any(among, box):
                return False
            place = matcher.place(box, backwards=backwards, typed=typed, among=among)
            return place == first if not step else (place - first) % step == 0 and (place - first) // step >= 0

        return test


SINGLE_COLON = words("before after first-line first-letter")


def names_of(compound: Compound) -> str:
    """One of the names that a compound asks for, or the name of an attribute, or none."""
    if compound.identifiers:
        return f"#{min(compound.identifiers)}"
    if compound.classes:
        return f".{min(compound.classes)}"
    return compound.tag or (f"[{compound.attribute}]" if compound.attribute else "")


def steps(found: re.Match[str]) -> tuple[int, int]:
    """Step and start of an `an+b`."""
    if found[1]:
        return 2, int(found[1].lower() == "odd")
    if found[5]:
        return 0, int(found[5])
    step = {"": 1, "+": 1, "-": -1}.get(found[2])
    start = int(f"{found[3]}{found[4]}") if found[4] else 0
    return (int(found[2]) if step is None else step), start


def never(_box: Box, _matcher: "Matcher") -> bool:
    return False


def direction(box: Box | None) -> str:
    while box is not None:
        written = box.attribute("dir").lower()
        if written == "auto":
            return direction_of(box.node.text())
        if written in {"ltr", "rtl"}:
            return written
        box = box.parent
    return "ltr"


def direction_of(text: str) -> str:
    """The direction of a text by its first letter that has one."""
    kinds = (unicodedata.bidirectional(character) for character in text)
    return "rtl" if next((kind for kind in kinds if kind in {"L", "R", "AL"}), "L") != "L" else "ltr"


def is_invalid(box: Box, _matcher: "Matcher") -> bool:
    """Say whether a field that must be filled in is empty, or one in a form is."""
    if box.tag in {"form", "fieldset"}:
        return any(is_unfilled(one) for one in box.below())
    return is_unfilled(box)


def is_unfilled(box: Box) -> bool:
    if "required" not in box.attributes or not {"disabled", "readonly"}.isdisjoint(box.attributes):
        return False
    match box.tag, box.attribute("type").lower():
        case "input", "checkbox" | "radio":
            return "checked" not in box.attributes
        case "input", kind:
            return not box.attribute("value") and kind not in VALUED
        case "textarea", _:
            return not box.node.text()
        case "select", _:
            options = [one for one in box.below() if one.tag == "option"]
            chosen = next((one for one in options if "selected" in one.attributes), next(iter(options), None))
            return chosen is None or not value_of(chosen)
    return False


def value_of(option: Box) -> str:
    return option.attribute("value") if "value" in option.attributes else option.node.text().strip()


VALUED = words("hidden range color submit reset button image")
"""Kinds of fields that have a value, or need none."""


def is_undecided(box: Box, _matcher: "Matcher") -> bool:
    """Say whether nothing is chosen yet among the fields of one name."""
    if box.tag != "input" or box.attribute("type").lower() != "radio":
        return False
    around = next((one for one in box.ancestors() if one.tag in {"form", "html"}), None)
    name = box.attribute("name")
    group = around.below() if around is not None and name else iter([box])
    return not any("checked" in one.attributes and one.attribute("name") == name for one in group)


def lang_test(argument: str) -> ElementTest:
    wanted = [part.strip(" \"'").lower() for part in argument.split(",")]

    def test(box: Box, _matcher: "Matcher") -> bool:
        around: Box | None = box
        while around is not None and "lang" not in around.attributes:
            around = around.parent
        written = around.attribute("lang").lower() if around is not None else ""
        return any(written == one or written.startswith(f"{one}-") or (one == "*" and bool(written)) for one in wanted)

    return test


PLAIN: dict[str, ElementTest] = {
    "root": lambda box, _: box.parent is None,
    "scope": lambda box, _: box.parent is None,
    "first-child": lambda box, matcher: matcher.place(box) == 1,
    "last-child": lambda box, matcher: matcher.place(box, backwards=True) == 1,
    "only-child": lambda box, _: len(box.siblings) == 1,
    "first-of-type": lambda box, matcher: matcher.place(box, typed=True) == 1,
    "last-of-type": lambda box, matcher: matcher.place(box, typed=True, backwards=True) == 1,
    "only-of-type": lambda box, _: sum(one.tag == box.tag for one in box.siblings) == 1,
    "empty": lambda box, _: box.is_empty,
    "link": lambda box, _: box.tag in {"a", "area"} and "href" in box.attributes,
    "any-link": lambda box, _: box.tag in {"a", "area"} and "href" in box.attributes,
    "-webkit-any-link": lambda box, _: box.tag in {"a", "area"} and "href" in box.attributes,
    "checked": lambda box, _: "checked" in box.attributes or "selected" in box.attributes,
    "disabled": lambda box, _: box.tag in FIELDS and "disabled" in box.attributes,
    "enabled": lambda box, _: box.tag in FIELDS and "disabled" not in box.attributes,
    "required": lambda box, _: "required" in box.attributes,
    "optional": lambda box, _: box.tag in {"input", "select", "textarea"} and "required" not in box.attributes,
    "open": lambda box, _: "open" in box.attributes,
    "defined": lambda box, matcher: matcher.is_defined(box),
    "read-write": lambda box, _: box.tag in {"input", "textarea"} or "contenteditable" in box.attributes,
    "read-only": lambda box, _: box.tag not in {"input", "textarea"} and "contenteditable" not in box.attributes,
    "placeholder-shown": lambda box, _: "placeholder" in box.attributes and not box.attribute("value"),
    "default": lambda box, _: "checked" in box.attributes,
    "valid": lambda box, matcher: box.tag in {*FIELDS, "form"} and not is_invalid(box, matcher),
    "invalid": is_invalid,
    "indeterminate": is_undecided,
    "in-range": lambda box, _: box.tag == "input" and "max" in box.attributes,
}


def attribute_test(found: re.Match[str]) -> ElementTest:
    name, how = unescape(found["name"]).lower(), found["how"]
    wanted = unescape(
        next((part for part in (found["double"], found["single"], found["bare"]) if part is not None), "")
    )
    folded = (found["flag"] or "").lower() == "i" or (name in FOLDED and not found["flag"])
    if folded:
        wanted = wanted.lower()
    compare = COMPARISONS.get(how or "")

    def test(box: Box, _matcher: "Matcher") -> bool:
        if name not in box.attributes:
            return False
        if compare is None:
            return True
        value = box.attribute(name)
        return compare(value.lower() if folded else value, wanted)

    return test


COMPARISONS: dict[str, Callable[[str, str], bool]] = {
    "=": lambda value, wanted: value == wanted,
    "~=": lambda value, wanted: wanted in value.split(),
    "|=": lambda value, wanted: value == wanted or value.startswith(f"{wanted}-"),
    "^=": lambda value, wanted: bool(wanted) and value.startswith(wanted),
    "$=": lambda value, wanted: bool(wanted) and value.endswith(wanted),
    "*=": lambda value, wanted: bool(wanted) and wanted in value,
}


def parse(
    text: str,
    *,
    quirks: bool = False,
    parent: Selectors | None = None,
    forgiving: bool = False,
    relative: bool = False,
    depth: int = 0,
) -> Selectors:
    """
    Read a list of selectors; one that is wrong makes the whole list wrong, unless it is a forgiving one.

    Inside a rule (`parent`), a selector that does not name that rule stands below what it matches.
    """
    if parent is None and not relative and not forgiving and len(text) < SHORT:
        return known_selectors(text, quirks)
    return parsed(text, quirks, parent, forgiving, relative, depth)


@lru_cache(maxsize=5_000)
def known_selectors(text: str, quirks: bool) -> Selectors:
    """Selectors that stand by themselves, read once: sheets of one origin repeat on many pages."""
    return parsed(text, quirks, None, False, False, 0)


def plain_selector(text: str, quirks: bool) -> Selector:
    """A selector of tags, classes and ids."""
    compounds: list[Compound] = []
    identifiers = classes = tags = 0
    for child, below, tag, named in PLAIN_STEP.findall(text.lower() if quirks else text):
        compound = Compound(combinator=child or (below and " "))
        if named:
            names = NAMED.findall(named)
            compound.classes = frozenset([name for kind, name in names if kind == "."])
            compound.identifiers = frozenset([name for kind, name in names if kind == "#"])
            many = sum(kind == "." for kind, _ in names)
            classes += many
            identifiers += len(names) - many
        if tag and tag != "*":
            compound.tag = tag.lower()
            tags += 1
        compounds.append(compound)
    return Selector(compounds, (identifiers, classes, tags))


def parsed(text: str, quirks: bool, parent: Selectors | None, forgiving: bool, relative: bool, depth: int) -> Selectors:
    found: Selectors = []
    for part in parts(text):
        if parent is None and not relative and PLAIN_SELECTOR.fullmatch(part.strip()):
            found.append(plain_selector(part.strip(), quirks))
            continue
        parser = Parser(part, quirks=quirks, parent=parent, depth=depth)
        try:
            selector = parser.selector(relative=relative or parent is not None)
        except BadSelector:
            if forgiving:
                continue
            raise
        if parent is not None and not depth and not selector.nested:
            selector = below(selector, parent)
        found.append(selector)
    if not found and not forgiving:
        raise BadSelector
    return found


SHORT = 300
"""Lists of selectors up to so many characters are met again and again."""


def below(selector: Selector, parent: Selectors) -> Selector:
    """A selector below what the rule around it matches."""
    start = Compound(tests=[lambda box, matcher: matcher.any(parent, box)])
    first = selector.compounds[0]
    first.combinator = first.combinator or " "
    specificity = add(selector.specificity, max((one.specificity for one in parent), default=NOTHING))
    return Selector([start, *selector.compounds], specificity, selector.pseudo_element)


def within(selector: Selector, scope: ScopeRoots) -> Selector:
    """A selector that counts only in a scope."""
    last = selector.last
    asked = replace(last, tests=[*last.tests, lambda box, matcher: matcher.is_within(scope, box)])
    compounds = [*selector.compounds[:-1], asked]
    return replace(selector, compounds=compounds, above=None, scope=scope)


def parts(text: str) -> Iterator[str]:
    """The members of a list of selectors."""
    if not HELD.search(text):
        yield from text.split(",")
        return
    depth, start, position = 0, 0, 0
    for mark in MARKS.finditer(text):
        if mark.start() < position:
            continue
        match mark[0]:
            case "(" | "[":
                depth += 1
            case ")" | "]":
                depth -= 1
            case "\\":
                position = mark.start() + 2
            case "'" | '"':
                end = text.find(mark[0], mark.end())
                position = len(text) if end < 0 else end + 1
            case _ if depth <= 0:
                yield text[start : mark.start()]
                start = mark.end()
    yield text[start:]


HELD = re.compile(r"[(\[\\\"']")
MARKS = re.compile(r"[()\[\],\\\"']")


class Matcher:
    """Answers which elements selectors match, each question once."""

    def __init__(self, budget: StepBudget) -> None:
        self.budget = budget
        self.matched: dict[tuple[int, int, int], bool] = {}
        self.reached: dict[tuple[int, int, int], bool] = {}
        self.held: dict[tuple[int, int], bool] = {}
        self.places: dict[tuple[int, bool, bool, int], int] = {}
        self.listed: dict[tuple[int, int], bool] = {}
        self.undefined: set[int] = set()
        """Elements that a selector takes for undefined ones."""

    def any(self, selectors: Selectors, box: Box) -> bool:
        """Say whether one of several selectors matches."""
        key = id(selectors), box.key
        if key not in self.listed:
            self.listed[key] = any(self.matches(selector, box) for selector in selectors)
        return self.listed[key]

    def is_defined(self, box: Box) -> bool:
        """Say whether an element is one of HTML's; an element of the page's own making waits for a script."""
        if "-" in box.tag:
            self.undefined.add(box.key)
        return "-" not in box.tag

    def is_within(self, scope: ScopeRoots, box: Box) -> bool:
        """Say whether an element stands in a scope: at or below a root, with no limit in between."""
        one: Box | None = box
        while one is not None:
            self.budget.spend()
            if self.any(scope, one):
                return True
            if scope.limits and self.any(scope.limits, one):
                return False
            one = one.parent
        return False

    def steps_to(self, scope: ScopeRoots | None, box: Box) -> float:
        """How far above an element the root of a scope is."""
        for steps, one in enumerate((box, *box.ancestors())):
            if scope is not None and self.any(scope, one):
                return steps
        return math.inf

    def matches(self, selector: Selector, box: Box) -> bool:
        """Say whether a selector matches an element."""
        if len(selector.compounds) > MAX_COMPOUNDS:
            raise OutOfBudget
        return self.up_to(selector, len(selector.compounds) - 1, box)

    def up_to(self, selector: Selector, index: int, box: Box) -> bool:
        """Say whether the selector up to a compound matches, with that compound at this element."""
        if not index:
            return self.fits(selector.compounds[0], box)
        key = id(selector), index, box.key
        known = self.matched.get(key)
        if known is None:
            compound = selector.compounds[index]
            known = self.matched[key] = self.fits(compound, box) and self.led_to(selector, index, box)
        return known

    def led_to(self, selector: Selector, index: int, box: Box) -> bool:
        """Say whether what stands before a compound matches where its combinator says."""
        match selector.compounds[index].combinator:
            case ">":
                return box.parent is not None and self.up_to(selector, index - 1, box.parent)
            case "+":
                before = box.before
                return before is not None and self.up_to(selector, index - 1, before)
            case "~":
                return self.reaches(selector, index, box, lambda one: one.before)
        return self.reaches(selector, index, box, lambda one: one.parent)

    def reaches(self, selector: Selector, index: int, box: Box, step: Callable[[Box], Box | None]) -> bool:
        """Say whether going on in one direction leads to an element that matches what stands before."""
        path: list[tuple[int, int, int]] = []
        found, current = False, step(box)
        while current is not None:
            key = id(selector), index, current.key
            known = self.reached.get(key)
            if known is not None:
                found = known
                break
            path.append(key)
            self.budget.spend()
            if self.up_to(selector, index - 1, current):
                found = True
                break
            current = step(current)
        # What is reached from an element is reached from all that lie before it on the way.
        self.reached.update(dict.fromkeys(path, found))
        return found

    def fits(self, compound: Compound, box: Box) -> bool:
        """Say whether one element is as a compound asks."""
        self.budget.spend()
        if (compound.tag and compound.tag != box.tag) or not compound.classes <= box.classes:
            return False
        if compound.identifiers and compound.identifiers != {box.identifier}:
            return False
        return not compound.tests or all(test(box, self) for test in compound.tests)

    def has(self, selectors: Selectors, box: Box) -> bool:
        """Say whether an element has another at the place a relative selector says."""
        key = id(selectors), box.key
        if key not in self.held:
            self.held[key] = any(self.has_one(selector, box) for selector in selectors)
        return self.held[key]

    def has_one(self, selector: Selector, box: Box) -> bool:
        first = selector.compounds[0]
        match first.combinator:
            case ">":
                starts = box.children
            case "+":
                starts = [box.after] if box.after is not None else []
            case "~":
                starts = box.siblings[box.index + 1 :]
            case _:
                starts = list(box.below())
        self.budget.spend(len(starts))
        if len(selector.compounds) == 1:
            return any(self.fits(first, one) for one in starts)
        # The rest of the selector is asked of what stands below or behind.
        reachable = (other for one in starts if self.fits(first, one) for other in self.around(one))
        return any(self.matches(selector, other) for other in reachable)

    def around(self, box: Box) -> Iterator[Box]:
        for one in (*box.below(), *box.siblings[box.index + 1 :]):
            self.budget.spend()
            yield one

    def place(self, box: Box, *, backwards: bool = False, typed: bool = False, among: Selectors | None = None) -> int:
        """The place of an element among its siblings, from 1."""
        key = box.key, backwards, typed, id(among)
        if key not in self.places:
            siblings = box.siblings[::-1] if backwards else box.siblings
            counts: dict[str, int] = {}
            self.budget.spend(len(siblings))
            for one in siblings:
                if among is not None and not self.any(among, one):
                    continue
                name = one.tag if typed else ""
                counts[name] = counts.get(name, 0) + 1
                self.places[one.key, backwards, typed, id(among)] = counts[name]
        return self.places.get(key, 0)
