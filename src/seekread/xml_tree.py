"""XML from strangers as a tree: no entity is resolved, no file and no address is loaded, libxml2's limits stay on."""

from typing import Any

from lxml import etree

XmlElement = etree._Element  # noqa: SLF001 the class has no other name


def parse_xml(body: bytes, *, recover: bool = False) -> XmlElement | None:
    """The root element, or `None` where there is none; with `recover` of what is broken as much as can be read."""
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, recover=recover, huge_tree=False, remove_pis=True
    )
    try:
        return etree.fromstring(body, parser)
    except (etree.XMLSyntaxError, ValueError):
        return None


def local_name(tag: Any) -> str:
    """The name of an element or an attribute without its namespace; comments and instructions have none."""
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def has_doctype(root: XmlElement) -> bool:
    """Say whether the document declares a type, with which entities come along."""
    about: Any = root.getroottree().docinfo
    return bool(about.doctype)


def has_entities(root: XmlElement) -> bool:
    """Say whether the document declares entities of its own; a type that is declared elsewhere is none."""
    declared: Any = root.getroottree().docinfo.internalDTD
    return declared is not None and bool(declared.entities())
