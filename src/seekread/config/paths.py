"""Where files live: the system's own places for settings and state."""

import sys
from collections.abc import Mapping
from pathlib import Path


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
    home = environ.get("HOME") or environ.get("USERPROFILE")
    return (Path(home) if home else Path.home()) / below_home
