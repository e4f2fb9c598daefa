"""
The lines of a PDF's pages as Markdown: columns one after the other, larger lines as headings, rows of cells as tables.

A PDF has no structure of its own, only words with places. What is told here is told by places and sizes:

1. words that stand far from each other on one line are *cells*
2. where many lines leave the same gap and both sides read like prose, the sides are columns of the page
3. where neighbouring lines have cells below each other, they are the rows of a table
4. lines that are larger than most of the text are headings, the largest the highest
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, pairwise
from typing import Any

from seekread.extraction.options import ExtractOptions
from seekread.extraction.tables import table_of
from seekread.late import dataclass
from seekread.page.gate import unspoken, unspoken_paragraph

WIDE = 0.9
"""Of a line's height: words with a larger gap between them are cells."""
GUTTER = 5.0
"""Points that stay free between two columns at least."""
FEWEST_LINES = 4
"""Lines with words on both sides that make columns."""
PROSE = 20
"""Characters, in the mean, from which on the lines of a column are prose and not cells."""
FILLED = 0.6
"""How much of its column a line of prose fills in the mean."""
LONGEST_RUN = 120
"""Lines of columns that are looked at together: a page has no more."""
FEWEST_ROWS = 3
LARGER = 1.15
"""How much larger than most of the text a heading is."""
RARE = 0.2
"""A size in which more of the text is set is no heading's."""
LONGEST_HEADING = 200
LOWEST_HEADING = 4
CLOSE = 1.8
"""Of a line's height: lines of a heading that are nearer to each other are one."""


@dataclass(frozen=True)
class PdfCell:
    """Words that stand together on a line."""

    text: str
    left: float
    right: float


@dataclass(frozen=True)
class PdfLine:
    """A line of a page: its cells from left to right, and where it stands."""

    cells: tuple[PdfCell, ...]
    bottom: float
    top: float

    @property
    def text(self) -> str:
        return " ".join(cell.text for cell in self.cells)

    @property
    def size(self) -> float:
        """The height of its letters, in half points."""
        return round((self.top - self.bottom) * 2) / 2


Table = tuple[PdfLine, ...]
"""Lines that are the rows of one table."""
Part = PdfLine | Table


def lines_of(words: Any, bounds: tuple[float, float, float, float]) -> list[PdfLine] | None:
    """The lines of a page in the order of the file, without what lies outside it; `None` when places are not known."""
    text = str(words.get_text_range())
    if len(text) != words.count_chars():
        return None
    found: list[PdfLine] = []
    start = 0
    for line in text.splitlines(keepends=True):
        placed = line_at(words, line, start, bounds)
        if placed is not None:
            found.append(placed)
        start += len(line)
    return found


def line_at(words: Any, line: str, start: int, bounds: tuple[float, float, float, float]) -> PdfLine | None:
    """One line, its words gathered into cells."""
    cells: list[PdfCell] = []
    bottom, top = 0.0, 0.0
    end = 0
    for word in line.split():
        begin = line.index(word, end)
        end = begin + len(word)
        left, low, right, high = area(words, start + begin, start + end - 1)
        if right < bounds[0] or left > bounds[2] or high < bounds[1] or low > bounds[3]:
            continue
        if not cells:
            bottom, top = low, high
        if cells and left - cells[-1].right <= WIDE * (top - bottom):
            cells[-1] = PdfCell(f"{cells[-1].text} {word}", cells[-1].left, right)
        else:
            cells.append(PdfCell(word, left, right))
    return PdfLine(tuple(cells), bottom, top) if cells else None


def area(words: Any, first: int, last: int) -> tuple[float, float, float, float]:
    """Left, bottom, right and top of a word."""
    left, bottom, right, top = words.get_charbox(first, loose=True)
    return left, bottom, (words.get_charbox(last, loose=True)[2] if last > first else right), top


def in_reading_order(lines: Sequence[PdfLine]) -> Iterator[PdfLine]:
    """The lines as they are read: a column to its end before the next."""
    number = 0
    while number < len(lines):
        end, gutter = columns_from(lines, number)
        if end == number:
            yield lines[number]
            number += 1
            continue
        run = lines[number:end]
        for is_left in (True, False):
            for line in run:
                side = tuple(cell for cell in line.cells if (cell.left < gutter) is is_left)
                if side:
                    yield replace(line, cells=side)
        number = end


def columns_from(lines: Sequence[PdfLine], start: int) -> tuple[int, float]:
    """Where columns end that begin at a line, and what parts them; the line itself if none do."""
    low, high = -1e9, 1e9
    split: list[PdfLine] = []
    end = start
    for line in islice(lines, start, start + LONGEST_RUN):
        gap = gap_of(line, low, high)
        if gap is None:
            break
        low, high = gap
        split += [line] if len(line.cells) == 2 else []
        end += 1
    gutter = (low + high) / 2
    if len(lines[start].cells) != 2 or len(split) < FEWEST_LINES or not read_like_prose(split):
        return start, 0.0
    return end, gutter


def gap_of(line: PdfLine, low: float, high: float) -> tuple[float, float] | None:
    """What is left of a gap when a line, too, leaves it free."""
    if len(line.cells) > 2:
        return None
    if len(line.cells) == 2:
        low, high = max(low, line.cells[0].right), min(high, line.cells[1].left)
    elif line.cells[0].right <= high - GUTTER:
        low = max(low, line.cells[0].right)
    else:
        high = min(high, line.cells[0].left)
    return (low, high) if high - low >= GUTTER else None


def read_like_prose(split: Sequence[PdfLine]) -> bool:
    """Say whether both sides of lines are long and fill their columns."""
    for side in (0, 1):
        cells = [line.cells[side] for line in split]
        width = max(cell.right for cell in cells) - min(cell.left for cell in cells)
        if sum(len(cell.text) for cell in cells) < PROSE * len(cells):
            return False
        if sum(cell.right - cell.left for cell in cells) < FILLED * width * len(cells):
            return False
    return True


def with_tables(lines: Sequence[PdfLine]) -> Iterator[Part]:
    """Lines, and those that are rows of a table together."""
    number = 0
    while number < len(lines):
        rows = table_from(lines, number)
        if rows:
            yield tuple(rows)
        else:
            yield lines[number]
        number += max(1, len(rows))


def table_from(lines: Sequence[PdfLine], start: int) -> list[PdfLine]:
    """The rows of a table that begins at a line, if one does: cells below each other, as many in each."""
    rows: list[PdfLine] = []
    columns: list[tuple[float, float]] = []
    for line in islice(lines, start, None):
        if len(line.cells) < 2 or (columns and len(line.cells) != len(columns)):
            break
        wider = [(cell.left, cell.right) for cell in line.cells]
        if columns:
            wider = [
                (min(left, cell.left), max(right, cell.right))
                for (left, right), cell in zip(columns, line.cells, strict=True)
            ]
        if any(one[1] >= other[0] for one, other in pairwise(wider)):
            break
        columns = wider
        rows.append(line)
    return rows if len(rows) >= FEWEST_ROWS else []


def heading_levels(lines: Iterable[PdfLine]) -> dict[float, int]:
    """The level of every size that is a heading's."""
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[line.size] += len(line.text)
    if not sizes:
        return {}
    [(usual, _)] = sizes.most_common(1)
    most = RARE * sizes.total()
    larger = sorted((size for size, count in sizes.items() if size >= LARGER * usual and count <= most), reverse=True)
    return {size: min(level, LOWEST_HEADING) for level, size in enumerate(larger, 1)}


def page_markdown(lines: Sequence[PdfLine], levels: dict[float, int], options: ExtractOptions) -> str:
    """The lines of one page as Markdown."""
    parts = list(with_tables(list(in_reading_order(lines))))
    measure = max((len(part.text) for part in parts if isinstance(part, PdfLine)), default=0)
    written: list[str] = []
    prose: list[str] = []
    heading: PdfLine | None = None
    for part in [*parts, None]:
        if isinstance(part, PdfLine) and not is_heading(part, levels):
            prose.append(part.text)
            heading = None
            continue
        written += map(unspoken_paragraph, joined(prose, measure))
        prose = []
        if isinstance(part, PdfLine):
            if heading is not None and heading.size == part.size and heading.bottom - part.top < CLOSE * part.size:
                written[-1] += " " + unspoken(part.text)
            else:
                written.append(f"{'#' * levels[part.size]} {unspoken(part.text)}")
            heading = part
        elif part is not None:
            written.append(table_of([[cell.text for cell in row.cells] for row in part], options).markdown)
            heading = None
    return "\n\n".join(written)


def is_heading(line: PdfLine, levels: dict[float, int]) -> bool:
    return line.size in levels and len(line.text) <= LONGEST_HEADING and any(map(str.isalpha, line.text))


def joined(lines: Sequence[str], measure: int) -> list[str]:
    """Join the lines that a typesetter broke, and the words he divided; `measure` is the longest line of the page."""
    full = 0.7 * measure
    found: list[str] = []
    goes_on = False
    for line in lines:
        if not (goes_on and found):
            found.append(line)
        elif found[-1].endswith("-") and line[:1].islower():
            found[-1] = found[-1][:-1] + line
        else:
            found[-1] += " " + line
        # A line that fills the measure goes on in the next; a short one ends its paragraph.
        goes_on = len(line) >= full and not (line.endswith((".", "!", "?", ":")) and len(line) < full * 1.25)
    return found
