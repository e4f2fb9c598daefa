"""
The built-in reader: our own fetch and our own workers. No third party sees the URL, and no key is needed.
"""

from functools import partial
from typing import ClassVar

from seekread.errors import ProviderError, Refused, Unreadable
from seekread.extraction.extracted import Extracted, page_from
from seekread.extraction.sniff import media_type_of, sniff
from seekread.late import dataclass
from seekread.models import USUAL, Page, PageShape, Signal
from seekread.outcomes import is_failure
from seekread.provider import Job, setting
from seekread.readers.builtin.fetch import Fetched, Fetcher
from seekread.readers.builtin.raw_files import RULES, RawRule, llms_address, raw_addresses
from seekread.readers.builtin.sheets import linked_sheets
from seekread.readers.builtin.workers import Workers

__all__ = ["Builtin", "WholePage", "page_of"]

ABOUT_FLAGS = {
    "truncated": "the page is not whole: the connection broke or a limit was met",
    "too-large": "the page is larger than the limit; its beginning was read",
    "https-to-http": "a redirect led from an encrypted to an unencrypted address",
    "meta-refresh": "the page sent its reader on with a refresh",
    "identity-retry": "the server's compression was broken; the page was fetched again without",
}


NOT_MODIFIED = 304
MARKDOWN = (".md", ".markdown", ".mdx")


@dataclass(frozen=True)
class Builtin:
    """Fetch a page through the guard and read it in a worker process."""

    fetcher: Fetcher = setting(kind="resource")
    workers: Workers = setting(kind="resource")
    raw_files: bool = setting(True, about="Read a file on a code host as its raw file, a repository as its README.")
    llms_txt: bool = setting(False, about="Read the front page of a site as its llms.txt, where it has one.")
    rules: tuple[RawRule, ...] = setting(RULES, kind="resource")

    name: ClassVar[str] = "builtin"
    label: ClassVar[str] = "the built-in reader"
    local: ClassVar[bool] = True
    extracts: ClassVar[bool] = True
    shape: ClassVar[PageShape] = USUAL
    """What is read of a page where nobody says more."""

    def read(self, url: str) -> Job[Page]:
        """Read the whole page; whoever wants less cuts a window out of it."""
        return Job(partial(self._read, url, None, self.shape))

    def read_shaped(self, url: str, shape: PageShape) -> Job[Page]:
        """Read chosen elements of a page, or its HTML: those of this very page, and of nothing in its stead."""
        if shape.selects:
            from seekread.extraction.selecting import check_selectors

            check_selectors(shape)
        return Job(partial(self._read, url, None, shape))

    def renew(self, known: Page) -> Job[Page]:
        """Read a page again; its server may say that it has not changed, and then it is not read again."""
        return Job(partial(self._read, known.url, known, self.shape))

    async def _read(self, url: str, known: Page | None, shape: PageShape) -> Page:
        # A child gets ready while the page is on its way.
        await self.workers.warm()
        # What a redirect led to may be another page by now, so only a direct one is compared.
        told = known.metadata if known and known.final_url in {"", known.url} else {}
        if not told and shape == USUAL and (instead := await self._instead(url)):
            return instead
        fetched = await self.fetcher.fetch(url, etag=told.get("etag"), last_modified=told.get("last_modified"))
        if known and fetched.status == NOT_MODIFIED:
            return known.model_copy(update={"fetched_at": fetched.fetched_at, "notes": ()})
        if not fetched.body:
            return page_of(fetched, Extracted(outcome="empty"))
        sheets = await linked_sheets(self.fetcher, fetched) if self.fetcher.sheets else {}
        extracted = await self.workers.read(
            fetched.body, fetched.content_type, fetched.final_url, sheets=sheets, shape=shape
        )
        return page_of(fetched, extracted).model_copy(update={"reader": self.name})

    async def _instead(self, url: str) -> Page | None:
        """The text that a page is about, or what its site wants models to read, where there is such a thing."""
        raw = list(raw_addresses(url, self.rules)) if self.raw_files else []
        llms = llms_address(url) if self.llms_txt else None
        for address in [*raw, *([llms] if llms else [])]:
            try:
                fetched = await self.fetcher.fetch(address)
                is_page = sniff(fetched.body, fetched.content_type) == "html"
            except (ProviderError, Refused):
                # It is not there, or may not be read: then the page itself is.
                continue
            if not fetched.body or (is_page and not media_type_of(fetched.content_type).startswith("text/plain")):
                continue
            return await self._read_as_text(url, address, fetched)
        return None

    async def _read_as_text(self, url: str, address: str, fetched: Fetched) -> Page:
        written = address.lower().endswith(MARKDOWN) or address == llms_address(url)
        content_type = "text/markdown" if written else fetched.content_type
        extracted = await self.workers.read(fetched.body, content_type, fetched.final_url)
        page = page_of(fetched, extracted)
        signal = Signal(kind="raw-file", detail=f"read from {address}")
        return page.model_copy(update={"url": url, "signals": (signal, *page.signals)})


@dataclass(frozen=True)
class WholePage(Builtin):
    """Fetch a page as the built-in reader does, and read all its text: for pages whose content is hard to tell."""

    name: ClassVar[str] = "whole"
    label: ClassVar[str] = "the built-in reader, all text of a page"
    shape: ClassVar[PageShape] = PageShape(whole=True)


def page_of(fetched: Fetched, extracted: Extracted) -> Page:
    """Put together what fetching and reading brought."""
    if is_failure(extracted.outcome):
        raise Unreadable(extracted.outcome, extracted.error or "the page cannot be read", status=fetched.status)
    validators = {"etag": fetched.etag, "last_modified": fetched.last_modified}
    return page_from(extracted, fetched.url).model_copy(
        update={
            "final_url": fetched.final_url,
            "status": fetched.status,
            "content_type": media_type_of(fetched.content_type),
            "fetched_at": fetched.fetched_at,
            "metadata": {**extracted.metadata, **{name: value for name, value in validators.items() if value}},
            "signals": (
                *(Signal(kind=flag, detail=ABOUT_FLAGS.get(flag, "")) for flag in fetched.flags),
                *extracted.signals,
            ),
        }
    )
