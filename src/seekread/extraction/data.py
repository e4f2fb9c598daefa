"""JSON as Markdown: a block of code, whose fence nothing inside can close."""

import json
import re

from seekread.extraction.extracted import Extracted
from seekread.extraction.options import ExtractOptions
from seekread.models import Signal


def read_json(text: str, options: ExtractOptions) -> Extracted:
    """JSON, indented and fenced; what does not parse is fenced as it came, and flagged."""
    try:
        value = json.loads(text)
        shown = json.dumps(value, indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):
        signals = (Signal(kind="invalid-json", detail="the text does not parse as JSON and is shown as it came"),)
        return Extracted(markdown=fenced(text[: options.characters], "json"), signals=signals)
    title = value.get("title") or value.get("name") if isinstance(value, dict) else None
    return Extracted(
        markdown=fenced(shown[: options.characters], "json"), title=title[:200] if isinstance(title, str) else ""
    )


def fenced(text: str, language: str) -> str:
    """A code block whose fence is longer than any run of backticks inside."""
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text.strip()}\n{fence}"
