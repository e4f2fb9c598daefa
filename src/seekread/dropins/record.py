"""What a drop-in replaced, kept in git's own folder of the checkout until the drop-in is taken out again."""

import base64
import hashlib
from collections.abc import Sequence
from pathlib import Path

from seekread.dropins.changes import Change, missing_folders
from seekread.dropins.table import Insertion
from seekread.errors import Misconfigured
from seekread.value import Value
from seekread.version import VERSION


class Replaced(Value):
    """One file: what it held before, in base64, and what it was made to hold."""

    before: str | None
    sha256: str


class Record(Value):
    """Everything that is needed to undo a drop-in exactly."""

    seekread: str
    files: dict[str, Replaced]
    """By the path in the checkout, or anywhere else by the whole path."""
    folders: tuple[str, ...] = ()
    """Folders that were made."""
    edits: tuple[Insertion, ...] = ()


def record_of(changes: Sequence[Change], root: Path, edits: tuple[Insertion, ...]) -> Record:
    """The record of changes that are about to be made."""
    folders = [folder for change in changes for folder in missing_folders(change.path)]
    return Record(
        seekread=VERSION,
        files={
            name_of(change.path, root): Replaced(before=packed(change.before), sha256=digest(change.after or b""))
            for change in changes
        },
        folders=tuple(name_of(folder, root) for folder in dict.fromkeys(folders)),
        edits=edits,
    )


def undoing(record: Record, root: Path) -> list[Change]:
    """The changes that undo a drop-in, refused where somebody has changed since what would be lost."""
    changes = [undone(root / name, name, replaced, record.edits) for name, replaced in record.files.items()]
    return [change for change in changes if change.before != change.after]


def undone(path: Path, name: str, replaced: Replaced, edits: Sequence[Insertion]) -> Change:
    """What a file has to become again."""
    now = path.read_bytes() if path.is_file() else None
    if now is None or digest(now) == replaced.sha256:
        return Change(path, now, unpacked(replaced.before))
    own = [edit for edit in edits if edit.file == name]
    text = now.decode("utf-8", "replace")
    if own and all(text.count(ended(edit.insert)) == 1 for edit in own):
        for edit in own:
            text = text.replace(ended(edit.insert), "")
        return Change(path, now, text.encode())
    raise Misconfigured(f"{name} was changed since the drop-in was added: put your change away first")


def altered(record: Record, root: Path) -> list[str]:
    """The files of a drop-in that are not as they were written."""
    return [
        name
        for name, replaced in record.files.items()
        if not (root / name).is_file() or digest((root / name).read_bytes()) != replaced.sha256
    ]


def ended(lines: str) -> str:
    """Lines that go into a file, with the end of the last."""
    return lines if lines.endswith("\n") else f"{lines}\n"


def name_of(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def packed(content: bytes | None) -> str | None:
    return None if content is None else base64.b64encode(content).decode()


def unpacked(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text)
