"""Replies in XML, read without resolving an entity or loading anything."""

from typing import Any

from seekread.provider import Reply


def xml_of(reply: Reply) -> Any:
    """The root of a reply; what is no XML, or brings entities of its own, is a bad reply."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(reply.body, parser)
    except etree.XMLSyntaxError as error:
        raise ValueError(f"no XML: {error}") from None
    declared: Any = root.getroottree().docinfo.internalDTD
    if declared is not None and declared.entities():
        raise ValueError("it brings entities of its own")
    return root


def words_of(element: Any, path: str, names: dict[str, str] | None = None) -> str:
    """The text at a place, on one line; empty where there is none."""
    found = element.find(path, names)
    return " ".join("".join(found.itertext()).split()) if found is not None else ""
