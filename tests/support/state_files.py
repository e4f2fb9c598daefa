"""A state file, opened as the store opens it."""

import sqlite3
from pathlib import Path

from seekread.state.database import LAYOUTS, Layouts, open_together


def open_state(path: Path, layouts: Layouts = LAYOUTS) -> sqlite3.Connection:
    """The connection that writes."""
    _, writer, *readers = open_together(path, busy_seconds=1, layouts=layouts)
    for reader in readers:
        reader.close()
    return writer
