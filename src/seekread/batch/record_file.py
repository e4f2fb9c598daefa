"""
A file of records, one JSON object a line, that can be gone on with whatever ended its writer.

A record is in the file as soon as its line is whole. A line that was torn is cut off, so that its work is done again;
every other record is there once.
"""

import os
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, ClassVar, Generic, Self, TypeVar

from pydantic import ValidationError

from seekread.batch.journal import Journal
from seekread.errors import Misconfigured
from seekread.value import Value

R = TypeVar("R", bound=Value)

Learner = Callable[[R], None]
"""Takes note of a record, in the journal too; told of every record in the file, as often as it is begun."""


def nothing_to_learn(_database: sqlite3.Connection) -> Learner[R]:
    """The file is all there is."""
    return lambda _record: None


class RecordFile(ABC, Generic[R]):
    """Writes records, each once."""

    holds: ClassVar[str]
    """What it is a file of, in a word."""
    begins: ClassVar[bytes]
    """How each of its lines begins."""

    def __init__(self, path: Path, learner: Callable[[sqlite3.Connection], Learner[R]] = nothing_to_learn) -> None:
        """learner: makes, over the database of the journal, who learns from each record beside the file itself"""
        self.path = path
        if path.exists() and not path.is_file():
            raise Misconfigured(f"{path} is no file that can be gone on with: name one")
        self.journal = Journal(path.with_name(path.name + ".journal"))
        self._learn = learner(self.journal.database)
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        self._end = 0
        try:
            self._go_on()
        except BaseException:
            # Where it knows nothing, the file is not ours, and nothing of ours stays beside it.
            self.close(complete=not self.journal.count())
            raise
        self.kept = self.journal.count()
        """Records that were there already."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close(complete=kind is None)

    @abstractmethod
    def key_of(self, name: str) -> bytes:
        """What tells the record of a name from others, in every spelling of the name."""

    @abstractmethod
    def name_of(self, record: R) -> str:
        """The name of a record."""

    @abstractmethod
    def parsed(self, line: bytes) -> R:
        """The record of a line."""

    def settled(self, record: R) -> R:
        """A record as it is written: without what stands there already."""
        return record

    def content_of(self, _record: R) -> str:
        """The hash by which the content of a record is known to those that follow; none where nobody compares."""
        return ""

    def has(self, name: str) -> bool:
        """Whether a name has its record."""
        return self.journal.name_of(self.key_of(name)) is not None

    def add(self, record: R) -> R:
        """Write a record and return it as it was written."""
        record = self.settled(record)
        self._write(record.model_dump_json().encode("utf-8") + b"\n")
        self._note(record)
        return record

    def _write(self, line: bytes) -> None:
        """Write a line; where there is no room for all of it, nothing of it stays."""
        end = self._end + len(line)
        try:
            while line:
                line = line[os.write(self._file, line) :]
        except OSError as error:
            os.truncate(self.path, self._end)
            raise OSError(error.errno, error.strerror, str(self.path)) from None
        self._end = end

    def close(self, *, complete: bool) -> None:
        """Let go of the file."""
        os.close(self._file)
        self.journal.close(remove=complete)

    def _go_on(self) -> None:
        """Learn what the journal does not know yet, and cut off a torn line."""
        size = os.fstat(self._file).st_size
        self._end = self.journal.reached
        with self.path.open("rb") as lines:
            if not self._is_about(lines, size):
                self.journal.forget()
                self._end = 0
            lines.seek(self._end)
            for line in lines:
                if not line.endswith(b"\n"):
                    # Only what is the beginning of a line of ours is cut off: this may be anybody's file.
                    if not (line.startswith(self.begins) or self.begins.startswith(line)):
                        raise self._not_ours()
                    break
                self._end += len(line)
                self._note(self._read(line))
        if self._end < size:
            os.ftruncate(self._file, self._end)

    def _is_about(self, lines: BinaryIO, size: int) -> bool:
        """Whether the journal is about this file: it is a file of the kind, and a line ends where the journal does."""
        if not self._end or self._end > size:
            return not self._end
        self._read(lines.readline())
        lines.seek(self._end - 1)
        return lines.read(1) == b"\n"

    def _read(self, line: bytes) -> R:
        try:
            return self.parsed(line)
        except ValidationError:
            raise self._not_ours() from None

    def _not_ours(self) -> Misconfigured:
        place = f"at byte {self._end:,}"
        return Misconfigured(f"{self.path} holds something else than {self.holds} ({place}): name another file")

    def _note(self, record: R) -> None:
        self._learn(record)
        name = self.name_of(record)
        self.journal.add(self.key_of(name), name, self.content_of(record), self._end)
