"""
What a person sees of a PDF's text: objects that leave no ink are taken out of a page before its words are read.

1. Cheap suspicion, from the objects alone: render mode, ink near to paper or to a ground, alpha, size, place, clip,
   layer, mask, and whatever is painted afterwards.
2. The suspects' picture: the page is rendered with and without them. One whose place looks the same is hidden.
   Suspects that lie upon each other are tried one by one.
3. What a program read off a scan is invisible by design, and stays: invisible text that lies on a picture with ink
   where the words are.

Words that a PDF gives instead of its glyphs (`ActualText`) are not read: the glyphs are.
"""

import ctypes
import time
from collections.abc import Iterator
from dataclasses import field
from functools import cache
from itertools import islice, pairwise
from math import hypot
from typing import Any

from seekread.extraction.signals import Tally
from seekread.late import dataclass

MOST_OBJECTS = 20_000
"""A page with more is judged without pictures: rendering it could take all the time there is."""
MOST_COMPARED = 500
"""Suspects, or pairs of a text and what is painted, in hundreds: more are not compared one with another."""
MOST_PICTURES = 24
"""Suspects on one page that are tried one by one."""
LARGEST_PICTURE = 1_500_000
"""Pixels; a larger page is rendered smaller."""
SMALLEST = 1.5
"""Points: lower or narrower letters are specks."""
FAINT = 16
"""Levels of 255 by which a pixel has to change to be seen."""
NEAR = 60
"""Levels by which ink may differ from a ground and still be suspected."""
PATTERN = (191, 191, 191)
"""What pdfium gives for the colour of a pattern."""
DEEPEST = 6
INVISIBLE_MODES = frozenset({3, 7})
STROKED_MODES = frozenset({1, 5})

PdfArea = tuple[float, float, float, float]
"""Left, bottom, right, top."""


@dataclass(eq=False)
class PdfObject:
    """An object of a page, with what judging it needs."""

    raw: Any
    kind: int
    box: PdfArea
    place: "PdfMatrix"
    """Where the form that holds it stands on the page."""
    parent: Any = None
    reason: str = ""
    """Why a text is suspected; for certain if `sure`."""
    sure: bool = False


@dataclass
class PdfPicture:
    """A page as it looks."""

    pixels: Any
    width: int
    height: int
    stride: int
    scale: float
    area: PdfArea

    def rows(self, box: PdfArea) -> Iterator[memoryview]:
        """The pixels of a box, row by row."""
        left, _, _, top = self.area
        first, last = int((box[0] - left) * self.scale) - 1, int((box[2] - left) * self.scale) + 2
        above, below = int((top - box[3]) * self.scale) - 1, int((top - box[1]) * self.scale) + 2
        start, end = max(0, first) * 4, min(self.width, last) * 4
        for row in range(max(0, above), min(self.height, below)):
            yield self.pixels[row * self.stride + start : row * self.stride + end]


@dataclass
class SeenPage:
    """Judges the text of one page."""

    page: Any
    tally: Tally
    deadline: float
    objects: list[PdfObject] = field(default_factory=list)

    def take_out_what_is_hidden(self) -> None:
        """Remove hidden text from the page, and count it."""
        pdfium = functions()
        self.objects = list(collect(self.page.raw, MOST_OBJECTS))
        self.forget_other_words()
        area = area_of(self.page)
        texts = [thing for thing in self.objects if thing.kind == pdfium.FPDF_PAGEOBJ_TEXT]
        suspect(texts, self.objects, area)
        suspects = [thing for thing in texts if thing.reason]
        if not suspects:
            return
        hidden = [thing for thing in self.unseen(suspects, area) if not self.lies_on_a_scan(thing, area)]
        self.remove(hidden)

    def forget_other_words(self) -> None:
        """Read the glyphs themselves, whatever words are given for them; others than theirs are counted."""
        marked = [thing for thing in self.objects if actual_text(thing.raw) is not None]
        if not marked:
            return
        given = {actual_text(thing.raw) or "" for thing in marked}
        for thing in marked:
            remove_actual_text(thing.raw)
        words = self.page.get_textpage()
        try:
            shown = letters(str(words.get_text_bounded()))
        finally:
            words.close()
        for text in given:
            if letters(text) not in shown:
                self.tally.removed("words that are not the glyphs", text)

    def unseen(self, suspects: list[PdfObject], area: PdfArea) -> list[PdfObject]:
        """The suspects that leave no ink."""
        if len(self.objects) >= MOST_OBJECTS or time.process_time() > self.deadline:
            self.tally.note("hidden-text-unchecked", "the page is too large to be rendered")
            return [thing for thing in suspects if thing.sure]
        whole = self.picture(area)
        without = self.picture(area, *suspects)
        hidden = {thing for thing in suspects if thing.sure or alike(whole, without, thing.box)}
        few = suspects[:MOST_COMPARED]
        doubted = (thing for thing in few if thing not in hidden and any_touches(thing, few))
        for thing in islice(doubted, MOST_PICTURES):
            if time.process_time() < self.deadline and alike(whole, self.picture(area, thing), thing.box):
                hidden.add(thing)
        return [thing for thing in suspects if thing in hidden]

    def picture(self, area: PdfArea, *without: PdfObject) -> PdfPicture:
        """The page as it looks without some objects."""
        pdfium = functions()
        width, height = max(area[2] - area[0], 1.0), max(area[3] - area[1], 1.0)
        scale = min(1.0, (LARGEST_PICTURE / (width * height)) ** 0.5)
        turned = pdfium.FPDFPage_GetRotation(self.page.raw)
        pdfium.FPDFPage_SetRotation(self.page.raw, 0)
        for thing in without:
            pdfium.FPDFPageObj_SetIsActive(thing.raw, 0)
        try:
            bitmap = self.page.render(scale=scale, may_draw_forms=False, rev_byteorder=False, prefer_bgrx=True)
        finally:
            for thing in without:
                pdfium.FPDFPageObj_SetIsActive(thing.raw, 1)
            pdfium.FPDFPage_SetRotation(self.page.raw, turned)
        pixels = memoryview(bytes(bitmap.buffer))
        return PdfPicture(pixels, bitmap.width, bitmap.height, bitmap.stride, bitmap.width / width, area)

    def lies_on_a_scan(self, thing: PdfObject, area: PdfArea) -> bool:
        """Say whether an invisible text lies on a picture, and the picture has ink there."""
        pdfium = functions()
        if thing.reason != "invisible":
            return False
        pictures = [other for other in self.objects if other.kind == pdfium.FPDF_PAGEOBJ_IMAGE]
        if not any(share(thing.box, other.box) > 0.9 for other in pictures):
            return False
        shades = [value for row in self.picture(area).rows(thing.box) for value in row[::4]]
        if not shades or max(shades) - min(shades) < 3 * FAINT:
            return False
        self.tally.note("hidden-text-kept", "text read off a scan")
        return True

    def remove(self, hidden: list[PdfObject]) -> None:
        """Take objects off the page."""
        pdfium = functions()
        if not hidden:
            return
        words = self.page.get_textpage()
        try:
            for thing in hidden:
                self.tally.removed(thing.reason, text_of_object(thing.raw, words.raw).strip())
        finally:
            words.close()
        for thing in hidden:
            if thing.parent is None:
                pdfium.FPDFPage_RemoveObject(self.page.raw, thing.raw)
            else:
                pdfium.FPDFFormObj_RemoveObject(thing.parent, thing.raw)


@cache
def functions() -> Any:
    """The functions of pdfium, which is an extra and describes its types to nobody."""
    import pypdfium2.raw

    return pypdfium2.raw


def collect(page: Any, most: int) -> Iterator[PdfObject]:
    """The objects of a page in the order they are painted, those of forms included."""
    pdfium = functions()
    left = [most]

    def within(count: int, get: Any, parent: Any, place: Any, depth: int) -> Iterator[PdfObject]:
        for index in range(count):
            if left[0] <= 0:
                return
            left[0] -= 1
            raw = get(index)
            if not raw:
                continue
            kind = pdfium.FPDFPageObj_GetType(raw)
            yield PdfObject(raw, kind, placed(bounds_of(raw), place), place, parent)
            if kind == pdfium.FPDF_PAGEOBJ_FORM and depth < DEEPEST:
                matrix = times(matrix_of(raw), place)
                inside = pdfium.FPDFFormObj_CountObjects(raw)
                yield from within(inside, lambda i, f=raw: pdfium.FPDFFormObj_GetObject(f, i), raw, matrix, depth + 1)

    total = pdfium.FPDFPage_CountObjects(page)
    yield from within(total, lambda i: pdfium.FPDFPage_GetObject(page, i), None, (1.0, 0.0, 0.0, 1.0, 0.0, 0.0), 0)


def suspect(texts: list[PdfObject], objects: list[PdfObject], area: PdfArea) -> None:
    """Say of each text why nobody may see it."""
    pdfium = functions()
    painted = [
        (number, thing)
        for number, thing in enumerate(objects)
        if thing.kind in {pdfium.FPDF_PAGEOBJ_PATH, pdfium.FPDF_PAGEOBJ_IMAGE, pdfium.FPDF_PAGEOBJ_SHADING}
    ]
    grounds = {
        (255, 255, 255),
        *(fill_of(thing.raw)[:3] for _, thing in painted if thing.kind == pdfium.FPDF_PAGEOBJ_PATH),
    }
    order = {thing: number for number, thing in enumerate(objects)}
    crowded = len(texts) * len(painted) > 100 * MOST_COMPARED
    for text in texts:
        text.reason, text.sure = reason_for(text, area)
        if text.reason:
            continue
        ink = ink_of(text.raw)
        if ink[3] < 64 or pdfium.FPDFPageObj_HasTransparency(text.raw):
            text.reason = "transparent"
        elif any(near(ink, ground) for ground in grounds):
            text.reason = "ink like its ground"
        elif text.parent is not None or marked(text.raw, "OC"):
            text.reason = "layer"
        elif is_clipped(text):
            text.reason = "clipped"
        elif crowded or any(after > order[text] and share(text.box, thing.box) > 0.3 for after, thing in painted):
            text.reason = "covered"
        elif not font_name(text.raw) or is_drawn_oddly(text.raw):
            text.reason = "letters without ink"


def reason_for(text: PdfObject, area: PdfArea) -> tuple[str, bool]:
    """What the object alone says, and whether that is certain."""
    pdfium = functions()
    if pdfium.FPDFTextObj_GetTextRenderMode(text.raw) in INVISIBLE_MODES:
        return "invisible", True
    if share(text.box, area) <= 0:
        return "outside the page", True
    if size_of(text) < SMALLEST:
        return "tiny", True
    return "", False


def size_of(text: PdfObject) -> float:
    """The size of a text's letters on the page, in points, in the direction in which they are smaller."""
    pdfium = functions()
    size = ctypes.c_float()
    pdfium.FPDFTextObj_GetFontSize(text.raw, size)
    a, b, c, d, _, _ = times(matrix_of(text.raw), text.place)
    return abs(size.value) * min(hypot(a, b), hypot(c, d))


def bounds_of(raw: Any) -> PdfArea:
    pdfium = functions()
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    pdfium.FPDFPageObj_GetBounds(raw, left, bottom, right, top)
    return left.value, bottom.value, right.value, top.value


PdfMatrix = tuple[float, float, float, float, float, float]


def matrix_of(raw: Any) -> PdfMatrix:
    pdfium = functions()
    matrix = pdfium.FS_MATRIX()
    if not pdfium.FPDFPageObj_GetMatrix(raw, matrix):
        return (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
    return matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f


def times(inner: PdfMatrix, outer: PdfMatrix) -> PdfMatrix:
    """The matrix that does one after the other."""
    a, b, c, d, e, f = inner
    p, q, r, s, t, u = outer
    return (a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, e * p + f * r + t, e * q + f * s + u)


def placed(box: PdfArea, matrix: PdfMatrix) -> PdfArea:
    """The box around a box that was moved."""
    a, b, c, d, e, f = matrix
    corners = [(a * x + c * y + e, b * x + d * y + f) for x in (box[0], box[2]) for y in (box[1], box[3])]
    across, up = [x for x, _ in corners], [y for _, y in corners]
    return min(across), min(up), max(across), max(up)


def area_of(page: Any) -> PdfArea:
    """The part of a page that is shown."""
    left, bottom, right, top = page.get_cropbox() or page.get_mediabox()
    around = page.get_mediabox()
    return max(left, around[0]), max(bottom, around[1]), min(right, around[2]), min(top, around[3])


def share(box: PdfArea, other: PdfArea) -> float:
    """How much of a box lies in another."""
    width, height = min(box[2], other[2]) - max(box[0], other[0]), min(box[3], other[3]) - max(box[1], other[1])
    whole = (box[2] - box[0]) * (box[3] - box[1])
    if width <= 0 or height <= 0:
        return 0.0
    return width * height / whole if whole > 0 else 1.0


def any_touches(thing: PdfObject, others: list[PdfObject]) -> bool:
    return any(other is not thing and share(thing.box, other.box) > 0 for other in others)


PdfInk = tuple[int, int, int, int]


def fill_of(raw: Any) -> PdfInk:
    pdfium = functions()
    return colour(pdfium.FPDFPageObj_GetFillColor, raw)


def ink_of(raw: Any) -> PdfInk:
    """The colour of a text: of its outline where that is all it has."""
    pdfium = functions()
    if pdfium.FPDFTextObj_GetTextRenderMode(raw) in STROKED_MODES:
        return colour(pdfium.FPDFPageObj_GetStrokeColor, raw)
    return fill_of(raw)


def is_drawn_oddly(raw: Any) -> bool:
    """Say whether letters are filled with a pattern, or outlined with dashes: either may be nothing but gaps."""
    pdfium = functions()
    if pdfium.FPDFTextObj_GetTextRenderMode(raw) in STROKED_MODES:
        return bool(pdfium.FPDFPageObj_GetDashCount(raw) > 0)
    return fill_of(raw)[:3] == PATTERN


def colour(get: Any, raw: Any) -> PdfInk:
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    if not get(raw, red, green, blue, alpha):
        return 0, 0, 0, 255
    return red.value, green.value, blue.value, alpha.value


def font_name(raw: Any) -> str:
    """The name of a text's font; one that is drawn in the file itself has none, and may draw nothing."""
    pdfium = functions()
    buffer = ctypes.create_string_buffer(128)
    pdfium.FPDFFont_GetBaseFontName(pdfium.FPDFTextObj_GetFont(raw), buffer, 128)
    return buffer.value.decode("utf-8", "replace")


def near(ink: PdfInk, ground: tuple[int, ...]) -> bool:
    return max(abs(one - other) for one, other in zip(ink[:3], ground, strict=True)) < NEAR


def is_clipped(text: PdfObject) -> bool:
    """Say whether a clip may cut a text away: one of another shape than a box, or a box that does not hold it all."""
    pdfium = functions()
    clip = pdfium.FPDFPageObj_GetClipPath(text.raw)
    for number in range(max(0, pdfium.FPDFClipPath_CountPaths(clip)) if clip else 0):
        points = []
        for index in range(min(8, pdfium.FPDFClipPath_CountPathSegments(clip, number))):
            x, y = ctypes.c_float(), ctypes.c_float()
            pdfium.FPDFPathSegment_GetPoint(pdfium.FPDFClipPath_GetPathSegment(clip, number, index), x, y)
            points.append((x.value, y.value))
        across, up = {round(x, 1) for x, _ in points}, {round(y, 1) for _, y in points}
        straight = all(abs(x - p) < 0.1 or abs(y - q) < 0.1 for (x, y), (p, q) in pairwise(points))
        if len(points) not in {4, 5} or len(across) > 2 or len(up) > 2 or not straight:
            return True
        if share(text.box, (min(across), min(up), max(across), max(up))) < 0.9:
            return True
    return False


def marked(raw: Any, name: str) -> bool:
    """Say whether an object stands in marked content of a name."""
    pdfium = functions()
    return any(mark_name(pdfium.FPDFPageObj_GetMark(raw, n)) == name for n in range(pdfium.FPDFPageObj_CountMarks(raw)))


def mark_name(mark: Any) -> str:
    pdfium = functions()
    buffer, length = ctypes.create_string_buffer(128), ctypes.c_ulong()
    name = ctypes.cast(buffer, ctypes.POINTER(pdfium.FPDF_WCHAR))
    if not pdfium.FPDFPageObjMark_GetName(mark, name, 128, length):
        return ""
    return buffer.raw[: max(0, length.value - 2)].decode("utf-16-le", "replace")


def actual_text(raw: Any) -> str | None:
    """The words that are given for the glyphs of an object, if there are any."""
    pdfium = functions()
    for number in range(pdfium.FPDFPageObj_CountMarks(raw)):
        mark, length = pdfium.FPDFPageObj_GetMark(raw, number), ctypes.c_ulong()
        pdfium.FPDFPageObjMark_GetParamStringValue(mark, b"ActualText", None, 0, length)
        if length.value:
            buffer = ctypes.create_string_buffer(length.value)
            text = ctypes.cast(buffer, ctypes.POINTER(pdfium.FPDF_WCHAR))
            pdfium.FPDFPageObjMark_GetParamStringValue(mark, b"ActualText", text, length.value, length)
            return buffer.raw[: max(0, length.value - 2)].decode("utf-16-le", "replace")
    return None


def remove_actual_text(raw: Any) -> None:
    pdfium = functions()
    for number in range(pdfium.FPDFPageObj_CountMarks(raw)):
        pdfium.FPDFPageObjMark_RemoveParam(raw, pdfium.FPDFPageObj_GetMark(raw, number), b"ActualText")


def letters(text: str) -> str:
    """What two spellings of a text have in common."""
    return "".join(character for character in text.casefold() if character.isalnum())


def text_of_object(raw: Any, words: Any) -> str:
    pdfium = functions()
    length = pdfium.FPDFTextObj_GetText(raw, words, None, 0)
    buffer = ctypes.create_string_buffer(length)
    pdfium.FPDFTextObj_GetText(raw, words, ctypes.cast(buffer, ctypes.POINTER(pdfium.FPDF_WCHAR)), length)
    return buffer.raw[: max(0, length - 2)].decode("utf-16-le", "replace")


def alike(one: PdfPicture, other: PdfPicture, box: PdfArea) -> bool:
    """Say whether two pictures look the same in a box."""
    for row, twin in zip(one.rows(box), other.rows(box), strict=True):
        if row != twin and any(abs(a - b) > FAINT for a, b in zip(row, twin, strict=True)):
            return False
    return True
