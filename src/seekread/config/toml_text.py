"""
Change one value in the text of a TOML file, and leave every other character as it stands: comments are people's.

The text is edited line by line, and what came of it is parsed and compared with what was meant. A file that is written
in a way this does not understand is not changed at all.
"""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from seekread.config.provider_tables import ASSIGNMENT, HEADER, names_of
from seekread.errors import Misconfigured

Place = Sequence[str]
"""The names that lead to a value, outermost first."""
BARE = re.compile(r"[A-Za-z0-9_-]+")
ODD = re.compile("[\x7f-\x9f]")
"""Characters that JSON takes as they are and TOML does not."""


def lines_of(text: str) -> list[str]:
    """The lines of a text with their ends, as TOML counts them: fewer characters end one than Python thinks."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def with_value(text: str, place: Place, value: Any) -> str:
    """The text with a value at a place, whether or not one stood there."""
    wanted = changed(tomllib.loads(text), place, value)
    lines = lines_of(text)
    written = f"{name_of(place[-1])} = {toml(value)}"
    if span := assignment(lines, place):
        kept = comment_of("".join(lines[span[0] : span[1]]))
        lines[span[0] : span[1]] = [f"{written}{kept}\n"]
    elif (end := end_of_table(lines, place[:-1])) is not None:
        lines[end:end] = [f"{written}\n"]
    else:
        gap = "\n" if text.strip() else ""
        lines += ["" if not text or text.endswith("\n") else "\n", gap, f"[{dotted(place[:-1])}]\n", f"{written}\n"]
    return checked("".join(lines), wanted, place)


def without_value(text: str, place: Place) -> str:
    """The text without the value at a place; a table that was left empty stays."""
    lines = lines_of(text)
    span = assignment(lines, place)
    if span is None:
        return text
    wanted = changed(tomllib.loads(text), place, None)
    del lines[span[0] : span[1]]
    return checked("".join(lines), wanted, place)


def with_table(text: str, place: Place, block: str) -> str:
    """The text with a whole table at its end, in place of one of that name and of those below it."""
    kept = without_table(text, place)
    gap = "" if not kept.strip() else "\n" if kept.endswith("\n") else "\n\n"
    return f"{kept}{gap}{block.rstrip()}\n"


def without_table(text: str, place: Place) -> str:
    """The text without a table and those below it; the comments between them go with them."""
    kept, inside = [], False
    for line in lines_of(text):
        if header := HEADER.match(line):
            inside = names_of(header[1])[: len(place)] == tuple(place)
        if not inside:
            kept.append(line)
    return re.sub(r"\n{3,}\Z", "\n", "".join(kept))


def changed(table: Mapping[str, Any], place: Place, value: Any) -> dict[str, Any]:
    """A table with a value at a place, or without it where that is `None`."""
    name, *rest = place
    if rest:
        below = table.get(name, {})
        if not isinstance(below, Mapping):
            raise Misconfigured(f"{name} is a value in that file, not a table")
        return {**table, name: changed(below, rest, value)}
    others = {key: held for key, held in table.items() if key != name}
    return others if value is None else {**others, name: value}


def checked(text: str, wanted: Mapping[str, Any], place: Place) -> str:
    """The text, if it says what was meant and nothing else."""
    try:
        right = without_empty(tomllib.loads(text)) == without_empty(wanted)
    except tomllib.TOMLDecodeError:
        right = False
    if not right:
        raise Misconfigured(f"the file is written in a way that cannot be changed here: edit {dotted(place)} by hand")
    return text


def without_empty(table: Mapping[str, Any]) -> dict[str, Any]:
    """A table without tables that hold nothing."""
    shrunk = {name: without_empty(held) if isinstance(held, Mapping) else held for name, held in table.items()}
    return {name: held for name, held in shrunk.items() if held != {}}


def assignment(lines: Sequence[str], place: Place) -> tuple[int, int] | None:
    """The lines of the assignment that gives a place its value."""
    table: tuple[str, ...] = ()
    for number, line in enumerate(lines):
        if header := HEADER.match(line):
            table = names_of(header[1])
        elif (found := ASSIGNMENT.match(line)) and (*table, *names_of(found[1])) == tuple(place):
            return number, end_of_value(lines, number)
    return None


def end_of_value(lines: Sequence[str], start: int) -> int:
    """Where a value ends that may go over several lines: as soon as it can be parsed."""
    for end in range(start + 1, len(lines) + 1):
        try:
            tomllib.loads("".join(lines[start:end]))
        except tomllib.TOMLDecodeError:
            continue
        return end
    return start + 1


def end_of_table(lines: Sequence[str], table: Place) -> int | None:
    """Where a line can be added to a table: behind its last one that says something."""
    inside, end = False, None
    for number, line in enumerate(lines):
        if header := HEADER.match(line):
            inside = names_of(header[1]) == tuple(table) and not line.lstrip().startswith("[[")
        if inside and line.strip():
            end = number + 1
    return end


def comment_of(line: str) -> str:
    """The comment behind a value that stands on one line."""
    if "\n" in line.rstrip("\n"):
        return ""
    meant = tomllib.loads(line)
    for mark in (found.start() for found in re.finditer("#", line)):
        try:
            if tomllib.loads(line[:mark]) == meant:
                return f"  {line[mark:].rstrip()}"
        except tomllib.TOMLDecodeError:
            continue
    return ""


def toml(value: Any) -> str:
    """A value as TOML writes it; its texts, numbers and lists are those of JSON."""
    match value:
        case Mapping():
            return "{ " + ", ".join(f"{name_of(name)} = {toml(held)}" for name, held in value.items()) + " }"
        case list() | tuple():
            return "[" + ", ".join(map(toml, value)) + "]"
        case _:
            return ODD.sub(lambda odd: f"\\u{ord(odd[0]):04x}", json.dumps(value, ensure_ascii=False))


def dotted(place: Place) -> str:
    return ".".join(map(name_of, place))


def name_of(name: str) -> str:
    return name if BARE.fullmatch(name) else json.dumps(name, ensure_ascii=False)
