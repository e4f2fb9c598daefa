"""
Render the blocks: the chosen text of a page as Markdown, with the structure it has in the page.

The chosen part of the original tree is pruned, made safe and plain, and handed to html-to-markdown.
Text that would be read as Markdown of its own (an image, a link, a raw tag, a fence) is escaped: a page can write about
Markdown, it cannot speak it.
"""

import re
import unicodedata
from dataclasses import dataclass
from itertools import takewhile

from html_to_markdown import ConversionOptions, PreprocessingOptions, convert
from lxml.etree import SubElement, strip_tags, tostring

from seekread.extraction.choose import Choice, write
from seekread.extraction.links import safe_link
from seekread.extraction.signals import Tally
from seekread.extraction.tree import BACKSLASH, Element, body_of, drop, elements, text_of
from seekread.models import Link
from seekread.page.gate import gated

OPTIONS = ConversionOptions(
    extract_metadata=False,
    preprocessing=PreprocessingOptions(enabled=False),
    bullets="-",
    compact_tables=True,
    autolinks=False,
    br_in_tables=False,
    highlight_style="none",
)
ALT_LIMIT = 200
SHORTEST_ALT = 2
ROUND = str.maketrans("[]", "()")
PLAIN = "plain"
"""A tag that is no element of HTML: what it holds is plain text, and the tag itself goes before rendering."""
BLOCKS = frozenset(
    {
        "address", "article", "aside", "blockquote", "dd", "details", "div", "dl", "dt", "figcaption", "figure",
        "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "nav", "ol", "p",
        "pre", "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul",
    }
)  # fmt: skip
MARKED_BLOCKS = frozenset({"caption", "dt", "figcaption", "h1", "h2", "h3", "h4", "h5", "h6", "summary"})
"""Blocks that write marks before what they hold, on the same line."""
PICTURE_BLOCKS = frozenset({"p", "figure", "blockquote", "h1", "h2", "h3", "h4", "h5", "h6"})
"""Blocks in which a picture says something; in lists and tables pictures are mostly icons and repeat the text."""
KEPT_EMPTY = frozenset({"br", "hr", "wbr", "td", "th"})
PICTURES = frozenset({"img", "a", "picture", "span"})
CODES = frozenset({"code", "kbd", "samp", "tt"})
"""What is written between backticks."""
ATTRIBUTES = {
    "a": ("href",),
    "img": ("src", "alt"),
    "code": ("class",),
    "td": ("colspan", "rowspan"),
    "th": ("colspan", "rowspan"),
    "ol": ("start",),
}
SPOKEN = re.compile(
    r"!(?=\[)|(?<=\])\((?=\S)|<(?=[a-zA-Z/!?])|`+|~{3,}|(?<=\])[\[:]"
    r"|\A\((?=[\w.+-]*:|/|<|\w+\.)|\A:(?=\s*<?(?!https?:|mailto:)[A-Za-z&\\]\S*:)"
)
"""What in plain text would turn into an image, a link, raw HTML, a fence or a link definition."""
OWN_BACKSLASH = re.compile(r"\\(?=[!-/:-@\[-`{-~]|\Z)")
SPEAKING = re.compile(r"[\[\]<`~]|\A[(:]")
"""Without one of these a text says nothing; most texts have none."""
PERMALINKS = frozenset({"", "#", "¶", "§", "🔗", "link", "[edit]", "edit"})
PRICE_LIMIT = 30
PRICED = re.compile(r"price|cents|amount|currency", re.IGNORECASE)
CURRENCY = re.compile(r"[$€£¥₹]\s?[\d,. ]*\d$")
SPACES = re.compile(r"[ \t\r\n\f]+")
FENCE = re.compile(r"\s*(`{3,})")
BLANK_LINES = re.compile(r"\n{3,}")
DEFINITION = re.compile(r"[ \t]*(?:  |\\)\n: ")


@dataclass(frozen=True)
class LinkedMarkdown:
    """Markdown and the links in it."""

    markdown: str
    links: tuple[Link, ...]


def render(tree: Element, choice: Choice, base: str | None, tally: Tally, *, images: bool = False) -> LinkedMarkdown:
    """Render the chosen pieces of a tree; the tree is used up."""
    body = body_of(tree)
    prune(body, choice)
    write_images(body, base, tally, images=images)
    links = write_links(body, base, tally)
    write_prices(body)
    write_superscripts(body)
    write_definitions(body)
    odd = free_code(body)
    escape(body)
    strip_attributes(body)
    html = tostring(body, encoding="unicode", method="html")
    markdown = tidy_markdown(convert(html, OPTIONS).content or "")
    # Where code stood in odd places, what was meant as code may have become text after all.
    return LinkedMarkdown(gated(markdown).text if odd else markdown, links)


def prune(body: Element, choice: Choice) -> None:
    """Empty the slots that were not chosen and take out the elements that hold nothing any more."""
    alive: set[Element] = {body}
    for number, slot in enumerate(choice.slots):
        if number not in choice.kept:
            write(slot, None)
            continue
        holder = slot.element.getparent() if slot.tail else slot.element
        while holder is not None and holder not in alive:
            alive.add(holder)
            holder = holder.getparent()
    for parent in alive:
        for element in [child for child in parent if child not in alive]:
            if not stays(element, alive):
                drop(element)


def stays(element: Element, alive: set[Element]) -> bool:
    """Say whether an element without chosen text still shows something: a line break, a cell, a picture."""
    if element.tag in KEPT_EMPTY:
        return True
    return element.tag in PICTURES and any(shows_picture(image, alive) for image in element.iter("img"))


def shows_picture(image: Element, alive: set[Element]) -> bool:
    """Say whether a picture stands inside a block whose text was chosen."""
    block = next((parent for parent in image.iterancestors() if parent.tag in PICTURE_BLOCKS), None)
    return block is not None and block in alive


def write_images(body: Element, base: str | None, tally: Tally, *, images: bool) -> None:
    """Write pictures as `[image: …]`, and as links to them when they were asked for: never as images."""
    beside: dict[Element, str] = {}
    written: set[tuple[Element, str]] = set()
    for image in list(body.iter("img")):
        alt = SPOKEN.sub("", " ".join((image.get("alt") or "").split())[:ALT_LIMIT]).translate(ROUND)
        address = safe_link(image.get("src") or image.get("data-src") or "", base, tally) if images else ""
        parent = image.getparent()
        if address.startswith("http") and not any(above.tag == "a" for above in image.iterancestors()):
            image.tag, image.text = "a", f"image: {alt}" if alt else "image"
            image.set("href", address)
            continue
        if parent is None:
            continue
        if parent not in beside:
            beside[parent] = text_of(parent)
        repeated = alt in beside[parent] or (parent, alt) in written
        written.add((parent, alt))
        image.tag, image.text = PLAIN, " " if len(alt) <= SHORTEST_ALT or repeated else f" [image: {alt}] "
    strip_tags(body, PLAIN)


def write_links(body: Element, base: str | None, tally: Tally) -> tuple[Link, ...]:
    """Make every link safe and list them once each, in order."""
    found: dict[str, str] = {}
    for anchor in list(body.iter("a")):
        if anchor.getparent() is None:
            continue
        target = anchor.get("href") or ""
        text = text_of(anchor)
        if target.startswith("#") and text.lower() in PERMALINKS:
            drop(anchor)
            continue
        address = safe_link(target, base, tally)
        if not address or not text:
            unlink(anchor)
            continue
        found.setdefault(address, text[:ALT_LIMIT])
        anchor.set("href", address)
        narrow(anchor)
    strip_tags(body, PLAIN)
    return tuple(Link(text=text, url=url) for url, text in found.items())


def unlink(anchor: Element) -> None:
    """Keep what a link holds and forget where it leads."""
    anchor.tag = "div" if holds_blocks(anchor) else PLAIN


def holds_blocks(element: Element) -> bool:
    return any(child.tag in BLOCKS for child in element.iterdescendants("*"))


def narrow(anchor: Element) -> None:
    """Let a link around a whole card hold only its heading, or its first words."""
    if not holds_blocks(anchor):
        return
    target = next(anchor.iterdescendants("h1", "h2", "h3", "h4", "h5", "h6"), None)
    if target is None or not text_of(target):
        target = next((e for e in anchor.iterdescendants("*") if e.text and not e.text.isspace()), None)
    anchor.tag = "div"
    if target is None or target.tag in {"table", "tr", "ul", "ol", "pre", "code"}:
        return
    link = target.makeelement("a", {"href": anchor.get("href") or ""})
    link.text, target.text = target.text, None
    for child in list(target):
        if child.tag in BLOCKS:
            break
        link.append(child)
    target.insert(0, link)


def write_prices(body: Element) -> None:
    """Let a price be one word, whatever parts of it are bold."""
    for element in elements(body):
        if (
            element.tag in {"span", "div", "p"}
            and PRICED.search(element.get("class") or "")
            and len(text_of(element)) < PRICE_LIMIT
        ):
            strip_tags(element, "b", "strong", "em", "i")


def write_superscripts(body: Element) -> None:
    """Keep a power a power and the cents of a price behind a point: 10^6 is not 106, $12.99 not $1299."""
    for raised in list(body.iter("sup")):
        text = text_of(raised)
        before = text_before(raised)
        if not re.fullmatch(r"[-+\u2212]?\w{1,3}", text) or not before or not before[-1].isalnum() or len(raised):
            continue
        priced = any(PRICED.search(parent.get("class") or "") for parent in (raised, *list(raised.iterancestors())[:3]))
        if (priced or CURRENCY.search(before)) and re.fullmatch(r"\d\d", text):
            raised.text = "." + text
        elif before[-1].isdigit() and re.fullmatch(r"[-+\u2212]?\d{1,3}", text):
            raised.text = "^" + text


def text_before(element: Element) -> str:
    """The last words before an element inside its parent."""
    previous = element.getprevious()
    if previous is not None:
        return (previous.tail or "").strip() or text_of(previous)[-20:]
    parent = element.getparent()
    return (parent.text or "").rstrip()[-20:] if parent is not None else ""


def write_definitions(body: Element) -> None:
    """Write definition lists as terms followed by lines that start with a colon."""
    for listing in list(body.iter("dl")):
        term: Element | None = None
        for child in list(listing.iter("dt", "dd")):
            if holds_blocks(child):
                child.tag, term = "div", None
            elif child.tag == "dd" and term is not None and child.getparent() is term.getparent():
                append_definition(term, child)
            else:
                term = child if child.tag == "dt" else None
                child.tag = "p"
        listing.tag = "div"


def append_definition(term: Element, definition: Element) -> None:
    """Move a definition into the paragraph of its term, on a line of its own."""
    line = SubElement(term, "br")
    line.tail = f": {(definition.text or '').lstrip()}"
    for child in list(definition):
        term.append(child)
    drop(definition)


def free_code(body: Element) -> bool:
    """Let a block of code begin on a line of its own, and code in a line hold no blocks; say if any did not."""
    odd = [code for code in body.iter(*CODES) if not is_block_of_code(code) and holds_blocks(code)]
    for code in body.iter("pre"):
        odd += [
            above
            for above in takewhile(lambda above: above is not body, code.iterancestors())
            if above.tag not in BLOCKS or above.tag in MARKED_BLOCKS
        ]
    for element in odd:
        element.tag = "div"
    return bool(odd)


def escape(body: Element) -> None:
    """Escape what a page's text would otherwise say in Markdown."""
    for element in elements(body):
        if element.tag in CODES and not is_block_of_code(element):
            part_code(element)
        elif element.text and element.tag not in CODES:
            element.text = unspoken_piece(element.text, followed=len(element) > 0 or is_followed(element))
        if element.tail and element is not body:
            followed = element.getnext() is not None or is_followed(element.getparent())
            element.tail = unspoken_piece(element.tail, followed=followed)


def is_block_of_code(element: Element) -> bool:
    """Say whether code keeps its lines."""
    parent = element.getparent()
    return parent is not None and parent.tag == "pre"


def part_code(element: Element) -> None:
    """Keep code in a line from ending early: at a line break of its own, or where it meets more code."""
    element.text = SPACES.sub(" ", element.text or "")
    if not element.tail and starts_with_code(element):
        element.tail = " "


def starts_with_code(element: Element) -> bool:
    """Say whether what follows an element on its line is code."""
    while element.getnext() is None:
        above = element.getparent()
        if above is None or above.tag in BLOCKS or above.tail:
            return False
        element = above
    following: Element | None = element.getnext()
    while following is not None and following.tag not in CODES:
        if following.text or following.tail:
            return False
        following = next(iter(following), following.getnext())
    return following is not None


def is_followed(element: Element | None) -> bool:
    """Say whether another element, or a bracket, follows on the same line as an element ends."""
    while element is not None and element.tag not in BLOCKS:
        if element.tail:
            return element.tail.startswith("[")
        if element.getnext() is not None:
            return True
        element = element.getparent()
    return False


def unspoken_piece(text: str, *, followed: bool) -> str:
    """A piece of text that says nothing in Markdown, not even together with what follows it."""
    text = SPACES.sub(" ", text)
    # A backslash of the page's own would take the sense of the escape that follows it.
    text = OWN_BACKSLASH.sub(BACKSLASH * 2, text)
    if SPEAKING.search(text):
        text = SPOKEN.sub(escaped, text)
    # "Look!" before a link would make the link an image.
    return text[:-1] + BACKSLASH + "!" if followed and text.endswith("!") else text


def escaped(match: re.Match[str]) -> str:
    """The same characters with a backslash before each that Markdown would read, unless they have one."""
    before = match.string[: match.start()]
    if (len(before) - len(before.rstrip(BACKSLASH))) % 2:
        return match.group()
    return re.sub(r"[!\[(<`~:]", lambda character: BACKSLASH + character.group(), match.group())


def strip_attributes(body: Element) -> None:
    """Leave only the attributes that Markdown has a place for."""
    for element in elements(body):
        if element.attrib:
            kept = {name: value for name in ATTRIBUTES.get(str(element.tag), ()) if (value := element.get(name))}
            element.attrib.clear()
            for name, value in kept.items():
                element.set(name, value)


def tidy_markdown(markdown: str) -> str:
    """Normalise characters, trailing spaces and blank lines."""
    markdown = unicodedata.normalize("NFC", markdown.replace("\u00a0", " ").replace(BACKSLASH, "\\"))
    markdown = DEFINITION.sub("\n: ", markdown)
    lines: list[str] = []
    fence = ""
    for line in markdown.split("\n"):
        opening = FENCE.match(line)
        if opening and not fence:
            fence = opening[1]
        elif fence and line.strip() == fence:
            fence = ""
        elif not fence and line.startswith(">") and lines and lines[-1] and not lines[-1].startswith(">"):
            # Readers that split at blank lines would take the quote for part of the paragraph before it.
            lines.append("")
        lines.append(line if fence else line.rstrip() + ("  " if line.endswith("  ") else ""))
    return BLANK_LINES.sub("\n\n", "\n".join(lines)).strip()
