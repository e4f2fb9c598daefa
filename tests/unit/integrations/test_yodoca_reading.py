"""yodoca's `open_page`: one page or several, each guarded, kept, cut visibly, or told why not."""

import json
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from seekread.integrations.yodoca import (
    JinaReadProvider,
    OpenPagesToolResult,
    OpenPageToolResult,
    TavilyProvider,
    WebSearchExtension,
)
from seekread.integrations.yodoca.config import YodocaConfig, in_host_words
from seekread.integrations.yodoca.engine import HostEngine
from seekread.testing import simulators
from seekread.testing.clock import FakeClock
from seekread.testing.server import Answer, Fault, LoopbackServer, Received
from seekread.testing.simulators import Simulator
from tests.support.hosts.yodoca import ExtensionContext, checkout

# What somebody else's reader brings is washed in a worker process.
pytestmark = [pytest.mark.anyio, pytest.mark.process]

SITE = "http://93.184.216.34"
"""Addresses that need no resolver; only readers ever hear of them."""

READER = """
class OwnReadProvider:
    asked = []
    page = {"title": "A page", "content": "word " * 10_000, "content_length": 50_000, "success": True}

    async def read_url(self, url):
        self.asked.append(url)
        return {"url": url, **self.page}
"""
"""A reader of the host's own, with the document's protocol."""


@asynccontextmanager
async def made(
    *services: Simulator, secrets: dict[str, str] | None = None, clock: FakeClock | None = None, **config: Any
) -> AsyncIterator[WebSearchExtension]:
    """An extension that reaches nothing but simulators."""
    environ = {name: value for service in services for name, value in service.environment().items()}
    environ = {name: value for name, value in environ.items() if not name.endswith("_API_KEY")}
    extension = WebSearchExtension(environ=environ, **({"clock": clock} if clock else {}))
    await extension.initialize(ExtensionContext(config, secrets or {}))
    try:
        yield extension
    finally:
        await extension.destroy()


@pytest.fixture
def own(tmp_path: Path) -> Iterator[None]:
    """A host with a reader `own` beside the manifest."""
    with checkout(tmp_path, {"providers/own.py": READER}):
        yield


@pytest.fixture
def jina() -> Iterator[Simulator]:
    with simulators.start("jina") as running:
        yield running


@asynccontextmanager
async def reading(
    clock: FakeClock | None = None, page: dict[str, Any] | None = None, **config: Any
) -> AsyncIterator[Any]:
    """An extension whose reader is `own`, and that reader."""
    async with made(clock=clock, read_provider="own", **config) as extension:
        reader: Any = extension._reader
        reader.page = {**reader.page, **(page or {})}
        yield extension, reader


async def one(extension: WebSearchExtension, url: str, **options: Any) -> OpenPageToolResult:
    result = await extension.open_page(url, **options)
    assert isinstance(result, OpenPageToolResult)
    return result


async def several(extension: WebSearchExtension, urls: list[str], **options: Any) -> OpenPagesToolResult:
    result = await extension.open_page(urls=urls, **options)
    assert isinstance(result, OpenPagesToolResult)
    return result


@pytest.mark.proves("S3-12", "S3-13", "S3-36")
async def test_one_page_has_the_documents_fields(own: None) -> None:
    """A complete page says so."""
    async with reading(page={"content": "Short."}) as (extension, _):
        result = await one(extension, f"{SITE}/a")
    assert result.model_dump() == {
        "url": f"{SITE}/a",
        "title": "A page",
        "content": "Short.",
        "content_length": 6,
        "original_length": 6,
        "truncated": False,
        "status": "success",
        "error": "",
    }


@pytest.mark.proves("S3-10", "S3-29", "S3-36", "X-23")
async def test_a_long_page_is_cut_visibly(own: None) -> None:
    """At `max_page_length` characters or the call's own length, under any of its names; with both lengths."""
    async with reading() as (extension, reader):
        result = await one(extension, f"{SITE}/a")
        assert result.truncated
        assert 14_900 < result.content_length <= 15_000
        assert result.content_length == len(result.content)
        assert result.original_length == 49_999
        for name in ("max_length", "max_length_per_page", "max_chars"):
            assert (await one(extension, f"{SITE}/a", **{name: 200})).content_length <= 200
            assert (await one(extension, f"{SITE}/a", **{name: 30_000})).content_length > 29_000
        assert len(reader.asked) == 1
    async with reading(max_page_length=100) as (extension, _):
        assert (await one(extension, f"{SITE}/a")).content_length <= 100


@pytest.mark.parametrize("wrong", [0, -5, "many", True, 1.5])
async def test_a_length_that_makes_no_sense_is_told(wrong: Any) -> None:
    async with made() as extension:
        result = await one(extension, f"{SITE}/a", max_length=wrong)
        unknown = await one(extension, f"{SITE}/a", colour="red")
    assert result.status == "error"
    assert "max_length must be " in result.error
    assert "unknown argument 'colour'" in unknown.error


@pytest.mark.proves("S3-23")
async def test_a_page_is_not_fetched_twice_in_a_session_until_it_is_old(own: None) -> None:
    """However its address is written, and for another length; it was kept for the life of the process."""
    clock = FakeClock()
    async with reading(clock) as (extension, reader):
        for url in (f"{SITE}/a", f"{SITE}/a#part", "HTTP://93.184.216.34:80/a"):
            page = await one(extension, url, max_length=100)
            assert (page.url, page.error) == (url, "")
        assert reader.asked == [f"{SITE}/a"]
        clock.now += 3 * 86_400
        reader.page = {**reader.page, "content": "Another edition."}
        assert (await one(extension, f"{SITE}/a")).content == "Another edition."
    async with reading(clock, page_fresh_seconds=0) as (extension, reader):
        before = len(reader.asked)
        await one(extension, f"{SITE}/a")
        await one(extension, f"{SITE}/a")
        assert len(reader.asked) == before + 2


@pytest.mark.proves("S3-12", "S3-28", "S3-39", "X-4")
async def test_a_failed_read_says_so_and_what_to_do_and_is_not_kept(own: None) -> None:
    failed = {"content": "", "success": False, "error": "the service is down", "outcome": "unreachable"}
    async with reading(page=failed) as (extension, reader):
        result = await one(extension, f"{SITE}/a")
        assert (result.status, result.content, result.content_length) == ("error", "", 0)
        assert result.error.startswith("the service is down. ")
        assert result.error.endswith("You can retry once or skip this page.")
        reader.page = {**reader.page, "success": True, "outcome": "ok", "content": "Up again."}
        assert (await one(extension, f"{SITE}/a")).content == "Up again."


@pytest.mark.proves("S3-39")
async def test_a_name_that_cannot_be_looked_up_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody(*_arguments: Any, **_options: Any) -> Any:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", nobody)
    async with made() as extension:
        result = await one(extension, "https://nowhere.example.org/a")
    assert "nowhere.example.org" in result.error
    assert result.error.endswith("You can retry once or skip this page.")


@pytest.mark.proves("S3-39")
async def test_no_advice_contradicts_itself() -> None:
    """Where a reader is not set up, trying again cannot help, and nobody is told to."""
    async with made(read_provider="tavily") as extension:
        result = await one(extension, f"{SITE}/a")
    assert "TAVILY_API_KEY secret not set. Use configure_extension to provide it" in result.error
    assert "retrying cannot help" in result.error
    assert "retry once" not in result.error
    assert result.error.endswith("You can skip this page.")


@pytest.mark.proves("S3-5", "S3-7", "S3-13")
async def test_a_page_that_came_cut_says_so(own: None) -> None:
    """How long it was only its reader can know."""
    for length in (None, 9_000):
        async with reading(page={"content": "C", "truncated": True, "original_length": length}) as (extension, _):
            result = await one(extension, f"{SITE}/{length}")
        assert (result.content, result.truncated, result.original_length) == ("C", True, length)


@pytest.mark.proves("S3-7")
async def test_a_page_without_a_title_has_that_of_its_first_heading(own: None) -> None:
    async with reading(page={"title": "", "content": "Words.\n\n## All about tea\n\nMore."}) as (extension, _):
        assert (await one(extension, f"{SITE}/a")).title == "All about tea"
    with simulators.start("tavily") as tavily:
        async with made(tavily, secrets={"TAVILY_API_KEY": tavily.key}, read_provider="tavily") as extension:
            assert (await one(extension, f"{SITE}/a")).title


@pytest.mark.proves("S3-30", "X-25")
@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "ftp://example.org/a",
        "http://localhost/a",
        "http://127.0.0.1/a",
        "http://10.1.2.3/a",
        "http://192.168.0.1/a",
        "http://169.254.169.254/latest/meta-data",
        "http://[::1]/a",
        "http://[::ffff:127.0.0.1]/a",
        "http://0.0.0.0/",
        "http://224.0.0.1/",
        "not a url",
    ],
)
@pytest.mark.parametrize("name", ["jina", "tavily", "builtin", "own"])
async def test_private_addresses_are_refused_before_any_reader(url: str, name: str, own: None, jina: Simulator) -> None:
    """Uniformly, before a third party sees the address; multicast and unspecified too."""
    async with made(jina, read_provider=name, secrets={"TAVILY_API_KEY": "tvly-none"}) as extension:
        before = len(getattr(extension._reader, "asked", ()))
        result = await one(extension, url)
        assert len(getattr(extension._reader, "asked", ())) == before
    assert result.status == "error"
    assert "retry" not in result.error
    assert jina.received == []


@pytest.mark.proves("S3-30", "X-25")
async def test_a_name_that_leads_inside_is_refused(own: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """One bad answer among several is enough; the refusal tells nobody which address it was."""

    def inside(*_arguments: Any, **_options: Any) -> Any:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 80)) for address in ("93.184.216.34", "10.0.0.1")]

    monkeypatch.setattr(socket, "getaddrinfo", inside)
    async with reading() as (extension, reader):
        before = len(reader.asked)
        result = await one(extension, "https://inside.example.org/a")
        assert len(reader.asked) == before
    assert result.status == "error"
    assert "10.0.0.1" not in result.error


@pytest.mark.proves("S3-24")
async def test_the_operators_lists_hold_for_reading_and_for_where_it_ended(own: None) -> None:
    """The refusal names the setting that decides in this host; the final address counts too."""
    blocked: dict[str, Any] = {"blocked_domains": ["evil.example.org"]}
    async with reading(**blocked) as (extension, reader):
        refused = await one(extension, "https://www.evil.example.org/a")
        reader.page = {**reader.page, "final_url": "https://evil.example.org/b"}
        ended = await one(extension, f"{SITE}/a")
    async with reading(allowed_domains=["good.example.org"]) as (extension, _):
        elsewhere = await one(extension, "https://other.example.org/a")
    assert "extensions.web_search.blocked_domains" in refused.error
    assert "extensions.web_search.allowed_domains" in elsewhere.error
    assert (ended.status, ended.content) == ("error", "")
    assert "extensions.web_search.blocked_domains" in ended.error
    assert "retry" not in refused.error + ended.error + elsewhere.error
    assert "SEEKREAD_" not in refused.error + ended.error + elsewhere.error


@pytest.mark.proves("S3-24")
async def test_a_refusal_names_the_setting_that_lifts_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours decides nothing here, whatever it says."""
    monkeypatch.setenv("SEEKREAD_ALLOW_PRIVATE", "10.0.0.1:80")
    extension = WebSearchExtension()
    await extension.initialize(ExtensionContext({"read_provider": "builtin"}))
    result = await one(extension, "http://10.0.0.1/")
    await extension.destroy()
    assert 'add "10.0.0.1:80" to extensions.web_search.allow_private' in result.error
    assert "[guard]" not in result.error


def test_settings_that_only_we_have_keep_our_names() -> None:
    assert "allow_private" in YodocaConfig.model_fields
    assert in_host_words("text_budget under [policy] decides") == "text_budget under [policy] decides"


@pytest.mark.proves("X-23")
async def test_several_pages_share_a_budget(own: None) -> None:
    """`urls` gives the batch form; each gets its share, and the warning comes at ninety per cent."""
    urls = [f"{SITE}/{n}" for n in range(4)]
    async with reading() as (extension, _):
        result = await several(extension, urls)
        small = await several(extension, urls, max_length_per_page=100)
        greedy = await several(extension, urls, max_length_per_page=30_000)
        # It never got more than 15,000 characters, because two limits were applied.
        alone = await several(extension, urls[:1])
    assert [page.url for page in result.pages] == urls
    assert (result.total, result.success_count, result.error_count) == (4, 4, 0)
    assert all(page.truncated and page.content_length <= 10_000 for page in result.pages)
    assert result.total_content_length == sum(page.content_length for page in result.pages)
    assert result.budget_warning == (
        f"Content budget nearly exhausted ({result.total_content_length}/40000 chars). "
        "Consider reducing the number of URLs or use max_length_per_page."
    )
    assert small.total_content_length <= 400
    assert greedy.total_content_length <= 40_000
    assert small.budget_warning == ""
    assert alone.pages[0].content_length > 39_000


@pytest.mark.proves("X-4", "X-23")
async def test_bad_pages_do_not_spoil_good_ones(own: None) -> None:
    """Each page has its own status; the same address is read once."""
    async with reading(page={"content": "Text."}) as (extension, reader):
        before = len(reader.asked)
        result = await several(extension, [f"{SITE}/a", "http://localhost/", f"{SITE}/a", " "])
        assert reader.asked[before:] == [f"{SITE}/a"]
    assert [page.status for page in result.pages] == ["success", "error"]
    assert (result.success_count, result.error_count) == (1, 1)


@pytest.mark.proves("X-23")
async def test_url_and_urls_are_both_honoured(own: None) -> None:
    """A strict schema makes models send both; `url` was silently dropped."""
    async with reading(page={"content": "Text."}) as (extension, _):
        result = await extension.open_page(url=f"{SITE}/a", urls=[f"{SITE}/b", f"{SITE}/a"])
        flat = await extension.open_page(url=f"{SITE}/a", urls=[])
        listed = await extension.open_page(url=[f"{SITE}/a", f"{SITE}/b"])
    assert isinstance(result, OpenPagesToolResult)
    assert [page.url for page in result.pages] == [f"{SITE}/a", f"{SITE}/b"]
    assert isinstance(flat, OpenPageToolResult)
    assert isinstance(listed, OpenPagesToolResult)
    assert listed.success_count == 2


async def test_too_many_and_no_addresses_are_told() -> None:
    async with made() as extension:
        many = await several(extension, [f"{SITE}/{n}" for n in range(11)])
        assert many.message == "Too many URLs: 11. Send at most 10 per call."
        assert (await several(extension, [" "])).message.startswith("urls is empty")
        assert (await one(extension, "")).error.startswith("url is required")


@pytest.mark.proves("S3-10", "X-23")
async def test_the_strict_form_of_a_call_works(own: None) -> None:
    """All three properties sent, unused ones null."""
    async with reading(page={"content": "Text."}) as (extension, _):
        tool = extension.get_tools()[1]
        single = await tool.on_invoke_tool(None, json.dumps({"url": f"{SITE}/a", "max_length": None, "urls": None}))
        batch = await tool.on_invoke_tool(None, json.dumps({"url": None, "max_length": 3, "urls": [f"{SITE}/a"]}))
    assert (single.content, batch.pages[0].content) == ("Text.", "Tex")


@pytest.mark.proves("S3-39")
async def test_another_reader_takes_over_where_configured(own: None, jina: Simulator) -> None:
    """Jina has no SLA; another one steps in, and the last reason is told when none works."""
    jina.fail(Fault(503, "down"))
    async with made(jina, read_fallback=["own"]) as extension:
        assert (await one(extension, f"{SITE}/a", max_length=4)).content == "word"
    async with made(jina, read_fallback=["tavily"]) as extension:
        failed = await one(extension, f"{SITE}/b")
    assert failed.status == "error"
    assert "TAVILY_API_KEY" in failed.error


@pytest.mark.proves("S3-3", "S3-20")
async def test_jina_is_asked_without_a_key_and_with_one(jina: Simulator) -> None:
    """Markdown comes back, lengths are counted."""
    async with made(jina) as extension:
        result = await one(extension, f"{SITE}/a")
    assert (result.title, result.original_length) == (f"Page {SITE}/a", len(result.content))
    assert result.content.startswith("# Page\n\nText of")
    assert "authorization" not in jina.received[-1].headers
    async with made(jina, secrets={"JINA_API_KEY": jina.key}) as extension:
        await one(extension, f"{SITE}/a")
    assert jina.received[-1].headers["authorization"] == f"Bearer {jina.key}"


@pytest.mark.proves("S3-28")
@pytest.mark.parametrize("fault", [Fault(503, "down"), Fault(429, "slow"), Fault(200, "<html>"), Fault(how="reset")])
async def test_an_outage_of_jina_is_told_in_the_result(fault: Fault, jina: Simulator) -> None:
    jina.fail(fault)
    context = ExtensionContext()
    provider = JinaReadProvider(context, engine=HostEngine(context, environ=jina.environment(), clock=FakeClock()))
    result = await provider.read_url(f"{SITE}/a")
    await provider.engine.close()
    assert not result.success
    assert result.error


@pytest.mark.proves("S3-3", "S3-16", "S3-21")
async def test_tavily_searches_and_reads_with_one_key() -> None:
    """By itself, under the host's context."""
    with simulators.start("tavily") as service:
        environ = {name: value for name, value in service.environment().items() if not name.endswith("_API_KEY")}
        context = ExtensionContext(secrets={"TAVILY_API_KEY": service.key})
        provider = TavilyProvider(context, engine=HostEngine(context, services=("tavily",), environ=environ))
        page = await provider.read_url(f"{SITE}/a")
        assert len(await provider.search("tea", limit=2)) == 2
        await provider.engine.close()
        sent = [(received.path, received.headers["authorization"]) for received in service.received]
    assert page.success
    assert page.content_length == len(page.content)
    assert sent == [("/extract", f"Bearer {service.key}"), ("/search", f"Bearer {service.key}")]


@pytest.mark.proves("S3-16", "S3-32")
async def test_no_key_is_ever_in_a_result() -> None:
    key = "tvly-0123456789abcdefghij"
    with simulators.start("tavily") as service:
        service.fail(Fault(500, f"failed for {key}"))
        config: dict[str, Any] = {"search_provider": "tavily", "read_provider": "tavily"}
        async with made(service, secrets={"TAVILY_API_KEY": key}, **config) as extension:
            shown = str(await extension.web_search("x")) + str(await extension.open_page(f"{SITE}/a"))
            refused = await one(extension, f"{SITE}/?k={key}")
    assert key not in shown
    assert refused.status == "error"
    assert key not in refused.error


@pytest.mark.proves("S3-24", "S3-33")
async def test_the_builtin_reader_keeps_the_operators_lists_on_every_hop() -> None:
    """Our own reader is told the extension's lists, and a redirect cannot leave them."""

    def site(received: Received) -> Answer:
        if received.path == "/away":
            return Answer("", 302, {"location": "http://blocked.example.org/"})
        return Answer("<html><title>Here</title><main><p>" + "Some words of a page. " * 30 + "</p></main></html>")

    with LoopbackServer(site) as server:
        host = server.url.removeprefix("http://")
        lists: dict[str, Any] = {"allow_private": [host], "blocked_domains": ["blocked.example.org"]}
        async with made(read_provider="builtin", **lists) as extension:
            good, away = await one(extension, f"{server.url}/page"), await one(extension, f"{server.url}/away")
    assert (good.status, good.title) == ("success", "Here")
    assert "Some words of a page." in good.content
    assert away.status == "error"
    assert "extensions.web_search.blocked_domains" in away.error
