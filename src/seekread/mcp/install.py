"""
Write the entry of our server into the settings of programs that use MCP servers, and take it out again.

A file is changed so that everything else in it stays. Where that cannot be done, because a JSON file has comments or a
file is written in a way nobody expects, nothing is changed, and the entry is given back for the person to paste. Before
the first change a copy is kept beside the file, and it says itself what was written, so that undoing brings back the
very bytes there were, unless somebody has changed the file since: then only the entry is taken out.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from seekread.config.paths import Folders, folders
from seekread.errors import InvalidQuery
from seekread.late import dataclass
from seekread.mcp.clients import CLIENTS, ServerEntry

ClientDone = Literal["written", "unchanged", "by hand", "removed", "restored", "not there"]
COPY = ".before-seekread"
"""What is added to the name of a file for the copy that is kept of it …"""
MARK = ".seekread-wrote"
"""… and for the note of what was written last."""
YAML_ROOT, INDENT = "extensions", 2
"""The table in goose's YAML, and the blanks before an entry as we write it."""


@dataclass(frozen=True)
class ClientChange:
    """What became of the settings of one program."""

    client: str
    path: Path
    done: ClientDone
    entry: str = ""
    """What to paste, where it could not be written."""
    why: str = ""


class UnknownShape(Exception):
    """A file that cannot be changed without losing something."""


def writable() -> list[str]:
    """The programs whose settings can be written."""
    return sorted(name for name, client in CLIENTS.items() if client.place)


def present(at: Folders | None = None) -> list[str]:
    """Those of them that are there."""
    known = at or folders()
    return [name for name in writable() if CLIENTS[name].installed(file_of(name, known)).exists()]


def file_of(name: str, at: Folders | None = None) -> Path:
    """The settings file of a program."""
    place = CLIENTS[name].place
    if place is None:
        raise InvalidQuery(f"the settings of {name} cannot be written; seekread mcp config --client {name} prints them")
    path = place(at or folders())
    # People keep such files elsewhere and link them here.
    return path.resolve() if path.is_symlink() else path


def install(name: str, entry: ServerEntry, at: Folders | None = None) -> ClientChange:
    """Write the entry into the settings of a program."""
    client, path = CLIENTS[name], file_of(name, at)
    if entry.transport not in client.transports:
        raise InvalidQuery(f"{name} cannot connect by {entry.transport}; use {' or '.join(client.transports)}")
    told = (client.written or client.write)(entry)
    before = path.read_bytes() if path.exists() else None
    try:
        after = shape(path).put((before or b"").decode(), entry.name, told).encode()
    except (UnknownShape, UnicodeDecodeError) as problem:
        return ClientChange(name, path, "by hand", told, str(problem))
    if after == before:
        return ClientChange(name, path, "unchanged")
    keep_copy(path, before)
    replace(path, after)
    beside(path, MARK).write_text(sha256(after).hexdigest(), encoding="ascii")
    return ClientChange(name, path, "written")


def uninstall(name: str, server: str = "seekread", at: Folders | None = None) -> ClientChange:
    """Take the entry out again: the very file there was, if nobody changed it since."""
    path = file_of(name, at)
    if not path.exists():
        return ClientChange(name, path, "not there")
    now, copy, mark = path.read_bytes(), beside(path, COPY), beside(path, MARK)
    if mark.exists() and mark.read_text(encoding="ascii") == sha256(now).hexdigest():
        restore(path, copy)
        mark.unlink()
        return ClientChange(name, path, "restored")
    mark.unlink(missing_ok=True)
    try:
        after = shape(path).take(now.decode(), server).encode()
    except (UnknownShape, UnicodeDecodeError) as problem:
        return ClientChange(name, path, "by hand", why=str(problem))
    if after == now:
        return ClientChange(name, path, "not there")
    replace(path, after)
    copy.unlink(missing_ok=True)
    return ClientChange(name, path, "removed")


def beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)


def keep_copy(path: Path, content: bytes | None) -> None:
    """Keep what stood in a file before we first touched it."""
    if content is not None and not beside(path, MARK).exists():
        replace(beside(path, COPY), content, like=path)


def restore(path: Path, copy: Path) -> None:
    """Bring back the copy; a file of which there is none was made by us."""
    if copy.exists():
        copy.replace(path)
    else:
        path.unlink()


def replace(path: Path, content: bytes, like: Path | None = None) -> None:
    """Put another content in the place of a file's, all of it or nothing, with the modes it had."""
    path.parent.mkdir(parents=True, exist_ok=True)
    model, fresh = like or path, path.with_name(f".{path.name}.seekread")
    fresh.write_bytes(content)
    fresh.chmod(model.stat().st_mode & 0o777 if model.exists() else 0o600)
    fresh.replace(path)


@dataclass(frozen=True)
class Shape:
    """How entries are put into a text and taken out of it."""

    put: Callable[[str, str, str], str]
    take: Callable[[str, str], str]


def shape(path: Path) -> Shape:
    """The shape of a file, by its name."""
    return SHAPES[path.suffix]


def put_json(text: str, _server: str, told: str) -> str:
    table = parsed(text)
    entry = json.loads(told)
    return written(text, merged(table, entry))


def take_json(text: str, server: str) -> str:
    table = parsed(text)
    kept = {root: without(held, server) if root in ROOTS else held for root, held in table.items()}
    return text if kept == table else written(text, kept)


ROOTS = ("mcpServers", "servers", "context_servers", "mcp")
"""Where the tables of servers stand."""


def without(held: Any, server: str) -> Any:
    """A table of servers without ours; anything else as it is."""
    return {name: one for name, one in held.items() if name != server} if isinstance(held, dict) else held


def parsed(text: str) -> dict[str, Any]:
    try:
        table = json.loads(text) if text.strip() else {}
    except ValueError:
        raise UnknownShape("the file has comments or is not valid JSON, and rewriting it would lose them") from None
    if not isinstance(table, dict):
        raise UnknownShape("the file does not hold a JSON object")
    return table


def merged(table: Mapping[str, Any], entry: Mapping[str, Any]) -> dict[str, Any]:
    """A table with an entry in it: everything beside it stays, and so does the order."""
    root, below = next(iter(entry.items()))
    held = table.get(root, {})
    if not isinstance(held, dict):
        raise UnknownShape(f"{root} is not an object there")
    return {**table, root: {**held, **below}}


def written(before: str, table: Mapping[str, Any]) -> str:
    """A table as JSON, indented as the file was."""
    found = re.search(r"\n([ \t]+)\S", before)
    indent: str | int = found[1] if found else 2
    ending = "\n" if before.endswith("\n") or not before else ""
    return json.dumps(table, indent=indent, ensure_ascii=False) + ending


def put_toml(text: str, server: str, told: str) -> str:
    from seekread.config.toml_text import with_table

    return with_table(text, ("mcp_servers", server), told)


def take_toml(text: str, server: str) -> str:
    from seekread.config.toml_text import without_table

    return without_table(text, ("mcp_servers", server))


def put_yaml(text: str, server: str, told: str) -> str:
    """The entry as the first below `extensions:`, with the indentation of those that are there."""
    kept = take_yaml(text, server).splitlines(keepends=True)
    entry = [f"{line}\n" for line in told.splitlines()[1:]]
    root = root_line(kept)
    if root is None:
        gap = "" if not kept or kept[-1].endswith("\n") else "\n"
        return "".join([*kept, gap, f"{YAML_ROOT}:\n", *entry])
    deeper = " " * (indentation(kept[root + 1 :]) - INDENT)
    return "".join([*kept[: root + 1], *(deeper + line for line in entry), *kept[root + 1 :]])


def indentation(lines: Sequence[str]) -> int:
    """Blanks before the entries of a table; two where it has none yet."""
    first = next(filter(is_entry, lines), "")
    blanks = len(first) - len(first.lstrip())
    if first.lstrip().startswith("-") or blanks == 1:
        raise UnknownShape(f"{YAML_ROOT} is written in a way that is not understood here")
    return blanks or INDENT


def take_yaml(text: str, server: str) -> str:
    lines = text.splitlines(keepends=True)
    root = root_line(lines)
    if root is None:
        return text
    begin = next((n for n in range(root + 1, len(lines)) if re.match(rf"\s+{re.escape(server)}:\s*$", lines[n])), None)
    if begin is None or not all(inner_or_blank(line) for line in lines[root + 1 : begin]):
        return text
    depth = len(lines[begin]) - len(lines[begin].lstrip())
    end = begin + 1
    while end < len(lines) and lines[end].strip() and len(lines[end]) - len(lines[end].lstrip()) > depth:
        end += 1
    return "".join([*lines[:begin], *lines[end:]])


def root_line(lines: Sequence[str]) -> int | None:
    """The line of `extensions:`, `None` where there is none; with a value behind it nobody knows what it is."""
    for number, line in enumerate(lines):
        if re.match(rf"{YAML_ROOT}\s*:", line):
            if not re.match(rf"{YAML_ROOT}:\s*(#.*)?$", line):
                raise UnknownShape(f"{YAML_ROOT} has its value on the same line")
            return number
    return None


def is_entry(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#")


def inner_or_blank(line: str) -> bool:
    return not line.strip() or line[:1] in {" ", "#"}


SHAPES = {".json": Shape(put_json, take_json), ".toml": Shape(put_toml, take_toml), ".yaml": Shape(put_yaml, take_yaml)}
