"""Lists in files and pipes that are longer than memory: one address or query a line."""

import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from seekread.cli.terminal import note
from seekread.late import dataclass

CHUNK = 65_536
"""Bytes of a list that are read at once; of a pipe whatever is there."""
TOLD = 5
"""Lines that cannot be read of which each gets a note."""


@dataclass
class LineList:
    """A list: `-` is stdin. Lines that are not UTF-8 are left out, and a note says which."""

    source: str
    left_out: int = 0

    @property
    def is_file(self) -> bool:
        """Whether it can be read more than once."""
        return self.source != "-" and Path(self.source).is_file()

    def total(self) -> int | None:
        """How many lines it has, where it can be read twice."""
        if not self.is_file:
            return None
        with Path(self.source).open("rb") as file:
            return sum(1 for line in file if line.strip())

    async def lines(self) -> AsyncIterator[str]:
        """Its lines as they come; a pipe may be slow."""
        import anyio.to_thread

        number, rest = 0, b""
        with self._opened() as file:
            while chunk := await anyio.to_thread.run_sync(file.read1, CHUNK, abandon_on_cancel=True):  # type: ignore[attr-defined]
                *whole, rest = (rest + chunk).split(b"\n")
                for line in whole:
                    number += 1
                    if text := self._text(line, number):
                        yield text
        if text := self._text(rest, number + 1):
            yield text

    def each(self) -> Iterator[str]:
        """The same at once, from a file and without notes."""
        with self._opened() as file:
            for line in file:
                if text := readable(line):
                    yield text

    def remarks(self) -> list[str]:
        """What there is to say of it at the end."""
        return [f"{self.left_out:,} lines of the list were no text"] if self.left_out > TOLD else []

    def _text(self, line: bytes, number: int) -> str:
        text = readable(line)
        if text is None:
            self.left_out += 1
            if self.left_out <= TOLD:
                note(f"line {number} of the list is not UTF-8 text and was left out")
        return text or ""

    @contextmanager
    def _opened(self) -> Iterator[IO[bytes]]:
        if self.source == "-":
            yield sys.stdin.buffer
            return
        with Path(self.source).open("rb") as file:
            yield file


def readable(line: bytes) -> str | None:
    """A line as text, without blanks around it; `None` if it is none."""
    try:
        return line.decode("utf-8").removeprefix("\ufeff").strip()
    except UnicodeDecodeError:
        return None
