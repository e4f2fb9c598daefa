"""A few threads for work that may never end: unlike those of an executor, they do not hold up the process's end."""

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from threading import Lock, Thread
from typing import Any, TypeVar

T = TypeVar("T")


@dataclass
class DaemonThreads:
    """At most `size` threads at a time, started when there is work and gone when there is none."""

    name: str
    size: int = 4
    _lock: Lock = field(default_factory=Lock, repr=False)
    _waiting: "deque[Callable[[], None]]" = field(default_factory=deque, repr=False)
    _running: int = 0

    def submit(self, work: Callable[[], T]) -> "Future[T]":
        """Have it done as soon as a thread is free. Cancelled before that, it is not begun."""
        future: Future[T] = Future()
        with self._lock:
            self._waiting.append(partial(finish, future, work))
            free = self._running < self.size
            self._running += free
        if free:
            Thread(target=self._work, name=self.name, daemon=True).start()
        return future

    def _work(self) -> None:
        while task := self._next():
            task()

    def _next(self) -> Callable[[], None] | None:
        with self._lock:
            if self._waiting:
                return self._waiting.popleft()
            self._running -= 1
            return None


def finish(future: "Future[Any]", work: Callable[[], Any]) -> None:
    """Do the work and tell the future how it went."""
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result(work())
    except BaseException as error:  # noqa: BLE001 whoever waits for the future gets it
        future.set_exception(error)
