"""
Crawls that outlive a request: begun, looked at page by page, cancelled; kept in the store, wherever they run.

A job and its pages are values of the store. Whoever holds the lock of a job works on it, and nobody else writes it;
that it is to end stands beside it. When that process ends, its lock does too, and another one (or the same after a
restart) goes on: it writes the pages that are there into a file of its own, from which a crawl learns what was found
and is left. So a job needs no machine in particular. A process that only stood still sees by the number of starts that
it was overtaken.
"""

import logging
import secrets
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import anyio

from seekread.batch.crawl import Crawl
from seekread.batch.progress import Progress
from seekread.batch.reader import Reader
from seekread.batch.record import PageRecord
from seekread.batch.scope import SiteScope
from seekread.errors import SeekreadError
from seekread.outcomes import is_failure
from seekread.ports import Clock, Store, StoreUnavailable, Telemetry
from seekread.render.failure import explain
from seekread.state.pulse import Pulse
from seekread.value import Value, declared

logger = logging.getLogger("seekread.server")

KEPT_SECONDS = 86_400.0
"""How long a job and its pages are there."""
LEASE_SECONDS, RENEWED_SECONDS = 5.0, 1.0
LOOK_SECONDS = 30.0
"""Seconds between two looks for jobs that nobody works on: a large store takes a while to look through."""
OPEN, OPEN_SECONDS = "crawls-open", 3600.0
"""
Says that there may be jobs to work on. To look for them is to look through the whole store, which many processes on a
large one must not do for nothing; so they look once when they begin, and later only while this is there.
"""
AT_ONCE = 2
"""Jobs a process works on at once."""
MOST_STARTS = 20
"""How often a job is begun that does not come to an end."""

JobState = Literal["waiting", "running", "done", "cancelled", "failed"]


class CrawlJob(Value):
    """A crawl somebody asked for, and how far it is."""

    id: str
    owner: str
    url: str
    depth: int
    limit: int
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    subdomains: bool = False
    state: JobState = "waiting"
    error: str = ""
    pages: int = 0
    failed: int = 0
    starts: int = 0
    created_at: float = 0.0
    caller: dict[str, str] = declared(default_factory=dict)
    """The trace of the request that began it, for whoever works on it."""

    @property
    def name(self) -> str:
        """What it is kept under, so that what belongs to somebody can be found."""
        return f"{self.owner}/{self.id}"

    @property
    def is_open(self) -> bool:
        """Whether there is work to do."""
        return self.state in {"waiting", "running"}

    @property
    def scope(self) -> SiteScope:
        """What belongs to it."""
        return SiteScope(self.url, self.depth, self.limit, self.include, self.exclude, self.subdomains)


class Ended(Exception):
    """The job was cancelled while somebody worked on it."""


class Overtaken(Exception):
    """This process stood still for so long that another one took the job for left behind, and works on it now."""


class Jobs:
    """Crawls of one service, of all its processes."""

    def __init__(self, store: Store, clock: Clock, make_reader: Callable[[], Reader], telemetry: Telemetry) -> None:
        self._telemetry = telemetry
        self._store = store
        self._clock = clock
        self._make_reader = make_reader
        self._made: Reader | None = None
        self._pulse = Pulse(RENEWED_SECONDS)
        self._running: set[str] = set()
        self._looked = False
        self._news = anyio.Event()

    @property
    def reader(self) -> Reader:
        """Reads for every job of this process, so that they are polite together."""
        if self._made is None:
            self._made = self._make_reader()
        return self._made

    async def start(self, owner: str, scope: SiteScope) -> CrawlJob:
        """Begin a crawl."""
        job = CrawlJob(
            id=secrets.token_hex(16),
            owner=owner,
            url=scope.start,
            depth=scope.depth,
            limit=scope.limit,
            include=scope.include,
            exclude=scope.exclude,
            subdomains=scope.subdomains,
            created_at=self._clock.time(),
            caller=self._telemetry.handed_on(),
        )
        await self._store.put(OPEN, b"", lifetime=OPEN_SECONDS)
        await self._keep(job)
        self._news.set()
        return job

    async def get(self, owner: str, identity: str) -> CrawlJob | None:
        """A job of this owner."""
        return await self._job(f"{owner}/{identity}") if identity.isalnum() else None

    async def cancel(self, job: CrawlJob) -> CrawlJob:
        """End a job; what it has read stays."""
        if job.is_open:
            await self._write(f"jobend/{job.name}", b"")
            self._news.set()
        return await self._job(job.name) or job

    async def pages(self, job: CrawlJob, offset: int, limit: int) -> list[PageRecord]:
        """Pages that a job has read, in the order in which they came."""
        found = [await self._store.get(page_name(job.name, number)) for number in range(offset, offset + limit)]
        return [PageRecord.model_validate_json(entry.value) for entry in found if entry]

    async def working(self) -> None:
        """Work on whatever nobody works on, until cancelled."""
        try:
            async with anyio.create_task_group() as group:
                while True:
                    self._news = anyio.Event()
                    for job in await self._waiting():
                        self._running.add(job.name)
                        group.start_soon(self._work, job.name)
                    with anyio.move_on_after(LOOK_SECONDS):
                        await self._news.wait()
        finally:
            if self._made:
                with anyio.CancelScope(shield=True):
                    await self._made.close()

    async def _waiting(self) -> list[CrawlJob]:
        """The oldest jobs with work to do that this process has hands for."""
        hands = AT_ONCE - len(self._running)
        if hands <= 0 or (self._looked and await self._store.get(OPEN) is None):
            return []
        try:
            entries = await self._store.scan("job/", limit=1000)
        except StoreUnavailable as error:
            logger.warning("nobody knows which crawls are left to do: %s", error)
            return []
        self._looked = True
        # Read past what is kept in memory, which may be a moment old.
        jobs = sorted((CrawlJob.model_validate_json(entry.value) for entry in entries), key=lambda job: job.created_at)
        if any(job.is_open for job in jobs):
            await self._store.put(OPEN, b"", lifetime=OPEN_SECONDS)
        return [job for job in jobs if job.is_open and job.name not in self._running][:hands]

    async def _work(self, name: str) -> None:
        """Work on a job unless somebody else does."""
        try:
            async with self._store.lock(f"jobrun/{name}", lifetime=LEASE_SECONDS, wait=0) as lease:
                if lease and (job := await self._job(name)):
                    with self._pulse.holding(self._store, lease, LEASE_SECONDS):
                        await (self._crawl(job) if job.is_open else self._keep(job))
        except StoreUnavailable as error:
            logger.warning("a crawl waits for the store: %s", error)
        except Exception:
            # Others go on; this one is begun again, but not for ever.
            logger.exception("a mistake while crawling")
        finally:
            self._running.discard(name)
            # Somebody may have waited for these hands for longer than the word of it lasted.
            await self._store.put(OPEN, b"", lifetime=OPEN_SECONDS)

    async def _crawl(self, job: CrawlJob) -> None:
        if job.starts >= MOST_STARTS:
            await self._keep(job.model_copy(update={"state": "failed", "error": "it never came to an end"}))
            return
        with self._telemetry.work("crawl", text=job.url, caller=job.caller) as work:
            job = await self._crawled(job)
            work.ended(failed=job.state == "failed", outcome=job.state, pages=job.pages, starts=job.starts)

    async def _crawled(self, job: CrawlJob) -> CrawlJob:
        """Work on a job until it is over."""
        job = job.model_copy(update={"state": "running", "starts": job.starts + 1})
        await self._keep(job)
        try:
            with tempfile.TemporaryDirectory(prefix="seekread-crawl-") as folder:
                job = await self._go_on(job, Path(folder) / "pages.jsonl")
        except StoreUnavailable:
            raise
        except Overtaken:
            return job
        except (SeekreadError, Ended) as error:
            job = (await self._job(job.name) or job).model_copy(update=ending_of(error))
        await self._keep(job)
        return job

    async def _go_on(self, job: CrawlJob, path: Path) -> CrawlJob:
        """Crawl from where it was left."""
        number = failed = 0
        error = ""
        with path.open("wb") as lines:
            while entry := await self._store.get(page_name(job.name, number)):
                lines.write(entry.value + b"\n")
                number += 1
                record = PageRecord.model_validate_json(entry.value)
                failed, error = failed + is_failure(record.outcome), error or record.error

        async def keep(record: PageRecord) -> None:
            nonlocal number, failed, error
            if await self._is_to_end(job.name):
                raise Ended
            await self._check_ours(job)
            await self._write(page_name(job.name, number), record.model_dump_json().encode())
            number += 1
            failed, error = failed + is_failure(record.outcome), error or record.error
            await self._keep(job.model_copy(update={"pages": number, "failed": failed}))

        await Crawl(job.scope, self.reader, path, Progress(self._clock)).run(keep)
        counted = {"pages": number, "failed": failed}
        if number and failed == number:
            # A site of which nothing could be read is no site without pages.
            return job.model_copy(update={**counted, "state": "failed", "error": error})
        return job.model_copy(update={**counted, "state": "done"})

    async def _check_ours(self, job: CrawlJob) -> None:
        """See whether nobody else has begun a job since we did."""
        found = await self._job(job.name)
        if found and found.starts != job.starts:
            raise Overtaken

    async def _is_to_end(self, name: str) -> bool:
        return await self._store.get(f"jobend/{name}") is not None

    async def _job(self, name: str) -> CrawlJob | None:
        entry = await self._store.get(f"job/{name}")
        job = CrawlJob.model_validate_json(entry.value) if entry else None
        if job and job.is_open and await self._is_to_end(name):
            return job.model_copy(update={"state": "cancelled"})
        return job

    async def _keep(self, job: CrawlJob) -> None:
        await self._write(f"job/{job.name}", job.model_dump_json().encode())

    async def _write(self, key: str, value: bytes) -> None:
        if not await self._store.keep(key, value, lifetime=KEPT_SECONDS):
            raise StoreUnavailable("the store does not keep anything at the moment, and a crawl needs it")


def ending_of(error: SeekreadError | Ended) -> dict[str, str]:
    """How a job ends that something ended."""
    if isinstance(error, Ended):
        return {"state": "cancelled"}
    return {"state": "failed", "error": explain(error)}


def page_name(job: str, number: int) -> str:
    """Where a page of a job is kept."""
    return f"jobpage/{job}/{number:08d}"
