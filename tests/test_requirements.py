"""
Every numbered requirement of the four contracts is proven by a test that says so.

A test says so with the marker `proves`; a number in a docstring only tells what a test is about.
What no test proves yet stands in `UNPROVEN` with the reason, and that list may only become shorter.
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

UNPROVEN = {
    # Proven in part, or for some of the ways in.
    "S0-13": "tests see a function handed in, not the call of the library itself",
    "S0-20": "with the real library nothing found by DuckDuckGo is an error",
    "S1-14": "any setting is taken from .env, not the key alone",
    "S1-30": "the adapter has no ledger, so a limit is known from the reply only",
    "S1-52": "_execute_with_retry is a coroutine with other arguments; api_key, base_url and session cannot be set",
    "S2-2": "the TypeScript provider does not register itself",
    "S2-22": "odd items: a query of null, call ids under other names, a list as output, the status of a failure",
    "S2-28": "understood by the Python tool and --config, not by the command line alone",
    "S2-35": "the TypeScript provider says no more than `fetch failed`",
    "S2-40": "the Serper of the page never asks Serper; the TypeScript steps are only named",
    "X-3": "DuckDuckGo, as S0-20",
    "X-11": "the TypeScript provider can be made to show a forged result",
    "X-22": ".env, as S1-14",
    # Named by words or by a weak test.
    "S0-9": "words of the guide",
    "S0-21": "no test looks at the dependencies",
    "S0-28": "words of the guide",
    "S1-37": "words of the guide",
    "S1-49": "a text compared with itself",
    "S1-50": "a text",
    "S1-51": "a tool that always highlights would pass",
    "S1-56": "words of the guide",
    "S2-14": "Tavily is registered first, so nobody would miss isDefault",
    "S2-23": "words of the guide",
    "S2-24": "words of the guide",
    "S2-31": "half of it is a checklist",
    "S2-38": "keys without a known shape are not tried in the log",
    "S2-39": "words of the guide",
    "X-26": "one flag",
    # Wrong.
    "S0-7": "the host's type checker does not take the tool for a ToolPort; the test brings a port of its own",
    "S0-22": "a mock of asyncio.to_thread is ignored",
    "S0-23": "tests of the host fail after its guide was followed",
    "S2-34": "the tool passes on whatever a provider returns",
    "S2-37": "what the guide says about registration does not register",
    "S2-41": "neither count nor content is limited in the tool",
    "X-29": "a reply that is a bare mock of requests is an unexpected exception",
}
MOST = 35
"""How many may stand in `UNPROVEN`. Lower it when one leaves; nothing ever raises it."""

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


def test_every_requirement_is_proven_or_known_not_to_be() -> None:
    assert not in_order(NUMBERS - proofs().keys() - UNPROVEN.keys())


def test_nothing_is_called_unproven_that_a_test_proves() -> None:
    assert not {number: proofs()[number] for number in in_order(UNPROVEN.keys() & proofs().keys())}


def test_the_list_of_what_is_not_proven_only_becomes_shorter() -> None:
    assert UNPROVEN.keys() <= NUMBERS
    assert len(UNPROVEN) <= MOST


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
