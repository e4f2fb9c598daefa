"""JSON as Markdown: feeds as lists, lines of objects as tables, all else a block of code that nothing inside closes."""

import json

from seekread.extraction.entries import is_feed, read_json_feed
from seekread.extraction.extracted import Extracted
from seekread.extraction.notebook import is_notebook, read_notebook
from seekread.extraction.options import ExtractOptions
from seekread.extraction.signals import Tally
from seekread.extraction.tables import record_table, records_in
from seekread.models import Signal
from seekread.page.gate import code_block


def read_json(text: str, options: ExtractOptions, tally: Tally) -> Extracted:
    """JSON, indented and fenced; what does not parse is fenced as it came, and flagged."""
    try:
        value = json.loads(text)
        shown = json.dumps(value, indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):
        if records := records_in(text):
            return record_table(records, options, tally)
        signals = (Signal(kind="invalid-json", detail="the text does not parse as JSON and is shown as it came"),)
        return Extracted(markdown=in_a_block(text, "json", options, tally), signals=signals)
    if is_notebook(value):
        return read_notebook(value, options, tally)
    if is_feed(value):
        return read_json_feed(value, tally)
    title = value.get("title") or value.get("name") if isinstance(value, dict) else None
    return Extracted(
        markdown=in_a_block(shown, "json", options, tally), title=title[:200] if isinstance(title, str) else ""
    )


def in_a_block(text: str, language: str, options: ExtractOptions, tally: Tally) -> str:
    """Data as a block of code; what is invisible goes first, for without it backticks may meet."""
    return code_block(tally.clean_characters(text[: options.characters]), language)
