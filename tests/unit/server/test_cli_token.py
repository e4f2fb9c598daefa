"""`seekread token`: a token is shown once, its hash is kept, and it can be taken back."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from seekread.cli.token import token
from seekread.errors import InvalidQuery
from seekread.server.tokens import PREFIX


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))

    def run(*arguments: str) -> Any:
        given: dict[str, Any] = {"settings": {}, "config": None}
        return CliRunner().invoke(token, list(arguments), obj=given, catch_exceptions=False)

    return run


def test_a_token_goes_to_stdout_once_and_never_to_the_list(call: Any) -> None:
    made = call("create", "laptop", "--per-minute", "30", "--daily-dollars", "0.5")
    text = made.stdout.strip()
    assert text.startswith(PREFIX)
    assert "cannot be shown again" in made.stderr
    shown = call("list")
    assert shown.stdout.startswith("laptop")
    assert "per minute 30, daily dollars 0.5" in shown.stdout
    [row] = json.loads(call("list", "--json").stdout)
    assert (row["name"], row["per_minute"]) == ("laptop", 30)
    assert text not in shown.output + json.dumps(row)


def test_a_token_can_be_revoked_once(call: Any) -> None:
    call("create", "laptop")
    assert call("revoke", "laptop").exit_code == 0
    assert "there is no token" in call("list").stderr
    with pytest.raises(InvalidQuery):
        call("revoke", "laptop")
