"""
Shapes of pages that Markdown has no word for, written with the words it has.

Before the blocks are chosen: boxes of tasks become `[x]`, headings leave the boxes that sites put around them, panels
learn the labels of their tabs, and what only serves the site (links to edit, to jump, buttons) goes. While the chosen
blocks are rendered: tables that only lay out a page become lists or paragraphs, notes become quotations.
"""

import re
from functools import lru_cache
from typing import cast

from lxml.etree import SubElement, strip_attributes
from selectolax.lexbor import LexborHTMLParser, LexborNode

from seekread.extraction.tree import Element, drop, text_of

SERVICE = (
    ".mw-editsection, .mw-jump-link, #jump-to-nav, .mw-hidden-catlinks, .mw-cite-backlink, #siteSub, #contentSub, "
    "a.skip-link, a.skip-to-content, a.skip-nav, a.skiplink, a.screen-reader-text"
)
"""What an encyclopedia and other sites write for those who edit or jump."""
BOXES = 'li input[type="checkbox"], li input[type="CHECKBOX"]'
LABEL = "data-seekread-label"
"""Carries the label of a tab to its panel, from one step to the next; what a page writes there is taken out.
The root carries it where some panel does."""
LONGEST_LABEL = 40
HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
HEADING_BOXES = ("markdown-heading", "mw-heading", "heading-wrapper", "header-wrapper", "anchor-heading")
HEADING_BOX = re.compile(rf"(?:^|\s)(?:{'|'.join(HEADING_BOXES)})(?:\s|$|\d)")
NOTE = re.compile(
    r"(?:^|[\s_-])(?:admonition|callout|markdown-alert|theme-admonition|custom-block|custom-container|infobox-note)(?:\s|$|[_-])"
    r"|(?:^|\s)alert-(?:info|warning|danger|success|primary|secondary)(?:\s|$)|(?:^|\s)alert--\w+",
    re.IGNORECASE,
)
NOTE_TITLE = re.compile(
    r"(?:admonition|callout|alert|custom-block|custom-container)[\w-]*(?:title|heading)", re.IGNORECASE
)
IN_A_LINE = frozenset(
    {
        "a", "abbr", "b", "bdi", "br", "cite", "code", "del", "em", "font", "i", "img", "ins", "kbd", "label", "mark",
        "q", "s", "samp", "small", "span", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr",
    }
)  # fmt: skip
FEWEST_ITEMS = 3
LONG_CELL = 400
"""A cell with blocks and so much text is a part of a page, not a value."""
NUMBER = re.compile(r"(\d{1,4})[.)]")


def tidy_document(document: LexborHTMLParser) -> None:
    """Take out what only serves the site, and write the boxes of tasks as text."""
    for node in document.css(SERVICE):
        node.decompose()
    for box in document.css(BOXES):
        attributes = box.attributes
        if "disabled" in attributes or "task" in (attributes.get("class") or ""):
            box.replace_with("[x] " if "checked" in attributes else "[ ] ")
    for button in document.css("button, [role=button]"):
        if is_mere_button(button):
            button.decompose()


def is_mere_button(button: LexborNode) -> bool:
    """Say whether a button only does something: it opens nothing, is no tab and no heading."""
    attributes = button.attributes
    if attributes.get("role") == "tab" or {"aria-expanded", "aria-controls", "data-toggle", "data-bs-toggle"} & set(
        attributes
    ):
        return False
    if len(button.text(strip=True)) > LONGEST_LABEL or button.css_first("h1, h2, h3, h4, h5, h6, p") is not None:
        return False
    above, steps = button.parent, 0
    while above is not None and steps < 3:
        if above.tag in {*HEADINGS, "summary", "dt", "p", "td", "th"}:
            return False
        above, steps = above.parent, steps + 1
    return True


def tidy_tree(tree: Element, written: bytes) -> None:
    """Let headings stand alone, and tell every panel the label of its tab; `written` is what the tree was made of."""
    if LABEL.encode() in written:
        strip_attributes(tree, LABEL)
    for button in list(tree.iter("button")) if b"<button" in written else ():
        if any(above.tag in HEADINGS for above in button.iterancestors()):
            button.tag = "span"
    if any(name.encode() in written for name in HEADING_BOXES):
        unbox_headings(tree)
    if b'role="tab"' in written:
        label_panels(tree)


@lru_cache(maxsize=2_000)
def is_heading_box(names: str) -> bool:
    """Say whether names are those of a box around a heading; looked at once, because pages repeat them."""
    return HEADING_BOX.search(names) is not None


def unbox_headings(tree: Element) -> None:
    """Put headings in the place of boxes that hold nothing else, as code hosts and encyclopedias write them."""
    for box in list(tree.iter("div", "header")):
        names, parent = box.get("class"), box.getparent()
        if not names or parent is None or not is_heading_box(names):
            continue
        headings = [child for child in box if child.tag in HEADINGS]
        if len(headings) != 1:
            continue
        if text_of(box) == text_of(headings[0]):
            headings[0].tail = box.tail
            parent.replace(box, headings[0])


def label_panels(tree: Element) -> None:
    """Write the label of each tab on its panel, by the address that one gives the other or by their order."""
    tabs = cast("list[Element]", tree.xpath(".//*[@role='tab']"))
    if not tabs:
        return
    panels = cast("list[Element]", tree.xpath(".//*[@role='tabpanel']"))
    by_id = {tab.get("id"): tab for tab in tabs if tab.get("id")}
    controlled = {name: tab for tab in tabs for name in (tab.get("aria-controls") or "").split()}
    in_order = dict(zip(panels, tabs, strict=True)) if len(panels) == len(tabs) else {}
    for panel in panels:
        named = (
            by_id.get(panel.get("aria-labelledby") or ""),
            controlled.get(panel.get("id") or ""),
            in_order.get(panel),
        )
        tab = next((tab for tab in named if tab is not None), None)
        label = text_of(tab) if tab is not None else ""
        if 0 < len(label) <= LONGEST_LABEL:
            panel.set(LABEL, label)
            tree.set(LABEL, "")


def write_labels(tree: Element, body: Element) -> None:
    """Write before each panel what its tab says, unless the panel says so itself."""
    if tree.get(LABEL) is None:
        return
    for panel in cast("list[Element]", body.xpath(f".//*[@{LABEL}]")):
        label = panel.get(LABEL) or ""
        if not text_of(panel).casefold().startswith(label.casefold()):
            line = panel.makeelement("p", {})
            SubElement(line, "strong").text = label
            line.tail, panel.text = panel.text, None
            panel.insert(0, line)


@lru_cache(maxsize=2_000)
def is_note(names: str) -> bool:
    """Say whether names are those of a note; looked at once, because pages repeat them."""
    return NOTE.search(names) is not None


def write_notes(body: Element) -> None:
    """Write notes and warnings as quotations whose first line is their title."""
    for box in list(body.iter("div", "aside", "section")):
        names = box.get("class")
        if not names or not is_note(names) or any(above.tag == "blockquote" for above in box.iterancestors()):
            continue
        title = next(
            (part for part in box.iter("*") if part is not box and NOTE_TITLE.search(part.get("class") or "")), None
        )
        if title is not None and text_of(title):
            word = text_of(title)
            for child in list(title):
                title.remove(child)
            title.tag, title.text = "p", None
            SubElement(title, "strong").text = word
        box.tag = "blockquote"


def write_layout_tables(body: Element) -> None:
    """Write tables that only lay out a page as what they lay out: lists of items, or paragraphs."""
    for table in list(body.iter("table")):
        if table.getparent() is not None and is_layout(table):
            rows = [row for row in table.iter("tr") if nearest_table(row) is table]
            starts = item_starts(rows)
            if starts:
                write_items(table, rows, starts)
            else:
                write_cells(table, rows)


def is_layout(table: Element) -> bool:
    """Say whether a table lays out a page: it says so, holds tables, stands in one that does, or holds whole parts."""
    if table.get("role") in {"presentation", "none"} or next(table.iterdescendants("table"), None) is not None:
        return True
    if next(table.iter("th", "caption", "thead"), None) is not None:
        return False
    cells = list(table.iter("td"))
    if any(len(text_of(cell)) > LONG_CELL and holds_blocks(cell) for cell in cells):
        return True
    return table.get("border") == "0" and any(LAID_OUT in above.attrib for above in table.iterancestors())


LAID_OUT = "data-seekread-layout"
"""Marks, while a tree is rendered, what was a table of a page's layout."""


def holds_blocks(cell: Element) -> bool:
    return any(child.tag not in IN_A_LINE for child in cell.iterdescendants("*"))


def nearest_table(row: Element) -> Element | None:
    return next((above for above in row.iterancestors() if above.tag == "table" or LAID_OUT in above.attrib), None)


def item_starts(rows: list[Element]) -> list[int]:
    """Where the items of a list begin that is laid out in rows: at numbers, or at a class that returns."""
    filled = [row for row in rows if text_of(row)]
    if any(holds_blocks(cell) for row in filled for cell in row.iter("td")) or len(filled) < FEWEST_ITEMS:
        return []
    numbered = [index for index, row in enumerate(rows) if NUMBER.fullmatch(first_word(row))]
    if len(numbered) >= FEWEST_ITEMS:
        return numbered
    first = filled[0].get("class")
    alike = [index for index, row in enumerate(rows) if text_of(row) and row.get("class") == first]
    return alike if len(alike) >= FEWEST_ITEMS else []


def first_word(row: Element) -> str:
    return next((text for cell in row.iter("td") if (text := text_of(cell))), "")


def write_items(table: Element, rows: list[Element], starts: list[int]) -> None:
    """Turn a table into a list, each item the rows from its start to the next; what stands before the first stays."""
    numbers = [NUMBER.fullmatch(first_word(rows[start])) for start in starts]
    ordered = all(numbers)
    listing = table.makeelement("ol" if ordered else "ul", {LAID_OUT: ""})
    if ordered and numbers[0] is not None:
        listing.set("start", numbers[0][1])
    listing.tail = table.tail
    for start, end in zip(starts, (*starts[1:], len(rows)), strict=True):
        item = SubElement(listing, "li")
        for row in rows[start:end]:
            if text_of(row):
                append_line(item, row, without=ordered and row is rows[start])
    parent = table.getparent()
    if parent is not None:
        parent.replace(table, listing)


def append_line(item: Element, row: Element, *, without: bool) -> None:
    """Append the cells of a row to an item as a line of its own, without its number if the list has numbers."""
    if len(item):
        SubElement(item, "br")
    cells = [cell for cell in row.iter("td") if text_of(cell)]
    for cell in cells[1:] if without else cells:
        cell.tag, cell.tail = "span", " "
        item.append(cell)


def write_cells(table: Element, rows: list[Element]) -> None:
    """Turn a table into boxes: each cell a part of its own, a row of short cells one line."""
    for row in rows:
        cells = [child for child in row if child.tag in {"td", "th"}]
        in_a_line = not any(holds_blocks(cell) for cell in cells)
        row.tag = "p" if in_a_line else "div"
        for cell in cells:
            cell.tag, cell.tail = ("span", " ") if in_a_line else ("div", cell.tail)
    for part in list(table.iter("tbody", "thead", "tfoot", "colgroup")):
        if nearest_table(part) is table:
            part.tag = "div"
    for part in list(table.iter("caption")):
        part.tag = "p"
    for part in list(table.iter("col")):
        drop(part)
    table.tag = "div"
    table.set(LAID_OUT, "")
