"""Put a drop-in into a checkout, and take it out again: looked at first, made all or none, undone exactly."""

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from seekread.dropins import pins
from seekread.dropins.changes import Change, apply, remove_empty
from seekread.dropins.checkout import Checkout, checkout_of, git
from seekread.dropins.record import Record, ended, record_of
from seekread.dropins.table import DropIn, Insertion
from seekread.dropins.trial import Environment
from seekread.errors import Misconfigured
from seekread.late import dataclass


@dataclass(frozen=True)
class Prepared:
    """What is about to happen to a checkout."""

    checkout: Checkout
    environment: Environment
    changes: list[Change]
    record: Record
    pinned: dict[str, str]
    """The host's own versions, which stay as they are."""


def prepare_to_add(drop_in: DropIn, path: Path, python: Path | None = None) -> Prepared:
    """Look at everything and write nothing; whatever is not in order is an error of one sentence."""
    checkout = checkout_of(drop_in, path)
    if record := found_record(drop_in, checkout):
        raise Misconfigured(
            f"a drop-in of seekread {record.seekread} is already there: `seekread host remove {drop_in.host} {path}` "
            "takes it out"
        )
    if changed := checkout.changed():
        raise Misconfigured(f"the tree is dirty: commit or put away what you changed first ({changed[0]})")
    environment = Environment(checkout.root, python)
    pinned = pins.check(drop_in, environment)
    changes = [*replacements(drop_in, checkout), *edits(drop_in, checkout), *skill(drop_in)]
    changes = [change for change in changes if change.before != change.after]
    if not changes:
        raise Misconfigured("the drop-in is already there, committed with the host's own files")
    return Prepared(checkout, environment, changes, record_of(changes, checkout.root, drop_in.edit), pinned)


def add(drop_in: DropIn, prepared: Prepared) -> None:
    """Write what was prepared, and what is needed to undo it."""
    record = Change(prepared.checkout.record(drop_in.host), None, prepared.record.model_dump_json(indent=1).encode())
    # First what undoes the rest: whatever happens in between, nothing is lost.
    apply([record, *prepared.changes])


def added(drop_in: DropIn, path: Path) -> tuple[Checkout, Record]:
    """A checkout that has the drop-in, and what was noted when it was added."""
    checkout = checkout_of(drop_in, path)
    record = found_record(drop_in, checkout)
    if record is None:
        raise Misconfigured(f"no drop-in for {drop_in.host} was added to {path}")
    return checkout, record


def remove(drop_in: DropIn, checkout: Checkout, record: Record, changes: list[Change]) -> None:
    """Take the drop-in out: every file is again what it was, and what was made for it is gone."""
    path = checkout.record(drop_in.host)
    apply([*changes, Change(path, path.read_bytes(), None)])
    remove_empty([*(checkout.root / name for name in record.folders), path.parent])


def found_record(drop_in: DropIn, checkout: Checkout) -> Record | None:
    """What was noted when the drop-in was added."""
    path = checkout.record(drop_in.host)
    try:
        return Record.model_validate_json(path.read_bytes()) if path.is_file() else None
    except ValueError:
        raise Misconfigured(f"{path} cannot be understood: restore the host's files with git, then delete it") from None


def replacements(drop_in: DropIn, checkout: Checkout) -> Iterator[Change]:
    """The files that take their place, whatever stood there."""
    for name in drop_in.files:
        path = checkout.inside(name)
        if path.is_file() and not git(checkout.root, "ls-files", "--", name):
            raise Misconfigured(f"{name} stands there and git does not know it: commit or put it away first")
        yield Change(path, path.read_bytes() if path.is_file() else None, drop_in.content(name))


def edits(drop_in: DropIn, checkout: Checkout) -> Iterator[Change]:
    """The lines that go into files of the host's own."""
    for name, group in groupby(sorted(drop_in.edit, key=lambda edit: edit.file), key=lambda edit: edit.file):
        path = checkout.inside(name)
        before = path.read_bytes() if path.is_file() else b""
        text = before.decode("utf-8", "replace")
        for edit in group:
            text = inserted(drop_in, edit, text)
        yield Change(path, before, text.encode())


def inserted(drop_in: DropIn, edit: Insertion, text: str) -> str:
    """A text with the lines of an edit in it."""
    if ended(edit.insert) in text:
        return text
    lines = text.splitlines(keepends=True)
    places = [number for number, line in enumerate(lines, start=1) if line.rstrip("\r\n") == edit.after.rstrip("\r\n")]
    if len(places) != 1:
        raise Misconfigured(
            f"this is another version of {drop_in.host} than the drop-in was made for: the line {edit.after!r} stands "
            f"{len(places)} times in {edit.file}"
        )
    before = "".join(lines[: places[0]])
    return f"{ended(before)}{ended(edit.insert)}{''.join(lines[places[0] :])}"


def skill(drop_in: DropIn) -> Iterator[Change]:
    """The skill, in a folder of the user's own."""
    for path, content in drop_in.skill_files().items():
        if path.is_file() and path.read_bytes() != content:
            raise Misconfigured(f"{path} is a skill of somebody else's: nothing is written over it")
        yield Change(path, path.read_bytes() if path.is_file() else None, content)
