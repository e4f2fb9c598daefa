"""A file of pages: two addresses that lead to one page, or to the same text, have one copy of it."""

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from seekread.batch.record import PageRecord, page_from, page_key
from seekread.batch.record_file import RecordFile
from seekread.models import Page


class PageFile(RecordFile[PageRecord]):
    """Writes pages, each once."""

    holds: ClassVar[str] = "pages"
    begins: ClassVar[bytes] = b'{"url":"'

    def key_of(self, name: str) -> bytes:
        return page_key(name)

    def name_of(self, record: PageRecord) -> str:
        return record.url

    def parsed(self, line: bytes) -> PageRecord:
        return PageRecord.model_validate_json(line)

    def settled(self, record: PageRecord) -> PageRecord:
        before = self._before(record)
        return record.as_duplicate(before) if before else record

    def content_of(self, record: PageRecord) -> str:
        return record.sha256 if record.markdown and not record.duplicate_of else ""

    def _before(self, record: PageRecord) -> str | None:
        """The address under which the same page, or the same text, was written before."""
        if not record.markdown:
            return None
        led_to = page_key(record.final_url or record.url)
        same_page = self.journal.name_of(led_to) if led_to != record.key else None
        return same_page or self.journal.name_with(record.sha256)


def pages_in(path: Path) -> Iterator[Page]:
    """The pages of a file, each once: copies stand with what they are copies of."""
    with path.open("rb") as lines:
        for line in lines:
            record = PageRecord.model_validate_json(line)
            if not record.duplicate_of:
                yield page_from(record)
