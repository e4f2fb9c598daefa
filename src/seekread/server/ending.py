"""
How a process hears that it is to end: by a signal, or because the one that started it is gone.

A signal that comes while a process still starts must neither end it nor be lost: clients stand in its queue already. A
parent holds signals back for its children until they can hear them, and tells them to end through a pipe. The pipe
closes by itself when the parent dies, however it dies.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from types import FrameType

from seekread.late import dataclass

SIGNALS = (signal.SIGINT, signal.SIGTERM)


@dataclass
class ProcessEnding:
    """
    Whether this process was told to end.

    It is no server with a flag of uvicorn's name on purpose: the library that writes event streams looks for one
    behind the handler of SIGTERM and breaks off every stream as soon as that flag is set, with the answer under way.
    """

    told: bool = False
    interrupted: bool = False
    """Whether a person did, with Ctrl-C."""
    at_once: bool = False
    """Interrupted once more, it does not wait for what is under way."""
    orphaned: bool = False
    """Nobody is left who would tell clients where to go: the address is wanted by whoever starts it again."""

    @contextmanager
    def heard(self) -> Iterator["ProcessEnding"]:
        """Hear signals from here on, those that were held back too."""
        before = {number: signal.signal(number, self._hear) for number in SIGNALS}
        let_through()
        try:
            yield self
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def follow(self, parent: Connection) -> None:
        """End when the parent says so, and when it is gone."""
        threading.Thread(target=self._listen, args=(parent,), name="parent", daemon=True).start()

    def _hear(self, number: int, _frame: FrameType | None) -> None:
        if number == signal.SIGINT:
            self.at_once |= self.told
            self.interrupted = True
        self.told = True

    def _listen(self, parent: Connection) -> None:
        try:
            parent.recv_bytes()
            self.told = True
            parent.recv_bytes()
            self.at_once = True
        except (EOFError, OSError):
            self.orphaned = self.told = True


@contextmanager
def held_back() -> Iterator[None]:
    """Hold signals back here, and in processes that are started meanwhile, where the system can."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def let_through() -> None:
    """Let signals through that were held back when this process was started."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
