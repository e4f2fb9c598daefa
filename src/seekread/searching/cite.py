"""Step 8, cite: number the results from 1 and list the sources beside them."""

from collections.abc import Sequence

from seekread.models import SearchResult, Source


def cite(results: Sequence[SearchResult]) -> tuple[tuple[SearchResult, ...], tuple[Source, ...]]:
    """Give every result its citation number."""
    numbered = tuple(result.model_copy(update={"citation_id": n}) for n, result in enumerate(results, start=1))
    return numbered, tuple(Source(citation_id=n, url=r.url, title=r.title) for n, r in enumerate(numbered, start=1))
