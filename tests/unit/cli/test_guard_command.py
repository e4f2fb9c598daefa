"""`seekread guard`: verdicts on stdout, an exit code, JSON lines in and out. Nothing is looked up for real here."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from seekread.cli.app import app
from seekread.http import selftest

PUBLIC = "93.184.215.14"


def run(*arguments: str, given: str = "") -> Result:
    return CliRunner().invoke(app, ["guard", *arguments], input=given, catch_exceptions=False)


def ask(*questions: dict[str, Any]) -> tuple[int, list[dict[str, Any]]]:
    result = run("--json", "-", given="\n".join(json.dumps(question) for question in questions))
    return result.exit_code, [json.loads(line) for line in result.stdout.splitlines()]


def test_an_allowed_address_ends_with_0_and_tells_every_step() -> None:
    result = run("https://1.1.1.1/")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[0] == "allowed  https://1.1.1.1/"
    for step in ("parse", "domains", "name", "address", "port", "answers"):
        assert f"pass  {step}" in result.stdout


def test_a_refused_url_ends_with_6_and_names_the_setting() -> None:
    result = run("http://10.0.0.1/")
    assert result.exit_code == 6
    assert "stop  address  private_address: " in result.stdout
    assert '"10.0.0.1:80" to allow_private' in result.stdout


def test_one_refused_url_among_several_decides_the_exit_code() -> None:
    result = run("https://1.1.1.1/", "http://127.1/", "https://8.8.8.8/")
    assert result.exit_code == 6
    assert result.stdout.count("allowed  ") == 2


def test_an_entry_can_be_tried_before_it_is_written_into_the_settings() -> None:
    assert run("http://10.0.0.1:3000/", "--allow-private", "10.0.0.1:3000").exit_code == 0
    assert run("http://10.0.0.2:3000/", "--allow-private", "10.0.0.1:3000").exit_code == 6
    result = run("http://10.0.0.1/", "--allow-private", "nonsense")
    assert result.exit_code == 2
    assert "allow_private" in result.stderr


def test_the_settings_decide(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """S3-24: the operator's lists are those of the settings."""
    monkeypatch.setenv("SEEKREAD_ALLOW_PRIVATE", "10.0.0.0/8")
    monkeypatch.setenv("SEEKREAD_BLOCKED_DOMAINS", "8.8.8.8")
    monkeypatch.setenv("SEEKREAD_ALLOWED_PORTS", "80,9999")
    assert run("http://10.0.0.1:3000/").exit_code == 0
    assert "domain_blocked" in run("http://8.8.8.8/").stdout
    assert run("http://1.1.1.1:9999/").exit_code == 0
    assert "port_not_allowed" in run("https://1.1.1.1/").stdout


@pytest.mark.parametrize("arguments", [(), ("--self-test", "https://1.1.1.1/")])
def test_neither_or_both_of_urls_and_self_test_is_a_usage_error(arguments: tuple[str, ...]) -> None:
    assert run(*arguments).exit_code == 2


def test_plain_lines_are_read_from_standard_input() -> None:
    result = run("-", given="https://1.1.1.1/\n\nhttp://127.0.0.1/\r\n")
    assert result.exit_code == 6
    assert [line for line in result.stdout.splitlines() if not line.startswith(" ")] == [
        "allowed  https://1.1.1.1/",
        "refused  http://127.0.0.1/",
    ]


def test_json_lines_carry_answers_redirects_and_an_id() -> None:
    code, verdicts = ask(
        {"id": 1, "url": "https://a.example.org/", "dns": {"a.example.org": [PUBLIC]}},
        {"id": 2, "url": "https://a.example.org/", "dns": {"a.example.org": [PUBLIC, "10.1.2.3"]}},
        {"id": 3, "url": "https://a.example.org/", "dns": {"a.example.org": [PUBLIC]}, "redirect": ["//127.0.0.1/"]},
        {"id": 4, "url": "https://a.example.org/", "dns": {"a.example.org": []}},
    )
    assert code == 6
    assert [(verdict["id"], verdict["allowed"], verdict["code"]) for verdict in verdicts] == [
        (1, True, ""),
        (2, False, "private_answer"),
        (3, False, "private_address"),
        (4, False, "no_answer"),
    ]
    assert verdicts[2]["steps"][-1]["name"] == "redirect 1: address"
    assert "10.1.2.3" not in json.dumps(verdicts)


def test_the_sixth_redirect_is_one_too_many() -> None:
    asked = {"url": "https://a.example.org/", "dns": {"a.example.org": [PUBLIC]}}
    _, verdicts = ask({**asked, "redirect": ["/b"] * 5}, {**asked, "redirect": ["/b"] * 6})
    assert [verdict["code"] for verdict in verdicts] == ["", "too_many_redirects"]


def test_a_name_without_given_answers_is_looked_up() -> None:
    result = run("--json", "http://localhost:80/", "--allow-private", "localhost:80")
    assert json.loads(result.stdout)["verdict"] == "allowed"


@pytest.mark.parametrize(
    "line", ['{"url": 1}', "{}", '{"url": "x", "dns": []}', '{"url": "x", "redirect": {}}', "{broken"]
)
def test_a_malformed_line_is_a_usage_error_that_names_it(line: str) -> None:
    result = run("--json", "-", given=f"https://1.1.1.1/\n{line}\n")
    assert result.exit_code == 2
    assert "Line 2" in result.stderr


@pytest.mark.proves("S3-30")
def test_the_self_test_passes_and_counts() -> None:
    """The built-in cases against a canary on loopback, through the transport and through the proxy."""
    result = run("--self-test", "--json")
    report = json.loads(result.stdout)
    assert result.exit_code == 0
    assert report["passed"] is True
    assert (report["connections"], report["wrong"]) == (0, [])
    assert report["refused"] + report["skipped"] == len(selftest.REFUSED) + len(selftest.ATTACKS)
    assert report["refused_by_proxy"] == len(selftest.REFUSED)
    assert report["allowed"] == len(selftest.ALLOWED)


def test_the_self_test_is_told_in_words_too() -> None:
    result = run("--self-test")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[-1] == "passed"
    assert "connections to the canary    0" in result.stdout


def test_the_self_test_fails_when_the_guard_lets_loopback_through(monkeypatch: pytest.MonkeyPatch) -> None:
    """The self-test itself must be able to fail: with a table that forgot loopback, the canary is reached."""
    honest = selftest.stand_in_is_public
    monkeypatch.setattr(
        selftest, "stand_in_is_public", lambda address: None if address == selftest.CANARY else honest(address)
    )
    result = run("--self-test")
    assert result.exit_code == 1
    assert "fetched: http://127.0.0.1:" in result.stdout
    assert result.stdout.splitlines()[-1] == "FAILED"


def test_a_url_cannot_send_commands_to_the_terminal_or_break_the_output() -> None:
    nasty = "http://a\x1b[2J\ud800\u202e.example.org/"
    assert run("-", given=json.dumps({"url": nasty})).stdout.startswith(
        "refused  http://a\\u001b[2J\\ud800\\u202e.example.org/\n"
    )
    code, verdicts = ask({"url": nasty})
    assert (code, verdicts[0]["url"], verdicts[0]["code"]) == (6, nasty, "bad_character")
