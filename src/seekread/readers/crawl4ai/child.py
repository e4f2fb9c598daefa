"""
The child process that runs crawl4ai: `python -m seekread.readers.crawl4ai.child`.

It takes one JSON document on standard input and gives one on standard output. A process of its own, because crawl4ai
reads settings from the environment when it is imported, prints, writes into the home folder, and takes seconds and a
hundred megabytes to load; and because a process can be killed.
"""

import asyncio
import json
import os
import re
import sys
from contextlib import suppress
from typing import Any, BinaryIO

from seekread.readers.browser.rendered import copy_document, shown_characters

PAUSE = 0.1
DOWNLOAD = "DOWNLOAD"
NET_ERROR = re.compile(r"net::(ERR_[A-Z0-9_]+)")


def main() -> int:
    """Read one page."""
    task = json.load(sys.stdin)
    replies = take_over_output()
    try:
        answer = asyncio.run(crawl(**task))
    except Exception as error:  # noqa: BLE001 the edge of the process: the parent tells
        answer = {"failed": what_failed(str(error)), "kind": type(error).__name__}
    replies.write(json.dumps(answer).encode())
    replies.flush()
    return 0


def take_over_output() -> BinaryIO:
    """Keep standard output for the answer: whatever a library prints goes nowhere."""
    replies = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    return replies


async def crawl(url: str, endpoint: str, seconds: float, user_agent: str) -> dict[str, Any]:
    """Have crawl4ai render a page in a Chromium that is running behind the guard, and copy what it shows."""
    from crawl4ai import AsyncWebCrawler, BrowserConfig, CacheMode, CrawlerRunConfig

    browser = BrowserConfig(
        browser_mode="custom",
        cdp_url=endpoint,
        ignore_https_errors=False,
        accept_downloads=False,
        verbose=False,
        **({"user_agent": user_agent} if user_agent else {}),
    )
    run = CrawlerRunConfig(cache_mode=CacheMode.BYPASS, remove_consent_popups=True, verbose=False)
    shown: dict[str, str] = {}

    async def settle(page: Any, *, context: Any, **_: Any) -> None:
        session = await context.new_cdp_session(page)
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await page.wait_for_load_state("networkidle", timeout=0)
                while not await shown_characters(session):  # noqa: ASYNC110 no event tells when a page shows text
                    await asyncio.sleep(PAUSE)

    async def keep(*, page: Any, context: Any, **_: Any) -> None:
        session = await context.new_cdp_session(page)
        copied = await copy_document(session)
        shown.update(url=copied.url, html=copied.html)

    async with AsyncWebCrawler(config=browser) as crawler:
        crawler.crawler_strategy.set_hook("before_retrieve_html", settle)
        crawler.crawler_strategy.set_hook("before_return_html", keep)
        result = await crawler.arun(url, config=run)
    # crawl4ai calls a short page a failure; there is a page as long as there is a document.
    if not shown:
        return {"failed": what_failed(result.error_message or ""), "url": url}
    return {
        **shown,
        "status": result.redirected_status_code or result.status_code,
        "headers": {name.lower(): str(value) for name, value in (result.response_headers or {}).items()},
    }


def what_failed(message: str) -> str:
    """Chromium's word for a failure, or ours; the message itself names files and addresses."""
    found = NET_ERROR.search(message)
    if found:
        return found[1]
    if "Download is starting" in message:
        return DOWNLOAD
    return "ERR_TIMED_OUT" if "timeout" in message.lower() else "ERR_FAILED"


if __name__ == "__main__":
    sys.exit(main())
