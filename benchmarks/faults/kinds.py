"""
What the vendors do wrong, and to whom: 18 kinds of fault, chosen by a hash of vendor and query.

So every run meets the same faults, and it is known for each query who could have answered it.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

VENDORS = ("brave", "tavily", "searxng", "serper")

KINDS = (
    "429", "429 pause", "500", "503 pause", "hang", "reset", "truncated", "html", "empty", "types",
    "drip", "garbage", "not gzip", "chunk cut", "no address", "deep", "only a string", "huge",
)  # fmt: skip
"""What each of them sends stands in `server.py`; `pause` is a `Retry-After: 1`."""

ANSWERS = frozenset({"ok", "empty"})
"""Nothing found is an answer: the chain ends with it."""
SILENT = frozenset({"hang", "drip"})
"""These cost the whole time of an attempt."""
TURNED_AWAY = frozenset({"429", "429 pause"})
"""Who is turned away at the door is not charged."""


@dataclass(frozen=True)
class Behaviour:
    """How one vendor behaves: which share of its calls goes wrong, in which ways, and how long it takes to answer."""

    share: float = 0.0
    kinds: tuple[str, ...] = KINDS
    latency: float = 0.0
    script: tuple[str, ...] = ()
    """What its first calls meet, one after the other, whatever they ask."""

    def kind(self, vendor: str, query: str) -> str:
        """What a query meets at a vendor: `ok` or the kind of fault."""
        digest = hashlib.sha256(f"{vendor}/{query}".encode()).digest()
        if int.from_bytes(digest[:4]) / 2**32 >= self.share:
            return "ok"
        return self.kinds[digest[4] % len(self.kinds)]

    def packed(self) -> dict[str, Any]:
        """As JSON, for the server."""
        return asdict(self)

    @classmethod
    def unpacked(cls, packed: Mapping[str, Any]) -> Self:
        """The way back."""
        return cls(packed["share"], tuple(packed["kinds"]), packed["latency"], tuple(packed["script"]))


Behaviours = Mapping[str, Behaviour]


def kinds_met(behaviours: Behaviours, query: str) -> list[str]:
    """What a query meets at each vendor of the chain, in order."""
    return [behaviour.kind(vendor, query) for vendor, behaviour in behaviours.items()]


def failover(kinds: Sequence[str]) -> int:
    """Calls a perfect failover makes: everyone in order up to the first who answers."""
    return next((place for place, kind in enumerate(kinds, start=1) if kind in ANSWERS), len(kinds))
