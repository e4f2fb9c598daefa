"""
Records as Parquet (extra `parquet`).

A Parquet file is whole at its end or not at all, so pages are collected in a file of lines and written here when all of
them are there: a few at a time, and under the name that was asked for only once nothing is missing.
"""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from seekread.batch.record import PageRecord
from seekread.errors import Misconfigured

ROWS = 500
"""Pages in memory at once, and in a row group."""
COLUMNS = (
    "url", "final_url", "outcome", "status", "error", "tries", "title", "markdown", "sha256", "duplicate_of",
    "fetched_at", "content_type", "reader",
)  # fmt: skip
NUMBERS = {"status", "tries"}
PAIRS = ("metadata",)
LISTS = ("links",)


def require_pyarrow() -> Any:
    """The package that writes Parquet."""
    try:
        import pyarrow.parquet
    except ImportError:
        raise Misconfigured("writing Parquet needs a package: install seekread[parquet]") from None
    return pyarrow


def write_parquet(lines: Path, path: Path) -> None:
    """Write the records of a file of lines as Parquet."""
    arrow = require_pyarrow()
    schema = schema_of(arrow)
    beside = path.with_name(path.name + ".unfinished")
    with lines.open("rb") as file, arrow.parquet.ParquetWriter(beside, schema, compression="zstd") as writer:
        for rows in in_groups(file):
            writer.write_table(arrow.Table.from_pylist(rows, schema=schema))
    beside.replace(path)


def schema_of(arrow: Any) -> Any:
    text = arrow.string()
    plain = [(name, arrow.int32() if name in NUMBERS else text) for name in COLUMNS]
    pairs = [(name, arrow.map_(text, text)) for name in PAIRS]
    return arrow.schema([*plain, *pairs, *((name, arrow.list_(text)) for name in LISTS)])


def in_groups(lines: Iterator[bytes]) -> Iterator[list[dict[str, Any]]]:
    """Rows for the columns, as many as are written together."""
    while group := list(islice(lines, ROWS)):
        yield [row_of(PageRecord.model_validate_json(line)) for line in group]


def row_of(record: PageRecord) -> dict[str, Any]:
    row = {name: getattr(record, name) for name in (*COLUMNS, *LISTS)}
    return row | {name: list(getattr(record, name).items()) for name in PAIRS}
