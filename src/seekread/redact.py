"""
Keep keys out of text: known values in the encodings they travel in, and shapes that keys have.

Used where errors are built, where logs are written and where recordings are stored.
"""

import base64
import logging
import re
from collections.abc import Iterable, Iterator
from urllib.parse import quote, quote_plus

MASK = "***"
ESCAPE = re.compile("%[0-9A-F]{2}")

KEY_SHAPES = re.compile(
    r"""
    \b(?:tvly|sk|pplx|jina|fc|BSA|xai|ghp|gho|ghs|glpat|xox[abp])[-_]?[A-Za-z0-9][A-Za-z0-9_-]{15,}
  | \bgithub_pat_[A-Za-z0-9_]{20,}
  | \bAKIA[0-9A-Z]{16}\b
  | \bAIza[0-9A-Za-z_-]{30,}
  | \beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}
  | -----BEGIN\ [A-Z ]*PRIVATE\ KEY-----
    """,
    re.VERBOSE,
)
"""Strings that are almost certainly somebody's key."""

NAMED = re.compile(
    r"""(?ix)
    ( (?:api[-_]?key|apikey|access[-_]?token|subscription[-_]?key|subscription[-_]?token|token|secret|password|sig
        |signature|x-amz-[a-z-]+|authorization|(?<=[?&])key)
      ["']? \s* [=:] \s* ["']? (?:bearer\s+|basic\s+)? )
    [^\s"'&,;}{)\]]{6,}
    """
)
"""A name that announces a key, followed by its value."""


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """Mask the given secrets, in every encoding they travel in, and everything that looks like a key."""
    for secret in secrets:
        # The longest first: masking a beginning would leave the end to be read.
        for form in sorted(spellings(secret), key=len, reverse=True):
            text = text.replace(form, MASK)
    return NAMED.sub(rf"\1{MASK}", KEY_SHAPES.sub(MASK, text))


def spellings(secret: str) -> set[str]:
    """The forms in which a secret can show up: plain, percent-encoded, base64, escaped."""
    if len(secret) < 4:
        return set()
    raw = secret.encode()
    escaped = {quote(secret, safe=""), quote_plus(secret)}
    forms = {secret, repr(secret)[1:-1], raw.hex(), raw.hex().upper()} | escaped
    forms |= {ESCAPE.sub(lambda match: match[0].lower(), form) for form in escaped}
    forms |= {base64.b64encode(raw).decode().rstrip("="), base64.urlsafe_b64encode(raw).decode().rstrip("=")}
    if len(secret) >= 16:
        forms.add(secret[:8])
    return forms


class Secrets:
    """The keys that are known so far, for comparing only. Whoever is built later brings its own."""

    def __init__(self, *keys: str) -> None:
        self._keys = set(keys)
        self._forms: frozenset[str] | None = None

    def add(self, keys: Iterable[str]) -> None:
        """Learn of more keys."""
        self._keys.update(keys)
        self._forms = None

    def forms(self) -> frozenset[str]:
        """Every spelling of every key, in lower case."""
        if self._forms is None:
            self._forms = frozenset(form.casefold() for key in self._keys for form in spellings(key))
        return self._forms

    def __iter__(self) -> Iterator[str]:
        return iter(tuple(self._keys))

    def __repr__(self) -> str:
        return f"<{len(self._keys)} secrets>"


class RedactingFilter(logging.Filter):
    """A logging filter that masks keys in a record, its arguments and its traceback."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        super().__init__()
        self.secrets = secrets

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = redact(record.getMessage(), self.secrets), None
        if record.exc_info:
            record.exc_text = redact(logging.Formatter().formatException(record.exc_info), self.secrets)
            record.exc_info = None
        return True
