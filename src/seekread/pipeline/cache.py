"""Step 3, cache."""

from collections.abc import Awaitable, Callable, Sequence

from seekread.models import Query, SearchResponse


class NoCache:
    """Remembers nothing."""

    async def through(
        self, _query: Query, _chain: Sequence[str], answer: Callable[[], Awaitable[SearchResponse]]
    ) -> SearchResponse:
        return await answer()
