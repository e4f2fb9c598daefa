"""
What to paste into the settings of programs that use MCP servers.

Programs differ in where a server's table stands, what its fields are called, and how a variable of the environment is
referred to. Some cannot refer to one: there the value is left for the person to fill in.
"""

import json
import shlex
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from seekread.errors import InvalidQuery
from seekread.mcp.definitions import Names

TOKEN = "SEEKREAD_MCP_TOKEN"  # noqa: S105 - the name of a variable
URLS = {"http": "http://127.0.0.1:8765/mcp", "sse": "http://127.0.0.1:8765/sse"}
UVX = ("uvx", "--from", "seekread[mcp]", "seekread-mcp")


@dataclass(frozen=True)
class Wish:
    """How the server is to be reached."""

    transport: str = "stdio"
    url: str | None = None
    name: str = "seekread"
    env: tuple[str, ...] = ()
    uvx: bool = False
    tool_prefix: str = ""

    @property
    def command(self) -> list[str]:
        """What starts the server. The interpreter's own path works where programs have no PATH."""
        prefix = ["--tool-prefix", Names(self.tool_prefix).prefix] if self.tool_prefix else []
        return [*(UVX if self.uvx else (sys.executable, "-m", "seekread.mcp")), *prefix]

    @property
    def address(self) -> str:
        """Where the server listens."""
        return self.url or URLS[self.transport]


@dataclass(frozen=True)
class Client:
    """A program: its settings file, which ways it can connect, and how its settings are written."""

    file: str
    write: Callable[[Wish], str]
    transports: tuple[str, ...] = ("stdio", "http", "sse")


def snippet(client: str, wish: Wish) -> tuple[str, str]:
    """The settings file of a client, and what to paste into it."""
    program = CLIENTS[client]
    if wish.transport not in program.transports:
        raise InvalidQuery(f"{client} cannot connect by {wish.transport}; use {' or '.join(program.transports)}")
    return program.file, program.write(wish)


def variables_in_use(config: str | None = None) -> tuple[str, ...]:
    """The names of the variables that settings and keys come from here and now."""
    from seekread.config.sources import load
    from seekread.providers.registry import READ_GROUP, SEARCH_GROUP, installed, provider_class

    loaded = load(file=config)
    sources = set(loaded.origins.values())
    for group in (SEARCH_GROUP, READ_GROUP):
        for name in installed(group):
            sources |= {origin.source for origin in loaded.provider_values(provider_class(name, group)).values()}
    words = "environment "
    return tuple(sorted(source.removeprefix(words) for source in sources if source.startswith(words)))


def started(wish: Wish, refer: Callable[[str], str], env: str = "env") -> dict[str, Any]:
    """`command`, `args` and the variables to pass on: clients hand a server only a few by themselves."""
    command, *arguments = wish.command
    table: dict[str, Any] = {"command": command, "args": arguments}
    return {**table, env: {name: refer(name) for name in wish.env}} if wish.env else table


def reached(wish: Wish, refer: Callable[[str], str], url: str = "url") -> dict[str, Any]:
    return {url: wish.address, "headers": {"Authorization": f"Bearer {refer(TOKEN)}"}}


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


def in_servers(refer: Callable[[str], str], kinds: Mapping[str, str] | None = None) -> Callable[[Wish], str]:
    """The common form: `mcpServers`, one table for each server; `type` only where the client wants it."""

    def write(wish: Wish) -> str:
        kind = {"type": kinds[wish.transport]} if kinds and wish.transport in kinds else {}
        table = started(wish, refer) if wish.transport == "stdio" else reached(wish, refer)
        return document("mcpServers", wish.name, table={**kind, **table})

    return write


def claude_code(wish: Wish) -> str:
    if wish.transport != "stdio":
        header = f'--header "Authorization: Bearer ${TOKEN}"'
        return f"claude mcp add --transport {wish.transport} {wish.name} {shlex.quote(wish.address)} {header}"
    passed = "".join(f' --env {name}="${name}"' for name in wish.env)
    return f"claude mcp add {wish.name}{passed} -- {shlex.join(wish.command)}"


def vscode(wish: Wish) -> str:
    table = started(wish, dollar_env) if wish.transport == "stdio" else reached(wish, dollar_env)
    return document("servers", wish.name, table={"type": wish.transport, **table})


def codex(wish: Wish) -> str:
    lines = [f"[mcp_servers.{json.dumps(wish.name)}]"]
    if wish.transport == "stdio":
        command, *arguments = wish.command
        lines += [f"command = {json.dumps(command)}", f"args = {json.dumps(arguments)}"]
        lines += [f"env_vars = {json.dumps(list(wish.env))}"] if wish.env else []
    else:
        lines += [f"url = {json.dumps(wish.address)}", f"bearer_token_env_var = {json.dumps(TOKEN)}"]
    return "\n".join(lines)


def gemini(wish: Wish) -> str:
    url = {"http": "httpUrl", "sse": "url"}.get(wish.transport, "")
    table = started(wish, dollar) if wish.transport == "stdio" else reached(wish, dollar, url)
    return document("mcpServers", wish.name, table=table)


def zed(wish: Wish) -> str:
    table = started(wish, by_hand) if wish.transport == "stdio" else reached(wish, by_hand)
    return document("context_servers", wish.name, table=table)


def squidbot(wish: Wish) -> str:
    # What it calls http is SSE, and its own web_search has to be switched off or ours prefixed.
    table = (
        {"transport": "stdio", **started(wish, by_hand), "cwd": None}
        if wish.transport == "stdio"
        else {"transport": "http", "url": wish.address}
    )
    return document("tools", "mcp_servers", wish.name, table=table)


def yodoca(wish: Wish) -> str:
    """A block of YAML; JSON is YAML, so values are written as JSON."""
    if wish.transport == "stdio":
        fields: dict[str, Any] = {"transport": "stdio", **started(wish, dollar)}
    else:
        fields = {"transport": "streamable-http", **reached(wish, dollar)}
    lines = [f"- alias: {json.dumps(wish.name)}"]
    lines += [f"  {name}: {json.dumps(value)}" for name, value in {**fields, "prompts": "auto"}.items()]
    return "\n".join(["config:", "  servers:", *(f"    {line}" for line in lines)])


CLIENTS: dict[str, Client] = {
    "claude-code": Client("run this command", claude_code),
    "claude-desktop": Client("claude_desktop_config.json", in_servers(by_hand), ("stdio",)),
    "codex": Client("~/.codex/config.toml", codex, ("stdio", "http")),
    "cursor": Client(".cursor/mcp.json or ~/.cursor/mcp.json", in_servers(dollar_env)),
    "gemini-cli": Client("~/.gemini/settings.json", gemini),
    "json": Client(".mcp.json", in_servers(dollar, {"stdio": "stdio", "http": "http", "sse": "sse"})),
    "squidbot": Client("~/.squidbot/config.json", squidbot, ("stdio", "sse")),
    "vscode": Client(".vscode/mcp.json", vscode),
    "yodoca": Client("sandbox/extensions/mcp/manifest.yaml", yodoca, ("stdio", "http")),
    "zed": Client("settings.json", zed, ("stdio", "http")),
}
