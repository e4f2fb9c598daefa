"""`seekread config`: what is set, from where, and nothing that must stay secret."""

import json
from pathlib import Path

import pytest
from click.shell_completion import BashComplete
from click.testing import CliRunner, Result

from seekread.cli.app import app
from seekread.cli.config import masked_value


def config(*arguments: str, before: tuple[str, ...] = (), environ: dict[str, str] | None = None) -> Result:
    return CliRunner().invoke(app, [*before, "config", *arguments], env=environ, catch_exceptions=False)


ADDRESSES = {
    "SEEKREAD_STORE": "redis://default:hunter2@127.0.0.1:6379/0",
    "SEEKREAD_SERVICE_PROXY": "http://me:hunter2@proxy.example:3128",
    "SEEKREAD_PAGE_PROXY": "socks5://me:hunter2@proxy.example:1080",
    "SEARXNG_URL": "https://me:hunter2@searx.example/",
    "DDGS_PROXY": "http://me:hunter2@proxy.example:3128",
}


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_passwords_inside_addresses_are_masked(options: tuple[str, ...]) -> None:
    done = config("show", *options, environ=ADDRESSES)
    assert done.exit_code == 0
    assert "hunter2" not in done.output
    assert "redis://***@127.0.0.1:6379/0" in done.output
    assert "https://***@searx.example/" in done.output


@pytest.mark.parametrize(
    ("value", "seen"),
    [
        ("http://me:a/b@c@host:1/x", "http://***@host:1/x"),
        ("redis://token@host", "redis://***@host"),
        ("me:pw@host:3128", "***@host:3128"),
        ("http://host/?api_key=abcdefgh", "http://host/?api_key=***"),
        ("/var/lib/seekread/state.sqlite", "/var/lib/seekread/state.sqlite"),
        (("http://me:pw@host", "plain"), ["http://***@host", "plain"]),
        ({"brave": "free"}, {"brave": "free"}),
        (5, 5),
    ],
)
def test_values_are_shown_without_their_secrets(value: object, seen: object) -> None:
    assert masked_value(value) == seen


def test_the_path_is_that_of_the_file_in_use(tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text("[search]\nlimit = 3\n")
    assert f"settings  {mine}" in config("path", before=("--config", str(mine))).output
    assert "config.toml" in config("path").output


def test_every_setting_is_explained() -> None:
    text = config("explain").output
    assert "SEEKREAD_LIMIT" in text
    assert "the last provider that could answer" in text


def file_of(folder: Path) -> Path:
    return folder / "mine.toml"


def changing(folder: Path, *arguments: str, typed: str | None = None) -> Result:
    before = ["--config", str(file_of(folder))]
    file_of(folder).touch()
    return CliRunner().invoke(app, [*before, "config", *arguments], input=typed)


def test_a_setting_is_written_and_taken_out_again(tmp_path: Path) -> None:
    assert changing(tmp_path, "set", "limit", "8").exit_code == 0
    assert changing(tmp_path, "set", "search.keyless", "exa", "parallel").exit_code == 0
    assert file_of(tmp_path).read_text() == '[search]\nlimit = 8\nkeyless = ["exa", "parallel"]\n'
    assert file_of(tmp_path).stat().st_mode & 0o777 == 0o600
    assert changing(tmp_path, "unset", "limit").exit_code == 0
    assert "limit" not in file_of(tmp_path).read_text()


def test_a_key_is_read_unseen_and_never_shown(tmp_path: Path) -> None:
    done = changing(tmp_path, "set", "providers.brave.api_key", typed="brave-0123456789\n")
    assert done.exit_code == 0
    assert "0123456789" not in done.output
    assert 'api_key = "brave-0123456789"' in file_of(tmp_path).read_text()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("limt", "3"), "did you mean 'limit'?"),
        (("read.limit", "3"), "no setting 'read.limit'"),
        (("limit", "0"), "greater than or equal to 1"),
        (("limit", "many"), "valid integer"),
        (("providers.brav.api_key", "x"), "did you mean 'brave'?"),
        (("providers.brave.key", "x"), "it has api_key"),
        (("search.providers", "brvae"), "providers names 'brvae', which is no provider; did you mean 'brave'?"),
        (("fallback", "brvae"), "fallback names 'brvae'"),
        (("keyless", "brave"), "keyless names 'brave'"),
        (("limit",), "which value should limit have"),
    ],
    ids=" ".join,
)
def test_what_makes_no_sense_is_said_and_not_written(tmp_path: Path, arguments: tuple[str, ...], words: str) -> None:
    done = changing(tmp_path, "set", *arguments)
    assert words in (str(done.exception) + done.output)
    assert file_of(tmp_path).read_text() == ""


def test_whoever_sets_what_the_environment_sets_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEEKREAD_LIMIT", "3")
    assert "environment SEEKREAD_LIMIT is set and wins" in changing(tmp_path, "set", "limit", "8").output


def test_the_schema_knows_every_setting_and_no_key_by_value() -> None:
    schema = json.loads(config("schema").stdout)
    assert {"search", "read", "providers"} <= schema["properties"].keys()
    brave = schema["properties"]["providers"]["properties"]["brave"]["properties"]
    assert {"api_key", "api_keys", "base_url"} <= brave.keys()


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["search", "-p", "bra"], ["brave"]),
        (["open", "--reader", "way"], ["wayback"]),
        (["crawl", "--reader", "way"], ["wayback"]),
        (["setup", "--engine", "wiki"], []),
        (["setup", "--engine", "sear"], ["searchapi", "searxng"]),
        (["setup", "--keyless", "ex"], ["exa"]),
        (["setup", "--client", "clau"], ["claude-code", "claude-desktop"]),
        (["config", "set", "search.fall"], ["search.fallback"]),
        (["config", "unset", "providers.brave.a"], ["providers.brave.api_key"]),
    ],
)
def test_names_are_completed(words: list[str], found: list[str]) -> None:
    *before, begun = words
    completions = BashComplete(app, {}, "seekread", "_SEEKREAD_COMPLETE").get_completions(before, begun)
    assert [completion.value for completion in completions] == found


@pytest.mark.process
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_can_complete(shell: str) -> None:
    assert "_SEEKREAD_COMPLETE" in CliRunner().invoke(app, ["completion", shell]).stdout
