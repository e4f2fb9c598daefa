"""Books (EPUB) as Markdown: their chapters in the order of reading, each washed like a page."""

import posixpath
import re
from html import unescape
from urllib.parse import unquote

from lxml import etree

from seekread.errors import Unreadable
from seekread.extraction.extracted import Extracted
from seekread.extraction.html import read_fragment
from seekread.extraction.office.package import Package, damaged, plain_names, within
from seekread.extraction.options import ExtractOptions
from seekread.extraction.prescan import tame
from seekread.extraction.signals import Tally
from seekread.models import Link
from seekread.xml_tree import XmlElement, local_name, parse_xml

CONTAINER = "META-INF/container.xml"
FONTS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
"""Ways of hiding fonts, which are no protection of the text."""
ENTITY = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos);)([A-Za-z][A-Za-z0-9]{1,30});")
CHAPTERS = frozenset({"application/xhtml+xml", "text/html"})


def is_book(package: Package) -> bool:
    """Say whether a package is a book."""
    return CONTAINER in package


def read_book(package: Package, options: ExtractOptions, tally: Tally) -> Extracted:
    """The chapters of a book one after another, until the limit."""
    refuse_locked(package)
    root = package.tree(CONTAINER)
    entry = next(iter(root.iter("rootfile")), None)
    part = entry.get("full-path") or "" if entry is not None else ""
    if part not in package:
        raise damaged()
    opf = package.tree(part)
    chapters = chapters_of(opf, posixpath.dirname(part))
    written: list[str] = []
    links: dict[str, str] = {}
    size = 0
    for number, chapter in enumerate(chapters):
        if size > options.characters:
            tally.note("chapters-left-out", "the book is longer than what is read of it", count=len(chapters) - number)
            break
        if chapter in package:
            content = read_fragment(chapter_html(package, chapter), None, tally, images=options.images, wash=True)
            written.append(content.markdown)
            size += len(content.markdown)
            links |= {link.url: link.text for link in content.links if link.url not in links}
    markdown = "\n\n".join(filter(None, written))
    about = about_book(opf)
    return Extracted(
        markdown=markdown,
        title=about.get("title", ""),
        metadata=about,
        links=tuple(Link(text=text, url=url) for url, text in links.items()),
        outcome="ok" if markdown else "empty",
    )


def refuse_locked(package: Package) -> None:
    """Say so when the chapters of a book are encrypted; fonts may be."""
    root = package.tree_if_any("META-INF/encryption.xml")
    ways = [one.get("Algorithm") or "" for one in root.iter("EncryptionMethod")] if root is not None else []
    if any(not way.startswith(FONTS) for way in ways):
        raise Unreadable("paywalled", "the book is protected against copying and can be read in its own program only")


def chapters_of(opf: XmlElement, folder: str) -> list[str]:
    """The parts of a book in the order of reading, without those that stand beside it."""
    parts = {one.get("id"): one for one in opf.iterfind("manifest/item") if one.get("media-type") in CHAPTERS}
    order = [parts.get(one.get("idref")) for one in opf.iterfind("spine/itemref") if one.get("linear") != "no"]
    found = [one for one in order if one is not None and "nav" not in (one.get("properties") or "").split()]
    return [within(folder, unquote(one.get("href") or "")) for one in found]


def about_book(opf: XmlElement) -> dict[str, str]:
    """What a book says about itself."""
    names = {"title": "title", "creator": "author", "description": "description", "language": "language",
             "date": "published", "publisher": "publisher"}  # fmt: skip
    found: dict[str, str] = {}
    for one in opf.iterfind("metadata/*"):
        name = names.get(local_name(one.tag))
        text = " ".join((one.text or "").split())[:500]
        if name and text:
            found.setdefault(name, text)
    return found


def chapter_html(package: Package, part: str) -> str:
    """
    A chapter as HTML, with the style sheets of the book in it.

    Chapters are XML: an empty `<title/>` would swallow the rest of the page in a parser of HTML.
    """
    body = ENTITY.sub(lambda found: unescape(found[0].decode()).encode(), package.read(part))
    root = parse_xml(body, recover=True)
    if root is None:
        raise damaged()
    plain_names(root)
    folder = posixpath.dirname(part)
    sheets = [
        within(folder, unquote(one.get("href") or "")) for one in root.iter("link") if one.get("rel") == "stylesheet"
    ]
    css = "".join(package.read(sheet).decode("utf-8", "replace") for sheet in sheets if sheet in package)
    etree.strip_elements(root, "script", "title", "iframe", "object", "embed", with_tail=False)
    style = f"<style>{css.replace('</', '')}</style>" if css else ""
    html = etree.tostring(root, encoding="unicode", method="html")
    return tame(style + html).html
