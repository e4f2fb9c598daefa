"""
Who may use the service: tokens, kept as hashes in a file only its owner can read.

A token is 32 random bytes, so one round of SHA-256 hides it as well as any slow hash would. The file is read again
when it changes: a token that was revoked stops working at once, in every worker.
"""

import contextlib
import hashlib
import hmac
import json
import os
import secrets
import tempfile
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from seekread.errors import InvalidQuery, Misconfigured
from seekread.platforms import private_folder

PREFIX = "skr_"
"""How a token of ours begins, so that it can be told from another service's key and found by secret scanners."""
SHORTEST = 16


class Token(BaseModel):
    """What is known of a token: everything but the token."""

    model_config = ConfigDict(frozen=True)

    name: str
    sha256: str
    created: str = ""
    per_minute: int | None = None
    max_concurrent: int | None = None
    daily_calls: int | None = None
    daily_dollars: float | None = None

    @property
    def id(self) -> str:
        """A short name for sessions and counters."""
        return self.sha256[:12]


STORED = TypeAdapter(list[Token])


class Tokens:
    """The tokens of a file, if there is one, and those given in the clear."""

    def __init__(self, file: Path | None, given: Iterable[str] = ()) -> None:
        self._file = file
        self._given = tuple(Token(name=f"given-{hashed(text)[:8]}", sha256=hashed(text)) for text in given)
        self._read: tuple[tuple[int, int], tuple[Token, ...]] = ((-1, -1), ())

    def all(self) -> tuple[Token, ...]:
        """Every token that is valid now."""
        return (*self._given, *self._stored())

    def find(self, text: str) -> Token | None:
        """The token somebody sent, if it is valid. How long the search takes tells nothing about it."""
        wanted = hashed(text)
        found = [token for token in self.all() if hmac.compare_digest(token.sha256, wanted)]
        return found[0] if found else None

    @property
    def advice(self) -> str:
        """How to come by a token."""
        return "`seekread token create NAME` makes one" if self._file else "whoever runs this server knows it"

    def create(
        self,
        name: str,
        *,
        per_minute: int | None = None,
        max_concurrent: int | None = None,
        daily_calls: int | None = None,
        daily_dollars: float | None = None,
    ) -> str:
        """Make a token and keep its hash; the token itself is returned here and never again."""
        if not name.strip():
            raise InvalidQuery("a token needs a name, such as that of the program that will use it")
        if any(token.name == name for token in self._stored()):
            raise InvalidQuery(f"there is a token named {name!r} already: choose another name or revoke it first")
        text = PREFIX + secrets.token_urlsafe(32)
        token = Token(
            name=name,
            sha256=hashed(text),
            created=f"{datetime.now(UTC):%Y-%m-%d}",
            per_minute=per_minute,
            max_concurrent=max_concurrent,
            daily_calls=daily_calls,
            daily_dollars=daily_dollars,
        )
        self._write([*self._stored(), token])
        return text

    def revoke(self, name: str) -> None:
        """Make a token invalid."""
        left = [token for token in self._stored() if token.name != name]
        if len(left) == len(self._stored()):
            known = ", ".join(token.name for token in left) or "none"
            raise InvalidQuery(f"there is no token named {name!r}; there are {known}")
        self._write(left)

    def _stored(self) -> tuple[Token, ...]:
        if self._file is None:
            return ()
        try:
            about = self._file.stat()
        except OSError:
            return ()
        version = (about.st_mtime_ns, about.st_ino)
        if version != self._read[0]:
            try:
                self._read = (version, tuple(STORED.validate_json(self._file.read_bytes())))
            except (OSError, ValidationError):
                raise Misconfigured(f"the tokens in {self._file} cannot be read") from None
        return self._read[1]

    def _write(self, tokens: list[Token]) -> None:
        """Replace the file in one step; it is never readable by others, not even for a moment."""
        if self._file is None:
            raise Misconfigured("there is no file to keep tokens in")
        private_folder(self._file.parent)
        handle, temporary = tempfile.mkstemp(dir=self._file.parent, prefix=".tokens-")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump([token.model_dump(exclude_none=True) for token in tokens], file, indent=2)
            Path(temporary).replace(self._file)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(temporary).unlink()
            raise


def hashed(text: str) -> str:
    """What is kept of a token."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def token_file(state_folder: Path) -> Path:
    """Where tokens are kept."""
    return state_folder / "tokens.json"


def given_tokens(path: str | Path | None) -> tuple[str, ...]:
    """The tokens of a secrets file, one per line, such as a container is given."""
    if path is None:
        return ()
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        raise Misconfigured(f"the token file {str(path)!r} cannot be read") from None
    found = tuple(line.strip() for line in lines if line.strip())
    if not found:
        raise Misconfigured(f"the token file {str(path)!r} holds no token: put one on a line of its own")
    for text in found:
        check_length(text, f"a token in {str(path)!r}")
    return found


def check_length(token: str, which: str) -> None:
    """Refuse a token that could be guessed."""
    if len(token) < SHORTEST:
        raise Misconfigured(f"{which} has {len(token)} characters; use at least {SHORTEST}, random ones")
