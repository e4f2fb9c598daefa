"""
Records as Parquet (extra `parquet`).

A Parquet file is whole at its end or not at all, so records are collected in a file of lines and written here when all
of them are there: a few at a time, and under the name that was asked for only once nothing is missing.
"""

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from seekread.errors import Misconfigured

ROWS = 500
"""Records in memory at once, and in a row group."""
RecordKind = Literal["pages", "searches"]
ColumnKind = Literal["text", "number", "amount", "flag", "texts", "pairs", "results"]
"""What a column holds; `results` are the results of a search."""
RESULT: dict[str, ColumnKind] = {
    "title": "text", "url": "text", "snippet": "text", "content": "text", "published_date": "text", "source": "text",
}  # fmt: skip
COLUMNS: dict[RecordKind, dict[str, ColumnKind]] = {
    "pages": {
        "url": "text", "final_url": "text", "outcome": "text", "status": "number", "error": "text", "tries": "number",
        "title": "text", "markdown": "text", "sha256": "text", "duplicate_of": "text", "fetched_at": "text",
        "content_type": "text", "reader": "text", "metadata": "pairs", "links": "texts",
    },
    "searches": {
        "query": "text", "outcome": "text", "provider": "text", "error": "text", "tries": "number", "cost": "amount",
        "cached": "flag", "searched_at": "text", "answer": "text", "notes": "texts", "results": "results",
    },
}  # fmt: skip
"""The columns of each kind of file; what the lines hold besides stands only there."""


def require_pyarrow() -> Any:
    """The package that writes Parquet."""
    try:
        import pyarrow.parquet
    except ImportError:
        raise Misconfigured("writing Parquet needs a package: install seekread[parquet]") from None
    return pyarrow


def write_parquet(lines: Path, path: Path, what: RecordKind) -> None:
    """Write the records of a file of lines as Parquet."""
    arrow, columns = require_pyarrow(), COLUMNS[what]
    schema = arrow.schema([(name, type_of(kind, arrow)) for name, kind in columns.items()])
    beside = path.with_name(path.name + ".unfinished")
    with lines.open("rb") as file, arrow.parquet.ParquetWriter(beside, schema, compression="zstd") as writer:
        for rows in in_groups(file, columns):
            writer.write_table(arrow.Table.from_pylist(rows, schema=schema))
    beside.replace(path)


def type_of(kind: ColumnKind, arrow: Any) -> Any:
    text = arrow.string()
    match kind:
        case "text":
            return text
        case "number":
            return arrow.int32()
        case "amount":
            return arrow.float64()
        case "flag":
            return arrow.bool_()
        case "texts":
            return arrow.list_(text)
        case "pairs":
            return arrow.map_(text, text)
        case "results":
            return arrow.list_(arrow.struct([(name, type_of(inner, arrow)) for name, inner in RESULT.items()]))


def in_groups(lines: Iterator[bytes], columns: dict[str, ColumnKind]) -> Iterator[list[dict[str, Any]]]:
    """Rows for the columns, as many as are written together."""
    while group := list(islice(lines, ROWS)):
        yield [row_of(json.loads(line), columns) for line in group]


def row_of(record: dict[str, Any], columns: dict[str, ColumnKind]) -> dict[str, Any]:
    pairs = {name: list(record[name].items()) for name, kind in columns.items() if kind == "pairs"}
    return {name: record[name] for name in columns} | pairs
