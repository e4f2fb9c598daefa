"""What a service means by a refusal, where its words say more than its status."""

import re
from collections.abc import Mapping

from seekread.provider import Blocked, ProviderError, QuotaExhausted, RateLimited, Reply

SHOWN = 200
"""Characters of a service's own sentence that are passed on."""
SENTENCE = re.compile(r'"(?:message|error|error_message|detail|userMessage)"\s*:\s*"([^"\\]{1,500})')

WAIT = re.compile(r'"retry_after_seconds"\s*:\s*(\d+)')
HOUR = 3600


def worded(reply: Reply, meanings: Mapping[str, type[ProviderError]]) -> ProviderError | None:
    """The error of the first pattern found in a refusal, case ignored; `None` for an answer or words nobody knows."""
    if reply.status < 400:
        return None
    text = reply.text()
    for pattern, error in meanings.items():
        if found := re.search(pattern, text, re.IGNORECASE):
            sentence = SENTENCE.search(text)
            return error(f"status {reply.status}: {sentence[1] if sentence else found[0]}"[:SHOWN])
    return None


def told_to_wait(reply: Reply) -> ProviderError | None:
    """The error of a body that says how long to wait: hours are a plan that is used up, not a pace to keep."""
    if reply.status == 429 and (wait := WAIT.search(reply.text())):
        kind = QuotaExhausted if int(wait[1]) > HOUR else RateLimited
        return kind(f"status 429: wait {wait[1]} s", retry_after=float(wait[1]))
    return None


def without_key(reply: Reply) -> ProviderError | None:
    """What a refusal means to those who sent no key: there was none to reject."""
    if reply.status in {401, 403}:
        return Blocked(f"status {reply.status}: it does not answer without a key")
    return told_to_wait(reply)
