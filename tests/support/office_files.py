"""Office files and books from their parts: small ones with exactly what a test is about, and hostile ones."""

import io
import zipfile
from collections.abc import Mapping, Sequence

OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
SLIDE = "http://schemas.openxmlformats.org/presentationml/2006/main"
DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
START = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
Target = tuple[str, str, str] | tuple[str, str, str, str]
"""Id, kind and target of a relationship, and perhaps `External`."""


def packed(parts: Mapping[str, str | bytes], *, first: str = "[Content_Types].xml") -> bytes:
    """A zip of these parts."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(parts, key=lambda name: name != first):
            archive.writestr(name, parts[name])
    return out.getvalue()


def relationships(*targets: Target) -> str:
    """A part that points to others."""
    lines = "".join(
        f'<Relationship Id="{one[0]}" Type="{OFFICE}/{one[1]}" Target="{one[2]}"'
        + (f' TargetMode="{one[3]}"' if len(one) > 3 else "")
        + "/>"
        for one in targets
    )
    return f'{START}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{lines}</Relationships>'


def office(main: str, parts: Mapping[str, str | bytes], *, title: str = "") -> bytes:
    """A package with its main part."""
    core = (
        f'{START}<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" '
        f'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{title}</dc:title></cp:coreProperties>'
    )
    return packed(
        {
            "[Content_Types].xml": f'{START}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
            "_rels/.rels": relationships(
                ("rId1", "officeDocument", main), ("rId2", "metadata/core-properties", "docProps/core.xml")
            ),
            "docProps/core.xml": core,
            **parts,
        }
    )


def docx(
    body: str,
    *,
    styles: str = "",
    targets: Sequence[Target] = (),
    parts: Mapping[str, str | bytes] | None = None,
    title: str = "",
    before: str = "",
) -> bytes:
    """A Word document around the XML of its body."""
    wrap = f'xmlns:w="{WORD}" xmlns:r="{OFFICE}"'
    return office(
        "word/document.xml",
        {
            "word/document.xml": f"{START}{before}<w:document {wrap}><w:body>{body}</w:body></w:document>",
            "word/styles.xml": f"{START}<w:styles {wrap}>{styles}</w:styles>",
            "word/_rels/document.xml.rels": relationships(("s", "styles", "styles.xml"), *targets),
            **(parts or {}),
        },
        title=title,
    )


def paragraph(text: str, properties: str = "", run: str = "") -> str:
    """A paragraph of Word with one run; text is XML already."""
    return (
        f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:rPr>{run}</w:rPr><w:t xml:space='preserve'>{text}</w:t></w:r></w:p>"
    )


def notes_part(kind: str, notes: Mapping[str, str]) -> str:
    """The part that holds the notes of a Word document, by their ids."""
    tag = kind.removesuffix("s")
    lines = "".join(f'<w:{tag} w:id="{key}">{paragraph(text)}</w:{tag}>' for key, text in notes.items())
    return f'{START}<w:{kind} xmlns:w="{WORD}">{lines}</w:{kind}>'


def xlsx(
    sheets: Mapping[str, str],
    *,
    states: Mapping[str, str] | None = None,
    styles: str = "",
    strings: Sequence[str] = (),
    parts: Mapping[str, str | bytes] | None = None,
) -> bytes:
    """A workbook: names of sheets and the XML inside each of them."""
    wrap = f'xmlns="{SHEET}" xmlns:r="{OFFICE}"'
    listed = "".join(
        f'<sheet name="{name}" sheetId="{at}" r:id="rId{at}" state="{(states or {}).get(name, "visible")}"/>'
        for at, name in enumerate(sheets, 1)
    )
    targets = [(f"rId{at}", "worksheet", f"worksheets/sheet{at}.xml") for at in range(1, len(sheets) + 1)]
    shared = "".join(f"<si><t>{text}</t></si>" for text in strings)
    return office(
        "xl/workbook.xml",
        {
            "xl/workbook.xml": f"{START}<workbook {wrap}><sheets>{listed}</sheets></workbook>",
            "xl/_rels/workbook.xml.rels": relationships(
                *targets, ("st", "styles", "styles.xml"), ("ss", "sharedStrings", "sharedStrings.xml")
            ),
            "xl/styles.xml": f"{START}<styleSheet {wrap}>{styles}</styleSheet>",
            "xl/sharedStrings.xml": f"{START}<sst {wrap}>{shared}</sst>",
            **{
                f"xl/worksheets/sheet{at}.xml": f"{START}<worksheet {wrap}>{inside}</worksheet>"
                for at, inside in enumerate(sheets.values(), 1)
            },
            **(parts or {}),
        },
    )


def rows(*lines: Sequence[str]) -> str:
    """The cells of a sheet, as texts in place."""
    written = "".join(
        f'<row r="{number}">'
        + "".join(
            f'<c r="{chr(65 + column)}{number}" t="inlineStr"><is><t>{text}</t></is></c>'
            for column, text in enumerate(line)
        )
        + "</row>"
        for number, line in enumerate(lines, 1)
    )
    return f"<sheetData>{written}</sheetData>"


def pptx(
    slides: Sequence[str],
    *,
    background: str = "",
    targets: Mapping[int, Sequence[Target]] | None = None,
    parts: Mapping[str, str | bytes] | None = None,
    attributes: Mapping[int, str] | None = None,
) -> bytes:
    """A presentation: the XML of the shapes on each slide, numbered from 1."""
    wrap = f'xmlns:p="{SLIDE}" xmlns:a="{DRAWING}" xmlns:r="{OFFICE}"'
    listed = "".join(f'<p:sldId id="{255 + at}" r:id="rId{at}"/>' for at in range(1, len(slides) + 1))
    main = (
        f'<p:presentation {wrap}><p:sldIdLst>{listed}</p:sldIdLst><p:sldSz cx="9144000" cy="6858000"/></p:presentation>'
    )
    made: dict[str, str | bytes] = {
        "ppt/presentation.xml": START + main,
        "ppt/_rels/presentation.xml.rels": relationships(
            *((f"rId{at}", "slide", f"slides/slide{at}.xml") for at in range(1, len(slides) + 1))
        ),
    }
    for at, shapes in enumerate(slides, 1):
        made[f"ppt/slides/slide{at}.xml"] = (
            f"{START}<p:sld {wrap} {(attributes or {}).get(at, '')}><p:cSld>{background}<p:spTree>{shapes}</p:spTree>"
            "</p:cSld></p:sld>"
        )
        made[f"ppt/slides/_rels/slide{at}.xml.rels"] = relationships(*(targets or {}).get(at, ()))
    return office("ppt/presentation.xml", {**made, **(parts or {})})


def shape(
    paragraphs: str, *, place: str = "", fill: str = "", at: tuple[int, int] = (914400, 914400), about: str = ""
) -> str:
    """A shape on a slide around the XML of its paragraphs; `place` is the kind of placeholder it is."""
    holder = f'<p:ph type="{place}"/>' if place else ""
    frame = f'<a:xfrm><a:off x="{at[0]}" y="{at[1]}"/><a:ext cx="914400" cy="914400"/></a:xfrm>'
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="2" name="s" {about}/><p:cNvSpPr/><p:nvPr>{holder}</p:nvPr></p:nvSpPr>'
        f"<p:spPr>{frame}{fill}</p:spPr><p:txBody>{paragraphs}</p:txBody></p:sp>"
    )


def line(text: str, run: str = "", properties: str = "") -> str:
    """A paragraph on a slide."""
    return f"<a:p>{properties}<a:r><a:rPr>{run}</a:rPr><a:t>{text}</a:t></a:r></a:p>"


def ink(colour: str) -> str:
    """A fill of one colour."""
    return f'<a:solidFill><a:srgbClr val="{colour}"/></a:solidFill>'


def epub(chapters: Sequence[str], *, parts: Mapping[str, str | bytes] | None = None, title: str = "A book") -> bytes:
    """A book of chapters, each the whole XHTML of a page."""
    items = "".join(
        f'<item id="c{at}" href="c{at}.xhtml" media-type="application/xhtml+xml"/>' for at in range(len(chapters))
    )
    spine = "".join(f'<itemref idref="c{at}"/>' for at in range(len(chapters)))
    opf = (
        f'{START}<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<dc:title>{title}</dc:title><dc:creator>Anna Steg</dc:creator></metadata>"
        f"<manifest>{items}</manifest><spine>{spine}</spine></package>"
    )
    container = '<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
    return packed(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": START + container,
            "OEBPS/book.opf": opf,
            **{f"OEBPS/c{at}.xhtml": chapter for at, chapter in enumerate(chapters)},
            **(parts or {}),
        },
        first="mimetype",
    )


def chapter(body: str, head: str = "") -> str:
    """A chapter of a book."""
    return f'{START}<html xmlns="http://www.w3.org/1999/xhtml"><head><title/>{head}</head><body>{body}</body></html>'


def storage(*streams: str) -> bytes:
    """The beginning of a file in Microsoft's compound format, with the names of its streams."""
    return b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504) + b"".join(
        name.encode("utf-16-le").ljust(128, b"\0") for name in ("Root Entry", *streams)
    )  # fmt: skip


# Hostile ones


def bomb(part: str, unit: bytes, size: int, whole: bytes, *, start: bytes = b"") -> bytes:
    """A package of which one part unfolds to so many bytes of one unit."""
    out = io.BytesIO(whole)
    with (
        zipfile.ZipFile(out, "a", zipfile.ZIP_DEFLATED) as archive,
        archive.open(part, "w", force_zip64=True) as stream,
    ):
        block = unit * (1_000_000 // len(unit))
        stream.write(start)
        for _ in range(size // len(block)):
            stream.write(block)
    return out.getvalue()


def with_entries(count: int, whole: bytes) -> bytes:
    """A package with so many empty parts besides."""
    out = io.BytesIO(whole)
    with zipfile.ZipFile(out, "a", zipfile.ZIP_STORED) as archive:
        for number in range(count):
            archive.writestr(f"word/empty{number}", b"")
    return out.getvalue()


def locked(whole: bytes) -> bytes:
    """A package whose every part claims to be encrypted with a password of its own."""
    return set_bits(set_bits(whole, b"PK\x03\x04", 6), b"PK\x01\x02", 8)


def set_bits(whole: bytes, mark: bytes, offset: int) -> bytes:
    """A zip with the first of the flags of all its entries set."""
    changed, place = bytearray(whole), whole.find(mark)
    while place >= 0:
        changed[place + offset] |= 1
        place = whole.find(mark, place + 4)
    return bytes(changed)
