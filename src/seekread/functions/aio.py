"""The plain functions to be awaited: names, annotations and docstrings are those of the blocking ones."""

import inspect
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import ParamSpec

from seekread import functions
from seekread.functions.session import said

P = ParamSpec("P")


def awaited(function: Callable[P, str]) -> Callable[P, Awaitable[str]]:
    """The same function for callers that await it."""
    signature = inspect.signature(function)

    @wraps(function)
    async def call(*args: P.args, **kwargs: P.kwargs) -> str:
        return await said(function.__name__, signature.bind(*args, **kwargs).arguments)

    # Frameworks that look behind a wrapper would find the one that blocks.
    del call.__wrapped__
    call.__signature__ = signature  # type: ignore[attr-defined]
    call.__module__ = __name__
    return call


web_search = awaited(functions.web_search)
open_page = awaited(functions.open_page)
page_lookup = awaited(functions.page_lookup)
gather = awaited(functions.gather)
