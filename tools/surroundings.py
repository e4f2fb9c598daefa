"""
Run the quick tests in other surroundings than those of every day.

    python tools/surroundings.py lowest              with the lowest versions of everything we need
    python tools/surroundings.py pythons             with every version of Python that `pyproject.toml` claims
    python tools/surroundings.py pythons -- -k brave with options for pytest

Each has an environment of its own in `.venvs/`, made from a lock: `requirements/lowest.txt` holds the least versions
that `pyproject.toml` allows, for the least Python. Interpreters are looked for on PATH and among those of pyenv.
Exits with 1 when a test fails or a version that is claimed cannot be tried.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TESTS = ("tests/unit", "tests/contract")
CLAIM = "Programming Language :: Python :: 3."
WHICH = "import sys; print('%d.%d' % sys.version_info[:2])"


def claimed() -> list[str]:
    """The versions of Python that the package says it runs on, the newest first."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [line.rpartition(" ")[2] for line in reversed(project["classifiers"]) if line.startswith(CLAIM)]


def candidates(version: str) -> Iterator[str]:
    """Where an interpreter of a version may be."""
    for folder in os.get_exec_path():
        if found := shutil.which(f"python{version}", path=folder):
            yield found
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    yield from map(str, sorted(pyenv.glob(f"versions/{version}.*/bin/python"), reverse=True))


def interpreter(version: str) -> str | None:
    """An interpreter of a version that runs: a name on PATH may lead to nothing."""
    for python in candidates(version):
        told = subprocess.run([python, "-c", WHICH], capture_output=True, text=True, check=False)  # noqa: S603
        if told.returncode == 0 and told.stdout.strip() == version:
            return python
    return None


def tried(name: str, lock: str, version: str, options: Sequence[str]) -> bool:
    """Whether the quick tests pass in one environment."""
    from tests.support.environments import Unavailable, install_seekread, made

    print(f"\n== {name}: Python {version}, requirements/{lock}.txt", flush=True)
    python = interpreter(version)
    if python is None:
        print(f"there is no Python {version} here")
        return False
    try:
        folder = made(name, lock=lock, python=python)
        install_seekread(folder)
    except Unavailable as error:
        print(f"the environment cannot be made: {error}")
        return False
    # Two runs beside each other would share what pytest remembers.
    command = [str(folder / "bin" / "python"), "-m", "pytest", "-q", "-m", "not process", "-p", "no:cacheprovider"]
    return subprocess.run([*command, *TESTS, *options], cwd=ROOT, check=False).returncode == 0  # noqa: S603


def main() -> int:
    """Try what is asked for, all of it even where one fails."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("which", choices=("lowest", "pythons"))
    parser.add_argument("options", nargs="*", help="options for pytest, after --")
    asked = parser.parse_args()
    versions = claimed()
    runs = (
        [("lowest", "lowest", versions[-1])]
        if asked.which == "lowest"
        else [(f"python{version}", "dev", version) for version in versions]
    )
    failed = [name for name, lock, version in runs if not tried(name, lock, version, asked.options)]
    print(f"\n{len(runs) - len(failed)} of {len(runs)} passed" + (f"; not {', '.join(failed)}" if failed else ""))
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
