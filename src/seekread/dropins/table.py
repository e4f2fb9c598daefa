"""
What a host's drop-in consists of: `dropin.toml` beside its adapter, and the files under `dropin/`.

The files lie there by the path they take in the host's checkout. Nobody here knows a host by name: a new host is a new
folder with such a table.
"""

import shlex
import tomllib
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, ValidationError

from seekread.errors import InvalidQuery, Misconfigured
from seekread.value import Value

HOSTS = Path(__file__).parent.parent / "integrations"
"""Where the adapters of hosts stand, each in a folder of its own."""
TABLE = "dropin.toml"


def words(given: Any) -> Any:
    """A command as its words, if it was written as one line."""
    return shlex.split(given) if isinstance(given, str) else given


def lines(given: Any) -> Any:
    """A text as its lines, if it was written as one."""
    return given.strip().splitlines() if isinstance(given, str) else given


Words = Annotated[tuple[str, ...], BeforeValidator(words)]
Lines = Annotated[tuple[str, ...], BeforeValidator(lines)]


class Skill(Value):
    """A folder beside the table, and the folder it becomes among the skills of the user's agents."""

    source: str
    target: str


class Insertion(Value):
    """Lines that go into a file of the host's, after a line that stands there exactly once."""

    file: str
    after: str
    insert: str


class DropIn(Value):
    """One host's table."""

    host: str
    marker: tuple[str, ...]
    """Files that prove a checkout of that host."""
    files: tuple[str, ...]
    """What is written, by its path in the checkout."""
    pinned: tuple[str, ...] = ()
    """Packages whose versions are the host's business."""
    install: tuple[Words, ...] = ()
    """Commands that bring seekread into the host's environment, where it has to be there."""
    test: Words
    """Runs the host's own tests of web search."""
    says: Lines
    """What to do next."""
    skill: Skill | None = None
    edit: tuple[Insertion, ...] = ()

    @property
    def folder(self) -> Path:
        """Where the table stands."""
        return HOSTS / self.host

    def content(self, path: str) -> bytes:
        """What is written to a path of the checkout."""
        return (self.folder / "dropin" / path).read_bytes()

    def skill_files(self) -> dict[Path, bytes]:
        """The files of the skill, by the paths they are written to."""
        if self.skill is None:
            return {}
        source, target = self.folder / self.skill.source, Path(self.skill.target).expanduser()
        found = [path for path in sorted(source.rglob("*")) if path.is_file()]
        return {target / path.relative_to(source): path.read_bytes() for path in found}


def known() -> list[str]:
    """The hosts there is a drop-in for."""
    return sorted(path.parent.name for path in HOSTS.glob(f"*/{TABLE}"))


def drop_in(name: str) -> DropIn:
    """The table of a host."""
    if name not in known():
        raise InvalidQuery(f"there is no drop-in for {name!r}; there are some for {', '.join(known())}")
    try:
        return DropIn.model_validate(tomllib.loads((HOSTS / name / TABLE).read_text(encoding="utf-8")))
    except (ValueError, ValidationError) as error:
        raise Misconfigured(f"the table of {name} is damaged: {error}") from None
