"""
The frames a worker process and its parent exchange: two lengths, a JSON head, raw bytes.

Nothing is ever unpickled, and the parent checks every field: a worker that a hostile page took over
can answer with wrong text, and with nothing worse.
"""

import json
import struct
from itertools import accumulate, pairwise
from typing import Any, get_args

from seekread.extraction.extracted import Extracted
from seekread.extraction.options import ExtractOptions
from seekread.late import dataclass
from seekread.models import Link, PageHtml, PageShape, Signal
from seekread.outcomes import Outcome

LENGTHS = struct.Struct(">II")
MAX_HEAD = 8 * 1024 * 1024
MAX_BODY = 32 * 1024 * 1024
MEMORY = 1024**3
"""Bytes a worker may hold, libraries included."""
OUT_OF_MEMORY = 71
"""The exit code of a worker that ran out of memory where it could not say so."""
NO_MEMORY = "out of memory"
"""What a worker says that could."""
TEXTS = 3
"""What a body is made of: Markdown, HTML and source."""
OUTCOMES: frozenset[str] = frozenset(get_args(Outcome))


class BadFrame(Exception):
    """A frame that is not as agreed."""


@dataclass(frozen=True)
class Task:
    """One document to read, and the CPU seconds that may be spent on it."""

    content_type: str
    url: str
    cpu_seconds: float
    options: ExtractOptions


@dataclass(frozen=True)
class TaskResult:
    """What a worker made of a task. `failed` names a crash; `retire` says that the worker ends after this result."""

    extracted: Extracted | None
    failed: str = ""
    retire: bool = False


def lengths_of(prefix: bytes) -> tuple[int, int]:
    """The lengths of head and body a prefix announces, checked."""
    head, body = LENGTHS.unpack(prefix)
    if head > MAX_HEAD or body > MAX_BODY:
        raise BadFrame(f"a frame of {head + body} bytes")
    return head, body


def pack(head: dict[str, Any], body_length: int) -> bytes:
    """Everything of a frame but its body."""
    # Lone surrogates come from escapes in JSON documents; they cannot be encoded.
    encoded = json.dumps(head, ensure_ascii=False).encode("utf-8", "replace")
    return LENGTHS.pack(len(encoded), body_length) + encoded


def pack_task(task: Task, body_length: int) -> bytes:
    options = {**vars(task.options), "shape": vars(task.options.shape)}
    return pack({**vars(task), "options": options}, body_length)


def unpack_task(head: bytes) -> Task:
    fields = json.loads(head)
    given = fields["options"]["shape"].items()
    shape: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in given}
    return Task(**{**fields, "options": ExtractOptions(**{**fields["options"], "shape": PageShape(**shape)})})


def pack_result(result: TaskResult) -> tuple[bytes, bytes]:
    """The head and the body of a result's frame; the body is the Markdown, and the HTML behind it."""
    extracted = result.extracted or Extracted()
    texts = [extracted.markdown, extracted.markup.html, extracted.markup.source]
    body = [text.encode("utf-8", "replace") for text in texts]
    head = {
        "lengths": [len(text) for text in body],
        "failed": result.failed,
        "retire": result.retire,
        "title": extracted.title,
        "metadata": extracted.metadata,
        "links": [[link.text, link.url] for link in extracted.links],
        "signals": [[signal.kind, signal.count, signal.detail] for signal in extracted.signals],
        "outcome": extracted.outcome,
        "error": extracted.error,
    }
    return pack(head, sum(map(len, body))), b"".join(body)


def unpack_result(head: bytes, body: bytes) -> TaskResult:
    """Read a result; anything unexpected in it is a `BadFrame`."""
    try:
        fields = json.loads(head)
        if fields["failed"]:
            return TaskResult(None, str(fields["failed"])[:200], retire=True)
        if fields["outcome"] not in OUTCOMES:
            raise BadFrame(f"unknown outcome {fields['outcome']!r}")
        markdown, html, source = parted(body, fields["lengths"])
        extracted = Extracted(
            markdown=markdown,
            markup=PageHtml(html=html, source=source),
            title=str(fields["title"]),
            metadata={str(key): str(value) for key, value in fields["metadata"].items()},
            links=tuple(Link(text=text, url=url) for text, url in fields["links"]),
            signals=tuple(Signal(kind=kind, count=count, detail=detail) for kind, count, detail in fields["signals"]),
            outcome=fields["outcome"],
            error=str(fields["error"]),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadFrame(type(error).__name__) from error
    return TaskResult(extracted, retire=bool(fields["retire"]))


def parted(body: bytes, lengths: list[int]) -> list[str]:
    """The texts a body is made of."""
    ends = [*accumulate(lengths)]
    if len(lengths) != TEXTS or min(lengths) < 0 or ends[-1] != len(body):
        raise BadFrame(f"texts of {lengths} bytes in a body of {len(body)}")
    return [body[start:end].decode("utf-8") for start, end in pairwise([0, *ends])]
