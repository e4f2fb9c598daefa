"""`seekread open` at a terminal: what a person types, and what a person is told."""

import pytest
from click.testing import CliRunner

from seekread.cli.app import app
from seekread.outcomes import MEANINGS


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["--store", "memory:", *arguments])
    return done.exit_code, done.output


def test_a_bare_domain_is_completed_before_the_guard() -> None:
    """It was refused by policy, with the advice not to get around it (E4)."""
    code, text = run("open", "localhost.localdomain:8443/x")
    assert "https://localhost.localdomain:8443/x" in text
    assert code == MEANINGS["refused"].exit_code


@pytest.mark.parametrize("typed", ["file:///etc/passwd", "/etc/passwd", "ftp://example.org/", "words"])
def test_what_is_no_web_address_is_a_usage_error(typed: str) -> None:
    code, text = run("open", typed)
    assert code == 2
    assert "policy" not in text


@pytest.mark.parametrize(
    "arguments",
    [
        ("open", "http://10.0.0.1/"),
        ("search", "tea", "-p", "brave"),
        ("search", "use tvly-abcdefghijklmnop1234 please"),
    ],
)
def test_nobody_at_a_terminal_is_told_what_to_tell_the_user(arguments: tuple[str, ...]) -> None:
    code, text = run(*arguments)
    assert code != 0
    assert "the user" not in text
