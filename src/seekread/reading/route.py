"""
Step 5, route: which reader is given the page.

One after another, as long as the next could do better: a page that is not there is not there for anybody.
"""

from collections.abc import Awaitable, Callable, Sequence

from seekread.errors import InvalidQuery, ProviderError
from seekread.models import Page
from seekread.outcomes import MEANINGS
from seekread.provider import ReadProvider

Ask = Callable[[ReadProvider], Awaitable[Page]]


async def first(readers: Sequence[ReadProvider], ask: Ask) -> Page:
    """The page of the first reader that can read it; the last error when none can."""
    before = ""
    problem: ProviderError | None = None
    for reader in readers:
        if problem and in_vain(before, reader.name, problem):
            continue
        before = reader.name
        try:
            return await ask(reader)
        except ProviderError as error:
            problem = error
            if MEANINGS[error.outcome].step == "stop":
                break
    raise problem or InvalidQuery("no reader is configured: name one in readers under [read]")


def in_vain(before: str, reader: str, problem: ProviderError) -> bool:
    """Whether there is no use in asking: what our own fetch cannot reach, a browser on the same machine cannot."""
    return (before, reader) == ("builtin", "browser") and not MEANINGS[problem.outcome].for_a_browser
