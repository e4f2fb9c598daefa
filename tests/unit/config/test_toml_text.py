"""One value of a TOML file is changed, and every other character stays."""

import tomllib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seekread.config.toml_text import with_table, with_value, without_table, without_value
from seekread.errors import Misconfigured

FILE = """# mine

[search]
limit = 5  # not more # ever
providers = [
    "brave",  # first
    "exa",
]

[providers.brave]
# the key of work
api_key = "a # b"
"""


def test_a_value_is_replaced_and_its_comment_stays() -> None:
    assert with_value(FILE, ("search", "limit"), 8) == FILE.replace("limit = 5", "limit = 8")
    assert 'api_key = "c"\n' in with_value(FILE, ("providers", "brave", "api_key"), "c")


def test_a_list_over_several_lines_is_replaced_as_a_whole() -> None:
    text = with_value(FILE, ("search", "providers"), ["kagi"])
    assert tomllib.loads(text)["search"] == {"limit": 5, "providers": ["kagi"]}
    assert text.count("\n") == FILE.count("\n") - 3


def test_a_new_value_joins_its_table_and_a_new_table_comes_last() -> None:
    joined = with_value(FILE, ("search", "route"), "first")
    assert joined == FILE.replace("]\n\n[prov", ']\nroute = "first"\n\n[prov')
    added = with_value(FILE, ("read", "images"), value=True)
    assert added == f"{FILE}\n[read]\nimages = true\n"
    assert with_value("", ("read", "images"), value=True) == "[read]\nimages = true\n"


def test_a_value_is_taken_out() -> None:
    assert without_value(FILE, ("search", "limit")) == FILE.replace("limit = 5  # not more # ever\n", "")
    assert without_value(FILE, ("search", "nothing")) == FILE


def test_a_file_that_is_written_in_another_way_is_left_alone() -> None:
    """What comes of it is compared with what was meant, so nothing is lost by mistake."""
    with pytest.raises(Misconfigured, match=r"edit search\.limit by hand"):
        with_value("search = { limit = 5 }\n", ("search", "limit"), 8)
    with pytest.raises(Misconfigured, match="search is a value"):
        with_value("search = 3\n", ("search", "limit"), 8)


def test_a_table_is_replaced_with_those_below_it() -> None:
    block = "[mcp_servers.seekread]\ncommand = 'new'"
    text = "a = 1\n\n[mcp_servers.seekread]\ncommand = 'old'\n[mcp_servers.seekread.env]\nX = 'y'\n\n[other]\nb = 2\n"
    replaced = with_table(text, ("mcp_servers", "seekread"), block)
    assert tomllib.loads(replaced) == {
        "a": 1,
        "mcp_servers": {"seekread": {"command": "new"}},
        "other": {"b": 2},
    }
    assert tomllib.loads(without_table(replaced, ("mcp_servers", "seekread"))) == {"a": 1, "other": {"b": 2}}


VALUES: st.SearchStrategy[Any] = st.one_of(
    st.booleans(), st.integers(-9, 9), st.text(max_size=9), st.lists(st.text(max_size=5), max_size=3)
)
NAMES = st.sampled_from(["limit", "route", "country"])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["search", "read"]), NAMES, VALUES), max_size=6))
def test_whatever_is_written_is_read_again(changes: list[tuple[str, str, Any]]) -> None:
    text, meant = FILE, tomllib.loads(FILE)
    for section, name, value in changes:
        text = with_value(text, (section, name), value)
        meant.setdefault(section, {})[name] = value
    assert tomllib.loads(text) == meant
    assert "# the key of work" in text
