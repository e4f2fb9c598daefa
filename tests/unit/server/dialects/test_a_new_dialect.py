"""A dialect nobody knows of, written here: declaring it is all there is to adding one."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

import seekread.server
from seekread.server.app import ServiceOptions
from seekread.server.dialects import DIALECTS
from seekread.server.dialects.dialect import Dialect, search, sent
from seekread.server.dialects.offers import Foreign
from seekread.server.keys import HeaderKey
from seekread.server.problems import Problem
from tests.unit.server.dialects.search_dialect import SearchDialect

SERVER = Path(seekread.server.__file__).parent


class SerperSearch(Foreign):
    """What `/search` is sent."""

    query: str
    num: int = 10


async def serper_search(request: Request) -> Response:
    asked = await sent(request, SerperSearch)
    response = await search(asked.query, limit=asked.num)
    rows = [{"title": r.title, "link": r.url, "snippet": r.snippet} for r in response.results]
    return JSONResponse({"searchParameters": {"q": asked.query}, "organic": rows})


def failure(problem: Problem, headers: Mapping[str, str]) -> Response:
    return JSONResponse({"message": problem.detail, "statusCode": problem.status}, problem.status, dict(headers))


SERPER = Dialect(
    name="serper",
    prefixes=("/serper",),
    routes=(Route("/serper/search", serper_search, methods=["POST"]),),
    failure=failure,
    keys=(HeaderKey("X-API-KEY"),),
)


class TestSerper(SearchDialect):
    dialect = SERPER
    path = "/serper/search"
    body: ClassVar[dict[str, Any]] = {"query": "tea", "num": 3}

    def rows(self, reply: Any) -> list[Any]:
        return list(reply["organic"])

    def error(self, reply: Any) -> str:
        return str(reply["message"])


def test_its_clients_put_their_key_into_a_header_of_their_own(start: Any) -> None:
    running = start(ServiceOptions(require_token=True), dialects=[*DIALECTS, SERPER])
    token = running.tokens.create("app")
    body = {"query": "tea", "num": 3}

    def status(path: str, headers: dict[str, str]) -> int:
        return int(running.post(path, body, headers=headers).status_code)

    assert status("/serper/search", {}) == 401
    assert status("/serper/search", {"X-API-KEY": token}) == 200
    assert status("/serper/search", {"x-api-key": "skr_wrong"}) == 401
    assert status("/serper/search", {"authorization": f"Basic {token}"}) == 401
    # The header means nothing to anybody else.
    assert status("/v1/search", {"X-API-KEY": token}) == 401
    assert status("/compat/tavily/search", {"X-API-KEY": token}) == 401
    refused = running.post("/serper/search", body)
    assert "`X-API-KEY: <token>`" in refused.json()["message"]


def test_a_page_of_an_allowed_site_may_send_its_header(start: Any) -> None:
    running = start(ServiceOptions(allowed_origins=("https://app.example",)), dialects=[SERPER])
    asked = {
        "origin": "https://app.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": "x-api-key",
    }
    assert running.client.options("/serper/search", headers=asked).status_code == 200


def test_a_route_outside_its_addresses_is_refused() -> None:
    with pytest.raises(ValueError, match="/elsewhere of serper"):
        Dialect("serper", ("/serper",), (Route("/elsewhere", serper_search),), failure)


def test_nothing_else_in_the_service_knows_a_dialect() -> None:
    others = [path for path in SERVER.glob("*.py") if path.name != "__init__.py"]
    words = {dialect.name for dialect in DIALECTS} | {prefix for dialect in DIALECTS for prefix in dialect.prefixes}
    text = "\n".join(path.read_text(encoding="utf-8").lower() for path in others)
    assert len(others) > 10
    assert not [word for word in words if word in text]
    assert len({dialect.name for dialect in DIALECTS}) == len(DIALECTS)
