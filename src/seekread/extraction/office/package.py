"""
A package: a zip file with XML parts that point to each other, as Word, PowerPoint, Excel and EPUB make them.

Only parts that are asked for are unpacked, each within a bound and all together within another, whatever sizes the
archive claims. Archives inside are not opened, no relationship to the outside is followed, and macros are never run.
"""

import io
import posixpath
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import field
from functools import cached_property
from typing import IO

from seekread.errors import Unreadable
from seekread.late import dataclass
from seekread.xml_tree import XmlElement, has_doctype, local_name, parse_xml

MOST_ENTRIES = 10_000
"""Parts of one package; a book of a thousand chapters with a picture each has two thousand."""
MOST_OF_A_PART = 16_000_000
"""Bytes of a part that becomes a tree, which takes some twenty times as much."""
MOST_IN_ALL = 64_000_000
"""Bytes that are unpacked of one package."""
ENCRYPTED = 0x1
BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError, OverflowError, OSError)
MACROS = ("vbaproject.bin", "vbadata.xml", "macrosheets/")
LINKS_OUT = frozenset({"hyperlink"})
"""Kinds of relationships to the outside that a person follows by clicking; all others are loaded by the program."""


@dataclass(frozen=True)
class Relationship:
    """Where a part points to: what for, and the part or the address."""

    kind: str
    target: str
    external: bool


@dataclass
class Package:
    """An open package, and how much of it was unpacked."""

    archive: zipfile.ZipFile
    left: int = MOST_IN_ALL
    outside: int = 0
    """Relationships to the outside that a program would have loaded."""
    _names: dict[str, str] = field(default_factory=dict)

    @classmethod
    def open(cls, body: bytes) -> "Package":
        """The package in these bytes."""
        if body.count(b"PK\x01\x02") > MOST_ENTRIES:
            raise Unreadable("too_large", f"the file is an archive of more than {MOST_ENTRIES:,} parts")
        try:
            archive = zipfile.ZipFile(io.BytesIO(body))
        except BROKEN:
            raise damaged() from None
        return cls(archive, _names={name.replace("\\", "/").lower(): name for name in archive.namelist()})

    def __contains__(self, name: str) -> bool:
        return name.lower() in self._names

    @property
    def names(self) -> Iterator[str]:
        """The names of all parts, in lower case."""
        return iter(self._names)

    @property
    def has_macros(self) -> bool:
        """Whether the package carries programs."""
        return any(part in name for name in self._names for part in MACROS)

    def stream(self, name: str) -> "BoundedPart":
        """A part to be read bit by bit, at most as much as is left."""
        try:
            entry = self.archive.getinfo(self._names[name.lower()])
            if entry.flag_bits & ENCRYPTED:
                raise Unreadable("paywalled", "the file is protected with a password")
            if entry.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
                raise damaged()
            return BoundedPart(self, self.archive.open(entry))
        except KeyError:
            raise damaged() from None
        except BROKEN:
            raise damaged() from None

    def read(self, name: str, most: int = MOST_OF_A_PART) -> bytes:
        """A whole part."""
        with self.stream(name) as stream:
            body = stream.read(most + 1)
        if len(body) > most:
            raise too_much(most)
        return body

    def tree(self, name: str) -> XmlElement:
        """A part as a tree whose names have lost their namespaces."""
        root = parse_xml(self.read(name))
        # No office program writes a document type; whoever does wants its entities read.
        if root is None or has_doctype(root):
            raise damaged()
        return plain_names(root)

    def tree_if_any(self, name: str | None) -> XmlElement | None:
        """A part as a tree, where the package has it."""
        return self.tree(name) if name and name in self else None

    def relationships(self, part: str) -> dict[str, Relationship]:
        """Where a part points to, by the id it uses; an empty name stands for the package itself."""
        folder, name = posixpath.split(part)
        root = self.tree_if_any(posixpath.join(folder, "_rels", f"{name}.rels"))
        found: dict[str, Relationship] = {}
        for element in root if root is not None else ():
            external = element.get("TargetMode") == "External"
            kind = (element.get("Type") or "").rpartition("/")[2]
            target = element.get("Target") or ""
            self.outside += external and kind not in LINKS_OUT
            found[element.get("Id") or ""] = Relationship(
                kind, target if external else within(folder, target), external
            )
        return found

    @cached_property
    def main_part(self) -> str:
        """The part that everything begins with, or an empty string."""
        found = self.relationships("").values()
        return next((one.target for one in found if one.kind == "officeDocument" and not one.external), "")

    @cached_property
    def main(self) -> XmlElement:
        """The main part as a tree."""
        return self.tree(self.main_part)

    def about(self) -> dict[str, str]:
        """What the package says about itself."""
        part = next((one.target for one in self.relationships("").values() if one.kind == "core-properties"), None)
        root = self.tree_if_any(part)
        said = {
            local_name(element.tag): " ".join((element.text or "").split())[:500]
            for element in ([] if root is None else root)
        }
        names = {"title": "title", "creator": "author", "description": "description", "language": "language"}
        dates = {"created": "created", "modified": "modified"}
        return {name: said[key] for key, name in {**names, **dates}.items() if said.get(key)}


class BoundedPart(io.RawIOBase):
    """A part while it is unpacked: it ends with an error when its package has unpacked too much."""

    def __init__(self, package: Package, source: IO[bytes]) -> None:
        self.package = package
        self.source = source

    def read(self, size: int = -1) -> bytes:
        wanted = self.package.left + 1 if size < 0 else min(size, self.package.left + 1)
        try:
            part = self.source.read(wanted)
        except BROKEN:
            raise damaged() from None
        self.package.left -= len(part)
        if self.package.left < 0:
            raise too_much(MOST_IN_ALL)
        return part

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self.source.close()
        super().close()


def plain_names(root: XmlElement) -> XmlElement:
    """A tree with local names; what points to a relationship is written `rel-id`, and one of two versions stays."""
    for element in list(root.iter("*")):
        element.tag = local_name(element.tag)
        for key, value in element.attrib.items():
            if "}" in key:
                prefix = "rel-" if "/relationships}" in key else ""
                del element.attrib[key]
                element.set(f"{prefix}{local_name(key)}", value)
    for choice in list(root.iter("AlternateContent")):
        for fallback in choice.findall("Fallback") if choice.find("Choice") is not None else ():
            choice.remove(fallback)
    return root


def within(folder: str, target: str) -> str:
    """The name of a part that another part in a folder names."""
    path = target if target.startswith("/") else posixpath.join("/", folder, target)
    return posixpath.normpath(path).lstrip("/")


def damaged() -> Unreadable:
    """The refusal of a file that is not what it seems."""
    return Unreadable("bad_reply", "the file is damaged and cannot be opened")


def too_much(most: int) -> Unreadable:
    """The refusal of a file that unfolds."""
    return Unreadable("too_large", f"the file unpacks to more than {most // 1_000_000} MB")
