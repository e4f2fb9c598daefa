"""The files of the package that are ours; those of drop-ins are written for their hosts, by the hosts' own rules."""

from pathlib import Path

import seekread

SOURCE = Path(seekread.__file__).parent


def own_files() -> list[Path]:
    """Every module of ours."""
    return sorted(path for path in SOURCE.rglob("*.py") if "dropin" not in path.relative_to(SOURCE).parts)
