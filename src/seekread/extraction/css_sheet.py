"""
Style sheets cut into rules: nesting, conditions, layers, scopes, imports and key frames, in one linear pass.

Strings, comments and addresses are made harmless first (no brace or semicolon is left in them), so that braces alone
tell the structure, as unfinished as it may be: what is open at the end is closed there, as browsers do.
Conditions are weighed for each width a page is looked at; a rule carries the widths at which it holds.
"""

import base64
import binascii
import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from urllib.parse import unquote_to_bytes

from seekread.extraction.css_conditions import Surroundings, container, media, supports
from seekread.extraction.css_properties import longhands
from seekread.extraction.css_values import unescape

MAX_BYTES = 4_000_000
"""Characters of style sheets that are read; a page itself is hardly longer."""
MAX_DEPTH = 40
"""Blocks inside one another."""
MAX_IMPORTS = 10
"""Style sheets in addresses (`data:`) that are read."""
DRESSED = re.compile(
    r"""/\*.*?(?:\*/|\Z)|"(?:[^"\\\n]|\\.)*+"?|'(?:[^'\\\n]|\\.)*+'?|url\(\s*+(?!["'\s])[^)]*+\)?|\\.|<!--|-->""",
    re.DOTALL | re.IGNORECASE,
)
SPECIAL = re.compile(r"[{};@]")
BRACES = re.compile(r"[{}]")
IMPORTANT = re.compile(r"!\s*important\s*$", re.IGNORECASE)
IMPORT = re.compile(r"""(?:url\(\s*)?["']?(data:text/css[^"')]*)["']?\s*\)?\s*(.*)""", re.IGNORECASE | re.DOTALL)
HIDDEN_IN = {"{": r"\7b ", "}": r"\7d ", ";": r"\3b ", "@": r"\40 "}
CASED = re.compile(r"(--[\w-]+)|[^-]+")
LAYERED = re.compile(r"layer(?:\(([^)]*)\))?\s*(.*)", re.DOTALL)
UNLAYERED = (math.inf,)
Layer = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Declaration:
    """One declaration."""

    value: str
    important: bool = False


Declarations = dict[str, Declaration]


@dataclass(frozen=True, slots=True)
class RuleBlock:
    """The surroundings of a rule: what it is nested in, and when it holds."""

    selectors: tuple[str, ...] = ()
    """The selectors of the rules around, the outermost first."""
    widths: int = ~0
    layer: Layer = UNLAYERED
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Rule:
    """Selectors with what they declare, as it stands in the sheet."""

    selectors: tuple[str, ...]
    """The selectors, and before them those of the rules around, the outermost first."""
    declarations: Declarations
    widths: int
    layer: Layer
    order: int


@dataclass
class Sheets:
    """Everything the style sheets of a page say that may concern visibility."""

    rules: list[Rule] = field(default_factory=list)
    frames: dict[str, dict[float, Declarations]] = field(default_factory=dict)
    """Key frames by name and place."""
    initial: dict[str, str] = field(default_factory=dict)
    """Initial values of registered variables."""
    unread: int = 0
    """Style sheets elsewhere that nobody looked at."""
    cut: bool = False
    """Whether there was more than is read."""


def declarations(text: str) -> Declarations:
    """The declarations of a style attribute."""
    return declared(tidy(text)) if text else {}


def declared(text: str) -> Declarations:
    """The valid declarations of a tidy text, shorthands taken apart; what is important is not overridden."""
    found: Declarations = {}
    for part in text.split(";"):
        name, colon, value = part.partition(":")
        name, value = name.strip(), value.strip()
        if not colon or not value:
            continue
        if "\\" in part:
            name, value = unescape(name), unescape(value)
        important = "!" in value and IMPORTANT.search(value)
        if important:
            value = value[: important.start()].rstrip()
        if name.startswith("--"):
            put(found, name, value, bool(important))
            continue
        for longhand, written in longhands(name.lower(), folded(value)).items():
            put(found, longhand, written, bool(important))
    return found


def folded(value: str) -> str:
    """A value in lower case; only the names of variables care about case."""
    return CASED.sub(lambda found: found[1] or found[0].lower(), value) if "--" in value else value.lower()


def put(found: Declarations, name: str, value: str, important: bool) -> None:
    before = found.get(name)
    if before is None or important or not before.important:
        found[name] = Declaration(value, important)


def tidy(text: str) -> str:
    """A text without comments, and without structure in its strings and addresses."""
    if not any(mark in text for mark in ('"', "'", "\\", "/*", "(", "<!--", "-->")):
        return text
    return DRESSED.sub(harmless, text)


def harmless(match: re.Match[str]) -> str:
    found = match[0]
    if found.startswith(("/*", "<!--", "-->")):
        return ""
    if found[0] in "\"'" and (len(found) == 1 or found[-1] != found[0]):
        # A string that breaks off takes its declaration with it.
        found += found[0]
    return SPECIAL.sub(lambda special: HIDDEN_IN[special[0]], found)


class SheetReader:
    """Reads the sheets of a page one after the other; later ones win."""

    def __init__(self, surroundings: Surroundings, wanted: Callable[[str], bool]) -> None:
        self.surroundings = surroundings
        self.wanted = wanted
        self.sheets = Sheets()
        self.layers: dict[tuple[Layer, str], float] = {}
        self.unnamed = 0
        self.left = MAX_BYTES
        self.imports = MAX_IMPORTS

    def read(self, text: str, condition: str = "") -> None:
        """Read one sheet, under the condition of its `media` attribute."""
        widths = media(condition.lower()) if condition.strip() else ~0
        self.read_block(text, RuleBlock(widths=widths))

    def read_block(self, text: str, around: RuleBlock) -> None:
        if len(text) > self.left:
            self.sheets.cut = True
            text = text[: self.left]
        self.left -= len(text)
        if around.widths:
            self.scan(tidy(text), around)

    def scan(self, text: str, around: RuleBlock) -> None:
        """Go from brace to brace."""
        stack = [around]
        start = skipped = 0
        for brace in BRACES.finditer(text):
            piece = text[start : brace.start()]
            start = brace.end()
            if skipped:
                skipped += 1 if brace[0] == "{" else -1
                continue
            if brace[0] == "}":
                if len(stack) > 1:
                    self.end(stack.pop(), piece)
                continue
            before, _, prelude = piece.rpartition(";")
            if before:
                self.statements(before, stack[-1])
            block = self.begin(prelude.strip(), stack[-1]) if len(stack) < MAX_DEPTH else None
            if block is None:
                skipped = 1
            else:
                stack.append(block)
        while len(stack) > 1 and not skipped:
            self.end(stack.pop(), text[start:])
            start = len(text)
        if len(stack) == 1:
            self.statements(text[start:], around)

    def begin(self, prelude: str, around: RuleBlock) -> RuleBlock | None:
        """The block that opens after a prelude; `None` when nothing in it counts."""
        if not prelude.startswith("@"):
            if not self.wanted(prelude) and around.kind != "frames":
                return None
            return RuleBlock((*around.selectors, prelude), around.widths, around.layer, around.kind)
        name, condition = re.match(r"@([\w-]*)\s*(.*)", prelude, re.DOTALL).groups()  # type: ignore[union-attr]
        name, widths = name.lower(), around.widths
        match name:
            case "media":
                widths &= media(condition.lower())
            case "container":
                widths &= container(condition.lower(), self.surroundings)
            case "supports":
                widths &= ~0 if supports(condition.lower()) else 0
            case "layer":
                return RuleBlock(around.selectors, widths, self.layer(around.layer, condition))
            case "scope":
                root = re.match(r"\(((?:[^()]|\([^()]*\))*)\)", condition)
                scope = (f":is({root[1]})",) if root else ()
                return RuleBlock((*around.selectors, *scope), widths, around.layer, "scope")
            case "keyframes" | "-webkit-keyframes":
                return RuleBlock((condition.strip("\"' ").lower(),), widths, kind="frames") if widths else None
            case "property":
                return RuleBlock((condition.strip(),), widths, kind="property")
            case _:
                return None
        return RuleBlock(around.selectors, widths, around.layer, around.kind) if widths else None

    def end(self, block: RuleBlock, body: str) -> None:
        """Take in the declarations before the end of a block."""
        match block.kind:
            case "frames":
                if len(block.selectors) > 1:
                    self.frame(block, body)
            case "property":
                initial = re.search(r"initial-value\s*:\s*([^;]*)", body)
                if initial:
                    self.sheets.initial[block.selectors[0]] = initial[1].strip()
            case _:
                self.statements(body, block)

    def statements(self, text: str, block: RuleBlock) -> None:
        """Take in the declarations of a block, or the statements between the blocks of a sheet."""
        if "@" in text:
            for statement in text.split(";"):
                if statement.lstrip().startswith("@"):
                    self.statement(statement.strip(), block)
            text = ";".join(part for part in text.split(";") if not part.lstrip().startswith("@"))
        if not block.selectors or block.kind == "frames" or ":" not in text:
            return
        found = declared(text)
        if found:
            order = len(self.sheets.rules)
            self.sheets.rules.append(Rule(block.selectors, found, block.widths, block.layer, order))

    def statement(self, text: str, block: RuleBlock) -> None:
        name, _, rest = text.partition(" ")
        if name == "@layer":
            for layer in rest.split(","):
                self.layer(block.layer, layer)
        elif name.lower().startswith("@import"):
            self.include(unescape(text[7:].strip()), block)

    def include(self, text: str, block: RuleBlock) -> None:
        """Read a sheet that stands in its own address; count one that lies elsewhere."""
        found = IMPORT.match(text)
        if found is None or self.imports <= 0:
            self.sheets.unread += 1
            return
        self.imports -= 1
        condition, layer = found[2], block.layer
        if layered := LAYERED.match(condition):
            layer, condition = self.layer(layer, layered[1] or ""), layered[2]
        widths = block.widths & (media(condition.lower()) if condition.strip() else ~0)
        self.read_block(sheet_in(found[1]), RuleBlock(widths=widths, layer=layer))

    def layer(self, around: Layer, names: str) -> Layer:
        """The rank of a layer, given when its name is first met."""
        path = () if around == UNLAYERED else around[:-1]
        for written in names.strip().split("."):
            self.unnamed += not written.strip()
            name = written.strip() or f"\0{self.unnamed}"
            path = (*path, self.layers.setdefault((path, name), float(len(self.layers))))
        return (*path, math.inf)

    def frame(self, block: RuleBlock, body: str) -> None:
        frames = self.sheets.frames.setdefault(block.selectors[0], {})
        for written in block.selectors[1].lower().split(","):
            place = {"from": "0%", "to": "100%"}.get(written.strip(), written.strip())
            if place.endswith("%"):
                try:
                    frames[float(place[:-1])] = declared(body)
                except ValueError:
                    continue


def sheet_in(address: str) -> str:
    """The style sheet that a `data:` address holds."""
    head, _, body = address.partition(",")
    data = unquote_to_bytes(body)
    if head.lower().endswith(";base64"):
        try:
            data = base64.b64decode(data, validate=False)
        except (binascii.Error, ValueError):
            return ""
    return data.decode("utf-8", "replace")


def everything(_selectors: str) -> bool:
    return True


def read_sheets(
    sheets: Iterable[tuple[str, str]], surroundings: Surroundings, wanted: Callable[[str], bool] = everything
) -> Sheets:
    """Read the sheets of a page, each with the condition it stands under; rules nobody wants are passed over."""
    reader = SheetReader(surroundings, wanted)
    for text, condition in sheets:
        reader.read(text, condition)
    return reader.sheets
