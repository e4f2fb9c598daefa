"""Names of hosts for tests of the guard over real sockets, and the addresses they lead to."""

from collections.abc import Callable

from seekread.http.selftest import CANARY, STAND_IN, stand_in_is_public

__all__ = ["CANARY", "DEAD", "STAND_IN", "Names", "plays_the_internet"]

DEAD = "127.0.0.3"
"""Nobody listens here."""


def plays_the_internet(address: str) -> str | None:
    """The guard's judgement, but for the stand-in and the dead address."""
    return stand_in_is_public(address, {STAND_IN, DEAD})


class Names:
    """A resolver: fixed answers, or a function of how often a name was asked for."""

    def __init__(self, answers: dict[str, list[str] | Callable[[int], list[str]]]) -> None:
        self.answers = answers
        self.asked: list[str] = []

    async def resolve(self, host: str, port: int) -> list[str]:
        self.asked.append(host)
        found = self.answers.get(host, [STAND_IN])
        return found(self.asked.count(host)) if callable(found) else found
