"""
Every numbered requirement of the four contracts is proven by a test that says so.

A test says so with the marker `proves`; a number in a docstring only tells what a test is about.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

TESTS = Path(__file__).parent
LAST = {"S0": 28, "S1": 56, "S2": 41, "S3": 42, "X": 35}
"""Contract → its last number: squidbot, basirah, term2, yodoca, and how their contradictions are settled."""
NUMBERS = {f"{contract}-{number}" for contract, last in LAST.items() for number in range(1, last + 1)}

SHAPE = re.compile(r"mark\.proves\(([^)]*)\)")
"""The marker as tools outside of Python look for it: on one line, numbers between quotes."""


def is_marker(decorator: ast.expr, name: str) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return ast.unparse(called) == f"pytest.mark.{name}"


def collected(body: list[ast.stmt]) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """The functions that are collected, as the collector chooses them."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test"):
            if not any(is_marker(decorator, "skip") for decorator in node.decorator_list):
                yield node
        elif isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
            yield from collected(node.body)


@cache
def proofs() -> dict[str, list[str]]:
    """Number → the tests that prove it."""
    found: dict[str, list[str]] = {}
    for path in sorted(TESTS.rglob("test_*.py")):
        for test in collected(ast.parse(path.read_text(encoding="utf-8")).body):
            marks = [call for call in test.decorator_list if isinstance(call, ast.Call) and is_marker(call, "proves")]
            for number in (ast.literal_eval(argument) for mark in marks for argument in mark.args):
                found.setdefault(number, []).append(f"{path.relative_to(TESTS)}::{test.name}")
    return found


def in_order(numbers: set[str]) -> list[str]:
    return sorted(numbers, key=lambda number: (number.partition("-")[0], int(number.partition("-")[2])))


def test_every_requirement_is_proven() -> None:
    assert not in_order(NUMBERS - proofs().keys())


def test_only_known_numbers_are_proven() -> None:
    unknown = proofs().keys() - NUMBERS
    assert not {number: proofs()[number] for number in unknown}


def test_every_marker_stands_on_a_test_and_on_one_line() -> None:
    """Whoever reads the files without running them finds the same numbers."""
    for path in TESTS.rglob("*.py"):
        shown = {number for line in path.read_text(encoding="utf-8").splitlines() for number in numbers_in(line)}
        name = f"{path.relative_to(TESTS)}::"
        assert shown == {number for number, tests in proofs().items() if any(test.startswith(name) for test in tests)}


def numbers_in(line: str) -> set[str]:
    return {number for marker in SHAPE.findall(line) for number in re.findall(r'"([^"]+)"', marker)}
