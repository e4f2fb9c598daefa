"""
Records as Parquet (extra `parquet`).

A Parquet file is whole at its end or not at all, so records are collected in a file of lines and written here when all
of them are there: a few at a time, and under the name that was asked for only once nothing is missing. A run that goes
on with such a file makes lines of it first.
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
        "content_type": "text", "reader": "text", "metadata": "pairs", "links": "texts", "depth": "number",
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
    beside = unfinished(path)
    with lines.open("rb") as file, arrow.parquet.ParquetWriter(beside, schema, compression="zstd") as writer:
        for rows in in_groups(file, columns):
            writer.write_table(arrow.Table.from_pylist(rows, schema=schema))
    beside.replace(path)


def write_lines(path: Path, lines: Path, what: RecordKind) -> None:
    """Write the records of a Parquet file as the lines they were made of, but for what has no column."""
    arrow = require_pyarrow()
    try:
        file = arrow.parquet.ParquetFile(path)
    except arrow.ArrowInvalid:
        raise not_ours(path, what) from None
    with file, unfinished(lines).open("wb") as beside:
        if file.schema_arrow.names != [*COLUMNS[what]]:
            raise not_ours(path, what)
        for batch in file.iter_batches(ROWS):
            for row in batch.to_pylist(maps_as_pydicts="strict"):
                beside.write(json.dumps(told(row), ensure_ascii=False, separators=(",", ":")).encode() + b"\n")
    unfinished(lines).replace(lines)


def unfinished(path: Path) -> Path:
    """Where a file is written until it is whole."""
    return path.with_name(path.name + ".unfinished")


def not_ours(path: Path, what: RecordKind) -> Misconfigured:
    return Misconfigured(f"{path} holds something else than {what}: name another file")


def told(value: Any) -> Any:
    """A value without the fields that nothing is known of."""
    match value:
        case dict():
            return {name: told(field) for name, field in value.items() if field is not None}
        case list():
            return [told(each) for each in value]
        case _:
            return value


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
    return {name: record.get(name) for name in columns} | pairs
