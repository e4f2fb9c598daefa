"""The browser in the chain of readers: it takes over from shells and challenges, and from nothing else."""

from collections.abc import AsyncIterator, Iterator

import pytest

from seekread import Seekread
from seekread.readers.browser.reader import Browser
from seekread.testing.server import Answer, LoopbackServer, Received

pytestmark = [pytest.mark.anyio, pytest.mark.process]

WORDS = "The harbour wall was built in stone, and the boats that came in were counted every morning. "
ARTICLE = f"<title>Plain</title><article><h1>Plain</h1><p>{WORDS * 6}</p></article>"
SHELL = f"""<!doctype html><title>App</title><div id="root"></div><script>
document.getElementById("root").innerHTML = `<article><h1>Rendered</h1><p>{WORDS * 6}</p></article>`;
</script>"""
CHALLENGE = """<!doctype html><title>Just a moment...</title><p>Checking your browser before you go on.</p><script>
document.cookie = "passed=1"; setTimeout(() => location.reload(), 50);
</script>"""


def answer(received: Received) -> Answer:
    match received.path:
        case "/plain":
            return Answer(ARTICLE)
        case "/shell":
            return Answer(SHELL)
        case "/challenge":
            return Answer(ARTICLE) if "passed=1" in received.headers.get("cookie", "") else Answer(CHALLENGE, 403)
        case _:
            return Answer("not here", 404)


@pytest.fixture
def site() -> Iterator[LoopbackServer]:
    with LoopbackServer(answer) as running:
        yield running


@pytest.fixture
async def web(site: LoopbackServer) -> AsyncIterator[Seekread]:
    settings = {"store": "memory:", "allow_private": [site.url.removeprefix("http://")], "page_seconds": 60}
    async with Seekread(settings=settings) as client:
        browser = Browser(client._parts.guard, client._parts.workers)
        client.register(browser)
        yield client
        await browser.close()


@pytest.mark.proves("S3-33")
async def test_a_shell_is_handed_to_the_browser(web: Seekread, site: LoopbackServer) -> None:
    """JavaScript is run if needed."""
    page = await web.open_page(f"{site.url}/shell", reader=["builtin", "browser"])
    assert (page.success, page.reader, page.title) == (True, "browser", "App")
    assert page.content.startswith("# Rendered")
    assert [(attempt.provider, attempt.outcome) for attempt in page.attempts] == [
        ("builtin", "needs_js"),
        ("browser", "ok"),
    ]
    assert page.snapshot


async def test_a_challenge_that_a_browser_passes_is_passed(web: Seekread, site: LoopbackServer) -> None:
    page = await web.open_page(f"{site.url}/challenge", reader=["builtin", "browser"])
    assert (page.success, page.title, page.status) == (True, "Plain", 200)
    assert [attempt.outcome for attempt in page.attempts] == ["blocked", "ok"]


@pytest.mark.parametrize(("path", "outcome"), [("/plain", "ok"), ("/missing", "not_found")])
async def test_any_other_page_starts_no_browser(web: Seekread, site: LoopbackServer, path: str, outcome: str) -> None:
    page = await web.open_page(site.url + path, reader=["builtin", "browser"])
    assert page.outcome == outcome
    assert [attempt.provider for attempt in page.attempts] == ["builtin"]


async def test_what_a_browser_read_is_a_snapshot_like_any_other(web: Seekread, site: LoopbackServer) -> None:
    """S3-23"""
    first = await web.open_page(f"{site.url}/shell", reader=["builtin", "browser"])
    asked = len(site.received)
    again = await web.open_page(f"{site.url}/shell", reader=["builtin", "browser"], query="boats that came in")
    assert again.cached
    assert again.snapshot == first.snapshot
    assert len(site.received) == asked
