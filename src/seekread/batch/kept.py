"""
Pages of a batch that are kept in the store until they are where they belong, a few together.

Whoever does the batch of a reader that died reads only the pages that were under way there, and the last few. The
store is asked once for a batch that nobody has begun.
"""

import hashlib
import zlib
from collections.abc import Iterable
from itertools import count

from seekread.batch.record import PageRecord
from seekread.ports import Store

TOGETHER = 8
"""Pages that are kept together: as many less one may have to be read again."""
KEPT_SECONDS = 1800.0
"""Seconds for which they are kept at most."""


class KeptPages:
    """What was read of one batch of a run."""

    def __init__(self, store: Store, run: str, keys: Iterable[bytes]) -> None:
        """keys: those of the pages of the batch, in their order: they name it"""
        self._store = store
        self._keys = list(keys)
        self._name = f"run/{run}/{hashlib.sha256(b''.join(self._keys)).hexdigest()[:32]}"
        self._written = 0
        self._unwritten: list[bytes] = []

    async def found(self) -> list[PageRecord]:
        """What was read of it before."""
        found: list[PageRecord] = []
        for self._written in count():
            entry = await self._store.get(self._place(self._written))
            if entry is None:
                break
            found += map(PageRecord.model_validate_json, zlib.decompress(entry.value).splitlines())
        return found

    async def add(self, record: PageRecord) -> None:
        """Keep a page, with the next few."""
        self._unwritten.append(record.model_dump_json().encode())
        if len(self._unwritten) == TOGETHER:
            await self.write()

    async def write(self) -> None:
        """Keep those that were not kept yet."""
        if self._unwritten:
            packed = zlib.compress(b"\n".join(self._unwritten), 1)
            self._unwritten = []
            self._written += 1
            await self._store.put(self._place(self._written - 1), packed, lifetime=KEPT_SECONDS)

    async def forget(self) -> None:
        """Keep none of them: they are where they belong."""
        for number in range(0, len(self._keys), TOGETHER):
            await self._store.delete(self._place(number // TOGETHER))

    def _place(self, number: int) -> str:
        return f"{self._name}/{number}"
