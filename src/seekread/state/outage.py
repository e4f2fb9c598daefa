"""An outage is reported once, when it begins, and once more when it is over."""

import logging

from seekread.ports import Clock
from seekread.redact import redact

log = logging.getLogger("seekread.state")


class Outage:
    """Whether one kind of work (reading, writing) fails at the moment, and until when not to try again."""

    def __init__(self, clock: Clock, what: str, *, pause: float = 5.0, level: int = logging.WARNING) -> None:
        self._clock = clock
        self._what = what
        self._pause = pause
        self._level = level
        self._until: float | None = None
        self.reason = ""
        self.failures = 0

    @property
    def is_on(self) -> bool:
        """Whether the last try failed."""
        return self._until is not None

    def lasts(self) -> bool:
        """Whether it is too early to try again. Afterwards all may until one fails, so nobody is refused in vain."""
        return self._until is not None and self._clock.monotonic() < self._until

    def failed(self, error: BaseException) -> None:
        """Note a failure; the first one is a line in the log."""
        self.reason = redact(str(error))
        self.failures += 1
        if self._until is None and not _was_told(error):
            log.log(self._level, "%s fails, going on without it: %s", self._what, self.reason)
        self._until = self._clock.monotonic() + self._pause

    def worked(self) -> None:
        """Note a success; the first one after failures is worth a line."""
        if self._until is not None:
            log.info("%s works again", self._what)
            self._until = None


def _was_told(error: BaseException) -> bool:
    """Whether whoever raised it has warned already."""
    return any(getattr(each, "told", False) for each in (error, error.__cause__))
