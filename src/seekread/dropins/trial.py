"""Run a host's own tests in its checkout, with its own environment."""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from seekread.dropins.table import DropIn
from seekread.errors import Misconfigured
from seekread.late import dataclass

COLOUR = re.compile("\x1b\\[[0-9;]*m")
COUNTED = re.compile(r"\b\d+ (?:passed|failed|errors?)\b")
"""How test runners count."""
PATIENCE = 1800.0
"""Seconds a host's tests or an installation may take."""
VERSIONS = """
import importlib.metadata, json, sys
found = {}
for name in sys.argv[1:]:
    try:
        found[name] = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        pass
print(json.dumps(found))
"""
NEEDS = {"npm": "node_modules", "npx": "node_modules"}
"""Command → what has to be in the checkout before it can run anything without a network."""


@dataclass(frozen=True)
class Trial:
    """What came of running a command: whether it went well, its last line, and all it said."""

    passed: bool
    verdict: str
    said: str = ""


@dataclass(frozen=True)
class Environment:
    """What runs a host: a checkout and, for hosts in Python, an interpreter."""

    root: Path
    python: Path | None = None

    @property
    def interpreter(self) -> Path | None:
        """The one that was named, or the one of the checkout's own environment."""
        usual = self.root / ".venv" / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
        return self.python or (usual if usual.exists() else None)

    def command(self, words: Sequence[str]) -> list[str]:
        """A command as it is run here; what cannot be run says why."""
        first, *rest = words
        if first == "python":
            if self.interpreter is None:
                raise Misconfigured("there is no .venv in the checkout: name the host's interpreter with --python")
            return [str(self.interpreter), *rest]
        if (needed := NEEDS.get(first)) and not (self.root / needed).is_dir():
            raise Misconfigured(f"there is no {needed} in the checkout: install what the host needs first")
        # A program of the checkout's own is named by its path in it.
        if (found := shutil.which(self.root / first if "/" in first else first)) is None:
            raise Misconfigured(f"{first} is not installed")
        return [str(found), *rest]

    def versions(self, packages: Sequence[str]) -> dict[str, str]:
        """The packages that are installed for the host, with their versions."""
        if self.interpreter is None or not packages:
            return {}
        done = self.run([str(self.interpreter), "-c", VERSIONS, *packages])
        found: dict[str, str] = json.loads(done.verdict) if done.passed else {}
        return found

    def run(self, command: list[str]) -> Trial:
        """Run a command in the checkout."""
        try:
            done = subprocess.run(  # noqa: S603 what the table of a host names
                command, cwd=self.root, capture_output=True, text=True, check=False, timeout=PATIENCE, errors="replace"
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return Trial(False, str(error))
        said = COLOUR.sub("", done.stdout + done.stderr).strip()
        return Trial(done.returncode == 0, verdict_in(said), said)


def verdict_in(said: str) -> str:
    """The line that counts tests, wherever warnings and times put it; otherwise the last one."""
    lines = said.splitlines() or [""]
    counted = [line for line in lines if COUNTED.search(line)]
    return (counted or lines)[-1].strip()


def test(drop_in: DropIn, environment: Environment) -> Trial:
    """Run the host's own tests of web search; raise where they cannot be run."""
    command = environment.command(drop_in.test)
    if drop_in.test[0] == "python" and not environment.run([command[0], "-c", "import seekread"]).passed:
        raise Misconfigured("seekread is not installed in the host's environment")
    return environment.run(command)


def install(drop_in: DropIn, environment: Environment, pinned: Mapping[str, str]) -> None:
    """Bring seekread into the host's environment; the host's own versions are handed over as constraints."""
    with tempfile.TemporaryDirectory(prefix="seekread-") as folder:
        constraints = Path(folder) / "constraints.txt"
        constraints.write_text("".join(f"{name}=={version}\n" for name, version in pinned.items()), encoding="utf-8")
        for words in drop_in.install:
            command = environment.command(words)
            done = environment.run([*command, *(["-c", str(constraints)] if pinned else [])])
            if not done.passed:
                raise Misconfigured(f"`{' '.join(words)}` failed, and nothing was written: {done.verdict}")
