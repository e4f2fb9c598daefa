"""
The Wayback Machine: a copy of a page that is gone, marked with its date.

The archive learns the address, so it is asked only where the operator or the call named it. The guard judges the
address itself before, and what the copy is a copy of afterwards: nobody reads a refused host through the archive.

Reference: https://archive.org/help/wayback_api.php
"""

import re
from datetime import UTC, datetime
from functools import partial
from typing import ClassVar

from seekread.errors import BadReply, ProviderError, Unreadable
from seekread.extraction.extracted import Extracted
from seekread.late import dataclass
from seekread.models import Page, Signal
from seekread.provider import Job, setting
from seekread.readers.builtin.fetch import Fetcher
from seekread.readers.builtin.reader import page_of
from seekread.readers.builtin.workers import Workers

CAPTURE = re.compile(r"/web/(\d{14})id_/(https?:/{1,2}.+)")
"""The moment of a copy and the address it is of; `id_` asks for the bytes as they were, without the archive's own."""
NEWEST = "99991231235959"
"""The copy nearest to the end of time is the newest."""


@dataclass(frozen=True)
class Wayback:
    """Read the newest copy of a page in the Wayback Machine."""

    fetcher: Fetcher = setting(kind="resource")
    workers: Workers = setting(kind="resource")
    base_url: str = setting("https://web.archive.org", about="Where copies are kept.")

    name: ClassVar[str] = "wayback"
    label: ClassVar[str] = "the Wayback Machine"
    caveat: ClassVar[str] = "The archive learns the address; what it has is a copy, marked with its date."
    extracts: ClassVar[bool] = True
    archives: ClassVar[bool] = True
    at_once: ClassVar[int] = 2

    def read(self, url: str) -> Job[Page]:
        """Read the newest copy."""
        return Job(partial(self._read, url))

    async def _read(self, url: str) -> Page:
        await self.workers.warm()
        try:
            fetched = await self.fetcher.fetch(f"{self.base_url}/web/{NEWEST}id_/{url.partition('#')[0]}")
        except ProviderError as error:
            if error.outcome == "not_found":
                raise Unreadable("not_found", "the Wayback Machine has no copy of the page", status=404) from None
            raise
        moment, original = capture_of(fetched.final_url)
        # A copy of a redirect leads to a copy of another page.
        self.fetcher.guard.check(original)
        extracted = Extracted(outcome="empty")
        if fetched.body:
            extracted = await self.workers.read(fetched.body, fetched.content_type, original)
        page = page_of(fetched, extracted)
        day = f"{moment:%Y-%m-%d}"
        return page.model_copy(
            update={
                "url": url,
                "fetched_at": f"{moment:%Y-%m-%dT%H:%M:%SZ}",
                "metadata": {**page.metadata, "archived": day},
                "signals": (Signal(kind="archived", detail=f"a copy of {day} in the Wayback Machine"), *page.signals),
                "notes": (*page.notes, f"This is a copy of {day} from the Wayback Machine, not the page of today."),
            }
        )


def capture_of(address: str) -> tuple[datetime, str]:
    """When a copy was made, and of which address."""
    found = CAPTURE.search(address)
    if found is None:
        raise BadReply("the Wayback Machine answered with something that is no copy")
    try:
        moment = datetime.strptime(found[1], "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        raise BadReply("the Wayback Machine answered with a copy of an impossible day") from None
    return moment, re.sub(r"^(https?):/+", r"\1://", found[2])
