"""One table of options: the types say the same, and whoever shows options shows those."""

import inspect
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

import click
import pytest

from seekread.arguments import READERS
from seekread.cli.gather import gather
from seekread.cli.open import open_command
from seekread.cli.search import search
from seekread.client import Seekread
from seekread.gathering.engine import MOST_PHRASINGS
from seekread.options import (
    GATHER,
    OPEN,
    QUESTION,
    SEARCH,
    BudgetUnit,
    OpenOptions,
    Option,
    OptionKind,
    Query,
    SearchOptions,
    Wish,
)
from seekread.reading.part import Wanted
from seekread.server import models
from seekread.server.console.labels import CHOICES
from seekread.server.console.search import FILTERS

TABLES: Mapping[str, Mapping[str, Option]] = {"search": SEARCH, "open": OPEN, "gather": GATHER}
ROWS = [pytest.param(table, option, id=f"{table}-{name}") for table in TABLES for name, option in TABLES[table].items()]

ARGUMENTS = {"search-query", "open-url", "open-urls", "gather-question"}
"""What the command line takes without a flag."""


def test_a_query_and_the_options_of_python_callers_are_those_of_the_table() -> None:
    """`text` is the option `query`; `time_range` is spelled out for callers who know it under that name."""
    assert set(Query.model_fields) == {*QUESTION, "text"} - {"query"}
    assert set(SearchOptions.__annotations__) == {*QUESTION, "time_range"} - {"query"}
    assert set(SEARCH) - set(QUESTION) == {"provider", "max_age"}
    assert "time_range" in SEARCH["freshness"].aliases
    choices = [option for option in QUESTION.values() if option.choices]
    assert all(set(option.choices) <= set(flat(Query.model_fields[option.name].annotation)) for option in choices)


def test_the_part_of_a_page_that_is_wanted_is_that_of_the_table() -> None:
    # Only the dialects of other services have words for a shape.
    assert set(OpenOptions.__annotations__) == {field.name for field in fields(Wanted)} - {"shape"}
    assert set(OPEN) - set(OpenOptions.__annotations__) == {"url", "urls", "reader"}


def test_the_options_of_gathering_are_the_arguments_of_the_method() -> None:
    named = set(inspect.signature(Seekread.gather).parameters) - {"self", "options"}
    assert set(GATHER) - named <= set(SearchOptions.__annotations__)
    assert named <= set(GATHER)
    assert GATHER["unit"].choices == get_args(BudgetUnit)
    assert GATHER["phrasings"].most == MOST_PHRASINGS - 1


def flat(annotation: Any) -> tuple[Any, ...]:
    """What an annotation allows, through unions."""
    inner = get_args(annotation)
    return tuple(each for part in inner for each in flat(part)) if inner else (annotation,)


def test_every_wish_is_one_of_an_option_or_news() -> None:
    assert {option.wish for option in SEARCH.values() if option.wish} | {"news"} == set(get_args(Wish))


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_no_name_means_two_options(table: Mapping[str, Option]) -> None:
    names = [name for option in table.values() for name in option.names]
    spellings = [spelling for option in table.values() for spelling in option.flag_names]
    assert len(names) == len(set(names))
    assert len(spellings) == len(set(spellings))


def test_every_kind_of_option_is_read_and_served() -> None:
    assert set(READERS) == set(models.FIELDS) == set(get_args(OptionKind))


@pytest.mark.parametrize(("table", "option"), [row for row in ROWS if row.id not in ARGUMENTS])
def test_the_command_line_shows_every_option_under_its_spellings(table: str, option: Option) -> None:
    command: click.Command = {"search": search, "open": open_command, "gather": gather}[table]
    [shown] = [shown for shown in command.params if shown.name == option.name]
    assert tuple(shown.opts) == option.flag_names
    assert isinstance(shown, click.Option)
    assert (shown.help or "").startswith(option.sentence.rstrip("."))


@pytest.mark.parametrize(("table", "option"), ROWS)
def test_http_takes_every_option_and_says_what_it_means(table: str, option: Option) -> None:
    requests = {"search": models.SearchRequest, "open": models.OpenRequest, "gather": models.GatherRequest}
    field = requests[table].model_fields[option.name]
    assert field.description == option.sentence
    assert field.is_required() == bool(option.missing)


def test_the_console_filters_by_the_options_that_say_so() -> None:
    """People keep its addresses, so the names in them stay."""
    assert {name: option for name, option in SEARCH.items() if option.form} == FILTERS
    spelled = {name: option.form_name for name, option in FILTERS.items() if name != option.form_name}
    assert spelled == {"search_type": "type", "allowed_domains": "site", "blocked_domains": "not_site"}
    assert all(set(CHOICES[name]) - {""} == set(SEARCH[name].choices) for name in CHOICES)


@pytest.mark.parametrize(("table", "option"), ROWS)
def test_the_reference_shows_every_option(table: str, option: Option) -> None:
    page = Path(__file__).parents[2] / "docs" / "reference" / "options.md"
    part = page.read_text(encoding="utf-8").partition(f"<!-- generated: {table} -->")[2].partition("<!-- end -->")[0]
    assert f"| `{option.name}` |" in part
