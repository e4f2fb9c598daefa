"""The set-up page: every engine with its state, what it still needs, and a button that tries it."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from seekread.errors import InvalidQuery, SeekreadError
from seekread.late import dataclass
from seekread.provider import SearchProvider
from seekread.providers.catalog import Facts
from seekread.render.failure import tell
from seekread.server.console.links import fields, is_own_wish
from seekread.server.console.pages import page
from seekread.server.problems import rejected
from seekread.server.sessions import Session, current


@dataclass(frozen=True)
class Tried:
    """How an engine did that was tried out."""

    name: str
    well: bool
    told: str


@dataclass(frozen=True)
class EngineShown:
    """An engine, and whether it can be tried."""

    facts: Facts
    questions: tuple[str, ...]
    """What it is asked where somebody tries it; without any nothing tells how it is."""
    charged: bool


async def setup_page(request: Request) -> Response:
    """Every engine; a form that was sent tries one of them."""
    session = current()
    tried = await try_out(session, request) if request.method == "POST" else None
    known = session.parts.catalog()
    values: dict[str, Any] = {
        "ready": [shown(session, facts) for facts in known if not facts.missing],
        "missing": [facts for facts in known if facts.missing],
        "chain": [facts.name for facts in known if facts.position],
        "route": session.parts.settings.search.route,
        "file": session.parts.configuration.file,
        "tried": tried,
    }
    return page(request, "setup.html", values)


def shown(session: Session, facts: Facts) -> EngineShown:
    """An engine that is set up. What only reads is tried by reading something."""
    searches = "search" in facts.roles
    about = session.parts.registry.searcher(facts.name) if searches else None
    known = facts.about.known_answers if about else ()
    return EngineShown(facts, tuple(answer.question for answer in known), bool(facts.about.plans))


async def try_out(session: Session, request: Request) -> Tried:
    """Ask one engine what it must find. Another site's page cannot: it may be charged."""
    if not is_own_wish(request):
        raise rejected(403, "foreign_origin", "An engine is tried with the button on this page.")
    name = (await fields(request)).get("provider", "")
    ready = {facts.name for facts in session.parts.catalog() if "search" in facts.roles and not facts.missing}
    if name not in ready:
        raise InvalidQuery(f"no engine named {name!r} is set up")
    provider: SearchProvider = session.parts.registry.searcher(name)
    try:
        probe = await session.parts.probe(provider)
    except SeekreadError as error:
        return Tried(name, well=False, told=tell(error))
    if probe.error is not None:
        return Tried(name, well=False, told=f"{name} could not answer: {tell(probe.error)}")
    return Tried(name, probe.well, f"{name} {probe.unfound or 'finds what it must find.'}")
