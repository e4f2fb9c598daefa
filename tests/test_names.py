"""Every name stands for one thing: a newcomer who meets a class twice meets the same class."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from tests.support.own_files import SOURCE, own_files

CONTRACT_NAMES = {
    ("basirah", "WebSearchTool"): "S1-36: the class the host makes",
    ("squidbot", "WebSearchTool"): "S0-7: the class the host registers",
    ("squidbot", "WebSearchConfig"): "S0-15: the host's class for these settings",
    ("squidbot", "ToolDefinition"): "what `to_definition` returns, as with the host's own tools",
    ("squidbot", "ToolResult"): "S0-6: what the host's tools return",
    ("term2", "ToolDefinition"): "S2-36: the type that create_web_search_tool_definition returns",
    ("yodoca", "ReadProvider"): "S3-5, S3-18: a protocol the extension exports",
    ("yodoca", "SearchProvider"): "S3-4, S3-18: a protocol the extension exports",
}
"""Host package and name → the contract that wants a class exported under that name; inside it has one of its own."""


def is_type_name(name: str) -> bool:
    """Whether a name is written like a class; one in capitals throughout is a constant or a type variable."""
    bare = name.lstrip("_")
    return bare[:1].isupper() and not bare.isupper()


def second_names(path: Path) -> Iterator[tuple[str, str, str]]:
    """What a module imports under another name that is written like a class: the module, the name and the other."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if alias.asname and alias.asname != alias.name and is_type_name(alias.asname):
                    yield node.module or "", alias.name, alias.asname


def types_in(path: Path) -> Iterator[tuple[str, str]]:
    """The classes and capitalised aliases a module brings in, each with what it stands for."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        here = f"{path.relative_to(SOURCE)}:{getattr(node, 'lineno', 0)}"
        match node:
            case ast.ClassDef(name=name):
                yield name, here
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                if node in tree.body and is_type_name(name):
                    yield name, here
    for module, name, other in second_names(path):
        if (path.parent.name, other) not in CONTRACT_NAMES:
            yield other, f"{module}.{name}"


def test_a_class_name_stands_for_one_thing() -> None:
    meanings: dict[str, set[str]] = defaultdict(set)
    for path in own_files():
        for name, meaning in types_in(path):
            meanings[name].add(meaning)
    assert {name: sorted(several) for name, several in meanings.items() if len(several) > 1} == {}


def test_only_a_contract_gives_a_class_of_ours_a_second_name() -> None:
    found = {
        (path.parent.name, other)
        for path in own_files()
        for module, _, other in second_names(path)
        if module.startswith("seekread.")
    }
    assert found == set(CONTRACT_NAMES)


def test_no_two_files_of_a_room_differ_only_in_their_last_letter() -> None:
    """`document.py` beside `documents.py` is a name that was not found yet."""
    names = defaultdict(list)
    for path in own_files():
        names[path.parent, path.stem.rstrip("s")].append(path.name)
    assert not [twins for twins in names.values() if len(twins) > 1]
