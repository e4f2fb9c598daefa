"""
What stands in the settings of programs that use MCP servers, and where those settings are kept.

Programs differ in where a server's table stands, what its fields are called, and how a variable of the environment is
referred to. Some cannot refer to one: there the value is left for the person to fill in.
"""

import json
import shlex
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from seekread.config.paths import Folders
from seekread.errors import InvalidQuery
from seekread.late import dataclass
from seekread.toolkit.definitions import ToolNames

TOKEN = "SEEKREAD_MCP_TOKEN"  # noqa: S105 - the name of a variable
URLS = {"http": "http://127.0.0.1:8765/mcp", "sse": "http://127.0.0.1:8765/sse"}
UVX = ("uvx", "--from", "seekread[mcp]", "seekread-mcp")


@dataclass(frozen=True)
class ServerEntry:
    """What a client's settings need to know: how the server is started or reached."""

    transport: str = "stdio"
    url: str | None = None
    name: str = "seekread"
    env: tuple[str, ...] = ()
    uvx: bool = False
    tool_prefix: str = ""

    @property
    def command(self) -> list[str]:
        """What starts the server. The interpreter's own path works where programs have no PATH."""
        prefix = ["--tool-prefix", ToolNames(self.tool_prefix).prefix] if self.tool_prefix else []
        return [*(UVX if self.uvx else (sys.executable, "-m", "seekread.mcp")), *prefix]

    @property
    def address(self) -> str:
        """Where the server listens."""
        return self.url or URLS[self.transport]


@dataclass(frozen=True)
class Client:
    """A program: its settings file, which ways it can connect, and how its settings are written."""

    file: str
    write: Callable[[ServerEntry], str]
    transports: tuple[str, ...] = ("stdio", "http", "sse")
    place: Callable[[Folders], Path] | None = None
    """Its settings file, where it can be written by `seekread mcp install`."""
    installed: Callable[[Path], Path] = Path
    """What is there when the program is, by the path of its settings file."""
    written: Callable[[ServerEntry], str] | None = None
    """What the file holds, where that is not what people are told to do."""
    refers: bool = True
    """Whether its settings can refer to a variable of the environment."""


def snippet(client: str, entry: ServerEntry) -> tuple[str, str]:
    """The settings file of a client, and what to paste into it."""
    program = CLIENTS[client]
    if entry.transport not in program.transports:
        raise InvalidQuery(f"{client} cannot connect by {entry.transport}; use {' or '.join(program.transports)}")
    return program.file, program.write(entry)


def variables_in_use(config: str | None = None) -> tuple[str, ...]:
    """The names of the variables that settings and keys come from here and now."""
    from seekread.config.sources import load
    from seekread.providers.plugins import installed
    from seekread.providers.registry import READ_GROUP, SEARCH_GROUP, provider_class

    loaded = load(file=config)
    sources = set(loaded.origins.values())
    for group in (SEARCH_GROUP, READ_GROUP):
        for name in installed(group):
            sources |= {origin.source for origin in loaded.provider_values(provider_class(name, group)).values()}
    words = "environment "
    return tuple(sorted(source.removeprefix(words) for source in sources if source.startswith(words)))


def started(entry: ServerEntry, refer: Callable[[str], str], env: str = "env") -> dict[str, Any]:
    """`command`, `args` and the variables to pass on: clients hand a server only a few by themselves."""
    command, *arguments = entry.command
    table: dict[str, Any] = {"command": command, "args": arguments}
    return {**table, env: {name: refer(name) for name in entry.env}} if entry.env else table


def reached(entry: ServerEntry, refer: Callable[[str], str], url: str = "url") -> dict[str, Any]:
    return {url: entry.address, "headers": {"Authorization": f"Bearer {refer(TOKEN)}"}}


def document(*path: str, table: Any) -> str:
    for name in reversed(path):
        table = {name: table}
    return json.dumps(table, indent=2)


def dollar(name: str) -> str:
    return f"${{{name}}}"


def dollar_env(name: str) -> str:
    return f"${{env:{name}}}"


def by_hand(name: str) -> str:
    return f"<value of {name}>"


def in_servers(refer: Callable[[str], str], kinds: Mapping[str, str] | None = None) -> Callable[[ServerEntry], str]:
    """The common form: `mcpServers`, one table for each server; `type` only where the client wants it."""

    def write(entry: ServerEntry) -> str:
        kind = {"type": kinds[entry.transport]} if kinds and entry.transport in kinds else {}
        table = started(entry, refer) if entry.transport == "stdio" else reached(entry, refer)
        return document("mcpServers", entry.name, table={**kind, **table})

    return write


def claude_code(entry: ServerEntry) -> str:
    if entry.transport != "stdio":
        header = f'--header "Authorization: Bearer ${TOKEN}"'
        return f"claude mcp add --transport {entry.transport} {entry.name} {shlex.quote(entry.address)} {header}"
    passed = "".join(f' --env {name}="${name}"' for name in entry.env)
    return f"claude mcp add {entry.name}{passed} -- {shlex.join(entry.command)}"


def vscode(entry: ServerEntry) -> str:
    table = started(entry, dollar_env) if entry.transport == "stdio" else reached(entry, dollar_env)
    return document("servers", entry.name, table={"type": entry.transport, **table})


def codex(entry: ServerEntry) -> str:
    lines = [f"[mcp_servers.{json.dumps(entry.name)}]"]
    if entry.transport == "stdio":
        command, *arguments = entry.command
        lines += [f"command = {json.dumps(command)}", f"args = {json.dumps(arguments)}"]
        lines += [f"env_vars = {json.dumps(list(entry.env))}"] if entry.env else []
    else:
        lines += [f"url = {json.dumps(entry.address)}", f"bearer_token_env_var = {json.dumps(TOKEN)}"]
    return "\n".join(lines)


def gemini(entry: ServerEntry) -> str:
    url = {"http": "httpUrl", "sse": "url"}.get(entry.transport, "")
    table = started(entry, dollar) if entry.transport == "stdio" else reached(entry, dollar, url)
    return document("mcpServers", entry.name, table=table)


def zed(entry: ServerEntry) -> str:
    table = started(entry, by_hand) if entry.transport == "stdio" else reached(entry, by_hand)
    return document("context_servers", entry.name, table=table)


def windsurf(entry: ServerEntry) -> str:
    table = started(entry, dollar_env) if entry.transport == "stdio" else reached(entry, dollar_env, "serverUrl")
    return document("mcpServers", entry.name, table=table)


def opencode(entry: ServerEntry) -> str:
    """The command is one list here, and variables stand in braces of their own."""
    if entry.transport == "stdio":
        passed = {"environment": {name: braced(name) for name in entry.env}} if entry.env else {}
        table: dict[str, Any] = {"type": "local", "command": entry.command, **passed}
    else:
        table = {"type": "remote", **reached(entry, braced)}
    return document("mcp", entry.name, table={**table, "enabled": True})


def braced(name: str) -> str:
    return f"{{env:{name}}}"


def cline(entry: ServerEntry) -> str:
    kind = {"http": {"type": "streamableHttp"}, "sse": {"type": "sse"}}.get(entry.transport, {})
    table = started(entry, by_hand) if entry.transport == "stdio" else reached(entry, by_hand)
    return document("mcpServers", entry.name, table={**kind, **table})


GOOSE_SECONDS = 300


def goose(entry: ServerEntry) -> str:
    """An extension in YAML; JSON is YAML, so values are written as JSON."""
    fields: dict[str, Any] = {"enabled": True, "name": entry.name, "timeout": GOOSE_SECONDS}
    if entry.transport == "stdio":
        command, *arguments = entry.command
        # It keeps their values itself, and asks for those it does not have.
        fields |= {"type": "stdio", "cmd": command, "args": arguments, "env_keys": list(entry.env)}
    else:
        bearer = {"Authorization": f"Bearer {dollar(TOKEN)}"}
        fields |= {"type": "streamable_http", "uri": entry.address, "headers": bearer, "env_keys": [TOKEN]}
    lines = [f"  {entry.name}:", *(f"    {name}: {json.dumps(value)}" for name, value in fields.items())]
    return "\n".join(["extensions:", *lines])


def squidbot(entry: ServerEntry) -> str:
    # What it calls http is SSE, and its own web_search has to be switched off or ours prefixed.
    table = (
        {"transport": "stdio", **started(entry, by_hand), "cwd": None}
        if entry.transport == "stdio"
        else {"transport": "http", "url": entry.address}
    )
    return document("tools", "mcp_servers", entry.name, table=table)


def yodoca(entry: ServerEntry) -> str:
    """A block of YAML; JSON is YAML, so values are written as JSON."""
    if entry.transport == "stdio":
        fields: dict[str, Any] = {"transport": "stdio", **started(entry, dollar)}
    else:
        fields = {"transport": "streamable-http", **reached(entry, dollar)}
    lines = [f"- alias: {json.dumps(entry.name)}"]
    lines += [f"  {name}: {json.dumps(value)}" for name, value in {**fields, "prompts": "auto"}.items()]
    return "\n".join(["config:", "  servers:", *(f"    {line}" for line in lines)])


def parent(path: Path) -> Path:
    return path.parent


CLINE = "Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"
SERVERS = in_servers(dollar, {"stdio": "stdio", "http": "http", "sse": "sse"})
CLIENTS: dict[str, Client] = {
    "claude-code": Client("run this command", claude_code, place=lambda at: at.home / ".claude.json", written=SERVERS),
    "claude-desktop": Client(
        "claude_desktop_config.json",
        in_servers(by_hand),
        ("stdio",),
        lambda at: at.applications / "Claude" / "claude_desktop_config.json",
        parent,
        refers=False,
    ),
    "cline": Client(
        "cline_mcp_settings.json", cline, place=lambda at: at.applications / CLINE, installed=parent, refers=False
    ),
    "codex": Client(
        "~/.codex/config.toml", codex, ("stdio", "http"), lambda at: at.home / ".codex" / "config.toml", parent
    ),
    "cursor": Client(
        ".cursor/mcp.json or ~/.cursor/mcp.json",
        in_servers(dollar_env),
        place=lambda at: at.home / ".cursor" / "mcp.json",
        installed=parent,
    ),
    "gemini-cli": Client(
        "~/.gemini/settings.json", gemini, place=lambda at: at.home / ".gemini" / "settings.json", installed=parent
    ),
    "goose": Client(
        "~/.config/goose/config.yaml",
        goose,
        ("stdio", "http"),
        lambda at: at.config / "goose" / "config.yaml",
        parent,
    ),
    "json": Client(".mcp.json", SERVERS),
    "opencode": Client(
        "~/.config/opencode/opencode.json",
        opencode,
        ("stdio", "http"),
        lambda at: at.home / ".config" / "opencode" / "opencode.json",
        parent,
    ),
    "squidbot": Client("~/.squidbot/config.json", squidbot, ("stdio", "sse")),
    "vscode": Client(
        ".vscode/mcp.json", vscode, place=lambda at: at.applications / "Code" / "User" / "mcp.json", installed=parent
    ),
    "windsurf": Client(
        "~/.codeium/windsurf/mcp_config.json",
        windsurf,
        place=lambda at: at.home / ".codeium" / "windsurf" / "mcp_config.json",
        installed=parent,
    ),
    "yodoca": Client("sandbox/extensions/mcp/manifest.yaml", yodoca, ("stdio", "http")),
    "zed": Client(
        "settings.json",
        zed,
        ("stdio", "http"),
        lambda at: at.config / "zed" / "settings.json",
        parent,
        refers=False,
    ),
}
