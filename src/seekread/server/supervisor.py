"""Several processes that answer: one that dies is replaced, and all end when this one is told to."""

import logging
import multiprocessing
import signal
import threading
from collections.abc import Callable
from multiprocessing.context import SpawnProcess

from seekread.errors import Misconfigured

logger = logging.getLogger("seekread.server")

LOOK_SECONDS = 0.5
MOST_DEATHS = 10
"""In a row, before somebody should look at it: a worker that cannot start would be started for ever."""
LONG_ENOUGH = 60
"""Looks after which a death is forgiven."""


def supervise(work: Callable[[], None], count: int, *, before_end: Callable[[], None]) -> None:
    """
    Keep so many workers at work until this process is told to end; then let each of them finish.

    before_end: lets go of what only workers should hold then, such as the socket that new clients come in by
    """
    told = threading.Event()
    before = {number: signal.signal(number, lambda *_: told.set()) for number in (signal.SIGINT, signal.SIGTERM)}
    workers = [started(work) for _ in range(count)]
    deaths = looks = 0
    try:
        while not told.wait(LOOK_SECONDS):
            looks += 1
            dead = [worker for worker in workers if not worker.is_alive()]
            deaths = deaths + len(dead) if dead or looks % LONG_ENOUGH else 0
            if deaths > MOST_DEATHS:
                raise Misconfigured("the workers end as soon as they begin: try with --workers 1 to see why")
            for worker in dead:
                logger.warning("worker %s ended with %s and is replaced", worker.pid, worker.exitcode)
                workers[workers.index(worker)] = started(work)
    finally:
        before_end()
        for worker in workers:
            worker.terminate()
        for worker in workers:
            worker.join()
        for number, handler in before.items():
            signal.signal(number, handler)


def started(work: Callable[[], None]) -> SpawnProcess:
    """A worker. It is spawned, because a forked one would share locks and connections with this process."""
    worker = multiprocessing.get_context("spawn").Process(target=work)
    worker.start()
    return worker
