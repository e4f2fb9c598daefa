"""
The contracts' own plain shapes, made providers.

A class with `async search(query, *, limit=5)` or `async read_url(url)` is accepted as it is;
the filters it does not know are made up for like anyone's.
"""

import inspect
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any, cast

from seekread.late import dataclass
from seekread.models import Page, SearchResult
from seekread.options import Query, Wish
from seekread.provider import Found, Job, ReadProvider, SearchProvider, Traits, traits

FILTERS: dict[str, Wish] = {"allowed_domains": "allowed_domains", "time_range": "freshness"}
"""Parameter of a plain search → the wish that a class which has it fulfils by itself."""


@dataclass(frozen=True)
class Plain:
    """A plain class behind a port; it declares what the plain class declares."""

    inner: Any
    name: str
    about: Traits

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("_"):
            raise AttributeError(attribute)
        return getattr(self.about, attribute)


class PlainSearch(Plain):
    """A plain search class behind the provider port; the filters its search takes are handed to it."""

    def search(self, query: Query) -> Job[Sequence[SearchResult] | Found]:
        wishes = {
            "allowed_domains": list(query.allowed_domains),
            "time_range": query.freshness and query.freshness[0],
        }
        filters = {name: wish for name, wish in wishes.items() if wish and takes(self.inner.search, name)}

        async def run() -> Sequence[SearchResult] | Found:
            found = self.inner.search(query.text, limit=query.limit, **filters)
            return [as_result(item) for item in (await found if inspect.isawaitable(found) else found)]

        return Job(run)


class PlainRead(Plain):
    """A plain read class behind the provider port."""

    def read(self, url: str) -> Job[Page]:
        read_url: Callable[[str], Awaitable[Any]] = self.inner.read_url

        async def run() -> Page:
            return as_page(await read_url(url))

        return Job(run)


def as_search_provider(provider: Any) -> SearchProvider | None:
    """The search port of an object, or `None` when it does not search."""
    search = getattr(provider, "search", None)
    if not callable(search):
        return None
    if is_plain(search):
        about = traits(provider)
        met = {wish for name, wish in FILTERS.items() if takes(search, name)}
        return cast("SearchProvider", PlainSearch(provider, about.name, replace(about, honours=about.honours | met)))
    return cast("SearchProvider", provider)


def is_plain(search: Callable[..., Any]) -> bool:
    """Whether this is the contracts' shape: awaited, or taking a `limit` beside the words."""
    return inspect.iscoroutinefunction(search) or takes(search, "limit")


def takes(search: Callable[..., Any], name: str) -> bool:
    """Whether a search has a parameter of that name."""
    try:
        return name in inspect.signature(search).parameters
    except (TypeError, ValueError):
        return False


def as_read_provider(provider: Any) -> ReadProvider | None:
    """The read port of an object, or `None` when it does not read."""
    if callable(getattr(provider, "read", None)):
        return cast("ReadProvider", provider)
    if callable(getattr(provider, "read_url", None)):
        about = traits(provider)
        return cast("ReadProvider", PlainRead(provider, about.name, about))
    return None


def as_result(item: Any) -> SearchResult:
    """A result out of anything with title, url and snippet, as attributes or as keys."""
    return item if isinstance(item, SearchResult) else SearchResult.model_validate(fields(item, SearchResult))


def as_page(item: Any) -> Page:
    """A page out of anything with the contract's fields."""
    return item if isinstance(item, Page) else Page.model_validate(fields(item, Page))


def fields(item: Any, model: type[SearchResult] | type[Page]) -> dict[str, Any]:
    known = (
        item
        if isinstance(item, dict)
        else {name: getattr(item, name) for name in model.model_fields if hasattr(item, name)}
    )
    kept = {name for name, info in model.model_fields.items() if not info.internal}
    return {name: value for name, value in known.items() if name in kept and value is not None}
