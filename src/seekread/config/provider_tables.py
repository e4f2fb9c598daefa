"""Find the typing mistakes under `[providers.…]`: names of providers and settings that nobody knows."""

import dataclasses
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from seekread.errors import Misconfigured, NotConfigured
from seekread.provider import Mistake
from seekread.providers.plugins import Plugin, installed
from seekread.providers.registry import READ_GROUP, SEARCH_GROUP, loaded
from seekread.spelling import nearest

HEADER = re.compile(r"\s*\[+([^\[\]]+)\]")
ASSIGNMENT = re.compile(r"\s*([\w.\"'-]+)\s*=")


def check_providers(tables: Mapping[str, Any], path: Path | None) -> None:
    """Name the first provider or setting that does not exist. Only providers that have a table are imported."""
    # Files of term2 name the providers of term2, of which we have not every one.
    if not tables or (path and path.suffix == ".json"):
        return
    known = {**installed(READ_GROUP), **installed(SEARCH_GROUP)}
    for name, table in tables.items():
        if name not in known:
            raise Misconfigured(f"{path}: unknown provider [providers.{name}]{nearest_or_all(name, known)}")
        if not isinstance(table, dict):
            raise Misconfigured(f"{path}: {name} under [providers] must be a table: write [providers.{name}]")
        fields = fields_of(known[name])
        if fields is not None and (unknown := table.keys() - fields):
            which = min(unknown)
            told = nearest_or_all(which, fields)
            raise Misconfigured(f"{path}: unknown setting {which!r} under [providers.{name}]{told}")
        if fields is not None and (wrong := mistake_of(known[name], table)):
            place = ("providers", name, *wrong.place)
            line = line_of(path.read_text(encoding="utf-8"), place) if path else 0
            raise Misconfigured(f"{path}, line {line}: {'.'.join(place)} {wrong.sentence}")


def mistake_of(entry: Plugin, table: Mapping[str, Any]) -> Mistake | None:
    """What the provider itself finds wrong in its table."""
    check: Callable[[Mapping[str, Any]], Mistake | None] | None = getattr(loaded(entry), "mistake_in", None)
    return check(table) if check else None


def line_of(text: str, place: Sequence[str]) -> int:
    """The line of a TOML file that stands for a place, or for as much of it as has a line of its own; from 1."""
    best, found = 0, 0
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), 1):
        if header := HEADER.match(line):
            table = written = names_of(header[1])
        elif assignment := ASSIGNMENT.match(line):
            written = (*table, *names_of(assignment[1]))
        else:
            continue
        if len(written) > best and tuple(place[: len(written)]) == written:
            best, found = len(written), number
    return found


def names_of(dotted: str) -> tuple[str, ...]:
    return tuple(name.strip(" \t\"'") for name in dotted.split("."))


def fields_of(entry: Plugin) -> frozenset[str] | None:
    """The settings of a provider; `None` when it cannot be imported, which its use will say."""
    try:
        provider = loaded(entry)
    except NotConfigured:
        return None
    if not dataclasses.is_dataclass(provider):
        return frozenset()
    named = frozenset(f.name for f in dataclasses.fields(provider) if f.init and not f.metadata.get("kind"))
    return named | {"api_keys"} if "api_key" in named else named


def nearest_or_all(name: str, known: Collection[str]) -> str:
    """The end of a sentence about a name that nobody knows: the one that was meant, or else all there are."""
    return nearest(name, known) or f"; known are {', '.join(sorted(known)) or 'none'}"
