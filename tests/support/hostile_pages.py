"""
Hostile pages: what slow, rude, lying and malicious servers really send, and how a reader must come out of it.

Each case names the outcomes that are right. `ok` means text was read; `flags` are signals that must then be given.
Large bodies are made when they are asked for, so that importing this costs nothing.
Run as a program it serves them on a port that it prints, until its input ends.
"""

import gzip
import io
import itertools
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from seekread.outcomes import Outcome
from seekread.testing.rude_web import FOREVER, RESET, Asked, RudeWeb, Script, ScriptStep, reply
from tests.support.office_files import OFFICE as OFFICE_LINKS
from tests.support.office_files import (
    bomb,
    docx,
    epub,
    locked,
    office,
    paragraph,
    relationships,
    rows,
    storage,
    with_entries,
)

WORDS = (
    b"The harbour wall was finished in the spring, and the first boats came in before the paint was dry. "
    b"Nobody had asked the gulls, who kept to the old pier and watched the work with plain contempt. "
    b"By summer the fish market had moved, the cafe had two more tables, and the ferry ran on Sundays. "
)
PAGE = (
    b"<!doctype html><html><head><title>The harbour wall</title></head><body><main><article><h1>The harbour wall</h1>"
    + b"".join(b"<p>" + WORDS + b"</p>" for _ in range(4))
    + b"</article></main></body></html>"
)
RUSSIAN = "\u0421\u0442\u0435\u043d\u0430 \u0433\u0430\u0432\u0430\u043d\u0438 \u0431\u044b\u043b\u0430. "
METADATA = "http://169.254.169.254/latest/meta-data/"


@dataclass(frozen=True)
class HostileCase:
    """One hostile page: its name, what the server does, and what must come of it."""

    name: str
    script: Script | bytes
    outcomes: frozenset[Outcome]
    flags: frozenset[str] = frozenset()
    heavy: bool = False
    """Whether reading it takes seconds of processor time."""

    @property
    def path(self) -> str:
        return f"/{self.name}"


def case(
    name: str, script: Script | bytes, *outcomes: Outcome, flags: Iterable[str] = (), heavy: bool = False
) -> HostileCase:
    return HostileCase(name, script, frozenset(outcomes), frozenset(flags), heavy)


def made(body: Callable[[], bytes], content_type: str = "text/html; charset=utf-8") -> Script:
    """A page whose body is made when it is asked for."""
    return lambda _asked: (reply(body(), content_type=content_type),)


def document(inside: Callable[[], bytes]) -> Script:
    """An HTML page around something."""
    return made(lambda: b"<!doctype html><title>t</title><body><p>" + WORDS + b"</p>" + inside() + b"</body>")


def then(*steps: ScriptStep) -> Script:
    return lambda _asked: steps


def drip(start: bytes, part: bytes, pause: float = 0.02) -> Script:
    """Send something, and then the same little bit for ever."""

    def script(_asked: Asked) -> Iterator[ScriptStep]:
        yield start
        while True:
            yield part
            yield pause

    return script


def flood(start: bytes, part: bytes) -> Script:
    """Send something, and then the same for ever as fast as it is taken."""

    def script(_asked: Asked) -> Iterator[ScriptStep]:
        yield start
        yield from itertools.repeat(part)

    return script


def redirect(location: str, status: str = "302 Found") -> bytes:
    return reply(status=status, headers={"Location": location})


def encoded(body: bytes, encoding: str, content_type: str = "text/html; charset=utf-8") -> bytes:
    return reply(body, content_type=content_type, headers={"Content-Encoding": encoding})


@cache
def gzip_bomb(unit: bytes, size: int) -> bytes:
    """A gzip of one unit repeated until `size` bytes, made without holding them."""
    out = io.BytesIO()
    with gzip.GzipFile(fileobj=out, mode="wb", compresslevel=6) as stream:
        block = unit * (1_000_000 // len(unit))
        for _ in range(size // len(block)):
            stream.write(block)
    return out.getvalue()


def broken_gzip_once(asked: Asked) -> tuple[bytes]:
    """Broken when compressed, whole when asked for without."""
    if "gzip" in asked.headers.get("accept-encoding", ""):
        good = gzip.compress(PAGE)
        return (encoded(good[:40] + b"\xff" * 40 + good[80:], "gzip"),)
    return (reply(PAGE),)


def chunked(*chunks: bytes, end: bool = True, headers: Mapping[str, str] | None = None) -> bytes:
    start = reply(b"", length=None, headers={"Transfer-Encoding": "chunked", **(headers or {})})
    return start + b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in chunks) + (b"0\r\n\r\n" if end else b"")


def pdf(stream: bytes, *, filtered: bool = False, kids: int = 1) -> bytes:
    """A small PDF whose pages all show one content stream."""
    filters = b"/Filter /FlateDecode " if filtered else b""
    pages = b" ".join(b"%d 0 R" % (5 + index) for index in range(kids))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [" + pages + b"] /Count %d >>" % kids,
        b"<< %s/Length %d >>\nstream\n%s\nendstream" % (filters, len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        *(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 3 0 R "
            b"/Resources << /Font << /F1 4 0 R >> >> >>"
            for _ in range(kids)
        ),
    ]
    out, offsets = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    return out + (
        b"xref\n0 %d\n0000000000 65535 f \n%strailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF"
        % (size, table, size, len(out))
    )


def pdf_text(*lines: bytes) -> bytes:
    """A content stream that writes lines."""
    return b"BT /F1 12 Tf 72 720 Td 14 TL " + b" ".join(b"(%s) Tj T*" % line for line in lines) + b" ET"


@cache
def pdf_bomb() -> bytes:
    """A page of some hundred kilobytes that unfolds into a hundred megabytes of instructions."""
    packer = zlib.compressobj(1)
    block = pdf_text(b"again") * 20_000
    squeezed = b"".join(packer.compress(block) for _ in range(100_000_000 // len(block))) + packer.flush()
    return pdf(squeezed, filtered=True)


CIRCLE = "".join(
    f'<w:style w:type="paragraph" w:default="1" w:styleId="{one}"><w:name w:val="{one}"/>'
    f'<w:basedOn w:val="{other}"/></w:style>'
    for one, other in (("A", "B"), ("B", "A"))
)


def sheets_with_a_hole() -> bytes:
    """A workbook whose second sheet is still to come."""
    listed = "".join(f'<sheet name="s{at}" r:id="r{at}"/>' for at in (1, 2))
    return office(
        "xl/workbook.xml",
        {
            "xl/workbook.xml": f'<workbook xmlns:r="{OFFICE_LINKS}"><sheets>{listed}</sheets></workbook>',
            "xl/_rels/workbook.xml.rels": relationships(
                ("r1", "worksheet", "worksheets/sheet1.xml"), ("r2", "worksheet", "worksheets/sheet2.xml")
            ),
            "xl/worksheets/sheet1.xml": f"<worksheet>{rows(['harbour', 'wall'])}</worksheet>",
        },
    )


def nested_mail() -> bytes:
    """A message in a message, two thousand deep."""
    head = b"From: a@b.example\nTo: c@d.example\nSubject: deep\nMIME-Version: 1.0\n"
    parts = (b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(2000))
    return head + b"".join(parts) + b"\n" + WORDS


def mail_of_many_parts() -> bytes:
    """A message of a hundred thousand parts."""
    head = b"From: a@b.example\nTo: c@d.example\nSubject: many\nContent-Type: multipart/mixed; boundary=b\n\n"
    return head + b"--b\nContent-Type: text/plain\n\nwords\n" * 100_000 + b"--b--\n"


def notebook_of_many_cells() -> bytes:
    """A notebook of a hundred thousand cells."""
    cell = b'{"cell_type": "markdown", "source": ["some *words* <b>here</b>"]}'
    return b'{"nbformat": 4, "cells": [' + b", ".join([cell] * 100_000) + b"]}"


SLOW = (
    case("silent", then(FOREVER), "timeout"),
    case("slow-headers", drip(b"HTTP/1.1 200 OK\r\nX-Slow: ", b"a"), "timeout"),
    case("slow-body", drip(reply(b"<p>slow", length=1_000_000), b"a"), "timeout"),
    case("stalled-body", then(reply(PAGE, length=1_000_000), FOREVER), "timeout"),
    case("endless-100-continue", drip(b"", b"HTTP/1.1 100 Continue\r\n\r\n"), "timeout"),
    case("flood-of-100-continue", flood(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 2000), "timeout", "bad_reply"),
    case("banner", then(b"SSH-2.0-OpenSSH_9.9\r\n", FOREVER), "timeout", "bad_reply"),
)
HEADERS = (
    case("header-flood", flood(b"HTTP/1.1 200 OK\r\n", b"A: b\r\n" * 10_000), "bad_reply"),
    case("header-of-500-kb", then(b"HTTP/1.1 200 OK\r\nX: " + b"a" * 500_000 + b"\r\n\r\n"), "bad_reply"),
    case("endless-status-line", flood(b"HTTP/1.1 200 ", b"O" * 65536), "bad_reply"),
    case(
        "sixteen-thousand-headers",
        then(b"HTTP/1.1 200 OK\r\n" + b"A:b\r\n" * 16_000 + b"\r\n"),
        "ok",
        "empty",
        "bad_reply",
    ),
    case("body-without-headers", then(PAGE), "bad_reply", "unreachable"),
    case("not-http", then(b"\x00\x01\x02\x03\r\n\r\n"), "bad_reply"),
    case("status-999", reply(b"odd", status="999 Odd"), "unreachable", "bad_reply"),
    case("switching-protocols", then(b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n"), "bad_reply"),
    case("header-beyond-ascii", reply(PAGE, headers={"X-Name": "Gr\xfc\xdfe"}), "ok"),
    case("reset-at-once", then(RESET), "unreachable"),
    case("hangs-up", then(), "unreachable"),
)
BODIES = (
    case(
        "endless-chunked", flood(chunked(end=False), b"4000\r\n" + b"a b " * 4096 + b"\r\n"), "ok", flags=["too-large"]
    ),
    case("endless-tiny-chunks", flood(chunked(end=False), b"1\r\na\r\n" * 1000), "ok", "timeout"),
    case("endless-until-close", flood(reply(b"", length=None), b"words " * 10_000), "ok", flags=["too-large"]),
    case("length-too-long", reply(PAGE, length=len(PAGE) + 5000), "ok", flags=["truncated"]),
    case("length-too-short", reply(PAGE + b"<p>more</p>" * 100, length=len(PAGE)), "ok"),
    case("length-conflicting", reply(PAGE, headers={"content-length": "7"}), "bad_reply"),
    case("length-negative", reply(PAGE, length=None, headers={"Content-Length": "-5"}), "bad_reply"),
    case("length-and-chunked", chunked(PAGE, headers={"Content-Length": "3"}), "ok", "bad_reply"),
    case(
        "chunk-size-not-a-number",
        then(chunked(PAGE, end=False) + b"zz\r\nmore\r\n0\r\n\r\n"),
        "ok",
        flags=["truncated"],
    ),
    case("chunked-cut-off", then(chunked(PAGE, end=False)), "ok", flags=["truncated"]),
    case("reset-in-the-body", then(reply(PAGE, length=100_000), 0.2, RESET), "ok", "unreachable"),
    case("length-of-a-terabyte", then(reply(PAGE, length=10**12)), "ok", flags=["truncated"]),
)
ENCODINGS = (
    case(
        "gzip-bomb",
        lambda _a: (encoded(gzip_bomb(b"<p>boom and boom again</p>", 60_000_000), "gzip"),),
        "ok",
        flags=["too-large"],
        heavy=True,
    ),
    case("gzip-bomb-of-zeros", lambda _a: (encoded(gzip_bomb(b"\0", 60_000_000), "gzip"),), "unsupported_type"),
    case("gzip-in-gzip", lambda _a: (encoded(gzip.compress(gzip.compress(PAGE)), "gzip, gzip"),), "bad_reply"),
    case("gzip-hiding-gzip", lambda _a: (encoded(gzip.compress(gzip.compress(PAGE)), "gzip"),), "unsupported_type"),
    case("gzip-cut-off", lambda _a: (encoded(gzip.compress(PAGE * 50, 1)[:-200], "gzip"),), "ok", flags=["truncated"]),
    case("gzip-broken-once", broken_gzip_once, "ok", flags=["identity-retry"]),
    case("gzip-broken-always", encoded(b"\x1f\x8b" + b"\xff" * 200, "gzip"), "bad_reply"),
    case("gzip-that-is-not", encoded(PAGE, "gzip"), "bad_reply"),
    case("gzip-with-a-tail", lambda _a: (encoded(gzip.compress(PAGE) + b"garbage", "gzip"),), "ok"),
    case(
        "gzip-in-two-members",
        lambda _a: (encoded(gzip.compress(PAGE[:300]) + gzip.compress(PAGE[300:]), "gzip"),),
        "ok",
    ),
    case("gzip-of-nothing", encoded(b"", "gzip"), "empty"),
    case("brotli", encoded(b"\x0b\x02\x80hello\x03", "br"), "bad_reply"),
    case("zstd", encoded(b"(\xb5/\xfd\x04\x00", "zstd"), "bad_reply"),
    case("deflate", lambda _a: (encoded(zlib.compress(PAGE), "deflate"),), "bad_reply"),
    case("encoding-unknown", encoded(PAGE, "rot13"), "bad_reply"),
)
PLACES = (
    case("redirect-to-itself", redirect("/redirect-to-itself"), "bad_reply"),
    case("redirect-there", redirect("/redirect-and-back"), "bad_reply"),
    case("redirect-and-back", redirect("/redirect-there"), "bad_reply"),
    case(
        "redirect-without-end",
        lambda asked: (redirect(f"/redirect-without-end?{len(asked.path)}{asked.path[-40:]}"),),
        "bad_reply",
        "refused",
    ),
    case("redirect-to-metadata", redirect(METADATA), "refused"),
    case("redirect-to-another-port", redirect("http://127.0.0.1:9/"), "refused"),
    case("redirect-to-a-file", redirect("file:///etc/passwd"), "refused"),
    case("redirect-to-a-script", redirect("javascript:alert(1)"), "refused"),
    case("redirect-with-credentials", redirect("http://user:secret@127.0.0.1/"), "refused"),
    case("redirect-to-nowhere", reply(status="302 Found"), "bad_reply"),
    case("refresh-to-metadata", reply(f'<meta http-equiv="refresh" content="0; url={METADATA}">'.encode()), "refused"),
    case("refresh-to-itself", reply(b'<meta http-equiv=refresh content="0; url=/refresh-to-itself">' + PAGE), "ok"),
    case(
        "refresh-twice",
        reply(b"<meta http-equiv=refresh content='1;url=/refresh-to-itself'>"),
        "ok",
        flags=["meta-refresh"],
    ),
    case("not-modified-unasked", reply(status="304 Not Modified"), "bad_reply"),
    case("no-content", reply(status="204 No Content", length=None), "empty"),
    case("body-on-204", reply(PAGE, status="204 No Content"), "empty"),
    case("login", reply(PAGE, status="401 Unauthorized"), "paywalled"),
    case("payment", reply(PAGE, status="402 Payment Required"), "paywalled"),
    case("forbidden", reply(PAGE, status="403 Forbidden"), "blocked"),
    case("missing", reply(PAGE, status="404 Not Found"), "not_found"),
    case("gone", reply(PAGE, status="410 Gone"), "not_found"),
    case("slow-down", reply(status="429 Too Many Requests", headers={"Retry-After": "7"}), "rate_limited"),
    case("broken-server", reply(PAGE, status="500 Oops"), "unreachable"),
    case("challenge", reply(PAGE, status="503 Wait", headers={"CF-Mitigated": "challenge"}), "blocked"),
)
PARSER_BOMBS = (
    case("nested-divs", document(lambda: b"<div>" * 100_000 + b"deep"), "ok", flags=["page-tamed"]),
    case("nested-formatting", document(lambda: b"<b><i><a>" * 20_000), "ok", flags=["page-tamed"]),
    case(
        "formatting-reopened",
        document(
            lambda: (
                b"".join(b"<b %d>" % n for n in range(2000))
                + b"".join(b"<i %d>" % n for n in range(2000))
                + b"x</b>" * 2000
            )
        ),
        "ok",
        flags=["page-tamed"],
    ),
    case(
        "formatting-in-paragraphs",
        document(lambda: b"".join(b"<p><b %d>x</p>" % n for n in range(5000))),
        "ok",
        flags=["page-tamed"],
    ),
    case("nesting-behind-formatting", document(lambda: b"<b><div></b>" * 50_000), "ok", flags=["page-tamed"]),
    case("nesting-behind-cells", document(lambda: b"<div><table><td></div>" * 20_000), "ok", flags=["page-tamed"]),
    case("nesting-in-svg-title", document(lambda: b"<svg><title>" + b"<div>" * 50_000), "ok", flags=["page-tamed"]),
    case(
        "attributes-without-number",
        document(lambda: b"<p " + b" ".join(b"a%d" % n for n in range(300_000)) + b">x"),
        "ok",
        flags=["page-tamed"],
    ),
    case(
        "attributes-on-many-tags",
        document(lambda: (b"<p " + b" ".join(b"a%d" % n for n in range(1900)) + b">x</p>") * 600),
        "ok",
        flags=["page-tamed"],
    ),
    case("attribute-of-8-mb", document(lambda: b'<p title="' + b"a" * 8_000_000 + b'">x</p>'), "ok"),
    case("one-text-node-of-9-mb", document(lambda: b"<p>" + b"word " * 1_800_000), "ok", heavy=True),
    case("million-paragraphs", document(lambda: b"<p>x" * 1_000_000), "ok", flags=["page-tamed"], heavy=True),
    case("paragraphs-below-the-limit", document(lambda: b"<p>x" * 250_000), "ok", flags=[], heavy=True),
    case("options", document(lambda: b"<select>" + b"<option>x" * 200_000), "ok", flags=["page-tamed"]),
    case(
        "three-hundred-thousand-links",
        document(lambda: b'<a href="/x">y</a> ' * 300_000),
        "ok",
        flags=["page-tamed"],
        heavy=True,
    ),
    case("five-megabytes-of-less-than", document(lambda: b"<" * 5_000_000), "ok", heavy=True),
    case("nested-tables", document(lambda: b"<table><tr><td>" * 20_000), "ok", flags=["page-tamed"]),
    case(
        "table-of-50000-rows", document(lambda: b"<table>" + b"<tr><td>a<td>b" * 50_000 + b"</table>"), "ok", heavy=True
    ),
    case("tangled-tags", document(lambda: b"<x><div>" + b"<y>" * 480 + b"</x>" * 200_000), "ok", heavy=True),
    case("comment-without-end", document(lambda: b"<!--" * 500_000), "ok"),
    case("script-without-end", document(lambda: b"<script>" * 200_000), "ok"),
    case("tag-without-end", document(lambda: b'<a href="' * 300_000), "ok"),
    case(
        "billion-laughs-as-html",
        made(lambda: b'<!DOCTYPE html [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><body><p>' + WORDS + b"&b;</p></body>"),
        "ok",
    ),
    case("nothing-but-spaces", reply(b" \n" * 1000), "empty"),
)
CHARSETS = (
    case(
        "utf-8-sent-as-latin-1",
        reply(
            PAGE + "<p>Gr\u00fc\u00dfe \u2014 \u65e5\u672c</p>".encode(), content_type="text/html; charset=iso-8859-1"
        ),
        "ok",
        flags=["charset-lie"],
    ),
    case(
        "cyrillic-sent-as-utf-8",
        made(lambda: ("<title>t</title><p>" + RUSSIAN * 60).encode("cp1251")),
        "ok",
        flags=["charset-lie"],
    ),
    case("utf-16-without-mark", made(lambda: PAGE.decode().encode("utf-16-le"), "text/html"), "ok"),
    case("utf-7-claimed", reply(PAGE, content_type="text/html; charset=utf-7"), "ok"),
    case("charset-unknown", reply(PAGE, content_type="text/html; charset=klingon"), "ok"),
    case("null-bytes", reply(PAGE.replace(b"gulls", b"gu\0lls")), "ok", flags=["null-characters"]),
    case(
        "bytes-that-are-no-text",
        reply(PAGE.replace(b"gulls", b"gu\xff\xfells " + "M\u00f6wen \u00fc\u00f6\u00e4 \u2014".encode())),
        "ok",
        flags=["undecodable-characters"],
    ),
)
TYPES = (
    case("image", reply(b"\x89PNG\r\n\x1a\n" + b"\0" * 2000, content_type="image/png"), "unsupported_type"),
    case("image-as-html", reply(b"\xff\xd8\xff\xe0" + b"\0" * 2000), "unsupported_type"),
    case("archive-as-text", reply(b"PK\x03\x04" + b"\1" * 2000, content_type="text/plain"), "unsupported_type"),
    case("program-as-html", reply(b"\x7fELF\x02\x01\x01" + b"\0" * 2000), "unsupported_type"),
    case(
        "endless-video",
        flood(reply(b"\0\0\0\x18ftypmp42", length=None, content_type="text/html"), b"\0" * 65536),
        "unsupported_type",
    ),
    case("noise", reply(bytes(range(256)) * 40), "unsupported_type"),
    case(
        "svg",
        reply(b"<svg xmlns='http://www.w3.org/2000/svg'><text>x</text></svg>", content_type="image/svg+xml"),
        "unsupported_type",
    ),
    # Where memory ends before time does, the library that reads it may crash.
    case("pdf-bomb", made(pdf_bomb, "application/pdf"), "ok", "too_large", "timeout", "bad_reply", heavy=True),
    case("pdf-damaged", reply(b"%PDF-1.7\n" + b"garbage " * 500, content_type="application/pdf"), "bad_reply"),
    case("pdf-of-pictures", made(lambda: pdf(b""), "application/pdf"), "unsupported_type"),
    case(
        "pdf-of-5000-pages",
        made(lambda: pdf(pdf_text(b"One line of a very long book."), kids=5000), "application/pdf"),
        "ok",
        flags=["pages-left-out"],
        heavy=True,
    ),
    case("json-nested", made(lambda: b"[" * 500_000, "application/json"), "ok", flags=["invalid-json"]),
    case("json-of-a-huge-number", made(lambda: b"[" + b"9" * 1_000_000 + b"]", "application/json"), "ok"),
    case(
        "xml-billion-laughs",
        made(
            lambda: (
                b'<?xml version="1.0"?><!DOCTYPE z [<!ENTITY a "'
                + b"ha" * 5000
                + b'">'
                + b"".join(b'<!ENTITY %c "%s">' % (98 + n, b"&%c;" % (97 + n) * 10) for n in range(9))
                + b"]><rss><channel><title>&j;</title></channel></rss>"
            ),
            "application/rss+xml",
        ),
        "ok",
        "empty",
    ),
    case(
        "xml-asking-for-a-file",
        made(
            lambda: (
                b'<?xml version="1.0"?><!DOCTYPE f [<!ENTITY x SYSTEM "file:///etc/passwd">]><rss><channel><title>News</title><item><title>&x;one</title></item></channel></rss>'
            ),
            "application/rss+xml",
        ),
        "ok",
    ),
    case(
        "feed-of-100000-entries",
        made(
            lambda: (
                b"<rss><channel><title>News</title>"
                + b"<item><title>one</title></item>" * 100_000
                + b"</channel></rss>"
            ),
            "application/rss+xml",
        ),
        "ok",
        flags=["entries-left-out"],
        heavy=True,
    ),
)

DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
WORD_WORDS = paragraph(WORDS.decode())
LAUGHS = (
    '<!DOCTYPE d [<!ENTITY a "' + "ha" * 5000 + '">'
    + "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(9))
    + "]>"
)  # fmt: skip
OFFICE = (
    case("office-file", made(lambda: docx(WORD_WORDS), DOCX), "ok"),
    case(
        "office-bomb",
        made(lambda: bomb("word/header1.xml", b"<a/>", 200_000_000, docx(WORD_WORDS)), DOCX),
        "ok",
        heavy=True,
    ),
    case(
        "office-bomb-in-the-text",
        made(
            lambda: bomb(
                "word/body.xml",
                b"<w:p/>",
                200_000_000,
                office("word/body.xml", {"a": "b"}),
            ),
            DOCX,
        ),
        "too_large",
        heavy=True,
    ),
    case(
        "office-bomb-in-a-sheet",
        made(
            lambda: bomb(
                "xl/worksheets/sheet2.xml",
                b"<row><c><v>1</v></c></row>",
                200_000_000,
                sheets_with_a_hole(),
                start=b"<worksheet><sheetData>",
            ),
            XLSX,
        ),
        "ok",
        flags=["rows-left-out"],
        heavy=True,
    ),
    case(
        "office-bomb-in-a-cell",
        made(
            lambda: bomb(
                "xl/worksheets/sheet2.xml",
                b"a",
                200_000_000,
                sheets_with_a_hole(),
                start=b"<worksheet><sheetData><row><c t='inlineStr'><is><t>",
            ),
            XLSX,
        ),
        "bad_reply",
        "too_large",
    ),
    case("office-of-many-parts", made(lambda: with_entries(12_000, docx(WORD_WORDS)), DOCX), "too_large"),
    case(
        "office-in-office",
        made(lambda: docx(WORD_WORDS, parts={"word/embeddings/a.docx": docx(WORD_WORDS)}), DOCX),
        "ok",
    ),
    case(
        "office-billion-laughs",
        made(lambda: docx("<w:p><w:r><w:t>&j;</w:t></w:r></w:p>", before=LAUGHS), DOCX),
        "bad_reply",
    ),
    case(
        "office-asking-for-a-file",
        made(
            lambda: docx(
                "<w:p><w:r><w:t>&x;</w:t></w:r></w:p>",
                before='<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
            ),
            DOCX,
        ),
        "bad_reply",
    ),
    case(
        "office-asking-for-a-page",
        made(
            lambda: docx(WORD_WORDS, targets=[("x", "attachedTemplate", METADATA, "External")]),
            DOCX,
        ),
        "ok",
        flags=["outside-content"],
    ),
    case(
        "office-with-macros",
        made(lambda: docx(WORD_WORDS, parts={"word/vbaProject.bin": b"\xd0\xcf\x11\xe0" * 100}), DOCX),
        "ok",
        flags=["macros"],
    ),
    case(
        "office-nested-tables",
        made(lambda: docx("<w:tbl><w:tr><w:tc>" * 3000 + WORD_WORDS + "</w:tc></w:tr></w:tbl>" * 3000), DOCX),
        "ok",
        "bad_reply",
        "too_large",
    ),
    case(
        "office-nested-a-little-less",
        made(lambda: docx("<w:tbl><w:tr><w:tc>" * 80 + WORD_WORDS + "</w:tc></w:tr></w:tbl>" * 80), DOCX),
        "ok",
    ),
    case("office-locked", made(lambda: locked(docx(WORD_WORDS)), DOCX), "paywalled"),
    case("office-old", made(lambda: storage("WordDocument"), "application/msword"), "unsupported_type"),
    case("office-cut-off", made(lambda: docx(WORD_WORDS)[:-300], DOCX), "bad_reply"),
    case("office-not-arriving", then(reply(docx(WORD_WORDS), length=100_000, content_type=DOCX)), "bad_reply"),
    case("office-noise", made(lambda: b"PK\x03\x04" + b"word/" * 1000, DOCX), "bad_reply"),
    case("office-circle-of-styles", made(lambda: docx(WORD_WORDS, styles=CIRCLE), DOCX), "ok"),
    case("book-of-laughs", made(lambda: epub([f"{LAUGHS}<html><body><p>&j;</p></body></html>"])), "ok", "empty"),
    case("mail-nested", made(nested_mail, "message/rfc822"), "ok", "bad_reply", "too_large"),
    case("mail-of-many-parts", made(mail_of_many_parts, "message/rfc822"), "ok", heavy=True),
    case("notebook-of-many-cells", made(notebook_of_many_cells, "application/json"), "ok", "too_large", heavy=True),
)

CASES: tuple[HostileCase, ...] = (
    *OFFICE,
    *SLOW,
    *HEADERS,
    *BODIES,
    *ENCODINGS,
    *PLACES,
    *PARSER_BOMBS,
    *CHARSETS,
    *TYPES,
)


def scripts() -> dict[str, Script | bytes]:
    """Every case by its path, and one page that is as it should be."""
    return {"/page": reply(PAGE), **{case.path: case.script for case in CASES}}


def main() -> None:
    """Serve the hostile pages until the input ends."""
    with RudeWeb(scripts()) as web:
        sys.stdout.write(f"{web.port}\n")
        sys.stdout.flush()
        sys.stdin.read()


if __name__ == "__main__":
    main()
