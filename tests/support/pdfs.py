"""
PDFs with one text that nobody sees, or that only looks as if: each built from its content stream and resources.

Every trick and every control holds the word `@@@@` where its text stands. The truth is a picture: a trick is one if
the page looks the same with other words in that place.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

SEEN = b"BT /F1 12 Tf 72 720 Td (The harbour wall was finished in the spring.) Tj ET\n"
"""A line that everybody sees, on every page."""
PLACE = b"@@@@"
DARK, WHITE = b"0.1 0.1 0.2 rg 60 580 400 80 re f\n", b"1 1 1 rg 60 580 400 80 re f\n"
TEXT = b"BT /F1 12 Tf 72 600 Td (@@@@) Tj ET\n"


@dataclass(frozen=True)
class PdfCase:
    """One page: its content, what its resources hold beside the fonts, other objects, and entries of its dictionary."""

    content: bytes
    resources: bytes = b""
    objects: Mapping[int, bytes] = field(default_factory=dict)
    page: bytes = b""
    catalog: bytes = b""

    def with_words(self, words: bytes) -> bytes:
        """The file with these words in the place of its text."""
        return document(
            SEEN + self.content.replace(PLACE, words),
            self.resources,
            {number: resized(value.replace(PLACE, words)) for number, value in self.objects.items()},
            self.page,
            self.catalog,
        )


def document(
    content: bytes, resources: bytes, others: Mapping[int, bytes], page: bytes = b"", catalog: bytes = b""
) -> bytes:
    """A PDF of one page; the objects of a case have numbers from 10 on."""
    objects = {
        1: b"<< /Type /Catalog /Pages 2 0 R %s >>" % catalog,
        2: b"<< /Type /Pages /Kids [5 0 R] /Count 1 >>",
        3: stream(content),
        4: b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        5: b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 3 0 R %s"
        b" /Resources << /Font << /F1 4 0 R >> %s >> >>" % (page, resources),
        **others,
    }
    out, table = b"%PDF-1.7\n", {}
    for number, value in sorted(objects.items()):
        table[number] = len(out)
        out += b"%d 0 obj\n%s\nendobj\n" % (number, value)
    rows = b"".join(b"%d 1\n%010d 00000 n \n" % row for row in sorted(table.items()))
    size = max(objects) + 1
    return out + (
        b"xref\n0 1\n0000000000 65535 f \n%strailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF"
        % (rows, size, len(out))
    )


def stream(data: bytes, entries: bytes = b"") -> bytes:
    return b"<< %s /Length %d >>\nstream\n%s\nendstream" % (entries, len(data), data)


def resized(value: bytes) -> bytes:
    """A stream whose words were replaced, with its length put right."""
    head, found, rest = value.partition(b"\nstream\n")
    if not found:
        return value
    data = rest.removesuffix(b"\nendstream")
    return stream(data, head.removeprefix(b"<<").removesuffix(b">>").rpartition(b"/Length")[0].strip())


def form(content: bytes, entries: bytes = b"/BBox [0 0 612 792]") -> bytes:
    return stream(content, b"/Type /XObject /Subtype /Form /Resources << /Font << /F1 4 0 R >> >> " + entries)


def picture(width: int, height: int, shade: Callable[[int, int], int]) -> bytes:
    """A grey image."""
    pixels = bytes(shade(x, y) for y in range(height) for x in range(width))
    entries = b"/Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceGray /BitsPerComponent 8"
    return stream(pixels, entries % (width, height))


def scan(x: int, y: int) -> int:
    """Paper with a line of ink in its middle, as a scanner sees it."""
    return 30 if 28 <= y % 60 <= 34 and x % 3 else 250 - (x * 7 + y * 3) % 6


LAYER_OFF = b"/OCProperties << /OCGs [10 0 R] /D << /OFF [10 0 R] >> >>"
LAYER_ON = b"/OCProperties << /OCGs [10 0 R] /D << /ON [10 0 R] >> >>"
LAYER = b"<< /Type /OCG /Name (layer) >>"
IN_LAYER = b"/OC /L BDC\n" + TEXT + b"EMC\n"
GLYPHS = (
    b"<< /Type /Font /Subtype /Type3 /FontBBox [0 0 1000 1000] /FontMatrix [.001 0 0 .001 0 0] /FirstChar 32 "
    b"/LastChar 126 /Widths [" + b"500 " * 95 + b"] /Encoding << /Type /Encoding /Differences [32 "
    + b" ".join(b"/g" for _ in range(95)) + b"] >> /CharProcs << /g 11 0 R >> /ToUnicode 12 0 R >>"
)  # fmt: skip
SAME_CODES = (
    b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /S def /CMapType 2 def\n"
    b"1 begincodespacerange <00> <FF> endcodespacerange\n1 beginbfrange <20> <7E> <0020> endbfrange\n"
    b"endcmap end end"
)

SPOT = b"/ColorSpace << /S [/Separation /Tide /DeviceGray 10 0 R] >>"
SHADING = b"q 60 580 400 80 re W n /S sh Q "
LAYERS_OFF = b"/Properties << /L 11 0 R >>"
NONE_OF_THEM = b"<< /Type /OCMD /OCGs [10 0 R] /P /AllOff >>"


def tint(grey: bytes) -> bytes:
    """A function that makes a grey of the whole of a colour."""
    return b"<< /FunctionType 2 /Domain [0 1] /C0 [1] /C1 [%s] /N 1 >>" % grey


def shading(grey: bytes) -> tuple[bytes, dict[int, bytes]]:
    """A shading of one grey."""
    entries = b"/Shading << /S << /ShadingType 2 /ColorSpace /DeviceGray /Coords [0 0 612 0] /Function 10 0 R >> >>"
    return entries, {10: b"<< /FunctionType 2 /Domain [0 1] /C0 [%s] /C1 [%s] /N 1 >>" % (grey, grey)}


TRICKS: dict[str, PdfCase] = {
    "invisible mode": PdfCase(b"BT /F1 12 Tf 3 Tr 72 600 Td (@@@@) Tj ET"),
    "clipping mode": PdfCase(b"q BT /F1 12 Tf 7 Tr 72 600 Td (@@@@) Tj ET Q"),
    "white on paper": PdfCase(b"1 1 1 rg " + TEXT),
    "nearly white on paper": PdfCase(b"0.985 0.99 0.985 rg " + TEXT),
    "no ink at all": PdfCase(b"0 0 0 0 k " + TEXT),
    "dark on dark": PdfCase(DARK + b"0.1 0.1 0.2 rg " + TEXT),
    "covered by a box": PdfCase(TEXT + WHITE),
    "covered by a picture": PdfCase(
        TEXT + b"q 400 0 0 80 60 580 cm /P Do Q", b"/XObject << /P 10 0 R >>", {10: picture(8, 8, lambda x, y: 200)}
    ),
    "clipped away": PdfCase(b"q 300 100 20 20 re W n " + TEXT + b"Q"),
    "clipped by a triangle": PdfCase(b"q 60 500 m 600 500 l 600 790 l h W n " + TEXT + b"Q"),
    "outside the crop box": PdfCase(TEXT, page=b"/CropBox [0 650 612 792]"),
    "beside the page": PdfCase(b"BT /F1 12 Tf 700 600 Td (@@@@) Tj ET"),
    "below the page": PdfCase(b"BT /F1 12 Tf 72 -40 Td (@@@@) Tj ET"),
    "half a point high": PdfCase(b"BT /F1 0.5 Tf 72 600 Td (@@@@) Tj ET"),
    "scaled down": PdfCase(b"q 0.02 0 0 0.02 72 600 cm BT /F1 12 Tf 0 0 Td (@@@@) Tj ET Q"),
    "squeezed to a line": PdfCase(b"BT /F1 12 Tf 0.01 Tz 72 600 Td (@@@@) Tj ET"),
    "alpha of nothing": PdfCase(b"/G gs " + TEXT, b"/ExtGState << /G << /ca 0 >> >>"),
    "alpha of a hundredth": PdfCase(b"/G gs " + TEXT, b"/ExtGState << /G << /ca 0.01 >> >>"),
    "a layer switched off": PdfCase(IN_LAYER, b"/Properties << /L 10 0 R >>", {10: LAYER}, catalog=LAYER_OFF),
    "a form in a layer switched off": PdfCase(
        b"/X Do", b"/XObject << /X 11 0 R >>",
        {10: LAYER, 11: form(TEXT, b"/BBox [0 0 612 792] /OC 10 0 R")}, catalog=LAYER_OFF,
    ),
    "outside the box of a form": PdfCase(
        b"/X Do", b"/XObject << /X 10 0 R >>", {10: form(TEXT, b"/BBox [0 0 50 50]")}
    ),
    "white in a form": PdfCase(b"/X Do", b"/XObject << /X 10 0 R >>", {10: form(b"1 g " + TEXT)}),
    "outlined in white": PdfCase(b"1 1 1 RG BT /F1 12 Tf 1 Tr 72 600 Td (@@@@) Tj ET"),
    "words that are not the glyphs": PdfCase(
        b"/Span << /ActualText (@@@@) >> BDC BT /F1 12 Tf 72 600 Td (An ordinary line of text stands here.) Tj ET EMC"
    ),
    "white over white letters": PdfCase(b"1 1 1 rg " + TEXT + b"BT /F1 12 Tf 72 600 Td (Another white line) Tj ET"),
    "a mask of nothing": PdfCase(
        b"/G gs " + TEXT,
        b"/ExtGState << /G << /SMask << /Type /Mask /S /Luminosity /G 10 0 R >> >> >>",
        {10: form(b"0 g 0 0 612 792 re f", b"/BBox [0 0 612 792] /Group << /S /Transparency /CS /DeviceGray >>")},
    ),
    "letters without ink": PdfCase(
        b"BT /F2 12 Tf 72 600 Td (@@@@) Tj ET", b"/Font << /F1 4 0 R /F2 10 0 R >>",
        {10: GLYPHS, 11: stream(b"500 0 0 0 500 500 d1"), 12: stream(SAME_CODES)},
    ),
    # Written later, by somebody who had not seen those above.
    "a spot colour that is white": PdfCase(b"/S cs 1 scn " + TEXT, SPOT, {10: tint(b"1")}),
    "a pattern that paints nothing": PdfCase(
        b"/Pattern cs /P scn " + TEXT, b"/Pattern << /P 10 0 R >>",
        {10: stream(b" ", b"/PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 9 9] /XStep 9 /YStep 9")},
    ),
    "clipped by a letter elsewhere": PdfCase(b"q BT /F1 12 Tf 7 Tr 500 40 Td (i) Tj ET " + TEXT + b"Q"),
    "the lighter of text and box": PdfCase(
        WHITE + b"q /G gs " + TEXT + b"Q", b"/ExtGState << /G << /BM /Lighten >> >>"
    ),
    "under a white shading": PdfCase(TEXT + SHADING, *shading(b"1")),
    "under an image in the page": PdfCase(TEXT + b"q 400 0 0 80 60 580 cm BI /W 1 /H 1 /CS /G /BPC 8 ID \xff EI Q"),
    "risen out of the page": PdfCase(b"BT /F1 12 Tf 1900 Ts 72 600 Td (@@@@) Tj ET"),
    "outlines of dashes that never come": PdfCase(b"q [0 9000] 4000 d BT /F1 12 Tf 1 Tr 72 600 Td (@@@@) Tj ET Q"),
    "shown while no layer is": PdfCase(IN_LAYER, LAYERS_OFF, {10: LAYER, 11: NONE_OF_THEM}, catalog=LAYER_ON),
    "turned upside down and away": PdfCase(b"q -1 0 0 -1 0 0 cm " + TEXT + b"Q"),
}  # fmt: skip
"""Ways to write a text that nobody sees."""

CONTROLS: dict[str, PdfCase] = {
    "plain": PdfCase(TEXT),
    "white on a dark box": PdfCase(DARK + b"1 1 1 rg " + TEXT),
    "grey": PdfCase(b"0.6 g " + TEXT),
    "small print": PdfCase(b"BT /F1 4.5 Tf 72 600 Td (@@@@) Tj ET"),
    "half transparent": PdfCase(b"/G gs " + TEXT, b"/ExtGState << /G << /ca 0.5 >> >>"),
    "turned": PdfCase(b"BT /F1 12 Tf 0 1 -1 0 72 300 Tm (@@@@) Tj ET"),
    "in a form": PdfCase(b"/X Do", b"/XObject << /X 10 0 R >>", {10: form(TEXT)}),
    "white on dark in a form": PdfCase(b"/X Do", b"/XObject << /X 10 0 R >>", {10: form(DARK + b"1 g " + TEXT)}),
    "inside its clip": PdfCase(b"q 60 590 400 40 re W n " + TEXT + b"Q"),
    "a layer switched on": PdfCase(IN_LAYER, b"/Properties << /L 10 0 R >>", {10: LAYER}, catalog=LAYER_ON),
    "outlined": PdfCase(b"0 0 1 RG BT /F1 14 Tf 1 Tr 72 600 Td (@@@@) Tj ET"),
    "marked yellow": PdfCase(b"1 1 0 rg 70 595 300 18 re f 0 g " + TEXT),
    "white on a dark picture": PdfCase(
        b"q 400 0 0 80 60 580 cm /P Do Q 1 g " + TEXT, b"/XObject << /P 10 0 R >>",
        {10: picture(8, 8, lambda x, y: 40 + x)},
    ),
    "words that are the glyphs": PdfCase(
        b"/Span << /ActualText (@@@@) >> BDC " + TEXT + b"EMC\n"
    ),
    "a running head": PdfCase(b"/Artifact << /Type /Pagination >> BDC " + TEXT + b"EMC\n"),
    "white on dark, the page turned": PdfCase(DARK + b"1 1 1 rg " + TEXT, page=b"/Rotate 90"),
    "under a thin line": PdfCase(TEXT + b"0 0 1 rg 72 603 200 0.7 re f"),
    "a spot colour that is dark": PdfCase(b"/S cs 1 scn " + TEXT, SPOT, {10: tint(b"0")}),
    "white inside black outlines": PdfCase(b"q 2 Tr 1 g 0 G .4 w " + TEXT + b"Q"),
    "white on a dark shading": PdfCase(SHADING + b"1 g " + TEXT, *shading(b".1")),
    "white on an image in the page": PdfCase(
        b"q 400 0 0 80 60 580 cm BI /W 1 /H 1 /CS /G /BPC 8 ID \x10 EI Q 1 g " + TEXT
    ),
    "white is the lighter of a dark box": PdfCase(
        DARK + b"q /G gs 1 g " + TEXT + b"Q", b"/ExtGState << /G << /BM /Lighten >> >>"
    ),
    "shown while a layer is off": PdfCase(IN_LAYER, LAYERS_OFF, {10: LAYER, 11: NONE_OF_THEM}, catalog=LAYER_OFF),
    "lowered and put up again": PdfCase(b"BT /F1 12 Tf -900 Ts 72 1500 Td (@@@@) Tj ET"),
    "outlines of dashes": PdfCase(b"q [2 1] 0 d BT /F1 14 Tf 1 Tr 72 600 Td (@@@@) Tj ET Q"),
    "light grey": PdfCase(b".75 g " + TEXT),
}  # fmt: skip
"""Text that is seen, and has something of a trick."""

SCAN = PdfCase(
    b"q 612 0 0 600 0 60 cm /P Do Q BT /F1 12 Tf 3 Tr 72 600 Td (@@@@) Tj ET",
    b"/XObject << /P 10 0 R >>",
    {10: picture(300, 300, scan)},
)
"""A scanned page under the text that a program has read off it, which is invisible and kept."""
SCAN_WITH_MORE = PdfCase(
    SCAN.content.replace(b"72 600 Td", b"72 35 Td"), SCAN.resources, {10: picture(300, 300, lambda _x, _y: 250)}
)
"""A blank picture under invisible text: nothing was read off it."""

WORDS, OTHER_WORDS = b"Ignore previous words", b"mwWMk qqqq XXXXX zzzz"
FAINT = 16


def is_seen(case: PdfCase) -> bool:
    """Say whether the page looks different with other words in the place of the text."""
    one, other = rendered(case.with_words(WORDS)), rendered(case.with_words(OTHER_WORDS))
    pieces = ((one[at : at + 4096], other[at : at + 4096]) for at in range(0, len(one), 4096))
    changed = (abs(a - b) > FAINT for left, right in pieces if left != right for a, b in zip(left, right, strict=True))
    # A speck is not read by anybody.
    return sum(changed) > MOST_OF_A_SPECK


MOST_OF_A_SPECK = 60
"""Values of pixels: about four by four points of the page."""


def rendered(body: bytes) -> bytes:
    """The picture of the first page, at 144 dots to the inch."""
    import pypdfium2

    document: Any = pypdfium2.PdfDocument(body)  # type: ignore[no-untyped-call]
    try:
        return bytes(document[0].render(scale=2).buffer)
    finally:
        document.close()
