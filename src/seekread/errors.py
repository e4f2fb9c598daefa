"""
Every failure a caller can tell apart, and what the engine does about it.

SeekreadError
├── InvalidQuery          the caller's mistake              stop, tell the caller what to send instead
├── Misconfigured         a setting is wrong                stop, name the setting
├── Refused               policy or the guard said no       stop, tell the caller which setting decides
│   └── Malformed         this is not a web address         the same for a redirect; given so, an InvalidQuery
├── AllFailed             nobody could answer               stop, list every attempt
└── ProviderError         one provider failed               try the next provider
    ├── NotConfigured     a key or URL is missing           skip, and say which
    ├── Unauthorized      the key was rejected              skip until the configuration changes
    ├── RateLimited       too fast; carries `retry_after`   skip for that long
    ├── QuotaExhausted    paid for, and used up             skip until it resets
    ├── TimedOut          no answer in time                 retry within the budget, then skip
    ├── Unreachable       refused, reset, 5xx               retry within the budget, then skip
    ├── Blocked           a challenge or block page         skip
    ├── BadReply          answered, but not as documented   skip, and keep the evidence
    ├── Overloaded        our own room is full              the next provider; nothing was sent
    ├── SuspiciousEmpty   empty, but not believable         skip
    └── Unreadable        this page cannot be read so       the next reader, if another could do better

Every error names its `outcome`; `outcomes.MEANINGS` says the rest.
Messages are masked when they are built, so no traceback can carry a key.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar

from seekread.outcomes import MEANINGS, Outcome
from seekread.redact import redact

if TYPE_CHECKING:
    from seekread.models import Attempt, Cost, SearchResponse


A_YEAR = 365 * 86_400.0


class SeekreadError(Exception):
    """Base class: `except SeekreadError` catches everything seekread raises on purpose."""

    def __init__(self, message: str) -> None:
        super().__init__(redact(message))


class InvalidQuery(SeekreadError, ValueError):
    """The caller's arguments do not make sense; the message says what to send instead."""


class Misconfigured(SeekreadError):
    """A setting is wrong; the message names it."""


class Refused(SeekreadError):
    """Policy or the guard said no. `code` is stable; the message never names a resolved address."""

    outcome: ClassVar[Outcome] = "refused"

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Malformed(Refused):
    """An address that no program should try to read; as the address a caller gave, it is the caller's mistake."""


class ProviderError(SeekreadError):
    """
    One provider failed; the engine may answer from another.

    `sent` is false when the request certainly never left, as when no connection was made: such a call costs nothing.
    """

    outcome: Outcome = "unreachable"
    cost: "Cost | None" = None
    """What the service says that this failure cost."""

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        body: str = "",
        retry_after: float | None = None,
        sent: bool = True,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.body = redact(body)
        self.sent = sent
        # Services have been seen to ask for more years than a clock can count.
        self.retry_after = None if retry_after is None else max(0.0, min(retry_after, A_YEAR))

    def mask(self, secrets: Iterable[str]) -> None:
        """Mask keys that only the caller knows of, as when a service repeats ours."""
        known = tuple(secrets)
        self.args = (redact(str(self), known),)
        self.body = redact(self.body, known)


class NotConfigured(ProviderError):
    """A key or URL is missing."""

    outcome = "not_configured"


class Unauthorized(ProviderError):
    """The provider rejected the key."""

    outcome = "auth_failed"


class RateLimited(ProviderError):
    """The provider asked us to slow down."""

    outcome = "rate_limited"


class QuotaExhausted(ProviderError):
    """The plan is used up. `limit` and `resets_on` (`YYYY-MM-DD`) are set when they are known."""

    outcome = "quota_exhausted"

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        body: str = "",
        retry_after: float | None = None,
        limit: int | None = None,
        resets_on: str | None = None,
    ) -> None:
        super().__init__(message, status=status, body=body, retry_after=retry_after)
        self.limit = limit
        self.resets_on = resets_on


class TimedOut(ProviderError):
    """No answer came in time."""

    outcome = "timeout"


class Unreachable(ProviderError):
    """The provider could not be reached, or failed on its side."""

    outcome = "unreachable"


class Blocked(ProviderError):
    """The provider answered with a challenge or a block page."""

    outcome = "blocked"


class BadReply(ProviderError):
    """The provider answered with something its documentation does not describe."""

    outcome = "bad_reply"


class Overloaded(ProviderError):
    """There was no room here for another call: nothing was sent, and the provider has nothing to do with it."""

    outcome = "overloaded"


class SuspiciousEmpty(ProviderError):
    """The provider returned nothing, and there is reason not to believe it."""

    outcome = "suspicious_empty"


class Unreadable(ProviderError):
    """A page cannot be read; `outcome` says why (`needs_js`, `paywalled`, `too_large`, …)."""

    def __init__(
        self, outcome: Outcome, message: str, *, status: int | None = None, cost: "Cost | None" = None
    ) -> None:
        super().__init__(message, status=status)
        self.outcome = outcome
        self.cost = cost


class AllFailed(SeekreadError):
    """Nobody could answer. `response` holds every attempt and the outcome that says most."""

    def __init__(self, response: "SearchResponse") -> None:
        self.response = response
        super().__init__(f"{self.tried}. {MEANINGS[response.outcome].advise(self.retry_after)}")

    @property
    def tried(self) -> str:
        """Who was asked and what came of it, without the advice to a model."""
        # Who failed again as before is told once; the attempts hold both.
        told = dict.fromkeys(f"{a.provider}: {a.outcome} ({a.message})" for a in self.response.attempts)
        tried = "; ".join(told)
        return redact(f"no provider could answer: {tried or 'none is configured'}")

    @property
    def outcome(self) -> Outcome:
        """The outcome of the search as a whole."""
        return self.response.outcome

    @property
    def retry_after(self) -> float | None:
        """Seconds until the first of those asked may be asked again, where one said so."""
        return soonest(self.response.attempts)


def soonest(attempts: Iterable["Attempt"]) -> float | None:
    """Seconds until the first of those asked may be asked again, where one said so."""
    return min((a.retry_after for a in attempts if a.retry_after is not None), default=None)
