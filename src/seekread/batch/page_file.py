"""
A file of records, one JSON object a line, that can be gone on with whatever ended its writer.

A record is in the file as soon as its line is whole. A line that was torn is cut off, so that its page is read again;
every other page is there once. Two addresses that lead to one page, or to the same text, have one copy of it.
"""

import os
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from pydantic import ValidationError

from seekread.batch.journal import PageJournal
from seekread.batch.record import PageRecord, page_from, page_key
from seekread.errors import Misconfigured
from seekread.models import Page

Learner = Callable[[PageRecord], None]
"""Takes note of a record, in the journal too; told of every record in the file, as often as it is begun."""


def nothing_to_learn(_database: sqlite3.Connection) -> Learner:
    """The file is all there is."""
    return lambda _record: None


class PageFile:
    """Writes records, each page once."""

    def __init__(self, path: Path, learner: Callable[[sqlite3.Connection], Learner] = nothing_to_learn) -> None:
        """learner: makes, over the database of the journal, who learns from each record beside the file itself"""
        self.path = path
        self._journal = PageJournal(path.with_name(path.name + ".journal"))
        self._learn = learner(self._journal.database)
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        self._end = 0
        try:
            self._go_on()
        except BaseException:
            self.close(complete=False)
            raise
        self.kept = self._journal.count()
        """Records that were there already."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close(complete=kind is None)

    def has(self, url: str) -> bool:
        """Whether an address has its record."""
        return self._journal.url_of(page_key(url)) is not None

    def add(self, record: PageRecord) -> PageRecord:
        """Write a record and return it as it was written: without the text, where that stands there already."""
        if before := self._before(record):
            record = record.as_duplicate(before)
        line = record.model_dump_json().encode("utf-8") + b"\n"
        while line:
            written = os.write(self._file, line)
            line, self._end = line[written:], self._end + written
        self._note(record)
        return record

    def close(self, *, complete: bool) -> None:
        """Let go of the file."""
        os.close(self._file)
        self._journal.close(remove=complete)

    def _before(self, record: PageRecord) -> str | None:
        """The address under which the same page, or the same text, was written before."""
        if not record.markdown:
            return None
        led_to = page_key(record.final_url or record.url)
        same_page = self._journal.url_of(led_to) if led_to != record.key else None
        return same_page or self._journal.url_with(record.sha256)

    def _go_on(self) -> None:
        """Learn what the journal does not know yet, and cut off a torn line."""
        size = os.fstat(self._file).st_size
        self._end = self._journal.reached
        if self._end > size:
            self._journal.forget()
            self._end = 0
        with self.path.open("rb") as lines:
            lines.seek(self._end)
            for line in lines:
                if not line.endswith(b"\n"):
                    break
                self._end += len(line)
                self._note(self._read(line))
        if self._end < size:
            os.ftruncate(self._file, self._end)

    def _read(self, line: bytes) -> PageRecord:
        try:
            return PageRecord.model_validate_json(line)
        except ValidationError:
            raise Misconfigured(
                f"{self.path} holds something else than pages (before byte {self._end:,}): name another file"
            ) from None

    def _note(self, record: PageRecord) -> None:
        self._learn(record)
        has_text = bool(record.markdown) and not record.duplicate_of
        self._journal.add(record.key, record.url, record.sha256 if has_text else "", self._end)


def pages_in(path: Path) -> Iterator[Page]:
    """The pages of a file, each once: copies stand with what they are copies of."""
    with path.open("rb") as lines:
        for line in lines:
            record = PageRecord.model_validate_json(line)
            if not record.duplicate_of:
                yield page_from(record)
