"""The entry of our server in the settings of programs: everything else stays, and it can be taken out again."""

import json
import sys
import tomllib
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]
from click.testing import CliRunner, Result

from seekread.cli.app import app
from seekread.config.paths import Folders
from seekread.mcp.clients import ServerEntry
from seekread.mcp.install import file_of, install, present, uninstall, writable

ENTRY = ServerEntry()
ROOTS = {"opencode": "mcp", "vscode": "servers", "zed": "context_servers"}
JSON_CLIENTS = [name for name in writable() if name not in {"codex", "goose"}]


@pytest.fixture
def at(tmp_path: Path) -> Folders:
    return Folders(tmp_path, tmp_path / ".config", tmp_path / ".config")


def prepared(at: Folders, client: str, text: str) -> Path:
    path = file_of(client, at)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def entry_in(client: str, path: Path) -> dict[str, object]:
    text = path.read_text()
    if client == "codex":
        found = tomllib.loads(text)["mcp_servers"]["seekread"]
    elif client == "goose":
        found = yaml.safe_load(text)["extensions"]["seekread"]
    else:
        found = json.loads(text)[ROOTS.get(client, "mcpServers")]["seekread"]
    assert isinstance(found, dict)
    return found


def test_every_program_that_was_asked_for_can_be_written() -> None:
    wanted = "claude-code claude-desktop cline codex cursor gemini-cli goose opencode vscode windsurf zed"
    assert writable() == wanted.split()


@pytest.mark.parametrize("client", writable())
def test_a_program_without_settings_gets_a_file_that_starts_the_server(client: str, at: Folders) -> None:
    change = install(client, ENTRY, at)
    assert change.done == "written"
    found = entry_in(client, change.path)
    assert sys.executable in json.dumps(found)
    assert "seekread.mcp" in json.dumps(found)
    assert install(client, ENTRY, at).done == "unchanged"
    assert uninstall(client, at=at).done == "restored"
    assert not change.path.exists()


JSON_FILE = '{\n    "theme": "dark",\n    "%s": {\n        "other": {"command": "x"}\n    },\n    "z": [1, 2]\n}'
TOML_FILE = '# mine\nmodel = "o"\n\n[mcp_servers.other]\ncommand = "x"  # keep\n'
YAML_FILE = "GOOSE_MODEL: m\nextensions:\n    other:\n        type: stdio # keep\n        cmd: x\nlast: 1\n"


def settings_of(client: str) -> str:
    return {"codex": TOML_FILE, "goose": YAML_FILE}.get(client, JSON_FILE % ROOTS.get(client, "mcpServers"))


def parsed(client: str, text: str) -> object:
    return tomllib.loads(text) if client == "codex" else yaml.safe_load(text) if client == "goose" else json.loads(text)


@pytest.mark.parametrize("client", writable())
def test_everything_else_stays_and_undoing_brings_back_every_byte(client: str, at: Folders) -> None:
    path = prepared(at, client, settings_of(client))
    path.chmod(0o640)
    assert install(client, ENTRY, at).done == "written"
    assert entry_in(client, path)
    assert "other" in path.read_text()
    assert ("# keep" in path.read_text()) == ("# keep" in settings_of(client))
    assert path.stat().st_mode & 0o777 == 0o640
    assert path.with_name(f"{path.name}.before-seekread").read_text() == settings_of(client)
    assert uninstall(client, at=at).done == "restored"
    assert path.read_text() == settings_of(client)
    assert not list(path.parent.glob("*seekread*"))


@pytest.mark.parametrize("client", writable())
def test_what_was_changed_since_is_kept_when_the_entry_is_taken_out(client: str, at: Folders) -> None:
    path = prepared(at, client, settings_of(client))
    install(client, ENTRY, at)
    changed = path.read_text().replace("other", "mine")
    path.write_text(changed)
    assert uninstall(client, at=at).done == "removed"
    assert parsed(client, path.read_text()) == parsed(client, settings_of(client).replace("other", "mine"))
    assert uninstall(client, at=at).done == "not there"


@pytest.mark.parametrize("client", JSON_CLIENTS)
def test_a_file_with_comments_is_left_alone_and_the_entry_is_given_back(client: str, at: Folders) -> None:
    path = prepared(at, client, '{\n  // mine\n  "theme": "dark"\n}\n')
    change = install(client, ENTRY, at)
    assert change.done == "by hand"
    assert "seekread" in change.entry
    assert "comments" in change.why
    assert "// mine" in path.read_text()


@pytest.mark.parametrize("text", ["extensions: {}\n", "extensions:\n- type: stdio\n", "extensions: {a: {b: 1}}\n"])
def test_yaml_that_is_not_understood_is_left_alone(text: str, at: Folders) -> None:
    path = prepared(at, "goose", text)
    assert install("goose", ENTRY, at).done == "by hand"
    assert path.read_text() == text


@pytest.mark.parametrize("text", ["", "a: 1", "extensions:\nlast: 1\n", "extensions: # mine\n  x:\n    type: stdio\n"])
def test_yaml_gets_an_entry_wherever_it_can_stand(text: str, at: Folders) -> None:
    path = prepared(at, "goose", text)
    assert install("goose", ENTRY, at).done == "written"
    found = yaml.safe_load(path.read_text())
    assert found["extensions"].pop("seekread")["type"] == "stdio"
    before = yaml.safe_load(text) or {}
    assert {**found, "extensions": found["extensions"] or None} == {"extensions": None, **before}


def test_a_link_to_a_file_stays_a_link(at: Folders) -> None:
    kept = at.home / "dotfiles.json"
    kept.write_text("{}")
    link = at.home / ".cursor" / "mcp.json"
    link.parent.mkdir()
    link.symlink_to(kept)
    install("cursor", ENTRY, at)
    assert link.is_symlink()
    assert "seekread" in kept.read_text()


def test_programs_are_found_by_their_folders(at: Folders) -> None:
    assert present(at) == []
    (at.home / ".cursor").mkdir()
    (at.home / ".claude.json").write_text("{}")
    assert present(at) == ["claude-code", "cursor"]


def mcp(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["mcp", *arguments])


def test_the_command_writes_names_of_variables_and_never_their_values(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setenv("BRAVE_API_KEY", "brave-0123456789")
    (tmp_path / ".cursor").mkdir()
    done = mcp("install", "--all", "--client", "cursor", "--client", "zed")
    assert done.exit_code == 0, done.output
    assert "zed cannot refer to variables (BRAVE_API_KEY)" in done.output
    written = (tmp_path / ".cursor" / "mcp.json").read_text() + (tmp_path / ".config/zed/settings.json").read_text()
    assert "${env:BRAVE_API_KEY}" in written
    assert "0123456789" not in written
    assert "is what it was before" in mcp("uninstall", "--client", "cursor").output
    assert not (tmp_path / ".cursor" / "mcp.json").exists()


def test_whoever_names_no_program_is_told_which_are_here() -> None:
    assert "which program? --client NAME, or --all for" in mcp("install").output
