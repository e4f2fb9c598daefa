"""
The tools as plain functions, for any agent framework: simple types in, text out, nothing raised.

    from seekread.functions import gather, open_page, page_lookup, web_search

A framework makes a tool of a function's name, annotations and docstring. These block; `seekread.functions.aio` has the
same to be awaited, under the same names. Nothing found is said in words; a failure is a text that begins with "Error:".
All of them share one `Seekread` with the settings of the environment.
"""

# Frameworks read these signatures: `Optional` and `Literal` are as far as all of them go.
from typing import Literal

from seekread.functions.session import waited


def web_search(
    query: str,
    limit: int | None = None,
    company: str | None = None,
    search_type: Literal["general", "news", "recent"] | None = None,
    freshness: Literal["day", "week", "month", "year"] | None = None,
    date_from: str | None = None,
    date_to: str | None = None,
    allowed_domains: list[str] | None = None,
    blocked_domains: list[str] | None = None,
    language: str | None = None,
    country: str | None = None,
    page: int | None = None,
) -> str:
    """
    Search the web. Returns numbered results with title, URL and snippet; cite them as [1]. When the snippets are not
    enough, read a page with open_page.

    Args:
        query: Search query text.
        limit: Maximum number of results. Default: 5.
        company: Name or ticker the search is about.
        search_type: What kind; recent = last 30 days.
        freshness: How old at most.
        date_from: First day, YYYY-MM-DD.
        date_to: Last day, YYYY-MM-DD.
        allowed_domains: Only these domains and those below them.
        blocked_domains: None of these domains.
        language: Language code, such as en.
        country: Two-letter country code, such as US.
        page: Page of results, from 1.

    Returns:
        The results as text, or a text that begins with "Error:".
    """
    return waited("web_search", locals())


def open_page(
    url: str,
    urls: list[str] | None = None,
    query: str | None = None,
    section: str | None = None,
    offset: int | None = None,
    max_length: int | None = None,
) -> str:
    """
    Read a web page or PDF as Markdown, when snippets are not enough. Long pages come in parts: the end of a part gives
    the offset of the next one and a snapshot handle for page_lookup.

    Args:
        url: URL of the page to read.
        urls: More pages, read at the same time.
        query: Only the passages that answer this.
        section: Only this section, by title or number.
        offset: Where to begin, as the part before said.
        max_length: Characters to return at most.

    Returns:
        The page as text, or a text that begins with "Error:".
    """
    return waited("open_page", locals())


def page_lookup(
    page: str,
    action: Literal["outline", "section", "find", "passages", "quote"],
    text: str | None = None,
    max_length: int | None = None,
) -> str:
    """
    Look into a page that was read, without fetching it again. outline: its headings. section: the text under a heading.
    find: every place of a text. passages: what answers a question. quote: whether the page says this, where, and a link
    to cite.

    Args:
        page: Snapshot handle or URL.
        action: What to do.
        text: Heading, text, question or quotation.
        max_length: Characters to return at most.

    Returns:
        What was found as text, or a text that begins with "Error:".
    """
    return waited("page_lookup", locals())


def gather(
    question: str,
    phrasings: list[str] | None = None,
    budget: int | None = None,
    pages: int | None = None,
    freshness: Literal["day", "week", "month", "year"] | None = None,
    allowed_domains: list[str] | None = None,
) -> str:
    """
    Answer a question from several pages at once: searches, reads the best pages and returns only the passages that
    answer, numbered by source; cite them as [1]. Look deeper with page_lookup.

    Args:
        question: What to find out.
        phrasings: Other ways to ask, searched as well.
        budget: Characters to return at most. Default: 2000.
        pages: Pages to read. Default: 5.
        freshness: How old at most.
        allowed_domains: Only these domains and those below them.

    Returns:
        The passages and their sources as text, or a text that begins with "Error:".
    """
    return waited("gather", locals())
