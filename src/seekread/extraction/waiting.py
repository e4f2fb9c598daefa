"""
Pages that are hidden until a script shows them: as a whole, or from their headline on.

How much is hidden does not matter. A page of which nobody sees a sentence is one that waits; and so is one whose
headline, the one that its title names, is nowhere in sight: nobody writes a page to be read without it.
"""

from collections.abc import Iterable, Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

from seekread.extraction.css_browser import NEVER_SHOWN
from seekread.extraction.visibility import FADING, Unseen

LONGEST_LABEL = 40
SHORTEST_HEADLINE = 6
MOST_HEADLINES = 50
NO_CONTENT = NEVER_SHOWN | {"header", "nav", "footer", "aside", "svg"}
"""Elements whose words are not the content of a page."""
TITLES = 'title, meta[property="og:title"], meta[name="twitter:title"]'


class HiddenParts:
    """What of a page is not seen and about to be taken out: boxes, and words that stand in others directly."""

    def __init__(self, document: LexborHTMLParser, boxes: Iterable[Unseen], texts: Iterable[Unseen]) -> None:
        self.document = document
        self.boxes = {finding.box.key: finding for finding in boxes}
        self.texts = {finding.box.key: finding for finding in texts}
        self.known: dict[int, bool] = {}

    def is_blank(self) -> bool:
        """Say whether nobody sees anything of a page but labels and what stands around its content."""
        if self.document.body is None:
            return False
        for node in self.document.body.traverse(include_text=True):
            parent = node.parent
            if not node.is_text_node or parent is None:
                continue
            if len(" ".join((node.text_content or "").split())) <= LONGEST_LABEL:
                continue
            if parent.mem_id not in self.texts and self.is_shown(parent):
                return False
        return True

    def is_shown(self, node: LexborNode) -> bool:
        """Say whether an element is text of the page, and not inside something that goes."""
        path: list[int] = []
        current: LexborNode | None = node
        shown = True
        while current is not None and shown:
            key = current.mem_id
            if key in self.known:
                shown = self.known[key]
                break
            path.append(key)
            shown = key not in self.boxes and current.tag not in NO_CONTENT
            current = current.parent
        self.known.update(dict.fromkeys(path, shown))
        return shown

    def around_headline(self) -> list[Unseen]:
        """What hides the headline of the page, if that is nowhere in sight, and what is hidden in the same way."""
        found: dict[int, Unseen] = {}
        for headline in self.headlines():
            if headline.mem_id not in self.texts and self.is_shown(headline):
                return []
            for key in (headline.mem_id, *ancestors(headline)):
                finding = self.boxes.get(key) or self.texts.get(key)
                if finding is not None:
                    found[key] = finding
        hiders = [one.source or one.box for one in found.values() if one.reason in FADING]
        keys, styles = {box.key for box in hiders}, {box.attribute("style") for box in hiders} - {""}
        for finding in (*self.boxes.values(), *self.texts.values()):
            hider = finding.source or finding.box
            if hider.key in keys or hider.attribute("style") in styles:
                found.setdefault(finding.box.key, finding)
        return [*found.values()]

    def headlines(self) -> Iterator[LexborNode]:
        """The headings that the title of the page names."""
        titles = [folded(one.attributes.get("content") or one.text()) for one in self.document.css(TITLES)]
        for node in self.document.css("h1")[:MOST_HEADLINES]:
            words = folded(node.text())
            if len(words) >= SHORTEST_HEADLINE and any(words in title for title in titles):
                yield node


def folded(text: str) -> str:
    return " ".join(text.split()).lower()


def ancestors(node: LexborNode) -> Iterator[int]:
    around = node.parent
    while around is not None:
        yield around.mem_id
        around = around.parent
