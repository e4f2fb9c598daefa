"""`seekread setup` and the system's keyring: a key goes in, is found there, and goes out again."""

import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from seekread.cli.app import app
from seekread.config.sources import load
from seekread.providers.brave import Brave

KEY = "brave-0123456789"


@pytest.fixture
def ring(monkeypatch: pytest.MonkeyPatch) -> dict[tuple[str, str], str]:
    """A keyring in memory."""
    pytest.importorskip("keyring")
    import keyring
    from keyring.backend import KeyringBackend
    from keyring.errors import PasswordDeleteError

    held: dict[tuple[str, str], str] = {}

    class InMemory(KeyringBackend):
        priority = 1.0

        def get_password(self, service: str, username: str) -> str | None:
            return held.get((service, username))

        def set_password(self, service: str, username: str, password: str) -> None:
            held[service, username] = password

        def delete_password(self, service: str, username: str) -> None:
            if held.pop((service, username), None) is None:
                raise PasswordDeleteError

    monkeypatch.setattr(keyring.core, "_keyring_backend", InMemory())  # type: ignore[no-untyped-call]
    return held


def setup(*arguments: str, typed: str = "") -> Result:
    flags = ["--no-test", "--client", "none", "--search", "none"]
    return CliRunner().invoke(app, ["setup", *flags, *arguments], input=typed, catch_exceptions=False)


def test_a_key_goes_to_the_keyring_and_out_again(ring: dict[tuple[str, str], str]) -> None:
    done = setup("--engine", "brave", "--keyless", "exa", typed=f"{KEY}\n")
    assert done.exit_code == 0, done.output
    assert KEY not in done.output
    assert ring == {("seekread", "BRAVE_SEARCH_API_KEY"): KEY}
    loaded = load()
    assert loaded.provider_values(Brave)["api_key"].source == "keyring BRAVE_SEARCH_API_KEY"
    assert loaded.settings.search.keyless == ("exa",)
    assert loaded.file
    assert KEY not in loaded.file.read_text()
    assert setup("--undo").exit_code == 0
    assert not ring
    assert load().file is None


def test_a_file_is_chosen_where_it_is_asked_for(ring: dict[tuple[str, str], str]) -> None:
    assert setup("--engine", "brave", "--keep", "file", typed=f"{KEY}\n").exit_code == 0
    assert not ring
    assert load().provider_values(Brave)["api_key"].source.startswith("file ")


def test_what_was_changed_since_is_not_undone() -> None:
    setup("--engine", "brave", "--keep", "file", typed=f"{KEY}\n")
    file = load().file
    assert file
    file.write_text(f"{file.read_text()}\n[search]\nlimit = 2\n")
    assert "was changed since" in setup("--undo").output
    assert load().settings.search.limit == 2


def test_an_address_is_asked_for_where_an_engine_needs_one() -> None:
    done = setup("--engine", "searxng", "--keep", "file", typed="http://127.0.0.1:8080\n")
    assert done.exit_code == 0
    file = load().file
    assert file
    assert 'base_url = "http://127.0.0.1:8080"' in file.read_text()
    assert Path(os.environ["HOME"]) in file.parents
