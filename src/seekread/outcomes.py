"""
The closed set of outcomes of every search and every read.

Nothing found is an answer; failure is an error; they never look alike.
For each outcome one row says what the engine does next, which exit code the command line returns
and the sentence a model reads. Nobody else writes such a sentence.
"""

from dataclasses import dataclass
from typing import Literal, get_args

Outcome = Literal[
    "ok",
    "empty",
    "suspicious_empty",
    "blocked",
    "rate_limited",
    "quota_exhausted",
    "auth_failed",
    "not_configured",
    "timeout",
    "unreachable",
    "bad_reply",
    "not_found",
    "needs_js",
    "paywalled",
    "too_large",
    "unsupported_type",
    "refused",
    "cancelled",
]

Step = Literal["answer", "retry", "skip", "stop"]
"""What the engine does next: hand it out, ask again within the budget, go to the next provider, or give up."""


@dataclass(frozen=True)
class Meaning:
    """What an outcome means to the engine, to a shell and to a model."""

    step: Step
    exit_code: int
    advice: str


MEANINGS: dict[Outcome, Meaning] = {
    "ok": Meaning("answer", 0, ""),
    "empty": Meaning(
        "answer", 3, "Nothing was found. Try other words, fewer filters or a longer time range before you conclude."
    ),
    "suspicious_empty": Meaning(
        "skip",
        1,
        "The engine returned nothing, and it could not be confirmed that nothing exists. Do not report "
        "that there are no results; try again later or with another provider.",
    ),
    "blocked": Meaning(
        "skip", 1, "The site or engine answered with a block or a challenge page. Use another source or provider."
    ),
    "rate_limited": Meaning("skip", 5, "Too many requests for now. Wait before you try again; do not repeat at once."),
    "quota_exhausted": Meaning(
        "skip", 5, "The plan is used up. Do not try this provider again before it resets; tell the user."
    ),
    "auth_failed": Meaning(
        "skip", 4, "The provider rejected the key. Tell the user to check it; retrying cannot help."
    ),
    "not_configured": Meaning(
        "skip", 4, "The provider is not set up. Tell the user which setting is missing; retrying cannot help."
    ),
    "timeout": Meaning("retry", 1, "No answer came in time. You may try once more, or use another source."),
    "unreachable": Meaning("retry", 1, "The service could not be reached or failed. Try again later or elsewhere."),
    "bad_reply": Meaning("skip", 1, "The answer could not be understood. Use another source or provider."),
    "not_found": Meaning("stop", 1, "There is no such page (any more). Check the address or open the page again."),
    "needs_js": Meaning(
        "skip", 1, "The page shows nothing without JavaScript. Use a browser reader or another source."
    ),
    "paywalled": Meaning("skip", 1, "The page is behind a paywall or login. Use another source."),
    "too_large": Meaning("stop", 1, "The page is larger than the limit. Look for a smaller page on the same subject."),
    "unsupported_type": Meaning("stop", 1, "The address holds a type of file that cannot be read as text."),
    "refused": Meaning("stop", 6, "The request was refused by policy. Do not try to get around it; tell the user."),
    "cancelled": Meaning("stop", 130, "The request was cancelled before it finished."),
}

FAILURES: frozenset[Outcome] = frozenset(get_args(Outcome)) - {"ok", "empty"}
"""Every outcome that is not an answer."""


def is_failure(outcome: Outcome) -> bool:
    """Say whether an outcome is a failure: everything but `ok` and `empty`."""
    return outcome in FAILURES
