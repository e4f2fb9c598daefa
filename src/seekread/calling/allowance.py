"""An allowance: extra calls are a share of the calls that are made anyway, so that trouble is never amplified."""

from dataclasses import field

from seekread.late import dataclass


@dataclass
class Allowance:
    """So much for each call, saved up to `most`, kept for each name; everybody begins with `first`."""

    share: float
    most: float
    first: float
    _saved: dict[str, float] = field(default_factory=dict)

    def earn(self, name: str, amount: float | None = None) -> None:
        """A call is made."""
        self._saved[name] = min(self.most, self._saved.get(name, self.first) + (amount or self.share))

    def spend(self, name: str) -> bool:
        """Take one extra call, if there is one."""
        saved = self._saved.get(name, 0.0)
        if saved < 1:
            return False
        self._saved[name] = saved - 1
        return True
