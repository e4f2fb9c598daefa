"""Perplexity's dialect on the wire."""

from typing import Any, ClassVar
from urllib.parse import urlsplit

from seekread.server.dialects.perplexity import DIALECT
from seekread.testing.server import Fault
from seekread.testing.simulators import Simulator
from tests.unit.server.dialects.search_dialect import SearchDialect

SEARCH = "/compat/perplexity/search"


class TestPerplexity(SearchDialect):
    dialect = DIALECT
    path = SEARCH
    body: ClassVar[dict[str, Any]] = {"query": "tea", "max_results": 3}

    def rows(self, reply: Any) -> list[Any]:
        return list(reply["results"])

    def error(self, reply: Any) -> str:
        return str(reply["error"]["message"])


def test_clients_are_told_whether_to_try_again(running: Any, brave: Simulator) -> None:
    brave.fail(Fault(body="<html>"), times=1)
    assert running.post(SEARCH, {"query": "tea"}).headers["x-should-retry"] == "false"
    brave.fail(Fault(500), times=1)
    assert running.post(SEARCH, {"query": "tea"}).headers["x-should-retry"] == "true"
    assert running.post(SEARCH, {"query": "tea", "search_after_date_filter": "2026-10-01"}).status_code == 400
    dated = {"query": "tea", "search_after_date_filter": "10/01/2026", "search_recency_filter": None}
    assert running.post(SEARCH, dated).status_code == 200


def test_a_domain_with_a_minus_is_blocked_and_one_without_is_the_only_one(running: Any) -> None:
    def hosts(*filters: str) -> set[str | None]:
        found = running.post(SEARCH, {"query": "tea", "search_domain_filter": filters}).json()["results"]
        assert found
        return {urlsplit(row["url"]).hostname for row in found}

    everywhere = hosts()
    assert {"example.com", "www.example.org"} <= everywhere
    assert hosts("-example.com") == everywhere - {"example.com"}
    assert hosts("example.com") == {"example.com"}
    assert hosts("www.example.org", "-example.com") == {"www.example.org"}
