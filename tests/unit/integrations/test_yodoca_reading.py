"""yodoca's `open_page`."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel

from seekread.integrations.sending import sender_for
from seekread.integrations.yodoca import (
    Crawl4AIReadProvider,
    JinaReadProvider,
    OpenPagesToolResult,
    OpenPageToolResult,
    PerplexitySearchProvider,
    SearXngSearchProvider,
    TavilyProvider,
    WebSearchExtension,
)
from seekread.integrations.yodoca.providers import Means
from seekread.models import ReadResult

pytestmark = pytest.mark.anyio

Wire = Callable[..., Any]
PUBLIC = "93.184.216.34"


class Context:
    def __init__(self, secrets: dict[str, str] | None = None, **config: Any) -> None:
        self.config, self.secrets = config, dict(secrets or {})

    def get_config(self, key: str, default: Any = None) -> Any:
        return self.config.get(key, default)

    async def get_secret(self, name: str) -> str | None:
        return self.secrets.get(name)

    async def set_secret(self, name: str, value: str) -> None:
        self.secrets[name] = value


class Resolver:
    """Names without a network."""

    def __init__(self, **answers: list[str]) -> None:
        self.answers = answers

    async def resolve(self, host: str, port: int) -> list[str]:
        return self.answers.get(host.replace(".", "_"), [PUBLIC])


class Reader:
    """A reader of the host's own, with the document's protocol."""

    def __init__(self, text: str = "word " * 10_000, **fields: Any) -> None:
        self.text, self.fields, self.read = text, fields, list[str]()

    async def read_url(self, url: str) -> ReadResult:
        self.read.append(url)
        return ReadResult(url=url, title="A page", content=self.text, content_length=len(self.text), **self.fields)


async def made(reader: Any = None, context: Context | None = None, **means: Any) -> WebSearchExtension:
    extension = WebSearchExtension(resolver=means.pop("resolver", Resolver()), **means)
    await extension.initialize(context or Context())
    if reader is not None:
        extension._reader = reader
    return extension


async def one(extension: WebSearchExtension, url: str, **options: Any) -> OpenPageToolResult:
    result = await extension.open_page(url, **options)
    assert isinstance(result, OpenPageToolResult)
    return result


async def several(extension: WebSearchExtension, urls: list[str], **options: Any) -> OpenPagesToolResult:
    result = await extension.open_page(urls=urls, **options)
    assert isinstance(result, OpenPagesToolResult)
    return result


@pytest.mark.proves("S3-12", "S3-13", "S3-36")
async def test_one_page_has_the_documents_fields() -> None:
    """A complete page says so."""
    result = await one(await made(Reader("Short.")), "https://example.org/a")
    assert result.model_dump() == {
        "url": "https://example.org/a",
        "title": "A page",
        "content": "Short.",
        "content_length": 6,
        "original_length": 6,
        "truncated": False,
        "status": "success",
        "error": "",
    }


@pytest.mark.proves("S3-29", "S3-36")
async def test_a_long_page_is_cut_visibly() -> None:
    """At `max_page_length` characters, with both lengths."""
    result = await one(await made(Reader()), "https://example.org/a")
    assert result.truncated
    assert 14_900 < result.content_length <= 15_000
    assert result.content_length == len(result.content)
    assert result.original_length == 50_000
    configured = await one(await made(Reader(), Context(max_page_length=100)), "https://example.org/a")
    assert configured.content_length <= 100


@pytest.mark.proves("S3-10", "S3-29")
@pytest.mark.parametrize("name", ["max_length", "max_length_per_page", "max_chars"])
async def test_the_calls_own_length_wins(name: str) -> None:
    """X-23: shorter and longer than the setting; under any of its names."""
    extension = await made(Reader())
    assert (await one(extension, "https://example.org/a", **{name: 200})).content_length <= 200
    assert (await one(extension, "https://example.org/a", **{name: 30_000})).content_length > 29_000


@pytest.mark.parametrize("wrong", [0, -5, "many", True, 1.5])
async def test_a_length_that_makes_no_sense_is_told(wrong: Any) -> None:
    result = await one(await made(Reader()), "https://example.org/a", max_length=wrong)
    assert result.status == "error"
    assert "max_length must be a whole number" in result.error


async def test_a_page_is_not_fetched_twice_in_a_session() -> None:
    """S3-23: also for another length."""
    reader = Reader()
    extension = await made(reader)
    await one(extension, "https://example.org/a")
    await one(extension, "https://example.org/a", max_length=100)
    assert reader.read == ["https://example.org/a"]


@pytest.mark.proves("S3-12", "S3-28", "X-4")
async def test_a_failed_read_says_so_and_what_to_do_and_is_not_kept() -> None:
    """S3-39."""
    reader = Reader("", success=False, error="Jina is down", outcome="unreachable")
    extension = await made(reader)
    result = await one(extension, "https://example.org/a")
    assert (result.status, result.content, result.content_length) == ("error", "", 0)
    assert result.error.startswith("Jina is down. ")
    assert result.error.endswith("You can retry once or skip this page.")
    await one(extension, "https://example.org/a")
    assert len(reader.read) == 2


@pytest.mark.proves("S3-28")
async def test_a_reader_that_raises_is_a_failed_read() -> None:
    class Broken:
        async def read_url(self, url: str) -> ReadResult:
            raise RuntimeError("boom")

    assert "RuntimeError: boom" in (await one(await made(Broken()), "https://example.org/a")).error


@pytest.mark.proves("S3-5", "S3-7")
async def test_a_reader_with_its_own_result_class_is_understood() -> None:
    class OwnResult(BaseModel):
        url: str
        title: str
        content: str
        content_length: int
        original_length: int | None = None
        truncated: bool = False
        success: bool
        error: str = ""

    class Own:
        async def read_url(self, url: str) -> OwnResult:
            return OwnResult(url=url, title="T", content="C", content_length=1, truncated=True, success=True)

    result = await one(await made(Own()), "https://example.org/a")
    assert (result.title, result.content, result.truncated, result.original_length) == ("T", "C", True, None)


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
@pytest.mark.parametrize("name", ["jina", "tavily", "builtin"])
async def test_private_addresses_are_refused_before_any_reader(url: str, name: str) -> None:
    """Uniformly, before a third party sees the address; multicast and unspecified too."""
    reader = Reader()
    extension = await made(reader, Context(read_provider=name))
    result = await one(extension, url)
    assert result.status == "error"
    assert reader.read == []


@pytest.mark.proves("S3-30", "X-25")
async def test_a_name_that_leads_inside_is_refused() -> None:
    """One bad answer among several is enough; DNS is asked off the event loop."""
    reader = Reader()
    resolver = Resolver(inside_example_org=[PUBLIC, "10.0.0.1"])
    result = await one(await made(reader, resolver=resolver), "https://inside.example.org/a")
    assert result.status == "error"
    assert "10.0.0.1" not in result.error
    assert reader.read == []


async def test_the_operators_lists_hold_for_reading_and_for_where_it_ended() -> None:
    """S3-24: the refusal names the setting; the final address counts too."""
    blocked = Context(blocked_domains=["evil.example.org"])
    result = await one(await made(Reader(), blocked), "https://www.evil.example.org/a")
    assert "blocked_domains" in result.error
    result = await one(
        await made(Reader(), Context(allowed_domains=["good.example.org"])), "https://other.example.org/a"
    )
    assert "allowed_domains" in result.error
    redirected = Reader(final_url="https://evil.example.org/b")
    result = await one(await made(redirected, blocked), "https://good.example.org/a")
    assert result.status == "error"
    assert "blocked_domains" in result.error
    assert "retry" not in result.error
    assert result.content == ""


async def test_several_pages_share_a_budget() -> None:
    """X-23: `urls` gives the batch form; each gets its share, and the warning comes at ninety per cent."""
    urls = [f"https://example.org/{n}" for n in range(4)]
    result = await several(await made(Reader()), urls)
    assert [page.url for page in result.pages] == urls
    assert (result.total, result.success_count, result.error_count) == (4, 4, 0)
    assert all(page.truncated and page.content_length <= 10_000 for page in result.pages)
    assert result.total_content_length == sum(page.content_length for page in result.pages)
    assert result.budget_warning == (
        f"Content budget nearly exhausted ({result.total_content_length}/40000 chars). "
        "Consider reducing the number of URLs or use max_length_per_page."
    )
    small = await several(await made(Reader()), urls, max_length_per_page=100)
    assert small.total_content_length <= 400
    greedy = await several(await made(Reader()), urls, max_length_per_page=30_000)
    assert greedy.total_content_length <= 40_000
    assert small.budget_warning == ""


async def test_one_address_in_a_list_gets_the_whole_budget() -> None:
    """It never got more than 15,000 characters, because two limits were applied."""
    result = await several(await made(Reader()), ["https://example.org/a"])
    assert result.pages[0].content_length > 39_000


@pytest.mark.proves("X-4")
async def test_bad_pages_do_not_spoil_good_ones() -> None:
    """X-23: each page has its own status; the same address is read once."""
    reader = Reader("Text.")
    result = await several(
        await made(reader), ["https://example.org/a", "http://localhost/", "https://example.org/a", " "]
    )
    assert [page.status for page in result.pages] == ["success", "error"]
    assert (result.success_count, result.error_count) == (1, 1)
    assert reader.read == ["https://example.org/a"]


async def test_too_many_and_no_addresses_are_told() -> None:
    extension = await made(Reader())
    many = await several(extension, [f"https://example.org/{n}" for n in range(11)])
    assert many.message == "Too many URLs: 11. Send at most 10 per call."
    assert (await several(extension, [" "])).message.startswith("urls is empty")
    assert (await one(extension, "")).error.startswith("url is required")


@pytest.mark.proves("S3-10")
async def test_the_strict_form_of_a_call_works() -> None:
    """X-23: all three properties sent, unused ones null."""
    extension = await made(Reader("Text."))
    tool = extension.get_tools()[1]
    single = await tool.on_invoke_tool(
        None, json.dumps({"url": "https://example.org/a", "max_length": None, "urls": None})
    )
    batch = await tool.on_invoke_tool(
        None, json.dumps({"url": None, "max_length": 3, "urls": ["https://example.org/a"]})
    )
    assert (single.content, batch.pages[0].content) == ("Text.", "Tex")


async def test_another_reader_takes_over_where_configured(wire: Wire) -> None:
    """S3-39: Jina has no SLA; our own reader steps in, and both reasons are told when none works."""

    async def builtin(url: str, *, max_length: int | None = None, offset: int = 0) -> ReadResult:
        return ReadResult(url=url, title="B", content="Built in.", content_length=9, success="good" in url, error="no")

    context = Context(read_fallback=["builtin"])
    extension = await made(None, context, transport=wire((503, "down")), open_page=builtin)
    assert (await one(extension, "https://good.example.org/a")).content == "Built in."
    failed = await one(extension, "https://bad.example.org/a")
    assert "jina: " in failed.error
    assert "builtin: no" in failed.error


@pytest.mark.proves("S3-20")
async def test_jina_is_asked_without_a_key_and_with_one(wire: Wire) -> None:
    """S3-3: Markdown comes back, lengths are counted."""
    sent = wire({"code": 200, "data": {"title": "T", "content": "# T\n\nText.", "url": "https://example.org/a"}})
    extension = await made(None, Context(), transport=sent)
    result = await one(extension, "https://example.org/a")
    assert (result.title, result.content, result.original_length) == ("T", "# T\n\nText.", 10)
    (request,) = sent.requests
    assert request.url.host == "r.jina.ai"
    assert "authorization" not in request.headers
    provider = JinaReadProvider(Context({"JINA_API_KEY": "jina-key"}), means=Means(sender_for(sent)))
    await provider.read_url("https://example.org/b")
    assert sent.requests[-1].headers["authorization"] == "Bearer jina-key"


@pytest.mark.proves("S3-28")
@pytest.mark.parametrize("answer", [(503, "down"), (429, "slow"), (200, "<html>"), TimeoutError("x")])
async def test_an_outage_of_jina_is_told_in_the_result(wire: Wire, answer: Any) -> None:
    result = await JinaReadProvider(Context(), means=Means(sender_for(wire(answer)))).read_url("https://example.org/a")
    assert not result.success
    assert result.error


@pytest.mark.proves("S3-16", "S3-21")
async def test_tavily_searches_and_reads_with_one_key(wire: Wire) -> None:
    """S3-3."""
    sent = wire({"results": [{"url": "https://example.org/a", "title": "T", "raw_content": "# T\n\nText."}]})
    provider = TavilyProvider(Context({"TAVILY_API_KEY": "tvly-key"}), means=Means(sender_for(sent)))
    page = await provider.read_url("https://example.org/a")
    assert page.success
    assert page.content_length == len(page.content)
    assert sent.requests[0].url.path == "/extract"
    assert sent.requests[0].headers["authorization"] == "Bearer tvly-key"
    missing = await TavilyProvider(Context(), means=Means(sender_for(sent))).read_url("https://example.org/a")
    assert missing.error == "TAVILY_API_KEY secret not set. Use configure_extension to provide it."


@pytest.mark.proves("S3-41", "X-8")
async def test_perplexity_is_the_search_api_with_its_filters(wire: Wire) -> None:
    """Ranked results, recency and domains; not the chat models."""
    sent = wire({"results": [{"title": "P", "url": "https://p.example/x", "snippet": "s", "date": "2026-10-31"}]})
    provider = PerplexitySearchProvider(Context({"PERPLEXITY_API_KEY": "pplx"}), means=Means(sender_for(sent)))
    found = await provider.search("tea", limit=3, allowed_domains=["p.example"], time_range="m")
    assert [result.title for result in found] == ["P"]
    body = json.loads(sent.requests[0].content)
    assert str(sent.requests[0].url) == "https://api.perplexity.ai/search"
    assert (body["search_recency_filter"], body["search_domain_filter"]) == ("month", ["p.example"])


@pytest.mark.proves("S3-21")
async def test_searxng_is_asked_at_the_configured_address(wire: Wire) -> None:
    """An instance of one's own, with a time range."""
    sent = wire({"results": [{"title": "S", "url": "https://s.example/x", "content": "c"}]})
    context = Context(searxng_base_url="http://searx.example:8888")
    found = await SearXngSearchProvider(context, means=Means(sender_for(sent))).search("tea", limit=1, time_range="w")
    assert [result.snippet for result in found] == ["c"]
    assert sent.requests[0].url.host == "searx.example"
    assert sent.params["time_range"] == "week"


async def test_crawl4ai_says_what_to_install_where_it_is_missing() -> None:
    """S3-22: a heavy browser is never a dependency."""
    result = await Crawl4AIReadProvider(Context()).read_url("https://example.org/a")
    if not result.success:
        assert "crawl4ai" in result.error


@pytest.mark.proves("S3-16", "S3-32")
async def test_no_key_is_ever_in_a_result(wire: Wire) -> None:
    key = "tvly-0123456789abcdefghij"
    context = Context({"TAVILY_API_KEY": key}, search_provider="tavily", read_provider="tavily")
    extension = await made(None, context, transport=wire((500, f"failed for {key}")))
    shown = str(await extension.web_search("x")) + str(await extension.open_page("https://example.org/a"))
    assert key not in shown
    refused = await one(extension, f"https://example.org/?k={key}")
    assert refused.status == "error"
    assert key not in refused.error


@pytest.mark.process
async def test_the_builtin_reader_keeps_the_operators_lists_on_every_hop() -> None:
    """S3-24: our own reader is told the extension's lists, and a redirect cannot leave them."""
    from seekread.testing.server import Answer, LoopbackServer, Received

    def site(received: Received) -> Answer:
        if received.path == "/away":
            return Answer("", 302, {"location": "http://blocked.example.org/"})
        return Answer("<html><title>Here</title><main><p>" + "Some words of a page. " * 30 + "</p></main></html>")

    with LoopbackServer(site) as server:
        host = server.url.removeprefix("http://")
        context = Context(read_provider="builtin", allow_private=[host], blocked_domains=["blocked.example.org"])
        extension = WebSearchExtension()
        await extension.initialize(context)
        good, away = await one(extension, f"{server.url}/page"), await one(extension, f"{server.url}/away")
        await extension.destroy()
    assert (good.status, good.title) == ("success", "Here")
    assert "Some words of a page." in good.content
    assert away.status == "error"
    assert "blocked_domains" in away.error


@pytest.mark.proves("S3-32")
async def test_a_key_in_the_query_is_not_sent(wire: Wire) -> None:
    """Also one without the shape of a key."""
    sent = wire({"results": []})
    context = Context({"PERPLEXITY_API_KEY": "odd but secret words"}, search_provider="perplexity")
    result = await (await made(None, context, transport=sent)).web_search("who has odd but secret words")
    assert result.message.startswith("Search failed: the query contains a configured secret and was not sent")
    assert sent.requests == []
