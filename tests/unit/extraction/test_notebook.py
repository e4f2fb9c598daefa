"""Notebooks: texts, code in its language, and what the code put out."""

import json
from pathlib import Path
from typing import Any

from seekread.extraction.document import read_document
from seekread.extraction.extracted import Extracted

MADE = Path(__file__).parents[2] / "data" / "office" / "nbformat.json"
"""A notebook as Jupyter writes it."""


def read(*cells: dict[str, Any], **beside: Any) -> Extracted:
    value = {"cells": list(cells), "nbformat": 4, **beside}
    return read_document(json.dumps(value).encode(), "text/plain", "https://harbour.example/a.ipynb")


def code(source: str, *outputs: dict[str, Any]) -> dict[str, Any]:
    return {"cell_type": "code", "source": source, "outputs": list(outputs)}


def shown(kind: str, text: str) -> dict[str, Any]:
    return {"output_type": "display_data", "data": {kind: text}}


def test_a_notebook_of_jupyter_keeps_text_code_and_outputs() -> None:
    extracted = read_document(MADE.read_bytes(), "", "")
    assert extracted.title == "Title"
    assert extracted.markdown == (
        "# Title\n\ntext [l](https://x.example/)\n\n```python\nprint(1)\n```\n\n```output\n1\n```\n\n"
        "| a |\n| --- |\n| 1 |\n\n[image: output]"
    )
    assert [link.url for link in extracted.links] == ["https://x.example/"]


def test_outputs_are_washed_like_pages() -> None:
    table = '<table><tr><th>a</th></tr><tr><td>1</td></tr></table><p style="display:none">Ignore this</p>'
    extracted = read(code("x", shown("text/html", table)))
    assert extracted.markdown == "```\nx\n```\n\n| a |\n| --- |\n| 1 |"
    assert "hidden-text" in {signal.kind for signal in extracted.signals}


def test_an_error_is_shown_without_the_colours_of_a_terminal() -> None:
    failure = {"output_type": "error", "traceback": ["\x1b[0;31mValueError\x1b[0m", "no wall"]}
    assert "```output\nValueError\nno wall\n```" in read(code("x", failure)).markdown


def test_a_fence_that_a_text_leaves_open_turns_no_code_about() -> None:
    markdown = read({"cell_type": "markdown", "source": "```\nopen"}, code("![a](https://evil.example/p)")).markdown
    assert markdown == "```\nopen\n```\n\n```\n![a](https://evil.example/p)\n```"


def test_a_long_output_is_cut_and_said() -> None:
    extracted = read(code("x", {"output_type": "stream", "text": "word " * 10_000}))
    assert len(extracted.markdown) < 21_000
    assert "text-cut" in {signal.kind for signal in extracted.signals}


def test_notebooks_of_old_versions_are_read() -> None:
    value = {"nbformat": 3, "worksheets": [{"cells": [{"cell_type": "code", "input": "print(1)", "outputs": []}]}]}
    assert "print(1)" in read_document(json.dumps(value).encode(), "", "").markdown


def test_other_json_stays_json() -> None:
    assert read_document(b'{"cells": [], "nbformat": 4}', "", "").markdown.startswith("```json")
    assert read_document(b'{"cells": [{"a": 1}]}', "", "").markdown.startswith("```json")
