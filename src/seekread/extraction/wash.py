"""
Take out of a page what its readers cannot see, and count it.

What nobody sees is found by `visibility` (or by a browser, which marks it); here stands what may stay all the same,
each with evidence on the page and none by the name of a class:

- What a reader can open: closed `details`, `hidden=until-found`, a part that a control points to or stands before.
  It is kept, marked in the text and counted.
- What a script is about to show: text that fades in, in a page that has a script. It is kept and counted.
- What a telephone or a tablet shows. It is kept and counted.
- The readable half of a formula whose visible half has the same symbols.

Hidden text is removed from lexbor's document, not from the tree made of it: two parsers may nest one page differently.
"""

import re
from collections import Counter
from collections.abc import Mapping
from functools import cached_property
from itertools import islice
from typing import cast

from lxml.etree import Comment, XPath
from lxml.etree import _ElementUnicodeResult as Piece
from selectolax.lexbor import LexborHTMLParser, LexborNode

from seekread.extraction.markup import Box
from seekread.extraction.maths import formula_in, is_same_formula
from seekread.extraction.signals import Tally
from seekread.extraction.streamed import put_in_place
from seekread.extraction.tree import Element, body_of, drop
from seekread.extraction.visibility import (
    FADING,
    OPENABLE,
    OPENABLE_BY_ITSELF,
    SHOWN_ELSEWHERE,
    UNREADABLE,
    Sight,
    Unseen,
    is_for_screen_readers,
    look_at,
    marked_by_browser,
)
from seekread.extraction.waiting import LONGEST_LABEL, HiddenParts

KEPT = "data-seekread-kept"
"""Marks a part that is kept although it is closed, on its way from one tree to the other."""
CLOSED_MARK = "[hidden until opened]"
"""Stands before text that a reader of the page must open first."""
OPENED = "a reader can open it"
WAITING = "the page itself is hidden until a script runs"
UP = 4
"""Elements around a text whose visibility is inherited, among which the part that is opened is looked for."""
MOST_TABS = 20
FEWEST_FOLDS, MOST_FOLDS = 3, 100
LONGEST_QUESTION = 150
MOST_LABELLED = 0.8
PREFIXES = ("-webkit-", "-moz-", "-ms-")
PLAIN_NAME = re.compile(r"[\w :/.-]+")
UNDEFINED = FADING | {"display none"}
DEFINES = re.compile(r"customElements\s*\.\s*define|\.m?js\b")
"""A script that defines elements, or one that lies elsewhere and may."""
SHOWN_WHEN_DRAWN = re.compile(r"\.[\w-]+\s*\{\s*visibility\s*:\s*(?:inherit|visible)")
PRICE = re.compile(r"(?=\D*\d)(?:[^\W\d_]{0,3}[\d\s.,$€£¥₹%/*+\u2013-]+){1,3}[^\W\d_]{0,3}")
"""A number with a currency around it, or a range of two."""
PRICE_LIMIT = 40
TWINS = frozenset({"span", "sup", "i", "b", "em", "strong", "del", "ins", "bdi"})
LONG = XPath(".//text()[string-length() > 100]")
"""Pieces of text that are long enough to be stuffing."""
LEFT_OUT = XPath("count(//@title) + count(//@*[starts-with(name(), 'data-')])")
CONTROLS = (
    "[aria-controls], [data-target], [data-bs-target], [data-toggle], [data-bs-toggle], [aria-expanded], [role=tab], "
    "[popovertarget], [commandfor]"
)
SWITCHES = "button, [role=button], [aria-expanded]"
"""What opens and closes something."""
POINTERS = ("aria-controls", "data-target", "data-bs-target", "href", "popovertarget", "commandfor")
NO_PLACE = frozenset({"display none", "hidden", "visibility hidden"})
"""How a summary is hidden that nobody can click."""
NEXT = 3
"""Siblings on each side among which the other half of something is looked for."""
NO_SHEETS: Mapping[str, str] = {}


class Allowances:
    """What of a page may stay although it is not seen."""

    def __init__(self, document: LexborHTMLParser, *, rendered: bool = False) -> None:
        self.document = document
        self.rendered = rendered
        self.openings: dict[int, bool] = {}
        self.folds: dict[str, bool] = {}
        self.spoken: dict[str, bool] = {}
        self.opened: set[int] = set()
        """What a reader can open, as far as it was asked about."""

    def label(self, finding: Unseen) -> str | None:
        """Why a part stays: a reason to tell, an empty text when there is nothing to tell, `None` if it goes."""
        box, reason = finding.box, finding.reason
        if reason in OPENABLE_BY_ITSELF:
            return OPENED
        if reason == SHOWN_ELSEWHERE:
            return reason
        if reason == UNREADABLE:
            return None
        if (self.has_formulas and is_half_of_formula(box)) or (reason == "aria-hidden" and self.is_visible_twin(box)):
            return ""
        if reason in OPENABLE and (finding.clickable or any(self.opens(part) for part in self.hiders(finding))):
            self.opened.add(box.key)
            return OPENED
        if reason in FADING and any(around.key in self.opened for around in box.ancestors()):
            # What fades in when the part around it is opened is marked and counted with that.
            return ""
        if self.is_not_defined_yet(finding):
            return "shown by a script that draws its element"
        if reason in FADING and self.is_shown_by_script(finding):
            return "faded in by a script"
        return None

    def hiders(self, finding: Unseen) -> list[Box]:
        """The parts that a reader would have to open to see what was found."""
        if finding.source is not None:
            return [finding.source]
        return [finding.box, *islice(finding.box.ancestors(), UP * finding.texts)]

    @cached_property
    def has_formulas(self) -> bool:
        return self.document.css_first("math") is not None

    @cached_property
    def targets(self) -> frozenset[str]:
        """The ids that a control on the page opens."""
        ids: set[str] = set()
        for control in self.document.css(CONTROLS):
            attributes = control.attributes
            for name in POINTERS:
                ids.update(part.lstrip("#") for part in (attributes.get(name) or "").split())
        return frozenset(ids)

    @cached_property
    def scripts(self) -> str:
        """The scripts of the page: their words and their addresses."""
        return " ".join(f"{node.attributes.get('src') or ''} {node.text()}" for node in self.document.css("script"))

    def opens(self, box: Box) -> bool:
        """Say whether a reader can open this part; worked out once for each."""
        known = self.openings.get(box.key)
        if known is None:
            known = self.openings[box.key] = self.is_opened(box)
        return known

    def is_opened(self, box: Box) -> bool:
        """Say whether a control points to a part or stands before it, or whether it is one of several behind labels."""
        if box.attribute("role") == "tabpanel":
            return True
        for part in (box, box.parent):
            if part is not None and part.attribute("id") and part.attribute("id") in self.targets:
                return True
        before = label_before(box)
        if before is not None and (is_control(before) or before.node.css_first(SWITCHES) is not None):
            return True
        if is_pane(box):
            return True
        name = box.attribute("class")
        if name not in self.folds:
            self.folds[name] = is_fold(box)
        return self.folds[name]

    @cached_property
    def shows_when_drawn(self) -> bool:
        """Whether the page's style sheets show what they hide once a script has given it a class."""
        return any(SHOWN_WHEN_DRAWN.search(node.text() or "") for node in self.document.css("style"))

    def is_not_defined_yet(self, finding: Unseen) -> bool:
        """Say whether a text stands in an element of the page's own making, hidden until its script has drawn it."""
        source = finding.source or finding.box
        if finding.undefined:
            return finding.reason in UNDEFINED and DEFINES.search(self.scripts) is not None
        return finding.reason == "visibility hidden" and "-" in source.tag and self.shows_when_drawn

    def is_shown_by_script(self, finding: Unseen) -> bool:
        """Say whether a script shows what is hidden: it moves, or a script speaks of it by name."""
        if self.rendered or not self.scripts.strip():
            # Scripts that have run are left out of the copy; what still moves waits to be scrolled to.
            return finding.moving and (self.rendered or is_written_by_script(finding))
        if finding.moving:
            return True
        boxes = (one for one in (finding.box, finding.box.parent) if one is not None)
        return any(self.is_spoken_of(name) for one in boxes for name in names_of(one))

    def is_spoken_of(self, name: str) -> bool:
        """Say whether a script has a name as a word; looked for once."""
        known = self.spoken.get(name)
        if known is None:
            whole = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
            scripts, place = self.scripts, -1
            while (place := scripts.find(name, place + 1)) >= 0 and whole.match(scripts, place) is None:
                pass
            known = self.spoken[name] = place >= 0
        return known

    def may_be_shown_later(self, sight: Sight) -> bool:
        """Say whether there is something that could show a page which is hidden as a whole."""
        return not self.rendered and bool(self.scripts.strip() or sight.unread)

    @cached_property
    def addresses(self) -> Counter[str]:
        """How often each address is linked to."""
        return Counter(node.attributes.get("href") or "" for node in self.document.css("a[href]"))

    def is_repeated_link(self, box: Box) -> bool:
        """Say whether a link is kept from screen readers because another one leads to the same place."""
        return box.tag == "a" and box.attribute("tabindex") == "-1" and self.addresses[box.attribute("href")] > 1

    def waiting(self, sight: Sight, doomed: dict[int, Unseen], texts: list[Unseen]) -> list[Unseen]:
        """What waits for a script that shows the page, or all from its headline on."""
        found = [*doomed.values(), *texts]
        if not found or not self.may_be_shown_later(sight):
            return []
        parts = HiddenParts(self.document, doomed.values(), texts)
        fading = [finding for finding in found if finding.reason in FADING]
        if fading and parts.is_blank():
            return fading
        return [finding for finding in parts.around_headline() if self.can_wait(finding)]

    def can_wait(self, finding: Unseen) -> bool:
        """Say whether a script may be about to show something: it fades in, or a script speaks of it by name."""
        if finding.reason in FADING:
            return True
        return finding.reason == "display none" and any(map(self.is_spoken_of, names_of(finding.box)))

    def is_visible_twin(self, box: Box) -> bool:
        """Say whether an `aria-hidden` element is the visible half of a pair, or a mark between words."""
        if box.tag in TWINS and any(is_for_screen_readers(one) for one in neighbours(box)):
            return True
        if self.is_repeated_link(box):
            return True
        text = words_in(box.node)
        return len(text) <= PRICE_LIMIT and (PRICE.fullmatch(text) is not None or not any(map(str.isalnum, text)))


def is_written_by_script(finding: Unseen) -> bool:
    """
    Say whether a style is one that only programs write, for every browser there ever was.

    A copy of a page may have lost its scripts; the first frame of an animation that one of them plays is still there.
    """
    style = (finding.source or finding.box).attribute("style")
    return all(f"{prefix}transform:" in style for prefix in PREFIXES)


def names_of(box: Box) -> set[str]:
    """The names by which a script may speak of an element."""
    data = {name for name in box.attributes if name.startswith("data-")}
    return {name for name in {*box.classes, box.identifier, *data} if len(name) > 2}


def is_pane(box: Box) -> bool:
    """Say whether a box is one of several alike, with as many labels before them: tabs."""
    if box.parent is None or not box.classes:
        return False
    panes = [box, *islice(box.siblings_before(), MOST_TABS), *islice(box.siblings_after(), MOST_TABS)]
    if not 2 <= len(panes) <= MOST_TABS:
        return False
    if any(one.tag != box.tag or not one.classes & box.classes for one in panes):
        return False
    labels = box.parent.before
    while labels is not None and len(labels.children) == 1:
        labels = labels.children[0]
    if labels is None or not len(panes) <= len(labels.children) <= len(panes) + 1:
        return False
    return all(len(words_in(label.node)) <= LONGEST_LABEL for label in labels.children)


def is_fold(box: Box) -> bool:
    """Say whether a box is one of several alike on the page, each behind a label of its own: an accordion."""
    if not box.classes:
        return False
    name = box.attribute("class")
    alike = box.markup.document.css(f'[class="{name}"]') if PLAIN_NAME.fullmatch(name) else []
    folds = [box.markup.box(node) for node in alike[:MOST_FOLDS]]
    labels = [label_before(fold) for fold in folds]
    labelled = [label for label in labels if label is not None and 0 < len(words_in(label.node)) <= LONGEST_QUESTION]
    return len(folds) >= FEWEST_FOLDS and len(labelled) >= MOST_LABELLED * len(folds)


def label_before(box: Box) -> Box | None:
    """What stands before an element on the page; style sheets are written between the two by some programs."""
    return next((one for one in islice(box.siblings_before(), NEXT) if one.tag != "style"), None)


def is_control(box: Box) -> bool:
    """Say whether an element opens and closes something; what a summary opens is its `details` and nothing else."""
    return box.tag == "button" or box.attribute("role") == "button" or "aria-expanded" in box.attributes


def is_half_of_formula(box: Box) -> bool:
    """Say whether a hidden part and its visible neighbours are two halves of one formula."""
    if box.parent is None:
        return False
    formula = formula_in(box.node)
    if formula:
        return any(is_same_formula(glyphs_of(one), formula) for one in neighbours(box))
    return any((other := formula_in(one.node)) and is_same_formula(glyphs_of(box), other) for one in neighbours(box))


def glyphs_of(box: Box) -> str:
    """What an element shows of a formula: words, and the letters of pictures."""
    pictures = [box.node] if box.tag == "img" else box.node.css("img")
    return " ".join(
        (
            words_in(box.node),
            *(picture.attributes.get("alt") or "" for picture in pictures),
            *(chr(int(code, 16)) for code in GLYPHS.findall(box.node.html or "")),
        )
    )


def neighbours(box: Box) -> list[Box]:
    """The siblings next to an element, on both sides."""
    return [*islice(box.siblings_before(), NEXT), *islice(box.siblings_after(), NEXT)]


GLYPHS = re.compile(r"(?:mjx-c|data-c=\")([0-9A-F]{2,5})\b")
"""Letters that MathJax draws by number."""


def words_in(node: LexborNode) -> str:
    """The text of a node with white space collapsed."""
    return " ".join(node.text().split())


def remove_hidden(
    document: LexborHTMLParser,
    html: str,
    tally: Tally,
    *,
    rendered: bool = False,
    linked: Mapping[str, str] = NO_SHEETS,
) -> None:
    """Find what nobody sees of a document, and take it out."""
    if not rendered:
        put_in_place(document, tally)
    allowances = Allowances(document, rendered=rendered)

    def spares(finding: Unseen) -> bool:
        return allowances.label(finding) is not None

    sight = marked_by_browser(document, spares) if rendered else look_at(document, html, spares, linked)
    remove_unseen(sight, allowances, tally)
    sight.markup.forget()


def remove_unseen(sight: Sight, allowances: Allowances, tally: Tally) -> None:
    """Take what nobody sees out of a document, keep what may stay, and count both."""
    labels = [allowances.label(finding) for finding in sight.findings]
    # Asked again where the answer was no: what is around may have turned out to be opened since.
    labels = [
        allowances.label(finding) if label is None else label
        for finding, label in zip(sight.findings, labels, strict=True)
    ]
    doomed: dict[int, Unseen] = {}
    texts: list[Unseen] = []
    gone = {
        finding.box.key
        for finding, label in zip(sight.findings, labels, strict=True)
        if label is None and finding.box.tag == "summary" and finding.reason in NO_PLACE
    }
    for finding, label in zip(sight.findings, labels, strict=True):
        if label is None or (gone and is_shut(finding, gone, allowances)):
            if finding.texts:
                texts.append(finding)
            else:
                doomed[finding.box.key] = finding
        elif label:
            keep(finding, label, tally)
    texts = [finding for finding in texts if not is_doomed(finding.box, doomed)]
    waiting = allowances.waiting(sight, doomed, texts)
    for finding in waiting:
        keep(finding, WAITING, tally)
        doomed.pop(finding.box.key, None)
    stays = {id(finding) for finding in waiting}
    texts = [finding for finding in texts if id(finding) not in stays]
    for finding in texts:
        drop_texts(finding, tally)
    # The inner ones first would leave the outer ones with less to count.
    outermost = [finding for finding in doomed.values() if not is_doomed(finding.box.parent, doomed)]
    for finding in outermost:
        tally.removed(finding.reason, words_in(finding.box.node))
        finding.box.node.decompose()
    about_sight(sight, tally)


def closed_around(finding: Unseen) -> Box | None:
    """The closed `details` in which a part or words of theirs were found."""
    if finding.reason != "closed details":
        return None
    return finding.box if finding.texts else finding.box.parent


def is_shut(finding: Unseen, gone: set[int], allowances: Allowances) -> bool:
    """Say whether nobody can open the `details` around a part: their summary is gone, and nothing else opens them."""
    details = closed_around(finding)
    if details is None:
        return False
    summary = next((one for one in details.children if one.tag == "summary"), None)
    return summary is not None and summary.key in gone and not allowances.opens(details)


def is_doomed(box: Box | None, doomed: dict[int, Unseen]) -> bool:
    return box is not None and any(one.key in doomed for one in (box, *box.ancestors()))


def keep(finding: Unseen, label: str, tally: Tally) -> None:
    text = own_words(finding.box) if finding.texts else words_in(finding.box.node)
    if not text:
        return
    tally.note("hidden-text-kept", label, characters=len(text))
    if label in {OPENED, WAITING}:
        (closed_around(finding) or finding.box).node.attrs[KEPT] = "1"


def text_nodes(box: Box) -> list[LexborNode]:
    found, node = [], box.node.child
    while node is not None:
        if node.is_text_node:
            found.append(node)
        node = node.next
    return found


def own_words(box: Box) -> str:
    """The words that stand in an element directly."""
    return " ".join(" ".join((node.text_content or "") for node in text_nodes(box)).split())


def drop_texts(finding: Unseen, tally: Tally) -> None:
    tally.removed(finding.reason, own_words(finding.box))
    for node in text_nodes(finding.box):
        node.decompose()


def about_sight(sight: Sight, tally: Tally) -> None:
    """Tell what was not looked at."""
    if sight.unread:
        tally.note("styles-unread", "style sheets elsewhere were not looked at", count=sight.unread)
    if sight.exhausted or sight.cut:
        tally.note("styles-too-large", "the style sheets ask for too much work; they were read roughly")
    if sight.unseen_page:
        tally.note("hidden-text-kept", WAITING)
    characters = sum(len(own_words(finding.box)) for finding in sight.unjudged)
    if characters:
        tally.note("hidden-text-kept", "its colour depends on a style sheet elsewhere", characters=characters)


def wash(tree: Element, tally: Tally, written: bytes) -> None:
    """Remove comments, collapse stuffing, mark what is closed, and count everything; the tree was made of `written`."""
    if b"<!--" in written:
        drop_comments(tree, tally)
    body = body_of(tree)
    if KEPT.encode() in written:
        mark_closed(body)
    count_attributes(tree, tally)
    for text in cast("list[Piece]", LONG(body)):
        parent, name = text.getparent(), "tail" if text.is_tail else "text"
        whole = getattr(parent, name)
        collapsed = tally.collapse(whole)
        if collapsed != whole:
            setattr(parent, name, collapsed)


def mark_closed(body: Element) -> None:
    """Say in the text which parts a reader must open first."""
    for part in cast("list[Element]", body.xpath(f".//*[@{KEPT}]")):
        del part.attrib[KEPT]
        mark_first_words(part)


def mark_first_words(part: Element) -> None:
    """Put the mark before the first words of a part; a summary is in sight and stays without."""
    skipped: set[Element] = set()
    for element in part.iter("*"):
        if element.tag == "summary" or element.getparent() in skipped:
            skipped.add(element)
            if element.tag == "summary" and (element.tail or "").strip():
                element.tail = f"{CLOSED_MARK} {(element.tail or '').lstrip()}"
                return
            continue
        if (element.text or "").strip():
            element.text = f"{CLOSED_MARK} {(element.text or '').lstrip()}"
            return
        if element is not part and (element.tail or "").strip():
            element.tail = f"{CLOSED_MARK} {(element.tail or '').lstrip()}"
            return


def drop_comments(tree: Element, tally: Tally) -> None:
    """Remove every comment; those with text are counted."""
    for comment in list(tree.iter(Comment)):
        text = (comment.text or "").strip()
        if text:
            tally.note("comment", "removed", characters=len(text))
        drop(comment)


def count_attributes(tree: Element, tally: Tally) -> None:
    """Count the text in `title` and `data-` attributes; no attribute is ever rendered as text."""
    count = int(cast("float", LEFT_OUT(tree)))
    if count:
        tally.note("attributes", "title and data attributes left out", count=count)
