"""`page_lookup`: outline, section, find, passages and quote on a page that was read, without fetching it again."""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NamedTuple

import anyio.to_thread

from seekread.arguments import read_arguments
from seekread.errors import InvalidQuery, Unreadable
from seekread.late import dataclass
from seekread.models import estimated_tokens
from seekread.options import USUAL_ANSWER
from seekread.page.fence import fence
from seekread.page.gate import gated, link_text, shown_address, unspoken
from seekread.page.invisible import one_line
from seekread.page.window import window
from seekread.render.pages import source_of_page
from seekread.render.quotation import not_there
from seekread.toolkit.answer import Budget, ToolAnswer
from seekread.toolkit.definitions import PAGE_LOOKUP

if TYPE_CHECKING:
    from seekread.client import Seekread
    from seekread.page.snapshot import Snapshot

USUAL_LENGTH = 10_000
USUAL_LENGTHS = {"passages": USUAL_ANSWER}
"""Characters of an answer, unless a call asks for another number."""
HEAD_TOKENS = 200
"""Kept free for where the page is from and what was left out."""
LEAST_READ = 200
"""Characters of a page that is read only to be looked into."""


@dataclass(frozen=True)
class Room:
    """How much an answer may hold, in characters and in estimated tokens."""

    length: int
    tokens: int


async def page_lookup(web: "Seekread", given: Mapping[str, Any], budget: Budget) -> ToolAnswer:
    """Answer from a snapshot; a page that is given by its address is read first."""
    options = read_arguments(given, PAGE_LOOKUP.takes)
    action, text, length = options["action"], options.get("text") or "", options.get("max_length")
    if not text and action != "outline":
        raise InvalidQuery(f"text is required for {action}: send a heading, a text, a question or a quotation")
    snapshot = await kept(web, options["page"])
    tokens = budget.tokens(length)
    room = Room(min(length or USUAL_LENGTHS.get(action, USUAL_LENGTH), 4 * tokens), tokens - HEAD_TOKENS)
    # A long page takes a while, which other clients must not notice.
    looked = await anyio.to_thread.run_sync(LOOKS[action], snapshot, text, room)
    body, notes = within(looked.lines, room)
    url = one_line(snapshot.page.final_url or snapshot.page.url)
    source = source_of_page(snapshot.page)
    # One that the store could not keep has no handle to come back with.
    handle = snapshot.page.snapshot or ""
    told = fence("\n".join(body), source=source + (f" · snapshot {handle}" if handle else ""))
    values = {"url": url, "snapshot": handle, "found": looked.rows[: len(body)]}
    values["notes"] = [*looked.remarks, *notes]
    return ToolAnswer("\n\n".join(filter(None, (told, "\n".join(notes)))), values, pages=(snapshot.page,))


async def kept(web: "Seekread", asked: str) -> "Snapshot":
    """The snapshot of a handle, of a resource's address, or of a page's address."""
    handle = asked.removeprefix("page://")
    if ":" not in handle and "." not in handle:
        return await web.snapshot(handle)
    page = await web.open_page(asked, max_length=LEAST_READ)
    if not page.success:
        raise Unreadable(page.outcome, page.error or page.outcome, status=page.status)
    from seekread.client import snapshot_of

    return await snapshot_of(web, page)


class LookupResult(NamedTuple):
    """Lines for the model, a row of values for each, and what the lines say that belongs to no row."""

    lines: list[str]
    rows: list[dict[str, Any]]
    remarks: tuple[str, ...] = ()


def headings(snapshot: "Snapshot", _text: str, _room: Room) -> LookupResult:
    outline = snapshot.outline()
    lines = [
        f"{'  ' * (h.level - 1)}{h.number} {unspoken(h.title)} (offset {h.offset}, {h.length} characters)"
        for h in outline
    ]
    rows = [{"number": h.number, "title": h.title, "offset": h.offset, "length": h.length} for h in outline]
    return LookupResult(lines or ["The page has no headings."], rows)


def section(snapshot: "Snapshot", text: str, room: Room) -> LookupResult:
    content = snapshot.section(text)
    if content is None:
        raise InvalidQuery(snapshot.missing_section(text))
    cut = window(content, 0, room.length)
    while cut.tokens > room.tokens:
        cut = window(content, 0, max(1, len(cut.content) * room.tokens // cut.tokens - 1))
    more = f"\n[The section has {cut.total} characters; open_page with this section and offset={cut.end} goes on.]"
    return LookupResult(
        [cut.content + (more if cut.truncated else "")], [{"title": text, "text": cut.content, "length": cut.total}]
    )


def places(snapshot: "Snapshot", text: str, _room: Room) -> LookupResult:
    matches = snapshot.find(text)
    lines = [f"{m.offset}: {unspoken(one_line(m.before + m.match + m.after))}" for m in matches]
    return LookupResult(
        lines or [f"Not there: the page does not contain {text!r}."], [asdict(match) for match in matches]
    )


def passages(snapshot: "Snapshot", text: str, room: Room) -> LookupResult:
    chosen = snapshot.passages(text, budget=room.length)
    if not chosen.passages:
        return LookupResult([f"Nothing on this page answers {text!r}."], [], ("Nothing on this page answers this.",))
    rows = [{"offset": p.offset, "heading": p.heading, "text": p.text} for p in chosen.passages]
    lines = [f"{p.offset}: {f'[{link_text(p.heading)}] ' if p.heading else ''}{p.text}" for p in chosen.passages]
    # A passage may begin in the middle of code, which then is none.
    return LookupResult([gated(line).text for line in lines], rows)


def quotation(snapshot: "Snapshot", text: str, _room: Room) -> LookupResult:
    checked = snapshot.check_quote(text)
    citation = checked.citation
    if citation is None:
        words = f"{not_there(checked)}\nDo not present it as a quotation from this page."
        return LookupResult([words], [], checked.differences)
    words = (
        f"{citation.kind} at {citation.start} to {citation.end}: {unspoken(citation.text)}"
        f"\nCite: {shown_address(citation.link)}"
    )
    return LookupResult([words], [citation.model_dump(mode="json")])


LOOKS: dict[str, Callable[["Snapshot", str, Room], LookupResult]] = {
    "outline": headings, "section": section, "find": places, "passages": passages, "quote": quotation,
}  # fmt: skip


def within(lines: list[str], room: Room) -> tuple[list[str], list[str]]:
    """As many lines as fit, the first in any case, and a note about those that do not."""
    shown: list[str] = []
    for line in lines:
        so_far = "\n".join([*shown, line])
        if shown and (len(so_far) > room.length or estimated_tokens(so_far) > room.tokens):
            return shown, [f"{len(lines) - len(shown)} more are left out; raise max_length or ask more narrowly."]
        shown.append(line)
    return shown, []
