"""The arrows of the architecture, as tests: who may know about whom."""

import ast
from pathlib import Path

import pytest

import seekread

SOURCE = Path(seekread.__file__).parent
SOCKETS = {"socket", "httpx2", "httpcore2", "requests", "aiohttp", "http.client"}
VOCABULARY = {"models", "errors", "outcomes", "provider", "ports", "hostnames", "redact", "clock"}
MAY_KNOW = {
    "providers": VOCABULARY | {"providers"},
    "http": VOCABULARY | {"http"},
    "page": VOCABULARY | {"page"},
    "extraction": VOCABULARY | {"extraction", "page"},
    "readers": VOCABULARY | {"readers", "extraction", "http"},
    "state": VOCABULARY | {"state"},
    "index": VOCABULARY | {"index", "extraction", "page"},
    "calling": VOCABULARY | {"calling", "state"},
    "searching": VOCABULARY | {"searching", "calling", "state", "config", "providers"},
    "reading": VOCABULARY | {"reading", "searching", "calling", "state", "http", "page"},
    "render": VOCABULARY | {"render", "page"},
    "config": VOCABULARY | {"config"},
}
"""Package → what of ours its modules may import."""


def modules(folder: str) -> list[Path]:
    return sorted((SOURCE / folder).rglob("*.py"))


def imports(path: Path) -> set[str]:
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    named = [node for node in nodes if isinstance(node, ast.ImportFrom) and node.module]
    members = {f"{node.module}.{alias.name}" for node in named if node.module == "seekread" for alias in node.names}
    return plain | members | {node.module for node in named if node.module and node.module != "seekread"}


def ours(path: Path) -> set[str]:
    return {name.split(".")[1] for name in imports(path) if name.startswith("seekread.")}


@pytest.mark.parametrize("package", sorted(MAY_KNOW))
def test_a_package_knows_only_what_it_may(package: str) -> None:
    wrong = {path.name: ours(path) - MAY_KNOW[package] for path in modules(package) if ours(path) - MAY_KNOW[package]}
    assert not wrong


@pytest.mark.parametrize("name", sorted(VOCABULARY - {"clock"}))
def test_the_vocabulary_does_no_io_and_knows_only_itself(name: str) -> None:
    path = SOURCE / f"{name}.py"
    assert ours(path) <= VOCABULARY
    assert not imports(path) & (SOCKETS | {"os", "anyio", "asyncio", "sqlite3", "pathlib"})


def test_only_http_opens_sockets() -> None:
    allowed = ("http/", "testing/", "integrations/", "server/", "mcp/")
    wrong = [
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        if imports(path) & SOCKETS and not str(path.relative_to(SOURCE)).startswith(allowed)
    ]
    # Types of the transport argument, imported for annotations only, and errors a fetch must name.
    assert set(wrong) <= {"compose.py", "client.py", "readers/builtin/fetch.py"}


def test_only_config_reads_the_environment() -> None:
    wrong = [
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        if ("os.environ" in path.read_text() or "os.getenv" in path.read_text())
        and not str(path.relative_to(SOURCE)).startswith(("config/", "testing/"))
    ]
    assert wrong == []


def test_a_provider_file_has_no_client_and_no_environment() -> None:
    forbidden = SOCKETS | {"os", "sqlite3", "logging"}
    assert not {path.name: imports(path) & forbidden for path in modules("providers") if imports(path) & forbidden}
