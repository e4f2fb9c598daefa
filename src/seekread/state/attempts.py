"""How the last attempt at each provider went, kept for people who look at the providers."""

import json
from dataclasses import field

from seekread.late import dataclass
from seekread.outcomes import Outcome
from seekread.ports import Clock, Store

EVERY = 60.0
KEPT = 30 * 86_400.0
"""Seconds: how often, and how long, an unchanged outcome is kept."""


@dataclass
class LastAttempts:
    """Remembers in the store; not every second of it."""

    store: Store
    clock: Clock
    _known: dict[str, tuple[Outcome, float]] = field(default_factory=dict)

    async def remember(self, provider: str, outcome: Outcome) -> None:
        """Keep how an attempt went."""
        known, at = self._known.get(provider, ("", 0.0))
        now = self.clock.time()
        if known == outcome and now - at < EVERY:
            return
        self._known[provider] = (outcome, now)
        await self.store.put(f"outcome/{provider}", json.dumps([outcome, now]).encode(), lifetime=KEPT)

    async def all(self) -> dict[str, tuple[Outcome, float]]:
        """The last outcome of each provider, and when that was."""
        entries = await self.store.scan("outcome/")
        return {entry.key.removeprefix("outcome/"): tuple(json.loads(entry.value)) for entry in entries}
