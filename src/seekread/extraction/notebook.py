"""Jupyter notebooks as Markdown: texts as they are, code in blocks of its language, and what the code put out."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from seekread.extraction.extracted import Extracted
from seekread.extraction.options import ExtractOptions
from seekread.extraction.prescan import tame
from seekread.extraction.signals import Tally
from seekread.extraction.text import read_markdown, shown
from seekread.models import Link
from seekread.page.blocks import with_fence_closed
from seekread.page.gate import code_block, gated

TERMINAL = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
PICTURES = ("image/png", "image/jpeg", "image/svg+xml", "image/gif")
LANGUAGE = re.compile(r"[A-Za-z0-9+#-]{1,20}")
MOST_OUTPUT = 20_000
"""Characters of one output that are kept."""


def is_notebook(value: Any) -> bool:
    """Say whether JSON is a notebook, by what it holds."""
    return isinstance(value, dict) and isinstance(value.get("nbformat"), int) and bool(cells_of(value))


def read_notebook(value: Mapping[str, Any], options: ExtractOptions, tally: Tally) -> Extracted:
    """The cells of a notebook one after another, until the limit."""
    language = language_of(value)
    parts: list[str] = []
    links: dict[str, Link] = {}
    title, size = "", 0
    cells = cells_of(value)
    for number, cell in enumerate(cells):
        if size > options.characters:
            tally.note("cells-left-out", "the notebook is longer than what is read of it", count=len(cells) - number)
            break
        found = read_cell(cell, language, options, tally)
        parts.append(with_fence_closed(found.markdown))
        size += len(found.markdown)
        links |= {link.url: link for link in found.links}
        title = title or found.title
    # What one cell leaves open must not turn the next ones about.
    markdown = shown(gated("\n\n".join(filter(None, parts)), images=options.images), tally)
    return Extracted(
        markdown=markdown,
        title=title,
        metadata={"language": language} if language else {},
        links=tuple(links.values()),
        outcome="ok" if markdown else "empty",
    )


def cells_of(value: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The cells of a notebook; before version 4 they lay on a sheet."""
    sheets = value.get("worksheets")
    cells = value.get("cells") or (sheets[0].get("cells") if isinstance(sheets, list) and sheets else None)
    return [cell for cell in cells if isinstance(cell, dict)] if isinstance(cells, list) else []


def language_of(value: Mapping[str, Any]) -> str:
    """The language of the code cells."""
    about = value.get("metadata")
    said = [about.get(name) for name in ("kernelspec", "language_info")] if isinstance(about, dict) else []
    names = [one.get("language") or one.get("name") for one in said if isinstance(one, dict)]
    return next((name for name in names if isinstance(name, str) and LANGUAGE.fullmatch(name)), "")


def read_cell(cell: Mapping[str, Any], language: str, options: ExtractOptions, tally: Tally) -> Extracted:
    """One cell: text, code with what it put out, or words as they came."""
    source = joined(cell.get("source", cell.get("input")))
    kind = cell.get("cell_type")
    if not source.strip() and kind != "code":
        return Extracted()
    if kind in {"markdown", "heading"}:
        return read_markdown(source if kind == "markdown" else f"# {source}", options, tally)
    code = code_block(tally.clean_characters(source), language if kind == "code" else "") if source.strip() else ""
    outputs = cell.get("outputs") if kind == "code" else None
    found = [read_output(one, options, tally) for one in outputs or () if isinstance(one, dict)]
    shown = [part for part in (code, *(one.markdown for one in found)) if part]
    return Extracted(markdown="\n\n".join(shown), links=tuple(link for one in found for link in one.links))


def read_output(output: Mapping[str, Any], options: ExtractOptions, tally: Tally) -> Extracted:
    """What code put out, in the richest form that is text."""
    data = output.get("data")
    data = data if isinstance(data, dict) else {}
    if "text/html" in data:
        html = tame(joined(data["text/html"])).html
        # It loads the model that chooses content, which is a worker's affair.
        from seekread.extraction.html import read_fragment

        content = read_fragment(html, None, tally, images=options.images, wash=True)
        if content.markdown:
            return Extracted(markdown=content.markdown, links=content.links)
    if "text/markdown" in data:
        return read_markdown(joined(data["text/markdown"]), options, tally)
    text = "\n".join(texts_of(output, data))
    if text.strip():
        if len(text) > MOST_OUTPUT:
            tally.note("text-cut", "a long output of code", characters=len(text) - MOST_OUTPUT)
        return Extracted(markdown=code_block(tally.clean_characters(text[:MOST_OUTPUT]), "output"))
    return Extracted(markdown="[image: output]" if any(kind in data for kind in PICTURES) else "")


def texts_of(output: Mapping[str, Any], data: Mapping[str, Any]) -> Iterator[str]:
    """The plain texts of an output, without the colours of a terminal."""
    kind = output.get("output_type")
    if kind in {"error", "pyerr"}:
        yield TERMINAL.sub("", joined(output.get("traceback"), between="\n"))
        return
    yield TERMINAL.sub("", joined(data.get("text/plain", output.get("text"))))


def joined(value: Any, between: str = "") -> str:
    """Lines that stand in one text or in a list of texts."""
    if isinstance(value, list):
        return between.join(part for part in value if isinstance(part, str))
    return value if isinstance(value, str) else ""
