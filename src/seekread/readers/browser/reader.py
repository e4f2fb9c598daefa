"""
The browser reader: Chromium renders a page, and our own workers read what it shows.

1. **guard** The address is checked and vetted before the browser hears of it.
2. **context** One of its own for every page, behind a proxy with the same guard: the document, everything it loads,
   frames, workers, WebSockets and every redirect go through it. What the proxy refuses is kept with its reason.
3. **render** JavaScript runs; images, fonts, media and downloads are left out. The page is ready when the network
   falls silent and there is text, or when `wait_seconds` are over.
4. **judge** The last document decides: refused, failed, or a page. A challenge that lets a browser pass is passed.
5. **read** The rendered document is copied and given to a worker, like every other page.
"""

from contextlib import suppress
from dataclasses import field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, ClassVar

from seekread.errors import Unreachable, Unreadable
from seekread.extraction.extracted import Extracted, page_from
from seekread.extraction.sniff import media_type_of
from seekread.http.guard import Guard
from seekread.http.proxy import GuardedProxy
from seekread.late import dataclass
from seekread.models import USUAL, Page, PageShape
from seekread.outcomes import is_failure
from seekread.provider import Job, setting
from seekread.readers.browser import chromium
from seekread.readers.browser.process import Browsers, PageLost, load
from seekread.readers.builtin.workers import Workers

if TYPE_CHECKING:
    from seekread.readers.browser.visit import Shown

VISITS = 2
"""Browsers that a page is shown in, when the first one loses it."""


@dataclass(frozen=True)
class Browser:
    """Render a page in Chromium behind the guard and read it in a worker process."""

    guard: Guard = setting(kind="resource")
    workers: Workers = setting(kind="resource")
    executable: str | None = setting(
        None, env="SEEKREAD_CHROMIUM", about="The Chromium to use; empty means the first one that is found."
    )
    wait_seconds: float = setting(
        5.0, about="Seconds a loaded page gets until its scripts have filled it and the network is silent."
    )
    user_agent: str = setting("", about="How the browser introduces itself; empty means as Chromium does.")
    browsers: Browsers = field(init=False, repr=False, compare=False)

    name: ClassVar[str] = "browser"
    label: ClassVar[str] = "a browser on this machine"
    local: ClassVar[bool] = True
    extracts: ClassVar[bool] = True
    renders: ClassVar[bool] = True
    caveat: ClassVar[str] = "runs the scripts of the page, behind the guard; needs Chromium and seekread[browser]"

    def __post_init__(self) -> None:
        chromium.require_package("playwright")
        chromium.require_executable(self.executable)
        object.__setattr__(self, "browsers", Browsers(self.executable))

    def read(self, url: str) -> Job[Page]:
        """Render and read the whole page."""
        return self.read_shaped(url, USUAL)

    def read_shaped(self, url: str, shape: PageShape) -> Job[Page]:
        """Render a page and read chosen elements of it, or its HTML."""
        if shape.selects:
            from seekread.extraction.selecting import check_selectors

            check_selectors(shape)

        async def run() -> Page:
            await self.guard.vet(self.guard.check(url))
            await load()
            await self.workers.warm()
            shown = await self._show(url)
            extracted = Extracted(outcome="empty")
            if shown.body:
                extracted = await self.workers.read(
                    shown.body, shown.content_type, shown.url, rendered=shown.rendered, shape=shape
                )
            return page_of(url, shown, extracted)

        return Job(run)

    async def close(self) -> None:
        """End the browser."""
        await self.browsers.close()

    async def _show(self, url: str) -> "Shown":
        """What a visit shows; a page that was lost is visited once more, if there is time."""
        for _ in range(VISITS):
            with suppress(PageLost):
                return await self._visit(url)
        raise Unreachable("the browser ended, or lost the page, while it was reading")

    async def _visit(self, url: str) -> "Shown":
        from seekread.readers.browser.visit import Visit

        browser = self.browsers.here()
        async with GuardedProxy(self.guard) as proxy, browser.context(proxy.url, self.user_agent) as context:
            return await Visit(self.guard, proxy, context, url).show(self.wait_seconds)


def page_of(url: str, shown: "Shown", extracted: Extracted) -> Page:
    """Put together what rendering and reading brought."""
    if extracted.outcome == "needs_js":
        raise Unreadable("needs_js", "the page shows nothing even in a browser", status=shown.status)
    if is_failure(extracted.outcome):
        raise Unreadable(extracted.outcome, extracted.error or "the page cannot be read", status=shown.status)
    return page_from(extracted, url).model_copy(
        update={
            "final_url": shown.url,
            "status": shown.status,
            "content_type": media_type_of(shown.content_type),
            "fetched_at": datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
            "reader": Browser.name,
            "signals": (*shown.signals, *extracted.signals),
        }
    )
