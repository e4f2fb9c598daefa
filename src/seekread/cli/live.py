"""
A line that says who is being asked, for how long, and who could not answer, while a person waits.

It stands on stderr, on a terminal, and is gone when the answer comes. Whoever answers quickly is never named.
"""

import asyncio
import logging
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from seekread.cli.display import ScreenLook, columns, look_of
from seekread.outcomes import MEANINGS, is_failure

PATIENCE = 0.4
"""Seconds before the line is shown."""
TICK = 0.1
CLEARED = "\r\x1b[K"


class Watch(logging.Handler):
    """Hears what the engine says about its attempts."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.asking: dict[str, float] = {}
        self.failed: dict[str, str] = {}

    def emit(self, record: logging.LogRecord) -> None:
        if (begun := getattr(record, "seekread_asks", None)) is not None:
            self.asking[begun] = time.monotonic()
        elif (ended := getattr(record, "seekread", None)) is not None:
            self.asking.pop(ended["provider"], None)
            if is_failure(ended["outcome"]):
                self.failed[ended["provider"]] = MEANINGS[ended["outcome"]].label

    def line(self, look: ScreenLook) -> str:
        """Who could not answer and why, and who is being asked, for how long."""
        now = time.monotonic()
        gone = [f"{name}: {label}" for name, label in self.failed.items() if name not in self.asking]
        here = [f"asking {name} {now - since:.1f} s" for name, since in self.asking.items()]
        text = " → ".join([*gone, " + ".join(here)]) if here else ""
        while columns(text) >= look.width and " → " in text:
            text = text.partition(" → ")[2]
        return text[: look.width - 1]


@asynccontextmanager
async def live_line(*, wanted: bool) -> AsyncIterator[None]:
    """Show the line while something takes long; nothing at all where nobody looks."""
    look = look_of(sys.stderr)
    if not (wanted and look.rich and look.colour and sys.stderr.isatty()):
        yield
        return
    watch, logger = Watch(), logging.getLogger("seekread.attempts")
    before = logger.level
    logger.addHandler(watch)
    logger.setLevel(logging.DEBUG)
    # Not a group of tasks: what goes wrong in the search should come out as what it is.
    drawing = asyncio.ensure_future(draw(watch, look))
    try:
        yield
    finally:
        drawing.cancel()
        logger.removeHandler(watch)
        logger.setLevel(before)
        sys.stderr.write(CLEARED)
        sys.stderr.flush()


async def draw(watch: Watch, look: ScreenLook) -> None:
    await asyncio.sleep(PATIENCE)
    while True:
        sys.stderr.write(f"{CLEARED}{look.styled(watch.line(look), 'dim')}")
        sys.stderr.flush()
        await asyncio.sleep(TICK)
