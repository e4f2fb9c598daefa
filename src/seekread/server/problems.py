"""
Failures as RFC 9457 problems: one status per outcome, one body for every native endpoint.

Nothing found is no problem: it is a 200 with outcome `empty`. A failure is never a 200.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from http import HTTPStatus
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from seekread.errors import AllFailed, InvalidQuery, ProviderError, SeekreadError, soonest
from seekread.late import dataclass
from seekread.models import Attempt, Page
from seekread.outcomes import MEANINGS, Outcome
from seekread.ports import StoreUnavailable
from seekread.render.failure import asked_wrongly, explain, explain_page, outcome_of

TYPE = "urn:problem-type:seekread:"


class Problem(BaseModel):
    """What went wrong, as RFC 9457 says it, with the outcome and every attempt beside it."""

    model_config = ConfigDict(frozen=True)

    type: str = Field(description="A stable name of the kind of problem.")
    title: str = Field(description="The kind of problem in words.")
    status: int = Field(description="The HTTP status.")
    detail: str = Field(default="", description="What happened, and what to do about it.")
    outcome: Outcome | None = Field(default=None, description="How the search or read ended.")
    attempts: tuple[Attempt, ...] = Field(default=(), description="Everybody who was asked, and how that went.")


@dataclass(eq=False)
class Rejected(Exception):
    """A request that is not answered; carries its problem."""

    problem: Problem
    headers: Mapping[str, str] = field(default_factory=dict)


def problem(status: int, kind: str, detail: str = "", **facts: Any) -> Problem:
    """A problem by its status and the name of its kind."""
    words = kind.replace("_", " ")
    return Problem(type=TYPE + kind, title=words[0].upper() + words[1:], status=status, detail=detail, **facts)


def rejected(status: int, kind: str, detail: str = "", **headers: str) -> Rejected:
    """A rejection, with headers by their names in snake case."""
    return Rejected(problem(status, kind, detail), {name.replace("_", "-"): text for name, text in headers.items()})


def of_error(error: SeekreadError) -> Problem:
    """The problem an error of ours stands for."""
    if isinstance(error, InvalidQuery):
        return problem(400, "invalid_request", explain(error))
    if isinstance(error, StoreUnavailable):
        return problem(503, "store_unavailable", explain(error))
    outcome = outcome_of(error)
    attempts = error.response.attempts if isinstance(error, AllFailed) else ()
    if outcome is None:
        return problem(500, "failed", explain(error))
    return of_outcome(outcome, explain(error), attempts)


def unread(page: Page) -> Rejected:
    """The rejection a page that could not be read stands for."""
    if asked_wrongly(page):
        return rejected(400, "invalid_request", explain_page(page))
    found = of_outcome(page.outcome, explain_page(page), page.attempts)
    return Rejected(found, retry_after(soonest(page.attempts)))


def overloaded(wait: float) -> Rejected:
    """The rejection of a request there is no room for, in the words of a search there is no room for."""
    return Rejected(of_outcome("overloaded", MEANINGS["overloaded"].advise(wait), ()), retry_after(wait))


def of_outcome(outcome: Outcome, detail: str, attempts: tuple[Attempt, ...]) -> Problem:
    """The problem an outcome stands for."""
    return problem(MEANINGS[outcome].status, outcome, detail, outcome=outcome, attempts=attempts)


def of_validation(error: ValidationError) -> Problem:
    """The problem of a request that does not fit its model: every wrong field with what is wrong about it."""
    return problem(400, "invalid_request", "; ".join(mistakes(error.errors(include_input=False, include_url=False))))


def mistakes(errors: Sequence[Any]) -> list[str]:
    """Each mistake with the place it was made in; what we say ourselves names its place already."""
    return [
        str(e["ctx"]["error"])
        if e["type"] == "value_error"
        else f"{'.'.join(str(part) for part in e['loc']) or 'body'}: {e['msg']}"
        for e in errors
    ]


def of_status(status: int, detail: str = "") -> Problem:
    """The problem of a bare HTTP status, such as that of an unknown address."""
    return problem(status, HTTPStatus(status).phrase.lower().replace(" ", "_").replace("-", "_"), detail)


def retry_headers(error: SeekreadError) -> dict[str, str]:
    """When to try again, where somebody said so."""
    return retry_after(error.retry_after if isinstance(error, ProviderError | AllFailed) else None)


def retry_after(seconds: float | None) -> dict[str, str]:
    """The header that says when to try again."""
    return {"retry-after": str(max(1, math.ceil(seconds)))} if seconds else {}


FailureShape = Callable[[Problem, Mapping[str, str]], Response]
"""How a failure is put for the clients of an address."""

EXPECTED: tuple[type[Exception], ...] = (Rejected, SeekreadError, ValidationError, HTTPException, ClientDisconnect)
"""What endpoints raise on purpose."""


def told(error: Exception) -> tuple[Problem, dict[str, str]]:
    """The problem and the headers any error stands for."""
    match error:
        case Rejected():
            return error.problem, dict(error.headers)
        case SeekreadError():
            return of_error(error), retry_headers(error)
        case ValidationError():
            return of_validation(error), {}
        case HTTPException():
            return of_status(error.status_code, error.detail), dict(error.headers or {})
        case ClientDisconnect():
            return problem(400, "left", "The client left before it had sent everything."), {}
        case _:
            return problem(500, "internal_error", "A mistake of the service; its log says more."), {}


def native(failed: Problem, headers: Mapping[str, str]) -> Response:
    """A problem as our own endpoints send it."""
    body = failed.model_dump_json(exclude_none=True)
    return Response(body, failed.status, headers=dict(headers), media_type="application/problem+json")
