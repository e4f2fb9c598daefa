"""Whatever we import is ours to declare, even if it arrives with something else."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions

from packaging.requirements import Requirement
from packaging.version import Version

from tests.support.own_files import SOURCE, own_files

OFFERED = {"mcp", "server", "browser", "pdf", "redis", "keyring", "robots", "parquet", "socks", "otel", "testing"}
"""The extras whose lowest versions are installed together."""
PROJECT = tomllib.loads((SOURCE.parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def named(requirements: list[str]) -> set[str]:
    """The packages that requirements name, spelt as the index spells them."""
    return {re.split(r"[^\w.-]", requirement)[0].lower().replace("_", "-") for requirement in requirements}


def foreign_modules() -> dict[str, str]:
    """Every package of others that a file of ours imports, with one such file."""
    found: dict[str, str] = {}
    for path in own_files():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            modules += [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
            found |= {module.split(".")[0]: str(path.relative_to(SOURCE)) for module in modules}
    return {name: file for name, file in found.items() if name not in {*sys.stdlib_module_names, "seekread"}}


def test_every_package_we_import_is_declared() -> None:
    extras = {
        name: named(packages)
        for name, packages in PROJECT["optional-dependencies"].items()
        if name not in {"tests", "dev"}
    }
    declared = named(PROJECT["dependencies"]).union(*extras.values())
    homes = packages_distributions()
    wrong = {
        f"{module} in {file}"
        for module, file in foreign_modules().items()
        if not {home.lower().replace("_", "-") for home in homes.get(module, [module])} & declared
    }
    assert not wrong


def test_the_lowest_versions_are_those_that_are_tried() -> None:
    """`make lowest` installs `requirements/lowest.txt`; a floor below it would be a claim that nobody proves."""
    lock = (SOURCE.parents[1] / "requirements" / "lowest.txt").read_text(encoding="utf-8")
    tried = {
        name: Version(version) for name, version in reversed(re.findall(r"^([\w.-]+)==([\w.]+)", lock, re.MULTILINE))
    }
    offered = [line for name, lines in PROJECT["optional-dependencies"].items() if name in OFFERED for line in lines]
    wanted = [Requirement(line) for line in (*PROJECT["dependencies"], *offered)]
    floors = {one.name: Version(bound.version) for one in wanted for bound in one.specifier if bound.operator == ">="}
    assert {one.name for one in wanted} == floors.keys()
    assert {name: floor for name, floor in floors.items() if tried[name] != floor} == {}
