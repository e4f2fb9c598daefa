"""Step 7, fuse: merge several rankings into one, and never show the same page twice."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from urllib.parse import parse_qsl, urlencode, urlsplit

from seekread.hostnames import ascii_host, host_of
from seekread.models import SearchResult

K = 60
"""Damping of reciprocal rank fusion; 60 is the value of the original paper."""

TRACKING = re.compile(r"utm_\w+|gclid|fbclid|msclkid|mc_[ce]id|igshid|ref_src", re.IGNORECASE)
DEFAULT_PORTS = {"http": 80, "https": 443}


@lru_cache(maxsize=4096)
def canonical(url: str) -> str:
    """One spelling for the addresses of one page: for comparing only, never for fetching."""
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError:
        return url
    host = ascii_host(host_of(url.strip())).removeprefix("www.")
    if port and port != DEFAULT_PORTS.get(parts.scheme):
        host = f"{host}:{port}"
    page = f"{host}{parts.path.rstrip('/')}"
    if not parts.query:
        return page
    query = urlencode([(k, v) for k, v in parse_qsl(parts.query, keep_blank_values=True) if not TRACKING.fullmatch(k)])
    return f"{page}?{query}" if query else page


def fuse(rankings: Iterable[Sequence[SearchResult]]) -> list[SearchResult]:
    """Reciprocal rank fusion: a page that several providers rank high comes first, with all of them named."""
    rankings = list(rankings)
    if len(rankings) == 1:
        return unique(rankings[0])
    scores: defaultdict[str, float] = defaultdict(float)
    pages: dict[str, SearchResult] = {}
    for ranking in rankings:
        for rank, result in enumerate(unique(ranking), start=1):
            key = canonical(result.url)
            scores[key] += 1 / (K + rank)
            pages[key] = merged(pages[key], result) if key in pages else result
    return [pages[key] for key in sorted(pages, key=lambda key: scores[key], reverse=True)]


def unique(results: Sequence[SearchResult]) -> list[SearchResult]:
    """One result per page, in order."""
    pages: dict[str, SearchResult] = {}
    for result in results:
        key = canonical(result.url)
        pages[key] = merged(pages[key], result) if key in pages else result
    return list(pages.values())


def merged(first: SearchResult, second: SearchResult) -> SearchResult:
    """One result out of two for the same page: the first one's words, the second one's where they add something."""
    extra = list(first.extra_snippets)
    for snippet in (second.snippet, *second.extra_snippets):
        if snippet and not any(alike(snippet, known) for known in (first.snippet, *extra)):
            extra.append(snippet)
    return first.model_copy(
        update={
            "extra_snippets": tuple(extra[:5]) if len(extra) > len(first.extra_snippets) else first.extra_snippets,
            "providers": tuple(dict.fromkeys((*first.providers, *second.providers))),
            "published_date": first.published_date or second.published_date,
            "age": first.age or second.age,
            "content": first.content or second.content,
            "flags": tuple(flag for flag in first.flags if flag != "undated" or not second.published_date),
        }
    )


def alike(one: str, other: str) -> bool:
    """Near-duplicates: most words of the shorter text stand in the longer one."""
    words, others = set(re.findall(r"\w+", one.lower())), set(re.findall(r"\w+", other.lower()))
    smaller = min(len(words), len(others))
    return smaller > 0 and len(words & others) >= 0.8 * smaller
