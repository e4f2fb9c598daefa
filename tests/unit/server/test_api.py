"""The native endpoints: nothing found is an answer, a failure is a problem, and both say enough."""

import json
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from seekread.outcomes import MEANINGS
from seekread.testing.hits import NOTHING
from seekread.testing.server import Fault, LoopbackServer
from seekread.testing.simulators import Simulator

PROBLEM = "application/problem+json"


def test_a_search_answers_with_the_whole_response(running: Any) -> None:
    reply = running.post("/v1/search", {"query": "tea", "limit": 2})
    assert reply.status_code == 200
    body = reply.json()
    assert [result["citation_id"] for result in body["results"]] == [1, 2]
    assert (body["outcome"], body["attempts"][0]["provider"]) == ("ok", "brave")


def test_half_of_a_character_in_a_reply_leaves_an_answer_that_can_be_sent(running: Any, brave: Simulator) -> None:
    """Services cut emoji in two, and no encoding knows the halves."""
    cut = json.dumps("tea \U0001f375").encode().replace(b"\\udf75", b"")
    whole = json.dumps({"web": {"results": [{"title": "Tea?", "url": "https://example.org/", "description": "Tea?"}]}})
    brave.fail(Fault(body=whole.encode().replace(b'"Tea?"', cut)), times=1)
    reply = running.post("/v1/search", {"query": "tea"})
    assert (reply.status_code, reply.json()["results"][0]["title"]) == (200, "tea")
    brave.fail(Fault(status=422, body=b'{"message": ' + cut + b"}"))
    assert running.post("/v1/search", {"query": "coffee"}).status_code == 502


def test_get_and_post_ask_the_same(running: Any) -> None:
    posted = running.post("/v1/search", {"query": "tea", "allowed_domains": ["example.org", "example.com"]}).json()
    got = running.get("/v1/search", params={"query": "tea", "allowed_domains": "example.org,example.com"}).json()
    assert posted["results"] == got["results"]
    assert got["cached"]


def test_the_names_other_services_use_are_understood(running: Any, brave: Simulator) -> None:
    reply = running.post("/v1/search", {"q": "tea", "max_results": 3, "time_range": "w"})
    assert len(reply.json()["results"]) == 3
    assert brave.received[0].params["freshness"]


@pytest.mark.process
def test_arguments_mean_the_same_here_as_everywhere(running: Any, site: LoopbackServer) -> None:
    """Recency in capitals, a list as one text, lengths under another name, numbers as text."""
    sent = {"query": "tea", "num_results": "2", "freshness": "WEEK", "include_domains": "example.org, example.com"}
    assert len(running.post("/v1/search", sent).json()["results"]) == 2
    assert running.post("/v1/open", {"link": site.url, "max_chars": "300"}).json()["content_length"] <= 300


def test_a_list_of_domains_may_be_named_and_an_unknown_one_is_a_mistake(start: Any) -> None:
    running = start(domain_profiles={"ours": ["*.example.org"]})
    found = running.post("/v1/search", {"query": "tea", "allowed_domains": ["@ours"]}).json()
    assert {result["source"] for result in found["results"]} == {"example.org"}
    reply = running.post("/v1/search", {"query": "tea", "allowed_domains": ["@theirs"]})
    assert (reply.status_code, "known are @ours" in reply.json()["detail"]) == (400, True)


@pytest.mark.process
def test_evidence_is_gathered_with_its_sources(running: Any, brave: Simulator, site: LoopbackServer) -> None:
    brave.fail(Fault(change=lambda body: found_here(body, site.url)))
    asked = {"question": "how long to steep tea", "pages": 1, "budget": 300, "phrasings": ["tea, brewing"]}
    body = running.post("/v1/gather", asked).json()
    assert (body["outcome"], body["used"] <= 300) == ("ok", True)
    assert "three minutes" in body["content"]
    [source] = body["sources"]
    assert {passage["source"] for passage in body["passages"]} == {source["number"]}
    assert running.get(f"/v1/snapshots/{source['snapshot']}/outline").status_code == 200
    assert len(brave.received) == 2


def test_nothing_to_gather_is_a_200_and_a_failure_is_a_problem(running: Any, brave: Simulator) -> None:
    nothing = running.post("/v1/gather", {"question": NOTHING})
    assert (nothing.status_code, nothing.json()["outcome"], nothing.json()["passages"]) == (200, "empty", [])
    for wrong in ({}, {"question": "tea", "budget": 5}, {"question": "tea", "provider": ["nobody"]}):
        assert running.post("/v1/gather", wrong).status_code == 400
    brave.fail(Fault(429))
    failed = running.post("/v1/gather", {"question": "tea"})
    assert (failed.status_code, failed.headers["content-type"]) == (429, PROBLEM)
    assert failed.json()["outcome"] == "rate_limited"


def found_here(body: Any, url: str) -> Any:
    """The engine's answer, with a page of ours in front."""
    body["web"]["results"][0]["url"] = url
    return body


def test_nothing_found_is_a_200_with_outcome_empty(running: Any) -> None:
    reply = running.post("/v1/search", {"query": NOTHING})
    assert (reply.status_code, reply.json()["outcome"], reply.json()["results"]) == (200, "empty", [])


@pytest.mark.parametrize(
    ("fault", "status", "outcome"),
    [
        (Fault(429), 429, "rate_limited"),
        (Fault(401), 502, "auth_failed"),
        (Fault(500), 502, "unreachable"),
        (Fault(body="<html>no</html>"), 502, "bad_reply"),
        (Fault(how="hang"), 504, "timeout"),
    ],
)
def test_a_failure_is_a_problem_and_never_an_empty_200(
    start: Any, brave: Simulator, fault: Fault, status: int, outcome: str
) -> None:
    brave.fail(fault)
    # Only an answer that never comes is not waited for.
    settings = {"attempt_seconds": 0.3} if fault.how == "hang" else {}
    reply = start(**settings).post("/v1/search", {"query": "tea"})
    assert (reply.status_code, reply.headers["content-type"]) == (status, PROBLEM)
    problem = reply.json()
    assert (problem["status"], problem["outcome"]) == (status, outcome)
    assert problem["type"] == f"urn:problem-type:seekread:{outcome}"
    assert problem["title"]
    assert MEANINGS[problem["outcome"]].advice in problem["detail"]
    assert [attempt["provider"] for attempt in problem["attempts"]] == ["brave"]
    assert brave.key not in reply.text


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({}, "query"),
        ({"query": ""}, "query"),
        ({"query": "   "}, "query must not be empty"),
        ({"query": "tea", "colour": "green"}, "colour"),
        ({"query": "tea", "limit": 0}, "limit"),
        ({"query": "tea", "limit": 101}, "limit"),
        ({"query": "tea", "limit": 3, "count": 7}, "limit and count are two names of one thing"),
        ({"query": "tea", "provider": ["nobody"]}, "unknown provider nobody"),
        ({"query": "tea", "date_from": "yesterday"}, "date_from"),
        ({"query": "tea", "country": "Germany"}, "country"),
        ([1], "body"),
    ],
)
def test_a_mistake_of_the_caller_is_a_400_that_names_it(running: Any, body: Any, told: str) -> None:
    reply = running.post("/v1/search", body)
    assert (reply.status_code, reply.headers["content-type"]) == (400, PROBLEM)
    assert told in reply.json()["detail"]
    assert "Value error" not in reply.json()["detail"]


def test_a_body_that_is_no_json_is_a_400(running: Any) -> None:
    reply = running.client.post("/v1/search", content=b"{tea")
    assert (reply.status_code, reply.headers["content-type"]) == (400, PROBLEM)


def test_an_unknown_address_and_a_wrong_method_are_problems(running: Any) -> None:
    assert running.get("/v1/nothing").headers["content-type"] == PROBLEM
    wrong = running.client.delete("/v1/search")
    assert (wrong.status_code, wrong.headers["content-type"]) == (405, PROBLEM)
    assert "GET" in wrong.headers["allow"]


@pytest.mark.process
def test_a_page_is_read_once_and_then_worked_on_by_its_handle(running: Any, site: LoopbackServer) -> None:
    page = running.post("/v1/open", {"url": site.url, "max_length": 300}).json()
    assert (page["title"], page["truncated"]) == ("All about tea", True)
    handle = f"/v1/snapshots/{page['snapshot']}"

    rest = running.get(handle, params={"offset": page["next_offset"]}).json()
    assert rest["content"].endswith("more about leaves](" + site.url + "/more).")
    headings = running.get(f"{handle}/outline").json()["headings"]
    assert [heading["title"] for heading in headings] == ["All about tea", "Brewing"]
    match = running.get(f"{handle}/find", params={"text": "EIGHTY"}).json()["matches"][0]
    assert (match["match"], match["heading"]) == ("eighty", "Brewing")
    found = running.get(f"{handle}/passages", params={"query": "how long to steep", "budget": 200}).json()
    assert "three minutes" in found["content"]
    quoted = running.get(f"{handle}/quote", params={"text": "Steep it for three minutes"}).json()
    assert quoted["found"]
    assert quoted["citation"]["link"].startswith(f"{site.url}/#:~:text=")
    assert running.post(f"{handle}/quote", {"text": "the moon is cheese"}).json() == {
        "found": False,
        "citation": None,
        "differences": ["the page does not say this"],
        "nearest": None,
    }
    wrong = running.post(f"{handle}/quote", {"text": "Steep it for seven minutes"}).json()
    assert (wrong["found"], wrong["citation"]) == (False, None)
    assert wrong["differences"] == ["the page says 'three', the quotation 'seven'"]
    assert wrong["nearest"]["text"] == "Steep it for three minutes"
    assert running.get(f"{handle}/window", params={"max_length": 10}).json()["next_offset"]
    assert "Steep" in running.get(f"{handle}/section", params={"heading": "Brewing"}).json()["content"]
    missing = running.get(f"{handle}/section", params={"heading": "Milk"})
    assert (missing.status_code, "Brewing" in missing.json()["detail"]) == (404, True)
    assert len(site.received) == 1


@pytest.mark.process
def test_no_call_names_a_header_for_a_page(running: Any, site: LoopbackServer) -> None:
    headers = {"Authorization": "Bearer of-somebody"}
    asked: dict[str, dict[str, Any]] = {
        "/v1/open": {"headers": headers},
        "/v2/scrape": {"headers": headers},
        "/compat/jina/": {"setCookies": "a=of-somebody"},
        "/compat/tavily/extract": {"urls": site.url, "headers": headers},
    }
    for path, more in asked.items():
        running.post(path, {"url": site.url, **more}, headers={"X-Set-Cookie": "a=of-somebody"})
    running.get(f"/compat/jina/{site.url}", headers={"X-Set-Cookie": "a=of-somebody", **headers})
    assert not [one for one in site.received if "of-somebody" in json.dumps(dict(one.headers))]


@pytest.mark.process
def test_in_a_service_every_token_reads_pages_behind_a_login(start: Any, site: LoopbackServer) -> None:
    running = start(page_headers={site.url: {"Authorization": "Bearer of-the-operator"}})
    for name in ("ada", "bob"):
        token = running.tokens.create(name)
        reply = running.post("/v1/open", {"url": site.url}, headers={"Authorization": f"Bearer {token}"})
        assert reply.json()["success"]
    carried = [one.headers.get("authorization") for one in site.received if one.path == "/"]
    assert carried == ["Bearer of-the-operator"] * 2


@pytest.mark.process
def test_what_programs_are_given_holds_no_fence(running: Any, site: LoopbackServer) -> None:
    page = running.post("/v1/open", {"url": site.url})
    handle = page.json()["snapshot"]
    looks = [running.get(f"/v1/snapshots/{handle}/outline"), running.post("/v1/search", {"query": "tea"})]
    assert all(reply.status_code == 200 for reply in (page, *looks))
    assert "untrusted web content" not in "".join(reply.text for reply in (page, *looks))
    assert page.json()["content_length"] == len(page.json()["content"])


def test_a_handle_nobody_knows_is_a_404_that_says_what_to_do(running: Any) -> None:
    reply = running.get("/v1/snapshots/0123456789abcdef0123/outline")
    assert (reply.status_code, reply.json()["outcome"]) == (404, "not_found")
    assert "open the page again" in reply.json()["detail"]


@pytest.mark.process
@pytest.mark.parametrize(("path", "status", "outcome"), [("/gone", 404, "not_found"), ("", 403, "refused")])
def test_a_page_that_cannot_be_read_is_a_problem(
    running: Any, site: LoopbackServer, path: str, status: int, outcome: str
) -> None:
    url = site.url + path if path else "http://169.254.169.254/latest/meta-data/"
    reply = running.get("/v1/open", params={"url": url})
    assert (reply.status_code, reply.json()["outcome"]) == (status, outcome)


@pytest.mark.parametrize("address", ["example.org/x", "file:///etc/passwd"])
def test_what_is_no_web_address_is_an_invalid_request(running: Any, address: str) -> None:
    reply = running.get("/v1/open", params={"url": address})
    assert (reply.status_code, reply.json()["type"]) == (400, "urn:problem-type:seekread:invalid_request")
    assert ("Send https://example.org/x" in reply.json()["detail"]) == (address == "example.org/x")


@pytest.mark.process
def test_several_pages_each_have_an_outcome_and_fail_only_together(running: Any, site: LoopbackServer) -> None:
    mixed = running.post("/v1/open", {"urls": [site.url, f"{site.url}/gone"]})
    assert [page["success"] for page in mixed.json()["pages"]] == [True, False]
    failed = running.post("/v1/open", {"urls": [f"{site.url}/gone", "http://10.0.0.1/"]})
    assert (failed.status_code, failed.json()["outcome"]) == (404, "not_found")
    assert running.post("/v1/open", {}).status_code == 400


def events(text: str) -> list[tuple[str, Any]]:
    blocks = [block.split("\n") for block in text.strip().split("\n\n") if not block.startswith(":")]
    return [(name.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for name, data in blocks]


def test_progress_is_streamed_to_whoever_asks_for_events(running: Any, brave: Simulator) -> None:
    accept = {"accept": "text/event-stream"}
    told = events(running.post("/v1/search", {"query": "tea"}, headers=accept).text)
    assert [name for name, _ in told] == ["progress", "result"]
    assert (told[0][1]["provider"], told[0][1]["outcome"]) == ("brave", "ok")
    assert told[1][1]["results"]
    brave.fail(Fault(429))
    failed = events(running.post("/v1/search", {"query": "cake"}, headers=accept).text)
    assert [name for name, _ in failed] == ["progress", "problem"]
    assert failed[1][1]["outcome"] == "rate_limited"


def test_a_mistake_is_told_before_a_stream_begins(running: Any) -> None:
    reply = running.post("/v1/search", {"query": ""}, headers={"accept": "text/event-stream"})
    assert (reply.status_code, reply.headers["content-type"]) == (400, PROBLEM)


def test_providers_and_usage_tell_how_things_are_but_no_key(running: Any, brave: Simulator) -> None:
    running.post("/v1/search", {"query": "tea"})
    providers = running.get("/v1/providers")
    row = next(row for row in providers.json()["providers"] if row["name"] == "brave")
    assert (row["configured"], row["in_chain"], row["resting"], row["last_outcome"]) == (True, True, False, "ok")
    assert providers.json()["chain"] == ["brave"]
    usage = running.get("/v1/usage")
    assert [(row["provider"], row["calls"]) for row in usage.json()["usage"]] == [("brave", 1.0)]
    assert brave.key not in providers.text + usage.text


def test_the_service_says_whether_it_lives_and_whether_it_is_ready(start: Any, brave: Simulator) -> None:
    running = start()
    assert running.get("/healthz").json() == {"status": "ok"}
    assert running.get("/readyz").json() == {"status": "ready", "chain": ["brave"]}
    running.service.draining = True
    leaving = running.get("/readyz")
    assert (leaving.status_code, leaving.headers["connection"]) == (503, "close")
    assert brave.received == []


def test_a_service_is_not_ready_while_its_store_cannot_count(start: Any, tmp_path: Path) -> None:
    running, careless = start(), start(quota_fails_closed=False)
    assert running.get("/readyz").status_code == 200
    with closing(sqlite3.connect(tmp_path / "state.sqlite", isolation_level=None)) as somebody:
        somebody.execute("BEGIN EXCLUSIVE")
        told = running.get("/readyz")
        assert (told.status_code, told.json()["type"]) == (503, "urn:problem-type:seekread:store_unavailable")
        assert running.get("/healthz").status_code == 200
        # Whoever said that calls go on uncounted can be asked all the same.
        assert careless.get("/readyz").status_code == 200
        somebody.execute("ROLLBACK")
    # It tries the store again after five seconds.
    for _ in range(600):
        if running.get("/readyz").status_code == 200:
            return
        time.sleep(0.1)
    raise AssertionError("it is never ready again")


class Shelf:
    """A provider registered in code, by a class of the contracts' plain shape."""

    name = "shelf"

    async def search(self, query: str, *, limit: int = 5) -> list[dict[str, str]]:
        return [{"title": query, "url": "https://books.example/"}][:limit]


def test_a_provider_registered_in_code_is_shown_like_any_other(running: Any) -> None:
    running.service.parts.registry.register(Shelf())
    shown = {row["name"]: row for row in running.get("/v1/providers").json()["providers"]}
    assert (shown["shelf"]["roles"], shown["shelf"]["configured"], shown["shelf"]["keyless"]) == (
        ["search"],
        True,
        True,
    )
    assert "Shelf" in running.get("/status").text
