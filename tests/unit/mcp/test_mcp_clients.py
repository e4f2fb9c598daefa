"""What clients are told to paste: the right form for each, and never the value of a variable."""

import json
import shlex
import sys
import tomllib

import pytest
from click.testing import CliRunner, Result

from seekread.cli.mcp import mcp
from seekread.errors import InvalidQuery
from seekread.mcp.clients import CLIENTS, URLS, ServerEntry, snippet

SECRET = "brave-0123456789abcdef"


def config(*arguments: str) -> Result:
    return CliRunner().invoke(mcp, ["config", *arguments], catch_exceptions=False)


@pytest.mark.parametrize("client", sorted(CLIENTS))
def test_names_of_variables_are_shown_and_their_values_never(client: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAVE_API_KEY", SECRET)
    monkeypatch.setenv("SEEKREAD_MCP_TOKEN", SECRET)
    for transport in CLIENTS[client].transports:
        done = config("--client", client, "--transport", transport)
        assert done.exit_code == 0
        assert SECRET not in done.output
        assert ("BRAVE_API_KEY" in done.stdout) == (transport == "stdio")


@pytest.mark.parametrize("client", sorted(CLIENTS))
def test_the_command_starts_the_server_and_has_arguments(client: str) -> None:
    """A host skips a server whose arguments are empty."""
    _, text = snippet(client, ServerEntry(tool_prefix="web_"))
    assert sys.executable in text
    assert "seekread.mcp" in text
    assert "web_" in text


@pytest.mark.parametrize(
    ("client", "path"),
    [
        ("claude-desktop", ("mcpServers", "seekread")),
        ("cursor", ("mcpServers", "seekread")),
        ("gemini-cli", ("mcpServers", "seekread")),
        ("json", ("mcpServers", "seekread")),
        ("squidbot", ("tools", "mcp_servers", "seekread")),
        ("vscode", ("servers", "seekread")),
        ("zed", ("context_servers", "seekread")),
    ],
)
def test_a_table_stands_where_the_client_looks_for_it(client: str, path: tuple[str, ...]) -> None:
    table = json.loads(snippet(client, ServerEntry(env=("A_KEY",)))[1])
    for name in path:
        table = table[name]
    assert [table["command"], *table["args"]] == [sys.executable, "-m", "seekread.mcp"]
    assert "A_KEY" in table["env"]["A_KEY"]


def test_claude_code_gets_a_command_that_leaves_the_value_to_the_shell() -> None:
    _, line = snippet("claude-code", ServerEntry(env=("A_KEY",)))
    assert line.startswith('claude mcp add seekread --env A_KEY="$A_KEY" -- ')
    assert shlex.split(line)[-2:] == ["-m", "seekread.mcp"]
    _, remote = snippet("claude-code", ServerEntry("http"))
    assert f"--transport http seekread {URLS['http']}" in remote
    assert '"Authorization: Bearer $SEEKREAD_MCP_TOKEN"' in remote


def test_codex_gets_names_in_toml() -> None:
    table = tomllib.loads(snippet("codex", ServerEntry(env=("A_KEY",)))[1])["mcp_servers"]["seekread"]
    assert table["env_vars"] == ["A_KEY"]
    remote = tomllib.loads(snippet("codex", ServerEntry("http", url="https://search.example/mcp"))[1])
    assert remote["mcp_servers"]["seekread"] == {
        "url": "https://search.example/mcp",
        "bearer_token_env_var": "SEEKREAD_MCP_TOKEN",
    }


def test_squidbot_is_pointed_to_the_event_stream_it_calls_http() -> None:
    table = json.loads(snippet("squidbot", ServerEntry("sse"))[1])["tools"]["mcp_servers"]["seekread"]
    assert table == {"transport": "http", "url": URLS["sse"]}
    with pytest.raises(InvalidQuery, match="stdio or sse"):
        snippet("squidbot", ServerEntry("http"))


def test_yodoca_gets_arguments_and_the_prompts() -> None:
    _, text = snippet("yodoca", ServerEntry(env=("A_KEY",)))
    assert '"-m", "seekread.mcp"' in text
    assert 'prompts: "auto"' in text
    assert '{"A_KEY": "${A_KEY}"}' in text


def test_uvx_needs_no_installation() -> None:
    table = json.loads(snippet("cursor", ServerEntry(uvx=True))[1])["mcpServers"]["seekread"]
    assert [table["command"], *table["args"]] == ["uvx", "--from", "seekread[mcp]", "seekread-mcp"]
