"""Company research: name the company in the query once, keep the results that mention it, mark the mentions."""

import re

from seekread.models import SearchResult

LEGAL = re.compile(
    r"(?:inc|corp|corporation|company|co|ltd|limited|plc|llc|ag|se|sa|gmbh|group|holdings|nv|spa)\W*", re.IGNORECASE
)
"""Legal forms at the end of a name, which nobody repeats in a query."""


def with_company(text: str, company: str | None) -> str:
    """
    Append a company to a query unless it is already named there.

    The full name counts in any case. The distinctive part alone ("Apple" of "Apple Inc") counts only as it is
    written, so that "gap analysis" does not name Gap Inc and "the market" does not name The Coca-Cola Company.
    """
    text = text.strip()
    if not company or not company.strip():
        return text
    company = " ".join(company.split())
    if company.lower() in text.lower() or as_words(distinctive(company)).search(text):
        return text
    return f"{text} {company}"


def distinctive(company: str) -> str:
    """The part of a company's name that tells it apart: without a leading article and legal forms."""
    words = company.split()
    while len(words) > 1 and LEGAL.fullmatch(words[-1]):
        words.pop()
    if len(words) > 1 and words[0].lower() == "the":
        words = words[1:]
    return " ".join(words).rstrip(".,")


def as_words(name: str, flags: int = 0) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", flags)


def only_mentioning(results: list[SearchResult], company: str) -> list[SearchResult]:
    """The results that mention the company in title or snippet; all of them if none does."""
    wanted = company.lower()
    named = [r for r in results if wanted in r.title.lower() or wanted in r.snippet.lower()]
    return named or results


def highlighted(result: SearchResult, company: str) -> SearchResult:
    """Mark mentions as `**mention**` in the snippets; title and URL stay as they are."""
    extra = tuple(marked(snippet, company) for snippet in result.extra_snippets)
    return result.model_copy(update={"snippet": marked(result.snippet, company), "extra_snippets": extra})


def marked(text: str, company: str) -> str:
    """A text in which every mention of a company is a `**mention**`."""
    return as_words(company, re.IGNORECASE).sub(lambda match: f"**{match[0]}**", text)
