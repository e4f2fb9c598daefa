"""Our values: what a pydantic model is to programs, without importing pydantic."""

import copy
import json
import os
import pickle
import subprocess
import sys
from collections.abc import Callable

import pydantic
import pytest

from seekread import SearchResponse, SearchResult, Seekread
from seekread.models import Page, PageHtml
from seekread.options import Query
from seekread.provider import secrets_of
from seekread.providers.brave import Brave
from seekread.secret import SecretStr
from seekread.testing import simulators

RESULT = SearchResult(title="Tea", url="https://e.org/")
RESPONSE = SearchResponse(query="tea", results=(RESULT,), filters={"freshness": "native"})


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: SearchResult(title=None, url="https://e.org/"),  # type: ignore[arg-type]
        lambda: SearchResult(title="Tea"),  # type: ignore[call-arg]
        lambda: SearchResult(title="Tea", url="https://e.org/", colour="green"),  # type: ignore[call-arg]
        lambda: SearchResponse.model_validate({"query": "tea", "outcome": "great"}),
        lambda: Query(text="", limit=0),
        lambda: setattr(RESULT, "title", "Coffee"),
        lambda: delattr(RESULT, "title"),
    ],
)
def test_what_makes_no_sense_is_refused_as_by_pydantic(wrong: Callable[[], object]) -> None:
    with pytest.raises(pydantic.ValidationError):
        wrong()


def test_a_value_survives_json_copies_and_other_processes() -> None:
    assert SearchResponse.model_validate_json(RESPONSE.model_dump_json()) == RESPONSE
    assert SearchResponse.model_validate(RESPONSE.model_dump()) == RESPONSE
    assert pickle.loads(pickle.dumps(RESPONSE)) == copy.deepcopy(RESPONSE) == RESPONSE
    assert {RESULT, copy.copy(RESULT)} == {RESULT}
    assert RESULT.model_copy(update={"title": "Coffee"}) != RESULT
    assert repr(RESULT).startswith("SearchResult(title='Tea', url='https://e.org/', snippet=''")


def test_the_options_of_pydantic_for_dumping_are_understood() -> None:
    assert (
        RESULT.model_dump(exclude_unset=True)
        == RESULT.model_dump(exclude_defaults=True)
        == {"title": "Tea", "url": "https://e.org/"}
    )
    assert json.loads(RESULT.model_dump_json(include={"title"}, by_alias=True)) == {"title": "Tea"}
    assert RESULT.model_fields_set == {"title", "url"}
    assert dict(RESULT)["title"] == "Tea"


def test_what_is_only_for_us_is_neither_in_json_nor_in_a_schema() -> None:
    page = Page(url="https://e.org/", kept_html=PageHtml("<p>"))
    assert page.markup.html == "<p>"
    for shown in (
        page.model_dump(),
        json.loads(page.model_dump_json()),
        Page.model_json_schema()["properties"],
        repr(page),
    ):
        assert "kept_html" not in shown
    assert Page.model_validate(page.with_markup()).markup == page.markup


def test_models_of_pydantic_hold_our_values() -> None:
    class Shelf(pydantic.BaseModel):
        found: list[SearchResponse]

    shelf = Shelf(found=[RESPONSE])
    assert shelf.found[0] is RESPONSE
    assert Shelf.model_validate_json(shelf.model_dump_json()) == shelf
    assert Shelf.model_json_schema()["$defs"]["SearchResult"]["required"] == ["title", "url"]
    assert pydantic.TypeAdapter(SearchResult).validate_python({"title": "Tea", "url": "https://e.org/"}) == RESULT


@pytest.mark.parametrize("kind", [SecretStr, pydantic.SecretStr])
def test_a_key_of_ours_or_of_pydantics_is_a_key(kind: type[SecretStr]) -> None:
    key = kind("sk-very-secret")
    brave = Brave(key)
    assert secrets_of(brave) == {"sk-very-secret"}
    assert "very" not in f"{brave!r} {key} {key!r}"
    assert isinstance(key, SecretStr)
    built = Seekread(providers={"brave": {"api_key": key}})._parts.registry.searcher("brave")
    assert secrets_of(built) == {"sk-very-secret"}


@pytest.mark.process
def test_a_first_search_and_a_first_page_import_no_pydantic() -> None:
    code = (
        "import asyncio, sys\nfrom seekread import Seekread\nasync def main():\n"
        "    async with Seekread('brave', settings={'store': 'memory:'}) as web:\n"
        "        assert (await web.search('tea')).results\n"
        "        await web.open_page('https://127.0.0.1:9/')\n"
        "asyncio.run(main())\n"
        "print([name for name in ('pydantic', 'numpy') if name in sys.modules])"
    )
    with simulators.start("brave") as running:
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, **running.environment()},
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        )
    assert done.stdout.strip() == "[]"
