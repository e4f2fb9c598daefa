"""`seekread config`: what is set, from where, and nothing that must stay secret."""

from pathlib import Path

import pytest
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
