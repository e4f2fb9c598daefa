"""
The built-in reader: our own fetch and our own workers. No third party sees the URL, and no key is needed.
"""

import hashlib
from dataclasses import dataclass
from typing import ClassVar

from seekread.errors import Unreadable
from seekread.models import Page, Signal, estimated_tokens
from seekread.provider import Job, setting
from seekread.reader.document import read_html
from seekread.reader.documents import Options
from seekread.reader.extracted import Extracted
from seekread.reader.fetch import Fetched, Fetcher
from seekread.reader.sniff import media_type_of
from seekread.reader.workers import Workers

ABOUT_FLAGS = {
    "truncated": "the page is not whole: the connection broke or a limit was met",
    "too-large": "the page is larger than the limit; its beginning was read",
    "https-to-http": "a redirect led from an encrypted to an unencrypted address",
    "meta-refresh": "the page sent its reader on with a refresh",
    "identity-retry": "the server's compression was broken; the page was fetched again without",
}


@dataclass(frozen=True)
class Builtin:
    """Fetch a page through the guard and read it in a worker process."""

    fetcher: Fetcher = setting(kind="resource")
    workers: Workers = setting(kind="resource")

    name: ClassVar[str] = "builtin"
    label: ClassVar[str] = "the built-in reader"

    def read(self, url: str) -> Job[Page]:
        """Read the whole page; whoever wants less cuts a window out of it."""

        async def run() -> Page:
            # A child gets ready while the page is on its way.
            await self.workers.warm()
            fetched = await self.fetcher.fetch(url)
            if not fetched.body:
                return page_of(fetched, Extracted(outcome="empty"))
            extracted = await self.workers.read(fetched.body, fetched.content_type, fetched.final_url)
            return page_of(fetched, extracted)

        return Job(run)


def page_of(fetched: Fetched, extracted: Extracted) -> Page:
    """Put together what fetching and reading brought."""
    if extracted.outcome not in {"ok", "empty"}:
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


def page_from(extracted: Extracted, url: str) -> Page:
    """A whole page from what was extracted."""
    content = extracted.markdown
    tokens = estimated_tokens(content)
    return Page(
        url=url,
        final_url=url,
        title=extracted.title,
        content=content,
        content_length=len(content),
        original_length=len(content),
        tokens=tokens,
        original_tokens=tokens,
        outcome=extracted.outcome,
        sha256=hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest(),
        reader=Builtin.name,
        metadata=extracted.metadata,
        signals=extracted.signals,
        links=extracted.links,
    )


def extract(html: str, url: str | None = None) -> Page:
    """
    Read HTML that is at hand, without the network and in this process.

    A page that cannot be read is a `Page` with `success=False`. HTML from strangers is better read by a worker:
    this function has no time limit, only the pre-scan.
    """
    extracted = read_html(html, url, Options())
    page = page_from(extracted, url or "")
    if extracted.outcome in {"ok", "empty"}:
        return page
    return page.model_copy(update={"success": False, "error": extracted.error})
