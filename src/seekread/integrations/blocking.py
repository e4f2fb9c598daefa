"""Waiting for asynchronous work from code that does not await."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio

T = TypeVar("T")


def wait(function: Callable[[], Awaitable[T]], *, alone: bool) -> T:
    """
    Run to the end and return what came of it.

    `alone` runs in a short event loop on this very thread, which is enough when no pool of connections must outlive it.
    Otherwise, and wherever a loop is already running, the process's portal thread does the work.
    """
    if alone and not loop_is_running():
        return anyio.run(function)
    from seekread.sync import portal

    return portal.call(function)


def loop_is_running() -> bool:
    """Say whether this thread is inside an event loop."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
