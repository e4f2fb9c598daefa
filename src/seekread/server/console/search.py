"""The search page: a person's question, the answer, and how it came about."""

from collections.abc import Mapping
from typing import Any, Self

from starlette.requests import Request
from starlette.responses import Response

from seekread.errors import AllFailed, InvalidQuery, Misconfigured, SeekreadError, Unreadable
from seekread.late import dataclass
from seekread.models import SearchResponse
from seekread.options import CODES, SEARCH, Option, OptionKind, Query
from seekread.outcomes import MEANINGS, Outcome
from seekread.render.failure import outcome_of, sentence, tell
from seekread.server.console.labels import CHOICES
from seekread.server.console.links import here, is_own_wish
from seekread.server.console.pages import page
from seekread.server.problems import retry_headers
from seekread.server.sessions import Session, current

FILTERS = {name: option for name, option in SEARCH.items() if option.form}
MOST_PAGES = int(SEARCH["page"].most or 1)
LIMITS = ("5", "10", "20", "50")
EXAMPLES = ("what is prompt injection", "how does a circuit breaker work", "what does robots.txt allow")
PLACEHOLDERS: Mapping[OptionKind, str] = {"domains": "example.org, example.net", "language": "en", "country": "US"}


@dataclass(frozen=True)
class SearchForm:
    """What stands in the search form: the words, and the filters that are set, by the names of their options."""

    q: str
    filters: Mapping[str, str]
    page: int = 1

    @classmethod
    def of(cls, sent: Mapping[str, str]) -> Self:
        """The form as it was sent; anything else in the address is left alone."""
        values = {name: sent.get(option.form_name, "").strip() for name, option in FILTERS.items()}
        page = sent.get("page", "")
        return cls(
            sent.get("q", "").strip(),
            {name: value for name, value in values.items() if value not in {"", usual(name)}},
            min(MOST_PAGES, max(1, int(page[:3]))) if page.isascii() and page.isdigit() else 1,
        )

    def parameters(self, **changes: object) -> dict[str, object]:
        """What the address of this search carries; defaults are left out."""
        filters = {FILTERS[name].form_name: value for name, value in self.filters.items()}
        return {"q": self.q, **filters, "page": self.page if self.page > 1 else "", **changes}


@dataclass(frozen=True)
class FormField:
    """A filter as the form shows it: a list of choices, or a line of text with an example."""

    option: Option
    value: str
    choices: Mapping[str, str]

    @property
    def placeholder(self) -> str:
        """An example of what to write."""
        return PLACEHOLDERS.get(self.option.kind, "")

    @property
    def short(self) -> bool:
        """Whether a few letters are enough."""
        return self.option.kind in CODES


@dataclass(frozen=True)
class Paging:
    """Where the results that are shown stand among all, and where one can go on to."""

    first: int
    total: int
    previous: int | None
    next: int | None

    @property
    def told(self) -> str:
        """The places of the results on a later page, in words."""
        if not self.total:
            return "No further results"
        last = self.first + self.total - 1
        return f"Results {self.first} to {last}" if self.total > 1 else f"Result {last}"


@dataclass(frozen=True)
class FailedSearch:
    """A search that was not answered."""

    message: str
    outcome: Outcome | None = None
    response: SearchResponse | None = None
    title: str = ""


async def search_page(request: Request) -> Response:
    """The search form, and the answer to what stands in it."""
    session = current()
    form = SearchForm.of(request.query_params)

    def same(**changes: object) -> str:
        """The address of this search with something changed."""
        return here(request, "/", **form.parameters(**changes))

    values: dict[str, Any] = {
        "form": form,
        "response": None,
        "paging": None,
        "failure": None,
        "held_back": False,
        "same": same,
    }
    values |= engines(session)
    values["fields"] = form_fields(form, {"provider": engine_choices(values), "limit": limit_choices(session)})
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
        return page(request, "search.html", {**values, "failure": failure}, status=status, headers=retry_headers(error))
    values |= {"response": response, "paging": paging(session, form, response)}
    return page(request, "search.html", values)


async def answer(session: Session, form: SearchForm, *, again: bool) -> SearchResponse:
    """Search for what stands in the form."""
    provider = form.filters.get("provider")
    if provider and provider not in session.parts.registry.search_names():
        raise InvalidQuery(f"there is no engine named {provider!r}")
    filters: dict[str, Any] = dict(form.filters)
    return await session.search(form.q, max_age=0 if again else None, page=form.page, **filters)


def paging(session: Session, form: SearchForm, response: SearchResponse) -> Paging:
    """
    Where the answer stands among all results.

    There are more where as many came as were asked for, from an engine that can turn pages.
    """
    size = int(form.filters.get("limit") or session.parts.settings.search.limit)
    total = len(response.results)
    turning = {
        facts.name for facts in session.parts.catalog() if facts.about.page_size or "page" in facts.about.honours
    }
    more = total >= size and form.page < MOST_PAGES and not turning.isdisjoint((response.provider or "").split("+"))
    return Paging(
        first=(form.page - 1) * size + 1,
        total=total,
        previous=form.page - 1 if form.page > 1 else None,
        next=form.page + 1 if more else None,
    )


def failed(error: SeekreadError) -> FailedSearch:
    """What to tell a person about a search that was not answered."""
    match error:
        case AllFailed():
            return FailedSearch("", error.outcome, error.response)
        case InvalidQuery() | Misconfigured():
            return FailedSearch(sentence(str(error)), outcome_of(error))
        case Unreadable():
            return FailedSearch(tell(error), error.outcome, title="The pages that were found could not be read")
        case _:
            return FailedSearch(tell(error), outcome_of(error))


def engines(session: Session) -> dict[str, Any]:
    """Who is asked, who could be, and who is not set up."""
    known = [facts for facts in session.parts.catalog() if "search" in facts.roles]
    return {
        "chain": [provider.name for provider in known if provider.position],
        "engines": [provider for provider in known if not provider.missing],
        "missing": [provider for provider in known if provider.missing],
        "route": session.parts.settings.search.route,
        "examples": EXAMPLES,
    }


def form_fields(form: SearchForm, choices: Mapping[str, Mapping[str, str]]) -> list[FormField]:
    """The filters of the form, with what can be chosen and what was."""
    return [
        FormField(option, form.filters.get(name, usual(name)), choices.get(name) or words_for(option))
        for name, option in FILTERS.items()
    ]


def words_for(option: Option) -> Mapping[str, str]:
    """What an option's choices are called; an option without any is written."""
    if option.name in CHOICES or not option.choices:
        return CHOICES.get(option.name, {"": "No", "yes": "Yes"} if option.kind == "flag" else {})
    return {"": "Any", **{choice: choice.capitalize() for choice in option.choices}}


def usual(name: str) -> str:
    """What a filter says when nobody touched it."""
    default = Query.model_fields[name].default if FILTERS[name].kind == "choice" else None
    return default or ""


def engine_choices(known: Mapping[str, Any]) -> dict[str, str]:
    """The default chain, then every engine alone."""
    chain = (" and " if known["route"] == "fuse" else ", then ").join(known["chain"])
    return {"": chain or "None is set up", **{engine.name: f"only {engine.title}" for engine in known["engines"]}}


def limit_choices(session: Session) -> dict[str, str]:
    """How many results can be asked for."""
    default = str(session.parts.settings.search.limit)
    return {"": default, **{amount: amount for amount in LIMITS if amount != default}}
