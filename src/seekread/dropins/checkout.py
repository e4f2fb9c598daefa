"""A host's checkout: whether it is one, whether it is in order, and which of its paths may be written."""

import subprocess
from pathlib import Path, PurePosixPath

from seekread.dropins.table import DropIn
from seekread.errors import InvalidQuery, Misconfigured
from seekread.late import dataclass


@dataclass(frozen=True)
class Checkout:
    """A working tree that git knows, and the folder git keeps for it."""

    root: Path
    git: Path

    def record(self, host: str) -> Path:
        """Where is kept what a drop-in replaced; no commit ever holds it."""
        return self.git / "seekread" / f"{host}.json"

    def inside(self, path: str) -> Path:
        """A path of the checkout, unless it leads anywhere else."""
        asked = PurePosixPath(path)
        if asked.is_absolute() or ".." in asked.parts or asked.parts[:1] in {(), (".git",)}:
            raise Misconfigured(f"{path!r} is no path inside the checkout")
        steps = [self.root.joinpath(*asked.parts[:count]) for count in range(1, len(asked.parts) + 1)]
        if link := next((step for step in steps if step.is_symlink()), None):
            raise Misconfigured(f"{link} is a symbolic link: nothing is written through it")
        return steps[-1]

    def changed(self) -> list[str]:
        """The files git knows that are not as they were committed."""
        said = git(self.root, "status", "--porcelain", "--untracked-files=no", "-z")
        return [entry[3:] for entry in said.split("\0") if len(entry) > 3]


def checkout_of(drop_in: DropIn, path: Path) -> Checkout:
    """The checkout of that host at a path; anything else is the caller's mistake."""
    root = path.resolve()
    if missing := [marker for marker in drop_in.marker if not (root / marker).is_file()]:
        raise InvalidQuery(f"{path} is not a checkout of {drop_in.host}: there is no {missing[0]}")
    try:
        top, folder = git(root, "rev-parse", "--show-toplevel", "--absolute-git-dir").splitlines()
    except Misconfigured:
        raise InvalidQuery(f"{path} is not a checkout of {drop_in.host}: git does not know it") from None
    if Path(top).resolve() != root:
        raise InvalidQuery(f"{path} lies inside the checkout {top}: name that")
    return Checkout(root, Path(folder))


def git(folder: Path, *arguments: str) -> str:
    """What git says about a folder."""
    try:
        done = subprocess.run(  # noqa: S603 our own arguments
            ["git", "-C", folder, *arguments],  # noqa: S607 whichever git the user has
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Misconfigured(f"git cannot be asked about {folder}: {error}") from None
    if done.returncode:
        raise Misconfigured(f"git does not know {folder}: {done.stderr.strip()}")
    return done.stdout
