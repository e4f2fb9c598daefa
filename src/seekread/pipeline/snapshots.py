"""Pages that were read, kept once under a handle and found again by their address."""

import hashlib
import json

from seekread.models import Page
from seekread.ports import Clock, Store
from seekread.reader.snapshot import Snapshot, whole


class Snapshots:
    """Keeps snapshots in the store. Content is stored once; an address points to the latest."""

    def __init__(self, store: Store, clock: Clock, lifetime: float) -> None:
        self._store = store
        self._clock = clock
        self._lifetime = lifetime

    async def keep(self, page: Page) -> Page:
        """Store a page and point its address to it; returns it with its handle."""
        kept = whole(page)
        pointer = json.dumps({"snapshot": kept.snapshot, "at": self._clock.time()}).encode()
        await self._store.put(f"snapshot/{kept.snapshot}", kept.model_dump_json().encode(), lifetime=self._lifetime)
        for url in {page.url, kept.final_url}:
            await self._store.put(_address(url), pointer, lifetime=self._lifetime)
        return kept

    async def get(self, handle: str) -> Snapshot | None:
        """The snapshot of that handle, unless it has expired."""
        entry = await self._store.get(f"snapshot/{handle}")
        return Snapshot(Page.model_validate_json(entry.value)) if entry else None

    async def latest(self, url: str) -> tuple[Page, float] | None:
        """The latest page of an address and its age in seconds, old ones included: whoever asks decides."""
        entry = await self._store.get(_address(url))
        if entry is None:
            return None
        pointer = json.loads(entry.value)
        found = await self.get(pointer["snapshot"])
        return (found.page, max(0.0, self._clock.time() - pointer["at"])) if found else None


def _address(url: str) -> str:
    return "address/" + hashlib.sha256(url.encode("utf-8", "surrogatepass")).hexdigest()
