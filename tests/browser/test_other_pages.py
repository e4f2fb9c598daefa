"""
No web page can spend: everything a page can make a browser send, from another site and from another port.

A service runs on loopback without a token, as `seekread serve` does. An engine that costs and a site that is read count
what reaches them, and a real Chromium opens pages that try. A page counts as having tried when the service has answered
what it sent, so that nothing passes because nothing was sent.
"""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from string import Template
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from seekread.compose import compose
from seekread.config.sources import load
from seekread.readers.browser.chromium import find_executable
from seekread.server.app import ServiceOptions, create_app
from seekread.server.tokens import Tokens
from seekread.testing import simulators
from seekread.testing.server import Answer, LoopbackServer, Received
from seekread.testing.simulators import Simulator
from tests.support.serving import Serving

pytestmark = pytest.mark.process

EVIL, REBOUND, FRIEND = "evil.example", "rebound.example", "friend.example"
PATIENCE = 20_000

SEND = "fetch('$api', {mode: 'no-cors'})"
CALL = json.dumps({
    "jsonrpc": "2.0", "id": 1, "method": "tools/call",
    "params": {"name": "web_search", "arguments": {"query": "$word"}},
})  # fmt: skip
VECTORS = {
    "image": "<img src='$api'>",
    "script": "<script src='$api'></script>",
    "style sheet": "<link rel=stylesheet href='$api'>",
    "frame of the console": "<iframe src='$console'></iframe>",
    "frame of the API": "<iframe src='$api'></iframe>",
    "fetch": f"<script>{SEND}</script>",
    "fetch with cookies": "<script>fetch('$api', {credentials: 'include'})</script>",
    "fetch, POST": "<script>fetch('$post', {mode: 'no-cors', method: 'POST', body: '{\"query\": \"$word\"}'})</script>",
    "beacon": "<script>navigator.sendBeacon('$post', '{\"query\": \"$word\"}')</script>",
    "form, POST": (
        "<form method=post enctype=text/plain action='$post'><input name='{\"query\": \"$word\", \"x' value='\": 1}'>"
        "</form><script>document.forms[0].submit()</script>"
    ),
    "form, GET, console": (
        "<form action='$service/'><input name=q value='$word'></form><script>document.forms[0].submit()</script>"
    ),
    "form, GET, API": (
        "<form action='$service/v1/search'><input name=query value='$word'></form>"
        "<script>document.forms[0].submit()</script>"
    ),
    "navigation to the console": "<script>location = '$console'</script>",
    "navigation to the API": "<script>location = '$api'</script>",
    "navigation to a dialect": "<script>location = '$dialect'</script>",
    "navigation to a reading dialect": "<script>location = '$reading'</script>",
    "navigation to the reader": "<script>location = '$reader'</script>",
    "new window": "<script>window.open('$console')</script>",
    "event stream": "<script>new EventSource('$api')</script>",
    "web socket": "<script>new WebSocket('$socket')</script>",
    "link prefetch": "<link rel=prefetch href='$api'>",
    "speculation rules, console": "<script type=speculationrules>$rules_console</script>",
    "speculation rules, API": "<script type=speculationrules>$rules_api</script>",
    "speculation rules, dialect": "<script type=speculationrules>$rules_dialect</script>",
    "speculation rules, reader": "<script type=speculationrules>$rules_reader</script>",
    "object": "<object data='$api'></object>",
    "embed": "<embed src='$api'>",
    "video": "<video src='$api' autoplay></video>",
    "worker": f"<script>new Worker(URL.createObjectURL(new Blob([`{SEND}`])))</script>",
    "MCP": f"<script>fetch('$mcp', {{method: 'POST', mode: 'no-cors', body: `{CALL}`}})</script>",
    "redirect": "<img src='/redirect?to=$api'>",
    "meta refresh": "<meta http-equiv=refresh content='0;url=$console'>",
    "sandboxed frame": f"<iframe sandbox='allow-scripts allow-forms' srcdoc=\"<script>{SEND}</script>\"></iframe>",
    "click without referrer": (
        "<a rel=noreferrer href='$console'>x</a><script>document.querySelector('a').click()</script>"
    ),
    "rebound name": "<script>location = '$rebound'</script>",
    "fetch without referrer": f"<meta name=referrer content=no-referrer><script>{SEND}</script>",
    "image of the reader": "<img src='$reader'>",
}
"""What a page holds; the names of the service's addresses stand for one with a word that names the try."""


@dataclass
class Answered:
    """Notes which addresses of the service were answered, and how."""

    app: ASGIApp
    log: list[tuple[str, int, dict[str, str]]] = field(default_factory=list)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        status = 0

        async def noted(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        await self.app(scope, receive, noted)
        if scope["type"] == "http":
            address = f"{scope['path']}?{unquote(scope['query_string'].decode())}"
            headers = {name.decode(): text.decode() for name, text in scope["headers"]}
            self.log.append((address, status, headers))

    def of(self, word: str) -> list[tuple[str, int, dict[str, str]]]:
        """What was answered of a try."""
        return [entry for entry in self.log if word in entry[0]]


def foreign_page(received: Received) -> Answer:
    """Somebody else's server: the page that its address holds, or a redirect."""
    if received.path == "/redirect":
        return Answer("", 302, {"location": received.query.partition("to=")[2]})
    if received.path == "/page":
        return Answer(received.params["holds"])
    return Answer("", 404)


@dataclass
class Scene:
    """A service, what it would spend on, and somebody else's server."""

    service: str
    answered: Answered
    brave: Simulator
    site: LoopbackServer
    foreign: LoopbackServer
    browser: Browser
    _numbers: Iterator[int] = field(default_factory=count)

    def word(self) -> str:
        return f"attempt{next(self._numbers)}x"

    def addresses(self, word: str) -> dict[str, str]:
        """The addresses of the service that cost, each with the word that names this try."""
        port = urlsplit(self.service).port
        found = {
            "service": self.service,
            "word": word,
            "api": f"{self.service}/v1/search?query={word}",
            "post": f"{self.service}/v1/search?try={word}",
            "console": f"{self.service}/?q={word}",
            "dialect": f"{self.service}/compat/searxng/search?q={word}&format=json",
            "reading": f"{self.service}/compat/jina/{self.site.url}/{word}",
            "reader": f"{self.service}/read?url={self.site.url}/{word}",
            "socket": f"ws://127.0.0.1:{port}/mcp?try={word}",
            "mcp": f"{self.service}/mcp?try={word}",
            "rebound": f"http://{REBOUND}:{port}/?q={word}",
        }
        return found | {f"rules_{name}": rules(found[name]) for name in ("console", "api", "dialect", "reader")}

    def spent(self, word: str) -> list[str]:
        """What a try has cost: the searches that were paid and the pages that were fetched."""
        searches = [str(each.sent) for each in self.brave.received if word in str(each.sent)]
        return searches + [each.path for each in self.site.received if word in each.path]

    def visit(self, host: str, holds: str) -> Page:
        """Open a page of somebody else's."""
        port = urlsplit(self.foreign.url).port
        page = self.browser.new_context().new_page()
        page.goto(f"http://{host}:{port}/page?holds={percent(holds)}", wait_until="commit")
        return page

    def wait(self, page: Page, word: str) -> None:
        """Wait until the service has answered what a page sent."""
        waited = 0
        while not self.answered.of(word):
            assert waited < PATIENCE, "the browser has sent nothing"
            page.wait_for_timeout(20)
            waited += 20


def rules(address: str) -> str:
    """Rules that have a browser fetch an address before anybody asks."""
    return json.dumps({
        kind: [{"source": "list", "eagerness": "immediate", "urls": [address]}] for kind in ("prefetch", "prerender")
    })  # fmt: skip


def percent(text: str) -> str:
    return "".join(f"%{byte:02x}" for byte in text.encode())


@pytest.fixture(scope="module")
def scene(chromium_is_there: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    folder: Path = tmp_path_factory.mktemp("service")
    with ExitStack() as stack:
        site = stack.enter_context(LoopbackServer(lambda _: Answer("<main><p>" + "A page of some length. " * 40)))
        brave = stack.enter_context(simulators.start("brave"))
        foreign = stack.enter_context(LoopbackServer(foreign_page))
        settings = {
            "providers": ["brave"],
            "attempts": 1,
            "store": str(folder / "state.sqlite"),
            "allow_private": [site.url.removeprefix("http://")],
        }
        port = urlsplit(foreign.url).port
        options = ServiceOptions(allowed_origins=(f"http://{FRIEND}:{port}",))
        parts = compose(load(settings, providers={"brave": brave.settings()}, environ={}))
        answered = Answered(create_app(parts, Tokens(folder / "tokens.json"), options))
        url = stack.enter_context(Serving(answered))
        playwright = stack.enter_context(sync_playwright())
        names = ", ".join(f"MAP {name} 127.0.0.1" for name in (EVIL, REBOUND, FRIEND))
        browser = playwright.chromium.launch(
            executable_path=find_executable(None), args=["--no-sandbox", f"--host-resolver-rules={names}"]
        )
        stack.callback(browser.close)
        yield Scene(url, answered, brave, site, foreign, browser)


@pytest.mark.parametrize("host", [EVIL, "127.0.0.1"], ids=["another site", "another port"])
@pytest.mark.parametrize("vector", VECTORS)
def test_a_page_of_somebody_else_s_spends_nothing(scene: Scene, vector: str, host: str) -> None:
    word = scene.word()
    page = scene.visit(host, Template(VECTORS[vector]).substitute(scene.addresses(word)))
    scene.wait(page, word)
    page.context.close()
    assert scene.spent(word) == []


def test_what_a_person_wants_is_answered(scene: Scene) -> None:
    """An address that was typed, a form of our own, a link of our own."""
    page = scene.browser.new_context().new_page()
    typed, written, read = scene.word(), scene.word(), scene.word()
    page.goto(scene.addresses(typed)["console"])
    expect(page.get_by_role("heading", name=f"results for {typed}")).to_be_visible()
    page.get_by_role("searchbox").fill(written)
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_role("heading", name=f"results for {written}")).to_be_visible()
    page.goto(f"{scene.service}/read")
    page.get_by_label("Address of a page").fill(f"{scene.site.url}/{read}")
    page.get_by_role("button", name="Read").click()
    expect(page.locator("article")).to_contain_text("A page of some length.")
    assert [len(scene.spent(word)) for word in (typed, written, read)] == [1, 1, 1]


def test_a_link_of_another_site_fills_in_the_form_and_a_click_sends_it(scene: Scene) -> None:
    word = scene.word()
    page = scene.visit(EVIL, f"<a href='{scene.addresses(word)['console']}'>here</a>")
    page.get_by_role("link").click()
    expect(page.get_by_role("searchbox")).to_have_value(word)
    assert scene.spent(word) == []
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_role("heading", name=f"results for {word}")).to_be_visible()
    assert len(scene.spent(word)) == 1


def test_a_page_that_was_allowed_by_name_may_ask_but_not_ahead_of_time(scene: Scene) -> None:
    asked, ahead = scene.word(), scene.word()
    addresses = scene.addresses(ahead)
    page = scene.visit(FRIEND, f"<script type=speculationrules>{addresses['rules_api']}</script>")
    scene.wait(page, ahead)
    found: Any = page.evaluate("url => fetch(url).then(reply => reply.json())", scene.addresses(asked)["api"])
    assert found["outcome"] == "ok"
    assert (len(scene.spent(asked)), scene.spent(ahead)) == (1, [])
