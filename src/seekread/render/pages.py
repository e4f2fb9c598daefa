"""
A page that was read: as text that says whose words it holds, and as a Markdown file.

As text, a page stands below a line that calls it untrusted, whoever asks for it.
"""

from seekread.models import Page
from seekread.page.fence import fence, untrusted
from seekread.page.gate import link_text, shown_address, unspoken
from seekread.page.invisible import one_line
from seekread.render.failure import explain_page
from seekread.render.inline import link_target

LONGEST_MOVED = 300
"""Characters that are shown of the address a page was found at."""


def page_text(page: Page, *, fenced: bool = False) -> str:
    """
    Head, content and the sentences that say how much this is; a failure says only that.

    fenced: put all that the page says between fences with a word of this call alone, which no page can know
    """
    if not page.success:
        return f"Could not read {shown_address(page.url)}: {explain_page(page)}"
    body = page.content or ("(No part of the page is shown.)" if page.original_length else "(The page has no text.)")
    if fenced:
        inside = "\n\n".join(filter(None, (own_head(page, ""), body)))
        return "\n\n".join(filter(None, (fence(inside, source=source_of_page(page)), tail(page))))
    head = own_head(page, untrusted(source_of_page(page)))
    return "\n\n".join(filter(None, (head, body, tail(page))))


def source_of_page(page: Page) -> str:
    """Where a page was asked for, and where it was found."""
    moved = shown_address(page.final_url) if page.final_url and page.final_url != page.url else ""
    if len(moved) > LONGEST_MOVED:
        # Whoever redirects chooses the words of it, which stand outside of the fence.
        moved = f"{moved[:LONGEST_MOVED]}…"
    return f"{shown_address(page.url)}{f' (redirected to {moved})' if moved else ''}"


def own_head(page: Page, mark: str) -> str:
    """Title, the mark, and what the page says about itself."""
    facts = [one_line(page.metadata.get(name, "")) for name in ("author", "date", "site_name")]
    cached = f"read {page.age_seconds:.0f} s ago" if page.cached and page.age_seconds is not None else ""
    title = f"# {unspoken(one_line(page.title))}" if page.title else ""
    return "\n".join(filter(None, (title, mark, " · ".join(filter(None, (*map(unspoken, facts), cached))))))


def tail(page: Page) -> str:
    """Notes, what was removed, and the handle for going on without another fetch."""
    removed = [unspoken(one_line(f"{signal.kind}: {signal.detail or signal.count}")) for signal in page.signals]
    lines = [*(map(unspoken, map(one_line, page.notes)) if page.notes else filter(None, (continuation(page),)))]
    if removed:
        lines.append("Signals: " + "; ".join(removed) + ".")
    if page.snapshot:
        lines.append(f"Snapshot: {page.snapshot}")
    return "---\n" + "\n".join(lines) if lines else ""


def continuation(page: Page) -> str:
    """What is said about a page of which only a part is there, if the page does not say so itself."""
    if not page.truncated:
        return ""
    seen = f"characters {page.offset} to {page.offset + page.content_length}"
    whole = f" of {page.original_length}" if page.original_length is not None else ""
    more = f" Go on with offset={page.next_offset}." if page.next_offset is not None else ""
    return f"[Truncated: {seen}{whole}.{more}]"


def page_markdown(page: Page) -> str:
    """A page as a file for people: its title linked to its address, then its content."""
    url = page.final_url or page.url
    head = f"# [{link_text(one_line(page.title) or one_line(url))}]({link_target(url)})"
    return "\n\n".join(filter(None, (head, page.content.strip("\n"), continuation(page)))) + "\n"
