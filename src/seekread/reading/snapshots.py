"""Pages that were read, kept once under a handle and found again by their address."""

import hashlib
import json
from collections.abc import Sequence

from seekread.models import Page
from seekread.page.snapshot import Snapshot, whole
from seekread.ports import Clock, Store


class Snapshots:
    """Keeps snapshots in the store. Content is stored once; an address points to the latest."""

    def __init__(self, store: Store, clock: Clock, lifetime: float, variant: str = "") -> None:
        """`variant` names the settings that change what a page looks like."""
        self._store = store
        self._clock = clock
        self._lifetime = lifetime
        self._variant = variant

    async def keep(self, page: Page) -> Page:
        """Store a page and point its address to it; returns it with its handle."""
        kept = whole(page)
        pointer = json.dumps({"snapshot": kept.snapshot, "at": self._clock.time()}).encode()
        await self._store.put(f"snapshot/{kept.snapshot}", kept.model_dump_json().encode(), lifetime=self._lifetime)
        for url in {page.url, kept.final_url}:
            await self._store.put(self._address(url, page.reader), pointer, lifetime=self._lifetime)
        return kept

    async def get(self, handle: str) -> Snapshot | None:
        """The snapshot of that handle, unless it has expired."""
        entry = await self._store.get(f"snapshot/{handle}")
        try:
            return Snapshot(Page.model_validate_json(entry.value)) if entry else None
        except ValueError:
            # Written by another version, whose pages had other fields.
            return None

    async def latest(self, url: str, readers: Sequence[str]) -> tuple[Page, float] | None:
        """The latest page of an address by one of these readers, and its age: whoever asks decides if that is fresh."""
        for reader in readers:
            if entry := await self._store.get(self._address(url, reader)):
                pointer = json.loads(entry.value)
                if found := await self.get(pointer["snapshot"]):
                    return found.page, max(0.0, self._clock.time() - pointer["at"])
        return None

    def _address(self, url: str, reader: str) -> str:
        named = f"{reader}\n{self._variant}\n{url}".encode("utf-8", "surrogatepass")
        return "address/" + hashlib.sha256(named).hexdigest()
