"""A page as text for a model or a person: where it is from, what it says, and how to go on."""

from seekread.models import Page
from seekread.page.fence import fence
from seekread.render.failure import explain_page


def to_text(page: Page, *, links: bool = False, fenced: bool = False) -> str:
    """
    Head, content and the sentences that say how much this is; a failure says only that.

    fenced: put the page's own words between fences with a word of this call alone, which no page can know
    """
    if not page.success:
        return f"Could not read {page.url}: {explain_page(page)}"
    body = page.content or "(The page has no text.)"
    if fenced:
        body = fence(body, url=page.final_url or page.url, fetched_at=page.fetched_at, sha256=page.sha256)
    parts = [head(page), body, *([link_table(page)] if links and page.links else []), tail(page)]
    return "\n\n".join(part for part in parts if part)


def head(page: Page) -> str:
    """Title, address and what is known of the page. It is somebody else's text: the head says so."""
    moved = f" (redirected to {page.final_url})" if page.final_url and page.final_url != page.url else ""
    facts = [page.metadata.get(name, "") for name in ("author", "date", "site_name")]
    cached = f"read {page.age_seconds:.0f} s ago" if page.cached and page.age_seconds is not None else ""
    lines = [
        f"# {page.title}" if page.title else "",
        f"untrusted web content from {page.url}{moved}",
        " · ".join(filter(None, (*facts, cached))),
    ]
    return "\n".join(filter(None, lines))


def tail(page: Page) -> str:
    """Notes, what was removed, and the handle for going on without another fetch."""
    removed = [f"{signal.kind}: {signal.detail or signal.count}" for signal in page.signals]
    lines = [*page.notes]
    if removed:
        lines.append("Signals: " + "; ".join(removed) + ".")
    if page.snapshot:
        lines.append(f"Snapshot: {page.snapshot}")
    return "---\n" + "\n".join(lines) if lines else ""


def link_table(page: Page) -> str:
    """The links of a page, numbered."""
    rows = [f"[{number}] {link.text} <{link.url}>" for number, link in enumerate(page.links, start=1)]
    return "Links:\n" + "\n".join(rows)
