"""Find the typing mistakes under `[providers.…]`: names of providers and settings that nobody knows."""

import dataclasses
from collections.abc import Iterable, Mapping
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

from seekread.errors import Misconfigured, NotConfigured
from seekread.providers.registry import READ_GROUP, SEARCH_GROUP, installed, loaded


def check_providers(tables: Mapping[str, Any], path: Path | None) -> None:
    """Name the first provider or setting that does not exist. Only providers that have a table are imported."""
    # Files of term2 name the providers of term2, of which we have not every one.
    if not tables or (path and path.suffix == ".json"):
        return
    known = {**installed(READ_GROUP), **installed(SEARCH_GROUP)}
    for name, table in tables.items():
        if name not in known:
            raise Misconfigured(f"{path}: unknown provider [providers.{name}]; {choices(known)}")
        if not isinstance(table, dict):
            raise Misconfigured(f"{path}: {name} under [providers] must be a table: write [providers.{name}]")
        fields = fields_of(known[name])
        if fields is not None and (unknown := table.keys() - fields):
            raise Misconfigured(f"{path}: unknown setting {min(unknown)!r} under [providers.{name}]; {choices(fields)}")


def fields_of(entry: EntryPoint) -> frozenset[str] | None:
    """The settings of a provider; `None` when it cannot be imported, which its use will say."""
    try:
        provider = loaded(entry)
    except NotConfigured:
        return None
    if not dataclasses.is_dataclass(provider):
        return frozenset()
    named = frozenset(f.name for f in dataclasses.fields(provider) if f.init and not f.metadata.get("kind"))
    return named | {"api_keys"} if "api_key" in named else named


def choices(names: Iterable[str]) -> str:
    return f"known are {', '.join(sorted(names)) or 'none'}"
