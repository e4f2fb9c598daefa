"""
Choose the blocks: which pieces of text of a page are its main content.

Two ways. trafilatura knows articles: it is asked first, on a copy in which every piece of text carries a private
mark, so that its answer can be read back onto the tree it came from and the original structure is rendered, not
trafilatura's. Pages that are not articles (products, listings, forums, service pages) lose most of their content that
way; for them the main part of the page is taken whole, without navigation, forms and link lists.

A piece of text is a *slot*: the text or the tail of one element. A choice is a set of slot numbers.
"""

import logging
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, cast

from lxml.etree import LxmlError

from seekread.extraction.tree import Element, body_of, elements, text_of

# Without a handler of its own trafilatura's remarks about odd pages would be printed by Python's last resort.
logging.getLogger("trafilatura").addHandler(logging.NullHandler())

Declared = Literal["article", "collection", "nothing"]
"""What a page says it is: an article, a product or list of things, or nothing."""
FIRST_MARK = 0xF0000
"""Marks are private-use characters; the wash removes any that a page brings along."""
MOST_MARKS = 20_000
"""Above so many pieces of text trafilatura takes seconds; the main part is taken instead."""
ARTICLE_SHORTEST = 200
"""An article has at least so many characters."""
ARTICLE_SHARE = 0.6
"""On a page that declares nothing, what trafilatura chose is believed if it is at least this share of the main part."""
DECLARED_SHARE = 0.025
"""On a page that declares itself an article, it is believed unless it is next to nothing of the page's text."""

STRUCTURAL = frozenset({"nav", "footer", "menu", "dialog", "head", "title", "label", "button", "option", "optgroup"})
"""Elements that are never content, whatever they hold."""
LOOSE = frozenset({"form", "aside"})
"""Elements that are content only when they hold most of the page."""
ROLES = frozenset(
    {
        "alertdialog",
        "banner",
        "complementary",
        "contentinfo",
        "dialog",
        "menu",
        "menubar",
        "menuitem",
        "navigation",
        "search",
        "tablist",
        "toolbar",
    }
)
BOILERPLATE = re.compile(
    r"(?:^|[\s_-])(?:nav|navbar|navigation|menu|submenu|breadcrumbs?|cookies?|consent|gdpr|onetrust"
    r"|newsletter|subscribe|social"
    r"|share|sharing|sharedaddy|sidebar|related|recommend(?:ed|ations?)|promo|advert(?:isement)?|ads?"
    r"|sponsor(?:ed)?|modal|popup"
    r"|drawer|offcanvas|skip|pagination|pager|login|signin|signup|footer|masthead|topbar|copyright|disqus"
    r"|upsell|cross-?sell"
    r"|recently-viewed|minicart|cart|wishlist|facets?)(?:$|[\s_-])",
    re.IGNORECASE,
)
"""Words in classes and ids that name what surrounds the content."""
MAIN = ".//main | .//*[@role='main'] | .//*[@id='main' or @id='content' or @id='main-content']"
LINK_LISTS = frozenset({"ul", "ol", "div", "section", "p", "table"})
HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
WHOLE = {
    "table": 0.3,
    "pre": 0.3,
    "dl": 0.3,
    "figure": 0.5,
    "p": 0.5,
    "li": 0.5,
    "blockquote": 0.5,
    "dd": 0.5,
    "dt": 0.5,
    **dict.fromkeys(HEADINGS, 0.5),
}
"""Blocks that are kept whole once this share of their text was chosen."""


class Slot(NamedTuple):
    """One piece of text: the text of an element, or what follows it inside its parent."""

    element: Element
    tail: bool
    text: str


@dataclass(frozen=True)
class Choice:
    """The slots of a tree and the numbers of those that were chosen."""

    slots: list[Slot]
    kept: frozenset[int]

    @property
    def characters(self) -> int:
        """How much text was chosen."""
        return sum(len(self.slots[number].text) for number in self.kept)


def slots_of(root: Element) -> list[Slot]:
    """Every piece of text below an element, in a fixed order."""
    found: list[Slot] = []
    for element in elements(root):
        if element.text and not element.text.isspace():
            found.append(Slot(element, tail=False, text=element.text))
        if element.tail and not element.tail.isspace() and element is not root:
            found.append(Slot(element, tail=True, text=element.tail))
    return found


def choose(tree: Element, declared: Declared = "nothing") -> Choice:
    """Choose the main content of a page; `declared` is what the page says it is."""
    slots = slots_of(tree)
    if declared == "article" and len(slots) <= MOST_MARKS:
        article = by_trafilatura(tree, slots)
        if article.characters > max(ARTICLE_SHORTEST, DECLARED_SHARE * sum(len(slot.text) for slot in slots)):
            return completed(article)
    main = Choice(slots, frozenset(main_part(tree, slots)))
    if declared == "nothing" and len(slots) <= MOST_MARKS and may_be_article(tree):
        article = by_trafilatura(tree, slots)
        if article.characters > max(ARTICLE_SHORTEST, ARTICLE_SHARE * main.characters):
            return completed(article)
    return main


def may_be_article(tree: Element) -> bool:
    """Say whether a page that declares nothing is worth trafilatura's time: one article, or no main part of its own."""
    return len(list(tree.iter("article"))) == 1 or not tree.xpath(MAIN)


def everything(tree: Element) -> Choice:
    """Choose all text of the body, for pages on which nothing else found any."""
    slots = slots_of(body_of(tree))
    return Choice(slots, frozenset(range(len(slots))))


def by_trafilatura(tree: Element, slots: list[Slot]) -> Choice:
    """The slots that trafilatura chooses."""
    from trafilatura import bare_extraction

    mark(slots)
    try:
        document = bare_extraction(tree, fast=True, include_comments=False, output_format="xml")
    except (LxmlError, ValueError, TypeError, AttributeError, LookupError, RecursionError):
        # A page that trafilatura stumbles over is read by the other way.
        return Choice(slots, frozenset())
    finally:
        unmark(slots)
    if document is None or isinstance(document, dict) or document.body is None:
        return Choice(slots, frozenset())
    text = "".join(cast("Iterable[str]", document.body.itertext()))
    marks = {ord(character) - FIRST_MARK for character in text if character >= "\U000f0000"}
    return Choice(slots, frozenset(mark for mark in marks if mark < len(slots)))


def mark(slots: list[Slot]) -> None:
    """Put before every piece of text the private character that stands for its number."""
    for number, slot in enumerate(slots):
        write(slot, chr(FIRST_MARK + number) + slot.text)


def unmark(slots: list[Slot]) -> None:
    """Put every piece of text back as it was."""
    for slot in slots:
        write(slot, slot.text)


def write(slot: Slot, text: str | None) -> None:
    """Put other text in the place of a slot's, or nothing."""
    if slot.tail:
        slot.element.tail = text
    else:
        slot.element.text = text


def completed(choice: Choice) -> Choice:
    """Complete blocks that were chosen for the most part: a table without half its cells is worth less than none."""
    whole: dict[Element, int] = {}
    chosen: dict[Element, int] = {}
    members: dict[Element, list[int]] = {}
    around: dict[Element | None, tuple[Element, ...]] = {None: ()}
    for number, slot in enumerate(choice.slots):
        for block in blocks_around(slot.element.getparent() if slot.tail else slot.element, around):
            members.setdefault(block, []).append(number)
            whole[block] = whole.get(block, 0) + len(slot.text)
            chosen[block] = chosen.get(block, 0) + (len(slot.text) if number in choice.kept else 0)
    result = set(choice.kept)
    for element, size in chosen.items():
        if size >= WHOLE[str(element.tag)] * whole[element]:
            result.update(members[element])
    for heading in headings_of(choice.slots, result, [block for block in members if block.tag in HEADINGS]):
        result.update(members[heading])
    return replace(choice, kept=frozenset(result))


def headings_of(slots: list[Slot], kept: set[int], headings: list[Element]) -> Iterator[Element]:
    """The headings that stand right before something that is kept: a section without its heading is hard to place."""
    alive: set[Element] = set()
    for number in kept:
        slot = slots[number]
        holder = slot.element.getparent() if slot.tail else slot.element
        while holder is not None and holder not in alive:
            alive.add(holder)
            holder = holder.getparent()
    for heading in reversed(headings):
        following = next((sibling for sibling in heading.itersiblings("*") if text_of(sibling)), None)
        if heading not in alive and following in alive:
            alive.add(heading)
            yield heading


def blocks_around(element: Element | None, known: dict[Element | None, tuple[Element, ...]]) -> tuple[Element, ...]:
    """The blocks an element stands in that may be kept whole; `known` remembers what was found before."""
    path: list[Element] = []
    while element is not None and element not in known:
        path.append(element)
        element = element.getparent()
    found = known[element]
    for step in reversed(path):
        found = (*found, step) if step.tag in WHOLE else found
        known[step] = found
    return found


@dataclass(frozen=True)
class Sizes:
    """Characters of text and of link text in every element, and the structural parts, which count as nothing."""

    text: dict[Element, int]
    links: dict[Element, int]
    structural: set[Element]


def measure(root: Element) -> Sizes:
    """Measure a tree once, from the leaves up."""
    text: dict[Element, int] = {}
    links: dict[Element, int] = {}
    structural: set[Element] = set()
    for element in reversed(list(elements(root))):
        if element is not root and is_structural(element):
            text[element] = links[element] = 0
            structural.add(element)
            continue
        size = len(element.text.strip()) if element.text else 0
        linked = 0
        for child in element:
            size += text.get(child, 0) + (len(child.tail.strip()) if child.tail else 0)
            linked += links.get(child, 0)
        text[element] = size
        links[element] = size if element.tag == "a" else linked
    return Sizes(text, links, structural)


def is_structural(element: Element) -> bool:
    """Say whether an element is navigation or another part that is never content."""
    tag = element.tag
    if tag in STRUCTURAL or element.get("role") in ROLES:
        return True
    if tag != "header":
        return False
    return not any(parent.tag in {"article", "main", "section"} for parent in element.iterancestors())


def main_part(tree: Element, slots: list[Slot]) -> set[int]:
    """The numbers of the slots in the main part of a page, without what surrounds the content."""
    body = body_of(tree)
    sizes = measure(body)
    if not sizes.text[body]:
        return set()
    root = main_root(body, sizes)
    named, linked = surroundings(root, sizes)
    kept: set[int] = set()
    for dropped in (named | linked, named, linked, set[Element]()):
        kept = inside(root, sizes.structural | dropped, slots)
        # A page made of links, or one whose classes mislead, is taken with fewer rules instead of nearly empty.
        if sum(len(slots[number].text.strip()) for number in kept) > 0.3 * sizes.text[root]:
            break
    return kept


def main_root(body: Element, sizes: Sizes) -> Element:
    """The element that holds the content: `main` or its like, a lone `article`, or the body."""
    total = sizes.text[body]
    candidates = cast("list[Element]", body.xpath(MAIN))
    if candidates:
        largest = max(candidates, key=lambda element: sizes.text.get(element, 0))
        size = sizes.text.get(largest, 0)
        if size > 0.3 * total or size > 1500:
            return largest
    articles = list(body.iter("article"))
    if len(articles) == 1 and sizes.text.get(articles[0], 0) > 0.4 * total:
        return articles[0]
    return body


def surroundings(root: Element, sizes: Sizes) -> tuple[set[Element], set[Element]]:
    """The parts below a root whose names, and those whose links, say that they are not content."""
    most = 0.4 * sizes.text[root]
    named: set[Element] = set()
    linked: set[Element] = set()
    for element in elements(root):
        size = sizes.text[element]
        if not 0 < size < most or element is root:
            continue
        if element.tag in LOOSE or is_named_boilerplate(element):
            named.add(element)
        elif sizes.links[element] > 0.8 * size and is_link_list(element, size):
            linked.add(element)
    return named, linked


def is_named_boilerplate(element: Element) -> bool:
    names = f"{element.get('class') or ''} {element.get('id') or ''}"
    return len(names) > 1 and BOILERPLATE.search(names) is not None


def is_link_list(element: Element, size: int) -> bool:
    """Say whether an element made of links is a list of short ones: a menu, not a list of results."""
    if element.tag not in LINK_LISTS:
        return False
    links = sum(1 for _ in element.iter("a"))
    return links >= 3 and size / links < 25


def inside(root: Element, dropped: set[Element], slots: list[Slot]) -> set[int]:
    """The slots below a root and outside everything dropped."""
    excluded: dict[Element | None, bool] = {None: True, root: False}

    def is_excluded(element: Element | None) -> bool:
        path: list[Element | None] = []
        while element not in excluded:
            path.append(element)
            element = cast("Element", element).getparent()
        verdict = excluded[element]
        for step in reversed(path):
            verdict = verdict or step in dropped
            excluded[step] = verdict
        return verdict

    return {
        number
        for number, slot in enumerate(slots)
        if not is_excluded(slot.element.getparent() if slot.tail else slot.element)
    }
