"""Serper on the wire and back."""

import json
from typing import Any

import pytest

from seekread.calling.perform import read_reply
from seekread.options import Query
from seekread.provider import (
    QuotaExhausted,
    Reply,
    SecretStr,
)
from seekread.providers.serper import Serper

KEY = SecretStr("k")


def reply(data: Any, status: int = 200) -> Reply:
    return Reply(status, {}, json.dumps(data).encode())


def test_serper_writes_spans_as_google_does() -> None:
    def span(**wishes: Any) -> Any:
        return (Serper(KEY).search(Query(text="x", **wishes)).request.json or {})["tbs"]

    assert span(freshness="week") == "qdr:w"
    assert span(date_from="2026-01-02", date_to="2026-03-04") == "cdr:1,cd_min:01/02/2026,cd_max:03/04/2026"
    assert span() is None


def test_serper_says_bad_request_when_the_credits_are_gone() -> None:
    with pytest.raises(QuotaExhausted):
        read_reply(
            Serper(KEY).search(Query(text="x")), reply({"message": "Not enough credits", "statusCode": 400}, 400)
        )


def test_serper_has_an_answer_box() -> None:
    data = {"searchParameters": {}, "answerBox": {"snippet": "a drink"}, "organic": []}
    assert Serper(KEY).search(Query(text="x")).parse(reply(data)).answer == "a drink"
