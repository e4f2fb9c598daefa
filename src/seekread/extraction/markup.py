"""
The elements of a page as style sheets see them, made from lexbor's nodes when they are first asked about.

Few elements of a page are ever asked about, and a node costs a microsecond: nothing here walks the whole page unless
a selector does.
"""

import re
from collections.abc import Iterator
from functools import cached_property

from selectolax.lexbor import LexborHTMLParser, LexborNode

PLAIN_TAG = re.compile(r"[a-z][a-z0-9-]*")
NO_NAMES: frozenset[str] = frozenset()


class Box:
    """One element with what selectors ask about it."""

    # There are thousands of boxes: slots, and no cached properties, which take a lock.
    __slots__ = (
        "around_known", "attributes", "children_known", "classes", "identifier", "index_known", "key", "markup",
        "names_known", "node", "parent", "path_known", "tag",
    )  # fmt: skip

    def __init__(self, node: LexborNode, markup: "Markup", parent: "Box | None") -> None:
        self.node = node
        self.markup = markup
        self.parent = parent
        self.key: int = node.mem_id
        self.tag = (node.tag or "").lower()
        self.attributes: dict[str, str | None] = node.attributes
        """All attributes, by name; an empty one is `None`."""
        identifier, names = self.attributes.get("id") or "", self.attributes.get("class") or ""
        if markup.quirks:
            identifier, names = identifier.lower(), names.lower()
        self.identifier = identifier
        self.classes = frozenset(names.split()) if names else NO_NAMES
        self.around_known: frozenset[str] | None = None
        self.names_known: frozenset[str] | None = None
        self.path_known = -1
        self.children_known: list[Box] | None = None
        self.index_known = -1

    @property
    def path(self) -> int:
        """A number that all elements share which have the same names and stand in elements of the same names."""
        if self.path_known < 0:
            missing: list[Box] = []
            box: Box | None = self
            while box is not None and box.path_known < 0:
                missing.append(box)
                box = box.parent
            path = 0 if box is None else box.path_known
            for one in reversed(missing):
                path = one.path_known = self.markup.path(path, one.names)
        return self.path_known

    @property
    def around(self) -> frozenset[str]:
        """The classes (`.name`), ids (`#name`) and tags of the elements around this one."""
        if self.around_known is None:
            missing: list[Box] = []
            box: Box = self
            while box.around_known is None and box.parent is not None:
                missing.append(box)
                box = box.parent
            known = box.around_known or frozenset()
            for one in reversed(missing):
                own = one.parent.names if one.parent is not None else known
                known = known if own <= known else known | own
                one.around_known = known
            self.around_known = known
        return self.around_known

    @property
    def names(self) -> frozenset[str]:
        """The element's own classes, id and tag, written alike."""
        if self.names_known is None:
            found = [f".{name}" for name in self.classes]
            found.append(self.tag)
            if self.identifier:
                found.append(f"#{self.identifier}")
            self.names_known = frozenset(found)
        return self.names_known

    def attribute(self, name: str) -> str:
        """The value of an attribute; an empty text when there is none."""
        return self.attributes.get(name) or ""

    @property
    def children(self) -> list["Box"]:
        """The elements directly inside."""
        if self.children_known is None:
            found, node = [], self.node.child
            while node is not None:
                if node.is_element_node:
                    found.append(self.markup.box_below(node, self))
                node = node.next
            for index, box in enumerate(found):
                box.index_known = index
            self.children_known = found
        return self.children_known

    @property
    def index(self) -> int:
        """The place among the siblings, from 0."""
        if self.index_known < 0:
            self.index_known = 0 if self.parent is None else self.parent.children.index(self)
        return self.index_known

    @property
    def siblings(self) -> list["Box"]:
        """The element and its siblings."""
        return [self] if self.parent is None else self.parent.children

    @property
    def before(self) -> "Box | None":
        return next(self.siblings_before(), None)

    @property
    def after(self) -> "Box | None":
        return next(self.siblings_after(), None)

    def siblings_before(self) -> Iterator["Box"]:
        """The siblings before, the nearest first; boxes are made only for those that are asked for."""
        node = self.node.prev
        while node is not None:
            if node.is_element_node:
                yield self.markup.box_below(node, self.parent)
            node = node.prev

    def siblings_after(self) -> Iterator["Box"]:
        """The siblings after, the nearest first."""
        node = self.node.next
        while node is not None:
            if node.is_element_node:
                yield self.markup.box_below(node, self.parent)
            node = node.next

    @property
    def is_empty(self) -> bool:
        """Say whether the element holds neither elements nor text."""
        node = self.node.child
        while node is not None:
            if node.is_element_node or (node.is_text_node and node.text(deep=False)):
                return False
            node = node.next
        return True

    def ancestors(self) -> Iterator["Box"]:
        """The elements around this one, the nearest first."""
        box = self.parent
        while box is not None:
            yield box
            box = box.parent

    def below(self) -> Iterator["Box"]:
        """The elements inside this one, in document order."""
        waiting = self.children[::-1]
        while waiting:
            box = waiting.pop()
            yield box
            waiting.extend(box.children[::-1])

    def is_inside(self, other: "Box") -> bool:
        return any(box is other for box in self.ancestors())


class GeneratedBox(Box):
    """The box that a browser makes around a part of an element, such as the contents of `details`."""

    def __init__(self, host: Box) -> None:
        super().__init__(host.node, host.markup, host)
        self.key = -host.key
        self.tag = "::part"
        self.attributes, self.identifier, self.classes = {}, "", NO_NAMES


class Markup:
    """The boxes of a document."""

    def __init__(self, document: LexborHTMLParser, *, quirks: bool = False) -> None:
        self.document = document
        self.quirks = quirks
        self.boxes: dict[int, Box] = {}
        self.paths: dict[tuple[int, frozenset[str]], int] = {}
        self.possible: dict[str, bool] = {}
        """Which selectors could match something, as far as it was asked."""

    def fold(self, name: str) -> str:
        """A class or id as it is compared: a page without a doctype does not care about case."""
        return name.lower() if self.quirks else name

    def forget(self) -> None:
        """Let go of the boxes. They hold one another, and would wait for Python to look for cycles, with the page."""
        for box in self.boxes.values():
            box.children_known = None
        self.boxes.clear()

    def path(self, around: int, names: frozenset[str]) -> int:
        return self.paths.setdefault((around, names), len(self.paths) + 1)

    def box(self, node: LexborNode) -> Box:
        """The box of a node, and those of what is around it."""
        known = self.boxes.get(node.mem_id)
        if known is not None:
            return known
        path: list[LexborNode] = []
        current: LexborNode | None = node
        found: Box | None = None
        while current is not None and current.is_element_node:
            found = self.boxes.get(current.mem_id)
            if found is not None:
                break
            path.append(current)
            current = current.parent
        for one in reversed(path):
            found = self.box_below(one, found)
        assert found is not None  # noqa: S101 a node that is asked about is an element
        return found

    def box_below(self, node: LexborNode, parent: Box | None) -> Box:
        key = node.mem_id
        found = self.boxes.get(key)
        if found is None:
            found = self.boxes[key] = Box(node, self, parent)
        return found

    @cached_property
    def by_class(self) -> dict[str, list[LexborNode]]:
        """The elements of each class."""
        found: dict[str, list[LexborNode]] = {}
        # Many elements share one list of classes, which is taken apart once.
        known: dict[str, list[list[LexborNode]]] = {}
        for node in self.document.css("[class]"):
            names = node.attrs.get("class")
            if not names:
                continue
            lists = known.get(names)
            if lists is None:
                folded = names.lower() if self.quirks else names
                lists = known[names] = [found.setdefault(name, []) for name in folded.split()]
            for nodes in lists:
                nodes.append(node)
        return found

    @property
    def knows_classes(self) -> bool:
        """Whether the elements of each class have been looked for."""
        return "by_class" in self.__dict__

    @cached_property
    def by_id(self) -> dict[str, list[LexborNode]]:
        """The elements of each id."""
        found: dict[str, list[LexborNode]] = {}
        for node in self.document.css("[id]"):
            found.setdefault(self.fold(node.id or ""), []).append(node)
        return found

    @cached_property
    def names(self) -> frozenset[str]:
        """All classes (`.name`) and ids (`#name`) of the page."""
        return frozenset([*(f".{name}" for name in self.by_class), *(f"#{name}" for name in self.by_id)])

    def by_tag(self, tag: str) -> list[LexborNode]:
        """The elements of a name, or all of them (`*`)."""
        return self.document.css(tag) if tag == "*" or PLAIN_TAG.fullmatch(tag) else []
