"""The contract suite that authors of providers run: it finds rows whatever they are called, and mistakes about them."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from seekread.provider import Call, KnownAnswer, Query, Reply, Request, SearchResult, SecretStr, setting
from seekread.testing import provider_contract
from seekread.testing.hits import hits
from seekread.testing.provider_contract import ProviderCase
from seekread.testing.server import Answer, Received
from seekread.testing.simulators import Simulator

pytestmark = pytest.mark.anyio

Parse = Callable[[Reply], list[SearchResult]]
ABOUT_ROWS = [
    name
    for name, refusal in provider_contract.FAULTS.items()
    if isinstance(refusal.fault.change, provider_contract.RowsReplaced)
]


class LinkSimulator(Simulator):
    """A service whose rows have a `name` and a `link`, and stand two lists deep."""

    name = "links"
    url_variable = "LINKS_URL"
    key_variable = "LINKS_KEY"

    def reply(self, received: Received) -> Answer:
        if received.headers.get("x-links-key") != self.key:
            return Answer({"error": "who are you?"}, 401)
        rows = [
            {"name": hit.title, "address": {"link": hit.url}, "tags": [{"label": "page"}], "words": hit.snippet}
            for hit in hits(received.params["q"], int(received.params["n"]))
        ]
        return Answer({"sections": [{"title": "ads", "rows": []}, {"title": "links", "rows": rows}]})


class EmptySimulator(LinkSimulator):
    """One whose answers nobody can tell rows in: they are texts."""

    def reply(self, received: Received) -> Answer:
        found = hits(received.params["q"], int(received.params["n"]))
        return Answer({"rows": [f"{hit.url} {hit.title}" for hit in found]})


@dataclass(frozen=True)
class Links:
    base_url: str
    parse: Parse
    api_key: SecretStr = setting(env="LINKS_KEY", about="Your key.")

    name: ClassVar[str] = "links"
    known_answers: ClassVar[tuple[KnownAnswer, ...]] = (KnownAnswer("Wikipedia"),)

    def search(self, query: Query) -> Call[list[SearchResult]]:
        headers = {"x-links-key": self.api_key.get_secret_value()}
        return Call(Request("GET", self.base_url, {"q": query.text, "n": query.limit}, headers), self.parse)


def result(row: Any) -> SearchResult:
    return SearchResult(title=row["name"], url=row["address"]["link"], snippet=row["words"])


def careful(reply: Reply) -> list[SearchResult]:
    match reply.json():
        case {"sections": [_, {"rows": [*rows]}]}:
            return [result(row) for row in rows]
    raise ValueError("no rows")


def careless(reply: Reply) -> list[SearchResult]:
    """What is taught everywhere: `{}` and `None` are nothing to walk through."""
    return [result(row) for row in reply.json()["sections"][1]["rows"] or ()]


def from_texts(reply: Reply) -> list[SearchResult]:
    return [SearchResult(title=row, url=row.split()[0]) for row in reply.json()["rows"]]


async def check(parse: Parse, fault: str, simulated: type[Simulator] = LinkSimulator) -> None:
    with simulated() as simulator:
        provider = Links(simulator.url, parse, SecretStr(simulator.key))
        await provider_contract.check_fault(ProviderCase(provider, simulator), fault)


def test_there_are_seven_faults_about_rows() -> None:
    assert len(ABOUT_ROWS) == 7


@pytest.mark.parametrize("fault", ABOUT_ROWS)
async def test_a_careful_parser_names_every_one(fault: str) -> None:
    await check(careful, fault)


@pytest.mark.parametrize("fault", ["rows are an object", "null instead of rows"])
async def test_a_careless_parser_is_found_out_although_its_rows_have_no_title(fault: str) -> None:
    with pytest.raises(AssertionError, match="BadReply was expected, 0 results came"):
        await check(careless, fault)


@pytest.mark.parametrize("fault", ABOUT_ROWS)
async def test_rows_that_cannot_be_found_fail_the_suite_instead_of_passing_it(fault: str) -> None:
    with pytest.raises(AssertionError, match="no rows were found"):
        await check(from_texts, fault, EmptySimulator)


def test_a_reply_too_large_to_read_would_have_been_a_good_one() -> None:
    """Otherwise whoever reads all of it passes as well, because it is broken anyway."""
    large = provider_contract.padded({"rows": [1, 2]})
    assert json.loads(large) == {"rows": [1, 2]}
    assert len(large) > provider_contract.REPLY_CAP
