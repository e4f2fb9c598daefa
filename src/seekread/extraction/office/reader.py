"""A package told by its main part, translated, and read as a page."""

import re
from collections.abc import Callable

from seekread.errors import Unreadable
from seekread.extraction.epub import is_book, read_book
from seekread.extraction.extracted import Extracted
from seekread.extraction.html import read_fragment
from seekread.extraction.office.package import Package
from seekread.extraction.office.slides import SlideText
from seekread.extraction.office.word import WordText
from seekread.extraction.office.workbook import WorkbookText
from seekread.extraction.options import ExtractOptions
from seekread.extraction.prescan import tame
from seekread.extraction.signals import Tally
from seekread.extraction.text import HEADING
from seekread.models import Signal
from seekread.page.blocks import heading_title

TRANSLATORS: dict[str, Callable[[Package, Tally, int], str]] = {
    "document": lambda package, tally, limit: WordText(package, tally, limit).translate(),
    "presentation": lambda package, tally, limit: SlideText(package, tally, limit).translate(),
    "workbook": lambda package, tally, limit: WorkbookText(package, tally, limit).translate(),
}
"""The name of the first element of the main part → who translates it."""
SLIDE = re.compile(r"Slide \d+: ")
OTHERS = {
    "application/vnd.oasis.opendocument": "an OpenDocument file; save it as .docx, .pptx or .xlsx",
}


def read_package(body: bytes, options: ExtractOptions, tally: Tally) -> Extracted:
    """A Word document, a presentation, a workbook or a book, told by what is inside."""
    package = Package.open(body)
    if is_book(package):
        return read_book(package, options, tally)
    kind = kind_of(package)
    about = package.about()
    html = TRANSLATORS[kind](package, tally, options.characters)
    if package.has_macros:
        tally.note("macros", "the file carries macros; they were not run")
    if package.outside:
        tally.note("outside-content", "the file asks for content from elsewhere; nothing was fetched",
                   count=package.outside)  # fmt: skip
    tamed = tame(html)
    content = read_fragment(tamed.html, None, tally, images=options.images, wash=True)
    return Extracted(
        markdown=content.markdown,
        title=about.get("title") or first_heading(content.markdown),
        metadata=about,
        links=content.links,
        signals=(Signal(kind="page-tamed", count=max(1, tamed.cut), detail=tamed.why),) if tamed.why else (),
        outcome="ok" if content.markdown else "empty",
    )


def first_heading(markdown: str) -> str:
    """The first heading, without the number of a slide."""
    found = HEADING.search(markdown[:20_000])
    return SLIDE.sub("", heading_title(found[0])) if found else ""


def kind_of(package: Package) -> str:
    """The kind of a package, or why it cannot be read."""
    if not package.main_part or package.main_part not in package:
        raise Unreadable("unsupported_type", f"the file is {other_kind(package)}, which cannot be read as text")
    if package.main_part.endswith(".bin"):
        raise Unreadable("unsupported_type", "the file is a binary workbook (.xlsb); save it as .xlsx")
    kind = str(package.main.tag)
    if kind not in TRANSLATORS:
        raise Unreadable("unsupported_type", f"the file is an office file of an unknown kind ({kind[:40]!r})")
    return kind


def other_kind(package: Package) -> str:
    """What an archive is that is no office file."""
    kind = package.read("mimetype", 200).decode("latin-1") if "mimetype" in package else ""
    return next((what for start, what in OTHERS.items() if kind.startswith(start)), "an archive (application/zip)")
