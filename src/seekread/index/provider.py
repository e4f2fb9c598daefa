"""The local index as a search provider: needs no key and no network, and nobody else sees the query."""

import asyncio
import os
from functools import cached_property
from typing import ClassVar

from seekread.errors import Unreadable
from seekread.index.document import JOIN, as_markdown
from seekread.index.store import IndexHit, IndexStore
from seekread.late import dataclass
from seekread.models import Page
from seekread.provider import Found, Job, NotConfigured, Query, Scope, SearchResult, Wish, setting

ADD_FIRST = "run `seekread index add PATH` (or `seekread index add --docs`) first"


@dataclass(frozen=True)
class Index:
    """Search the documents that were put into the local index."""

    index_path: str = setting("", kind="resource")

    name: ClassVar[str] = "index"
    label: ClassVar[str] = "Local index"
    scope: ClassVar[Scope] = "corpus"
    local: ClassVar[bool] = True
    max_results: ClassVar[int] = 50
    honours: ClassVar[frozenset[Wish]] = frozenset({"dates", "allowed_domains", "blocked_domains", "page"})
    cache_seconds: ClassVar[int] = 0  # A document just added must be found.
    caveat: ClassVar[str] = "Finds only what was added with `seekread index add`."

    @cached_property
    def store(self) -> IndexStore:
        """The index itself, whose connection is kept from search to search."""
        return IndexStore(self.index_path)

    async def close(self) -> None:
        """Release the connection."""
        self.store.close()

    def ready(self) -> bool:
        """Whether anything was ever put into the index."""
        # A default chain asks this before every search, and a `Path` would take longer than the disk.
        return os.path.isfile(self.index_path)  # noqa: PTH113

    def search(self, query: Query) -> Job[Found]:
        # A thread: SQLite may wait for the disk, and the event loop must not.
        return Job(lambda: asyncio.to_thread(self.look_up, query))

    def documents(self) -> "IndexedDocuments":
        """Who reads what the index holds."""
        return IndexedDocuments(self.store)

    def look_up(self, query: Query) -> Found:
        """Answer a query, here and now."""
        if not self.index_path:
            raise NotConfigured(f"the index has no path; {ADD_FIRST}")
        limit = min(query.limit, self.max_results)
        found = self.store.search(
            query.text,
            limit=limit,
            offset=(query.page - 1) * limit,
            allowed_domains=query.allowed_domains,
            blocked_domains=query.blocked_domains,
            date_from=query.date_from,
            date_to=query.date_to,
        )
        if not found.hits and self.store.is_empty():
            raise NotConfigured(f"the index {self.store.path} is empty; {ADD_FIRST}")
        notes = ("No document has all the words; these have some of them.",) if found.loosened else ()
        return Found([result_of(hit) for hit in found.hits], notes=notes)


@dataclass(frozen=True)
class IndexedDocuments:
    """Reads documents of the index by their handles; neither a file nor a connection is opened for that."""

    store: IndexStore

    name: ClassVar[str] = Index.name
    local: ClassVar[bool] = True

    def read(self, url: str) -> Job[Page]:
        return Job(lambda: asyncio.to_thread(self.take_out, url))

    def take_out(self, url: str) -> Page:
        """A document as the index holds it."""
        handle = url.removeprefix(f"{self.name}:").lstrip("/").partition("/")[0]
        found = self.store.document(handle)
        if found is None:
            raise Unreadable("not_found", f"the index has no document {url!r} (any more): search again")
        return Page(
            url=url,
            title=found.title,
            content=as_markdown(found.title, found.sections),
            content_type="text/markdown",
            fetched_at=found.indexed_at,
            metadata={"date": found.date} if found.date else {},
        )


def address_of(hit: IndexHit) -> str:
    """Where a document can be opened: a page at its own address, a file under its handle and its name."""
    scheme, _, path = hit.url.partition(":")
    return f"{Index.name}:///{hit.handle}/{path.rpartition('/')[2]}" if scheme == "file" else hit.url


def result_of(hit: IndexHit) -> SearchResult:
    """A hit as a search result; the title names the section."""
    return SearchResult(
        title=JOIN.join(filter(None, [hit.title, hit.heading])),
        url=address_of(hit),
        snippet=hit.snippet,
        published_date=hit.date,
        score=hit.score,
    )
