"""The real clock. Tests bring another one."""

import time

import anyio


class SystemClock:
    """Time as the machine tells it."""

    def time(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await anyio.sleep(seconds)
