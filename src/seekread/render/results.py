"""
What a search found: as numbered text and as Markdown.

term2 parses its Markdown back, byte for byte.
"""

from collections.abc import Sequence

from seekread.models import SearchResponse, SearchResult
from seekread.page.gate import link_text, unspoken
from seekread.page.invisible import one_line
from seekread.render.inline import harmless, link_target, shortened


def numbered(results: Sequence[SearchResult], *, length: int | None = None) -> str:
    """`1. Title — https://…`, the snippet indented below, a blank line between entries, none at the end."""
    return "\n\n".join(entry(number, result, length) for number, result in enumerate(results, start=1))


def entry(number: int, result: SearchResult, length: int | None) -> str:
    head = f"{number}. {one_line(result.title)} — {one_line(result.url)}"
    snippet = shortened(one_line(result.snippet), length)
    return f"{head}\n   {snippet}" if snippet else head


def results_text(response: SearchResponse, *, length: int | None = 1000) -> str:
    """A whole response as text: the answer, then the results with their dates."""
    parts = [f"Answer: {shortened(one_line(response.answer), length)}"] if response.answer else []
    parts += [dated(result, length) for result in response.results]
    if not response.results:
        parts.append(f"No results found for: {one_line(response.query)}")
    return "\n\n".join(parts)


def dated(result: SearchResult, length: int | None) -> str:
    text = f"[{result.citation_id}] {one_line(result.title)} — {one_line(result.url)}"
    if facts := " · ".join(filter(None, (result.published_date, *result.flags))):
        text += f"\n    {facts}"
    if snippet := shortened(one_line(result.snippet), length):
        text += f"\n    {snippet}"
    return text


def with_notes(text: str, notes: Sequence[str]) -> str:
    """A text, and below it what was not as asked for."""
    return "\n\n".join([text, *(["\n".join(f"Note: {one_line(note)}" for note in notes)] if notes else [])])


def results_markdown(response: SearchResponse, *, length: int | None = 1000) -> str:
    """A response as Markdown with numbered citations and links."""
    parts = [f"> {unspoken(shortened(one_line(response.answer), length))}"] if response.answer else []
    for result in response.results:
        facts = " · ".join(filter(None, (result.source, result.published_date, *result.flags)))
        title, target = link_text(one_line(result.title)), link_target(one_line(result.url))
        lines = [f"**[{result.citation_id}]** [{title}]({target})", unspoken(one_line(facts))]
        if snippet := shortened(one_line(result.snippet), length):
            lines.append(harmless(unspoken(snippet)))
        parts.append("  \n".join(filter(None, lines)))
    if not response.results:
        parts.append(f"No results found for: {unspoken(one_line(response.query))}")
    return "\n\n".join(parts) + "\n"


def term2_markdown(response: SearchResponse, *, length: int | None = None) -> str:
    """The Markdown term2 shows and parses, byte for byte; contents are cut only where a length is given."""
    parts: list[str] = []
    if response.answer:
        parts += ["## Answer\n", harmless(response.answer), "\n"]
    if not response.results:
        return "\n".join([*parts, "No results found for this query.\n"])
    parts.append("## Search Results\n")
    for number, result in enumerate(response.results, start=1):
        # The host drops a result without a title.
        title = one_line(result.title) or one_line(result.url)
        parts += [f"### {number}. {title}\n", f"**URL:** {one_line(result.url)}\n"]
        if result.published_date:
            parts.append(f"**Published:** {one_line(result.published_date)}\n")
        parts += [f"\n{harmless(shortened(result.content or result.snippet, length))}\n", "\n---\n"]
    return "\n".join(parts)
