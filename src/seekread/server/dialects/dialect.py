"""What a dialect is, and what dialects share: reading what a foreign client sends, and asking for it."""

from collections.abc import Sequence
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator
from starlette.requests import Request
from starlette.routing import Route

from seekread.errors import InvalidQuery
from seekread.late import dataclass
from seekread.models import USUAL, Page, PageShape, SearchResponse, SearchResult
from seekread.options import SEARCH
from seekread.server.access import is_below
from seekread.server.keys import KeyPlace
from seekread.server.models import LONGEST
from seekread.server.problems import FailureShape, rejected
from seekread.server.sessions import current

B = TypeVar("B", bound=BaseModel)
READ_AT_ONCE = 10


@dataclass(frozen=True)
class Dialect:
    """One vendor's dialect. Nothing else in the service knows of it."""

    name: str
    prefixes: tuple[str, ...]
    """Every address at or below these is its own, also those nobody answers."""
    routes: tuple[Route, ...]
    failure: FailureShape
    """How its clients expect to be told of failures."""
    keys: tuple[KeyPlace, ...] = ()
    """Where its clients put their key, unless it is a bearer token."""

    def __post_init__(self) -> None:
        """Refuse a route that would stand outside."""
        if outside := [route.path for route in self.routes if not self.owns(route.path)]:
            raise ValueError(f"{', '.join(outside)} of {self.name} is not below {' or '.join(self.prefixes)}")

    def owns(self, path: str) -> bool:
        """Whether an address belongs to this dialect."""
        return is_below(path, self.prefixes)


def as_list(value: Any) -> Any:
    """One text, none or several as a list."""
    return [] if value is None else [value] if isinstance(value, str) else value


Texts = Annotated[tuple[str, ...], BeforeValidator(as_list)]


async def sent(request: Request, model: type[B]) -> B:
    """The JSON body of a request."""
    return model.model_validate_json(await request.body() or b"{}")


async def sent_somehow(request: Request, model: type[B]) -> B:
    """What a request says in its address, or in a body that is JSON or a form."""
    if request.method == "GET":
        return model.model_validate(dict(request.query_params))
    if "form" in request.headers.get("content-type", ""):
        return model.model_validate({**request.query_params, **await form(request)})
    return await sent(request, model)


async def form(request: Request) -> dict[str, str]:
    """The fields of a form, which need no more than the standard library."""
    from urllib.parse import parse_qsl

    if "multipart" in request.headers.get("content-type", ""):
        raise InvalidQuery("send the form as application/x-www-form-urlencoded, or JSON")
    try:
        return dict(parse_qsl((await request.body()).decode(), keep_blank_values=True, max_num_fields=100))
    except ValueError:
        raise InvalidQuery("the form cannot be read") from None


async def search(query: str, **options: Any) -> SearchResponse:
    """Search in the session of the request; what was not asked for is left out, and no limit is too high."""
    wanted = {name: value for name, value in options.items() if value not in (None, "", (), [])}
    if "limit" in wanted:
        wanted["limit"] = min(wanted["limit"], SEARCH["limit"].most)
    return await current().search(query, **wanted)


async def open_whole(
    url: str, *, max_age: float | None = None, query: str | None = None, shape: PageShape = USUAL
) -> Page:
    """A whole page, as services that know no paging hand it out."""
    return await current().open_shaped(url.strip(), shape, max_length=LONGEST, max_age=max_age, query=query)


async def open_each(
    urls: Sequence[str], *, max_age: float | None = None, query: str | None = None, shape: PageShape = USUAL
) -> list[Page]:
    """Several whole pages, some at a time, in the order they were asked for."""
    import anyio

    from seekread.tasks import tasks

    pages: dict[int, Page] = {}
    room = anyio.CapacityLimiter(READ_AT_ONCE)

    async def one(number: int, url: str) -> None:
        async with room:
            pages[number] = await open_whole(url, max_age=max_age, query=query, shape=shape)

    async with tasks() as group:
        for number, url in enumerate(urls):
            group.start_soon(one, number, url)
    return [pages[number] for number in range(len(urls))]


def html_of(page: Page) -> str:
    """A page as HTML that was asked for; one that is too long for that is not handed out without a word."""
    if page.content and not page.markup.html:
        raise rejected(413, "too_large", "The HTML of this page is too long to be handed out; ask for Markdown.")
    return page.markup.html


def two_letters(code: str | None) -> str | None:
    """The code of a country, however it is written; what stands for everywhere is none."""
    return code if code and len(code) == 2 and code.isalpha() else None


def scores(results: Sequence[SearchResult]) -> list[float]:
    """A number per result for clients that sort by one: the engine's, where it gave one to each, or by rank."""
    given = [result.score for result in results if result.score is not None]
    # Fused results carry scores of engines that do not compare; only a falling row is an order.
    if len(given) == len(results) and given == sorted(given, reverse=True):
        return given
    return [round(1 / rank, 4) for rank in range(1, len(results) + 1)]


def longest_text(result: SearchResult) -> str:
    """What a result says, all of it."""
    return " ".join(dict.fromkeys(filter(None, (result.snippet, *result.extra_snippets))))
