"""Tasks side by side: where one of them fails, what went wrong is raised itself, and not in a group of errors."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import anyio

if TYPE_CHECKING:
    from anyio.abc import TaskGroup


@asynccontextmanager
async def tasks() -> AsyncIterator["TaskGroup"]:
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
