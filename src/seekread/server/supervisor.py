"""Several processes that answer: one that dies is replaced, and all end when this one is told to or dies."""

import logging
import multiprocessing
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext, ForkServerProcess, SpawnContext, SpawnProcess

from seekread.errors import Misconfigured
from seekread.late import dataclass
from seekread.server.ending import ProcessEnding, held_back

logger = logging.getLogger("seekread.server")

LOOK_SECONDS = 0.1
MOST_DEATHS = 10
"""In a row, before somebody should look at it: a worker that cannot start would be started for ever."""
LONG_ENOUGH = 300
"""Looks after which a death is forgiven."""

PRELOADED = "seekread.server.preloaded"
"""Loaded once, its memory is shared by all workers: the second one takes half of what the first one would alone."""

Work = Callable[[ProcessEnding], None]


@dataclass(frozen=True)
class ServiceWorker:
    """A process that works, and the pipe it is told to end through."""

    process: ForkServerProcess | SpawnProcess
    pipe: Connection

    @classmethod
    def started(cls, work: Work) -> "ServiceWorker":
        """It is never forked from this process, because it would share its locks and connections."""
        context = starting()
        theirs, ours = context.Pipe(duplex=False)
        process = context.Process(target=follow, args=(work, theirs))
        with held_back():
            process.start()
        theirs.close()
        return cls(process, ours)

    def end(self) -> None:
        """Tell it to end; told again, it ends at once."""
        with suppress(OSError):
            self.pipe.send_bytes(b"end")


def starting() -> ForkServerContext | SpawnContext:
    """How workers are started: forked from a process that has loaded their modules and done nothing else."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([PRELOADED])
    return context


def follow(work: Work, parent: Connection) -> None:
    """Work until the parent says that it is enough, or is gone."""
    with ProcessEnding().heard() as ending:
        ending.follow(parent)
        work(ending)


def supervise(work: Work, count: int, ending: ProcessEnding, *, before_end: Callable[[], None]) -> None:
    """
    Keep so many workers at work until this process is told to end; then let each of them finish.

    before_end: lets go of what only workers should hold then, such as the socket that new clients come in by
    """
    workers = [ServiceWorker.started(work) for _ in range(count)]
    deaths = looks = 0
    try:
        while not ending.told:
            time.sleep(LOOK_SECONDS)
            looks += 1
            dead = [worker for worker in workers if not worker.process.is_alive()]
            deaths = deaths + len(dead) if dead or looks % LONG_ENOUGH else 0
            if deaths > MOST_DEATHS:
                raise Misconfigured("the workers end as soon as they begin: try with --workers 1 to see why")
            for worker in dead:
                logger.warning("worker %s ended with %s and is replaced", worker.process.pid, worker.process.exitcode)
                worker.pipe.close()
                workers[workers.index(worker)] = ServiceWorker.started(work)
    finally:
        before_end()
        for worker in workers:
            worker.end()
        while alive := [worker for worker in workers if worker.process.is_alive()]:
            for worker in alive if ending.at_once else ():
                worker.end()
            alive[0].process.join(LOOK_SECONDS)
