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


def test_serper_says_bad_request_when_the_credits_are_gone() -> None:
    with pytest.raises(QuotaExhausted):
        read_reply(
            Serper(KEY).search(Query(text="x")), reply({"message": "Not enough credits", "statusCode": 400}, 400)
        )


def test_serper_has_an_answer_box() -> None:
    data = {"searchParameters": {}, "answerBox": {"snippet": "a drink"}, "organic": []}
    assert Serper(KEY).search(Query(text="x")).parse(reply(data)).answer == "a drink"
