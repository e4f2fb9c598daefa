"""
Markdown of pages from the web as HTML that cannot do anything.

Every character of the page is escaped; the only tags are those written here: headings, paragraphs, lists, code, quotes,
tables, rules, emphasis, and links to http and https addresses. Raw HTML stays visible text, images become links, and
an address of any other scheme leaves its text behind. Nesting and lookahead are bounded, so that no page takes long.

Each block carries the offset of its first character as `id="c<offset>"`: that is where the outline and the places
found on the page jump to.
"""

import re
from collections.abc import Iterator
from dataclasses import field
from html import escape
from urllib.parse import urlsplit

from markupsafe import Markup

from seekread.late import dataclass
from seekread.page.blocks import FENCE, HEADING, ITEM, RULE, closes, heading_text, underlined

DEEPEST = 8
"""Lists and quotes nested deeper than this are shown as plain paragraphs, emphasis as plain text."""

QUOTE = re.compile(r" {0,3}>[ ]?")
ROW = re.compile(r"[ \t]*\|")
DIVIDER = re.compile(r"[ \t]*\|(?:[ \t]*:?-+:?[ \t]*\|)+[ \t]*$")
CELLS = re.compile(r"(?<!\\)\|")
LANGUAGE = re.compile(r"[\w+#.-]{1,30}")

INLINE = re.compile(
    r"""
    \\(?P<escaped>[!-/:-@\[-`{-~])
  | (?P<break>[ ]{2,}\n|\\\n)
  | (?<!`)(?P<ticks>`{1,8})(?!`)(?P<code>(?:[^\n]|\n){1,2000}?)(?<!`)(?P=ticks)(?!`)
  | (?P<image>!?)\[(?P<text>(?:[^\[\]\\]|\\.|\[[^\[\]\n]{0,200}\]){0,1000})\]
      \((?P<url><[^<>\n]{0,2000}>|(?:[^()\s<>\\]|\\.|\([^()\s]{0,200}\)){0,2000})(?:[ \t]+"[^"\n]{0,300}")?\)
  | <(?P<auto>https?://[^\s<>"'`]{1,2000})>
  | (?<![\w*])\*{3}(?=[^\s*])(?P<both>(?:[^\\*]|\\.){1,300}?)(?<=\S)\*{3}(?![\w*])
  | (?P<strong>(?<!\*)\*\*|(?<!\w)__)(?=\S)(?P<strong_text>(?:[^\\]|\\.){1,300}?)(?<=\S)(?P=strong)(?!\w|\*(?!\*))
  | (?P<em>(?<![\w*])\*|(?<!\w)_)(?![\s*_])(?P<em_text>(?:[^\\]|\\.){1,300}?)(?<=\S)(?P=em)(?![\w*])
  | ~~(?=\S)(?P<deleted>(?:[^\\]|\\.){1,300}?)(?<=\S)~~
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True)
class RenderedMarkdown:
    """HTML that is safe to show, and the offsets of the blocks that can be jumped to."""

    html: Markup
    anchors: tuple[int, ...]


@dataclass(frozen=True)
class Line:
    """A line without its end, and where it begins in the page."""

    text: str
    offset: int

    def cut(self, characters: int) -> "Line":
        """The same line without its first characters."""
        return Line(self.text[characters:], self.offset + characters)


@dataclass
class Renderer:
    """Renders one text; `anchored` says whether blocks get an `id`."""

    anchored: bool = True
    anchors: list[int] = field(default_factory=list)

    def blocks(self, lines: list[Line], depth: int = 0) -> Iterator[str]:
        """The HTML of a run of lines, block by block."""
        place = 0
        while place < len(lines):
            line = lines[place]
            if not line.text.strip():
                place += 1
                continue
            end = self.end_of_block(lines, place, depth)
            yield from self.block(lines[place:end], depth)
            place = end

    def end_of_block(self, lines: list[Line], start: int, depth: int) -> int:
        """Where the block that begins on a line ends."""
        first = lines[start].text
        if depth < DEEPEST and QUOTE.match(first):
            return while_matching(lines, start, QUOTE)
        if fence := FENCE.match(first):
            return end_of_fence(lines, start, fence["mark"])
        if HEADING.match(first) or RULE.match(first):
            return start + 1
        if ROW.match(first):
            return while_matching(lines, start, ROW)
        if depth < DEEPEST and (item := ITEM.match(first)):
            return end_of_list(lines, start, item)
        if underlined(*(line.text for line in lines[start : start + 2])):
            return start + 2
        return end_of_paragraph(lines, start, depth)

    def block(self, lines: list[Line], depth: int) -> Iterator[str]:
        """The HTML of one block."""
        first = lines[0]
        if depth < DEEPEST and QUOTE.match(first.text):
            yield from self.quotation(lines, depth)
        elif fence := FENCE.match(first.text):
            yield self.code(lines, fence)
        elif heading := HEADING.match(first.text):
            yield self.heading(first, len(heading[1]))
        elif RULE.match(first.text):
            yield "<hr>"
        elif ROW.match(first.text):
            yield from self.table(lines)
        elif depth < DEEPEST and (item := ITEM.match(first.text)):
            yield from self.listing(lines, item, depth)
        elif level := underlined(*(line.text for line in lines[:2])):
            yield self.heading(first, level)
        else:
            yield from self.paragraph(lines)

    def heading(self, line: Line, level: int) -> str:
        """A heading. The page's title is the only h1; its own headings begin below it."""
        tag = f"h{min(6, level + 1)}"
        return f"<{tag}{self.anchor(line)}>{inline(heading_text(line.text))}</{tag}>"

    def quotation(self, lines: list[Line], depth: int) -> Iterator[str]:
        """A quotation and the blocks inside it."""
        yield f"<blockquote{self.anchor(lines[0])}>"
        inside = [line.cut(found.end()) for line in lines if (found := QUOTE.match(line.text))]
        yield from self.blocks(inside, depth + 1)
        yield "</blockquote>"

    def code(self, lines: list[Line], fence: re.Match[str]) -> str:
        """Fenced code, indented as in the page."""
        closed = len(lines) > 1 and closes(lines[-1].text, fence["mark"])
        indent = len(fence["indent"])
        inside = [unindented(line.text, indent) for line in lines[1 : -1 if closed else None]]
        language = LANGUAGE.match(fence["info"].strip())
        named = f' data-language="{escape(language[0])}"' if language else ""
        # A block that scrolls must be reachable with the keyboard.
        return f'<pre{self.anchor(lines[0])}{named} tabindex="0"><code>{escape(chr(10).join(inside))}</code></pre>'

    def table(self, lines: list[Line]) -> Iterator[str]:
        """A table; the row above the divider is its head."""
        yield f'<div class="table"{self.anchor(lines[0])} role="group" aria-label="Table" tabindex="0"><table>'
        rows = [line.text for line in lines]
        if len(rows) > 1 and DIVIDER.match(rows[1]):
            yield f"<thead>{table_row(rows[0], 'th')}</thead>"
            rows = rows[2:]
        yield "<tbody>"
        yield from (table_row(text, "td") for text in rows if not DIVIDER.match(text))
        yield "</tbody></table></div>"

    def listing(self, lines: list[Line], first: re.Match[str], depth: int) -> Iterator[str]:
        """A list, each item with the blocks below it."""
        number = first["number"]
        start = f' start="{int(number)}"' if number and int(number) != 1 else ""
        tag = "ol" if number else "ul"
        yield f"<{tag}{start}>"
        for item in items(lines, first):
            marker = ITEM.match(item[0].text)
            width = marker.start("rest") if marker else 0
            inside = [item[0].cut(width), *(line.cut(indent_of(line.text, width)) for line in item[1:])]
            yield f"<li{self.anchor(item[0])}>"
            yield from self.item(inside, depth + 1)
            yield "</li>"
        yield f"</{tag}>"

    def item(self, lines: list[Line], depth: int) -> Iterator[str]:
        """The content of an item: a first paragraph needs no tag of its own."""
        if not lines[0].text.strip() or self.end_of_block(lines, 0, depth) != end_of_paragraph(lines, 0, depth):
            yield from self.blocks(lines, depth)
            return
        end = end_of_paragraph(lines, 0, depth)
        yield inline(joined(lines[:end]))
        yield from self.blocks(lines[end:], depth)

    def paragraph(self, lines: list[Line]) -> Iterator[str]:
        """A paragraph; lines that begin with a colon define the term above them."""
        if len(lines) > 1 and all(line.text.startswith(": ") for line in lines[1:]):
            yield f"<dl{self.anchor(lines[0])}><dt>{inline(lines[0].text)}</dt>"
            yield from (f"<dd>{inline(line.text[2:])}</dd>" for line in lines[1:])
            yield "</dl>"
        else:
            yield f"<p{self.anchor(lines[0])}>{inline(joined(lines))}</p>"

    def anchor(self, line: Line) -> str:
        """The `id` of a block."""
        if not self.anchored:
            return ""
        self.anchors.append(line.offset)
        return f' id="c{line.offset}"'


def render(text: str, *, offset: int = 0) -> RenderedMarkdown:
    """Markdown as safe HTML; `offset` is where the text begins in its page."""
    renderer = Renderer()
    html = "\n".join(renderer.blocks(lines_of(text, offset)))
    return RenderedMarkdown(Markup(html), tuple(sorted(set(renderer.anchors))))  # noqa: S704 - escaped piece by piece above


def render_part(text: str) -> Markup:
    """Markdown as safe HTML that is shown beside the page, without anchors of its own."""
    return Markup("\n".join(Renderer(anchored=False).blocks(lines_of(text, 0))))  # noqa: S704 - as above


def lines_of(text: str, offset: int) -> list[Line]:
    """The lines of a text with their offsets; the only line end is the line feed, as everywhere in the reader."""
    found: list[Line] = []
    for line in text.split("\n"):
        found.append(Line(line, offset))
        offset += len(line) + 1
    return found


def inline(text: str, depth: int = 0) -> str:
    """Emphasis, code and links of a run of text; everything else is escaped."""
    if depth > DEEPEST:
        return escape(text)
    pieces: list[str] = []
    done = 0
    for match in INLINE.finditer(text):
        pieces += [escape(text[done : match.start()]), inline_element(match, depth + 1)]
        done = match.end()
    return "".join([*pieces, escape(text[done:])])


def inline_element(match: re.Match[str], depth: int) -> str:
    """The HTML of one inline element."""
    if match["escaped"]:
        return escape(match["escaped"])
    if match["break"]:
        return "<br>"
    if match["code"] is not None:
        return f"<code>{escape(match['code'].strip())}</code>"
    if match["auto"]:
        return link(match["auto"], escape(match["auto"]))
    if match["text"] is not None:
        shown = inline(match["text"], depth)
        return link(match["url"].strip("<>"), f"image: {shown}" if match["image"] else shown)
    if match["both"]:
        return f"<strong><em>{inline(match['both'], depth)}</em></strong>"
    for name, tag in (("strong_text", "strong"), ("em_text", "em"), ("deleted", "del")):
        if match[name]:
            return f"<{tag}>{inline(match[name], depth)}</{tag}>"
    return escape(match[0])


def link(url: str, shown: str) -> str:
    """A link to a web address around HTML that is already safe; the text alone for any other address."""
    address = web_address(re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", url))
    # A link inside a link is not HTML: only the outer one counts.
    shown = re.sub(r"</?a\b[^>]*>", "", shown)
    if address is None or not shown.strip():
        return shown
    return f'<a href="{escape(address)}" rel="noopener noreferrer nofollow">{shown}</a>'


def web_address(url: str) -> str | None:
    """An absolute http or https address as it may stand in `href`; `None` for everything else."""
    if any(ord(character) <= 0x20 or ord(character) == 0x7F for character in url):
        return None
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    return url if parts.scheme in {"http", "https"} and parts.netloc and "\\" not in url else None


def table_row(text: str, tag: str) -> str:
    """A row of a table. The reader writes line breaks inside a cell as `<br>`."""
    cells = CELLS.split(text.strip().removeprefix("|").removesuffix("|"))
    shown = (" ".join(inline(part.strip()) for part in cell.split("<br>")) for cell in cells)
    return "<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for cell in shown) + "</tr>"


def joined(lines: list[Line]) -> str:
    """The lines of a paragraph as one text; trailing spaces are kept because two of them break the line."""
    return "\n".join(line.text.lstrip() for line in lines).rstrip()


def while_matching(lines: list[Line], start: int, pattern: re.Pattern[str]) -> int:
    end = start + 1
    while end < len(lines) and pattern.match(lines[end].text):
        end += 1
    return end


def end_of_fence(lines: list[Line], start: int, mark: str) -> int:
    """A fence that is never closed runs to the end."""
    for place in range(start + 1, len(lines)):
        if closes(lines[place].text, mark):
            return place + 1
    return len(lines)


def end_of_paragraph(lines: list[Line], start: int, depth: int) -> int:
    """A paragraph ends before a blank line and before anything that begins a block of its own."""
    interrupting = (HEADING, RULE, FENCE, ROW) if depth >= DEEPEST else (HEADING, RULE, FENCE, ROW, QUOTE, ITEM)
    end = start + 1
    while end < len(lines):
        text = lines[end].text
        if not text.strip() or any(pattern.match(text) for pattern in interrupting):
            break
        end += 1
    return end


def end_of_list(lines: list[Line], start: int, first: re.Match[str]) -> int:
    """A list goes on over items of its kind, what is indented below them, and blank lines between those."""
    end = start + 1
    while (following := next_written(lines, end)) < len(lines):
        text, after_blank = lines[following].text, following > end
        if not belongs(text, first) and (after_blank or begins_block(text)):
            break
        end = following + 1
    return end


def next_written(lines: list[Line], start: int) -> int:
    """The first line from here on that is not blank, or the end."""
    while start < len(lines) and not lines[start].text.strip():
        start += 1
    return start


def belongs(text: str, first: re.Match[str]) -> bool:
    """Whether a line is an item of a list or indented below one."""
    margin = width_of(first["indent"])
    if width_of(text) > margin + 1:
        return True
    item = ITEM.match(text)
    same_kind = item is not None and bool(item["number"]) == bool(first["number"])
    return same_kind and not RULE.match(text) and width_of(text) >= margin


def begins_block(text: str) -> bool:
    return any(pattern.match(text) for pattern in (HEADING, RULE, FENCE, ROW, QUOTE, ITEM))


def items(lines: list[Line], first: re.Match[str]) -> Iterator[list[Line]]:
    """The lines of each item of a list."""
    margin = width_of(first["indent"])
    current: list[Line] = []
    for line in lines:
        if current and ITEM.match(line.text) and width_of(line.text) <= margin + 1:
            yield current
            current = []
        current.append(line)
    yield current


def width_of(text: str) -> int:
    """How far a line is indented; a tab counts as four."""
    return sum(4 if character == "\t" else 1 for character in text[: len(text) - len(text.lstrip(" \t"))])


def indent_of(text: str, most: int) -> int:
    """How many characters of indentation to take off, at most so many."""
    return min(most, len(text) - len(text.lstrip(" \t")))


def unindented(text: str, most: int) -> str:
    return text[indent_of(text, most) :]
