"""What a page says about itself: title, author, date, site, language, description, canonical address."""

import re
from typing import Any
from urllib.parse import urljoin, urlsplit

from selectolax.lexbor import LexborHTMLParser

from seekread.arguments import text_or_empty
from seekread.extraction.structured import ARTICLES, Structured
from seekread.page.dates import day_in_address, moment_in
from seekread.page.invisible import one_line

LONGEST = 200
"""Metadata is shown to models: no field is a place for an essay."""
TITLES = ("og:title", "twitter:title", "dc.title", "citation_title")
AUTHORS = (
    "author",
    "article:author",
    "parsely-author",
    "dc.creator",
    "citation_author",
    "sailthru.author",
    "byl",
    "twitter:creator",
)
DATES = (
    "article:published_time", "og:article:published_time", "datepublished", "date", "pubdate", "publishdate",
    "publish-date", "publish_date", "parsely-pub-date", "sailthru.date", "dc.date", "dc.date.issued",
    "dcterms.created", "citation_publication_date", "citation_date", "og:published_time",
    "originalpublicationdate",
)  # fmt: skip
MODIFIED = ("article:modified_time", "og:updated_time", "last-modified", "datemodified", "dcterms.modified")
SITES = ("og:site_name", "application-name", "al:android:app_name")
DESCRIPTIONS = ("og:description", "description", "twitter:description", "dc.description")
SEPARATOR = re.compile(r"\s+[|\u2013—·»•]\s+|\s+-\s+")
BYLINES = (
    '[rel="author"], [itemprop="author"] [itemprop="name"], [itemprop="author"], '
    ".byline-name, .author-name, .byline a, .byline"
)


def read_metadata(document: LexborHTMLParser, structured: Structured, url: str | None) -> dict[str, str]:
    """Read the metadata of a page; only fields that were found are in the answer, each at most 200 characters."""
    tags = meta_tags(document)
    article = structured.first(ARTICLES)
    site = first(tags, SITES) or name_of(article.get("publisher"))
    found = {
        "title": title(document, tags, article, site),
        "author": author(document, tags, article),
        "date": published(document, tags, article, url),
        "modified": moment_in(first(tags, MODIFIED) or text_or_empty(article.get("dateModified"))) or "",
        "site_name": site,
        "language": language(document, tags, article),
        "description": first(tags, DESCRIPTIONS) or text_or_empty(article.get("description")),
        "canonical_url": canonical(document, tags, url),
    }
    return {name: trimmed(value) for name, value in found.items() if trimmed(value)}


def trimmed(value: str) -> str:
    """One line of visible characters, at most 200 of them."""
    return one_line(value)[:LONGEST]


def meta_tags(document: LexborHTMLParser) -> dict[str, str]:
    """The meta tags of a page by name in lower case; the first of a name counts."""
    tags: dict[str, str] = {}
    for node in document.css("meta[content]"):
        attributes = node.attributes
        name = (
            attributes.get("property")
            or attributes.get("name")
            or attributes.get("itemprop")
            or attributes.get("http-equiv")
        )
        content = (attributes.get("content") or "").strip()
        if name and content:
            tags.setdefault(name.strip().lower(), content)
    return tags


def first(tags: dict[str, str], names: tuple[str, ...]) -> str:
    """The first of several meta tags that is there."""
    return next((tags[name] for name in names if tags.get(name)), "")


def name_of(value: Any) -> str:
    """The name of a person or organisation, or of several."""
    if isinstance(value, dict):
        return text_or_empty(value.get("name"))
    if isinstance(value, list):
        return ", ".join(filter(None, (name_of(item) for item in value[:5])))
    return text_or_empty(value)


def title(document: LexborHTMLParser, tags: dict[str, str], article: dict[str, Any], site: str) -> str:
    """The headline, without the name of the site."""
    written = document.css_first("head > title") or document.css_first("title")
    candidate = (
        first(tags, TITLES) or text_or_empty(article.get("headline")) or (written.text(strip=True) if written else "")
    )
    if not candidate:
        heading = document.css_first("h1")
        candidate = heading.text(separator=" ", strip=True) if heading else ""
    parts = SEPARATOR.split(candidate)
    if site and len(parts) > 1 and parts[-1].strip().casefold() == site.casefold():
        return candidate[: candidate.rindex(parts[-1])].rstrip(" |\u2013—·»•-")
    return candidate


def author(document: LexborHTMLParser, tags: dict[str, str], article: dict[str, Any]) -> str:
    """Who wrote the page; addresses of profiles are not names."""
    for candidate in (name_of(article.get("author")), *(tags.get(name, "") for name in AUTHORS)):
        if candidate and not candidate.startswith(("http:", "https:", "@")):
            return candidate
    node = document.css_first(BYLINES)
    written = node.text(separator=" ", strip=True) if node else ""
    written = re.sub(r"^\s*(?:by|von|par|por|di)\s+", "", written, flags=re.IGNORECASE)
    return written if 2 < len(written) < 80 else ""


def published(document: LexborHTMLParser, tags: dict[str, str], article: dict[str, Any], url: str | None) -> str:
    """When the page was published, as ISO 8601."""
    for candidate in (text_or_empty(article.get("datePublished")), *(tags.get(name, "") for name in DATES)):
        if found := moment_in(candidate):
            return found
    for node in document.css('[itemprop="datePublished"], time[pubdate], article time[datetime], time[datetime]')[:3]:
        if found := moment_in(node.attributes.get("datetime") or node.attributes.get("content") or node.text()):
            return found
    return day_in_address(url or "") or ""


def language(document: LexborHTMLParser, tags: dict[str, str], article: dict[str, Any]) -> str:
    """The language of the page, as the page spells it."""
    root = document.css_first("html")
    attributes = root.attributes if root else {}
    declared = (
        attributes.get("lang")
        or attributes.get("xml:lang")
        or tags.get("content-language")
        or tags.get("og:locale")
        or ""
    )
    code = (declared or text_or_empty(article.get("inLanguage"))).split(",")[0].strip().replace("_", "-")
    return code if re.fullmatch(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*", code) else ""


def canonical(document: LexborHTMLParser, tags: dict[str, str], url: str | None) -> str:
    """The address the page calls its own, if it is one of the web."""
    node = document.css_first('link[rel="canonical"]')
    declared = (node.attributes.get("href") if node else "") or tags.get("og:url") or ""
    try:
        address = urljoin(url or "", declared.strip()) if declared else ""
        return address if urlsplit(address).scheme in {"http", "https"} and len(address) <= LONGEST else ""
    except ValueError:
        return ""
