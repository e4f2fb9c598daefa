"""Numbered plain text: what a model or a terminal reads, one entry per result."""

import re
from collections.abc import Sequence

from seekread.models import Page, SearchResponse, SearchResult
from seekread.page.invisible import one_line

CUT = " […]"
"""Marks the place where a text was cut."""
LINE_ENDS = re.compile("\r\n|[\r\v\f\x1c-\x1e\x85\u2028\u2029]")


def numbered(results: Sequence[SearchResult], *, length: int | None = None) -> str:
    """`1. Title — https://…`, the snippet indented below, a blank line between entries, none at the end."""
    return "\n\n".join(entry(number, result, length) for number, result in enumerate(results, start=1))


def entry(number: int, result: SearchResult, length: int | None) -> str:
    head = f"{number}. {one_line(result.title)} — {one_line(result.url)}"
    snippet = shortened(one_line(result.snippet), length)
    return f"{head}\n   {snippet}" if snippet else head


def to_text(response: SearchResponse, *, length: int | None = 1000) -> str:
    """A whole response as text: the answer, then the results with their dates."""
    parts = [f"Answer: {shortened(one_line(response.answer), length)}"] if response.answer else []
    parts += [dated(result, length) for result in response.results]
    if not response.results:
        parts.append(f"No results found for: {one_line(response.query)}")
    return "\n\n".join(parts)


def dated(result: SearchResult, length: int | None) -> str:
    head = f"[{result.citation_id}] {one_line(result.title)} — {one_line(result.url)}"
    facts = " · ".join(filter(None, (result.published_date, *result.flags)))
    lines = [head, *([f"    {facts}"] if facts else [])]
    if snippet := shortened(one_line(result.snippet), length):
        lines.append(f"    {snippet}")
    return "\n".join(lines)


def with_notes(text: str, notes: Sequence[str]) -> str:
    """A text, and below it what was not as asked for."""
    return "\n\n".join([text, *(["\n".join(f"Note: {one_line(note)}" for note in notes)] if notes else [])])


def page_to_text(page: Page) -> str:
    """A page that was read: its title and address, its content, and where to go on when it was cut."""
    title = f"# {one_line(page.title)}" if page.title else ""
    # Most pages begin with their title anyway.
    repeated = page.content.lstrip().partition("\n")[0].strip() == title
    head = "\n".join(filter(None, ("" if repeated else title, page.final_url or page.url)))
    return "\n\n".join(filter(None, (head, page.content, continuation(page))))


def continuation(page: Page) -> str:
    """What a model is told about a page of which it sees only a part."""
    if not page.truncated:
        return ""
    seen = f"characters {page.offset} to {page.offset + page.content_length}"
    whole = f" of {page.original_length}" if page.original_length is not None else ""
    more = f" Go on with offset={page.next_offset}." if page.next_offset is not None else ""
    return f"[Truncated: {seen}{whole}.{more}]"


def plain_lines(text: str) -> str:
    """Text in which every line ends with a line feed, whatever ended it before."""
    return LINE_ENDS.sub("\n", text)


def shortened(text: str, length: int | None) -> str:
    """Cut at a word and mark the cut."""
    if length is None or len(text) <= length:
        return text
    return text[:length].rsplit(" ", 1)[0].rstrip(" .,;:") + CUT
