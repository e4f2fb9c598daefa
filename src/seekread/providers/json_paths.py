"""Places inside the JSON of a reply; written as text they have dots: `data.items`."""

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


def value_at(data: Any, path: str) -> Any:
    """What stands at a place, `None` if nothing does; a number means a place in a list."""
    for name in filter(None, path.split(".")):
        match data:
            case {**members}:
                data = members.get(name)
            case [*items] if name.isdecimal() and int(name) < len(items):
                data = items[int(name)]
            case _:
                return None
    return data


def text_at(data: Any, path: str) -> str:
    """The text at a place; several texts are one after another, and nothing is no text."""
    found = value_at(data, path) if path else None
    parts = found if isinstance(found, list) else [found]
    return " ".join(str(part) for part in parts if part is not None)
