"""
Other people's packages that are measured beside ours, in environments of their own in `.venvs/`, made from their locks.

Where one cannot be made, a benchmark ends and says why: a table without its peers is no comparison.
"""

import sys
from pathlib import Path

from tests.support.environments import Unavailable, made


def environment(name: str = "peers") -> Path:
    """The folder of an environment: `peers` has the extractors, `clients` the clients of search services."""
    try:
        return made(name)
    except Unavailable as error:
        sys.exit(f"what is measured beside us cannot be installed: {name}: {error}")


def interpreter(name: str = "peers") -> Path:
    """Its Python, for peers that run in a process of their own."""
    return environment(name) / "bin" / "python"


def importable(name: str = "clients") -> None:
    """Let this very process import the HTTP clients of others; what both sides need is taken from our environment."""
    [packages] = environment(name).glob("lib/python3*/site-packages")
    if str(packages) not in sys.path:
        sys.path.append(str(packages))
