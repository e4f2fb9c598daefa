"""Dataclasses whose methods are written when they are needed: as those of the standard library, only later."""

import copy
import dataclasses
import inspect
import pickle
import subprocess
import sys
from dataclasses import field
from threading import Barrier, Thread

import pytest

from seekread.late import dataclass


@dataclass(frozen=True)
class Leaf:
    size: int
    marks: list[str] = field(default_factory=list, compare=False, repr=False)
    kind: str = field(default="oak", kw_only=True)

    def __post_init__(self) -> None:
        if self.size < 0:
            raise ValueError("too small")


@dataclass(frozen=True)
class Branch(Leaf):
    leaves: tuple[Leaf, ...] = ()


@dataclass
class Bud:
    size: int = 1


def test_an_instance_is_what_the_standard_library_makes() -> None:
    leaf = Leaf(1, kind="elm")
    assert (leaf, repr(leaf), hash(leaf)) == (Leaf(1, ["a"], kind="elm"), "Leaf(size=1, kind='elm')", hash(leaf))
    assert leaf != Leaf(2, kind="elm")
    assert dataclasses.asdict(Branch(1, leaves=(leaf,)))["leaves"][0]["kind"] == "elm"
    assert dataclasses.replace(Branch(1), size=3).size == 3
    assert Leaf(1).marks is not Leaf(1).marks
    with pytest.raises(ValueError, match="too small"):
        Leaf(-1)
    with pytest.raises(TypeError, match="size"):
        Leaf()  # type: ignore[call-arg]


def test_its_fields_are_known_before_the_first_instance() -> None:
    @dataclass(frozen=True)
    class Unseen:
        first: int
        second: int = 2

    assert [item.name for item in dataclasses.fields(Unseen)] == ["first", "second"]
    assert dataclasses.is_dataclass(Unseen)
    assert list(inspect.signature(Unseen).parameters) == ["first", "second"]
    match Unseen(1):
        case Unseen(first, second):
            assert (first, second) == (1, 2)


@pytest.mark.parametrize("change", [lambda leaf: setattr(leaf, "size", 2), lambda leaf: delattr(leaf, "size")])
def test_what_is_frozen_cannot_be_changed(change: object) -> None:
    assert callable(change)
    with pytest.raises(dataclasses.FrozenInstanceError, match="size"):
        change(Leaf(1))


def test_what_is_not_frozen_can_be_changed_and_has_no_hash() -> None:
    bud = Bud()
    bud.size = 2
    assert bud == Bud(2)
    with pytest.raises(TypeError, match="unhashable"):
        hash(bud)


@pytest.mark.process
def test_what_another_process_made_is_whole_before_any_is_made_here() -> None:
    made = pickle.dumps(Branch(1, leaves=(Leaf(2),)))
    code = f"import pickle; b = pickle.loads({made!r}); print(b, b == pickle.loads({made!r}), hash(b) == hash(b))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.split()[-2:] == ["True", "True"]
    assert copy.deepcopy(Branch(1)) == Branch(1)


def test_threads_that_make_the_first_ones_at_once_see_a_whole_class() -> None:
    made: list[object] = []
    for _ in range(50):

        @dataclass(frozen=True)
        class Raced:
            size: int = 1

        start = Barrier(8)

        def make(kind: type[Raced] = Raced, start: Barrier = start) -> None:
            start.wait()
            made.append(kind() == kind(1))

        threads = [Thread(target=make) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert made == [True] * 400
