"""
Render the blocks: the chosen text of a page as Markdown, with the structure it has in the page.

The chosen part of the original tree is pruned, made safe and plain, and handed to `writer.py`.
Text that would be read as Markdown of its own (an image, a link, a raw tag, a fence) is escaped: a page can write about
Markdown, it cannot speak it.
"""

import re
import unicodedata
from functools import lru_cache
from itertools import takewhile

from lxml.etree import SubElement, strip_tags

from seekread.extraction import shapes
from seekread.extraction.blocks import Slot
from seekread.extraction.choose import Choice, write
from seekread.extraction.links import safe_link
from seekread.extraction.safe_html import safe_html
from seekread.extraction.signals import Tally
from seekread.extraction.tree import BACKSLASH, Element, body_of, drop, elements, text_of, words_of
from seekread.extraction.writer import CODES, SPACES, write_markdown
from seekread.late import dataclass
from seekread.models import Link
from seekread.page.gate import gated

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
BOXES = frozenset({"div", "p", "span", "a", "section", "center"})
"""What stands around a figure without being a part of the page by itself."""
CAPTION_LIMIT = 600
LAZY_SOURCES = ("data-src", "data-original", "data-lazy-src", "data-lazy", "data-srcset", "srcset")
ICON = re.compile(
    r"(?:^|[\s/_-])(?:icons?|avatar|logo|emoji|sprite|pixel|spacer|badge|gravatar)(?:[\s/_.-]|$)", re.IGNORECASE
)
ICON_SIZE = 40
KEPT_EMPTY = frozenset({"br", "hr", "wbr", "td", "th"})
PICTURES = frozenset({"img", "a", "picture", "span"})
SPOKEN = re.compile(r"!(?=\[)|(?<=\])[(\[:]|<(?=[a-zA-Z/!?]|\Z)|`+|~{3,}")
"""What in plain text would turn into an image, a link, raw HTML, a fence or a link definition."""
OWN_BACKSLASH = re.compile(r"\\(?=[!-/:-@\[-`{-~]|\Z)")
SPEAKING = re.compile(r"[\[\]<`~]")
"""Without one of these a text says nothing; most texts have none."""
MARKS = re.compile(r"[\[\]<`~\\\t\r\n\f]")
"""Without one of these, and without `(`, `:` or `!` at its ends, a text stands as it is; most texts have none."""
OPENING = frozenset("([:")
"""What makes a link, or the definition of one, of a bracket before it."""
PERMALINKS = frozenset({"", "#", "¶", "§", "🔗", "link", "[edit]", "edit"})
PRICE_LIMIT = 30
PRICED = re.compile(r"price|cents|amount|currency", re.IGNORECASE)
LOWERED = str.maketrans("0123456789+-\u2212", "₀₁₂₃₄₅₆₇₈₉₊₋₋")
RAISED = str.maketrans("0123456789+-\u2212", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻")
LOW = re.compile(r"[\d+\u2212-]{1,4}")
HIGH = re.compile(r"\d{0,2}[+\u2212-]|[23]|[-\u2212]\d{1,2}")
"""What is written raised after a letter: a charge, a square, a cube, a negative power; other figures are notes."""
CURRENCY = re.compile(r"[$€£¥₹]\s?[\d,. ]*\d$")
DEFINITION = re.compile(r"[ \t]*(?:  |\\)\n: ")


@dataclass(frozen=True)
class LinkedMarkdown:
    """Markdown, the links in it, and the same as HTML where that is wanted."""

    markdown: str
    links: tuple[Link, ...] = ()
    html: str = ""


def render(
    tree: Element, choice: Choice, base: str | None, tally: Tally, *, images: bool = False, html: bool = False
) -> LinkedMarkdown:
    """Render the chosen pieces of a tree, as HTML too if that is wanted; the tree is used up."""
    body = body_of(tree)
    prune(body, choice, images=images)
    written = safe_html(body, base, tally) if html else ""
    shapes.write_labels(tree, body)
    shapes.write_notes(body)
    shapes.write_layout_tables(body)
    write_images(body, base, tally, images=images)
    write_captions(body)
    links = write_links(body, base, tally)
    write_prices(body)
    write_superscripts(body)
    write_definitions(body)
    odd = free_code(body)
    escape(body)
    markdown = tidy_markdown(write_markdown(body))
    # Where code stood in odd places, what was meant as code may have become text after all.
    return LinkedMarkdown(gated(markdown).text if odd else markdown, links, written)


def prune(body: Element, choice: Choice, *, images: bool = False) -> None:
    """Empty the slots that were not chosen and take out the elements that hold nothing any more."""
    alive: set[Element] = {body}
    rest: list[Slot] = []
    for number, slot in enumerate(choice.slots):
        if number in choice.kept:
            enliven(holder_of(slot), alive)
        else:
            rest.append(slot)
    texted = set(alive) if images else alive
    # Whoever wants the pictures wants what is said about them; beside text alone the model decides.
    captions = captions_beside(body, alive) if images else set()
    for slot in rest:
        if images:
            holder = holder_of(slot)
            if captions and holder is not None and any(part in captions for part in (holder, *holder.iterancestors())):
                enliven(holder, alive)
                continue
            enliven(holder, texted)
        write(slot, None)
    lost = texted - alive
    for parent in filter(len, alive):
        for element in [child for child in parent if child not in alive]:
            if not stays(element, alive, lost, images=images):
                drop(element)


def holder_of(slot: Slot) -> Element | None:
    """The element that a piece of text stands in."""
    return slot.element.getparent() if slot.tail else slot.element


def enliven(holder: Element | None, alive: set[Element]) -> None:
    """Note an element that holds text, and all around it."""
    while holder is not None and holder not in alive:
        alive.add(holder)
        holder = holder.getparent()


def captions_beside(body: Element, alive: set[Element]) -> set[Element]:
    """The captions of figures that stand beside chosen text."""
    found: set[Element] = set()
    for caption in body.iter("figcaption"):
        figure = next((above for above in caption.iterancestors() if above.tag == "figure"), None)
        if figure is None or len(text_of(caption)) > CAPTION_LIMIT:
            continue
        box, parent, words = figure, figure.getparent(), text_of(figure)
        while parent is not None and parent not in alive and parent.tag in BOXES and text_of(parent) == words:
            box, parent = parent, parent.getparent()
        if parent in alive and any(beside in alive for beside in parent if beside is not box):
            found.add(caption)
    return found


def stays(element: Element, alive: set[Element], lost: set[Element], *, images: bool) -> bool:
    """Say whether an element without chosen text still shows something: a line break, a cell, a picture."""
    if element.tag in KEPT_EMPTY:
        return True
    if not images and element.tag not in PICTURES:
        return False
    return any(shows_picture(image, alive, lost, images=images) for image in element.iter("img"))


def shows_picture(image: Element, alive: set[Element], lost: set[Element], *, images: bool) -> bool:
    """Say whether a picture stands beside chosen text; where pictures are not asked for, in a block that has some."""
    if images:
        around = next((above for above in image.iterancestors() if above in alive or above in lost), None)
        return around in alive
    block = next((parent for parent in image.iterancestors() if parent.tag in PICTURE_BLOCKS), None)
    return block is not None and block in alive


def write_images(body: Element, base: str | None, tally: Tally, *, images: bool) -> None:
    """Write pictures as `[image: …]`, and as links to them when they were asked for: never as images."""
    beside: dict[Element, str] = {}
    written: set[tuple[Element, str]] = set()
    for image in list(body.iter("img")):
        alt = SPOKEN.sub("", " ".join((image.get("alt") or "").split())[:ALT_LIMIT]).translate(ROUND)
        address = safe_link(source_of(image), base, tally) if images and not is_icon(image) else ""
        parent = image.getparent()
        if address.startswith("http"):
            write_picture(image, f"image: {alt}" if alt else "image", address)
            continue
        if parent is None:
            continue
        if parent not in beside:
            beside[parent] = text_of(parent)
        repeated = alt in beside[parent] or (parent, alt) in written or is_captioned(image)
        written.add((parent, alt))
        image.tag, image.text = PLAIN, " " if len(alt) <= SHORTEST_ALT or repeated else f" [image: {alt}] "
    strip_tags(body, PLAIN)


def is_captioned(image: Element) -> bool:
    """Say whether a caption tells what a picture shows."""
    figure = next((above for above in image.iterancestors() if above.tag == "figure"), None)
    caption = next(figure.iter("figcaption"), None) if figure is not None else None
    return caption is not None and bool(text_of(caption))


def write_picture(image: Element, label: str, address: str) -> None:
    """Write a picture as a link to it, in the place of a link around it that holds nothing else."""
    around = next((above for above in image.iterancestors() if above.tag == "a"), None)
    image.tag, image.text = "a", label
    image.set("href", address)
    image.tail = image.tail or " "
    if around is not None and text_of(around) == label:
        around.tag = "span"
    elif around is not None:
        # A link cannot hold a link: the picture goes before it.
        tail, image.tail = image.tail, " "
        if tail:
            before = image.getprevious()
            if before is not None:
                before.tail = (before.tail or "") + tail
            else:
                holder = image.getparent()
                holder.text = (holder.text or "") + tail  # type: ignore[union-attr]
        around.addprevious(image)


def source_of(image: Element) -> str:
    """The address of a picture, which many pages keep elsewhere until it is scrolled to."""
    source = image.get("src") or ""
    if source and not source.startswith("data:"):
        return source
    for name in LAZY_SOURCES:
        if image.get(name):
            return (image.get(name) or "").split(",")[0].split(" ")[0]
    return ""


def is_icon(image: Element) -> bool:
    """Say whether a picture is a sign of the site and shows nothing of its own."""
    if ICON.search(f"{image.get('class') or ''} {image.get('src') or ''}"):
        return True
    sizes = [image.get("width") or "", image.get("height") or ""]
    return any(size.isdigit() and int(size) <= ICON_SIZE for size in sizes)


def write_captions(body: Element) -> None:
    """Let captions be paragraphs: emphasis around them would end at the first word that is emphasised in them."""
    for caption in list(body.iter("figcaption")):
        caption.tag = "div" if holds_blocks(caption) else "p"


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


@lru_cache(maxsize=2_000)
def is_priced(names: str) -> bool:
    """Say whether names are those of a price; looked at once, because pages repeat them."""
    return PRICED.search(names) is not None


def write_prices(body: Element) -> None:
    """Let a price be one word, whatever parts of it are bold."""
    for element in elements(body):
        if (
            element.tag in {"span", "div", "p"}
            and (names := element.get("class"))
            and is_priced(names)
            and len(text_of(element)) < PRICE_LIMIT
        ):
            strip_tags(element, "b", "strong", "em", "i")


def write_superscripts(body: Element) -> None:
    """Keep what is raised or lowered apart from what it follows: 10^6 is not 106, H₂O not H2O, $12.99 not $1299."""
    for raised in list(body.iter("sup", "sub")):
        text = text_of(raised)
        before = text_before(raised)
        if not re.fullmatch(r"[-+\u2212]?\w{1,3}[-+\u2212]?", text) or not before or len(raised):
            continue
        if raised.tag == "sub":
            raised.text = text.translate(LOWERED) if LOW.fullmatch(text) else text
            continue
        if not before[-1].isalnum():
            continue
        priced = any(is_priced(parent.get("class") or "") for parent in (raised, *list(raised.iterancestors())[:3]))
        if (priced or CURRENCY.search(before)) and re.fullmatch(r"\d\d", text):
            raised.text = "." + text
        elif before[-1].isdigit() and re.fullmatch(r"[-+\u2212]?\d{1,3}", text):
            raised.text = "^" + text
        elif HIGH.fullmatch(text):
            raised.text = text.translate(RAISED)


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
    for code in [code for code in body.iter(*CODES) if len(code) and not is_block_of_code(code)]:
        # Whatever stands in code is code.
        words = words_of(code)
        del code[:]
        code.text = words
    # A comment says nothing, but what stands behind it does.
    for element in body.iter():
        text, tail = element.text, element.tail
        if text and speaks(text) and element.tag not in CODES and isinstance(element.tag, str):
            followed = len(element) > 0 or is_followed(element)
            element.text = unspoken_piece(
                text, followed=followed, bracketed=text[0] in OPENING and is_bracketed(element)
            )
        if tail and speaks(tail) and element is not body:
            followed = element.getnext() is not None or is_followed(element.getparent())
            bracketed = tail[0] in OPENING and ends_with_bracket(element, before=is_bracketed(element))
            element.tail = unspoken_piece(tail, followed=followed, bracketed=bracketed)


def speaks(text: str) -> bool:
    """Say whether a piece of text may say something in Markdown, or has more spaces than a reader sees."""
    if text.isspace():
        # However much it is, it becomes one space between words.
        return False
    return text[0] in OPENING or text[-1] == "!" or "  " in text or MARKS.search(text) is not None


def is_block_of_code(element: Element) -> bool:
    """Say whether code keeps its lines."""
    parent = element.getparent()
    return parent is not None and parent.tag == "pre"


def is_followed(element: Element | None) -> bool:
    """Say whether another element, or a bracket, follows on the same line as an element ends."""
    while element is not None and element.tag not in BLOCKS:
        if element.tail:
            return element.tail.startswith("[")
        if element.getnext() is not None:
            return True
        element = element.getparent()
    return False


def is_bracketed(element: Element) -> bool:
    """Say whether what stands before an element on its line ends with a bracket."""
    while element.tag not in BLOCKS:
        before, around = element.getprevious(), element.getparent()
        if before is not None:
            if before.tail:
                return before.tail.endswith("]")
            if before.tag in BLOCKS:
                return False
            if isinstance(before.tag, str) and words_of(before):
                return ends_with_bracket(before, before=False)
            element = before
        elif around is None:
            return False
        elif around.text:
            return around.text.endswith("]")
        else:
            element = around
    return False


def ends_with_bracket(element: Element, *, before: bool) -> bool:
    """Say whether the last of the words in an element is a bracket; if it has none, what stands before it decides."""
    words = words_of(element) if isinstance(element.tag, str) else ""
    # Behind code stands a backtick.
    return words.endswith("]") and element.tag not in CODES if words else before


def unspoken_piece(text: str, *, followed: bool, bracketed: bool = False) -> str:
    """A piece of text that says nothing in Markdown, not even together with what follows it."""
    text = SPACES.sub(" ", text)
    if "\\" in text:
        # A backslash of the page's own would take the sense of the escape that follows it.
        text = OWN_BACKSLASH.sub(BACKSLASH * 2, text)
    if SPEAKING.search(text):
        text = SPOKEN.sub(escaped, text)
    if bracketed:
        # Together with the bracket before it this would be a link.
        text = BACKSLASH + text
    # "Look!" before a link would make the link an image.
    return text[:-1] + BACKSLASH + "!" if followed and text.endswith("!") else text


def escaped(match: re.Match[str]) -> str:
    """The same characters with a backslash before each that Markdown would read, unless they have one."""
    before = match.string[: match.start()]
    if (len(before) - len(before.rstrip(BACKSLASH))) % 2:
        return match.group()
    return re.sub(r"[!\[(<`~:]", lambda character: BACKSLASH + character.group(), match.group())


def tidy_markdown(markdown: str) -> str:
    """Normalise characters, and let a definition follow its term on the next line."""
    markdown = unicodedata.normalize("NFC", markdown.replace("\u00a0", " ").replace(BACKSLASH, "\\"))
    return DEFINITION.sub("\n: ", markdown) if "\n: " in markdown else markdown
