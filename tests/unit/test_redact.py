"""Keys never show: not in errors, logs, tracebacks or any encoding."""

import io
import logging
from typing import Any

import pytest

from seekread.errors import ProviderError, SeekreadError
from seekread.provider import secrets_of
from seekread.providers.exa import Exa
from seekread.providers.parallel import Parallel
from seekread.providers.you import You
from seekread.redact import RedactingFilter, redact, spellings

KEY = "canary+key/with=odd~chars 42"


@pytest.mark.parametrize("form", sorted(spellings(KEY)))
def test_a_known_key_is_masked_in_every_encoding(form: str) -> None:
    assert form not in redact(f"before {form} after", [KEY])


@pytest.mark.parametrize(
    "text",
    [
        "tvly-abcdefghijklmnop1234",
        "Authorization: Bearer abcdef123456",
        "https://x.org/?api_key=abcdef123456&q=1",
        '{"api_key": "abcdef123456"}',
        "X-Subscription-Token: abcdef123456",
        "sk-abcdefGh1jK2mN3pQ4rS5tU6vW7xY8zA9bC0dE1fG2hJ3kL4",
        "GET http://user:abcdef@127.0.0.1:8896/search",
        "AKIAIOSFODNN7EXAMPLE",
        "?key=abcdef123456",
    ],
)
def test_what_looks_like_a_key_is_masked(text: str) -> None:
    masked = redact(text)
    assert "***" in masked
    assert "abcdef" not in masked


@pytest.mark.parametrize(
    "text", ["the key to success", "monkey: banana", "skeleton", "query=tea", "status 429: too many"]
)
def test_ordinary_words_are_left_alone(text: str) -> None:
    assert redact(text) == text


def test_errors_mask_their_message_and_evidence_when_they_are_built() -> None:
    error = ProviderError("failed with Bearer authorization=abcdef123456", body='{"api_key":"abcdef123456"}')
    assert "abcdef" not in str(error) + repr(error) + error.body
    assert "abcdef" not in str(SeekreadError("token=abcdef123456"))


def test_the_log_filter_masks_arguments_and_tracebacks() -> None:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.addFilter(RedactingFilter([KEY]))
    logger = logging.getLogger("seekread.test_redact")
    logger.addHandler(handler)
    logger.propagate = False
    try:
        int(f"inner {KEY}")
    except ValueError:
        logger.exception("calling with %s", KEY)
    logger.removeHandler(handler)
    assert KEY not in stream.getvalue()
    assert "ValueError" in stream.getvalue()


@pytest.mark.parametrize("said", ["{}… is not valid", "no such key: {}**********", "unknown key '{}...'"])
def test_the_beginning_of_a_long_key_is_masked_by_itself(said: str) -> None:
    """Services like to repeat it, and eight characters tell whose key it is."""
    secret = "opaque7Kq9zZ31xw"
    assert len(secret) == 16
    assert redact(said.format(secret[:8]), [secret]) == said.format("***")


def test_the_beginning_of_a_short_key_is_an_ordinary_word() -> None:
    """Half of a short password may be anything that stands in the text."""
    assert redact("the password is not valid", ["password-of-me"]) == "the password is not valid"


def test_masking_the_beginning_of_a_key_leaves_no_end_of_it() -> None:
    """Whatever order a set hands its members out in."""
    secret = "abcdefgh-0123456789-ijklmnop"
    assert redact(f"x {secret} y", [secret]) == "x *** y"


@pytest.mark.parametrize("provider", [Exa, Parallel, You])
def test_where_a_service_answers_without_a_key_is_no_key(provider: Any) -> None:
    """Its beginning is that of every address, which would be masked wherever one stands."""
    assert secrets_of(provider(api_key="key-0123456789abcdef")) == {"key-0123456789abcdef"}
