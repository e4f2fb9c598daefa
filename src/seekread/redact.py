"""
Keep keys out of text: known values in the encodings they travel in, and shapes that keys have.

Used where errors are built, where logs are written and where recordings are stored.
"""

import base64
import logging
import re
import sys
from collections.abc import Iterable, Iterator
from typing import ClassVar
from urllib.parse import quote, quote_plus, unquote
from weakref import WeakSet

from seekread.printable import on_a_line, shown

MASK = "***"
ESCAPE = re.compile("%[0-9A-F]{2}")

NAMED = re.compile(
    r"""(?ix)
    ( (?:api[-_]?key|apikey|access[-_]?token|subscription[-_]?key|subscription[-_]?token|token|secret|password|sig
        |signature|x-amz-[a-z-]+|authorization|(?<=[?&])key)
      ["']? \s* [=:] \s* ["']? (?:bearer\s+|basic\s+)? )
    ([^\s"'&,;}{)\]]{6,})
    """
)
"""A name that announces a key, followed by its value."""
OPAQUE = re.compile(r"[A-Za-z][^A-Za-z]*[0-9]|[0-9][^0-9]*[A-Za-z]")
"""Letters and digits in one piece, as no word has them."""
CREDENTIALS = re.compile(r"(?<=://)[^\s/?#\"'<>]+@")
"""The user name and password in an address."""
LOGIN = re.compile(r"(?:[a-z][a-z0-9+.-]*://)?([^\s:@/]*):(\S+)@[^\s@]*", re.IGNORECASE)
"""The same in a setting that is nothing but an address: a password may hold any character, so the last `@` counts."""
ANNOUNCED = re.compile(r"key(?!less)|token|secret|password|passphrase|credential|authorization", re.IGNORECASE)
"""The name of a setting, a field or a header that holds a secret."""


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """Mask the given secrets in every encoding they travel in, what looks like a key, and what is announced as one."""
    for secret in secrets:
        # The longest first: masking a beginning would leave the end to be read.
        for form in sorted({*spellings(secret), *beginning(secret)}, key=len, reverse=True):
            text = text.replace(form, MASK)
    return NAMED.sub(rf"\1{MASK}", CREDENTIALS.sub(f"{MASK}@", without_keys(text)))


def redact_text(text: str, secrets: Iterable[str] = ()) -> str:
    """The same for what people wrote: words that only stand where a key might are left alone."""
    for secret in secrets:
        opaque = filter(OPAQUE.search, beginning(secret))
        for form in sorted({*spellings(secret), *opaque}, key=len, reverse=True):
            text = text.replace(form, MASK)
    return NAMED.sub(lambda found: f"{found[1]}{MASK}" if OPAQUE.search(found[2]) else found[0], without_keys(text))


def without_keys(text: str) -> str:
    """A text in which everything that has the shape of a key is masked."""
    from seekread.key_shapes import keys_in

    at, kept = 0, []
    for start, end in keys_in(text):
        kept += [text[at:start], MASK]
        at = end
    return "".join([*kept, text[at:]])


def spellings(secret: str) -> set[str]:
    """The forms in which a secret can show up: plain, percent-encoded, base64, escaped."""
    if len(secret) < 4:
        return set()
    raw = secret.encode()
    escaped = {quote(secret, safe=""), quote_plus(secret)}
    forms = {secret, repr(secret)[1:-1], raw.hex(), raw.hex().upper()} | escaped
    forms |= {ESCAPE.sub(lambda match: match[0].lower(), form) for form in escaped}
    forms |= {base64.b64encode(raw).decode().rstrip("="), base64.urlsafe_b64encode(raw).decode().rstrip("=")}
    return forms


def beginning(secret: str) -> tuple[str, ...]:
    """The first characters of a long secret, which services like to repeat."""
    return (secret[:8],) if len(secret) >= 16 else ()


def passwords_in(address: str) -> Iterator[str]:
    """The password in an address, as it stands there and decoded, alone and with the name that logs in by it."""
    if found := LOGIN.match(address):
        for name, password in {(found[1], found[2]), (unquote(found[1]), unquote(found[2]))}:
            yield password
            yield f"{name}:{password}"


class Secrets:
    """The keys that are known so far, for comparing only. Whoever is built later brings its own."""

    _living: ClassVar["WeakSet[Secrets]"] = WeakSet()

    def __init__(self, *keys: str) -> None:
        self._keys = frozenset(keys)
        self._living.add(self)

    def add(self, keys: Iterable[str]) -> None:
        """Learn of more keys."""
        self._keys |= frozenset(keys)

    def keys(self) -> frozenset[str]:
        """All of them."""
        return self._keys

    @classmethod
    def everywhere(cls) -> frozenset[str]:
        """The keys anybody in this process knows of: a log has no owner."""
        return frozenset().union(*(secrets.keys() for secrets in tuple(cls._living)))

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __repr__(self) -> str:
        return f"<{len(self._keys)} secrets>"


class RedactingFilter(logging.Filter):
    """A logging filter that masks keys in a record, its arguments and its traceback: the given and all known ones."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        super().__init__()
        self.secrets = secrets

    def filter(self, record: logging.LogRecord) -> bool:
        secrets = {*self.secrets, *Secrets.everywhere()}
        record.msg, record.args = redact(record.getMessage(), secrets), None
        if record.exc_info:
            record.exc_text = redact(logging.Formatter().formatException(record.exc_info), secrets)
            record.exc_info = None
        return True


class LineFormatter(logging.Formatter):
    """Keeps a message on its line, so that nothing it repeats can pose as another message; tracebacks have lines."""

    def format(self, record: logging.LogRecord) -> str:
        return shown(super().format(record))

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the name is logging's
        return on_a_line(super().formatMessage(record))


def log_to_stderr(level: int = logging.WARNING, secrets: Iterable[str] = ()) -> None:
    """Send logs to stderr, where they disturb no protocol and no pipe, unless somebody arranged otherwise before."""
    handler = logging.StreamHandler(sys.stderr)
    # Some loggers have a level of their own.
    handler.setLevel(level)
    handler.setFormatter(LineFormatter("%(levelname)s %(name)s: %(message)s"))
    handler.addFilter(RedactingFilter(secrets))
    logging.basicConfig(level=level, handlers=[handler])
