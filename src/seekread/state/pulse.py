"""
Signs of life: a thread renews the leases of a process, whatever its event loops are busy with.

It is there only while something is held for longer than a moment. A loop could not do it: a process that has just
started spends its first second importing, and would lose what it holds.
"""

import os
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from seekread.ports import Lease, Store, StoreUnavailable

LEASE, RENEWED = 0.8, 0.25
"""Seconds the lock of a process outlives it, and seconds between two signs of life."""


class Pulse:
    """Keeps leases alive until they are given back, or the process ends."""

    def __init__(self, every: float = RENEWED) -> None:
        self._every = every
        self._held: dict[Lease, tuple[Store, float]] = {}
        self._mutex = threading.Lock()
        self._beating = False
        self._process = os.getpid()

    @contextmanager
    def holding(self, store: Store, lease: Lease | None, seconds: float) -> Iterator[None]:
        """Renew a lease, if there is one, for as long as this lasts."""
        if lease is None:
            yield
            return
        self._hold(store, lease, seconds)
        try:
            yield
        finally:
            self._held.pop(lease, None)

    def _hold(self, store: Store, lease: Lease, seconds: float) -> None:
        if self._process != os.getpid():
            # In a forked child there is no thread, and what is held is the parent's.
            self._held, self._mutex, self._beating, self._process = {}, threading.Lock(), False, os.getpid()
        with self._mutex:
            self._held[lease] = (store, seconds)
            if not self._beating:
                self._beating = True
                threading.Thread(target=self._beat, name="seekread-pulse", daemon=True).start()

    def _beat(self) -> None:
        while True:
            time.sleep(self._every)
            with self._mutex:
                if not self._held:
                    self._beating = False
                    return
                held = list(self._held.items())
            together: defaultdict[tuple[Store, float], list[Lease]] = defaultdict(list)
            for lease, where in held:
                together[where].append(lease)
            for (store, seconds), leases in together.items():
                # Where it fails others may work as well: it saves nothing, and harms nobody.
                with suppress(StoreUnavailable):
                    store.renew(*leases, lifetime=seconds)
