"""Which readers a page may be given to: those named in the call, those of the settings, or ours that are ready."""

from collections.abc import Sequence

from seekread.late import dataclass
from seekread.provider import ReadProvider
from seekread.providers.catalog import READ_ORDER
from seekread.providers.registry import Registry


@dataclass(frozen=True)
class Readers:
    """Names become readers, in order."""

    registry: Registry
    chosen: tuple[str, ...] = ()

    def __call__(self, asked: Sequence[str] = ()) -> list[ReadProvider]:
        """The readers to try, one after another."""
        named = tuple(asked) or self.chosen or [name for name in READ_ORDER if self.registry.ready(name)]
        return [self.registry.reader(name) for name in named]
