"""
Pages that a server sends in pieces: what comes late stands hidden at the end, and a script puts it in its place.

React and Marko keep a place for each piece, with a name from which that of the piece follows. Here the pieces are put
where the script would put them, so that they are judged, chosen and read like the rest; a piece without a place is
hidden text like any other.
"""

import re
from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

from seekread.extraction.signals import Tally

PLACES = 'template[id^="B:"], template[id^="P:"], noscript[id^="af"], span[id^="af"]'
"""The places kept by React for a boundary and for a segment, and by Marko."""
PLACE = re.compile(r"(?P<react>[BP]):(?P<number>\w+)|(?P<marko>af.*)ph(?P<count>\d+)")
MOST = 500
"""Pieces that are put in place."""
DEEPEST = 40
"""Pieces inside one another."""
PUT_IN_PLACE = "put in place by a script"


def put_in_place(document: LexborHTMLParser, tally: Tally) -> None:
    """Move the pieces of a page to the places kept for them."""
    places = document.css(PLACES)[:MOST]
    if not places:
        return
    pieces = {name: piece for place in places if (name := piece_for(place)) and (piece := hidden(document, name))}
    inside: dict[str, list[LexborNode]] = {name: [] for name in pieces}
    outside: list[LexborNode] = []
    for place in places:
        around = piece_around(place, pieces)
        (outside if around is None else inside[around]).append(place)
    for place in outside:
        fill(place, pieces, inside, tally, DEEPEST)


def piece_for(place: LexborNode) -> str:
    """The id of what belongs in a place."""
    found = PLACE.fullmatch(place.id or "")
    if found is None:
        return ""
    return f"S:{found['number']}" if found["react"] else f"{found['marko']}{found['count']}"


def hidden(document: LexborHTMLParser, name: str) -> LexborNode | None:
    """A piece that waits: an element that is hidden itself."""
    node = document.css_first(f'div[id="{name}"]') if '"' not in name and "\\" not in name else None
    if node is None:
        return None
    attributes = node.attributes
    style = (attributes.get("style") or "").replace(" ", "").lower()
    return node if "hidden" in attributes or style.startswith("display:none") else None


def piece_around(place: LexborNode, pieces: dict[str, LexborNode]) -> str | None:
    around = place.parent
    while around is not None:
        if (around.id or "") in pieces:
            return around.id
        around = around.parent
    return None


def fill(
    place: LexborNode,
    pieces: dict[str, LexborNode],
    inside: dict[str, list[LexborNode]],
    tally: Tally,
    depth: int,
) -> None:
    """Put what belongs in a place there, after all that belongs inside of it."""
    name = piece_for(place)
    piece = pieces.pop(name, None)
    if piece is None or not depth:
        return
    for inner in inside[name]:
        fill(inner, pieces, inside, tally, depth - 1)
    characters = len(" ".join(piece.text().split()))
    for instead in meanwhile(place):
        instead.decompose()
    node = piece.child
    while node is not None:
        # Puts a copy there.
        place.insert_before(node)
        node = node.next
    piece.decompose()
    place.decompose()
    if characters:
        tally.note("hidden-text-kept", PUT_IN_PLACE, characters=characters)


def meanwhile(place: LexborNode) -> Iterator[LexborNode]:
    """What React shows in a place until its piece has come: everything up to the comment that ends it. (Marko shows
    what stands in the place itself.)"""
    if not (place.id or "").startswith("B:"):
        return
    found: list[LexborNode] = []
    depth, node = 1, place.next
    while node is not None:
        if node.is_comment_node:
            text = node.comment_content or ""
            depth += {"$": 1, "$?": 1, "$!": 1, "$~": 1, "/$": -1}.get(text.strip(), 0)
            if not depth:
                yield from found
                return
        found.append(node)
        node = node.next
