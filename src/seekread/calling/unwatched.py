"""Nobody watches: what the engines tell goes nowhere, and costs next to nothing."""

from collections.abc import Mapping
from typing import Self

from seekread.ports import WorkFact, WorkKind


class NoTelemetry:
    """Hears of nothing; the work it hands out is itself."""

    active = False

    def work(
        self,
        kind: WorkKind,  # noqa: ARG002
        *,
        text: str = "",  # noqa: ARG002
        caller: Mapping[str, str] | None = None,  # noqa: ARG002
    ) -> "NoTelemetry":
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def ended(self, *, failed: bool, **facts: WorkFact) -> None:
        pass

    def attempt(self, kind: str, provider: str, outcome: str, seconds: float, *, status: int | None) -> None:
        pass

    def handed_on(self) -> dict[str, str]:
        return {}

    async def close(self) -> None:
        pass


UNWATCHED = NoTelemetry()
