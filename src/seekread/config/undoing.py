"""What a set-up changed, written down so that it can be taken back: the settings file, keys in the keyring, agents."""

import json
from dataclasses import field
from hashlib import sha256
from pathlib import Path
from typing import Any

from seekread.config.writing import take_from_keyring
from seekread.errors import Misconfigured
from seekread.late import dataclass
from seekread.platforms import private_file

ENDING = ".before-setup"


@dataclass(frozen=True)
class Undone:
    """What was taken back, and the agents whose settings are still to be."""

    lines: tuple[str, ...]
    clients: tuple[str, ...]


@dataclass(frozen=True)
class Undoing:
    """The settings file as it was before, and what was done beside it."""

    path: Path
    before: str | None
    variables: list[str] = field(default_factory=list)
    clients: list[str] = field(default_factory=list)

    @classmethod
    def at(cls, path: Path) -> "Undoing":
        """Begin with a settings file as it is now."""
        return cls(path, path.read_text(encoding="utf-8") if path.exists() else None)

    @property
    def record(self) -> Path:
        """Where it is written down: beside the settings, as private as they are."""
        return self.path.with_name(f"{self.path.name}{ENDING}")

    def kept_in_keyring(self, variable: str) -> None:
        self.variables.append(variable)

    def connected(self, client: str) -> None:
        self.clients.append(client)

    def write(self) -> None:
        """Write it down, where anything was changed."""
        after = self.path.read_text(encoding="utf-8") if self.path.exists() else None
        if after == self.before and not (self.variables or self.clients):
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        private_file(self.record)
        told = {"before": self.before, "after": digest(after), "variables": self.variables, "clients": self.clients}
        self.record.write_text(json.dumps(told), encoding="utf-8")

    def undo(self) -> Undone:
        """Bring back the settings, unless somebody has changed them since, and take keys out of the keyring."""
        if not self.record.exists():
            raise Misconfigured(f"nothing was set up that could be taken back ({self.record} is not there)")
        told: dict[str, Any] = json.loads(self.record.read_text(encoding="utf-8"))
        for variable in told["variables"]:
            take_from_keyring(variable)
        lines = [f"{variable} was taken out of the keyring" for variable in told["variables"]]
        lines.append(self._settings(told))
        self.record.unlink()
        return Undone(tuple(lines), tuple(told["clients"]))

    def _settings(self, told: dict[str, Any]) -> str:
        if digest(self.before) != told["after"]:
            return f"{self.path} was changed since and is left as it is: seekread config edit"
        if told["before"] is None:
            self.path.unlink(missing_ok=True)
            return f"{self.path} is gone, as it was before"
        self.path.write_text(told["before"], encoding="utf-8")
        return f"{self.path} is what it was before"


def digest(text: str | None) -> str | None:
    return None if text is None else sha256(text.encode()).hexdigest()
