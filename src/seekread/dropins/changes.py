"""
Changes of files, made all or none: everything is prepared and looked at before anything is written.

What fails half-way is undone, so that no tree is ever left with half a drop-in.
"""

import difflib
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from seekread.errors import Misconfigured
from seekread.late import dataclass


@dataclass(frozen=True)
class Change:
    """What stands in a file before and after; `None` means that there is no file."""

    path: Path
    before: bytes | None
    after: bytes | None

    def turned(self) -> "Change":
        """The same change the other way round."""
        return Change(self.path, self.after, self.before)


def shown(changes: Sequence[Change], root: Path) -> str:
    """The changes as a unified diff, as git shows them."""
    return "".join(line for change in changes for line in difference(change, root))


def difference(change: Change, root: Path) -> Iterator[str]:
    """One file's lines of the diff."""
    inside = change.path.is_relative_to(root)
    names = [f"{side}/{change.path.relative_to(root)}" if inside else str(change.path) for side in "ab"]
    old, new = (lines_of(content) for content in (change.before, change.after))
    before = "/dev/null" if change.before is None else names[0]
    after = "/dev/null" if change.after is None else names[1]
    yield from difflib.unified_diff(old, new, before, after)
    if not old and not new:
        yield f"--- {before}\n+++ {after}\n"


def lines_of(content: bytes | None) -> list[str]:
    text = (content or b"").decode("utf-8", "replace")
    lines = text.splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n\\ No newline at end of file\n"
    return lines


def apply(changes: Sequence[Change]) -> None:
    """Make all changes, or none."""
    made: list[Change] = []
    folders: list[Path] = []
    try:
        for change in changes:
            folders += missing_folders(change.path)
            write(change)
            made.append(change)
    except OSError as error:
        for change in reversed(made):
            with suppress(OSError):
                write(change.turned())
        remove_empty(folders)
        reason = error.strerror or str(error)
        raise Misconfigured(f"{error.filename or 'a file'} cannot be written ({reason}); nothing was changed") from None


def write(change: Change) -> None:
    """Let a file hold what it holds afterwards. It is there whole or not at all, whoever looks."""
    if change.after is None:
        change.path.unlink()
        return
    change.path.parent.mkdir(parents=True, exist_ok=True)
    mode = change.path.stat().st_mode if change.path.exists() else 0o666 & ~umask()
    # A file that may not be written is respected, though its folder would let us replace it.
    if change.path.exists() and not os.access(change.path, os.W_OK):
        raise PermissionError(13, "no right to write", str(change.path))
    with tempfile.NamedTemporaryFile(dir=change.path.parent, prefix=".seekread-", delete=False) as file:
        try:
            file.write(change.after)
            file.flush()
            Path(file.name).chmod(mode & 0o7777)
            Path(file.name).replace(change.path)
        except OSError:
            Path(file.name).unlink(missing_ok=True)
            raise


def umask() -> int:
    """The mask of new files, which can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def missing_folders(path: Path) -> list[Path]:
    """The folders that have to be made for a file, the outermost first."""
    return [folder for folder in reversed(path.parents) if not folder.exists()]


def remove_empty(folders: Sequence[Path]) -> None:
    """Remove folders that were made for files, the innermost first; what Python left there goes too."""
    for folder in sorted(folders, key=lambda folder: len(folder.parts), reverse=True):
        if folder.is_dir() and all(item.name == "__pycache__" for item in folder.iterdir()):
            shutil.rmtree(folder, ignore_errors=True)
