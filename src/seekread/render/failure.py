"""
The one place that puts a failure into words for a model or a person: what happened, and what to do next.

An error may repeat what a page or a service said, such as the names of sections: it says nothing in Markdown.
"""

from typing import Any

from seekread.errors import AllFailed, InvalidQuery, Misconfigured, ProviderError, Refused, SeekreadError, soonest
from seekread.models import Page
from seekread.outcomes import MEANINGS, Outcome
from seekread.page.gate import unspoken
from seekread.page.invisible import one_line

USAGE = 2
"""What the command line returns for a mistake of the caller's."""


def outcome_of(error: SeekreadError) -> Outcome | None:
    """The outcome an error stands for; `None` for mistakes of the caller."""
    match error:
        case AllFailed() | Refused() | ProviderError():
            return error.outcome
        case Misconfigured():
            return "not_configured"
        case _:
            return None


def exit_code(error: SeekreadError) -> int:
    """What the command line returns for an error."""
    if isinstance(error, InvalidQuery):
        return USAGE
    outcome = outcome_of(error)
    return MEANINGS[outcome].exit_code if outcome else 1


def failure_values(error: SeekreadError) -> dict[str, Any]:
    """A failure as plain values, for programs."""
    attempts = [a.model_dump(mode="json") for a in error.response.attempts] if isinstance(error, AllFailed) else []
    return {"error": str(error), "outcome": outcome_of(error), "attempts": attempts}


def explain(error: SeekreadError) -> str:
    """The sentence a model reads: the error, then its advice."""
    outcome = outcome_of(error)
    # The one brings its advice along; the other names the setting that is wrong, which is no provider's key.
    complete = isinstance(error, AllFailed | Misconfigured)
    wait = error.retry_after if isinstance(error, ProviderError) else None
    advice = MEANINGS[outcome].advise(wait) if outcome and not complete else ""
    return " ".join(filter(None, (sentence(unspoken(one_line(str(error)))), advice)))


def tell(error: SeekreadError) -> str:
    """The same for a person, who is told what can be done and not what to tell the user."""
    outcome = outcome_of(error)
    told = error.tried if isinstance(error, AllFailed) else str(error)
    remedy = MEANINGS[outcome].remedy if outcome and not isinstance(error, Misconfigured) else ""
    return " ".join(filter(None, (sentence(one_line(told)), remedy)))


def explain_page(page: Page) -> str:
    """The sentence a model reads when a page could not be read."""
    advice = "" if complete(page) else MEANINGS[page.outcome].advise(soonest(page.attempts))
    return " ".join(filter(None, (sentence(unspoken(one_line(page.error or page.outcome))), advice)))


def tell_page(page: Page) -> str:
    """The same for a person."""
    remedy = "" if complete(page) else MEANINGS[page.outcome].remedy
    return " ".join(filter(None, (sentence(one_line(page.error or page.outcome)), remedy)))


def complete(page: Page) -> bool:
    """Whether the error of a page says itself what to do, because what was asked for is not there."""
    return page.metadata.get("code") in {"invalid_argument", "not_available"}


def asked_wrongly(page: Page) -> bool:
    """Whether a page was not read because of a mistake of the caller's."""
    return page.metadata.get("code") == "invalid_argument"


def page_exit_code(page: Page) -> int:
    """What the command line returns for a page that could not be read."""
    return USAGE if asked_wrongly(page) else MEANINGS[page.outcome].exit_code


def sentence(text: str) -> str:
    """End with a full stop."""
    return text if text.endswith((".", "!", "?")) else f"{text}."
