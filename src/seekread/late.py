"""
Dataclasses whose methods are written when they are needed.

`dataclasses.dataclass` writes and compiles up to six methods for each class, and a process that searches once imports
more than a hundred such classes, makes half of them and compares none. Here a class gets the same methods from the same
place, but only with its first instance, and those that compare and show it with the first comparison.
"""

import dataclasses
from functools import partial
from threading import RLock
from typing import TYPE_CHECKING, Any, NamedTuple, Never

__all__ = ["dataclass"]

TO_MAKE = ("__init__", "__match_args__", "__dataclass_fields__")
TO_COMPARE = ("__repr__", "__eq__", "__hash__", "__dataclass_params__")
WRITING = RLock()


def written_late(cls: type | None = None, /, *, frozen: bool = False, **wanted: bool) -> Any:
    """As `dataclasses.dataclass`, without `slots`, `order` and `unsafe_hash`, which few need."""
    if cls is None:
        return partial(written_late, frozen=frozen, **wanted)
    parts = (
        Unmade(cls, dict(vars(cls)), TO_MAKE, {**wanted, "frozen": frozen, "repr": False, "eq": False}),
        Unmade(cls, dict(vars(cls)), TO_COMPARE, {**wanted, "frozen": frozen, "init": False}),
    )
    if frozen:
        setattr(cls, "__setattr__", unchangeable)  # noqa: B010 mypy knows what it may not be
        setattr(cls, "__delattr__", unchangeable)  # noqa: B010
    for part in parts:
        for name in part.names:
            if vars(cls).get(name) is None:
                setattr(cls, name, Unwritten(name, part))
    return cls


def unchangeable(_self: object, name: str, *_value: object) -> Never:
    """Refuse to change a field of a frozen class."""
    raise dataclasses.FrozenInstanceError(f"cannot change field {name!r}")


class Unmade(NamedTuple):
    """Some of the methods of a class: how it was before any was written, and what is wanted."""

    cls: type
    body: dict[str, Any]
    names: tuple[str, ...]
    wanted: dict[str, bool]

    def write(self) -> None:
        """Write them, on a class beside it, so that no thread ever sees half of it."""
        body = {name: value for name, value in self.body.items() if name not in {"__dict__", "__weakref__"}}
        beside: type = type(self.cls)(self.cls.__name__, self.cls.__bases__, body)
        written = vars(dataclasses.dataclass(**self.wanted)(beside))
        here = vars(self.cls)
        for name in [name for name in here if isinstance(here[name], dataclasses.Field) or self.has(name)]:
            if name in written:
                setattr(self.cls, name, written[name])
            else:
                delattr(self.cls, name)

    def has(self, name: str) -> bool:
        """Whether something of the class is a place where this part is still to be written."""
        place = vars(self.cls).get(name)
        return isinstance(place, Unwritten) and place.part is self


class Unwritten:
    """In the place of something of a class that is not written yet; whoever asks for it has it written."""

    def __init__(self, name: str, part: Unmade) -> None:
        self.name, self.part = name, part

    def __get__(self, instance: object, owner: type) -> Any:
        with WRITING:
            if self.part.has(self.name):
                self.part.write()
        return getattr(owner if instance is None else instance, self.name)


if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    dataclass = written_late
