"""Rows of data as Markdown tables: CSV and its relatives, and JSON written one object a line."""

import csv
import json
from collections.abc import Sequence
from io import StringIO
from itertools import islice
from typing import Any

from seekread.extraction.extracted import Extracted
from seekread.extraction.options import ExtractOptions
from seekread.extraction.signals import Tally
from seekread.models import Signal
from seekread.page.gate import gated

MOST_ROWS = 5000
MOST_COLUMNS = 60
LONGEST_CELL = 500
DELIMITERS = ",;\t|"


def read_table(text: str, options: ExtractOptions, tally: Tally) -> Extracted:
    """Values between commas, semicolons or tabs as a table whose first row is its head."""
    rows = csv.reader(StringIO(tally.clean_characters(text)), delimiter=delimiter_of(text))
    try:
        read = [row for row in islice(rows, MOST_ROWS + 2) if any(cell.strip() for cell in row)]
    except csv.Error:
        read = []
    return table_of(read, options) if read else Extracted(outcome="empty")


def delimiter_of(text: str) -> str:
    """What parts the values: the sign that the head has most often, a comma if it has none."""
    head = text.lstrip("\ufeff\r\n")[:20_000].partition("\n")[0]
    return max(DELIMITERS, key=head.count)


def records_in(text: str) -> list[dict[str, Any]]:
    """The objects of a text that has one in every line; none if it is anything else."""
    found: list[dict[str, Any]] = []
    for line in islice((line for line in text.splitlines() if line.strip()), MOST_ROWS + 1):
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            return []
        if not isinstance(value, dict):
            return []
        found.append(value)
    return found if len(found) > 1 else []


def record_table(records: Sequence[dict[str, Any]], options: ExtractOptions, tally: Tally) -> Extracted:
    """Objects as the rows of a table, their names as its head."""
    names = list(dict.fromkeys(name for record in records[:200] for name in record))[:MOST_COLUMNS]
    rows = [[as_cell(record.get(name)) for name in names] for record in records]
    return table_of([[tally.clean_characters(cell) for cell in row] for row in (names, *rows)], options)


def as_cell(value: Any) -> str:
    """A value of JSON in a cell."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def table_of(rows: list[list[str]], options: ExtractOptions) -> Extracted:
    """Rows as Markdown, cut where the limits are, and it is said."""
    head, *body = rows
    width = min(MOST_COLUMNS, max(map(len, rows[:200])))
    lines = [row_line(head, width), "|" + " --- |" * width]
    size = sum(map(len, lines))
    for row in body[:MOST_ROWS]:
        line = row_line(row, width)
        size += len(line) + 1
        if size > options.characters:
            break
        lines.append(line)
    left = len(body) - (len(lines) - 2)
    signals = (Signal(kind="rows-left-out", count=left, detail="there are more"),) if left else ()
    # Cells say nothing one by one, but beside each other they might.
    return Extracted(markdown=gated("\n".join(lines)).text, signals=signals)


def row_line(cells: Sequence[str], width: int) -> str:
    """A row of a table, as wide as the others."""
    filled = [*cells[:width], *[""] * (width - len(cells))]
    return f"| {' | '.join(map(cell_text, filled))} |"


def cell_text(cell: str) -> str:
    """The text of a cell on one line; what parts cells is written so that it parts none."""
    return " ".join(cell.split())[:LONGEST_CELL].replace("\\", "\\\\").replace("|", "\\|")
