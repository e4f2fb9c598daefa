"""
E-mail (`.eml`, and `.mbox` with several) as Markdown: who wrote what to whom and when, the text, and what is attached.

Of a message in two versions the one a mail program shows is read, the HTML, washed like a page. Nothing is fetched,
and nothing that is attached is opened.
"""

import email
import re
from collections.abc import Iterator
from email.errors import MessageError
from email.header import decode_header, make_header
from email.message import Message
from email.utils import parsedate_to_datetime

from seekread.errors import Unreadable
from seekread.extraction.charset import decode
from seekread.extraction.extracted import Extracted
from seekread.extraction.html import read_fragment
from seekread.extraction.options import ExtractOptions
from seekread.extraction.prescan import tame
from seekread.extraction.signals import Tally
from seekread.extraction.text import read_text, shown
from seekread.page.blocks import with_fence_closed
from seekread.page.gate import gated, unspoken
from seekread.page.invisible import one_line

SHOWN = ("From", "To", "Cc", "Date")
LONGEST_HEADER = 1000
MOST_MESSAGES = 200
MOST_PARTS = 500
ENVELOPE = re.compile(rb"^From [^\s]{1,300} [^\n]{10,80}\r?\n(?=[A-Za-z][A-Za-z0-9-]{1,60}: )", re.MULTILINE)
"""The line before each message of a mailbox, followed by a header."""
LOCKED = frozenset({"multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime"})


def read_mail(body: bytes, options: ExtractOptions, tally: Tally) -> Extracted:
    """One message, or all of a mailbox one after another."""
    starts = [found.end() for found in ENVELOPE.finditer(body)]
    if not starts or body[: starts[0]].strip().count(b"\n"):
        return read_message(parsed_message(body), options, tally)
    ends = [*(found.start() for found in ENVELOPE.finditer(body)), len(body)][1:]
    messages = [body[start:end] for start, end in zip(starts, ends, strict=True)]
    read: list[Extracted] = []
    for number, message in enumerate(messages):
        if number >= MOST_MESSAGES or sum(len(one.markdown) for one in read) > options.characters:
            tally.note("messages-left-out", "the mailbox is longer than what is read of it",
                       count=len(messages) - number)  # fmt: skip
            break
        read.append(read_message(parsed_message(message), options, tally))
    return Extracted(
        markdown=shown(gated("\n\n".join(one.markdown for one in read), images=options.images), tally),
        title=read[0].title,
        metadata={"messages": str(len(messages))},
        links=tuple(link for one in read for link in one.links),
    )


def parsed_message(body: bytes) -> Message:
    """The parts of a message."""
    try:
        return email.message_from_bytes(body)
    except (MessageError, ValueError, RecursionError):
        raise Unreadable("bad_reply", "the message is damaged and cannot be read") from None


def read_message(message: Message, options: ExtractOptions, tally: Tally) -> Extracted:
    """Subject, people, date, text and the list of what is attached."""
    if message.get_content_type() in LOCKED:
        raise Unreadable("paywalled", "the message is encrypted and can be read by its receiver only")
    subject = header(message, "Subject", tally)
    lines = [f"- {name}: {unspoken(value)}" for name in SHOWN if (value := header(message, name, tally))]
    text = read_body(message, options, tally)
    attached = [f"- {unspoken(about)}" for about in attachments(message, tally)]
    parts = [
        f"# {unspoken(subject)}" if subject else "",
        "\n".join(lines),
        with_fence_closed(text.markdown),
        "\n".join(["## Attachments", "", *attached]) if attached else "",
    ]
    metadata = {"author": header(message, "From", tally), "published": day_of(header(message, "Date", tally))}
    return Extracted(
        # A fence that the text leaves open must not swallow what follows.
        markdown=shown(gated("\n\n".join(filter(None, parts)), images=options.images), tally),
        title=subject,
        metadata={name: value for name, value in metadata.items() if value},
        links=text.links,
    )


def header(message: Message, name: str, tally: Tally) -> str:
    """A header on one line, decoded."""
    raw = message.get(name)
    if raw is None:
        return ""
    try:
        text = str(make_header(decode_header(str(raw)[: 4 * LONGEST_HEADER])))
    except (MessageError, ValueError, LookupError):
        text = str(raw)
    return one_line(tally.clean_characters(text))[:LONGEST_HEADER]


def day_of(date: str) -> str:
    """The day of a date as mail programs write it, or an empty string."""
    try:
        return parsedate_to_datetime(date).date().isoformat()
    except ValueError:
        return ""


def leaves(message: Message) -> Iterator[Message]:
    """The parts that hold something, those of attached messages left out."""
    waiting, count = [message], 0
    while waiting and count < MOST_PARTS:
        part = waiting.pop(0)
        count += 1
        inside = part.get_payload()
        if part.get_content_maintype() == "multipart" and isinstance(inside, list):
            waiting = [one for one in inside if isinstance(one, Message)] + waiting
        else:
            yield part


def is_attached(part: Message) -> bool:
    """Say whether a part is a file beside the text."""
    return part.get_content_disposition() == "attachment" or part.get_content_maintype() != "text"


def read_body(message: Message, options: ExtractOptions, tally: Tally) -> Extracted:
    """The text of a message: HTML where there is some, plain text otherwise."""
    texts = [part for part in leaves(message) if not is_attached(part)]
    pages = [part for part in texts if part.get_content_subtype() == "html"]
    read = [
        html_of(part, options, tally) if part in pages else read_text(text_of_part(part), options, tally)
        for part in pages or texts
    ]
    links = {link.url: link for one in read for link in one.links}
    return Extracted(markdown="\n\n".join(one.markdown for one in read if one.markdown), links=tuple(links.values()))


def html_of(part: Message, options: ExtractOptions, tally: Tally) -> Extracted:
    content = read_fragment(tame(text_of_part(part)).html, None, tally, images=options.images, wash=True)
    return Extracted(markdown=content.markdown, links=content.links)


def text_of_part(part: Message) -> str:
    """The text of a part in its own encoding."""
    payload = part.get_payload(decode=True)
    body = payload if isinstance(payload, bytes) else b""
    charset = part.get_content_charset() or ""
    return decode(body, f"{part.get_content_type()}; charset={charset}" if charset else "").text


def attachments(message: Message, tally: Tally) -> Iterator[str]:
    """What is attached: name, type and size; none of it is opened."""
    for part in leaves(message):
        if not is_attached(part):
            continue
        name = one_line(tally.clean_characters(str(part.get_filename() or "")))[:200]
        payload = part.get_payload(decode=True)
        size = f", {len(payload):,} bytes" if isinstance(payload, bytes) else ""
        yield f"{name or 'without a name'} ({part.get_content_type()}{size})"
