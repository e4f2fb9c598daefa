"""What every run in bulk does: takes things one by one, wherever they come from."""

from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable
from typing import TypeVar

T = TypeVar("T")


async def each(things: Iterable[T] | AsyncIterable[T]) -> AsyncIterator[T]:
    """Things one by one."""
    if isinstance(things, AsyncIterable):
        async for thing in things:
            yield thing
        return
    for thing in things:
        yield thing


def firsts(names: Iterable[str], key_of: Callable[[str], bytes]) -> dict[bytes, str]:
    """Names by what tells them apart, in their order; of several spellings the first."""
    found: dict[bytes, str] = {}
    for name in names:
        found.setdefault(key_of(name), name)
    return found
