"""The 26 calls basirah's document spells out, word for word, against a simulated Brave."""

from collections.abc import Iterator
from typing import Any

import pytest

from seekread.integrations.basirah import WebSearchTool
from seekread.testing import simulators

APPLE = "Apple Inc"


def call(query: str, company: str | None = None, **options: Any) -> dict[str, Any]:
    return {"query": query, **({"company": company} if company else {}), **options}


CALLS = [
    call("business model", APPLE, search_type="general"),
    call("recent product launches", APPLE, search_type="news"),
    call("brand loyalty customer satisfaction", APPLE),
    call("competitive advantages vs competitors", APPLE),
    call("Tim Cook leadership track record", search_type="general"),
    call("executive compensation controversy", APPLE, search_type="news"),
    call("litigation OR regulatory issues", APPLE, search_type="news"),
    call("product recalls OR quality problems", APPLE, search_type="recent"),
    call("business model revenue sources", APPLE, count=10, search_type="general"),
    call("management changes executive appointments", "Microsoft", count=5, search_type="news"),
    call("litigation OR lawsuit OR regulatory", "Meta", count=15, search_type="recent"),
    call("Satya Nadella leadership track record achievements", count=10, search_type="general"),
    call("competitive landscape market share", "Tesla", count=10, freshness="month"),
    call("business model revenue streams", APPLE, count=10, search_type="general"),
    call("business strategy changes pivots", APPLE, search_type="recent", freshness="month"),
    call("brand loyalty customer satisfaction NPS score", APPLE, count=10),
    call("competitive advantages vs Samsung Google", APPLE, count=15),
    call("ecosystem lock-in network effects", APPLE, count=10),
    call("Tim Cook leadership track record achievements", count=10, search_type="general"),
    call("executive compensation controversy OR scandal", APPLE, search_type="news", freshness="year"),
    call("shareholder letter annual meeting transcript", APPLE, count=5),
    call("litigation OR lawsuit OR regulatory investigation", APPLE, search_type="news", freshness="year"),
    call("product recall OR quality issues OR defects", APPLE, search_type="recent"),
    call("labor dispute OR strike OR supply chain issues", APPLE, search_type="news", freshness="month"),
    call("business model competitive advantages", APPLE, count=5, search_type="general"),
    call("management changes", "Microsoft", count=10, search_type="news", freshness="month"),
]
FRESHNESS = {"day": "pd", "week": "pw", "month": "pm", "year": "py"}


@pytest.fixture(scope="module")
def brave() -> Iterator[Any]:
    with simulators.start("brave") as service:
        yield service


@pytest.fixture
def tool(brave: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[WebSearchTool]:
    for name, value in brave.environment().items():
        monkeypatch.setenv(name, value)
    made = WebSearchTool()
    yield made
    made.close()


@pytest.mark.proves("S1-48")
def test_there_are_twenty_six() -> None:
    assert len(CALLS) == 26


@pytest.mark.proves("S1-2", "S1-3", "S1-38", "S1-48")
@pytest.mark.parametrize("arguments", CALLS, ids=lambda arguments: arguments["query"])
def test_a_literal_call_works(brave: Any, tool: WebSearchTool, arguments: dict[str, Any]) -> None:
    """`OR` and all, in every phase of the research."""
    answer = tool.execute(**arguments)
    assert answer["success"], answer["error"]
    company = arguments.get("company")
    assert answer["data"]["query"] == " ".join(filter(None, (arguments["query"], company)))
    assert 0 < answer["data"]["total_results"] <= arguments.get("count", 10)
    sent = brave.received[-1]
    assert sent.params["q"] == answer["data"]["query"]
    assert sent.params["count"] == str(arguments.get("count", 10))
    assert sent.path.endswith("/news/search" if arguments.get("search_type") == "news" else "/web/search")
    recent = "month" if arguments.get("search_type") == "recent" else None
    wanted = arguments.get("freshness") or recent
    assert sent.params.get("freshness") == (FRESHNESS[wanted] if wanted else None)


@pytest.mark.proves("S1-42")
def test_the_documents_three_unit_tests(tool: WebSearchTool) -> None:
    result = tool.execute(query="Warren Buffett investment philosophy", count=5)
    assert result["success"] is True
    assert len(result["data"]["results"]) <= 5
    assert {"title", "url", "extra_snippets"} <= result["data"]["results"][0].keys()
    result = tool.execute(query="management changes", company="Apple Inc", count=10)
    assert result["success"] is True
    assert result["data"]["query"] == "management changes Apple Inc"
    result = tool.execute(query="")
    assert result["success"] is False
    assert "empty" in result["error"].lower()


@pytest.mark.proves("S1-5", "S1-38")
@pytest.mark.parametrize("count", [5, 10, 20])
def test_counts(tool: WebSearchTool, count: int) -> None:
    assert tool.execute(query="tea", count=count)["data"]["total_results"] == count


@pytest.mark.proves("S1-3", "S1-39")
@pytest.mark.parametrize("query", ['"exact phrase" & more', "C++ / C# 100% <b>", "naïve café 東京", "a OR b"])
def test_special_characters_pass_through(brave: Any, tool: WebSearchTool, query: str) -> None:
    assert tool.execute(query=query)["data"]["query"] == query
    assert brave.received[-1].params["q"] == query


@pytest.mark.proves("S1-3")
def test_a_query_of_many_words_goes_as_given(brave: Any, tool: WebSearchTool) -> None:
    """Elsewhere Brave's limit of 50 words is kept; here the contract's 400 characters are the only one."""
    query = " ".join(["w"] * 60)
    tool.execute(query=query)
    assert brave.received[-1].params["q"] == query


@pytest.mark.proves("S1-4")
def test_a_ticker_is_a_company(tool: WebSearchTool) -> None:
    assert tool.execute(query="outlook", company="AAPL")["data"]["query"] == "outlook AAPL"
