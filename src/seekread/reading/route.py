"""
Step 5, route: which reader is given the page.

One after another, as long as the next could do better: a page that is not there is not there for anybody but an
archive.
"""

from collections.abc import Awaitable, Callable, Sequence

from seekread.errors import InvalidQuery, ProviderError
from seekread.models import Page
from seekread.outcomes import MEANINGS
from seekread.provider import ReadProvider, traits

AskReader = Callable[[ReadProvider], Awaitable[Page]]


async def first(readers: Sequence[ReadProvider], ask: AskReader) -> Page:
    """The page of the first reader that can read it; the last error when none can."""
    before: ReadProvider | None = None
    problem: ProviderError | None = None
    for reader in readers:
        if before and problem and in_vain(before, reader, problem):
            continue
        before = reader
        try:
            return await ask(reader)
        except ProviderError as error:
            # That an archive has no copy says nothing about the page.
            problem = problem if problem and traits(reader).archives else error
    raise problem or InvalidQuery("no reader is configured: name one in readers under [read]")


def in_vain(before: ReadProvider, reader: ReadProvider, problem: ProviderError) -> bool:
    """Whether there is no use in asking: what this machine could not reach, a browser on it cannot reach either."""
    if MEANINGS[problem.outcome].step == "stop":
        return not (traits(reader).archives and problem.outcome == "not_found")
    return traits(before).local and traits(reader).renders and not MEANINGS[problem.outcome].for_a_browser
