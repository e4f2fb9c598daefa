"""
The crawl4ai reader: crawl4ai renders a page in a Chromium of ours, and our own workers read what it shows.

crawl4ai cannot be told which browser to start, but it can be pointed at one. So Chromium is started here, with the
same switches and behind the same proxy as for the browser reader, with a profile that lives for one page; crawl4ai
runs in a child process beside it. What it hands back is washed, judged and extracted like every other page, so a page
reads the same whoever rendered it.
"""

import json
import sys
import time
from contextlib import suppress
from datetime import UTC, datetime
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

import anyio
import anyio.abc

from seekread import platforms
from seekread.errors import BadReply, Unreadable
from seekread.extraction.extracted import page_from
from seekread.hostnames import host_of
from seekread.http.guard import Guard
from seekread.http.proxy import GuardedProxy
from seekread.late import dataclass
from seekread.models import Page
from seekread.outcomes import is_failure
from seekread.provider import Job, setting
from seekread.readers.browser import chromium
from seekread.readers.browser.visit import DOWNLOADS, about_refusals, network_error, refusal_of
from seekread.readers.builtin.fetch import raise_for_status
from seekread.readers.builtin.process import python_environment
from seekread.readers.builtin.workers import Workers
from seekread.readers.crawl4ai.child import DOWNLOAD

HTML = "text/html; charset=utf-8"
NO_TUNNEL = frozenset({"", "ERR_TUNNEL_CONNECTION_FAILED"})
"""What Chromium says, if anything, when the proxy refuses an encrypted connection."""
MAX_ANSWER = 100_000_000
"""Bytes of an answer; more than the longest page takes, even if every character is escaped."""


@dataclass(frozen=True)
class Crawl4AI:
    """Render a page with crawl4ai behind the guard and read it in a worker process."""

    guard: Guard = setting(kind="resource")
    workers: Workers = setting(kind="resource")
    executable: str | None = setting(
        None, env="SEEKREAD_CHROMIUM", about="The Chromium to use; empty means the first one that is found."
    )
    wait_seconds: float = setting(10.0, about="Seconds a page gets until the network is silent.")
    user_agent: str = setting("", about="How the browser introduces itself; empty means as crawl4ai does.")

    name: ClassVar[str] = "crawl4ai"
    label: ClassVar[str] = "crawl4ai on this machine"
    local: ClassVar[bool] = True
    extracts: ClassVar[bool] = True
    renders: ClassVar[bool] = True
    caveat: ClassVar[str] = "starts Chromium and crawl4ai for every page, which takes seconds; needs seekread[crawl4ai]"

    def __post_init__(self) -> None:
        chromium.require_package("crawl4ai")
        chromium.require_executable(self.executable)

    def read(self, url: str) -> Job[Page]:
        """Render and read the whole page."""

        async def run() -> Page:
            await self.guard.vet(self.guard.check(url))
            await self.workers.warm()
            async with (
                GuardedProxy(self.guard) as proxy,
                chromium.debuggable(self.executable, proxy.url) as endpoint,
            ):
                answer = await self._ask(url, endpoint)
                self._judge(answer, proxy)
            extracted = await self.workers.read(answer["html"].encode("utf-8", "replace"), HTML, answer["url"])
            if is_failure(extracted.outcome):
                raise Unreadable(extracted.outcome, extracted.error or "the page cannot be read")
            return page_from(extracted, url).model_copy(
                update={
                    "final_url": answer["url"],
                    "status": answer["status"],
                    "content_type": "text/html",
                    "fetched_at": datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
                    "reader": self.name,
                    "signals": (*about_refusals(proxy.refusals), *extracted.signals),
                }
            )

        return Job(run)

    async def _ask(self, url: str, endpoint: str) -> dict[str, Any]:
        """Have a child process run crawl4ai."""
        task = {"url": url, "endpoint": endpoint, "seconds": self.wait_seconds, "user_agent": self.user_agent}
        command = [sys.executable, "-P", "-m", "seekread.readers.crawl4ai.child"]
        with TemporaryDirectory(prefix="seekread-crawl4ai-", ignore_cleanup_errors=True) as home:
            environment = {
                **python_environment(),
                **platforms.HERE.environment(home),
                "CRAWL4_AI_BASE_DIRECTORY": home,
                "CRAWL4AI_NO_CLOUD_NOTICE": "1",
                # A package that crawl4ai brings along would fetch a list of prices.
                "LITELLM_LOCAL_MODEL_COST_MAP": "True",
            }
            async with chromium.process_group(command, environment, piped=True) as process:
                return read_answer(await exchange(process, json.dumps(task).encode()))

    def _judge(self, answer: dict[str, Any], proxy: GuardedProxy) -> None:
        """Raise the error that an answer is."""
        host = host_of(answer["url"]) or "the server"
        if answer["failed"] == DOWNLOAD:
            raise Unreadable("unsupported_type", DOWNLOADS)
        if answer["failed"] or not answer["url"].startswith(("http:", "https:")):
            # Of a document that did not come, crawl4ai does not say where it would have been.
            if answer["failed"] in NO_TUNNEL and proxy.refusals:
                raise proxy.refusals[-1]
            raise network_error(answer["failed"] or "ERR_FAILED", host)
        if refusal := refusal_of(self.guard, proxy, answer["url"]):
            raise refusal
        raise_for_status(answer["status"] or 200, answer["headers"], host, time.time())


async def exchange(process: anyio.abc.Process, task: bytes) -> bytes:
    """Hand a task to a child and wait for all it has to say."""
    received = bytearray()
    if process.stdin and process.stdout:
        # A child that died before it read its task is noticed by what it does not say.
        with suppress(anyio.BrokenResourceError):
            await process.stdin.send(task)
        await process.stdin.aclose()
        async for piece in process.stdout:
            received += piece
            if len(received) > MAX_ANSWER:
                raise Unreadable("too_large", "the page is larger than the limit")
    return bytes(received)


def read_answer(said: bytes) -> dict[str, Any]:
    """The answer of a child."""
    try:
        answer = json.loads(said)
    except ValueError:
        raise BadReply("crawl4ai ended without an answer") from None
    return {"failed": "", "status": None, "url": "", "headers": {}, "html": "", **answer}
