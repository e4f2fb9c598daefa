"""Memory that outlives a call: the store's backends, and what is built on them."""

from pathlib import Path
from urllib.parse import unquote, urlsplit

from seekread.errors import Misconfigured
from seekread.ports import Clock, Store

MAX_BYTES = 256 * 1024 * 1024
"""Bytes of values a store keeps before it forgets what was not used for longest."""

FILES = {"", "sqlite", "file"}
"""Schemes that name a file."""


def open_store(url: str | None, *, clock: Clock, max_bytes: int = MAX_BYTES, strict: bool = False) -> Store:
    """
    The store a URL names: `memory:` (also `None`), a path or `sqlite:///path`, `redis://…`, `rediss://…`, `unix://…`.

    Nothing is opened before it is used. With `strict`, a failing backend raises `StoreUnavailable` for values too,
    instead of missing.
    """
    scheme = _scheme(url)
    if url is None or scheme == "memory":
        from seekread.state.memory import MemoryStore

        return MemoryStore(clock=clock, max_bytes=max_bytes)
    if scheme in {"redis", "rediss", "unix"}:
        from seekread.state.redis import RedisStore

        return RedisStore(url, clock=clock, strict=strict)
    if scheme not in FILES:
        raise Misconfigured(
            f"there is no store for {scheme!r}: use memory:, a path, sqlite:///path or redis://host:port/0"
        )
    from seekread.state.sqlite import SqliteStore

    return SqliteStore(_path(url), clock=clock, max_bytes=max_bytes, strict=strict)


def damaged_beside(url: str) -> list[Path]:
    """The damaged files that were moved aside in favour of the one a URL names, the oldest first."""
    if _scheme(url) not in FILES:
        return []
    from seekread.state.rescue import damaged_files

    return damaged_files(_path(url))


def _scheme(url: str | None) -> str:
    return urlsplit(url).scheme if url and ":" in url and not Path(url).drive else ""


def _path(url: str) -> Path:
    """The file of `sqlite:///relative`, `sqlite:////absolute`, `file:///absolute` or a plain path."""
    if url.startswith("sqlite:"):
        path = unquote(url.removeprefix("sqlite:").removeprefix("///"))
    elif url.startswith("file:"):
        path = unquote(urlsplit(url).path)
    else:
        path = url
    if not path.strip("/"):
        raise Misconfigured(f"the store {url!r} names no file: use a path such as ~/.cache/seekread/store.db")
    return Path(path).expanduser()
