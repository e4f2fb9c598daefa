"""What the environment says about the terminal, by the names everybody uses."""

import os
from collections.abc import Mapping

from seekread.late import dataclass


@dataclass(frozen=True)
class TerminalWishes:
    """Whether colour is wanted, refused or left to us, and whether the terminal knows any."""

    colour: bool | None
    """`NO_COLOR` refuses, `FORCE_COLOR` wants it even where no terminal is; `None` where neither is set."""
    dumb: bool


def terminal_wishes(environ: Mapping[str, str] | None = None) -> TerminalWishes:
    """What is wished for; an empty variable wishes nothing."""
    known = os.environ if environ is None else environ
    forced = known.get("FORCE_COLOR") or known.get("CLICOLOR_FORCE")
    colour = False if known.get("NO_COLOR") else True if forced and forced != "0" else None
    return TerminalWishes(colour, known.get("TERM", "").lower() == "dumb")
