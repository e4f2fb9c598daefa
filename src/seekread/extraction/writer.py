"""
Write a tree as Markdown, in one walk over it.

The tree is clean when it comes here: its texts say nothing in Markdown, its links are safe, its code is plain text.
Blocks collect in the containers around them (a quotation, a list, an item, a cell), words in the line that is open.
A line is a list of runs, each with the marks that hold for it, so that marks around spaces, marks inside marks and
marks side by side all come out as Markdown that is read as it was meant. A mark that would not be read is left out.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import field
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from lxml.etree import iterwalk

from seekread.extraction.tree import BACKSLASH, Element, text_of
from seekread.late import dataclass

HEADINGS = {f"h{level}": "#" * level + " " for level in range(1, 7)}
MARKS = {
    "b": "**", "strong": "**", "em": "*", "i": "*", "dfn": "*", "var": "*", "del": "~~", "s": "~~", "strike": "~~",
}  # fmt: skip
ORDER = ("**", "*", "~~")
UNMARKED: frozenset[str] = frozenset()
WHOLE = {"summary": "**", "caption": "*"}
"""Lines that are marked as a whole."""
CODES = frozenset({"code", "kbd", "samp", "tt"})
"""What is written between backticks."""
AROUND = {"q": ('"', '"'), "rt": ("(", ")")}
LISTS = frozenset({"ul", "ol", "menu", "dir"})
NESTING = LISTS | {"blockquote", "li"}
DEEPEST = 20
"""Quotations, lists and items inside each other; what is nested deeper stands beside what is around it."""
CELLS = frozenset({"td", "th"})
BLOCKS = frozenset(
    {
        *HEADINGS, *LISTS, *CELLS, "address", "article", "aside", "blockquote", "body", "caption", "center", "dd",
        "details", "dialog", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "header",
        "hgroup", "hr", "legend", "li", "main", "nav", "p", "pre", "search", "section", "summary", "table", "tbody",
        "tfoot", "thead", "tr",
    }
)  # fmt: skip
"""What begins on a line of its own."""
PLAIN_BLOCKS = BLOCKS - NESTING - CELLS - WHOLE.keys() - {"hr", "pre", "table", "tr"}
"""Blocks that say nothing else."""
MOST_COLUMNS = 200
LARGEST_NUMBER = 999_999_999
LANGUAGE = re.compile(r"(?:^|\s)lang(?:uage)?-([\w+#.-]{1,30})")
BACKTICKS = re.compile(r"`+")
BREAK = "\v"
"""A line break, until the spaces around it are gone; no page can bring this character along."""
SPACES = re.compile(r" [ \t\r\n\f]+|[\t\r\n\f][ \t\r\n\f]*")
"""White space that is more than a single space."""
BROKEN = re.compile(r" *\v *")
PARAGRAPHS = re.compile(r" *\v *\v[ \v]*")
LINE_START = re.compile(
    r"(?:\A|(?<=\v))(?:(\d{1,9})(?=[.)](?:[ \v]|\Z))"
    r"|(?=(?:[-+*]|\#{1,6})(?:[ \v]|\Z)|>|([-*_])(?: *\2){2,} *(?:\v|\Z)|=+ *(?:\v|\Z)))"
)
SAYING = frozenset("0123456789-+*#>_=")
"""How a line begins that would be an item, a heading, a quotation, a rule or an underline."""


class Run(NamedTuple):
    """Words with the marks that hold for them, and the number of the link they stand in."""

    text: str
    marks: frozenset[str]
    link: int = 0


class WrittenBlock(NamedTuple):
    """A block as it will stand there, and whether it is a list, which may follow a line directly."""

    text: str
    joins: bool = False


@dataclass
class Container:
    """What is open around a line: a page, a quotation, an item, a cell with its blocks, or a list with its items."""

    blocks: list[WrittenBlock] = field(default_factory=list)
    items: list[list[WrittenBlock]] = field(default_factory=list)
    lists: bool = False
    number: int | None = None
    """Of the first item, where they are numbered."""


def write_markdown(body: Element) -> str:
    """The Markdown of a tree, its blocks apart by blank lines."""
    return MarkdownWriter().write(body)


class MarkdownWriter:
    """What is open while a tree is walked."""

    def __init__(self) -> None:
        self._boxes = [Container()]
        self._line: list[Run] = []
        self._marks: list[str] = []
        self._held = UNMARKED
        self._links = [""]
        self._link = 0
        self._table: MarkdownTable | None = None
        self._cell: Element | None = None
        self._flat = 0

    def write(self, body: Element) -> str:
        """Walk a tree and put down what it holds."""
        walk = iterwalk(body, events=("start", "end"))
        for event, element in walk:
            tag, ends = str(element.tag), event == "end"
            if tag in PLAIN_BLOCKS:
                if self._line:
                    self._end_line(HEADINGS.get(tag, "") if ends else "")
            elif ends:
                self._end(element, tag)
            elif not self._start(element, tag):
                walk.skip_subtree()
                continue
            text = element.tail if ends else element.text
            if text and (self._line or not text.isspace()) and not (ends and element is body):
                self._line.append(Run(text, self._held, self._link))
        self._end_line()
        return "\n\n".join(block.text for block in self._boxes[0].blocks)

    def _add_text(self, text: str | None) -> None:
        if text and (self._line or not text.isspace()):
            self._line.append(Run(text, self._held, self._link))

    def _add_block(self, text: str, *, joins: bool = False) -> None:
        box = self._boxes[-1]
        if not text:
            return
        if box.lists and not box.items:
            box.items.append([])
        # What stands in a list beside its items belongs to the last of them.
        (box.items[-1] if box.lists else box.blocks).append(WrittenBlock(text, joins))

    def _start(self, element: Element, tag: str) -> bool:
        """Begin an element; say whether what it holds is still to be walked."""
        if tag in BLOCKS:
            self._end_line()
            return self._start_block(element, tag)
        if tag in CODES:
            # Code beside code would be one.
            self._add_text(" " if self._line and self._line[-1].text.endswith("`") else "")
            self._add_text(in_backticks(text_of(element)))
            return False
        if tag == "br":
            self._add_text(BREAK)
        elif tag == "a":
            self._links.append(element.get("href") or "")
            self._link = len(self._links) - 1
        elif tag in MARKS:
            self._marks.append(MARKS[tag])
            self._held = frozenset(self._marks)
        elif tag in AROUND:
            self._add_text(AROUND[tag][0])
        return True

    def _start_block(self, element: Element, tag: str) -> bool:
        if tag == "pre":
            self._add_block(fenced(element) if self._cell is None else in_backticks(text_of(element)))
            return False
        if self._cell is not None:
            # A cell is one line: whatever stands in it are words.
            return True
        if tag in NESTING and (self._flat or len(self._boxes) > DEEPEST):
            self._flat += 1
        elif tag == "hr":
            self._add_block("---")
        elif tag in {"blockquote", "li"}:
            self._boxes.append(Container())
        elif tag in LISTS:
            self._boxes.append(Container(number=first_number(element) if tag == "ol" else None, lists=True))
        elif tag == "table":
            self._table = MarkdownTable()
        elif tag == "tr" and self._table:
            self._table.begin_row()
        elif tag in CELLS and self._table:
            self._cell = element
            self._boxes.append(Container())
        return True

    def _end(self, element: Element, tag: str) -> None:
        if tag in BLOCKS:
            self._end_line(HEADINGS.get(tag, ""), WHOLE.get(tag, ""))
            if element is self._cell:
                self._end_cell(element)
            elif self._cell is None:
                self._end_block(tag)
        elif tag == "a":
            self._link = 0
        elif tag in MARKS:
            self._marks.remove(MARKS[tag])
            self._held = frozenset(self._marks)
        elif tag in AROUND:
            self._add_text(AROUND[tag][1])

    def _end_block(self, tag: str) -> None:
        if tag in NESTING and self._flat:
            self._flat -= 1
        elif tag == "blockquote":
            self._add_block(quoted(self._boxes.pop().blocks))
        elif tag == "li":
            self._end_item(self._boxes.pop().blocks)
        elif tag in LISTS:
            box = self._boxes.pop()
            self._add_block(listing(box), joins=box.number in {None, 1})
        elif tag == "table" and self._table:
            self._add_block(self._table.written())
            self._table = None

    def _end_item(self, blocks: list[WrittenBlock]) -> None:
        box = self._boxes[-1]
        if box.lists:
            box.items.append(blocks)
        elif blocks:
            # An item without a list is one of a list of its own.
            self._add_block(listing(Container(lists=True, items=[blocks])), joins=True)

    def _end_cell(self, element: Element) -> None:
        self._cell = None
        text = " ".join(block.text for block in self._boxes.pop().blocks)
        if self._table:
            self._table.add(text, element)

    def _end_line(self, before: str = "", mark: str = "") -> None:
        """Put down the line that is open, as one block or, where it is broken twice, as several."""
        if not self._line:
            return
        line, self._line = self._line, []
        text = self._written(line).strip()
        if not text:
            return
        if before or self._cell is not None:
            self._add_block(before + (BROKEN.sub(" ", text) if BREAK in text else text))
        elif mark and mark not in text:
            self._add_block(mark + BROKEN.sub(" ", text) + mark)
        elif BREAK in text:
            for part in PARAGRAPHS.split(text):
                self._add_block(BROKEN.sub("  \n", LINE_START.sub(harmless, part)))
        else:
            self._add_block(LINE_START.sub(harmless, text, count=1) if text[0] in SAYING else text)

    def _written(self, line: list[Run]) -> str:
        if len(line) == 1 and not line[0].marks and not line[0].link:
            return line[0].text
        if any(run.link for run in line):
            groups = groupby(line, key=attrgetter("link"))
            line = [run for link, runs in groups for run in (self._linked(link, [*runs]) if link else runs)]
        text = marked(line, marks_of(line))
        return SPACES.sub(" ", text) if len(line) > 1 else text

    def _linked(self, link: int, runs: list[Run]) -> list[Run]:
        """The runs of a link as one, with the marks that hold for all of it outside."""
        outside = frozenset.intersection(*[run.marks for run in runs])
        runs = [Run(run.text, run.marks - outside) for run in runs] if outside else runs
        text = SPACES.sub(" ", marked(runs, marks_of(runs)))
        if BREAK in text:
            text = BROKEN.sub(" ", text)
        shown = f"[{balanced(text.strip())}]({bracketed(self._links[link])})"
        before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
        return [Run(f"{before}{shown}{after}" if text.strip() else text, outside)]


@dataclass
class MarkdownTable:
    """A table while its rows come in."""

    rows: list[list[str]] = field(default_factory=list)
    _held: dict[int, int] = field(default_factory=dict)
    """Columns that a cell further up reaches down into, and for how many rows."""

    def begin_row(self) -> None:
        self.rows.append([])
        self._pass_over()

    def add(self, text: str, cell: Element) -> None:
        """Put down a cell, and leave the room it takes beside and below."""
        if not self.rows:
            self.begin_row()
        row = self.rows[-1]
        wide, high = span(cell, "colspan"), span(cell, "rowspan")
        if len(row) + wide > MOST_COLUMNS:
            wide = 1
        for column in range(len(row), len(row) + wide):
            if high > 1:
                self._held[column] = high - 1
        row += [text, *[""] * (wide - 1)]
        self._pass_over()

    def _pass_over(self) -> None:
        row = self.rows[-1]
        while self._held.get(len(row)):
            self._held[len(row)] -= 1
            row.append("")

    def written(self) -> str:
        """The table, its first row as the head, every row as wide as the widest."""
        rows = [row for row in self.rows if any(row)]
        if not rows:
            return ""
        width = max(map(len, rows))
        lines = [table_line(row, width) for row in rows]
        return "\n".join([lines[0], "|" + " --- |" * width, *lines[1:]])


def span(cell: Element, name: str) -> int:
    """How many columns or rows a cell takes; nobody takes more than there can be."""
    said = cell.get(name) or ""
    return min(max(int(said), 1), MOST_COLUMNS) if said.isascii() and said.isdigit() and len(said) < 6 else 1


def table_line(cells: Sequence[str], width: int) -> str:
    """A row of a table, as wide as the others; a bar in a cell parts nothing."""
    filled = [*cells, *[""] * (width - len(cells))]
    return f"| {' | '.join(cell.replace('|', BACKSLASH + '|') for cell in filled)} |"


def marks_of(runs: Sequence[Run]) -> list[str]:
    """The marks that some of the runs have, in the order they are written in."""
    found = UNMARKED.union(*[run.marks for run in runs])
    return [mark for mark in ORDER if mark in found] if found else []


def marked(runs: Sequence[Run], marks: Sequence[str]) -> str:
    """Runs with their marks around them: the first of these marks, then, inside and outside of it, the others."""
    if not marks:
        return "".join(run.text for run in runs)
    mark, *others = marks
    groups = [(on, [*group]) for on, group in groupby(runs, key=lambda run: mark in run.marks)]
    written = [marked(group, others) for _, group in groups]
    found = ""
    for number, (on, _) in enumerate(groups):
        text = written[number]
        after = written[number + 1][:1] if number + 1 < len(groups) else ""
        found += emphasised(text, mark, found[-1:], after) if on else text
    return found


def emphasised(text: str, mark: str, before: str, after: str) -> str:
    """A text between marks, spaces outside; without them where nobody would read them as marks."""
    inner = text.strip(" \t\r\n\f\v")
    if not inner:
        return text
    begin = text.index(inner)
    before, after = text[:begin][-1:] or before, text[begin + len(inner) :][:1] or after
    opens = inner[0].isalnum() or not before.isalnum()
    closes = inner[-1].isalnum() or not after.isalnum()
    fence = mark == "~~" and "~" in (inner[0], inner[-1])
    if not (opens and closes) or fence or mark[0] in {before, after}:
        return text
    return f"{text[:begin]}{mark}{inner}{mark}{text[begin + len(inner) :]}"


def balanced(text: str) -> str:
    """The words of a link, whose brackets end it no sooner than meant."""
    depth = 0
    for character in text:
        depth += (character == "[") - (character == "]")
        if depth < 0:
            break
    return text if depth == 0 else re.sub(r"(?<!\U0010fffd)[\[\]]", lambda found: BACKSLASH + found.group(), text)


def bracketed(address: str) -> str:
    """An address as it stands in a link."""
    plain = " " not in address and address.count("(") == address.count(")")
    return address if plain else f"<{address.replace('<', '%3C').replace('>', '%3E')}>"


def in_backticks(code: str) -> str:
    """Code in a line, between as many backticks as it takes."""
    if not code:
        return ""
    ticks = "`" * (1 + max(map(len, BACKTICKS.findall(code)), default=0))
    # Of two spaces around code a reader takes one from each side.
    room = " " if code[0] == "`" or code[-1] == "`" else ""
    return f"{ticks}{room}{code}{room}{ticks}"


def fenced(element: Element) -> str:
    """A block of code, between fences longer than any in it."""
    lines = "".join(pieces(element)).strip("\n").rstrip()
    if not lines.strip():
        return ""
    code = element.find("code")
    said = LANGUAGE.search((code.get("class") or "") if code is not None else "")
    fence = "`" * max(3, 1 + max(map(len, BACKTICKS.findall(lines)), default=0))
    return f"{fence}{said[1] if said else ''}\n{lines}\n{fence}"


def pieces(element: Element) -> Iterator[str]:
    """The text of code with its line breaks."""
    for event, inner in iterwalk(element, events=("start", "end")):
        if event == "start":
            yield "\n" if inner.tag == "br" else inner.text or ""
        elif inner is not element:
            yield inner.tail or ""


def quoted(blocks: Sequence[WrittenBlock]) -> str:
    """Blocks as a quotation."""
    lines = "\n\n".join(block.text for block in blocks).split("\n") if blocks else []
    return "\n".join(f"> {line}" if line else ">" for line in lines)


def listing(box: Container) -> str:
    """A list: its items directly below each other where each is one line and what hangs below it."""
    items = [(number, blocks) for number, blocks in enumerate(box.items, start=box.number or 0) if blocks]
    loose = any(sum(not block.joins for block in blocks) > 1 for _, blocks in items)
    between = "\n\n" if loose else "\n"
    return between.join(
        item(f"{min(number, LARGEST_NUMBER)}. " if box.number is not None else "- ", blocks, between)
        for number, blocks in items
    )


def item(marker: str, blocks: Sequence[WrittenBlock], between: str) -> str:
    """An item: its marker, and everything else below its first word."""
    text = blocks[0].text
    for block in blocks[1:]:
        text += (between if block.joins else "\n\n") + block.text
    indent = " " * len(marker)
    first, *others = text.split("\n")
    return "\n".join([marker + first, *(indent + line if line else line for line in others)])


def harmless(found: re.Match[str]) -> str:
    """The beginning of a line with a backslash where it would say something."""
    return (found[1] or "") + BACKSLASH


def first_number(element: Element) -> int:
    """The number a list begins with."""
    said = element.get("start") or ""
    return int(said) if said.isascii() and said.isdigit() and len(said) < 10 else 1
