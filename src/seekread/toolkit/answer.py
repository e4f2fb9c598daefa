"""What a tool gives back, and how much that may be."""

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any

from seekread.late import dataclass

if TYPE_CHECKING:
    from seekread.gathering.evidence import Gathered
    from seekread.models import Page, Pages, SearchResponse


@dataclass(frozen=True)
class Budget:
    """Estimated tokens one result may have: as a rule, and when a call asks for more. Clients cut at 25,000."""

    usual: int = 8000

    @property
    def most(self) -> int:
        """What a call may ask for."""
        return 3 * self.usual

    def tokens(self, length: int | None) -> int:
        """What a call may have that asks for so many characters."""
        return self.most if length else self.usual


@dataclass(frozen=True)
class ToolAnswer:
    """
    A result: the text for the model, the same as values that fit the tool's output schema, or that it is a failure.

    complete: everything behind it, for programs that want more than the model
    pages: the pages it is from
    """

    text: str
    values: Mapping[str, Any] = field(default_factory=dict)
    failed: bool = False
    complete: "SearchResponse | Page | Pages | Gathered | None" = None
    pages: "tuple[Page, ...]" = ()

    def data(self) -> dict[str, Any]:
        """Everything there is, as plain values."""
        return dict(self.values) if self.complete is None else self.complete.model_dump(mode="json")
