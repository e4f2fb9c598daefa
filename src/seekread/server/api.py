"""The native endpoints. One table says what each takes and answers; routes and OpenAPI follow from it."""

import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from functools import cache, lru_cache
from typing import Any, Literal, TypeVar

from anyio import to_thread
from pydantic import BaseModel
from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from seekread.errors import InvalidQuery
from seekread.gathering.evidence import Gathered
from seekread.late import dataclass
from seekread.models import Page, Pages, SearchResponse
from seekread.page.snapshot import Snapshot
from seekread.server import crawls, models
from seekread.server.events import EventStream
from seekread.server.problems import EXPECTED, rejected, told, unread
from seekread.server.ready import ReadyAnswers
from seekread.server.sessions import Session, current
from seekread.server.visit import HttpVisit
from seekread.value import Value

logger = logging.getLogger("seekread.server")

SHORT = 1000
"""Bytes of a question that is remembered once it was read."""
EVENTS = b"text/event-stream"
ApiAnswer = BaseModel | Value
A = TypeVar("A", bound=ApiAnswer)
B = TypeVar("B", bound=BaseModel)
T = TypeVar("T")


@dataclass(frozen=True)
class Operation:
    """One endpoint: how it is reached, what it takes and what it answers."""

    path: str
    methods: tuple[Literal["GET", "POST"], ...]
    summary: str
    endpoint: Callable[[Request], Awaitable[Any]]
    answers: tuple[type[ApiAnswer], ...]
    takes: type[BaseModel] | None = None
    streams: bool = False


async def search(request: Request) -> Any:
    asked = await options(request, models.SearchRequest)
    session = current()
    check_names("provider", asked.get("provider"), session.parts.registry.search_names)
    ready: ReadyAnswers = request.app.state.service.ready

    async def work() -> SearchResponse:
        response = await session.search(**asked)
        ready.remember(request.method, await sent_by(request), session.asked_before(**asked))
        return response

    return await answered(request, work, ready.body)


async def kept_search(visit: HttpVisit, session: Session, ready: ReadyAnswers) -> Response | None:
    """The answer to a search in words that were used before, where it is kept."""
    sent = visit.received if visit.scope["method"] == "POST" else visit.scope["query_string"]
    asked = ready.asked(visit.scope["method"], sent)
    if asked is None or any(EVENTS in value for name, value in visit.scope["headers"] if name == b"accept"):
        return None
    answer = await session.kept(asked)
    return None if answer is None else Response(ready.body(answer), media_type="application/json")


async def open_page(request: Request) -> Any:
    asked = await options(request, models.OpenRequest)
    session = current()
    check_names("reader", asked.get("reader"), session.parts.registry.read_names)
    reading = read_one if "url" in asked else read_several
    return await answered(request, lambda: reading(session, asked))


async def gather(request: Request) -> Any:
    asked = await options(request, models.GatherRequest)
    session = current()
    check_names("provider", asked.get("provider"), session.parts.registry.search_names)
    return await answered(request, lambda: session.gather(**asked))


async def read_one(session: Session, asked: dict[str, Any]) -> Page:
    """A page, or the problem that kept it from being read."""
    page = await session.open_page(**asked)
    if not page.success:
        raise unread(page)
    return page


async def read_several(session: Session, asked: dict[str, Any]) -> Pages:
    """Several pages; it is a problem only when none could be read."""
    pages = await session.open_pages(**asked)
    if not any(page.success for page in pages):
        raise unread(pages[0])
    return Pages(pages=pages)


async def trust(request: Request) -> Response:
    asked = await question(request, models.TrustRequest)
    session = current()
    session.trust(*asked.urls)
    await session.share_trusted()
    return value(models.Trusted(trusted=len(asked.urls)))


async def snapshot(request: Request) -> Response:
    from seekread.reading.part import Wanted, part_of

    asked = await question(request, models.WindowRequest)
    kept = await kept_page(request)
    return value(part_of(kept.page, Wanted(max_length=asked.max_length, offset=asked.offset)))


async def outline(request: Request) -> Response:
    kept = await kept_page(request)
    return value(models.Outline.model_validate({"headings": await aside(kept.outline)}))


async def find(request: Request) -> Response:
    asked = await question(request, models.FindRequest)
    kept = await kept_page(request)
    found = await aside(lambda: kept.find(asked.text, context=asked.context, limit=asked.limit))
    return value(models.Matches.model_validate({"matches": found}))


async def passages(request: Request) -> Response:
    asked = await question(request, models.PassagesRequest)
    kept = await kept_page(request)
    return value(
        models.PassagesFound.model_validate(
            await aside(lambda: kept.passages(asked.query, budget=asked.budget, unit=asked.unit))
        )
    )


async def quote(request: Request) -> Response:
    asked = await question(request, models.QuoteRequest)
    kept = await kept_page(request)
    checked = await aside(lambda: kept.check_quote(asked.text))
    return value(models.QuoteChecked(found=checked.citation is not None, **vars(checked)))


async def window(request: Request) -> Response:
    asked = await question(request, models.WindowRequest)
    kept = await kept_page(request)
    return value(models.WindowShown.model_validate(kept.window(asked.offset, asked.max_length)))


async def section(request: Request) -> Response:
    asked = await question(request, models.SectionRequest)
    kept = await kept_page(request)
    text = await aside(lambda: kept.section(asked.heading))
    if text is None:
        raise rejected(404, "no_such_section", await aside(lambda: kept.missing_section(asked.heading)))
    return value(models.SectionShown(heading=asked.heading, content=text, content_length=len(text)))


async def providers(_request: Request) -> Response:
    session = current()
    return value(await aside(lambda: provider_facts(session)))


async def usage(_request: Request) -> Response:
    rows = await current().parts.ledger.usage()
    return value(models.Usages.model_validate({"usage": [{**vars(row), "unit": row.plan.unit} for row in rows]}))


async def map_site(request: Request) -> Response:
    asked = await question(request, models.SiteAsked)
    return value(await crawls.mapped(request, crawls.scope_of(asked)))


async def start_crawl(request: Request) -> Response:
    asked = await question(request, models.CrawlAsked)
    return value(crawls.as_shown(await crawls.begun(request, crawls.scope_of(asked, asked.depth))))


async def crawl(request: Request) -> Response:
    asked = await question(request, models.CrawlWindow)
    return value(await crawls.shown(request, asked.offset, asked.limit))


async def cancel_crawl(request: Request) -> Response:
    return value(crawls.as_shown(await crawls.cancelled(request)))


SNAPSHOT = "/v1/snapshots/{id}"
OPERATIONS = (
    Operation("/v1/search", ("GET", "POST"), "Search the web", search, (SearchResponse,), models.SearchRequest, True),
    Operation(
        "/v1/open", ("GET", "POST"), "Read pages as Markdown", open_page, (Page, Pages), models.OpenRequest, True
    ),
    Operation(
        "/v1/gather", ("POST",), "Gather the passages that answer a question", gather, (Gathered,),
        models.GatherRequest, True,
    ),
    Operation(
        "/v1/trust", ("POST",), "Say which addresses the user gave", trust, (models.Trusted,), models.TrustRequest
    ),
    Operation(SNAPSHOT, ("GET",), "A page that was read", snapshot, (Page,), models.WindowRequest),
    Operation(f"{SNAPSHOT}/outline", ("GET",), "Its headings", outline, (models.Outline,)),
    Operation(f"{SNAPSHOT}/find", ("GET",), "Where a text stands on it", find, (models.Matches,), models.FindRequest),
    Operation(
        f"{SNAPSHOT}/passages", ("GET",), "What answers a question", passages, (models.PassagesFound,),
        models.PassagesRequest,
    ),
    Operation(
        f"{SNAPSHOT}/quote", ("GET", "POST"), "Whether a quotation stands on it", quote, (models.QuoteChecked,),
        models.QuoteRequest,
    ),
    Operation(
        f"{SNAPSHOT}/window", ("GET",), "A part of it by its place", window, (models.WindowShown,), models.WindowRequest
    ),
    Operation(
        f"{SNAPSHOT}/section", ("GET",), "A section of it", section, (models.SectionShown,), models.SectionRequest
    ),
    Operation("/v1/map", ("GET", "POST"), "The addresses of a site", map_site, (models.SiteMapped,), models.SiteAsked),
    Operation(
        "/v1/crawl", ("POST",), "Begin to read the pages of a site", start_crawl, (models.CrawlShown,),
        models.CrawlAsked,
    ),
    Operation(
        "/v1/crawl/{id}", ("GET",), "How far a crawl is, and its pages", crawl, (models.CrawlShown,),
        models.CrawlWindow,
    ),
    Operation("/v1/crawl/{id}/cancel", ("POST",), "End a crawl", cancel_crawl, (models.CrawlShown,)),
    Operation("/v1/providers", ("GET",), "Who can be asked, and how they are", providers, (models.Providers,)),
    Operation("/v1/usage", ("GET",), "What was spent, and what is left", usage, (models.Usages,)),
)  # fmt: skip


AT_ONCE: Mapping[str, Callable[[HttpVisit, Session, ReadyAnswers], Awaitable[Response | None]]] = {
    "/v1/search": kept_search
}
"""What may be answered before anything else is begun."""


def routes() -> list[Route]:
    """The endpoints as routes."""
    return [Route(each.path, each.endpoint, methods=list(each.methods)) for each in OPERATIONS]


async def question(request: Request, model: type[B]) -> B:
    """What was asked: the JSON of a POST, the parameters of a GET."""
    return read_question(model, request.method, await sent_by(request))


async def options(request: Request, model: type[models.OptionsRequest]) -> dict[str, Any]:
    """The same as options by name; what is asked again and again is read once."""
    sent = await sent_by(request)
    if len(sent) > SHORT:
        return read_question(model, request.method, sent).options()
    return {**kept_options(model, request.method, sent)}


@lru_cache(maxsize=256)
def kept_options(model: type[models.OptionsRequest], method: str, sent: bytes) -> Mapping[str, Any]:
    return read_question(model, method, sent).options()


async def sent_by(request: Request) -> bytes:
    """What a question is read from."""
    return await request.body() if request.method == "POST" else request.scope["query_string"]


def read_question(model: type[B], method: str, sent: bytes) -> B:
    """Read a question from a body or from the parameters of an address."""
    if method == "POST":
        return model.model_validate_json(sent or b"{}")
    return model.model_validate(parameters(QueryParams(sent), model))


def parameters(sent: QueryParams, model: type[BaseModel]) -> dict[str, Any]:
    """Parameters by name; what may hold several values is a list, also when written with commas."""
    several = lists_in(model)
    found: dict[str, Any] = {}
    for name in sent:
        values = sent.getlist(name)
        if name in several:
            found[name] = [part.strip() for text in values for part in text.split(",") if part.strip()]
        elif len(values) > 1:
            raise InvalidQuery(f"{name} was sent {len(values)} times; send it once")
        else:
            found[name] = values[0]
    return found


@cache
def lists_in(model: type[BaseModel]) -> frozenset[str]:
    """The fields that may hold several values."""
    return frozenset(name for name, field in model.model_fields.items() if "tuple" in str(field.annotation))


def as_json(answer: ApiAnswer) -> bytes:
    """A value as JSON."""
    return answer.model_dump_json().encode()


async def answered(
    request: Request, work: Callable[[], Awaitable[A]], written: Callable[[A], bytes] = as_json
) -> Response | ASGIApp:
    """The answer as one document, or step by step for whoever asks for events."""
    if EVENTS.decode() not in request.headers.get("accept", ""):
        return Response(written(await work()), media_type="application/json")

    async def outcome() -> tuple[str, ApiAnswer]:
        try:
            return "result", await work()
        except EXPECTED as error:
            return "problem", told(error)[0]
        except Exception as error:
            # The answer has begun, so nobody further out could tell of it.
            logger.exception("a mistake while answering with events")
            return "problem", told(error)[0]

    return EventStream(outcome)


def value(answer: ApiAnswer) -> Response:
    """A value as the whole answer."""
    return Response(as_json(answer), media_type="application/json")


async def kept_page(request: Request) -> Snapshot:
    """The snapshot an address names."""
    return await current().snapshot(request.path_params["id"])


async def aside(work: Callable[[], T]) -> T:
    """Do work that takes a moment on a long page, while others are answered."""
    return await to_thread.run_sync(work)


def check_names(what: str, given: tuple[str, ...] | None, known: Callable[[], list[str]]) -> None:
    """A provider nobody knows is the caller's mistake, not a wrong setting."""
    if given and (unknown := set(given) - set(known())):
        raise InvalidQuery(f"unknown {what} {', '.join(sorted(unknown))}; known are {', '.join(sorted(known()))}")


def provider_facts(session: Session) -> models.Providers:
    """Every provider: what it can do and how it is."""
    parts = session.parts
    chain = tuple(provider.name for provider in parts.chain(()))
    breakers = parts.gate.breakers
    shown = [
        {
            **facts.row(),
            "resting": facts.name in breakers and breakers[facts.name].is_open,
            "last_outcome": breakers[facts.name].last if facts.name in breakers else None,
        }
        for facts in parts.catalog()
    ]
    return models.Providers.model_validate(json.loads(json.dumps({"providers": shown, "chain": chain})))
