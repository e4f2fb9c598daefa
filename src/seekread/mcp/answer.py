"""What a tool gives back, and how much that may be."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from seekread.models import Page


@dataclass(frozen=True)
class Budget:
    """Estimated tokens one result may have: as a rule, and when a call asks for more. Clients cut at 25,000."""

    usual: int = 8000

    @property
    def most(self) -> int:
        """What a call may ask for."""
        return 3 * self.usual


@dataclass(frozen=True)
class ToolAnswer:
    """A result: the text for the model, the same as values, and whether it is a failure."""

    text: str
    values: Mapping[str, Any] = field(default_factory=dict)
    failed: bool = False
    page: Page | None = None
