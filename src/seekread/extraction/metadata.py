"""What a page says about itself: title, author, date, site, language, description, canonical address."""

import re
from html import unescape
from typing import Any
from urllib.parse import urljoin, urlsplit

from selectolax.lexbor import LexborHTMLParser

from seekread.arguments import text_or_empty
from seekread.extraction.bylines import PREFIX, Bylines, as_name
from seekread.extraction.structured import ARTICLES, Structured
from seekread.extraction.tree import Element, body_of, text_of
from seekread.page.dates import day_in_address, day_in_figures, moment_in
from seekread.page.invisible import one_line

LONGEST = 200
"""Metadata is shown to models: no field is a place for an essay."""
TITLES = ("og:title", "twitter:title", "dc.title", "citation_title")
AUTHORS = (
    "author", "article:author", "authors", "parsely-author", "dc.creator", "dc:creator", "dcterms.creator", "creator",
    "citation_author", "sailthru.author", "shareaholic:article_author_name", "byl", "dcsext.author", "og:author",
    "twitter:creator",
)  # fmt: skip
DATES = (
    "article:published_time", "og:article:published_time", "datepublished", "date", "pubdate", "publishdate",
    "publish-date", "publish_date", "parsely-pub-date", "sailthru.date", "dc.date", "dc.date.issued",
    "dcterms.created", "citation_publication_date", "citation_date", "og:published_time",
    "originalpublicationdate",
)  # fmt: skip
MODIFIED = (
    "article:modified_time", "og:updated_time", "og:modified_time", "datemodified", "dcterms.modified",
    "dc.date.modified", "last-modified", "revised",
)  # fmt: skip
SITES = ("og:site_name", "application-name", "al:android:app_name")
DESCRIPTIONS = ("og:description", "description", "twitter:description", "dc.description")
DATE_IN_SCRIPT = re.compile(
    r"""["'](?:datePublished|publish(?:ed)?_?(?:date|time|at)|pagePostDateIso)\\?["']\s*[:,]\s*\\?["']([^"'\\]{8,40})""",
    re.IGNORECASE,
)
WORD = re.compile(r"[^\W_]{3,}")
SEPARATOR = re.compile(r"\s+[|\u2013—·»•:]+\s+|\s+-+\s+|\s*[|\uff5c]\s*")
MOST_BESIDE_HOST = 8
"""Letters that the name of a site may have beyond the name of its host: `BBC News` of bbc.co.uk."""


def read_metadata(
    document: LexborHTMLParser, tags: dict[str, str], structured: Structured, url: str | None
) -> dict[str, str]:
    """What a page declares about itself; only fields that were found are in the answer, each at most 200 characters."""
    article = structured.first(ARTICLES)
    site = first(tags, SITES) or name_of(article.get("publisher"))
    found = {
        "title": declared_title(document, tags, article),
        "author": declared_author(tags, structured, article),
        "date": declared_date(tags, DATES)
        or dated(structured, article, "datePublished", "dateCreated", "uploadDate")
        or date_in_scripts(document),
        "modified": declared_date(tags, MODIFIED) or dated(structured, article, "dateModified"),
        "site_name": site,
        "language": language(document, tags, article),
        "description": first(tags, DESCRIPTIONS) or text_or_empty(article.get("description")),
        "canonical_url": canonical(document, tags, url),
    }
    return {name: line for name, value in found.items() if (line := trimmed(value))}


def completed(declared: dict[str, str], tree: Element | None, written: bytes, url: str | None) -> dict[str, str]:
    """
    What a page declares, together with what it shows: the headline, the byline, the date.

    tree: made of what is `written`; `None` shows nothing
    """
    headings = [text_of(heading) for heading in body_of(tree).iter("h1")] if tree is not None else []
    found = {**declared, "title": headline(declared, headings, url)}
    if tree is not None:
        shown = Bylines(tree, written, declared.get("language", ""))
        found["author"] = declared.get("author") or shown.author()
        found["date"] = declared.get("date") or day_in_address(url or "") or shown.date()
        found["modified"] = declared.get("modified") or shown.modified()
    found["date"] = found.get("date") or day_in_address(url or "") or found.get("modified") or ""
    return {name: line for name, value in found.items() if (line := trimmed(value))}


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


def declared_title(document: LexborHTMLParser, tags: dict[str, str], article: dict[str, Any]) -> str:
    """The title in the head of a page; the one in JSON-LD, which may be a mere description, if there is no other."""
    written = document.css_first("head > title") or document.css_first("title")
    return (
        first(tags, TITLES)
        or (written.text(separator=" ", strip=True) if written else "")
        or text_or_empty(article.get("headline"))
    )


def headline(declared: dict[str, str], headings: list[str], url: str | None) -> str:
    """The title of a page without the name of its site: as the page's own heading has it, if they agree."""
    title = trimmed(unescape(unescape(declared.get("title", ""))))
    if not title:
        return next(filter(None, headings), "")
    for heading in headings[:5]:
        rest = title[len(heading) :]
        if heading and title.casefold().startswith(heading.casefold()) and (not rest or SEPARATOR.match(rest)):
            return heading
    title = without_site(title, declared.get("site_name", ""), url)
    return headings[0] if len(headings) == 1 and is_like(headings[0], title) else title


def is_like(heading: str, title: str) -> bool:
    """Say whether a heading is another wording of a title: it shares two words with it, or half of them."""
    words = set(WORD.findall(heading.casefold()))
    shared = words & set(WORD.findall(title.casefold()))
    return bool(shared) and (len(shared) >= 2 or 2 * len(shared) >= len(words)) and len(heading) <= LONGEST


def without_site(title: str, site: str, url: str | None) -> str:
    """A title without the name of the site at its end or its beginning."""
    cuts = list(SEPARATOR.finditer(title))
    if not cuts:
        return title
    host = (urlsplit(url).hostname or "") if url else ""
    if is_name_of_site(title[cuts[-1].end() :], site, host):
        return title[: cuts[-1].start()].strip()
    return title[cuts[0].end() :].strip() if site and letters(title[: cuts[0].start()]) == letters(site) else title


def is_name_of_site(part: str, site: str, host: str) -> bool:
    """Say whether a part of a title is the name of the site, or what its host is called."""
    name = letters(part)
    if not name or (site and name == letters(site)):
        return bool(name)
    labels = [letters(label) for label in host.removeprefix("www.").split(".")[:-1]]
    return any(
        len(label) >= 3 and label in name and len(name) <= len(label) + MOST_BESIDE_HOST for label in labels
    ) or name == letters(host)


def letters(text: str) -> str:
    """The letters and digits of a text, to compare names by."""
    return "".join(character for character in text.casefold() if character.isalnum())


def declared_author(tags: dict[str, str], structured: Structured, article: dict[str, Any]) -> str:
    """Who wrote the page by its head; addresses of profiles and names of programs are not names."""
    signed = (thing.get("author") for thing in structured.objects if "author" in thing)
    for candidate in (name_of(article.get("author")), *(tags.get(name, "") for name in AUTHORS), *map(name_of, signed)):
        name = unescape(candidate).strip(" ,;")
        if name and "@" not in name and "://" not in name and (as_name(name) or "," in name or " " in name):
            return PREFIX.sub("", name)
    return ""


def declared_date(tags: dict[str, str], names: tuple[str, ...]) -> str:
    """The first date among several meta tags, as ISO 8601."""
    return next(
        (found for name in names if (found := moment_in(tags.get(name, "")) or day_in_figures(tags.get(name, "")))), ""
    )


def date_in_scripts(document: LexborHTMLParser) -> str:
    """The date in a script that describes the page and does not parse as JSON-LD: the first of its name."""
    for node in document.css("script:not([src])"):
        match = DATE_IN_SCRIPT.search(node.text() or "")
        if match and (found := moment_in(match[1])):
            return found
    return ""


def dated(structured: Structured, article: dict[str, Any], *names: str) -> str:
    """The first date of these names in JSON-LD, the article's own before others, as ISO 8601."""
    for name in names:
        for thing in (article, *structured.objects):
            if found := moment_in(text_or_empty(thing.get(name))):
                return found
    return ""


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
