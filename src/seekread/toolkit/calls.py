"""A tool called by a model: whatever goes wrong is an answer that the model can read."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from seekread.errors import InvalidQuery, SeekreadError
from seekread.redact import redact
from seekread.render.failure import explain, failure_values
from seekread.toolkit.answer import Budget, ToolAnswer
from seekread.toolkit.definitions import GATHER_EVIDENCE, OPEN_PAGE, PAGE_LOOKUP, WEB_SEARCH
from seekread.toolkit.gather import gather
from seekread.toolkit.lookup import page_lookup
from seekread.toolkit.open import open_page
from seekread.toolkit.search import web_search

if TYPE_CHECKING:
    from seekread.client import Seekread

log = logging.getLogger(__name__)

ToolCall = Callable[["Seekread", Mapping[str, Any], Budget], Awaitable[ToolAnswer]]
CALLS: dict[str, ToolCall] = {
    WEB_SEARCH.name: web_search,
    OPEN_PAGE.name: open_page,
    PAGE_LOOKUP.name: page_lookup,
    GATHER_EVIDENCE.name: gather,
}
"""The tools by name."""


async def call_tool(name: str, web: "Callable[[], Seekread]", arguments: Any, budget: Budget) -> ToolAnswer:
    """What a tool answers. This is the edge of the process: nothing is raised past it."""
    try:
        if not isinstance(arguments, Mapping):
            raise InvalidQuery("the arguments must be an object")  # noqa: TRY301 - told like any other mistake
        return await CALLS[name](web(), arguments, budget)
    except SeekreadError as error:
        return ToolAnswer(explain(error), failure_values(error), failed=True)
    except Exception as error:
        log.exception("%s failed", name)
        words = redact(f"{type(error).__name__}: {error}")
        return ToolAnswer(f"{name} failed unexpectedly ({words}). Trying again may help once.", failed=True)
