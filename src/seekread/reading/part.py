"""Step 7, part: of a whole page what is wanted, with exact counts and how to go on."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import anyio.to_thread

from seekread.arguments import read_arguments
from seekread.errors import InvalidQuery
from seekread.late import dataclass
from seekread.models import USUAL, Page, PageShape, Signal, estimated_tokens
from seekread.options import OPEN, USUAL_ANSWER, LinkStyle
from seekread.page.link_styles import restyled
from seekread.page.snapshot import Snapshot
from seekread.page.window import footer, window

UNANSWERED = "unanswered"
"""The kind of the signal that a page has nothing to say about a question."""
LONG = 50_000
"""Characters of a page on which work leaves the event loop."""


@dataclass(frozen=True)
class Wanted:
    """Which part of a page is wanted: from an offset, a section, or the passages that answer a question."""

    max_length: int = 15_000
    offset: int = 0
    query: str | None = None
    section: str | None = None
    links: LinkStyle = "inline"
    max_age: float | None = None
    shape: PageShape = USUAL


PART = {wanted.name: OPEN[wanted.name] for wanted in fields(Wanted) if wanted.name in OPEN}
"""The options that say which part."""


def to_wanted(options: Mapping[str, Any], *, usual_length: int) -> Wanted:
    """Which part is wanted, out of options however they are written."""
    asked = read_arguments(options, PART)
    usual = min(usual_length, USUAL_ANSWER) if asked.get("query") else usual_length
    return Wanted(**{"max_length": usual, **asked})


async def take(page: Page, wanted: Wanted) -> Page:
    """The part that is wanted; on a long page finding it takes a while, which is not the event loop's business."""
    if len(page.content) < LONG:
        return part_of(page, wanted)
    return await anyio.to_thread.run_sync(part_of, page, wanted)


def part_of(page: Page, wanted: Wanted) -> Page:
    """The part of a page that is wanted, its links written as they are wanted."""
    part = chosen_part(page, wanted)
    shown = restyled(part.content, wanted.links, wanted.max_length)
    if not shown.links:
        return part
    listed = f"{shown.listed} of them are listed below the text" if shown.listed else "links=inline writes them"
    note = f"{shown.links} addresses of links were left out of the text; {listed}. Offsets count them."
    return part.model_copy(
        update={
            "content": shown.text,
            "content_length": len(shown.text),
            "tokens": estimated_tokens(shown.text),
            "notes": (*part.notes, note),
        }
    )


def chosen_part(page: Page, wanted: Wanted) -> Page:
    """The part of a page that is wanted, as it stands there."""
    snapshot = Snapshot(page)
    if wanted.query:
        return answering_part(snapshot, wanted.query, wanted.max_length)
    if wanted.section:
        text = snapshot.section(wanted.section)
        if text is None:
            raise InvalidQuery(snapshot.missing_section(wanted.section))
        return window_of(page, text, wanted, "section")
    return window_of(page, page.content, wanted, "page")


def answering_part(snapshot: Snapshot, query: str, budget: int) -> Page:
    """The passages of a page that answer a question; where there are none, a note and a signal say so."""
    page, found = snapshot.page, snapshot.passages(query, budget=budget)
    several = "" if len(found.passages) == 1 else "s"
    note = f"{len(found.passages)} passage{several} for the question out of {found.total:,} characters."
    silent: tuple[Signal, ...] = ()
    if not found.passages:
        note = f"Nothing on this page answers the question; it has {found.total:,} characters."
        silent = (Signal(kind=UNANSWERED, detail="no part of the page has to do with the question"),)
    return page.model_copy(
        update={
            "content": found.content,
            "content_length": len(found.content),
            "tokens": estimated_tokens(found.content),
            "truncated": len(found.content) < (page.original_length or 0),
            "signals": (*page.signals, *silent),
            "notes": (*page.notes, note),
        }
    )


def window_of(page: Page, text: str, wanted: Wanted, noun: str) -> Page:
    """A window of the page or of one of its sections."""
    cut = window(text, wanted.offset, wanted.max_length)
    return page.model_copy(
        update={
            "content": cut.content,
            "content_length": len(cut.content),
            "offset": cut.offset,
            "truncated": page.truncated or len(cut.content) < len(page.content),
            "next_offset": cut.next_offset,
            "tokens": cut.tokens,
            "notes": (*page.notes, footer(cut, noun=noun)),
        }
    )
