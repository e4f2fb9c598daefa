"""
Markdown: one form for people and models, one that is byte-exact for term2.

term2 parses its Markdown back, so content must not be able to pose as structure: titles and addresses stay on one
line, and what would open a heading, a field or a rule gets a backslash.
"""

import re
from urllib.parse import quote

from seekread.models import Page, SearchResponse
from seekread.page.invisible import one_line
from seekread.render.text import continuation, plain_lines, shortened

STRUCTURE = re.compile(r"^([^\S\n]*)(#{1,6}(?:\s|$)|-{3,}[^\S\n]*$)", re.MULTILINE)
FIELD = re.compile(r"\*\*(URL|Published):\*\*")


def harmless(text: str) -> str:
    """Text whose lines cannot pose as a heading, a field or a rule."""
    return FIELD.sub(r"*\\*\1:**", STRUCTURE.sub(r"\1\\\2", plain_lines(text)))


def term2(response: SearchResponse) -> str:
    """The Markdown term2 shows and parses, byte for byte."""
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
        parts += [f"\n{harmless(result.content or result.snippet)}\n", "\n---\n"]
    return "\n".join(parts)


def to_markdown(response: SearchResponse, *, length: int | None = 1000) -> str:
    """A response as Markdown with numbered citations and links."""
    parts = [f"> {shortened(one_line(response.answer), length)}"] if response.answer else []
    for result in response.results:
        facts = " · ".join(filter(None, (result.source, result.published_date, *result.flags)))
        lines = [f"**[{result.citation_id}]** [{escaped(one_line(result.title))}]({link_target(result.url)})", facts]
        if snippet := shortened(one_line(result.snippet), length):
            lines.append(harmless(snippet))
        parts.append("  \n".join(filter(None, lines)))
    if not response.results:
        parts.append(f"No results found for: {one_line(response.query)}")
    return "\n\n".join(parts) + "\n"


def page_to_markdown(page: Page) -> str:
    """A page that was read as Markdown: its title linked to its address, then its content."""
    url = page.final_url or page.url
    head = f"# [{escaped(one_line(page.title) or url)}]({link_target(url)})"
    return "\n\n".join(filter(None, (head, page.content.strip("\n"), continuation(page)))) + "\n"


def escaped(text: str) -> str:
    """The text of a link: no bracket of its own can end it."""
    return re.sub(r"([\[\]\\])", r"\\\1", text)


def link_target(url: str) -> str:
    """The target of a link: nothing in it can end the link early."""
    encoded = re.sub(r"[<>\s]", lambda found: quote(found[0]), url.strip())
    return f"<{encoded}>"
