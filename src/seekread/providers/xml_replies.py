"""Replies in XML, read without resolving an entity or loading anything."""

from typing import Any

from seekread.provider import Reply


def xml_of(reply: Reply) -> Any:
    """The root of a reply; what is no XML, or brings entities of its own, is a bad reply."""
    from seekread.xml_tree import has_entities, parse_xml

    root = parse_xml(reply.body)
    if root is None:
        raise ValueError("no XML")
    if has_entities(root):
        raise ValueError("it brings entities of its own")
    return root


def words_of(element: Any, path: str, names: dict[str, str] | None = None) -> str:
    """The text at a place, on one line; empty where there is none."""
    found = element.find(path, names)
    return " ".join("".join(found.itertext()).split()) if found is not None else ""
