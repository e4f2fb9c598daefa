"""The guard's verdict on a URL, and the trail of steps that leads to it."""

from dataclasses import asdict, field
from typing import Any, Literal

from seekread.errors import Refused
from seekread.http.target import Target
from seekread.late import dataclass

MAX_HOPS = 5
"""Redirects followed for one page; each is checked like the first URL."""

DECIDED_LATER = "decided by the answers, because allow_private lists a network"

Reached = Literal["allowed", "refused", "unresolved"]


@dataclass(frozen=True)
class GuardStep:
    """One step of a verdict. `passed` is `None` when a later step decides."""

    name: str
    passed: bool | None
    detail: str


@dataclass(frozen=True)
class Verdict:
    """What the guard says about a URL, with the steps that led there."""

    url: str
    verdict: Reached
    code: str = ""
    message: str = ""
    final_url: str = ""
    host: str = ""
    port: int | None = None
    steps: tuple[GuardStep, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def allowed(self) -> bool:
        """Whether the URL may be fetched."""
        return self.verdict == "allowed"

    def as_json(self) -> dict[str, Any]:
        """The verdict as plain values."""
        return {"allowed": self.allowed, **asdict(self)}


@dataclass
class Trail:
    """The steps taken so far while a verdict is explained."""

    steps: list[GuardStep] = field(default_factory=list)
    target: Target | None = None
    prefix: str = ""
    step: str = ""

    def enter(self, hop: int) -> None:
        """Go on to the first URL (0) or to a redirect."""
        self.prefix = f"redirect {hop}: " if hop else ""
        self.begin("parse")
        if hop > MAX_HOPS:
            raise Refused("too_many_redirects", f"The page redirects more than {MAX_HOPS} times.")

    def begin(self, step: str) -> None:
        """Name the step that is being taken."""
        self.step = self.prefix + step

    def passed(self, detail: str) -> None:
        """Note that the step was passed, or that a later one decides."""
        self.steps.append(GuardStep(self.step, None if detail == DECIDED_LATER else True, detail))

    def stop(self, verdict: Reached, code: str, message: str) -> None:
        """Note the step that ended it, if one did."""
        if verdict != "allowed":
            self.steps.append(GuardStep(self.step, False, f"{code}: {message}"))
