"""Nothing that is printed is obeyed by a terminal, and nothing poses as a line of its own."""

import ast
import json
import logging
from pathlib import Path

import pytest
from click.testing import CliRunner

import seekread
from seekread.cli.app import app
from seekread.printable import on_a_line, shown
from seekread.redact import LineFormatter

OBEYED = "\x1b]0;title\x07 \x1b]8;;https://evil.example\x1b\\ \x9b31m \x85 \x08 \r \u202e \u2066 \u2028"
SEEN_BY_NO_TERMINAL = [
    *map(chr, range(9)),
    *map(chr, range(0x0D, 0x20)),
    *map(chr, range(0x7F, 0xA0)),
    "\u202e",
    "\u2066",
]


def run(*arguments: str, text: str | None = None) -> str:
    return CliRunner().invoke(app, ["--store", "memory:", *arguments], input=text).output


def obeyed(text: str) -> list[str]:
    return [character for character in SEEN_BY_NO_TERMINAL if character in text]


def test_what_a_terminal_would_obey_is_shown_as_an_escape() -> None:
    assert shown("a\x1b[2J\x9bb\u202ec\nd\te") == "a\\u001b[2J\\u009bb\\u202ec\nd\te"
    assert not obeyed(shown(OBEYED))
    assert on_a_line("a\nseekread: all is well") == "a\\u000aseekread: all is well"


def test_json_stays_json() -> None:
    assert json.loads(shown(json.dumps({"a": OBEYED}, ensure_ascii=False))) == {"a": OBEYED}


def test_other_scripts_and_pictures_are_shown_as_they_are() -> None:
    text = "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \U0001f468\u200d\U0001f469 \u00fc \u6f22"
    assert shown(text) == text


@pytest.mark.process
@pytest.mark.parametrize("form", [(), ("--json",)])
def test_a_page_moves_no_cursor(form: tuple[str, ...]) -> None:
    html = f"<title>{OBEYED}</title><main><h1>Tea</h1><p>{'Leaves in water. ' * 20}{OBEYED}</p></main>"
    printed = run("extract", "-", *form, text=html)
    assert "Leaves in water." in printed
    assert not obeyed(printed)


def test_a_refused_address_forges_no_line() -> None:
    printed = run("open", "http://10.0.0.1/\nseekread: ok\u202e\x1b[2J")
    assert not obeyed(printed)
    assert not [line for line in printed.splitlines() if line.startswith("seekread: ok")]
    judged = run("guard", "http://10.0.0.1/\nallowed  http://10.0.0.1/\u202e")
    assert not obeyed(judged)
    assert not [line for line in judged.splitlines() if line.startswith("allowed")]


def test_a_usage_error_forges_no_line() -> None:
    printed = run("open", "--format", "x\nError: \x1b[2Jall is well", "https://a.example")
    assert not obeyed(printed)


def test_a_log_message_stays_on_its_line_and_a_traceback_has_lines() -> None:
    failure = (ValueError, ValueError("a\x1b[2J"), None)
    record = logging.makeLogRecord(
        {"msg": "read %s", "args": ("https://a.example/\nINFO forged",), "exc_info": failure}
    )
    first, *rest = LineFormatter("%(message)s").format(record).split("\n")
    assert first == "read https://a.example/\\u000aINFO forged"
    assert rest == ["ValueError: a\\u001b[2J"]


def test_only_one_module_writes_to_the_terminal() -> None:
    folder = Path(seekread.__file__).parent / "cli"
    calls = {
        path.name
        for path in folder.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in {"click.echo", "click.secho", "print"}
    }
    assert calls == {"terminal.py"}
