"""The arrows of the architecture, as tests: who may know about whom."""

import ast
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import seekread
from tests.support.own_files import own_files

SOURCE = Path(seekread.__file__).parent
ROOMS = sorted(
    {path.name for path in SOURCE.iterdir() if path.is_dir() and list(path.glob("*.py"))}
    | {path.stem for path in SOURCE.glob("*.py")}
)
"""Every package and every module at the root."""
COMMANDS = "python -m"
"""The `__main__` modules: each starts the command line with one of its commands."""

WORDS = {
    "arguments",
    "clock",
    "errors",
    "hostnames",
    "key_shapes",
    "kinds",
    "late",
    "models",
    "options",
    "outcomes",
    "ports",
    "printable",
    "provider",
    "proxies",
    "redact",
    "secret",
    "spelling",
    "value",
    "version",
    "xml_tree",
}
MAY_KNOW: dict[str, set[str]] = {
    # the words
    "outcomes": {"late"},
    "kinds": set(),
    "late": set(),
    "value": {"kinds", "late"},
    "secret": set(),
    "version": set(),
    "xml_tree": set(),
    "options": {"late", "value"},
    "proxies": set(),
    "key_shapes": {"late"},
    "printable": set(),
    "redact": {"key_shapes", "printable"},
    "spelling": set(),
    "clock": set(),
    "models": {"late", "options", "outcomes", "value"},
    "errors": {"models", "outcomes", "redact"},
    "hostnames": {"errors"},
    "arguments": {"errors", "hostnames", "options"},
    "provider": {"errors", "late", "models", "options", "redact", "secret"},
    "ports": {"errors", "late", "provider"},
    "loops": {"late"},
    "tasks": set(),
    "platforms": {"late"},
    "page": WORDS,
    # what the engines drive
    "providers": WORDS,
    "http": WORDS | {"loops", "page"},
    "state": WORDS | {"platforms"},
    "config": WORDS | {"platforms", "providers"},
    "extraction": WORDS | {"page"},
    "readers": WORDS | {"extraction", "http", "loops", "platforms"},
    "index": WORDS | {"extraction", "page", "platforms", "state"},
    "telemetry": WORDS | {"config"},
    # the engines
    "calling": WORDS | {"state"},
    "searching": WORDS | {"calling", "page", "providers", "state", "tasks"},
    "reading": WORDS | {"calling", "http", "page", "providers", "state"},
    "gathering": WORDS | {"page", "searching", "tasks"},
    "render": WORDS | {"gathering", "page"},
    # the wiring
    "recording": WORDS | {"calling", "platforms", "reading", "searching"},
    "compose": WORDS
    | {
        "calling",
        "config",
        "extraction",
        "http",
        "providers",
        "readers",
        "reading",
        "recording",
        "searching",
        "state",
        "telemetry",
    },
    # the client
    "client": WORDS | {"compose", "config", "gathering", "loops", "page", "reading", "searching", "tasks"},
    "sync": WORDS | {"client", "gathering", "page"},
    "__init__": WORDS | {"client", "extraction", "page", "sync", "toolkit"},
    # the drivers
    "functions": WORDS | {"sync", "toolkit"},
    "batch": WORDS
    | {"calling", "client", "compose", "config", "http", "readers", "reading", "searching", "state", "tasks"},
    "toolkit": WORDS | {"client", "gathering", "page", "reading", "render"},
    "integrations": WORDS
    | {
        "calling",
        "client",
        "compose",
        "config",
        "extraction",
        "gathering",
        "http",
        "page",
        "providers",
        "render",
        "searching",
        "sync",
        "toolkit",
    },
    "dropins": WORDS,
    "mcp": WORDS | {"client", "config", "page", "providers", "render", "toolkit"},
    "server": WORDS
    | {
        "batch",
        "client",
        "compose",
        "config",
        "gathering",
        "mcp",
        "page",
        "platforms",
        "providers",
        "reading",
        "render",
        "state",
        "tasks",
        "toolkit",
    },
    "cli": WORDS
    | {
        "batch",
        "calling",
        "client",
        "compose",
        "config",
        "dropins",
        "extraction",
        "gathering",
        "http",
        "index",
        "mcp",
        "providers",
        "readers",
        "render",
        "server",
    },
    COMMANDS: {"cli", "testing"},
    "testing": WORDS | {"calling", "client", "http"},
}
"""
Room → what of ours its modules may import, wherever in the file they do.

The host adapters under `integrations` are presets of the engine and name its parts, which is why that row is long.
"""

SOCKETS = {"socket", "httpx2", "httpcore2", "requests", "aiohttp", "http.client"}
OPEN_SOCKETS = {
    "http": "connections to services and to pages",
    "testing": "servers on loopback",
    "server/run.py": "the address the service listens on",
}
NAME_SOCKETS = {
    "compose.py": "the type of the transport a test may bring",
    "client.py": "the type of the transport a test may bring",
    "readers/builtin/fetch.py": "the requests it builds and the errors it translates; the guarded transport dials",
}


def room_of(path: Path) -> str:
    """The room a file stands in."""
    inside = path.relative_to(SOURCE)
    return COMMANDS if inside.stem == "__main__" else inside.parts[0].removesuffix(".py")


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """Everything that stands in a file."""
    return tuple(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


@cache
def imports(path: Path) -> frozenset[str]:
    """Every module a file imports, with the names taken from it, on any line."""
    plain = {alias.name for node in nodes(path) if isinstance(node, ast.Import) for alias in node.names}
    named = [node for node in nodes(path) if isinstance(node, ast.ImportFrom)]
    return frozenset(plain | {f"{node.module}.{alias.name}" for node in named for alias in node.names})


def ours(path: Path) -> set[str]:
    """The rooms of ours a file knows."""
    return {name.split(".")[1] for name in imports(path) if name.startswith("seekread.")}


def foreign(path: Path, names: set[str]) -> set[str]:
    """Which of these packages a file imports."""
    return {name for name in names for found in imports(path) if found == name or found.startswith(f"{name}.")}


def files() -> list[Path]:
    return own_files()


def within(path: Path, places: dict[str, str]) -> bool:
    inside = path.relative_to(SOURCE).as_posix()
    return inside in places or inside.split("/")[0] in places


def test_every_room_stands_in_the_table() -> None:
    assert set(MAY_KNOW) == {*ROOMS, COMMANDS} - {"__main__"}


@pytest.mark.parametrize("room", sorted(MAY_KNOW))
def test_a_room_knows_only_what_it_may(room: str) -> None:
    allowed = MAY_KNOW[room] | {room}
    known = {str(path.relative_to(SOURCE)): ours(path) - allowed for path in files() if room_of(path) == room}
    assert not {path: rooms for path, rooms in known.items() if rooms}


@pytest.mark.parametrize("room", sorted(MAY_KNOW))
def test_the_table_allows_nothing_that_nobody_uses(room: str) -> None:
    """The words are everybody's; every other arrow in the table is drawn."""
    drawn = set().union(*(ours(path) for path in files() if room_of(path) == room))
    assert MAY_KNOW[room] - WORDS <= drawn


def test_arrows_point_one_way() -> None:
    """No room knows itself through others."""
    TopologicalSorter(MAY_KNOW).prepare()


@pytest.mark.parametrize("name", sorted(WORDS - {"clock"}))
def test_the_words_do_no_io(name: str) -> None:
    assert not foreign(SOURCE / f"{name}.py", SOCKETS | {"os", "anyio", "asyncio", "sqlite3", "pathlib"})


def test_a_page_is_text_and_needs_no_io() -> None:
    wrong = SOCKETS | {"os", "anyio", "asyncio", "sqlite3", "pathlib", "subprocess"}
    assert not {path.name: foreign(path, wrong) for path in (SOURCE / "page").glob("*.py") if foreign(path, wrong)}


def test_sockets_are_opened_where_the_table_says() -> None:
    wrong = [path for path in files() if foreign(path, SOCKETS) and not within(path, OPEN_SOCKETS | NAME_SOCKETS)]
    assert not wrong


def test_only_config_reads_the_environment() -> None:
    reads = [path for path in files() if {"os.environ", "os.getenv"} & attributes(path)]
    assert {room_of(path) for path in reads} <= {"config", "testing"}


def attributes(path: Path) -> frozenset[str]:
    """What a file takes from modules, such as `os.environ`."""
    return imports(path) | {ast.unparse(node) for node in nodes(path) if isinstance(node, ast.Attribute)}


def test_a_provider_file_has_no_client_and_no_environment() -> None:
    forbidden = SOCKETS | {"os", "sqlite3", "logging"}
    providers = [path for path in (SOURCE / "providers").glob("*.py") if path.stem not in {"registry", "plugins"}]
    assert not {path.name: foreign(path, forbidden) for path in providers if foreign(path, forbidden)}


def test_no_package_is_named_like_something_public() -> None:
    """Importing a package `seekread.search` would replace the function `seekread.search`."""
    assert not set(ROOMS) & set(seekread.__all__)
