"""
Who wrote a page and when, as the page shows it to its readers.

It is asked when the page declares neither in its head. It reads the washed tree, so what nobody sees signs nothing.
Marks that programs set come first (`rel=author`, `itemprop`, `time`), then the names of classes, then the words near
the headline. What stands in comments, beside other articles and in footers is about something else.
"""

import re
from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache

from lxml.etree import iterwalk

from seekread.extraction.tree import Element, body_of, text_of
from seekread.page.dates import day_in_figures, moment_in

ELSEWHERE = re.compile(
    r"(?:^|[\s_-])(?:comments?|replies|related|recommend(?:ed|ations?)?|sidebar|teasers?|trending|popular"
    r"|latest|more-(?:from|posts|stories)|read-?next|carousel|copyright|similar|nav(?:bar|igation)?)(?:$|[\s_-])",
)
"""Names of parts whose dates and authors are not those of the page."""
AUTHORED = re.compile(
    r"(?:^|[\s_-])(?:authors?|byline|writer|posted-?by|written-?by|autor|auteur)(?:$|[\s_-])|author-?name|byline",
)
BESIDE_AUTHOR = re.compile(r"avatar|image|photo|bio|box|social|follow|role|title|email|twitter|job|count|link-?list")
DATED = re.compile(
    r"date|publish|posted|pubtime|timestamp|timeago|byline|(?:^|[\s_-])(?:time|meta|info|datum|fecha|created|updated)(?:$|[\s_-])",
)
PREFIX = re.compile(
    r"^\W*(?:(?:article|post(?:ed)?|story|words?|written|reviewed|published|authored|edited|text|texto|testo|texte)\s+)?"
    r"(?:by|von|par|por|di|door|av|af|autore?|auteur|author|writer|text|escrito por|verfasst von)\b\s*:?\s+",
    re.IGNORECASE,
)
END = re.compile(
    r"\s*(?:[|•·\u2013—/\n(@]|\s-\s|\bon\b|\bin\b(?=\s)|\bposted\b|\bpublished\b|\bupdated\b|\blast\b|\bread\b|\d)|,\s*(?=\d|[A-Z]{2,}\b|[a-z])",
    re.IGNORECASE,
)
NOT_A_NAME = frozenset(
    {
        "admin", "adminn", "administrator", "anonymous", "author", "authors", "by", "editor", "guest", "name", "none",
        "null", "staff", "team", "undefined", "unknown", "user", "webmaster", "written by", "posted by", "share",
        "follow", "about", "get", "read more", "about the author", "profile", "view all posts", "op", "home", "blog",
    }
)  # fmt: skip
LONGEST_NAME, MOST_WORDS = 60, 6
LONGEST_DATED = 160
"""A line that says when something was written is not a paragraph."""
NEAR = 14
"""Lines after the headline, and half as many before it, in which a date belongs to it."""
PUBLISHED = re.compile(
    r"\b(?:publish|posted|created|first|erschienen|veröffentlicht|publicado|publié|pubblicato|опубликовано|发布|公開)",
    re.IGNORECASE,
)
CHANGED = re.compile(
    r"\b(?:updated|modified|edited|revised|reviewed|last change|aktualisiert|actualizado|mis à jour|aggiornato)",
    re.IGNORECASE,
)
MARKED = re.compile(rb' (?:itemprop|pubdate)="')
RELATED = re.compile(rb' rel="[^"]*author')


class Bylines:
    """What the text of a page says about its author and its date."""

    def __init__(self, tree: Element, written: bytes, language: str = "") -> None:
        """
        written: what the tree was made of
        """
        self.body = body_of(tree)
        self.written = written
        self.language = language

    @cached_property
    def parts(self) -> list[tuple[Element, str]]:
        """The elements of the page, without the parts that are about something else, each with its class and id."""
        found: list[tuple[Element, str]] = []
        around = {above for heart in self.hearts for above in (heart, *heart.iterancestors())}
        known: dict[tuple[str, str | None, str | None], tuple[str, bool]] = {}
        walk = iterwalk(self.body, events=("start",))
        for _, element in walk:
            spelled = (str(element.tag), element.get("class"), element.get("id"))
            said = known.get(spelled)
            if said is None:
                said = known[spelled] = about_names(*spelled)
            names, elsewhere = said
            if elsewhere and element not in around and not (is_footer(element, names) and is_in_article(element)):
                walk.skip_subtree()
            else:
                found.append((element, names))
        return found

    @cached_property
    def marks(self) -> list[tuple[str, Element]]:
        """The marks for programs that elements have, in order."""
        found: list[tuple[str, Element]] = []
        if MARKED.search(self.written) is None:
            return found
        for element, _ in self.parts:
            if mark := element.get("itemprop"):
                found.append((mark.lower(), element))
            if element.get("pubdate") is not None:
                found.append(("pubdate", element))
        return found

    @cached_property
    def hearts(self) -> list[Element]:
        """What the page is about for sure: its main headings, or its main part; nothing around them is elsewhere."""
        headings = [heading for heading in self.body.iter("h1") if text_of(heading)]
        return headings or list(self.body.iter("main", "article"))[:1]

    def author(self) -> str:
        """Who the page says has written it, or an empty text."""
        return next((name for element in self.signed() if (name := name_in(element))), "")

    def signed(self) -> Iterator[Element]:
        """The elements that may name the author, the surest first."""
        if RELATED.search(self.written):
            yield from (element for element, _ in self.parts if "author" in (element.get("rel") or "").split())
        yield from (element for _, element in self.marks if element.get("itemprop") in {"author", "creator"})
        for element, names in self.parts:
            if is_authored(names) and not is_beside_author(names):
                yield element

    def date(self) -> str:
        """When the page says it was published, else the first date beside its headline, or an empty text."""
        return self.marked("datepublished", "datecreated", "pubdate") or self.beside_headline()

    def modified(self) -> str:
        """When the page says it was changed last, or an empty text."""
        return self.marked("datemodified", "dateupdated")

    def marked(self, *names: str) -> str:
        """The date that an element is marked with."""
        dates = (self.date_in(element) for mark, element in self.marks if mark in names)
        return next(filter(None, dates), "")

    def beside_headline(self) -> str:
        """The date beside the headline: in `time`, in an element named after a date, or in a short line."""
        best: tuple[int, str] | None = None
        for rank, line in self.candidates():
            if (best is None or rank < best[0]) and (found := self.date_in(line)):
                best = (rank, found)
                if rank == 0:
                    break
        return best[1] if best else ""

    def candidates(self) -> Iterator[tuple[int, Element]]:
        """Elements that may hold the date of the page, each with a rank; the smallest is the best."""
        start = next((number for number, (part, _) in enumerate(self.parts) if part.tag == "h1" and text_of(part)), 0)
        lines = 0
        for number, (part, names) in enumerate(self.parts):
            own = own_text(part) if lines <= NEAR else ""
            lines += bool(own) and number > start
            near = lines <= NEAR and number > start - 3 * NEAR
            named = part.tag == "time" or is_dated(names)
            if named and len(text_of(part)) <= LONGEST_DATED:
                text = text_of(part)
                later = bool(CHANGED.search(text)) and not PUBLISHED.search(text)
                yield (0 if near and not later else 2 if near else 4), part
            elif near and own and len(own) <= LONGEST_DATED:
                yield (1 if PUBLISHED.search(own) else 3), part

    def date_in(self, element: Element) -> str:
        """The date that an element gives to programs, or the one in its text."""
        for written in (element.get("datetime"), element.get("content"), element.get("title"), text_of(element)[:300]):
            if written and (found := moment_in(written) or day_in_figures(written, self.language)):
                return found
        return ""


def about_names(tag: str, classes: str | None, identifier: str | None) -> tuple[str, bool]:
    """The class and the id of an element, and whether it seems to hold what is about other things than the page."""
    names = f"{classes or ''} {identifier or ''}"
    if tag in {"footer", "nav"} or "footer" in names or (tag == "aside" and not is_authored(names)):
        return names, True
    return names, names != UNNAMED and tag not in {"body", "main", "article", "time"} and is_named_elsewhere(names)


def is_footer(element: Element, names: str) -> bool:
    return element.tag == "footer" or "footer" in names


def is_in_article(element: Element) -> bool:
    return any(above.tag == "article" for above in element.iterancestors())


def speaking(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    """Whether names are of a kind, in any case; looked at once, because pages repeat them."""

    @lru_cache(maxsize=2_000)
    def speaks(names: str) -> bool:
        return pattern.search(names.lower()) is not None

    return speaks


is_named_elsewhere = speaking(ELSEWHERE)
is_authored = speaking(AUTHORED)
is_beside_author = speaking(BESIDE_AUTHOR)
is_dated = speaking(DATED)
UNNAMED = " "


def own_text(element: Element) -> str:
    """The text that stands in an element itself, not in its parts."""
    pieces = [element.text or "", *(child.tail or "" for child in element)]
    return " ".join(" ".join(pieces).split())


def name_in(element: Element) -> str:
    """The name that an element signs with: in its own mark for it, in its first link, or in its words."""
    inner = next((part for part in element.iterdescendants("*") if part.get("itemprop") == "name"), None)
    link = next((part for part in element.iterdescendants("a") if text_of(part)), None)
    for source in (inner, link, element):
        if source is not None and (name := as_name(text_of(source))):
            return name
    return ""


def as_name(written: str) -> str:
    """The name in a byline, or an empty text when it is none."""
    name = PREFIX.sub("", written.strip())
    end = END.search(name)
    name = (name[: end.start()] if end else name).strip(" ,;:.-|")
    if not 2 < len(name) <= LONGEST_NAME or len(name.split()) > MOST_WORDS or name.casefold() in NOT_A_NAME:
        return ""
    return name if any(letter.isalpha() for letter in name) and "://" not in name else ""
