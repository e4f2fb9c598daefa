"""What every run in bulk does: takes things one by one, wherever they come from, and ends with the error itself."""

from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from typing import TypeVar

import anyio
from anyio.abc import TaskGroup

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


@asynccontextmanager
async def tasks() -> AsyncIterator[TaskGroup]:
    """A group of tasks that ends, where one of them failed, with what went wrong there first."""
    try:
        async with anyio.create_task_group() as group:
            yield group
    except BaseExceptionGroup as errors:
        raise first_of(errors) from None


def first_of(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    """The first error of a group, however deep it lies."""
    first = errors.exceptions[0]
    return first_of(first) if isinstance(first, BaseExceptionGroup) else first
