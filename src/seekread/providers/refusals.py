"""What a service means by a refusal, where its words say more than its status."""

import re
from collections.abc import Mapping

from seekread.provider import ProviderError, Reply

SHOWN = 200
"""Characters of a service's own sentence that are passed on."""
SENTENCE = re.compile(r'"(?:message|error|error_message|detail|userMessage)"\s*:\s*"([^"\\]{1,500})')


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
