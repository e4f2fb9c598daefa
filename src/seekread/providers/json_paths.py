"""Places inside the JSON of a reply."""

from typing import Any


def rows_at(data: Any, *path: str) -> list[Any]:
    """The list of rows at a place; whatever else stands there is a bad reply, never "nothing found"."""
    for name in path:
        match data:
            case {**members} if name in members:
                data = members[name]
            case _:
                raise ValueError(f"no {'.'.join(path)}")
    if not isinstance(data, list):
        raise TypeError(f"{'.'.join(path)} is no list of results")
    return data
