"""What is kept of a search made in bulk, and the file of them."""

import hashlib
import unicodedata
from typing import ClassVar

from seekread.batch.record_file import RecordFile
from seekread.errors import AllFailed, SeekreadError
from seekread.models import Attempt, SearchResponse, SearchResult
from seekread.outcomes import Outcome
from seekread.value import Value


class SearchRecord(Value):
    """One query and what came of it: results, nothing found (`empty`), or the reason why nobody could answer."""

    query: str
    outcome: Outcome = "ok"
    provider: str | None = None
    results: tuple[SearchResult, ...] = ()
    answer: str | None = None
    error: str = ""
    tries: int = 1
    """How often the query was asked …"""
    attempts: tuple[Attempt, ...] = ()
    """… and how the last try went, provider by provider."""
    cost: float = 0.0
    """Dollars, over all tries, by the plans of those who were asked."""
    cached: bool = False
    age_seconds: float | None = None
    notes: tuple[str, ...] = ()
    searched_at: str = ""

    @property
    def key(self) -> bytes:
        """What names the query in every spelling."""
        return query_key(self.query)

    @property
    def is_copy(self) -> bool:
        """Whether its results stand with another query; they never do."""
        return False


class SearchFile(RecordFile[SearchRecord]):
    """Writes searches, each query once."""

    holds: ClassVar[str] = "searches"
    begins: ClassVar[bytes] = b'{"query":"'

    def key_of(self, name: str) -> bytes:
        return query_key(name)

    def name_of(self, record: SearchRecord) -> str:
        return record.query

    def parsed(self, line: bytes) -> SearchRecord:
        return SearchRecord.model_validate_json(line)


def query_key(query: str) -> bytes:
    """A short name for a query: blanks and ways to write one character make no difference; capitals may (OR)."""
    text = " ".join(unicodedata.normalize("NFC", query).split())
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:16]


def record_of(response: SearchResponse, query: str, tries: int, cost: float, now: str) -> SearchRecord:
    """The record of a search that was answered, if only with nothing found; or of one that nobody could answer."""
    return SearchRecord(
        query=query,
        outcome=response.outcome,
        provider=response.provider,
        results=response.results,
        answer=response.answer,
        tries=tries,
        attempts=response.attempts,
        cost=round(cost, 6),
        cached=response.cached,
        age_seconds=response.age_seconds,
        notes=response.notes,
        searched_at=now,
    )


def failed_record(error: SeekreadError, query: str, tries: int, cost: float, now: str) -> SearchRecord:
    """The record of a search that failed; a query that cannot be asked is one that was refused."""
    if isinstance(error, AllFailed):
        return record_of(error.response, query, tries, cost, now).model_copy(update={"error": error.tried})
    return SearchRecord(query=query, outcome="refused", error=str(error), tries=tries, searched_at=now)
