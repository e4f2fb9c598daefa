"""Arguments as models send them become what they mean, or a sentence that says what to send instead."""

from typing import Any

import pytest

from seekread.arguments import read_arguments, text_or_empty
from seekread.errors import InvalidQuery
from seekread.options import OPEN, Option, table

KINDS = table(
    Option("words", "text", "", most=10),
    Option("amount", "number", "", aliases=("n",), least=0),
    Option("age", "seconds", ""),
    Option("names", "names", ""),
    Option("pages", "addresses", ""),
)


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ({"words": "  a \n b\0"}, {"words": "a b"}),
        ({"words": " "}, {"words": None}),
        ({"words": "", "amount": None}, {}),
        ({"amount": "7"}, {"amount": 7}),
        ({"amount": " 7.0 "}, {"amount": 7}),
        ({"n": 7.0, "amount": "7"}, {"amount": 7}),
        ({"age": "1.5"}, {"age": 1.5}),
        ({"age": 0}, {"age": 0.0}),
        ({"names": "brave, tavily,"}, {"names": ("brave", "tavily")}),
        ({"names": ["brave"]}, {"names": ("brave",)}),
        ({"pages": "https://a.example "}, {"pages": ("https://a.example",)}),
        ({"pages": ["https://a.example", "https://b.example"]}, {"pages": ("https://a.example", "https://b.example")}),
    ],
)
def test_a_value_is_understood_however_it_is_written(given: dict[str, Any], meant: dict[str, Any]) -> None:
    assert read_arguments(given, KINDS) == meant


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"words": 5}, "words must be text, not int"),
        ({"words": "x" * 11}, "words has 11 characters, at most 10 are allowed; shorten it"),
        ({"amount": -1}, "amount must be at least 0, not -1"),
        ({"amount": "1e9"}, "amount must be a whole number, not '1e9'"),
        ({"amount": "9" * 4000}, "amount must be at most"),
        ({"amount": 1, "n": 2}, "amount and n are two names of one thing; send one of them"),
        ({"age": "old"}, "age must be a number of seconds from 0, not 'old'"),
        ({"age": float("inf")}, "age must be a number of seconds"),
        ({"age": True}, "age must be a number of seconds"),
        ({"names": [5]}, "names must be text, not int"),
        ({"pages": [5]}, "pages must be text, not int"),
        ({"colour": "red"}, "unknown argument 'colour'; known are words, amount, age, names, pages"),
    ],
)
def test_a_mistake_is_named_with_what_to_send(given: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidQuery) as caught:
        read_arguments(given, KINDS)
    assert words in str(caught.value)


def test_an_address_may_come_as_a_list_of_one_but_not_of_several() -> None:
    """X-23"""
    assert read_arguments({"link": ["https://a.example"]}, OPEN) == {"url": "https://a.example"}
    with pytest.raises(InvalidQuery, match="url takes one address at a time, not 2"):
        read_arguments({"url": ["https://a.example", "https://b.example"]}, OPEN)


@pytest.mark.parametrize(("sent", "text"), [("a", "a"), ("", ""), (None, ""), (7, ""), (["a"], ""), ({"a": "b"}, "")])
def test_what_is_no_text_is_no_text(sent: object, text: str) -> None:
    assert text_or_empty(sent) == text
