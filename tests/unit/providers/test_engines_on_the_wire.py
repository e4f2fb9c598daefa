"""What each engine sends for the wishes it honours, in its service's own words, and what it makes of odd answers."""

import json
from typing import Any

import pytest

from seekread.calling.perform import read_reply
from seekread.options import Query
from seekread.provider import Call, Found, ProviderError, QuotaExhausted, Reply, SecretStr, Unreadable, given
from seekread.providers.arxiv import Arxiv
from seekread.providers.brave import Brave
from seekread.providers.exa import Exa
from seekread.providers.firecrawl import Firecrawl
from seekread.providers.hackernews import HackerNews
from seekread.providers.jina import Jina
from seekread.providers.kagi import Kagi
from seekread.providers.keenable import Keenable
from seekread.providers.linkup import Linkup
from seekread.providers.marginalia import Marginalia
from seekread.providers.mojeek import Mojeek
from seekread.providers.ollama import Ollama
from seekread.providers.openalex import OpenAlex
from seekread.providers.parallel import Parallel
from seekread.providers.perplexity import Perplexity
from seekread.providers.pubmed import PubMed
from seekread.providers.searchapi import SearchApi
from seekread.providers.semanticscholar import SemanticScholar
from seekread.providers.serpapi import SerpApi
from seekread.providers.serper import Serper
from seekread.providers.stackexchange import StackExchange
from seekread.providers.tavily import Tavily
from seekread.providers.tinyfish import TinyFish
from seekread.providers.valyu import Valyu
from seekread.providers.webiq import WebIQ
from seekread.providers.you import You

KEY = SecretStr("k")
DAYS = {"date_from": "2026-10-01", "date_to": "2026-10-20"}
EPOCHS = (1790812800, 1792540799)
"""The first second of the first day, and the last of the last."""
DOMAINS = {"allowed_domains": ("a.org",), "blocked_domains": ("b.org",)}
SAFE_NEWS = {"search_type": "news", "safe_search": "strict"}

WIRE: list[tuple[Any, dict[str, Any], dict[str, Any]]] = [
    (
        Parallel(KEY),
        {**DAYS, **DOMAINS, "country": "de", "limit": 7},
        {
            "objective": "tea",
            "search_queries": ["tea"],
            "mode": "basic",
            "advanced_settings": {
                "max_results": 7,
                "location": "DE",
                "source_policy": {"include_domains": ["a.org"], "after_date": "2026-10-01"},
            },
        },
    ),
    (You(KEY), {**DAYS, "page": 3}, {"freshness": "2026-10-01to2026-10-20", "offset": 2}),
    (You(KEY), {"freshness": "week", "language": "ja", "country": "jp"}, {"freshness": "week", "language": "JA"}),
    (You(KEY), {"country": "zz", "language": "xx"}, {"country": None, "language": None}),
    (Linkup(KEY), {**DAYS, **DOMAINS}, {"fromDate": "2026-10-01", "toDate": "2026-10-20", "excludeDomains": ["b.org"]}),
    (Linkup(KEY), {}, {"depth": "fast", "outputType": "searchResults", "maxResults": 5}),
    (
        Kagi(KEY),
        {**DAYS, "country": "de"},
        {"filters": {"region": "DE", "after": "2026-10-01", "before": "2026-10-20"}},
    ),
    (Kagi(KEY), DOMAINS, {"lens": {"sites_included": ["a.org"], "sites_excluded": ["b.org"]}, "filters": None}),
    (Kagi(KEY), {"search_type": "news", "page": 2}, {"workflow": "news", "page": 2}),
    (WebIQ(KEY), {"language": "pt-BR", "country": "br"}, {"language": "pt", "region": "BR"}),
    (WebIQ(KEY), {"safe_search": "moderate"}, {"safeSearch": None}),
    (WebIQ(KEY), SAFE_NEWS, {"safeSearch": None}),
    (Ollama(KEY), {"limit": 9}, {"query": "tea", "max_results": 9}),
    (SerpApi(KEY), {"page": 3, **SAFE_NEWS}, {"start": 10, "tbm": "nws", "safe": "active", "engine": "google"}),
    (SerpApi(KEY), {"freshness": "month", "country": "DE"}, {"tbs": "qdr:m", "gl": "de", "api_key": "k"}),
    (Arxiv(), DAYS, {"search_query": "(all:tea) AND submittedDate:[202610010000 TO 202610202359]"}),
    (Arxiv(), {"page": 2, "limit": 10}, {"search_query": "all:tea", "start": 10, "max_results": 10}),
    (
        OpenAlex(KEY),
        {**DAYS, "language": "de-AT"},
        {"filter": "from_publication_date:2026-10-01,to_publication_date:2026-10-20,language:de", "api_key": "k"},
    ),
    (HackerNews(), DAYS, {"numericFilters": f"created_at_i>={EPOCHS[0]},created_at_i<={EPOCHS[1]}", "tags": "story"}),
    (StackExchange(), DAYS, {"fromdate": EPOCHS[0], "todate": EPOCHS[1], "site": "stackoverflow", "key": None}),
    (StackExchange(KEY, site="math"), {"page": 2}, {"page": 2, "site": "math", "key": "k"}),
    (Mojeek(KEY), {**DAYS, "page": 3}, {"since": "20261001", "before": "20261020", "s": 11, "fmt": "json"}),
    (Marginalia(), {"page": 2}, {"page": 2, "count": 5}),
    (
        Valyu(KEY),
        {**DAYS, **DOMAINS},
        {"start_date": "2026-10-01", "included_sources": ["a.org"], "search_type": "web"},
    ),
    (Valyu(KEY, max_price=20), SAFE_NEWS, {"search_type": "news", "max_price": 20, "relevance_threshold": 0}),
    (SearchApi(KEY), DAYS, {"time_period_min": "10/01/2026", "time_period_max": "10/20/2026", "time_period": None}),
    (SearchApi(KEY), {"freshness": "year", **SAFE_NEWS}, {"time_period": "last_year", "engine": "google_news"}),
    (TinyFish(KEY), {"freshness": "week", "page": 2}, {"recency_minutes": 10_080, "page": 1, "after_date": None}),
    (
        TinyFish(KEY),
        {**DAYS, "freshness": "day", "country": "us"},
        {"recency_minutes": None, "location": "United States"},
    ),
    (Keenable(KEY), {**DAYS, "allowed_domains": ("a.org",)}, {"site": "a.org", "published_after": "2026-10-01"}),
    (Keenable(KEY), {"allowed_domains": ("a.org", "b.org")}, {"site": None}),
    (SemanticScholar(), {"date_from": "2026-10-01", "page": 2}, {"publicationDateOrYear": "2026-10-01:", "offset": 5}),
    (PubMed(KEY), DAYS, {"mindate": "2026/10/01", "maxdate": "2026/10/20", "datetype": "pdat", "api_key": "k"}),
    (Brave(KEY, mode="context"), {"freshness": "day", "limit": 7}, {"maximum_number_of_urls": 7, "freshness": "pd"}),
    (Brave(KEY, mode="context"), {"safe_search": "strict", "page": 2}, {"safesearch": None, "offset": None}),
]


def sent(provider: Any, **wishes: Any) -> dict[str, Any]:
    request = provider.search(Query(text="tea", **wishes)).request
    return given(request.params) | given(request.json or {})


@pytest.mark.parametrize(
    ("provider", "wishes", "expected"), WIRE, ids=lambda value: value.name if hasattr(value, "name") else ""
)
def test_wishes_are_written_as_the_service_reads_them(
    provider: Any, wishes: dict[str, Any], expected: dict[str, Any]
) -> None:
    arrived = sent(provider, **wishes)
    assert {name: arrived.get(name) for name in expected} == expected


@pytest.mark.parametrize(
    ("provider", "wishes", "unmet"),
    [
        (Parallel(KEY), {**DAYS, **DOMAINS}, {"dates", "blocked_domains"}),
        (You(KEY), {"country": "zz", "language": "xx", **DOMAINS}, {"country", "language", "blocked_domains"}),
        (WebIQ(KEY), {"safe_search": "moderate", "language": "fil"}, {"safe_search", "language"}),
        (TinyFish(KEY), {"country": "zz"}, {"country"}),
        (Keenable(KEY), {"allowed_domains": ("a.org", "b.org")}, {"allowed_domains"}),
    ],
    ids=lambda value: value.name if hasattr(value, "name") else "",
)
def test_what_a_service_has_no_word_for_is_admitted(provider: Any, wishes: dict[str, Any], unmet: set[str]) -> None:
    section: dict[str, list[str]] = {"web": []}
    empty = {"results": section if provider.name == "you" else [], "webResults": [], "metadata": {}}
    assert answered(provider.search(Query(text="tea", **wishes)), empty).unmet == unmet


def answered(call: Call[Found], data: Any, status: int = 200) -> Found:
    return read_reply(call, Reply(status, {}, data if isinstance(data, bytes) else json.dumps(data).encode()))


def asked(provider: Any) -> Call[Found]:
    call: Call[Found] = provider.search(Query(text="tea"))
    return call


@pytest.mark.parametrize("provider", [You(KEY), Kagi(KEY)], ids=["you", "kagi"])
def test_a_page_that_does_not_exist_is_not_asked_for(provider: Any) -> None:
    with pytest.raises(Unreadable, match="its last one is 10"):
        provider.search(Query(text="tea", page=11))


def test_linkup_says_nothing_found_with_a_bad_request() -> None:
    code = {"statusCode": 400, "error": {"code": "SEARCH_QUERY_NO_RESULT", "message": "nothing"}}
    assert answered(asked(Linkup(KEY)), code, 400).results == ()


def test_linkups_pictures_are_no_results() -> None:
    rows = [
        {"type": "image", "name": "P", "url": "https://p"},
        {"type": "text", "name": "T", "url": "u", "content": "c"},
    ]
    assert [result.title for result in answered(asked(Linkup(KEY)), {"results": rows}).results] == ["T"]


def test_serpapi_calls_nothing_found_an_error_of_a_success() -> None:
    said = {"search_metadata": {"status": "Success"}, "error": "Google hasn't returned any results for this query."}
    assert answered(asked(SerpApi(KEY)), said).results == []


@pytest.mark.parametrize("provider", [SerpApi(KEY), SearchApi(KEY)], ids=["serpapi", "searchapi"])
def test_what_stands_above_googles_results_is_an_answer(provider: Any) -> None:
    told = {"search_metadata": {"status": "Success"}, "organic_results": []}
    assert answered(asked(provider), {**told, "answer_box": {"snippet": "a drink"}}).answer == "a drink"
    assert answered(asked(provider), {**told, "knowledge_graph": {"description": "a plant"}}).answer == "a plant"


def test_openalex_puts_the_words_of_an_abstract_in_order() -> None:
    row = {
        "id": "https://openalex.org/W1",
        "display_name": "T",
        "abstract_inverted_index": {"tea": [1, 3], "we": [0], "like": [2]},
    }
    assert answered(asked(OpenAlex()), {"results": [row]}).results[0].snippet == "we tea like tea"


def test_whoever_has_no_key_pays_openalex_nothing() -> None:
    assert asked(OpenAlex()).cost.dollars == 0.0
    assert asked(OpenAlex(KEY)).cost.dollars is None


def test_the_depth_decides_what_a_search_may_cost() -> None:
    assert [asked(Linkup(KEY, depth=depth)).cost.dollars for depth in ("fast", "deep")] == [0.00587, 0.0587]
    assert [asked(Parallel(KEY, mode=mode)).cost.dollars for mode in ("basic", "advanced")] == [0.004, 0.009]


def test_valyu_tells_what_a_search_cost_and_may_answer_with_data() -> None:
    row = {"title": "T", "url": "u", "content": [{"year": 2026}]}
    found = answered(asked(Valyu(KEY)), {"success": True, "results": [row], "total_deduction_dollars": 0.02})
    assert (found.results[0].snippet, found.cost and found.cost.dollars) == ('[{"year": 2026}]', 0.02)


def test_hacker_news_links_a_question_to_its_own_page() -> None:
    row = {"objectID": "7", "title": "Ask HN", "url": None, "story_text": None, "points": 3, "num_comments": 2}
    [result] = answered(asked(HackerNews()), {"hits": [row]}).results
    assert (result.url, result.snippet[:21]) == ("https://news.ycombinator.com/item?id=7", "3 points, 2 comments:")


def test_a_query_in_arxivs_own_words_is_passed_on_as_it_is() -> None:
    query = Query(text='au:curie AND ti:"radium"')
    assert Arxiv().search(query).request.params["search_query"] == query.text


def test_semantic_scholar_is_spared_hyphens() -> None:
    assert SemanticScholar().search(Query(text="state-of-the-art")).request.params["query"] == "state of the art"


def test_stack_exchange_says_when_to_come_back() -> None:
    assert answered(asked(StackExchange()), {"items": [], "backoff": 10}).notes == (
        "Stack Exchange asks to wait 10 s before the next search",
    )


@pytest.mark.parametrize("status", ["ERROR: Daily Limit Reached", "error: monthly limit"])
def test_mojeeks_refusals_come_with_status_200(status: str) -> None:
    with pytest.raises(QuotaExhausted, match=r"(?i)limit"):
        answered(asked(Mojeek(KEY)), {"response": {"status": status}})


def test_web_iq_says_in_the_body_how_long_to_wait() -> None:
    for body, seconds in (({"retryAfter": 3}, 3.0), ({"retryAfter": "2026-11-16T10:00:00Z"}, None)):
        with pytest.raises(ProviderError) as caught:
            answered(asked(WebIQ(KEY)), body, 430)
        assert (caught.value.outcome, caught.value.retry_after) == ("rate_limited", seconds)


def test_braves_passages_carry_the_day_of_their_page() -> None:
    told = {
        "grounding": {"generic": [{"url": "https://a.org", "title": "T", "snippets": ["one", "two"]}]},
        "sources": {"https://a.org": {"age": ["Saturday", "2026-10-03", "43 days ago"]}},
    }
    [result] = answered(asked(Brave(KEY, mode="context")), told).results
    assert (result.snippet, result.extra_snippets, result.published_date) == ("one", ("two",), "2026-10-03")


def test_pubmed_asks_for_the_articles_it_has_named_and_keeps_their_order() -> None:
    search = asked(PubMed())
    named = answered(search, {"esearchresult": {"count": "2", "idlist": ["7", "5"]}})
    told = search.then(named)
    assert told is not None
    assert told.request.params["id"] == "7,5"
    article = "<PubmedArticle><PMID>{0}</PMID><ArticleTitle>On <i>tea</i> {0}</ArticleTitle></PubmedArticle>"
    body = f"<PubmedArticleSet>{article.format(5)}{article.format(7)}</PubmedArticleSet>".encode()
    assert [result.title for result in answered(told, body).results] == ["On tea 7", "On tea 5"]
    assert search.then(answered(search, {"esearchresult": {"count": "0", "idlist": []}})) is None


SETTINGS: list[tuple[Any, dict[str, Any], dict[str, Any]]] = [
    (Exa(KEY, search_type="fast"), {}, {"type": "fast"}),
    (Exa(KEY), {}, {"type": None}),
    (Tavily(KEY, topic="finance", exact_match=True, max_age_hours=6), {}, {"topic": "finance", "max_age_hours": 6}),
    (Tavily(KEY, topic="finance"), {"search_type": "news"}, {"topic": "news", "exact_match": None}),
    (Tavily(KEY, topic="finance"), {"country": "DE"}, {"country": None}),
    (
        Firecrawl(KEY, location="Berlin,Germany", highlights=False),
        {},
        {"location": "Berlin,Germany", "highlights": False},
    ),
    (Firecrawl(KEY), {}, {"location": None, "highlights": None}),
    (Perplexity(KEY, search_mode="sec", recency="hour"), {}, {"search_mode": "sec", "search_recency_filter": "hour"}),
    (Perplexity(KEY, recency="hour"), {"freshness": "week"}, {"search_recency_filter": "week", "search_mode": None}),
    (Perplexity(KEY, recency="hour"), DAYS, {"search_recency_filter": None}),
    (Perplexity(KEY), {"language": "fil"}, {"search_language_filter": None}),
    (Jina(KEY, engine="bing"), {}, {"engine": "bing"}),
    (Jina(KEY), {}, {"engine": None}),
]


@pytest.mark.parametrize(
    ("provider", "wishes", "expected"), SETTINGS, ids=lambda value: value.name if hasattr(value, "name") else ""
)
def test_what_only_one_service_has_is_a_setting_of_it(
    provider: Any, wishes: dict[str, Any], expected: dict[str, Any]
) -> None:
    arrived = sent(provider, **wishes)
    assert {name: arrived.get(name) for name in expected} == expected


def test_perplexity_takes_several_queries_in_one_paid_call() -> None:
    search = Perplexity(KEY, separator="||").search(Query(text="green tea || black tea ||"))
    assert (search.request.json or {})["query"] == ["green tea", "black tea"]
    rows = [[{"title": name, "url": f"https://a.org/{name}"}] for name in ("green", "black")]
    for told in (rows, [row for several in rows for row in several]):
        assert [result.title for result in answered(search, {"results": told}).results] == ["green", "black"]
    assert (Perplexity(KEY).search(Query(text="a || b")).request.json or {})["query"] == "a || b"


def test_perplexity_admits_a_language_it_has_no_code_for() -> None:
    search = Perplexity(KEY).search(Query(text="tea", language="fil"))
    assert answered(search, {"results": []}).unmet == {"language"}


def test_what_exa_says_about_a_request_is_a_note() -> None:
    told = [{"code": "IGNORED_FIELD", "path": "/x", "message": "x has no effect"}, "odd", {"code": "?"}]
    assert answered(asked(Exa(KEY)), {"results": [], "warnings": told}).notes == ("Exa: x has no effect",)


def test_serpers_knowledge_graph_is_an_answer_where_there_is_no_box() -> None:
    graph = {"knowledgeGraph": {"title": "Tea", "description": "a plant"}}
    told = {"searchParameters": {}, "organic": [], **graph}
    assert answered(asked(Serper(KEY)), told).answer == "a plant"
    assert answered(asked(Serper(KEY)), {**told, "answerBox": {"answer": "a drink"}}).answer == "a drink"
