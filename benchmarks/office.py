"""
How much of the structure of office files, books, notebooks and mails arrives in the Markdown.

Documents are made by chance: headings, paragraphs with bold and linked words, nested lists, tables, code, notes. Of
each thing it is written down how it must stand in the Markdown, and hidden text that must not. Where python-docx,
openpyxl and python-pptx are installed, their files are read as well. Exits with 1 when less than 95 % of any kind
arrives, or when anything hidden does.
"""

import argparse
import email.message
import importlib.util
import io
import json
import random
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from benchmarks.promises import Promises
from seekread.extraction.document import read_document
from tests.support import office_files as files

PROMISE = 0.95
NOUNS = ["harbour", "wall", "boat", "pier", "gull", "market", "ferry", "summer", "paint", "table", "cafe", "stone"]
HIDDEN = "unseen"


@dataclass
class Made:
    """A document, how its parts must stand in the Markdown, and words that must not."""

    body: bytes = b""
    expected: list[tuple[str, str]] = field(default_factory=list)

    def expect(self, thing: str, markdown: str) -> None:
        self.expected.append((thing, markdown))


class Chance:
    """Words and shapes by chance, each text different from all others."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.count = 0

    def text(self) -> str:
        """A few words with a number that no other text has."""
        self.count += 1
        return " ".join([*self.random.choices(NOUNS, k=self.random.randint(2, 8)), str(1000 + self.count)])

    def table(self) -> list[list[str]]:
        width = self.random.randint(2, 5)
        return [[self.text() for _ in range(width)] for _ in range(self.random.randint(2, 6))]

    def levels(self) -> list[int]:
        """The levels of a list: each at most one deeper than the one before."""
        levels = [0]
        for _ in range(self.random.randint(1, 6)):
            levels.append(self.random.randint(0, min(2, levels[-1] + 1)))
        return levels


def expect_table(made: Made, table: list[list[str]]) -> None:
    for line in table:
        made.expect("table", "| " + " | ".join(line) + " |")


def word(chance: Chance) -> Made:
    """A Word document from its parts."""
    made, body, targets, notes = Made(), [], [], {}
    bullets = '<w:lvl w:ilvl="{}"><w:numFmt w:val="bullet"/></w:lvl>'
    numbering = (
        f'<w:numbering xmlns:w="{files.WORD}"><w:abstractNum w:abstractNumId="0">'
        + "".join(bullets.format(level) for level in range(3))
        + '</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>'
    )
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="H{n}"><w:name w:val="heading {n}"/></w:style>' for n in range(1, 5)
    )
    for number in range(12):
        heading, level = chance.text(), chance.random.randint(1, 4)
        body.append(files.paragraph(heading, f'<w:pStyle w:val="H{level}"/>'))
        made.expect("heading", f"{'#' * level} {heading}")
        plain, bold, linked, note = (chance.text() for _ in range(4))
        targets.append((f"l{number}", "hyperlink", f"https://harbour.example/{number}", "External"))
        notes[str(number)] = note
        body.append(
            f"<w:p><w:r><w:t>{plain}</w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t xml:space='preserve'> {bold}</w:t></w:r>"
            f"<w:hyperlink r:id='l{number}'><w:r><w:t>{linked}</w:t></w:r></w:hyperlink>"
            f"<w:r><w:footnoteReference w:id='{number}'/></w:r>"
            f"<w:r><w:rPr><w:vanish/></w:rPr><w:t>{HIDDEN}</w:t></w:r>"
            f"<w:r><w:rPr><w:color w:val='FFFFFF'/></w:rPr><w:t>{HIDDEN}</w:t></w:r></w:p>"
        )
        made.expect("paragraph", plain)
        made.expect("bold", f"**{bold}**")
        made.expect("link", f"[{linked}](https://harbour.example/{number})")
        made.expect("note", f"{number + 1}. {note}")
        for level in chance.levels():
            item = chance.text()
            body.append(files.paragraph(item, f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="1"/></w:numPr>'))
            made.expect("list", f"{'  ' * level}- {item}")
        table = chance.table()
        rows = "".join(
            f"<w:tr>{''.join(f'<w:tc>{files.paragraph(cell)}</w:tc>' for cell in line)}</w:tr>" for line in table
        )
        body.append(f"<w:tbl>{rows}</w:tbl>")
        expect_table(made, table)
    made.body = files.docx(
        "".join(body),
        styles=styles,
        targets=[*targets, ("n", "numbering", "numbering.xml"), ("f", "footnotes", "footnotes.xml")],
        parts={"word/numbering.xml": numbering, "word/footnotes.xml": files.notes_part("footnotes", notes)},
    )
    return made


def slides(chance: Chance) -> Made:
    """A presentation from its parts."""
    made, shown, targets = Made(), [], {}
    for number in range(1, 13):
        title, linked = chance.text(), chance.text()
        items = [(level, chance.text()) for level in chance.levels()]
        listed = "".join(
            files.line(text, properties=f'<a:pPr lvl="{level}"><a:buChar char="x"/></a:pPr>') for level, text in items
        )
        table = chance.table()
        cells = "".join(
            f"<a:tr>{''.join(f'<a:tc><a:txBody>{files.line(cell)}</a:txBody></a:tc>' for cell in line)}</a:tr>"
            for line in table
        )
        shown.append(
            files.shape(files.line(title), place="title")
            + files.shape(listed)
            + files.shape(files.line(linked, "<a:hlinkClick r:id='l'/>"))
            + f"<p:graphicFrame><a:graphic><a:tbl>{cells}</a:tbl></a:graphic></p:graphicFrame>"
            + files.shape(files.line(HIDDEN), at=(-9_000_000, 0))
            + files.shape(files.line(HIDDEN), about='hidden="1"')
        )
        targets[number] = [("l", "hyperlink", f"https://harbour.example/{number}", "External")]
        made.expect("heading", f"## Slide {number}: {title}")
        made.expect("link", f"[{linked}](https://harbour.example/{number})")
        for level, text in items:
            made.expect("list", f"{'  ' * level}- {text}")
        expect_table(made, table)
    made.body = files.pptx(shown, targets=targets)
    return made


def workbook(chance: Chance) -> Made:
    """A workbook from its parts."""
    made, sheets = Made(), {}
    for _ in range(8):
        name, table = chance.text()[-31:].strip(), chance.table()
        sheets[name] = files.rows(*table)
        made.expect("heading", f"## {name}")
        expect_table(made, table)
    sheets["secret"] = files.rows([HIDDEN])
    made.body = files.xlsx(sheets, states={"secret": "hidden"})
    return made


def book(chance: Chance) -> Made:
    """A book from its parts."""
    made, chapters = Made(), []
    for number in range(8):
        heading, text, linked, code = (chance.text() for _ in range(4))
        items = [chance.text() for _ in range(4)]
        table = chance.table()
        rows = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in line)}</tr>" for line in table)
        chapters.append(
            files.chapter(
                f"<h2>{heading}</h2><p>{text} <a href='https://harbour.example/{number}'>{linked}</a></p>"
                f"<ul>{''.join(f'<li>{item}</li>' for item in items)}</ul><table>{rows}</table>"
                f"<pre>{code}</pre><p style='display:none'>{HIDDEN}</p>"
            )
        )
        made.expect("heading", f"## {heading}")
        made.expect("paragraph", text)
        made.expect("link", f"[{linked}](https://harbour.example/{number})")
        made.expect("code", f"```\n{code}\n```")
        for item in items:
            made.expect("list", f"- {item}")
        expect_table(made, table)
    made.body = files.epub(chapters)
    return made


def notebook(chance: Chance) -> Made:
    """A notebook."""
    made = Made()
    cells: list[dict[str, Any]] = []
    for _ in range(12):
        heading, item, code, stream = (chance.text() for _ in range(4))
        table = chance.table()
        rows = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in line)}</tr>" for line in table)
        cells.append({"cell_type": "markdown", "source": [f"## {heading}\n", f"\n- {item}"]})
        outputs = [
            {"output_type": "stream", "text": [stream]},
            {"output_type": "execute_result", "data": {"text/html": f"<table>{rows}</table><p hidden>{HIDDEN}</p>"}},
        ]
        cells.append({"cell_type": "code", "source": code, "outputs": outputs})
        made.expect("heading", f"## {heading}")
        made.expect("list", f"- {item}")
        made.expect("code", f"```python\n{code}\n```")
        made.expect("output", f"```output\n{stream}\n```")
        expect_table(made, table)
    about = {"kernelspec": {"language": "python"}}
    made.body = json.dumps({"nbformat": 4, "metadata": about, "cells": cells}).encode()
    return made


def mail(chance: Chance) -> Made:
    """A message in two versions with an attachment."""
    made, message = Made(), email.message.EmailMessage()
    subject, text, linked, item = (chance.text() for _ in range(4))
    message["From"], message["To"], message["Subject"] = "anna@harbour.example", "board@harbour.example", subject
    message.set_content("plain")
    message.add_alternative(
        f"<p>{text} <a href='https://harbour.example/'>{linked}</a></p><ul><li>{item}</li></ul><p hidden>{HIDDEN}</p>",
        subtype="html",
    )
    message.add_attachment(b"abc", maintype="application", subtype="pdf", filename="plan.pdf")
    made.expect("heading", f"# {subject}")
    made.expect("people", "- From: anna@harbour.example")
    made.expect("paragraph", text)
    made.expect("link", f"[{linked}](https://harbour.example/)")
    made.expect("list", f"- {item}")
    made.expect("attachment", "- plan.pdf (application/pdf, 3 bytes)")
    made.body = message.as_bytes()
    return made


def python_docx(chance: Chance) -> Made:
    """A Word document as python-docx writes it."""
    library: Any = importlib.import_module("docx")
    made, document, out = Made(), library.Document(), io.BytesIO()
    for _ in range(10):
        heading, text, bold = (chance.text() for _ in range(3))
        level = chance.random.randint(1, 4)
        document.add_heading(heading, level)
        run = document.add_paragraph(text + " ")
        run.add_run(bold).bold = True
        run.add_run(HIDDEN).font.hidden = True
        made.expect("heading", f"{'#' * level} {heading}")
        made.expect("paragraph", text)
        made.expect("bold", f"**{bold}**")
        for style, mark in (("List Bullet", "- "), ("List Number", "")):
            item = chance.text()
            document.add_paragraph(item, style=style)
            made.expect("list", f"{mark}{item}")
        table = chance.table()
        grid = document.add_table(len(table), len(table[0]))
        for at, line in enumerate(table):
            for column, cell in enumerate(line):
                grid.cell(at, column).text = cell
        expect_table(made, table)
    document.save(out)
    made.body = out.getvalue()
    return made


def openpyxl(chance: Chance) -> Made:
    """A workbook as openpyxl writes it."""
    library: Any = importlib.import_module("openpyxl")
    made, book_, out = Made(), library.Workbook(), io.BytesIO()
    for number in range(6):
        table = chance.table()
        sheet = book_.create_sheet(f"Sheet of {number}")
        for line in table:
            sheet.append(line)
        sheet.append([HIDDEN])
        sheet.row_dimensions[len(table) + 1].hidden = True
        made.expect("heading", f"## Sheet of {number}")
        expect_table(made, table)
    book_.save(out)
    made.body = out.getvalue()
    return made


def python_pptx(chance: Chance) -> Made:
    """A presentation as python-pptx writes it."""
    library: Any = importlib.import_module("pptx")
    made, deck, out = Made(), library.Presentation(), io.BytesIO()
    for number in range(1, 9):
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        title, notes = chance.text(), chance.text()
        slide.shapes.title.text = title
        slide.notes_slide.notes_text_frame.text = notes
        made.expect("heading", f"## Slide {number}: {title}")
        made.expect("note", f"> {notes}")
        frame = slide.placeholders[1].text_frame
        for at, level in enumerate(chance.levels()):
            line = frame.paragraphs[0] if not at else frame.add_paragraph()
            line.text, line.level = chance.text(), level
            made.expect("list", f"{'  ' * level}- {line.text}")
    deck.save(out)
    made.body = out.getvalue()
    return made


KINDS: dict[str, Callable[[Chance], Made]] = {
    "word": word,
    "slides": slides,
    "workbook": workbook,
    "book": book,
    "notebook": notebook,
    "mail": mail,
}
LIBRARIES: dict[str, tuple[str, Callable[[Chance], Made]]] = {
    "python-docx": ("docx", python_docx),
    "openpyxl": ("openpyxl", openpyxl),
    "python-pptx": ("pptx", python_pptx),
}


def missing(thing: str, markdown: str, text: str) -> bool:
    """Say whether something is not in the Markdown as it must stand there: a list's item on a line of its own."""
    found = markdown in text.split("\n") if thing in {"list", "heading", "table", "note"} else markdown in text
    # Items of numbered lists stand behind their numbers.
    return not found and not (thing == "list" and not markdown.startswith((" ", "-")) and f". {markdown}\n" in text)


def measured(make: Callable[[Chance], Made], documents: int, seed: int) -> tuple[Counter[str], Counter[str], int]:
    """What was expected and what was missing, by thing, and how much of what is hidden was read."""
    expected: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    leaked = 0
    for number in range(documents):
        made = make(Chance(seed + number))
        text = read_document(made.body, "", "").markdown
        leaked += HIDDEN in text
        for thing, markdown in made.expected:
            expected[thing] += 1
            lost[thing] += missing(thing, markdown, text)
    return expected, lost, leaked


def main() -> int:
    """Print a row for each kind; 1 when a promise is missed."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--documents", type=int, default=40)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    installed = {name: make for name, (package, make) in LIBRARIES.items() if importlib.util.find_spec(package)}
    promises = Promises("office")
    for name, make in {**KINDS, **installed}.items():
        expected, lost, leaked = measured(make, given.documents, given.seed)
        kept = {thing: 1 - lost[thing] / count for thing, count in expected.items()}
        promises.at_least(f"{name}: least that is kept of a thing", min(kept.values()), PROMISE)
        promises.at_most(f"{name}: documents of which hidden text is read", leaked, 0)
        figures = "  ".join(f"{thing} {share:.1%}" for thing, share in kept.items())
        print(f"{name:12} hidden read in {leaked} of {given.documents}  {figures}")
    for name in LIBRARIES.keys() - installed.keys():
        print(f"{name:12} not written: {LIBRARIES[name][0]} is not installed")
    return promises.told()


if __name__ == "__main__":
    sys.exit(main())
