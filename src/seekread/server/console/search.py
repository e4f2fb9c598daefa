"""The search page: a person's question, the answer, and how it came about."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Self

from starlette.requests import Request
from starlette.responses import Response

from seekread.errors import AllFailed, InvalidQuery, Misconfigured, SeekreadError
from seekread.models import SearchResponse
from seekread.outcomes import MEANINGS, Outcome
from seekread.render.failure import explain, outcome_of, sentence
from seekread.server.console.links import here, is_own_wish
from seekread.server.console.pages import page
from seekread.server.sessions import Session, current

TYPES = {"general": "Everything", "news": "News", "recent": "The last 30 days"}
FRESHNESS = {"": "Any time", "day": "Past day", "week": "Past week", "month": "Past month", "year": "Past year"}
LIMITS = ("5", "10", "20", "50")
EXAMPLES = ("what is prompt injection", "how does a circuit breaker work", "what does robots.txt allow")


@dataclass(frozen=True)
class SearchForm:
    """What stands in the search form."""

    q: str = ""
    provider: str = ""
    limit: str = ""
    type: str = "general"
    freshness: str = ""
    site: str = ""
    not_site: str = ""
    language: str = ""
    country: str = ""

    @classmethod
    def of(cls, sent: Mapping[str, str]) -> Self:
        """The form as it was sent; anything else in the address is left alone."""
        return cls(**{field.name: sent.get(field.name, str(field.default)).strip() for field in fields(cls)})

    @property
    def filters(self) -> int:
        """How many filters are set."""
        usual = replace(type(self)(), q=self.q)
        return sum(value != getattr(usual, name) for name, value in asdict(self).items())

    def parameters(self, **changes: object) -> dict[str, object]:
        """What the address of this search carries; defaults are left out."""
        usual = type(self)()
        return {name: value for name, value in {**asdict(self), **changes}.items() if value != getattr(usual, name, "")}

    def options(self, default_limit: int) -> dict[str, Any]:
        """The arguments of a search."""
        return {
            "provider": self.provider,
            "limit": self.limit or default_limit,
            "search_type": self.type or "general",
            "freshness": self.freshness,
            "allowed_domains": self.site,
            "blocked_domains": self.not_site,
            "language": self.language or None,
            "country": self.country or None,
        }


@dataclass(frozen=True)
class FailedSearch:
    """A search that was not answered."""

    message: str
    outcome: Outcome | None = None
    response: SearchResponse | None = None


async def search_page(request: Request) -> Response:
    """The search form, and the answer to what stands in it."""
    session = current()
    form = SearchForm.of(request.query_params)

    def same(**changes: object) -> str:
        """The address of this search with something changed."""
        return here(request, "/", **form.parameters(**changes))

    values: dict[str, Any] = {"form": form, "response": None, "failure": None, "held_back": False, "same": same}
    values |= choices(session)
    if not form.q:
        return page(request, "search.html", values)
    if not is_own_wish(request):
        return page(request, "search.html", {**values, "held_back": True})
    again = request.query_params.get("again") == "1"
    try:
        response = await answer(session, form, again=again)
    except SeekreadError as error:
        failure = failed(error)
        status = MEANINGS[failure.outcome].status if failure.outcome else 400
        return page(request, "search.html", {**values, "failure": failure}, status=status)
    return page(request, "search.html", {**values, "response": response})


async def answer(session: Session, form: SearchForm, *, again: bool) -> SearchResponse:
    """Search for what stands in the form."""
    options = form.options(session.parts.settings.search.limit)
    if form.provider and form.provider not in session.parts.registry.search_names():
        raise InvalidQuery(f"there is no engine named {form.provider!r}")
    return await session.search(form.q, max_age=0 if again else None, **options)


def failed(error: SeekreadError) -> FailedSearch:
    """What to tell a person about a search that was not answered."""
    match error:
        case AllFailed():
            return FailedSearch("", error.outcome, error.response)
        case InvalidQuery() | Misconfigured():
            return FailedSearch(sentence(str(error)), outcome_of(error))
        case _:
            return FailedSearch(explain(error), outcome_of(error))


def choices(session: Session) -> dict[str, Any]:
    """What can be chosen, and what is set up."""
    engines = [facts for facts in session.parts.catalog() if "search" in facts.roles]
    return {
        "chain": [provider.name for provider in engines if provider.position],
        "engines": [provider for provider in engines if not provider.missing],
        "missing": [provider for provider in engines if provider.missing],
        "route": session.parts.settings.search.route,
        "default_limit": str(session.parts.settings.search.limit),
        "types": TYPES,
        "freshness": FRESHNESS,
        "limits": LIMITS,
        "examples": EXAMPLES,
    }
