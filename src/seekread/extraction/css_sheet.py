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
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from seekread.extraction.css_conditions import media, split, supports
from seekread.extraction.css_possible import is_possible
from seekread.extraction.css_properties import UNDERSTOOD, in_quirks, longhands
from seekread.extraction.css_values import unescape
from seekread.extraction.markup import Markup

MAX_BYTES = 4_000_000
"""Characters of style sheets that are read; a page itself is hardly longer."""
SHORT = 300
"""Declarations up to so many characters are met again and again."""
MAX_DEPTH = 40
"""Blocks inside one another."""
MAX_IMPORTS = 10
"""Style sheets in addresses (`data:`) that are read."""
PIECES = (
    r"(?<=/)\*[^*]*+(?:\*(?!/)[^*]*+)*+(?:\*/)?"
    r"|(?<=\")[^\"\\\n]*+(?:\\.[^\"\\\n]*+)*+\"?|(?<=')[^'\\\n]*+(?:\\.[^'\\\n]*+)*+'?"
    r"|(?<=[uU][rR][lL]\()\s*+(?![\"'\s])[^)]*+\)?|(?<=\\).|(?<=<)!--"
)
"""What follows the first character of a comment, a text, an address or an escape."""
DRESSED = re.compile(rf"[\"'/\\<(](?:{PIECES})", re.DOTALL)
"""All of them begin with one of a few characters, and are found fast for that."""
COMMENTED_OUT = re.compile(rf"[\"'/\\<(-](?:{PIECES}|(?<=-)->)", re.DOTALL)
"""The same with the end of a comment of HTML."""
SPECIAL = re.compile(r"[{};@]")
FIRST_NAME = re.compile(r"[^{}.#,(\[\\@;]*+([.#](?!\d)[\w\u0080-\U0010ffff-]++)(?!\\)[^{},;]*+\{")
"""The first name in a selector that is no list of several: one without which its block counts for nothing."""
AT_RULE = re.compile(r"@([\w-]*)\s*(.*)", re.DOTALL)
IMPORTANT = re.compile(r"!\s*important\s*$", re.IGNORECASE)
IMPORT = re.compile(r"""(?:url\(\s*)?["']?(data:text/css[^"')]*)["']?\s*\)?\s*(.*)""", re.IGNORECASE | re.DOTALL)
HIDDEN_IN = {"{": r"\7b ", "}": r"\7d ", ";": r"\3b ", "@": r"\40 "}
CASED = re.compile(r"""(--[\w-]+|"[^"]*+"?|'[^']*+'?|(?<=url\()[^)]*+)|[^-"'(]+|.""", re.DOTALL | re.IGNORECASE)
LAYERED = re.compile(r"layer(?:\(([^)]*)\))?\s*(.*)", re.DOTALL)
SUPPORTED = re.compile(r"supports\(((?:[^()]|\([^()]*+\))*+)\)\s*(.*)", re.DOTALL | re.IGNORECASE)
STRAY = "}"
"""Begins what comes after a brace that closes nothing."""
UNLAYERED = (math.inf,)
Layer = tuple[float, ...]


class Declaration(NamedTuple):
    """One declaration."""

    value: str
    important: bool = False


Declarations = dict[str, Declaration]


class RuleBlock(NamedTuple):
    """The surroundings of a rule: what it is nested in, and when it holds."""

    selectors: tuple[str, ...] = ()
    """The selectors of the rules around, the outermost first."""
    widths: int = ~0
    layer: Layer = UNLAYERED
    kind: str = ""
    containers: tuple[str, ...] = ()
    """Conditions on the containers an element stands in."""
    starting: bool = False
    """Whether it says how an element is before its first transition."""

    def within(self, widths: int) -> "RuleBlock":
        """The same surroundings at some widths only."""
        if widths & self.widths == self.widths:
            return self
        return RuleBlock(self.selectors, self.widths & widths, *self[2:])


class Rule(NamedTuple):
    """Selectors with what they declare, as it stands in the sheet."""

    selectors: tuple[str, ...]
    """The selectors, and before them those of the rules around, the outermost first."""
    declarations: Declarations
    widths: int
    layer: Layer
    order: int
    containers: tuple[str, ...] = ()
    starting: bool = False


@dataclass(frozen=True, slots=True)
class RegisteredProperty:
    """A variable with a type."""

    syntax: str
    inherits: bool
    initial: str | None


@dataclass
class Sheets:
    """Everything the style sheets of a page say that may concern visibility."""

    rules: list[Rule] = field(default_factory=list)
    frames: dict[str, dict[float, Declarations]] = field(default_factory=dict)
    """Key frames by name and place."""
    registered: dict[str, RegisteredProperty] = field(default_factory=dict)
    """Variables with a type, by name."""
    faces: dict[str, dict[str, str]] = field(default_factory=dict)
    """Descriptors of the fonts that a page brings along, by family."""
    unread: int = 0
    """Style sheets elsewhere that nobody looked at."""
    cut: bool = False
    """Whether there was more than is read."""


def declarations(text: str, *, quirks: bool = False) -> Declarations:
    """The declarations of a style attribute."""
    return declared(tidy(text), quirks=quirks) if text else {}


def declared(text: str, *, quirks: bool = False) -> Declarations:
    """The valid declarations of a tidy text, shorthands taken apart; what is important is not overridden."""
    return known_declarations(text, quirks) if len(text) < SHORT else read_declarations(text, quirks)


@lru_cache(maxsize=5_000)
def known_declarations(text: str, quirks: bool) -> Declarations:
    """Declarations read once: a page repeats them, and so do pages of one making."""
    return read_declarations(text, quirks)


def read_declarations(text: str, quirks: bool) -> Declarations:
    found: Declarations = {}
    for part in statements_of(text):
        if ":" not in part:
            continue
        for name, declaration in known_declaration(part, quirks) if len(part) < SHORT else declaration_of(part, quirks):
            if name == "all":
                reset(found, declaration.important)
            before = found.get(name)
            if before is None or declaration.important or not before.important:
                found[name] = declaration
    return found


def declaration_of(part: str, quirks: bool) -> tuple[tuple[str, Declaration], ...]:
    """One declaration as those of the longhands it stands for; nothing if it is wrong, or about something else."""
    name, _, value = part.partition(":")
    name, value = name.strip(), value.strip()
    if not value:
        return ()
    if "\\" in part:
        name, value = unescape(name), unescape(value)
    variable = name.startswith("--")
    if name not in UNDERSTOOD and not variable and name.lower() not in UNDERSTOOD:
        return ()
    found = IMPORTANT.search(value) if "!" in value else None
    important = found is not None
    if found is not None:
        value = value[: found.start()].rstrip()
    if variable:
        return ((name, Declaration(value, important)),)
    name, value = name.lower(), folded(value)
    written = longhands(name, in_quirks(name, value) if quirks else value)
    return tuple((longhand, Declaration(value, important)) for longhand, value in written.items())


known_declaration = lru_cache(maxsize=10_000)(declaration_of)
"""The same, read once: pages repeat their declarations, and one another's."""


def statements_of(text: str) -> list[str]:
    """A text cut at its semicolons, but for those inside of functions."""
    parts = text.split(";")
    if "(" in text and any(part.count("(") != part.count(")") for part in parts):
        return split(text, ";")
    return parts


def reset(found: Declarations, important: bool) -> None:
    """`all`: what was declared before is gone, but for variables and what weighs more."""
    for name in [name for name, one in found.items() if important or not one.important]:
        if not name.startswith("--"):
            del found[name]


def folded(value: str) -> str:
    """A value in lower case; only the names of variables, texts and addresses care about case."""
    if "--" in value or '"' in value or "'" in value or "url(" in value.lower():
        return CASED.sub(lambda found: found[1] or found[0].lower(), value)
    return value.lower()


def tidy(text: str) -> str:
    """A text without comments, and without structure in its strings and addresses."""
    if not any(mark in text for mark in ('"', "'", "\\", "/*", "(", "<!--", "-->")):
        return text
    pieces: list[str] = []
    position = 0
    for match in (COMMENTED_OUT if "-->" in text else DRESSED).finditer(text):
        found = match[0]
        changed = harmless(found)
        if changed is not found:
            pieces += text[position : match.start()], changed
            position = match.end()
    return "".join((*pieces, text[position:])) if pieces else text


def harmless(found: str) -> str:
    """A comment, a text, an address or an escape without structure in it; itself if there is none."""
    mark = found[0]
    if mark == "/" or found.startswith(("<!--", "-->")):
        return ""
    if mark in "\"'" and (len(found) == 1 or found[-1] != mark):
        # A string that breaks off takes its declaration with it.
        found += mark
    return SPECIAL.sub(lambda special: HIDDEN_IN[special[0]], found) if SPECIAL.search(found) else found


def voided(prelude: str) -> str:
    """What stands before a block that a stray brace takes along."""
    return STRAY + prelude.replace(";", " ")


class SheetReader:
    """Reads the sheets of a page one after the other; later ones win."""

    def __init__(self, markup: Markup) -> None:
        self.markup = markup
        self.quirks = markup.quirks
        self.importing = True
        """Whether sheets may still be imported: rules end that."""
        self.sheets = Sheets()
        self.layers: dict[tuple[Layer, str], float] = {}
        self.unnamed = 0
        self.left = MAX_BYTES
        self.imports = MAX_IMPORTS
        self.dead: set[str] = set()
        """What stands before rules that ask for a name the page does not have."""

    def read(self, text: str, condition: str = "") -> None:
        """Read one sheet, under the condition of its `media` attribute."""
        widths = media(condition.lower()) if condition.strip() else ~0
        self.importing = True
        self.read_block(text, RuleBlock(widths=widths))

    def read_block(self, text: str, around: RuleBlock) -> None:
        if len(text) > self.left:
            self.sheets.cut = True
            text = text[: self.left]
        self.left -= len(text)
        if around.widths:
            self.scan(tidy(text), around)

    def scan(self, text: str, around: RuleBlock) -> None:
        """Go from the end of one block to the end of the next, past those that ask for names the page does not have."""
        stack = [around]
        skipped, stray = 0, False
        names, fold, dead = self.markup.names, self.markup.fold, self.dead
        *closed, rest = text.split("}")
        for piece in closed:
            if skipped:
                skipped += piece.count("{") - 1
                continue
            before, opened, body = piece.partition("{")
            if stray and opened:
                before, stray = voided(before), False
            if before not in dead and (asked := FIRST_NAME.match(piece)) and fold(asked[1]) not in names:
                dead.add(before)
            if before in dead:
                self.importing, skipped = False, body.count("{")
            elif not opened:
                if len(stack) > 1:
                    self.end(stack.pop(), before)
                else:
                    # A brace too many belongs to what comes next, and takes it along.
                    self.statements(before.rpartition(";")[0], around)
                    stray = True
            elif "{" in body:
                *inside, body = body.split("{")
                skipped = self.open_all([before, *inside], stack)
                if skipped:
                    skipped -= 1
                else:
                    self.end(stack.pop(), body)
            elif (block := self.open(before, stack)) and body:
                self.end(block, body)
        *preludes, rest = rest.split("{")
        if stray and preludes:
            preludes[0] = voided(preludes[0])
        skipped = skipped + len(preludes) if skipped else self.open_all(preludes, stack)
        while len(stack) > 1 and not skipped:
            self.end(stack.pop(), rest)
            rest = ""
        if len(stack) == 1:
            self.statements(rest, around)

    def open_all(self, preludes: list[str], stack: list[RuleBlock]) -> int:
        """Open blocks one inside the other; how many are left when one of them holds nothing that counts."""
        for index, before in enumerate(preludes):
            block = self.open(before, stack)
            if block is None:
                return len(preludes) - index
            stack.append(block)
        return 0

    def open(self, before: str, stack: list[RuleBlock]) -> RuleBlock | None:
        """The block that a brace opens, after the statements that stand before its prelude."""
        around, prelude = stack[-1], before
        if len(stack) >= MAX_DEPTH:
            return None
        if ";" in before:
            statements, _, prelude = before.rpartition(";")
            self.statements(statements, around)
        return self.begin(prelude.strip(), around)

    def begin(self, prelude: str, around: RuleBlock) -> RuleBlock | None:
        """The block that opens after a prelude; `None` when nothing in it counts."""
        if prelude.startswith(STRAY):
            return None
        if not prelude.startswith("@"):
            self.importing = False
            if around.kind == "frames":
                return RuleBlock((*around.selectors, prelude), around.widths, kind="frames")
            if not is_possible(self.markup, prelude):
                return None
            selectors = (*around.selectors, prelude)
            # Written out because there are thousands of them.
            return RuleBlock(selectors, *around[1:])
        name, condition = AT_RULE.match(prelude).groups()  # type: ignore[union-attr]
        name, condition = name.lower(), condition.strip()
        self.importing &= name == "layer"
        opens = OPENINGS.get(name)
        block = opens(self, condition, around) if opens is not None else None
        return block if block is not None and block.widths else None

    def end(self, block: RuleBlock, body: str) -> None:
        """Take in the declarations before the end of a block."""
        match block.kind:
            case "frames":
                if len(block.selectors) > 1:
                    self.frame(block, body)
            case "property":
                self.register(block.selectors[0], descriptors(body))
            case "face":
                face = descriptors(body)
                self.sheets.faces[unquoted(face.get("font-family", "")).lower()] = face
            case _:
                self.statements(body, block)

    def register(self, name: str, described: dict[str, str]) -> None:
        """Take in a variable with a type; one without all it needs does not count."""
        syntax, inherits = unquoted(described.get("syntax", "")), described.get("inherits", "").lower()
        initial = described.get("initial-value")
        if syntax and inherits in {"true", "false"} and (initial is not None or syntax == "*"):
            self.sheets.registered[name] = RegisteredProperty(syntax, inherits == "true", initial)

    def statements(self, text: str, block: RuleBlock) -> None:
        """Take in the declarations of a block, or the statements between the blocks of a sheet."""
        if "@" in text:
            for statement in text.split(";"):
                if statement.lstrip().startswith("@"):
                    self.statement(statement.strip(), block)
            text = ";".join(part for part in text.split(";") if not part.lstrip().startswith("@"))
        if not block.selectors or block.kind == "frames" or ":" not in text:
            return
        found = declared(text, quirks=self.quirks)
        if found:
            order = len(self.sheets.rules)
            self.sheets.rules.append(
                Rule(block.selectors, found, block.widths, block.layer, order, block.containers, block.starting)
            )

    def statement(self, text: str, block: RuleBlock) -> None:
        name, _, rest = text.partition(" ")
        if name == "@layer":
            for layer in rest.split(","):
                self.layer(block.layer, layer)
        elif name.lower().startswith("@import"):
            if self.importing and not block.selectors:
                self.include(unescape(text[7:].strip()), block)
        elif name.lower() != "@charset":
            self.importing = False

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
        if supported := SUPPORTED.match(condition):
            condition = supported[2]
            if not supports(supported[1].lower()) and not supports(f"({supported[1].lower()})"):
                return
        widths = block.widths & (media(condition.lower()) if condition.strip() else ~0)
        self.read_block(sheet_in(found[1]), RuleBlock(widths=widths, layer=layer))
        self.importing = True

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
                    frames[float(place[:-1])] = declared(body, quirks=self.quirks)
                except ValueError:
                    continue


Opening = Callable[[SheetReader, str, RuleBlock], RuleBlock | None]
OPENINGS: dict[str, Opening] = {
    "media": lambda _, condition, around: around.within(media(condition.lower())),
    "container": lambda _, condition, around: around._replace(containers=(*around.containers, condition)),
    "supports": lambda _, condition, around: around if supports(condition.lower()) else None,
    "layer": lambda reader, condition, around: around._replace(layer=reader.layer(around.layer, condition)),
    "scope": lambda _, condition, around: around._replace(selectors=(*around.selectors, f"@scope {condition}")),
    "starting-style": lambda _, __, around: around._replace(starting=True),
    "keyframes": lambda _, name, around: RuleBlock((unquoted(name).lower(),), around.widths, kind="frames"),
    "-webkit-keyframes": lambda _, name, around: RuleBlock((unquoted(name).lower(),), around.widths, kind="frames"),
    "property": lambda _, name, around: RuleBlock((name,), around.widths, kind="property"),
    "font-face": lambda _, __, around: RuleBlock((), around.widths & 1, kind="face"),
}
"""What each rule with a block opens; all others hold nothing that counts."""


def descriptors(body: str) -> dict[str, str]:
    """The descriptors of a font or of a variable, by name."""
    pairs = (part.partition(":") for part in body.split(";"))
    return {unescape(name).strip().lower(): unescape(value).strip() for name, colon, value in pairs if colon}


def unquoted(text: str) -> str:
    return text.strip().strip("\"'").strip()


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


def read_sheets(sheets: Iterable[tuple[str, str]], markup: Markup) -> Sheets:
    """Read the sheets of a page, each with the condition it stands under; rules it has no names for are passed over."""
    reader = SheetReader(markup)
    for text, condition in sheets:
        reader.read(text, condition)
    return reader.sheets
