"""The one place that puts a failure into words for a model or a person: what happened, and what to do next."""

from typing import Any

from seekread.errors import AllFailed, InvalidQuery, Misconfigured, ProviderError, Refused, SeekreadError, soonest
from seekread.models import Page
from seekread.outcomes import MEANINGS, Outcome


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
        return 2
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
    return " ".join(filter(None, (sentence(str(error)), advice)))


def explain_page(page: Page) -> str:
    """The sentence a model reads when a page could not be read."""
    asked_wrongly = page.metadata.get("code") in {"invalid_argument", "not_available"}
    advice = "" if asked_wrongly else MEANINGS[page.outcome].advise(soonest(page.attempts))
    return " ".join(filter(None, (sentence(page.error or page.outcome), advice)))


def sentence(text: str) -> str:
    """End with a full stop."""
    return text if text.endswith((".", "!", "?")) else f"{text}."
