"""Keys of values that belong to one of several callers."""


def apart(owner: str) -> str:
    """What keeps the keys of an owner apart from those of others; nobody in particular has the plain ones."""
    return f"{owner}/" if owner else ""
