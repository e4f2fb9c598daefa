"""
Which providers the installed packages announce, read from their `entry_points.txt`.

`importlib.metadata` tells the same, but importing it takes longer than looking. It is asked where packages are not
folders: in an archive, or where somebody else's importer knows of them.
"""

import os
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

from seekread.errors import Misconfigured
from seekread.late import dataclass

ENDINGS = (".dist-info", ".egg-info")
FILE = "entry_points.txt"


@dataclass(frozen=True)
class Plugin:
    """A provider by its name, and where its class stands: `package.module:Class`."""

    name: str
    value: str

    def load(self) -> Any:
        """Import it."""
        module, _, attribute = self.value.partition(":")
        found = import_module(module.strip())
        for part in filter(None, attribute.split("[")[0].strip().split(".")):
            found = getattr(found, part)
        return found


def installed(group: str) -> dict[str, Plugin]:
    """The plugins of a group by name; two packages claiming one name is an error, not a race."""
    found: dict[str, Plugin] = {}
    for plugin in announced(group):
        if plugin.name in found and found[plugin.name].value != plugin.value:
            raise Misconfigured(
                f"two packages bring a provider named {plugin.name!r}: {found[plugin.name].value}, {plugin.value}"
            )
        found[plugin.name] = plugin
    return found


def announced(group: str) -> Iterator[Plugin]:
    """What packages announce in a group, those first that are found first."""
    importers = [finder for finder in sys.meta_path if hasattr(finder, "find_distributions")]
    # Unlike `Path.is_file`, this says no where we may not even look.
    if importers != [PathFinder] or any(map(os.path.isfile, sys.path)):
        from importlib.metadata import entry_points

        yield from (Plugin(entry.name, entry.value) for entry in entry_points(group=group))
        return
    known: set[str] = set()
    for place in sys.path:
        for package in sorted(packages_in(Path(place or "."))):
            # A package that is found twice is the first: the other is not what gets imported.
            name = package.name.partition("-")[0].lower().replace("_", "-").replace(".", "-")
            if name not in known:
                known.add(name)
                yield from plugins_in(package / FILE, group)


def packages_in(folder: Path) -> Iterator[Path]:
    """What is installed in a folder."""
    try:
        yield from (entry for entry in folder.iterdir() if entry.name.endswith(ENDINGS))
    except OSError:
        # Not every entry of `sys.path` is there.
        return


def plugins_in(file: Path, group: str) -> Iterator[Plugin]:
    """The plugins of one group in a file."""
    try:
        text = file.read_text(encoding="utf-8")
    except OSError:
        # Most packages announce nothing.
        return
    section = ""
    for line in map(str.strip, text.splitlines()):
        if line.startswith("["):
            section = line.strip("[]").strip()
        elif section == group and "=" in line and not line.startswith(("#", ";")):
            name, _, value = line.partition("=")
            yield Plugin(name.strip(), value.strip())
