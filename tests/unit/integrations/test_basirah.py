"""basirah's contract, and every weakness its own tool showed."""

import json
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import httpx2
import jsonschema
import pytest

from seekread.integrations import basirah
from seekread.integrations.basirah import WebSearchTool, filter_by_relevance
from seekread.state.ledger import identity
from seekread.sync import portal
from seekread.testing import simulators
from seekread.testing.clock import AN_AUTUMN_DAY, FakeClock
from seekread.testing.server import Fault

Wire = Callable[..., Any]
KEY = "BSAtestkey0123456789abcdefghij"
OTHER = "BSAanother0123456789abcdefghij"
ROW = {
    "title": "Apple &amp; <b>leadership</b>",
    "url": "https://www.apple.com/newsroom",
    "description": "Apple  today\nannounced <strong>changes</strong>",
    "age": "3 days ago",
    "extra_snippets": ["One &quot;two&quot;", "Apple <i>three</i>"],
}


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAVE_SEARCH_API_KEY", KEY)


def web(*rows: Any) -> dict[str, Any]:
    return {"type": "search", "query": {"original": "x"}, "web": {"results": list(rows)}}


def tool_with(transport: Any, **options: Any) -> WebSearchTool:
    clock = FakeClock()
    return WebSearchTool(transport=transport, clock=options.pop("clock", clock), **options)


@pytest.mark.proves("S1-1", "X-1", "X-33")
def test_name_and_description() -> None:
    """The document's sentence, then one with the word the shipped host looks for."""
    tool = WebSearchTool()
    assert tool.name == "web_search_tool"
    sentence = "Search the web for company information, news, and research using Brave Search"
    assert tool.description.startswith(sentence)
    assert "qualitative" in tool.description.removeprefix(sentence)


@pytest.mark.proves("S1-3", "S1-4", "S1-5", "S1-6", "S1-7", "S1-43")
def test_the_input_schema_is_literal() -> None:
    assert WebSearchTool().parameters == json.loads(
        """
        {"type": "object", "properties": {
          "query": {"type": "string", "description": "Search query string", "minLength": 1, "maxLength": 400,
            "examples": ["recent news about management changes", "competitive advantages brand loyalty",
                         "Tim Cook leadership track record"]},
          "company": {"type": "string", "description": "Company name or ticker for context filtering (optional)",
            "examples": ["Apple Inc", "AAPL", "Microsoft Corporation"]},
          "count": {"type": "integer", "description": "Number of results to return", "default": 10, "minimum": 1,
            "maximum": 20},
          "search_type": {"type": "string", "enum": ["general", "news", "recent"], "default": "general",
            "description": "Type of search to perform"},
          "freshness": {"type": "string", "enum": ["day", "week", "month", "year"],
            "description": "Filter results by freshness (optional)"}},
         "required": ["query"], "additionalProperties": false}
        """
    )


@pytest.mark.proves("S1-8", "S1-9", "S1-10", "S1-11", "S1-44")
def test_the_output_schema_is_literal() -> None:
    assert WebSearchTool().output_schema == json.loads(
        """
        {"type": "object", "properties": {
          "success": {"type": "boolean", "description": "Whether search completed successfully"},
          "data": {"type": ["object", "null"], "properties": {
            "query": {"type": "string", "description": "Actual query sent to Brave Search API"},
            "results": {"type": "array", "items": {"type": "object", "properties": {
              "title": {"type": "string", "description": "Result title"},
              "url": {"type": "string", "format": "uri", "description": "Result URL"},
              "description": {"type": "string", "description": "Result description/snippet"},
              "age": {"type": "string", "description": "Relative age (e.g., '2 days ago')"},
              "published_date": {"type": ["string", "null"], "format": "date",
                "description": "Publication date if available"},
              "source": {"type": "string", "description": "Domain name of source"},
              "extra_snippets": {"type": "array", "items": {"type": "string"},
                "description": "RAG-optimized additional snippets"}}}},
            "total_results": {"type": "integer", "description": "Total number of results returned"},
            "metadata": {"type": "object", "properties": {
              "source": {"type": "string", "const": "brave_search"},
              "search_type": {"type": "string", "description": "Type of search performed"},
              "timestamp": {"type": "string", "format": "date-time"},
              "api_latency_ms": {"type": "integer", "description": "API response time in milliseconds"}}}}},
          "error": {"type": ["string", "null"], "description": "Error message if search failed"}}}
        """
    )


def test_a_host_that_changes_the_schema_changes_its_own_copy() -> None:
    tool = WebSearchTool()
    tool.parameters["properties"].clear()
    assert tool.parameters["properties"]


@pytest.mark.proves("S1-8", "S1-9", "S1-10", "S1-11", "S1-21", "S1-23", "S1-36", "S1-41", "S1-47", "X-9", "X-10")
@pytest.mark.proves("X-27")
def test_the_envelope_of_a_success(wire: Wire) -> None:
    """Everything cleaned, dated and named."""
    answer = tool_with(wire(web(ROW))).execute(query="leadership", company="Apple Inc")
    jsonschema.validate(answer, WebSearchTool().output_schema, format_checker=jsonschema.FormatChecker())
    assert answer == {
        "success": True,
        "data": {
            "query": "leadership Apple Inc",
            "results": [
                {
                    "title": "Apple & leadership",
                    "url": "https://www.apple.com/newsroom",
                    "description": "Apple today announced changes",
                    "age": "3 days ago",
                    "published_date": days_before(3),
                    "source": "apple.com",
                    "extra_snippets": ['One "two"', "Apple three"],
                }
            ],
            "total_results": 1,
            "metadata": {
                "source": "brave_search",
                "search_type": "general",
                "timestamp": "2026-11-01T02:26:40Z",
                "api_latency_ms": 0,
            },
        },
        "error": None,
    }
    json.dumps(answer)


def days_before(days: float) -> str:
    return (datetime.fromtimestamp(AN_AUTUMN_DAY).astimezone() - timedelta(days=days)).strftime("%Y-%m-%d")


@pytest.mark.proves("S1-12", "S1-39", "S1-45")
@pytest.mark.parametrize("reply", [web(), {"query": {"original": "x"}}, {"web": {"results": None}}, {"web": None}])
def test_nothing_found_is_a_success(wire: Wire, reply: Any) -> None:
    """X-3."""
    answer = tool_with(wire(reply)).execute(query="x")
    assert answer["success"] is True
    assert answer["error"] is None
    assert (answer["data"]["results"], answer["data"]["total_results"]) == ([], 0)
    assert answer["data"]["metadata"]["source"] == "brave_search"


@pytest.mark.proves("S1-12")
def test_nothing_found_is_told_in_the_contracts_words_alone(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    """Natively "nothing found" names who was not asked; here one provider is asked, whoever else is set up."""
    for name in ("TAVILY_API_KEY", "SERPER_API_KEY", "EXA_API_KEY"):
        monkeypatch.setenv(name, f"{name.lower()}-0123456789")
    monkeypatch.setenv("SEEKREAD_PROVIDERS", "tavily,serper,exa")
    monkeypatch.setenv("SEEKREAD_FALLBACK", "wikipedia")
    sent = wire(web())
    assert tool_with(sent).execute(query="x") == {
        "success": True,
        "data": {
            "query": "x",
            "results": [],
            "total_results": 0,
            "metadata": {
                "source": "brave_search",
                "search_type": "general",
                "timestamp": "2026-11-01T02:26:40Z",
                "api_latency_ms": 0,
            },
        },
        "error": None,
    }
    assert [request.url.host for request in sent.requests] == ["api.search.brave.com"]


@pytest.mark.proves("S1-39", "S1-45")
def test_absent_fields_are_empty_and_the_order_is_kept(wire: Wire) -> None:
    answer = tool_with(wire(web({}, {"title": "B", "extra_snippets": None, "age": None}))).execute(query="x")
    blank: dict[str, Any] = {
        "title": "",
        "url": "",
        "description": "",
        "age": "",
        "published_date": None,
        "source": "",
        "extra_snippets": [],
    }
    assert answer["data"]["results"] == [blank, {**blank, "title": "B"}]


@pytest.mark.proves("S1-14", "S1-15", "S1-16", "S1-17", "X-21", "X-30")
def test_the_request_on_the_wire(wire: Wire) -> None:
    """Nine parameters, booleans in small letters, three headers."""
    sent = wire(web())
    tool_with(sent).execute(query="x", freshness="week", count=7)
    (request,) = sent.requests
    assert str(request.url).partition("?")[0] == "https://api.search.brave.com/res/v1/web/search"
    assert sent.params == {
        "q": "x", "count": "7", "offset": "0", "extra_snippets": "true", "text_decorations": "false",
        "search_lang": "en", "country": "US", "safesearch": "moderate", "freshness": "pw",
    }  # fmt: skip
    assert request.headers["accept"] == "application/json"
    assert request.headers["accept-encoding"] == "gzip"
    assert request.headers["x-subscription-token"] == KEY


@pytest.mark.proves("S1-16")
def test_country_language_and_safe_search_can_be_customised(wire: Wire) -> None:
    sent = wire(web())
    tool_with(sent, country="DE", language="de", safe_search="strict").execute(query="x")
    assert (sent.params["country"], sent.params["search_lang"], sent.params["safesearch"]) == ("DE", "de", "strict")


@pytest.mark.proves("S1-6", "S1-7", "S1-46", "X-8", "X-17")
@pytest.mark.parametrize(
    ("search_type", "freshness", "expected"),
    [
        ("general", None, None), ("general", "day", "pd"), ("news", "year", "py"), ("recent", None, "pm"),
        ("recent", "month", "pm"), ("recent", "week", "pw"), ("news", None, None),
    ],
)  # fmt: skip
def test_freshness_goes_out_as_brave_wants_it(
    wire: Wire, search_type: str, freshness: str | None, expected: str | None
) -> None:
    """Recent means a month unless a freshness says otherwise; both combine."""
    sent = wire(web())
    answer = tool_with(sent).execute(query="x", search_type=search_type, freshness=freshness)
    assert sent.params.get("freshness") == expected
    assert answer["data"]["metadata"]["search_type"] == search_type


@pytest.mark.proves("S1-46", "S1-47", "X-18")
@pytest.mark.parametrize("reply", [{"results": [ROW]}, {"news": {"results": [ROW]}}, web(ROW)])
def test_news_really_returns_news(wire: Wire, reply: Any) -> None:
    """The host's own tool could never return any, because it read another section."""
    sent = wire(reply)
    answer = tool_with(sent).execute(query="x", search_type="news")
    assert sent.requests[0].url.path == "/res/v1/news/search"
    assert sent.params["extra_snippets"] == "true"
    assert answer["data"]["total_results"] == 1
    assert answer["data"]["metadata"]["search_type"] == "news"


@pytest.mark.proves("S1-26", "X-6", "X-33")
def test_no_key_is_a_value_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Both wordings are in it."""
    monkeypatch.delenv("BRAVE_SEARCH_API_KEY")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match="BRAVE_SEARCH_API_KEY not set") as caught:
        WebSearchTool()
    assert str(caught.value).startswith(
        "BRAVE_SEARCH_API_KEY not set: BRAVE_SEARCH_API_KEY environment variable not set. "
    )


@pytest.mark.proves("S1-14", "X-22")
def test_dotenv_is_read_in_the_constructor_and_never_overrides(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing at import, of the current folder alone, and the environment wins."""
    (tmp_path / ".env").write_text("BRAVE_SEARCH_API_KEY=from-dotenv\n")
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path)
    assert WebSearchTool().api_key == KEY
    monkeypatch.delenv("BRAVE_SEARCH_API_KEY")
    assert WebSearchTool().api_key == "from-dotenv"
    monkeypatch.chdir(tmp_path / "below")
    with pytest.raises(ValueError, match="not set"):
        WebSearchTool()


@pytest.mark.proves("S1-14", "X-22")
@pytest.mark.parametrize("asked", ["", "1"])
def test_a_folder_can_bring_the_key_and_nothing_else(
    wire: Wire, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, asked: str
) -> None:
    """Whoever starts the host in a cloned folder sends the key to Brave and nowhere else."""
    (tmp_path / ".env").write_text(
        "SEEKREAD_BRAVE_BASE_URL=http://evil.example/res/v1\nHTTPS_PROXY=http://evil.example\nSSL_CERT_FILE=evil.pem\n"
        "SEEKREAD_SERVICE_PROXY=http://evil.example\nBRAVE_API_KEY=evil\nBRAVE_SEARCH_API_KEYS=evil,evil2\n"
        "SEEKREAD_BLOCKED_DOMAINS=apple.com\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SEEKREAD_DOTENV", asked)
    sent = wire(web(ROW))
    tool = tool_with(sent)
    assert tool.execute(query="x")["data"]["total_results"] == 1
    assert tool.base_url == str(sent.requests[0].url).partition("?")[0]
    assert tool.base_url == "https://api.search.brave.com/res/v1/web/search"
    assert tool.api_key == sent.requests[0].headers["x-subscription-token"] == KEY
    assert tool._parts.settings.services.service_proxy is None
    assert "https://" not in tool._parts.configuration.proxies


@pytest.mark.proves("X-22")
def test_the_contracts_name_wins_over_its_alias(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAVE_API_KEY", "other")
    assert WebSearchTool().api_key == KEY


@pytest.mark.proves("S1-13", "S1-27", "S1-39", "S1-42")
@pytest.mark.parametrize("query", [None, "", "   ", "\n"])
def test_an_empty_query(wire: Wire, query: str | None) -> None:
    answer = tool_with(wire(web())).execute(query=query)
    assert answer == {"success": False, "data": None, "error": "Query cannot be empty"}
    assert tool_with(wire(web())).execute() == answer


@pytest.mark.proves("S1-28", "S1-53", "X-20")
def test_a_query_that_is_too_long_also_after_the_company(wire: Wire) -> None:
    """The length was checked before the company was appended."""
    sent = wire(web())
    tool = tool_with(sent)
    assert tool.execute(query="x" * 401)["error"] == "Query exceeds 400 character limit"
    assert tool.execute(query="x" * 399, company="Apple Inc")["error"] == "Query exceeds 400 character limit"
    assert sent.requests == []
    assert tool.execute(query="x" * 400)["success"]


@pytest.mark.proves("S1-5", "S1-35", "S1-53", "X-2", "X-35")
@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"count": 0}, "Count must be between 1 and 20"),
        ({"count": 21}, "Count must be between 1 and 20"),
        ({"count": "5"}, "Count must be an integer between 1 and 20, not '5'"),
        ({"count": True}, "Count must be an integer between 1 and 20, not True"),
        ({"count": None}, "Count must be an integer between 1 and 20, not None"),
        ({"search_type": "images"}, "Invalid search_type: 'images'. Must be one of: general, news, recent"),
        ({"search_type": ["news"]}, "Invalid search_type: ['news']. Must be one of: general, news, recent"),
        ({"freshness": "hour"}, "Invalid freshness: 'hour'. Must be one of: day, week, month, year"),
        ({"company": 7}, "Company must be a string, not int"),
        ({"query": 7}, "Query must be a string, not int"),
        (
            {"limit": 3},
            "Unknown argument: limit. Known arguments: query, company, count, search_type, freshness",
        ),
    ],
)
def test_wrong_arguments_get_an_envelope(wire: Wire, arguments: dict[str, Any], error: str) -> None:
    """The host's own tool raised for wrong types."""
    sent = wire(web())
    assert tool_with(sent).execute(**{"query": "x", **arguments}) == {"success": False, "data": None, "error": error}
    assert sent.requests == []


def test_words_may_be_written_in_any_case(wire: Wire) -> None:
    sent = wire(web())
    assert tool_with(sent).execute(query="x", search_type="Recent", freshness="Day")["success"]
    assert sent.params["freshness"] == "pd"


INVALID = "Invalid API key. Check BRAVE_SEARCH_API_KEY environment variable"


@pytest.mark.proves("S1-29", "S1-40", "X-19")
@pytest.mark.parametrize(
    "reply",
    [
        (401, "no"),
        (403, "no"),
        (422, {"error": {"code": "SUBSCRIPTION_TOKEN_INVALID", "status": 422, "detail": "bad"}}),
    ],
)
def test_a_rejected_key_is_not_tried_again(wire: Wire, reply: Any) -> None:
    """Brave says 422 where the document says 401."""
    sent = wire(reply)
    assert tool_with(sent).execute(query="x")["error"] == INVALID
    assert len(sent.requests) == 1


def test_an_option_outside_the_plan_is_not_called_a_wrong_key(wire: Wire) -> None:
    reply = (400, {"error": {"code": "OPTION_NOT_IN_PLAN", "status": 400, "detail": "extra_snippets"}})
    error = tool_with(wire(reply)).execute(query="x")["error"]
    assert error == "Unexpected API error: 400 - OPTION_NOT_IN_PLAN: extra_snippets"


RATE = "Rate limit exceeded. Check your Brave Search API plan."
QUOTA = {"error": {"code": "QUOTA_LIMITED", "status": 429, "detail": "used up", "meta": {"quota_limit": 2000}}}
LARGER = {"error": {"code": "QUOTA_LIMITED", "status": 429, "detail": "used up", "meta": {"quota_limit": 15000}}}
TOO_FAST = {"error": {"code": "RATE_LIMITED", "status": 429, "detail": "slow down", "meta": {"quota_limit": 2000}}}


def windows(remaining: str) -> dict[str, str]:
    return {
        "x-ratelimit-policy": "1;w=1, 2000;w=2592000", "x-ratelimit-limit": "1, 2000",
        "x-ratelimit-remaining": remaining, "x-ratelimit-reset": "1, 172800",
    }  # fmt: skip


@pytest.mark.proves("S1-30", "S1-40", "X-19")
@pytest.mark.parametrize(
    ("reply", "error"),
    [
        ((429, "slow down"), RATE),
        ((429, TOO_FAST, windows("0, 1200")), RATE),
        ((429, TOO_FAST), RATE),
        ((429, QUOTA), RATE),
        ((429, QUOTA, windows("0, 0")), "Rate limit exceeded (2000 searches/month). Resets on 2026-11-03."),
        ((429, "used up", windows("1, 0")), "Rate limit exceeded (2000 searches/month). Resets on 2026-11-03."),
        ((429, LARGER, windows("0, 0")), "Rate limit exceeded (15000 searches/month). Resets on 2026-11-03."),
    ],
)
def test_too_fast_and_used_up_are_told_apart(wire: Wire, reply: Any, error: str) -> None:
    """The plan's limit and the real day of the reset where the reply names them."""
    sent = wire(reply)
    assert tool_with(sent).execute(query="x")["error"] == error
    assert len(sent.requests) == 1


@pytest.fixture
def settings_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    path = tmp_path / "settings.toml"
    path.write_text(f'[state]\nstore = "{tmp_path / "state.sqlite"}"\n[spending.plans]\nbrave = "free"\n')
    monkeypatch.setenv("SEEKREAD_CONFIG", str(path))
    return path


@pytest.mark.proves("S1-18", "S1-30", "S1-54")
@pytest.mark.parametrize(("plan", "limit"), [("free", 2_000), ("basic", 15_000), ("pro", 100_000)])
def test_a_plan_of_the_settings_is_kept_over_processes(wire: Wire, settings_file: Path, plan: str, limit: int) -> None:
    """What one tool has used another one knows; the search too many is not even sent, and the error says why."""
    settings_file.write_text(settings_file.read_text().replace('"free"', f'"{plan}"'))
    sent = wire(web(ROW))
    assert tool_with(sent).execute(query="x")["success"]
    other = tool_with(sent)
    portal.call(lambda: other._parts.ledger.reserve("brave", identity(KEY), limit - 2))
    assert tool_with(sent).execute(query="y")["success"]
    error = f"Rate limit exceeded ({limit} searches/month). Resets on 2026-12-01."
    assert tool_with(sent).execute(query="z") == {"success": False, "data": None, "error": error}
    assert len(sent.requests) == 2


@pytest.mark.proves("S1-30")
def test_what_a_refusal_does_not_say_the_ledger_knows(wire: Wire, settings_file: Path) -> None:
    """Somebody else used the key: Brave says that the month is used up, and the plan says when it begins afresh."""
    error = tool_with(wire((429, QUOTA))).execute(query="x")["error"]
    assert error == "Rate limit exceeded (2000 searches/month). Resets on 2026-12-01."


@pytest.mark.parametrize(
    ("spending", "reply", "error"),
    [
        ("daily_calls = 0", web(), "Daily cap reached (0 calls/day). Resets on 2026-11-02."),
        ("session_calls = 0", web(), "Session cap reached (0 calls). Start another session or raise the cap."),
        ('plans = {brave = "credit"}', (429, QUOTA), "Rate limit exceeded ($5.00/month). Resets on 2026-12-01."),
    ],
)
def test_a_cap_and_a_plan_in_dollars_are_told_as_such(
    wire: Wire, settings_file: Path, spending: str, reply: Any, error: str
) -> None:
    """Not as so many searches a month, which nobody sold."""
    settings_file.write_text(f"[spending]\n{spending}\n")
    assert tool_with(wire(reply)).execute(query="x")["error"] == error


def test_a_pause_that_brave_asked_for_is_kept(wire: Wire) -> None:
    """A short one is waited for; in a long one nothing is sent, and the error is the one for too many requests."""
    sent, clock = wire((429, "slow down", {"retry-after": "100"}), web(ROW)), FakeClock()
    tool = tool_with(sent, clock=clock)
    assert [tool.execute(query="x")["error"] for _ in range(2)] == [RATE, RATE]
    assert len(sent.requests) == 1
    portal.call(lambda: clock.advance(90))
    assert tool.execute(query="x")["success"]


def test_a_ledger_is_kept_for_who_asked_for_one(wire: Wire, settings_file: Path) -> None:
    tool_with(wire(web(ROW))).execute(query="x")
    assert (settings_file.parent / "state.sqlite").exists()
    assert tool_with(wire())._parts.store_url != "memory:"


def test_nobody_else_has_a_ledger(wire: Wire, settings_file: Path) -> None:
    settings_file.write_text("")
    tool_with(wire(web(ROW))).execute(query="x")
    assert not (settings_file.parent / "state.sqlite").exists()
    assert tool_with(wire())._parts.store_url == "memory:"


@pytest.mark.proves("S1-31", "S1-40", "X-12")
def test_a_timeout_is_tried_three_times_with_growing_pauses(wire: Wire) -> None:
    """One second, two seconds, no third pause."""
    sent, clock = wire(httpx2.ReadTimeout("")), FakeClock()
    assert tool_with(sent, clock=clock).execute(query="x")["error"] == "Request timeout after 3 retries"
    assert len(sent.requests) == 3
    assert clock.slept == [1.0, 2.0]


@pytest.mark.proves("S1-31")
def test_every_attempt_has_thirty_seconds() -> None:
    given: list[float] = []

    class Slow:
        async def send(self, request: Any, *, seconds: float) -> Any:
            from seekread.errors import TimedOut

            given.append(seconds)
            raise TimedOut("late")

    slept: list[float] = []
    tool_with(Slow(), sleep=slept.append).execute(query="x")
    assert given == [30.0, 30.0, 30.0]
    assert slept == [1.0, 2.0]


@pytest.mark.proves("S1-32", "S1-40")
@pytest.mark.parametrize(
    ("body", "error"),
    [
        ("", "Brave Search API error: 503"),
        ("down for repair", "Brave Search API error: 503 - down for repair"),
        ("y" * 300, "Brave Search API error: 503 - " + "y" * 200),
        (f"token {KEY} seen", "Brave Search API error: 503 - token *** seen"),
    ],
)
def test_a_failing_server_is_tried_three_times(wire: Wire, body: str, error: str) -> None:
    """Its text up to 200 characters, without the key."""
    sent, clock = wire((503, body)), FakeClock()
    assert tool_with(sent, clock=clock).execute(query="x")["error"] == error
    assert len(sent.requests) == 3
    assert clock.slept == [1.0, 2.0]


@pytest.mark.proves("S1-47")
def test_another_attempt_may_succeed_and_the_latency_counts_them_all(wire: Wire) -> None:
    """Whole milliseconds from the first attempt to the final reply."""
    sent = wire((500, "x"), httpx2.ReadTimeout(""), web(ROW))
    answer = tool_with(sent).execute(query="x")
    assert answer["success"]
    assert answer["data"]["metadata"]["api_latency_ms"] == 3000


@pytest.mark.proves("S1-33")
@pytest.mark.parametrize("status", [400, 404, 418])
def test_any_other_status_is_not_tried_again(wire: Wire, status: int) -> None:
    sent = wire((status, "odd"))
    assert tool_with(sent).execute(query="x")["error"] == f"Unexpected API error: {status}"
    assert len(sent.requests) == 1


@pytest.mark.proves("S1-34", "S1-35")
@pytest.mark.parametrize("answer", [httpx2.ConnectError("refused"), (200, "<html>"), [1, 2], {"error": {"code": "X"}}])
def test_everything_else_is_an_unexpected_exception(wire: Wire, answer: Any) -> None:
    """Not tried again, never raised, never without a reason."""
    sent = wire(answer)
    error = tool_with(sent).execute(query="x")["error"]
    assert error.startswith("Unexpected exception: ")
    assert len(error) > len("Unexpected exception: ")
    assert len(sent.requests) == 1


def test_a_transport_that_repeats_the_key_does_not_show_it() -> None:
    class Talkative:
        async def send(self, _request: Any, *, seconds: float) -> Any:
            raise RuntimeError(f"could not send {KEY} within {seconds:.0f} s")

    error = tool_with(Talkative()).execute(query="x")["error"]
    assert error == "Unexpected exception: could not send *** within 30 s"


@pytest.mark.proves("S1-34", "S1-52")
def test_the_loop_of_attempts_is_the_documents(wire: Wire) -> None:
    """Blocking, with the document's arguments: a query, Brave's parameters, how often; and its last line."""
    sent = wire((500, ""), web(ROW))
    tool = tool_with(sent)
    params = {"q": "tea", "count": 3, "extra_snippets": True, "text_decorations": False}
    answer = tool._execute_with_retry("tea", params, max_retries=2)
    assert (answer["data"]["query"], answer["data"]["total_results"]) == ("tea", 1)
    assert answer["data"]["metadata"]["search_type"] == "general"
    assert sent.params == {"q": "tea", "count": "3", "extra_snippets": "true", "text_decorations": "false"}
    assert tool._execute_with_retry("tea", {**params, "search_type": "news"})["success"]
    assert sent.requests[-1].url.path == "/res/v1/news/search"
    assert "search_type" not in sent.params
    assert tool._execute_with_retry("tea", params, 0)["error"] == "Failed after maximum retries"


@pytest.mark.proves("S1-52")
def test_key_address_and_headers_are_plain_attributes(wire: Wire) -> None:
    """Whoever sets one of them means the next request."""
    sent = wire(web(ROW))
    tool = tool_with(sent)
    assert tool.session.headers == {
        "Accept": "application/json", "Accept-Encoding": "gzip", "X-Subscription-Token": KEY,
    }  # fmt: skip
    tool.api_key, tool.base_url = OTHER, "https://proxy.example/brave/web/search"
    tool.session.headers["X-Team"] = "moat"
    assert tool.execute(query="x")["success"]
    request = sent.requests[-1]
    assert (request.headers["x-subscription-token"], request.headers["x-team"]) == (OTHER, "moat")
    assert str(request.url).startswith("https://proxy.example/brave/web/search?")
    tool.execute(query="x", search_type="news")
    assert str(sent.requests[-1].url).startswith("https://proxy.example/brave/news/search?")
    tool.base_url = "https://proxy.example/everything"
    tool.execute(query="x", search_type="news")
    assert str(sent.requests[-1].url).startswith("https://proxy.example/everything?")
    assert OTHER not in str(tool.execute(query=OTHER)) + repr(tool)


class Timeout(Exception):
    """Named as the exception of `requests` is."""


@pytest.mark.proves("X-29", "S1-52")
def test_a_session_of_requests_plugs_in_and_its_bare_mocks_too() -> None:
    """A reply that is a bare mock has a status and nothing else; that was an unexpected exception once."""
    reply = Mock(status_code=200)
    reply.json.return_value = web(ROW)
    session = Mock()
    session.get.side_effect = [Timeout(), Mock(status_code=500), reply]
    slept: list[float] = []
    tool = tool_with(session, sleep=slept.append)
    assert tool.session is session
    assert tool.execute(query="x", freshness="day")["data"]["total_results"] == 1
    assert slept == [1.0, 2.0]
    assert session.get.call_args.args == ("https://api.search.brave.com/res/v1/web/search",)
    assert session.get.call_args.kwargs["timeout"] == 30.0
    assert session.get.call_args.kwargs["params"]["freshness"] == "pd"
    for status, error in ((401, INVALID), (429, RATE), (404, "Unexpected API error: 404")):
        session.get.side_effect = [Mock(status_code=status)]
        assert tool.execute(query="x")["error"] == error
    session.get.side_effect = ConnectionError("refused")
    assert tool.execute(query="x")["error"] == "Unexpected exception: refused"


def test_a_session_that_blocks_holds_nobody_else_up() -> None:
    """Two threads search at the same time: each waits for the other inside the session."""
    both = threading.Barrier(2, timeout=30)

    def get(*_: Any, **__: Any) -> Any:
        both.wait()
        reply = Mock(status_code=200)
        reply.json.return_value = web(ROW)
        return reply

    tool = tool_with(Mock(get=get))
    with ThreadPoolExecutor(2) as threads:
        answers = list(threads.map(lambda query: tool.execute(query=query), ["tea", "coffee"]))
    assert [answer["success"] for answer in answers] == [True, True]


@pytest.mark.proves("S1-22", "S1-41")
@pytest.mark.parametrize(
    ("age", "days"),
    [("2 days ago", 2), ("1 week ago", 7), ("3 Months ago", 90), ("1 year ago, or so", 365), ("5 hours ago", 5 / 24)],
)
def test_relative_dates(age: str, days: float) -> None:
    """Counted from the local time of the clock, so no test is wrong after midnight."""
    assert WebSearchTool(clock=FakeClock())._parse_date(age) == days_before(days)


@pytest.mark.proves("S1-22", "X-31")
@pytest.mark.parametrize("age", ["", None, "yesterday", "September 15, 2023", "about 2 days ago", "5 minutes ago"])
def test_other_dates_are_unknown_to_the_helper(age: str | None) -> None:
    assert WebSearchTool()._parse_date(age) is None


def test_an_absurd_age_is_unknown() -> None:
    assert WebSearchTool()._parse_date("99999999 years ago") is None


@pytest.mark.proves("X-31")
@pytest.mark.parametrize(
    ("row", "day"),
    [
        ({"age": "yesterday"}, days_before(1)),
        ({"age": "September 15, 2023"}, "2023-09-15"),
        ({"page_age": "2026-10-03T09:12:00", "age": "4 weeks ago"}, "2026-10-03"),
        ({"age": "some day"}, None),
    ],
)
def test_the_core_parser_fills_the_published_date(wire: Wire, row: dict[str, str], day: str | None) -> None:
    """The host left most of Brave's dates unread."""
    answer = tool_with(wire(web(row))).execute(query="x")
    assert answer["data"]["results"][0]["published_date"] == day


def test_nothing_is_hidden_in_a_result(wire: Wire) -> None:
    """Tag characters and variation selectors would speak to the model behind the person's back."""
    hidden = "\U000e0069\U000e0100\u200b"
    row = {"title": f"T{hidden}", "url": f"https://a.org/{hidden}", "description": f"D{hidden}", "age": f"x{hidden}"}
    answer = tool_with(wire(web({**row, "extra_snippets": [f"E{hidden}"]}))).execute(query="x")
    assert not set(hidden) & set(str(answer))
    assert answer["data"]["results"][0]["extra_snippets"] == ["E"]


@pytest.mark.proves("S1-4", "S1-20", "S1-21", "S1-23", "S1-52", "X-28")
def test_the_helpers_keep_the_documents_rules() -> None:
    tool = WebSearchTool()
    assert tool._construct_query("  management changes ", "Apple Inc") == "management changes Apple Inc"
    assert tool._construct_query("APPLE INC outlook", "Apple Inc") == "APPLE INC outlook"
    assert tool._construct_query("Apple outlook", "Apple Inc") == "Apple outlook"
    assert tool._construct_query("gap analysis", "Gap Inc") == "gap analysis Gap Inc"
    assert tool._construct_query("the market", "The Coca-Cola Company") == "the market The Coca-Cola Company"
    assert tool._construct_query("x", None) == "x"
    assert tool._clean_text("a &lt;b&gt; <i>c</i>\n d") == "a c d"
    assert tool._clean_text("") == ""
    assert tool._extract_domain("https://www.example.com/a") == "example.com"
    assert tool._extract_domain("http://[") == ""
    assert tool._extract_domain("") == ""
    assert tool._error("no") == {"success": False, "data": None, "error": "no"}
    assert tool.base_url == "https://api.search.brave.com/res/v1/web/search"
    assert tool.api_key == KEY
    assert tool._process_response(web(ROW), "q", "news", 42)["data"]["metadata"]["api_latency_ms"] == 42


def test_the_key_is_not_in_the_repr() -> None:
    assert KEY not in repr(WebSearchTool())


@pytest.mark.proves("S1-24", "S1-25", "S1-41", "S1-51")
def test_relevance_filter_and_highlight_are_options_and_off_by_default(wire: Wire) -> None:
    """Compared in any case; nothing is marked where nobody asked for it."""
    rows = web(ROW, {"title": "Other", "url": "https://o.example", "description": "nothing"})

    def found(**options: Any) -> list[dict[str, Any]]:
        answer = tool_with(wire(rows), **options).execute(query="x", company="apple")
        results: list[dict[str, Any]] = answer["data"]["results"]
        assert answer["data"]["total_results"] == len(results)
        return results

    plain = found()
    assert [row["title"] for row in plain] == ["Apple & leadership", "Other"]
    assert plain[0]["description"] == "Apple today announced changes"
    assert plain[0]["extra_snippets"] == ['One "two"', "Apple three"]
    assert [row["title"] for row in found(filter_by_relevance=True)] == ["Apple & leadership"]
    marked = found(highlight=True)[0]
    assert marked["description"] == "**Apple** today announced changes"
    assert marked["extra_snippets"] == ['One "two"', "**Apple** three"]
    assert (marked["title"], marked["url"]) == ("Apple & leadership", "https://www.apple.com/newsroom")
    assert filter_by_relevance([{"title": "a", "description": "b"}], "APPLE") == [{"title": "a", "description": "b"}]


def test_get_info_carries_the_schema() -> None:
    """For hosts that build their prompt from it."""
    info = WebSearchTool().get_info()
    assert (info["name"], info["version"]) == ("web_search_tool", "1.0")
    assert (info["parameters"], info["output"]) == (WebSearchTool().parameters, WebSearchTool().output_schema)


def test_importing_does_nothing() -> None:
    """The host's module configured logging and read `.env` when it was imported."""
    import logging

    assert not hasattr(basirah, "load_dotenv")
    assert logging.getLogger("seekread").handlers == []


async def call_from_a_loop(tool: WebSearchTool) -> dict[str, Any]:
    return tool.execute(query="tea", count=2)


@pytest.mark.proves("X-13")
@pytest.mark.parametrize("own", [True, False])
def test_it_works_under_a_running_event_loop(wire: Wire, own: bool) -> None:
    """With a transport handed in, and with our own client over a real connection."""
    import anyio

    if own:
        assert anyio.run(call_from_a_loop, tool_with(wire(web(ROW))))["success"]
        return
    with simulators.start("brave") as service:
        tool = pointed_at(service)
        assert anyio.run(call_from_a_loop, tool)["success"]
        assert tool.execute(query="tea")["success"]
        tool.close()


def pointed_at(service: Any, **options: Any) -> WebSearchTool:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in service.environment().items():
            patch.setenv(name, value)
        return WebSearchTool(**options)


@pytest.mark.proves("S1-19")
def test_connections_are_reused() -> None:
    """One pool, and in it one connection for searches that follow each other."""
    with simulators.start("brave") as service:
        tool = pointed_at(service)
        for number in range(3):
            assert tool.execute(query=f"tea {number}", count=5)["success"]
        (roads,) = tool._parts.client._roads.values()
        assert [len(idle) for idle in roads.wires._idle.values()] == [1]
        tool.close()


@pytest.mark.proves("S1-17", "S1-38", "S1-40")
def test_a_simulated_brave_is_understood_end_to_end() -> None:
    """Over real HTTP: snippets, cleaned text, dates, faults."""
    with simulators.start("brave") as service:
        slept: list[float] = []
        tool = pointed_at(service, sleep=slept.append)
        answer = tool.execute(query="Warren Buffett investment philosophy", count=5)
        first = answer["data"]["results"][0]
        assert len(answer["data"]["results"]) == 5
        assert {"title", "url", "extra_snippets"} <= first.keys()
        assert len(first["extra_snippets"]) == 5
        assert first["published_date"] == "2026-10-30"
        assert "&" not in first["description"].replace("& ", "")
        service.fail(Fault(503, "busy"), times=2)
        assert tool.execute(query="tea")["success"]
        assert slept == [1.0, 2.0]
        service.fail(service.refusals["wrong key"].fault, times=1)
        assert tool.execute(query="tea")["error"] == INVALID
        service.fail(service.refusals["too fast"].fault, times=1)
        assert tool.execute(query="tea")["error"] == RATE
        tool.close()


@pytest.mark.parametrize("lists", ['allowed_domains = ["example.org"]', 'blocked_domains = ["apple.com"]'])
def test_the_operators_lists_hold_here_too_and_say_so(wire: Wire, settings_file: Path, lists: str) -> None:
    """All that was found left out is not "nothing found"."""
    settings_file.write_text(f"[policy]\n{lists}\n")
    answer = tool_with(wire(web(ROW))).execute(query="x")
    assert answer["error"] == "found 1, none passed: allowed_domains or blocked_domains under [policy] (1)"
    other = {**ROW, "url": "https://example.org/a"}
    answer = tool_with(wire(web(ROW, other))).execute(query="x")
    assert [row["url"] for row in answer["data"]["results"]] == ["https://example.org/a"]


def test_a_key_in_the_query_is_not_sent(wire: Wire) -> None:
    sent = wire(web())
    error = tool_with(sent).execute(query=f"who owns {KEY}")["error"]
    assert error == "Unexpected exception: the query contains a configured secret and was not sent"
    assert sent.requests == []
