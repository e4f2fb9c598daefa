"""
Record a session to one file, and replay it offline: for tests, evaluations and bug reports.

One line of JSON per search and per page that was handed out, with how long it took; failures are recorded like
answers. Keys are masked before a line is written, and the file is its owner's alone: it holds what somebody searched
and read. A call that was not recorded is an error on replay, never a guess.
"""

import errno
import json
import os
import time
from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Any

from seekread import platforms
from seekread.calling.deadline import Deadline
from seekread.errors import AllFailed, Misconfigured, ProviderError, SeekreadError, Unreadable
from seekread.late import dataclass
from seekread.models import USUAL, Page, PageShape, SearchResponse
from seekread.options import Query
from seekread.provider import SearchProvider
from seekread.reading.snapshots import Read, Snapshots, kept_address
from seekread.redact import Secrets, redact_text
from seekread.searching.cache import Answering, Cache

FORMAT = "seekread-recording"
EDITION = 1


class NotRecorded(SeekreadError):
    """The call is not in the recording."""


@dataclass
class Recorder:
    """Writes what happens to a file."""

    path: Path
    secrets: Secrets = field(default_factory=Secrets)

    def begin(self) -> None:
        """Start a new recording."""
        try:
            self._add({"format": FORMAT, "edition": EDITION}, os.O_TRUNC)
            platforms.HERE.make_private(self.path)
        except OSError as error:
            if error.errno == errno.ELOOP:
                raise Misconfigured(f"the recording {str(self.path)!r} is a link: name the file itself") from None
            raise Misconfigured(f"the recording {str(self.path)!r} cannot be written: {error.strerror}") from None

    def search(self, query: Query, response: SearchResponse, *, failed: bool, seconds: float) -> None:
        """Record a search and its answer, or that nobody could answer."""
        self._write("search", query.model_dump(mode="json"), response.model_dump(mode="json"), failed, seconds)

    def page(self, url: str, page: Page | ProviderError, seconds: float, shape: PageShape = USUAL) -> None:
        """Record how a call ended: the whole page, from a reader or from the cache, or why there is none."""
        asked = page_asked(url, shape)
        if isinstance(page, Page):
            # On replay the page is read again, so it does not come from a cache.
            read = page.model_copy(update={"cached": False, "age_seconds": None})
            self._write("page", asked, read.with_markup(), False, seconds)
        else:
            problem = {"outcome": page.outcome, "error": str(page), "status": page.status}
            self._write("page", asked, problem, True, seconds)

    def _write(self, kind: str, asked: Any, answered: Any, failed: bool, seconds: float) -> None:
        entry = {
            "kind": kind,
            "at": round(time.time(), 3),
            "milliseconds": round(seconds * 1000),
            "asked": asked,
            "failed": failed,
            "answered": answered,
        }
        self._add(scrubbed(entry, self.secrets), os.O_APPEND)

    def _add(self, entry: Any, how: int) -> None:
        handle = platforms.open_private(self.path, how)
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(json.dumps(entry, ensure_ascii=False) + "\n")


@dataclass(frozen=True)
class RecordingCache:
    """Lets every search through to the cache behind it, and records it."""

    inner: Cache
    recorder: Recorder

    async def through(
        self,
        query: Query,
        chain: Sequence[SearchProvider],
        answer: Answering,
        *,
        deadline: Deadline,
        max_age: float | None = None,
    ) -> SearchResponse:
        started = time.monotonic()
        try:
            response = await self.inner.through(query, chain, answer, deadline=deadline, max_age=max_age)
        except AllFailed as error:
            self.recorder.search(query, error.response, failed=True, seconds=time.monotonic() - started)
            raise
        self.recorder.search(query, response, failed=False, seconds=time.monotonic() - started)
        return response

    async def kept(
        self,
        _query: Query,
        _chain: Sequence[SearchProvider],
        *,
        max_age: float | None = None,  # noqa: ARG002
    ) -> SearchResponse | None:
        """Nothing: every search goes `through`, where it is recorded."""
        return None

    def alone(self, owner: str = "") -> "RecordingCache":
        return replace(self, inner=self.inner.alone(owner))


@dataclass(frozen=True)
class RecordingPages:
    """The same for pages."""

    inner: Snapshots
    recorder: Recorder

    async def through(
        self,
        address: str,
        readers: Sequence[str],
        read: Read,
        *,
        deadline: Deadline,
        max_age: float | None = None,
        shape: PageShape = USUAL,
    ) -> Page:
        started = time.monotonic()
        try:
            page = await self.inner.through(address, readers, read, deadline=deadline, max_age=max_age, shape=shape)
        except ProviderError as error:
            self.recorder.page(address, error, time.monotonic() - started, shape)
            raise
        self.recorder.page(address, page, time.monotonic() - started, shape)
        return page

    def alone(self, owner: str = "") -> "RecordingPages":
        return replace(self, inner=self.inner.alone(owner))


@dataclass
class Replay:
    """
    What a recording holds.

    Equal calls are answered in the order they were recorded; the last answer of a call is given again and again.
    """

    path: Path
    _searches: dict[str, deque[dict[str, Any]]] = field(default_factory=lambda: defaultdict(deque))
    _pages: dict[str, deque[dict[str, Any]]] = field(default_factory=lambda: defaultdict(deque))

    @classmethod
    def load(cls, path: Path) -> "Replay":
        """Read a recording."""
        replay = cls(path)
        try:
            # Only "\n" ends a line: texts may hold other separators, such as U+2028.
            lines = path.read_text(encoding="utf-8").rstrip("\n").split("\n")
            if not lines[0] or json.loads(lines[0]).get("format") != FORMAT:
                raise Misconfigured(f"{str(path)!r} is not a recording of seekread")
            for line in lines[1:]:
                entry = json.loads(line)
                if entry["kind"] == "search":
                    replay._searches[search_key(entry["asked"])].append(entry)
                else:
                    replay._pages[page_key(entry["asked"])].append(entry)
        except OSError as error:
            raise Misconfigured(f"the recording {str(path)!r} cannot be read: {error.strerror}") from None
        except (ValueError, LookupError, TypeError, AttributeError):
            raise Misconfigured(f"the recording {str(path)!r} is damaged") from None
        return replay

    def search(self, query: Query) -> SearchResponse:
        """The recorded answer to a search."""
        entry = taken(self._searches, search_key(query.model_dump(mode="json")))
        if entry is None:
            raise NotRecorded(f"the search {query.text!r} with these options is not in the recording {self.path.name}")
        response = SearchResponse.model_validate(entry["answered"])
        if entry["failed"]:
            raise AllFailed(response)
        return response

    def page(self, address: str, shape: PageShape = USUAL) -> Page:
        """The recorded page."""
        entry = taken(self._pages, page_key(page_asked(address, shape)))
        if entry is None:
            raise NotRecorded(f"the page {address} is not in the recording {self.path.name}")
        answered = entry["answered"]
        if entry["failed"]:
            raise Unreadable(answered["outcome"], answered["error"], status=answered["status"])
        page = Page.model_validate(answered)
        if not page.markup.holds(shape):
            raise NotRecorded(f"the HTML of {address} is not in the recording {self.path.name}")
        return page


@dataclass(frozen=True)
class ReplayedSearches:
    """Answers searches from a recording, in the place of the cache."""

    replay: Replay

    async def through(
        self,
        query: Query,
        _chain: Sequence[SearchProvider],
        _answer: Answering,
        *,
        deadline: Deadline,  # noqa: ARG002
        max_age: float | None = None,  # noqa: ARG002
    ) -> SearchResponse:
        return self.replay.search(query)

    async def kept(
        self,
        _query: Query,
        _chain: Sequence[SearchProvider],
        *,
        max_age: float | None = None,  # noqa: ARG002
    ) -> SearchResponse | None:
        return None

    def alone(self, owner: str = "") -> "ReplayedSearches":  # noqa: ARG002
        return self


@dataclass(frozen=True)
class ReplayedPages:
    """Hands out pages of a recording, in the place of the cache; each is kept, so that its snapshot can be asked."""

    replay: Replay
    snapshots: Snapshots

    async def through(
        self,
        address: str,
        _readers: Sequence[str],
        _read: Read,
        *,
        deadline: Deadline,  # noqa: ARG002
        max_age: float | None = None,  # noqa: ARG002
        shape: PageShape = USUAL,
    ) -> Page:
        return await self.snapshots.keep(self.replay.page(address, shape), shape)

    def alone(self, owner: str = "") -> "ReplayedPages":
        return replace(self, snapshots=self.snapshots.alone(owner))


def page_asked(address: str, shape: PageShape) -> dict[str, str]:
    """A page as a recording names it."""
    return {"url": kept_address(address), **({"shape": shape.key} if shape.key else {})}


def page_key(asked: dict[str, str]) -> str:
    return f"{asked['url']} {asked.get('shape', '')}"


def taken(entries: dict[str, deque[dict[str, Any]]], key: str) -> dict[str, Any] | None:
    """The next recorded answer; the last one stays."""
    waiting = entries.get(key)
    if not waiting:
        return None
    return waiting.popleft() if len(waiting) > 1 else waiting[0]


def search_key(query: dict[str, Any]) -> str:
    """A search is known by what was asked, whoever answered it."""
    return json.dumps(query, sort_keys=True)


def scrubbed(value: Any, secrets: Secrets) -> Any:
    """The same value with every key in its texts masked."""
    match value:
        case str():
            return redact_text(value, secrets)
        case dict():
            return {name: scrubbed(item, secrets) for name, item in value.items()}
        case list() | tuple():
            return [scrubbed(item, secrets) for item in value]
        case _:
            return value
