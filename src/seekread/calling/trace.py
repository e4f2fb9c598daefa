"""What happened on the way: every attempt, in order, for the caller, the log and the next decision."""

import logging
from dataclasses import field

from seekread.calling.unwatched import UNWATCHED
from seekread.errors import ProviderError
from seekread.late import dataclass
from seekread.models import Attempt
from seekread.outcomes import Outcome, is_failure
from seekread.ports import Telemetry

logger = logging.getLogger("seekread.attempts")


@dataclass
class Trace:
    """The attempts and notes of one request."""

    kind: str = "search"
    attempts: list[Attempt] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    telemetry: Telemetry = UNWATCHED

    def note(self, *notes: str) -> None:
        """Keep a note for the caller, once."""
        self.notes.extend(note for note in notes if note not in self.notes)

    def begins(self, provider: str) -> None:
        """Log that a provider is being asked, for whoever watches."""
        logger.debug("%s asks provider=%s", self.kind, provider, extra={"seekread_asks": provider})

    def attempt(
        self,
        provider: str,
        outcome: Outcome,
        seconds: float,
        *,
        status: int | None = None,
        message: str = "",
        retry_after: float | None = None,
    ) -> None:
        """Keep one attempt and log it as one event."""
        entry = Attempt(
            provider=provider,
            outcome=outcome,
            status=status,
            milliseconds=round(seconds * 1000),
            message=message,
            retry_after=retry_after,
        )
        self.attempts.append(entry)
        self.telemetry.attempt(self.kind, provider, outcome, seconds, status=status)
        if logger.isEnabledFor(logging.INFO):
            logger.info(
                "%s provider=%s outcome=%s status=%s ms=%d", self.kind, provider, outcome, status, entry.milliseconds,
                extra={"seekread": {"kind": self.kind, **entry.model_dump(exclude={"message"})}},
            )  # fmt: skip

    def failed(self, provider: str, error: ProviderError, seconds: float) -> None:
        """Keep an attempt that ended in an error."""
        self.attempt(
            provider, error.outcome, seconds, status=error.status, message=str(error), retry_after=error.retry_after
        )

    @property
    def verdict(self) -> Outcome:
        """
        The outcome of a request nobody answered: what the most preferred provider that was set up ran into.

        Unless it ended in our own full room: then nothing is wrong with anybody, and waiting helps.
        """
        failed = [a.outcome for a in self.attempts if is_failure(a.outcome) and a.outcome != "not_configured"]
        if failed and failed[-1] == "overloaded":
            return "overloaded"
        return next((outcome for outcome in failed if outcome != "overloaded"), "not_configured")
