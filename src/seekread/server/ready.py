"""
Answers that were kept, ready to send.

What a question in these very bytes asks for is remembered, so it is read once. An answer is written as JSON once, and
afterwards only its age anew: what comes from the cache shares all it holds with what was kept, so the same objects mean
the same JSON. Neither decides anything: who asks, what that may cost and whether an answer is fresh is looked at every
time, and whoever gets an answer had it in hand before it was written.
"""

import json
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import field
from typing import Any

from seekread.late import dataclass
from seekread.models import SearchResponse
from seekread.options import Query

MOST = 256
"""Questions and answers that are remembered, those asked for last."""
LONGEST_QUESTION = 1000
LARGEST_ANSWER = 64 * 1024
"""Bytes that are worth remembering."""
AGE = "age_seconds"
MARK = f'"{AGE}":'.encode()
"""Where the age stands. Inside a text the quotation marks would be escaped."""


@dataclass(frozen=True)
class AskedBefore:
    """What a question asks for."""

    query: Query
    provider: tuple[str, ...] = ()
    max_age: float | None = None


@dataclass(frozen=True)
class _Written:
    fields: Mapping[str, Any]
    head: bytes
    tail: bytes


@dataclass
class ReadyAnswers:
    """What was asked and answered last."""

    _asked: OrderedDict[tuple[str, bytes], AskedBefore] = field(default_factory=OrderedDict)
    _written: OrderedDict[int, _Written] = field(default_factory=OrderedDict)

    def asked(self, method: str, sent: bytes) -> AskedBefore | None:
        """What was asked for in these bytes, if that is remembered."""
        return self._asked.get((method, sent))

    def remember(self, method: str, sent: bytes, asked: AskedBefore) -> None:
        """Remember what was asked for by somebody who got an answer."""
        if len(sent) > LONGEST_QUESTION:
            return
        self._asked[method, sent] = asked
        self._asked.move_to_end((method, sent))
        if len(self._asked) > MOST:
            self._asked.popitem(last=False)

    def body(self, answer: SearchResponse) -> bytes:
        """An answer as JSON."""
        if not answer.cached:
            return answer.model_dump_json().encode()
        fields = {**vars(answer), AGE: None}
        # It is the number of an object that is held here, so nothing else can have it.
        number = id(answer.results)
        known = self._written.get(number)
        if known is None or known.fields != fields:
            head, _, tail = answer.model_copy(update={AGE: None}).model_dump_json().encode().partition(MARK)
            known = _Written(fields, head + MARK, tail.removeprefix(b"null"))
            if len(head) + len(tail) <= LARGEST_ANSWER:
                self._written[number] = known
                if len(self._written) > MOST:
                    self._written.popitem(last=False)
        return known.head + json.dumps(answer.age_seconds).encode() + known.tail
