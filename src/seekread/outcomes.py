"""
The closed set of outcomes of every search and every read.

Nothing found is an answer; failure is an error; they never look alike.
For each outcome one row says everything that follows from it: what the engine does next, what the call costs, which
exit code and HTTP status it has, and what a model and a person are told. Nobody else lists outcomes.
"""

import math
from typing import Literal

from seekread.late import dataclass

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
    "overloaded",
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

Tone = Literal["good", "plain", "bad"]
"""How it is shown: as an answer, as nothing to worry about, or as something that went wrong."""


@dataclass(frozen=True, kw_only=True)
class Meaning:
    """What an outcome means to the engine, to programs, to a model and to a person."""

    step: Step
    exit_code: int
    """What the command line returns."""
    status: int
    """What a client of HTTP reads: whose fault it is, and whether trying again can help."""

    advice: str
    """The sentence a model reads; `{wait}` is how long it should wait."""
    label: str
    """The outcome in a person's words."""
    remedy: str
    """What a person can do about it."""
    search_failed: str = "No engine could answer"
    """What stands above a search that ended so, for a person."""
    read_failed: str = "This page could not be read"
    tone: Tone = "bad"

    charged: bool = True
    """Whether a call that ended so counts as used; who turns us away at the door does not charge."""
    held_against: bool = False
    """Whether it speaks against whoever was asked: after too many the provider is left alone for a while."""
    passes: bool = False
    """Whether it passes by itself, so that waiting helps where somebody said for how long."""
    lasts: bool = False
    """Whether whatever is asked next ends the same way, until a period is over or somebody changes a setting."""
    suspects: tuple[str, ...] = ()
    """The settings of a provider that may be wrong then."""
    for_a_browser: bool = False
    """Whether a browser may get past what our own fetch of a page ran into."""

    def advise(self, retry_after: float | None = None) -> str:
        """The sentence a model reads, with the time to wait where it speaks of one."""
        return self.advice.format(wait=f"{max(1, math.ceil(retry_after or 0))} s")


MEANINGS: dict[Outcome, Meaning] = {
    "ok": Meaning(
        step="answer",
        exit_code=0,
        status=200,
        advice="",
        label="answered",
        remedy="",
        tone="good",
    ),
    "empty": Meaning(
        step="answer",
        exit_code=3,
        status=200,
        advice="Nothing was found. Try other words, fewer filters or a longer time range before you conclude.",
        label="nothing found",
        remedy="Try other words, fewer filters or a longer time range.",
        tone="plain",
    ),
    "suspicious_empty": Meaning(
        step="skip",
        exit_code=1,
        status=502,
        advice=(
            "The engine returned nothing, and it could not be confirmed that nothing exists. Do not report "
            "that there are no results; try again later or with another provider."
        ),
        label="empty, not believed",
        remedy="Try again in a while or ask another engine. Nothing says yet that there are no results.",
        search_failed="The engine returned nothing, and that could not be confirmed",
    ),
    "blocked": Meaning(
        step="skip",
        exit_code=1,
        status=502,
        advice="The site or engine answered with a block or a challenge page. Use another source or provider.",
        label="blocked",
        remedy="Nothing is wrong with your request. Use another engine or another source, or try again much later.",
        read_failed="The site turned us away",
        held_against=True,
        for_a_browser=True,
    ),
    "rate_limited": Meaning(
        step="skip",
        exit_code=5,
        status=429,
        advice="Too many requests for now. Wait before you try again; do not repeat at once.",
        label="too many requests",
        remedy="Wait a moment before you try again.",
        search_failed="Too many requests for now",
        charged=False,
        held_against=True,
        passes=True,
    ),
    "quota_exhausted": Meaning(
        step="skip",
        exit_code=5,
        status=429,
        advice="The plan is used up. Do not try this provider again before it resets; tell the user.",
        label="plan used up",
        remedy="Wait until the plan resets, take a larger one, or ask another engine.",
        search_failed="The plan is used up",
        charged=False,
        lasts=True,
    ),
    "auth_failed": Meaning(
        step="skip",
        exit_code=4,
        status=502,
        advice="The provider rejected the key. Tell the user to check it; retrying cannot help.",
        label="key rejected",
        remedy="Check the key: it may be mistyped, revoked or of another plan.",
        search_failed="The engine rejected the key",
        charged=False,
        suspects=("api_key", "base_url"),
        lasts=True,
    ),
    "not_configured": Meaning(
        step="skip",
        exit_code=4,
        status=503,
        advice="The provider is not set up. Tell the user which setting is missing; retrying cannot help.",
        label="not set up",
        remedy="Set what is missing; a service that is running has to be started again.",
        search_failed="No search engine is set up",
        charged=False,
        lasts=True,
    ),
    "timeout": Meaning(
        step="retry",
        exit_code=1,
        status=504,
        advice="No answer came in time. You may try once more, or use another source.",
        label="no answer in time",
        remedy="Try once more; if it stays slow, ask another engine or use another source.",
        read_failed="The page did not answer in time",
        held_against=True,
        passes=True,
        suspects=("base_url", "proxy"),
    ),
    "unreachable": Meaning(
        step="retry",
        exit_code=1,
        status=502,
        advice="The service could not be reached or failed. Try again later or elsewhere.",
        label="not reachable",
        remedy="Check the connection and the address, or try again later.",
        held_against=True,
        passes=True,
        suspects=("base_url", "proxy"),
    ),
    "bad_reply": Meaning(
        step="skip",
        exit_code=1,
        status=502,
        advice="The answer could not be understood. Use another source or provider.",
        label="unreadable answer",
        remedy="The service may have changed its API. Ask another engine, and look for a newer seekread.",
        held_against=True,
        suspects=("base_url",),
    ),
    "overloaded": Meaning(
        step="skip",
        exit_code=5,
        status=503,
        advice="Too much is under way here right now. Wait {wait} and try once more; nothing was spent.",
        label="too much at once",
        remedy="Wait a moment and try once more. Nothing was sent and nothing was spent.",
        search_failed="Too much is under way here right now",
        read_failed="Too much is under way here right now",
        charged=False,
        passes=True,
    ),
    "not_found": Meaning(
        step="stop",
        exit_code=1,
        status=404,
        advice="There is no such page (any more). Check the address or open the page again.",
        label="not there",
        remedy="Check the address. The page may have moved or been taken down.",
        read_failed="There is no such page",
    ),
    "needs_js": Meaning(
        step="skip",
        exit_code=1,
        status=502,
        advice="The page shows nothing without JavaScript. Use a browser reader or another source.",
        label="needs JavaScript",
        remedy="Let a browser read it: install seekread[browser] and add browser to the readers.",
        read_failed="This page shows nothing without JavaScript",
        for_a_browser=True,
    ),
    "paywalled": Meaning(
        step="skip",
        exit_code=1,
        status=403,
        advice="The page is behind a paywall or login. Use another source.",
        label="behind a paywall",
        remedy="Use another source, or open it in your own browser if you have an account there.",
        read_failed="This page is behind a paywall or login",
    ),
    "too_large": Meaning(
        step="stop",
        exit_code=1,
        status=502,
        advice="The page is larger than the limit. Look for a smaller page on the same subject.",
        label="too large",
        remedy="Look for a smaller page on the same subject.",
        read_failed="This page is too large",
    ),
    "unsupported_type": Meaning(
        step="stop",
        exit_code=1,
        status=502,
        advice="The address holds a type of file that cannot be read as text.",
        label="not a text",
        remedy="Only text can be read here: HTML, PDF, office files, e-mail, Markdown, JSON, feeds.",
        read_failed="This is not a page of text",
    ),
    "refused": Meaning(
        step="stop",
        exit_code=6,
        status=403,
        advice="The request was refused by policy. Do not try to get around it; tell the user.",
        label="refused by policy",
        remedy="This is a rule of whoever set seekread up; the message names the setting that decides.",
        search_failed="This search was refused",
        read_failed="This address was refused",
        charged=False,
    ),
    "cancelled": Meaning(
        step="stop",
        exit_code=130,
        status=503,
        advice="The request was cancelled before it finished.",
        label="cancelled",
        remedy="It was no longer needed: another engine had answered, or somebody stopped waiting.",
        tone="plain",
    ),
}

FAILURES: frozenset[Outcome] = frozenset(name for name, meaning in MEANINGS.items() if meaning.step != "answer")
"""Every outcome that is not an answer."""


def is_failure(outcome: Outcome) -> bool:
    """Say whether an outcome is a failure: everything but `ok` and `empty`."""
    return outcome in FAILURES
