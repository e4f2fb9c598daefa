"""yodoca's guide, executed: every command of it, in a checkout that has what the host's has."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from seekread.dropins.table import drop_in
from tests.support.environments import ROOT

GUIDE = (ROOT / "docs" / "guides" / "hosts" / "yodoca.md").read_text(encoding="utf-8")
COMMANDS = [
    line for block in re.findall(r"^```sh\n(.*?)^```", GUIDE, re.DOTALL | re.MULTILINE) for line in block.splitlines()
]
LOCK = "".join(
    f'[[package]]\nname = "{name}"\nversion = "{version}"\n'
    for name, version in {"openai": "2.21.0", "openai-agents": "0.9.1", "mcp": "1.26.0", "rich": "14.3.2"}.items()
)
TEST = """
from sandbox.extensions.web_search.main import WebSearchExtension

def test_it():
    assert {search.name for search in WebSearchExtension().get_tools()} == {"web_search", "open_page"}
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The files the host has, as far as the drop-in goes by them; its old extension in their place, committed."""
    root, table = tmp_path / "yodoca", drop_in("yodoca")
    tests = [word for word in table.test if word.startswith("tests/")]
    packages = ["sandbox/__init__.py", "sandbox/extensions/__init__.py", "sandbox/extensions/web_search/__init__.py"]
    for name in (*table.marker, *table.files, *packages):
        if not name.endswith("crawl4ai.py"):
            write(root / name, "" if name in packages else f"# the host's own {name}\n")
    for name in tests:
        write(root / name, TEST)
    write(root / "conftest.py", "")
    write(root / "uv.lock", LOCK)
    write(root / ".gitignore", ".venv\n__pycache__\n.pytest_cache\n")
    for arguments in (["init", "-q"], ["add", "--all"], ["commit", "-q", "-m", "x"]):
        git(root, *arguments)
    return root


def write(path: Path, text: str, mode: int = 0o644) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)


def git(root: Path, *arguments: str) -> str:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    return subprocess.run(["git", "-C", root, *who, *arguments], capture_output=True, text=True, check=True).stdout


def run(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a line of the guide, with the programs a user has."""
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        shlex.split(line.replace("seekread", f"{shlex.quote(sys.executable)} -m seekread", 1)),
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.process
@pytest.mark.proves("S3-19", "S3-38")
def test_every_command_of_the_guide_does_what_it_says(checkout: Path, tmp_path: Path) -> None:
    """The core keeps what it has: nothing but the extension's folder changes, and it comes out again."""
    write(tmp_path / "bin" / "uv", '#!/bin/sh\necho "$@" > uv.txt\ncat "$5" >> uv.txt\nmv uv.txt ../uv.txt\n', 0o755)
    (checkout / ".venv" / "bin").mkdir(parents=True)
    write(checkout / ".venv" / "bin" / "python", f'#!/bin/sh\nexec {sys.executable} "$@"\n', 0o755)
    first, second, third, last = COMMANDS
    shown = run(first, tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert git(checkout, "status", "--porcelain") == ""
    added = run(second, tmp_path)
    assert added.returncode == 0, added.stderr
    assert added.stdout == shown.stdout
    assert "left as they are: openai 2.21.0, openai-agents 0.9.1, mcp 1.26.0, rich 14.3.2" in added.stderr
    assert "the host's tests pass: 6 passed" in added.stderr
    installed = (tmp_path / "uv.txt").read_text().splitlines()
    assert installed[0].startswith("pip install seekread -c ")
    assert installed[1:] == ["openai==2.21.0", "openai-agents==0.9.1", "mcp==1.26.0", "rich==14.3.2"]
    changed = [line[3:] for line in git(checkout, "status", "--porcelain", "--untracked-files=all").splitlines()]
    assert changed
    assert not [name for name in changed if not name.startswith("sandbox/extensions/web_search/")]
    checked = run(third, tmp_path)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert run(last, tmp_path).returncode == 0
    assert git(checkout, "status", "--porcelain") == ""


@pytest.mark.proves("S3-19", "S3-38")
@pytest.mark.parametrize(
    "words",
    [
        "Remove the import and the use of `WebSearchTool` from the orchestrator, `core/agents/orchestrator.py`.",
        "Remove them from `CoreToolsProvider`, `core/tools/provider.py`.",
        "After the extension is validated:",
        "`ModelRouter.supports_hosted_tools()` stays",
        "so agents and prompts that name it keep working; no aliases and no shims are needed.",
    ],
)
def test_the_guide_says_what_changes_in_the_core_and_what_stays(words: str) -> None:
    assert words in GUIDE


@pytest.mark.proves("S3-40")
@pytest.mark.process
def test_the_guide_and_doctor_say_what_to_know_about_duckduckgo(tmp_path: Path) -> None:
    """Unofficial, may break or be blocked, a fallback; what to take instead, and what hosted search does better."""
    for words in (
        "`ddgs` is unofficial: it may break or be blocked at any time",
        "a fallback and not the only provider in production",
        "Tavily or SearXNG is the upgrade path; hosted search may rank better for some queries.",
    ):
        assert words in GUIDE
    told = run("seekread doctor", tmp_path)
    assert "duckduckgo is unofficial: it may break or be blocked at any time; a fallback, not the only" in told.stdout


def test_every_setting_of_the_extension_stands_in_the_guide_with_its_default() -> None:
    from seekread.integrations.yodoca import YodocaConfig

    rows = [row.split("|")[1:3] for row in GUIDE.splitlines() if row.startswith("| `")]
    told = {
        name: value
        for names, values in rows
        for name, value in zip(re.findall(r"`(\w+)`", names), re.findall(r"`([^`]*)`", values), strict=False)
    }
    shared = {"read_fallback": "[]", "blocked_domains": "[]"}
    defaults = {name: info.get_default(call_default_factory=True) for name, info in YodocaConfig.model_fields.items()}
    assert {**told, **shared} == {
        name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in defaults.items()
    }
