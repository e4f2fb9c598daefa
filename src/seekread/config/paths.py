"""Where files live: the system's own places for settings and state."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from seekread.late import dataclass


@dataclass(frozen=True)
class Folders:
    """Where programs of this user keep their settings."""

    home: Path
    config: Path
    """Those of the command line: `.config`, on Windows the roaming folder."""
    applications: Path
    """Those with windows: the same on Linux, `Application Support` on macOS."""


def folders(environ: Mapping[str, str] | None = None) -> Folders:
    """The folders of whoever runs this."""
    known = os.environ if environ is None else environ
    home = home_of(known)
    if sys.platform == "win32" and (roaming := known.get("APPDATA")):
        return Folders(home, Path(roaming), Path(roaming))
    config = Path(known.get("XDG_CONFIG_HOME") or home / ".config")
    return Folders(home, config, home / "Library/Application Support" if sys.platform == "darwin" else config)


def home_of(environ: Mapping[str, str]) -> Path:
    named = environ.get("HOME") or environ.get("USERPROFILE")
    return Path(named) if named else Path.home()


def config_file(environ: Mapping[str, str]) -> Path:
    """The user's settings file."""
    return base(environ, "XDG_CONFIG_HOME", ".config", "APPDATA") / "seekread" / "config.toml"


def state_folder(environ: Mapping[str, str]) -> Path:
    """Where state is kept: cache, snapshots, ledger, index."""
    return base(environ, "XDG_STATE_HOME", ".local/state", "LOCALAPPDATA") / "seekread"


def base(environ: Mapping[str, str], xdg: str, below_home: str, windows: str) -> Path:
    if named := environ.get(xdg):
        return Path(named)
    if sys.platform == "win32" and (folder := environ.get(windows)):
        return Path(folder)
    if sys.platform == "darwin":
        below_home = "Library/Application Support"
    return home_of(environ) / below_home
