r"""
The gate: text from the web may be Markdown, it may not speak it.

Wherever Markdown is shown, an image sends a request without anybody clicking, a raw tag does what it likes, and a link
may run a script. So nothing that passes here makes an image, a tag, or a link to anything but the web or a mailbox,
whichever parser of CommonMark reads it.

- `gated` is for Markdown and text that somebody else wrote. Characters that nobody sees go first, for without them `!`
  and `[` may meet. Then a parser says what is code, which stays, and which spans are images. Everything else that could
  speak is escaped where it stands, by signs alone: parsers differ in what they take for a tag or a link, so whatever
  any of them might take for one is one. The rest stays byte for byte. That is done again until there is nothing left
  to do, which makes it idempotent; a text that does not come to rest becomes a block of code.
- `unspoken` is for plain text that our own writers put into Markdown.
"""

import html
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import field
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

from seekread.late import dataclass
from seekread.page.blocks import closes
from seekread.page.invisible import one_line, visible

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

SCHEMES = frozenset({"http", "https", "mailto"})
"""Where a link may lead, beside places without a scheme."""
MOST_TURNS = 5
"""Most texts rest after two. Each takes out what the one before has brought to light, such as an image in raw HTML."""
MOST_BRACKETS = 1000
"""A paragraph with more is not looked into: for those that never close a parser takes time squared."""
LONGEST_LABEL = 200
LONGEST_TARGET = 2000
SPEECH = re.compile(r"<(?=[A-Za-z/!?])|!(?=\[)|\](?=[(:])")
"""Where a tag, an autolink, an image, the target of a link or a definition may begin."""
TAG = re.compile(r"<(?:[!?]|/?[A-Za-z][A-Za-z0-9-]*(?:[\s/>]|\Z))")
AUTOLINK = re.compile(r"<([A-Za-z][A-Za-z0-9+.-]{1,31}):[^\x00-\x20<>]*>")
TARGET = re.compile(r"[\s>]*(?:<([^<>\n]{0,2000})>|([^\s<]\S{0,2000})?)", re.ASCII)
AFTER_TARGET = re.compile(r"\s*(?:[\"'()]|\Z)|[^\S\n]*\n", re.ASCII)
SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
CONTROL_OR_SPACE = re.compile(r"[\x00-\x20]")
PICTURE = re.compile(r"<img\b[^<>]{0,4000}>", re.IGNORECASE)
ALT = re.compile(r"\balt\s{0,5}=\s{0,5}(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.IGNORECASE)
SOURCE = re.compile(r"\ssrc\s{0,5}=\s{0,5}(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.IGNORECASE)
DANGLING = re.compile(r"\]:[ \t]*\Z")
NOT_PLAIN = re.compile(r"[ \t]|[-+*>|]|\d{1,9}[.)]|.*\]:")
"""A line that may belong to a list, a quotation or a definition."""
LINE_END = re.compile(r"\r\n?")
HEAD_OF_TABLE = re.compile(r"^[ \t|:-]*-[ \t|:-]*$", re.MULTILINE)
"""The line below the first of a table, for those who read tables."""
END_OF_CELL = re.compile(r"(?<!\\)\||\n")
RUN_OF_BACKTICKS = re.compile("`+")
BACKTICKS = re.compile(r"`{3,}")
PLAIN_SIGN = re.compile(r"\\[\s\S]|`+|<|!\[")
ODD_TARGET = re.compile(r"\]\([^)`(!\"'<]*[`(!\"'<]")
"""The target of a link that may hold a backtick or an image, which are none there."""
PLAIN_IMAGE = re.compile(
    r"!\[([^\[\]\\`<>!&*_\n]{0,300})\]\(([^\s()<>\\`&\"']{0,2000})(?: +\"[^\"\\`<>&\n]{0,300}\")?\)"
)
"""An image that every parser reads alike: plain words, a plain address, and perhaps a title."""
ANY_TAG = re.compile(
    r"<(?:[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\x00-\x20<>]*>"
    r"|[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9][a-zA-Z0-9.-]{0,200}>"
    r"|[A-Za-z][A-Za-z0-9-]*(?:\s+[a-zA-Z_:][a-zA-Z0-9:._-]*(?:\s*=\s*(?:[^\"'=<>`\x00-\x20]+|'[^']*'|\"[^\"]*\"))?)*\s*/?>"
    r"|/[A-Za-z][A-Za-z0-9-]*\s*>|!--[\s\S]*?-->|\?[\s\S]*?\?>|![A-Za-z][^>]*>|!\[CDATA\[[\s\S]*?\]\]>)"
)
"""A tag, an autolink or whatever else begins with a bracket and is no text."""
ROUND = str.maketrans("[]", "()")


@dataclass(frozen=True)
class GatedMarkdown:
    """Markdown that says nothing it may not; `comments` counts characters taken out, `as_code` says it did not rest."""

    text: str
    comments: int = 0
    as_code: bool = False


class SpanEdit(NamedTuple):
    """A span of a text and what stands there instead."""

    start: int
    end: int
    text: str


def gated(text: str, *, images: bool = False, comments: bool = True) -> GatedMarkdown:
    """
    Foreign Markdown or text, silenced.

    images: write an image as a link to it, `[image: alt](https://…)`, and not only as its label
    comments: keep comments of HTML as text, as a reader of plain text sees them
    """
    text = LINE_END.sub("\n", visible(text)).strip()
    dropped = 0
    for _ in range(MOST_TURNS):
        if says_nothing(text):
            return GatedMarkdown(text, dropped)
        reading = read(text)
        if not comments and (edits := [*comment_edits(text, reading)]):
            dropped += sum(edit.end - edit.start for edit in edits)
            text = edited(text, edits).strip()
            continue
        edits = [*image_edits(text, reading, images=images)]
        edits += speech_edits(text, reading, besides=edits, images=images)
        if not edits:
            return GatedMarkdown(text, dropped)
        before, text = text, edited(text, edits)
        if stays_as_read(before, edits, reading) and is_silent(text, reading.after(edits), images=images):
            return GatedMarkdown(text, dropped)
    return GatedMarkdown(code_block(text), dropped, as_code=True)


def says_nothing(text: str) -> bool:
    """Say whether a text is silent even if none of it is code, as most are: those need no parser."""
    return is_silent(text, MarkdownReading())


def is_silent(text: str, reading: "MarkdownReading", *, images: bool = False) -> bool:
    """Say whether nothing outside of code is left to change."""
    return next(speech_edits(text, reading, besides=[], images=images), None) is None


def stays_as_read(text: str, edits: list[SpanEdit], reading: "MarkdownReading") -> bool:
    """
    Say whether a parser would read an edited text as it read the text before, so that it need not be asked again.

    It would if only the insides of paragraphs are changed: no line, no bracket that could define something or begin the
    target of a link, and no backtick, since code is only believed where every backtick of its paragraph belongs to it.
    """
    return all(
        reading.in_paragraph(edit)
        and "\n" not in text[edit.start : edit.end]
        and "`" not in edit.text
        and "]:" not in edit.text
        and not (edit.text.endswith("]") and text.startswith(("(", "[", ":"), edit.end))
        for edit in edits
    )


def code_block(text: str, language: str = "") -> str:
    """A block of code whose fence is longer than any run of backticks inside."""
    longest = max((len(run) for run in BACKTICKS.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text.strip()}\n{fence}"


def unspoken(text: str) -> str:
    """Plain text as a piece of Markdown that says nothing: the same words, what could speak escaped."""
    return edited(text, [edit for match in SPOKEN.finditer(text) if (edit := muted(text, match)) is not None])


def unspoken_paragraph(text: str) -> str:
    """Plain text as a paragraph of its own that is neither a heading nor a quotation."""
    return MARK.sub(r"\\\g<0>", unspoken(text), count=1)


def link_text(text: str) -> str:
    """Plain text between the brackets of a link: nothing in it ends them, and nothing in it speaks."""
    return re.sub(r"[\[\]\\<`]", r"\\\g<0>", text)


def shown_address(url: str) -> str:
    """An address on one line that says nothing: signs that no address is made of stand there as their codes."""
    host = HOST_IN_BRACKETS.match(address := one_line(url))
    kept = host.end() if host else 0
    return address[:kept] + NOT_OF_ADDRESSES.sub(lambda sign: f"%{ord(sign[0]):02X}", address[kept:])


def cut_markdown(text: str, limit: int) -> str:
    """The beginning of Markdown that is too long, cut where nothing that was closed stands open."""
    end = text.rfind("\n\n", limit // 2, limit)
    return text[:end] if end > 0 else unspoken(text[:limit])[:limit]


HOST_IN_BRACKETS = re.compile(r"[A-Za-z]+://\[[0-9A-Fa-f:.]+\]")
NOT_OF_ADDRESSES = re.compile(r"[<>\[\]`\\]")
MARK = re.compile(r"#{1,6}(?=\s|\Z)|>")
SPOKEN = re.compile(r"<(?=[A-Za-z/!?])|!(?=\[)|(?<=\])[(\[:]|`{3,}|~{3,}")
"""What in plain text would become a tag, an image, a link, a definition or a fence."""


def muted(text: str, match: re.Match[str]) -> SpanEdit | None:
    """The escape of a sign in plain text, unless the text escapes it by itself."""
    start = match.start()
    if match[0] == "<" and in_address(text, start):
        return SpanEdit(start, match.end(), "&lt;")
    if is_escaped(text, start):
        return None
    return SpanEdit(start, match.end(), "".join(f"\\{sign}" for sign in match[0]))


def in_address(text: str, place: int) -> bool:
    """Say whether a bare address goes on up to a place: who links those takes a backslash for a part of it."""
    furthest = max(0, place - LONGEST_TARGET)
    run = text[max(furthest, *(text.rfind(space, furthest, place) for space in " \t\n")) : place].lower()
    return "://" in run or "www." in run


def is_escaped(text: str, place: int) -> bool:
    """Say whether a backslash that is none itself stands before a place."""
    slashes = place
    while slashes and text[slashes - 1] == "\\":
        slashes -= 1
    return bool((place - slashes) % 2)


def edited(text: str, edits: list[SpanEdit]) -> str:
    """A text with its edits made; none lies inside another."""
    pieces, position = [], 0
    for edit in sorted(edits):
        pieces += [text[position : edit.start], edit.text]
        position = edit.end
    return "".join((*pieces, text[position:]))


def leads_elsewhere(target: str) -> bool:
    """Say whether a target, as it is written, leads to anything but the web, a mailbox or a relative place."""
    plain = CONTROL_OR_SPACE.sub("", html.unescape(ESCAPE.sub(r"\1", target)))
    scheme = SCHEME.match(plain)
    return scheme is not None and scheme[1].lower() not in SCHEMES


# What a parser knows


class Picture(NamedTuple):
    """An image in a text: its span, its words and its address."""

    start: int
    end: int
    alt: str
    address: str


@dataclass
class MarkdownReading:
    """What a parser says about a text: which spans are code, and where its images are."""

    code: list[tuple[int, int]] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    paragraphs: list[tuple[int, int]] = field(default_factory=list)
    """The lines of paragraphs, headings and the like that define nothing."""

    def in_code(self, place: int) -> bool:
        """Say whether a place stands in code."""
        return end_of_span(self.code, place) > place

    def in_paragraph(self, edit: SpanEdit) -> bool:
        """Say whether an edit changes one paragraph and nothing else."""
        return end_of_span(self.paragraphs, edit.start) >= edit.end

    def after(self, edits: list[SpanEdit]) -> "MarkdownReading":
        """The same code where it stands after edits outside of it."""
        ends = [edit.end for edit in sorted(edits)]
        moves = [0, *accumulate(len(edit.text) - (edit.end - edit.start) for edit in sorted(edits))]
        moved = [(start + moves[at := bisect_right(ends, start)], end + moves[at]) for start, end in self.code]
        return MarkdownReading(code=moved)


def end_of_span(spans: list[tuple[int, int]], place: int) -> int:
    """Where the span ends in which a place lies; 0 if it lies in none."""
    at = bisect_right(spans, (place, 1 << 62)) - 1
    return spans[at][1] if at >= 0 and spans[at][0] <= place < spans[at][1] else 0


def read(text: str) -> MarkdownReading:
    """Parse a text, as far as it matters."""
    reading = MarkdownReading()
    lines = text.split("\n")
    starts = [*accumulate((len(line) + 1 for line in lines), initial=0)]
    parser = parser_of_speech()
    environment: dict[str, Any] = {}
    sure = True
    for token in parser.parse(text, environment):
        if token.map is None:
            continue
        first, last = token.map
        # A fence that one parser opens and another closes turns code and text about, down to the end.
        sure = sure and (token.type != "fence" or is_a_fence_for_sure(token, lines))
        if sure and is_code_for_sure(token, lines):
            # What stands behind an opening fence is no code.
            reading.code.append((starts[first + (token.type == "fence")], starts[last] - 1))
        elif token.type == "inline" and not says_nothing(token.content):
            if "]:" not in token.content:
                reading.paragraphs.append((starts[first], starts[last] - 1))
            look_inside(token, text, starts, environment, reading)
    reading.code.sort()
    return reading


def is_code_for_sure(token: "Token", lines: list[str]) -> bool:
    """Say whether a block is code for every parser: what is indented may still belong to a list above it."""
    return token.type == "fence" or (
        token.type == "code_block" and not token.level and follows_plain_lines(lines, (token.map or [0])[0] - 1)
    )


def is_a_fence_for_sure(token: "Token", lines: list[str]) -> bool:
    """Say whether every parser opens code here: not after the beginning of a definition, nor in the head of a table."""
    first, last = token.map or [0, 0]
    if "|" in token.info or (first and DANGLING.search(lines[first - 1])):
        return False
    if token.level:
        return last - first > 1 and closes(lines[last - 1], token.markup)
    return not lines[first][:1].isspace() or follows_plain_lines(lines, first - 1)


def follows_plain_lines(lines: list[str], above: int) -> bool:
    """Say whether the last paragraph up to a line belongs to no list, quotation or definition."""
    while above >= 0 and not lines[above].strip():
        above -= 1
    while above >= 0 and lines[above].strip():
        if NOT_PLAIN.match(lines[above]):
            return False
        above -= 1
    return True


def look_inside(
    token: "Token", text: str, starts: list[int], environment: dict[str, Any], reading: MarkdownReading
) -> None:
    """Find the code and the images of one paragraph, heading or the like."""
    if ("`" not in token.content and "![" not in token.content) or token.content.count("[") > MOST_BRACKETS:
        return
    places = places_of(token, text, starts)
    if places is None:
        return
    spans = plain_spans(token.content)
    if spans is None:
        spans = parsed_spans(token.content, environment)
    codes = sum(inner is None for *_, inner in spans)
    # Where a run of backticks has no partner, parsers pair them in different ways.
    paired = 2 * codes == len(RUN_OF_BACKTICKS.findall(token.content))
    if paired and HEAD_OF_TABLE.search(token.content):
        # Who reads tables pairs them cell by cell, and so all that follow in another way.
        paired = not any(END_OF_CELL.search(token.content[start:end]) for start, end, inner in spans if inner is None)
    for start, end, image in spans:
        here, there = places[start], places[end - 1] + 1
        if image is not None:
            reading.pictures.append(Picture(here, there, *image))
        # Others end code at the end of a line or of a cell, or take its first sign for a part of an address.
        elif paired and not {"\n", "|"} & set(token.content[start:end]) and not in_address(token.content, start):
            reading.code.append((here, there))


InlineSpan = tuple[int, int, tuple[str, str] | None]
"""A span of code, or of an image with its words and its address."""


def parsed_spans(content: str, environment: dict[str, Any]) -> list[InlineSpan]:
    """The code and the images of a paragraph, as the parser reads it."""
    spans: list[tuple[int, int, Token]] = []
    parser = parser_of_speech()
    parser.inline.parse(content, parser, {**environment, "spans": spans, "whole": content}, [])
    return [
        (start, end, (words_of(inner), str(inner.attrs["src"])) if inner.type == "image" else None)
        for start, end, inner in spans
    ]


def plain_spans(content: str) -> list[InlineSpan] | None:
    """
    The same without a parser, which takes ten times as long; `None` where only that can tell.

    Code, tags and autolinks come before brackets, and whatever begins first. So a paragraph is plain if each of its
    images is written out and holds nothing but words, and no target of a link holds anything of the kind.
    """
    if ODD_TARGET.search(content):
        return None
    spans: list[InlineSpan] = []
    position = 0
    while found := PLAIN_SIGN.search(content, position):
        start, position = found.start(), found.end()
        if found[0][0] == "`":
            end = end_of_code(content, found[0], position)
            if end:
                spans.append((start, end, None))
                position = end
        elif found[0] == "<":
            tag = ANY_TAG.match(content, start)
            position = tag.end() if tag else position
        elif found[0] == "![":
            image = PLAIN_IMAGE.match(content, start)
            if image is None:
                return None
            spans.append((start, image.end(), (image[1], image[2])))
            position = image.end()
    return spans


def end_of_code(content: str, ticks: str, position: int) -> int:
    """Where code ends that so many backticks begin; 0 if nothing ends it."""
    while (place := content.find(ticks, position)) >= 0:
        position = place + len(ticks)
        while content.startswith("`", position):
            position += 1
        if position - place == len(ticks):
            return position
    return 0


def words_of(token: "Token") -> str:
    """The words inside an image, however they are written."""
    inside = token.children or []
    return "".join(
        words_of(child) if child.children else child.content or " " * (child.tag == "br") for child in inside
    )


def places_of(token: "Token", text: str, starts: list[int]) -> list[int] | None:
    """Where in the text each character of a token stands; `None` if its lines are not found again."""
    places: list[int] = []
    for number, line in enumerate(token.content.split("\n"), start=(token.map or [0])[0]):
        bare = line.lstrip()
        start = starts[number]
        at = text.rfind(bare, start, starts[number + 1] - 1)
        if at < 0:
            return None
        places += [max(start, at - ahead) for ahead in range(len(line) - len(bare), 0, -1)]
        places += range(at, at + len(bare) + 1)
    return places


@cache
def parser_of_speech() -> "MarkdownIt":
    """A parser of CommonMark that believes every address, and reads what is inside a block only when asked."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").disable("inline")
    parser.validateLink = lambda url: True  # type: ignore[method-assign]  # noqa: ARG005
    parser.normalizeLink = lambda url: url  # type: ignore[method-assign]
    for name in ("backticks", "image"):
        remember_spans(parser, name)
    return parser


def remember_spans(parser: "MarkdownIt", name: str) -> None:
    """Have a rule of the parser note which characters it took; the parser itself forgets."""
    rules = parser.inline.ruler
    rule = next(entry.fn for entry in rules.__rules__ if entry.name == name)

    def remembering(state: "StateInline", silent: bool) -> bool:
        start, before = state.pos, len(state.tokens)
        found = rule(state, silent)
        # The words of an image are read as a text of their own, with places of their own.
        if found and not silent and len(state.tokens) > before and state.src is state.env.get("whole"):
            state.env["spans"].append((start, state.pos, state.tokens[-1]))
        return found

    rules.at(name, remembering)


# What is changed


def comment_edits(text: str, reading: MarkdownReading) -> Iterator[SpanEdit]:
    """Take the comments out; one that never ends is text, as it is for Markdown."""
    position = 0
    while (start := text.find("<!--", position)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        if reading.in_code(start):
            position = start + 4
            continue
        yield SpanEdit(start, end + 3, "")
        position = end + 3


def image_edits(text: str, reading: MarkdownReading, *, images: bool) -> Iterator[SpanEdit]:
    """Write images as labels, or as links when they were asked for."""
    for picture in reading.pictures:
        if not is_escaped(text, picture.start):
            yield SpanEdit(picture.start, picture.end, label(picture.alt, picture.address if images else ""))


def label(alt: str, address: str) -> str:
    """What is said of an image: its words, and where it is if that is asked for and on the web."""
    words = unspoken(" ".join(alt.split())[:LONGEST_LABEL].translate(ROUND).rstrip("\\"))
    named = f"[image: {words}]" if words else "[image]"
    plain = html.unescape(address).strip()
    if not re.match(r"https?://[^\s<>()\[\]\\`]{1,2000}\Z", plain, re.IGNORECASE):
        return named
    return f"{named}({plain})"


def speech_edits(text: str, reading: MarkdownReading, *, besides: list[SpanEdit], images: bool) -> Iterator[SpanEdit]:
    """Escape whatever could speak outside of code and of what is changed anyway."""
    done = sorted((edit.start, edit.end) for edit in besides)
    taken = MarkdownReading(code=done)
    after = 0
    for match in SPEECH.finditer(text):
        start = match.start()
        if start < after or reading.in_code(start) or taken.in_code(start):
            continue
        edit = spoken(text, match, images=images)
        if edit is not None:
            after = edit.end
            yield edit


def spoken(text: str, match: re.Match[str], *, images: bool) -> SpanEdit | None:
    """What to write instead of a sign that could speak; nothing if it does not."""
    start, sign = match.start(), match[0]
    if sign == "<":
        return silent_tag(text, start, images=images)
    if is_escaped(text, start):
        return None
    if sign == "!":
        return SpanEdit(start, start + 1, "\\!")
    following = start + 1
    return SpanEdit(following, following + 1, f"\\{text[following]}") if speaks_of_elsewhere(text, following) else None


def silent_tag(text: str, start: int, *, images: bool) -> SpanEdit | None:
    """A tag as text, an image of HTML as its label; what only looks like a tag stays."""
    link = AUTOLINK.match(text, start)
    if not (link and link[1].lower() not in SCHEMES) and not TAG.match(text, start):
        return None
    address = in_address(text, start)
    if not address and is_escaped(text, start):
        return None
    if picture := PICTURE.match(text, start):
        words, source = attribute(ALT, picture[0]), attribute(SOURCE, picture[0])
        return SpanEdit(start, picture.end(), label(words, source if images else ""))
    return SpanEdit(start, start + 1, "&lt;" if address else "\\<")


def attribute(pattern: re.Pattern[str], tag: str) -> str:
    found = pattern.search(tag)
    return html.unescape(next(filter(None, found.groups()), "")) if found else ""


def speaks_of_elsewhere(text: str, place: int) -> bool:
    """Say whether what follows a bracket is a target, and leads elsewhere than it may."""
    target = TARGET.match(text, place + 1)
    if target is None or not AFTER_TARGET.match(text, target.end()):
        return target is not None and ")" in target[0] and leads_elsewhere(target[1] or target[2] or "")
    return leads_elsewhere(target[1] or target[2] or "")
