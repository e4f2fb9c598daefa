"""
Ask the resolver whether seekread can be installed beside the newest versions of packages that agents bring along.

    python tools/beside.py

Each neighbour is resolved alone, then at just that version together with seekread and some of its extras, for the least
Python we claim. Nothing is installed; package indexes have to be reached. Exits with 1 when a neighbour would have to
be older than it is alone.
"""

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LEAST_PYTHON = "3.11"
WITHOUT_MCP = ("server", "browser", "pdf", "redis", "otel", "oauth", "keyring", "robots", "parquet", "socks")
"""All extras for users but the one that asks for a protocol library of its second version."""
NEIGHBOURS: dict[str, Sequence[str]] = {
    "litellm[proxy]": ("all",),
    "open-webui": ("all",),
    "crewai": WITHOUT_MCP,
}
"""Each with the extras of ours that are resolved with it; CrewAI asks for `mcp` below 2."""


class Unresolved(Exception):
    """There is no set of versions that everybody accepts."""


def resolved(*requirements: str, extras: Sequence[str] = (), with_us: bool = False) -> dict[str, str]:
    """The versions that the resolver chooses, by package."""
    uv = Path(sys.executable).with_name("uv")
    ours = ["pyproject.toml", *(word for extra in extras for word in ("--extra", extra))] if with_us else []
    told = subprocess.run(  # noqa: S603 - uv of our own environment
        [uv, "pip", "compile", "-q", "--python-version", LEAST_PYTHON, "--no-header", "--no-annotate", "-", *ours],
        input="\n".join(requirements),
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    if told.returncode:
        raise Unresolved(told.stderr.strip()[-600:])
    return dict(line.split("==") for line in told.stdout.splitlines() if "==" in line)


def newest(neighbour: str) -> str:
    """The version that somebody gets who installs it alone."""
    return resolved(neighbour)[re.split(r"\[", neighbour)[0]]


def main() -> int:
    """Print one line for each neighbour."""
    apart = 0
    for neighbour, extras in NEIGHBOURS.items():
        version = newest(neighbour)
        us = f"seekread[{','.join(extras)}]"
        try:
            resolved(f"{neighbour}=={version}", extras=extras, with_us=True)
        except Unresolved as error:
            apart += 1
            print(f"{neighbour} {version}: not with {us}\n{error}")
        else:
            print(f"{neighbour} {version}: with {us}")
    return int(bool(apart))


if __name__ == "__main__":
    sys.exit(main())
