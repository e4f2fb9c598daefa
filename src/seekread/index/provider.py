"""The local index as a search provider: needs no key and no network, and nobody else sees the query."""

import asyncio
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar

from seekread.index.document import JOIN
from seekread.index.store import IndexHit, IndexStore
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
        return Path(self.index_path).is_file()

    def search(self, query: Query) -> Job[Found]:
        # A thread: SQLite may wait for the disk, and the event loop must not.
        return Job(lambda: asyncio.to_thread(self.look_up, query))

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


def result_of(hit: IndexHit) -> SearchResult:
    """A hit as a search result; the title names the section."""
    return SearchResult(
        title=JOIN.join(filter(None, [hit.title, hit.heading])),
        url=hit.url,
        snippet=hit.snippet,
        published_date=hit.date,
        score=hit.score,
    )
