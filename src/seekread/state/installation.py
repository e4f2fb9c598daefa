"""A random name of this installation, by which services count those without a key. It says nothing about anybody."""

from pathlib import Path
from uuid import UUID, uuid4

from seekread.platforms import private_file, private_folder


def installation_name(folder: Path) -> str:
    """The name that is kept in the state folder, made when it is first wanted; a new one where none can be kept."""
    path = folder / "installation"
    try:
        return UUID(path.read_text(encoding="ascii").strip()).hex
    except (OSError, ValueError):
        name = uuid4().hex
    try:
        private_folder(folder)
        private_file(path)
        path.write_text(name, encoding="ascii")
    except OSError:
        return name
    return name
