"""term2's `settings.json`: where that host keeps it, and its `webSearch` as our own tables."""

import json
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

FIELDS = {"apiKey": "api_key", "baseUrl": "base_url", "url": "base_url"}
"""The host writes camelCase, our providers' fields are snake_case."""


def term2_file(environ: Mapping[str, str] | None = None) -> Path | None:
    """The host's settings file, if there is one."""
    return next((path for path in places(os.environ if environ is None else environ) if path.is_file()), None)


def term2_file_in_use() -> Path | None:
    """The same, if the provider it names is set up in it: the host writes a name there before anybody has chosen."""
    path = term2_file()
    try:
        tables = tables_of(json.loads(path.read_text(encoding="utf-8"))) if path else {}
    except (OSError, ValueError):
        # It is the host's file, and the host's business.
        return None
    chosen = tables.get("search", {}).get("providers", ())
    return path if tables.get("providers", {}).keys() & set(chosen) else None


def places(environ: Mapping[str, str]) -> Iterator[Path]:
    """Where the document puts the file, then where the host keeps it on each system."""
    named = environ.get("HOME") or environ.get("USERPROFILE")
    home = Path(named) if named else Path.home()
    yield home / ".config" / "term2" / "settings.json"
    if sys.platform == "darwin":
        yield home / "Library" / "Logs" / "term2-nodejs" / "settings.json"
    elif sys.platform == "win32":
        yield Path(environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "term2-nodejs" / "Log" / "settings.json"
    else:
        # Inside the host's sandbox the variable is not set.
        for folder in (environ.get("XDG_STATE_HOME") or home / ".local" / "state", home / ".local" / "state"):
            yield Path(folder) / "term2-nodejs" / "settings.json"


def tables_of(document: Any) -> dict[str, Any]:
    """`{"webSearch": {"provider": …, "<id>": {"apiKey": …}}}` as our own tables."""
    web = document.get("webSearch") if isinstance(document, dict) else None
    if not isinstance(web, dict):
        return {}
    listed = {name: fields_of(value) for name, value in web.items() if isinstance(value, dict)}
    tables = {name: fields for name, fields in listed.items() if fields}
    chosen = web.get("provider")
    return {"providers": tables, **({"search": {"providers": [chosen]}} if chosen else {})}


def fields_of(written: Mapping[str, Any]) -> dict[str, Any]:
    return {FIELDS[name]: value for name, value in written.items() if name in FIELDS}
