"""What a scripted model does: call one tool after the other, and keep what it is told."""

from typing import Any

ScriptedCalls = list[tuple[str, dict[str, Any]]]


class Script:
    """Hand it what the model reads; it answers with the next call, or with nothing when there is none left."""

    def __init__(self, calls: ScriptedCalls) -> None:
        self._calls = list(calls)
        self._begun = False
        self.told: list[str] = []

    def next(self, read: str) -> tuple[str, dict[str, Any]] | None:
        """The next call; what is read before the first one is the question."""
        if self._begun:
            self.told.append(read)
        self._begun = True
        return self._calls.pop(0) if self._calls else None
