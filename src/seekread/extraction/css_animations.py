"""Animations and transitions: what a reader meets of them, who looks once and not for long."""

from collections.abc import Iterable
from dataclasses import dataclass

from seekread.extraction.css_sheet import Declaration, Declarations
from seekread.extraction.css_values import amount, amounts, words_of

LONG_SECONDS = 60.0
"""An animation that takes or waits longer is, for a reader, how the page is."""


def plain(frame: Declarations) -> dict[str, str]:
    return {name: declared.value for name, declared in frame.items()}


@dataclass(frozen=True, slots=True)
class Timing:
    """How one animation runs."""

    duration: float
    delay: float
    count: str
    fill: str
    backwards: bool
    paused: bool
    timeline: str

    @staticmethod
    def of(found: dict[str, str], number: int) -> "Timing":
        def one(name: str, default: str) -> str:
            listed = words_of(found.get(f"animation-{name}", default), ", ") or [default]
            return listed[number % len(listed)]

        return Timing(
            amount(one("duration", "0s")) or 0.0,
            amount(one("delay", "0s")) or 0.0,
            one("iteration-count", "1"),
            one("fill-mode", "none"),
            one("direction", "normal") in {"reverse", "alternate-reverse"},
            one("play-state", "running") == "paused",
            one("timeline", "auto"),
        )


def place_shown(frames: dict[float, Declarations], timing: Timing) -> Declarations:
    """The frame of an animation that a reader meets; what all share if it never rests."""
    first, last = (max(frames), min(frames)) if timing.backwards else (min(frames), max(frames))
    if timing.timeline not in {"auto", "none"}:
        # A page that was just opened is not scrolled; what its position in sight drives, a reader brings about.
        return frames[first] if not timing.timeline.startswith("view") else {}
    if timing.paused or timing.delay > LONG_SECONDS or timing.duration > LONG_SECONDS:
        if timing.delay > 0:
            return frames[first] if timing.fill in {"backwards", "both"} else {}
        if not timing.duration:
            return {}
        place = min(100.0, -100 * timing.delay / timing.duration)
        place = 100 - place if timing.backwards else place
        return frames[min(frames, key=lambda one: abs(one - place))]
    if timing.count == "infinite":
        shared = [set(plain(frame).items()) for frame in frames.values()] if timing.duration else []
        found = {name: Declaration(value) for name, value in (set.intersection(*shared) if shared else ())}
        return found | strongest(frames.values())
    if timing.fill not in {"forwards", "both"}:
        return {}
    rounds = amount(timing.count)
    part = 100.0 if rounds is None or (rounds and rounds == int(rounds)) else 100 * (rounds % 1)
    return frames[last] if part == 100 else frames[min(frames, key=lambda one: abs(one - part))]


def strongest(frames: Iterable[Declarations]) -> Declarations:
    """The opacity at which a box is seen best while it changes without end, if every frame has one."""
    shares = [amount(frame["opacity"].value) if "opacity" in frame else None for frame in frames]
    known = [share for share in shares if share is not None]
    return {"opacity": Declaration(f"{max(known)}")} if known and len(known) == len(shares) else {}


def lasts(found: dict[str, str]) -> bool:
    """Say whether a transition from a starting style takes so long that nobody sees its end."""
    if found.get("transition-timing-function", "").startswith(("step-start", "steps(1, start", "steps(1,start")):
        return False
    seconds = [*amounts(found.get("transition-duration", "0s")), *amounts(found.get("transition-delay", "0s"))]
    return max(seconds, default=0.0) > LONG_SECONDS
