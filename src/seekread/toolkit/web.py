"""The `Seekread` behind tools: the caller's, or one that is made when the first call needs it."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seekread.client import Seekread


def usual() -> "Seekread":
    """A `Seekread` with the settings of the environment."""
    from seekread.client import Seekread

    return Seekread()


class LazyWeb:
    """Call it for the `Seekread`; `close` closes the one it made, never the caller's."""

    def __init__(self, given: Any = None, *, make: "Callable[[], Seekread]" = usual) -> None:
        self._given = given
        self._make = make
        self._made: Seekread | None = None

    def __call__(self) -> Any:
        """The `Seekread`."""
        if self._given is not None:
            return self._given
        if self._made is None:
            self._made = self._make()
        return self._made

    def forget(self) -> None:
        """Make a new one next time, as a forked child must: connections stayed with the parent."""
        self._made = None

    async def close(self) -> None:
        """Release connections. Whoever calls again gets new ones."""
        made, self._made = self._made, None
        if made is not None:
            await made.close()
