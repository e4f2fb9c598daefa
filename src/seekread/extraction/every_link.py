"""Every link of a page, for those who walk a site: menus, pages that follow and feeds included."""

from selectolax.lexbor import LexborHTMLParser, LexborNode

from seekread.extraction.links import safe_link
from seekread.extraction.signals import Tally
from seekread.models import Link

PLACES = (
    "a[href], area[href], link[rel~=next][href], "
    "link[rel~=alternate][type*=rss][href], link[rel~=alternate][type*=atom][href]"
)
LABEL = 300
"""Characters of the text of a link."""


def links_of(document: LexborHTMLParser, base: str | None) -> tuple[Link, ...]:
    """The links of a document in their order, each once, but those its author asks nobody to follow."""
    if any("nofollow" in word(node, "content") for node in document.css("meta[name=robots i]")):
        return ()
    found: dict[str, Link] = {}
    for node in document.css(PLACES):
        if "nofollow" in word(node, "rel"):
            continue
        address = safe_link(node.attributes.get("href") or "", base, Tally())
        if address.startswith(("http://", "https://")):
            found.setdefault(address, Link(text=" ".join(node.text().split())[:LABEL], url=address))
    return tuple(found.values())


def word(node: LexborNode, attribute: str) -> str:
    return (node.attributes.get(attribute) or "").lower()
