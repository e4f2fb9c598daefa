"""What every endpoint about whole sites needs, native or a dialect's: begin, look, cancel, map."""

from typing import TYPE_CHECKING

import anyio
from starlette.requests import Request

from seekread.batch.crawl import map_site
from seekread.batch.scope import SiteScope
from seekread.hostnames import completed
from seekread.server import models
from seekread.server.jobs import CrawlJob, Jobs
from seekread.server.problems import rejected
from seekread.server.sessions import Session, current

if TYPE_CHECKING:
    from seekread.server.app import Service

MAP_SECONDS = 60.0
"""How long somebody waits for the map of a site."""


def jobs_of(request: Request) -> Jobs:
    service: Service = request.app.state.service
    return service.jobs


def owner_of(session: Session) -> str:
    """Whose jobs a session sees: its token's, or those of everybody without one, who are the same after a restart."""
    return session.name if session.name.startswith("token-") else "open"


def scope_of(asked: "models.SiteAsked", depth: int = 1) -> SiteScope:
    """What belongs to a site, as it was asked for."""
    return SiteScope(completed(asked.url), depth, asked.limit, asked.include, asked.exclude, asked.subdomains)


async def begun(request: Request, scope: SiteScope) -> CrawlJob:
    """A crawl that was begun, of a site that this session may open."""
    session = current()
    await session.check_address(scope.start)
    return await jobs_of(request).start(owner_of(session), scope)


async def job_of(request: Request) -> CrawlJob:
    """The job an address names."""
    job = await jobs_of(request).get(owner_of(current()), request.path_params["id"])
    if job is None:
        raise rejected(404, "no_such_crawl", "There is no such crawl (any more): begin it again.")
    return job


async def cancelled(request: Request) -> CrawlJob:
    """The job an address names, ended."""
    return await jobs_of(request).cancel(await job_of(request))


async def shown(request: Request, offset: int, limit: int) -> models.CrawlShown:
    """How far a crawl is, with some of its pages."""
    job = await job_of(request)
    pages = await jobs_of(request).pages(job, offset, limit)
    more = len(pages) == limit or (job.is_open and bool(pages))
    update = {"results": tuple(pages), "next_offset": offset + len(pages) if more else None}
    return as_shown(job).model_copy(update=update)


def as_shown(job: CrawlJob) -> models.CrawlShown:
    """A job without its pages."""
    facts = job.model_dump(include={"id", "url", "state", "error", "pages", "failed"})
    return models.CrawlShown.model_validate(facts)


async def mapped(request: Request, scope: SiteScope) -> models.SiteMapped:
    """The addresses of a site, as many as there is time for."""
    await current().check_address(scope.start)
    found: list[str] = []
    with anyio.move_on_after(MAP_SECONDS) as time:
        async for address in map_site(scope, jobs_of(request).reader):
            found.append(address)  # noqa: PERF401 - what was found before the time was over counts
    return models.SiteMapped(urls=tuple(found), complete=not time.cancelled_caught)
