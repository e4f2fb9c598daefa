"""
Start MCP servers over stdio, ask for their tools, and count what that cost.

    python benchmarks/mcp_start.py                                   this server, a bare one and mcp-server-fetch
    python benchmarks/mcp_start.py --rounds 25 ddgs="ddgs mcp"       beside another one, by its command

CPU time of the whole process until the tools have arrived; the servers take turns, and ratios are taken round by round.
The bare one (`bare_mcp.py`) is the least that can be written with the SDK; `mcp-server-fetch` runs in an environment of
its own in `.venvs/`, made from its lock. The size of the tool list is what a model pays for in every conversation.
Exits with 1 when the start costs more than is required.
"""

import argparse
import json
import os
import shlex
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import peers
from benchmarks.promises import Promises

OWN, BARE = "seekread", "bare server"
MOST = 1.05
"""What is required, in starts of the bare server."""
GREETING = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "benchmark", "version": "1"},
}


@dataclass(frozen=True)
class Start:
    """One start: milliseconds of CPU, and the tools that were listed."""

    milliseconds: float
    tools: list[dict[str, Any]]

    @property
    def characters(self) -> int:
        return len(json.dumps(self.tools, separators=(",", ":"), ensure_ascii=False))


def commands() -> dict[str, str]:
    """What starts each server."""
    python = shlex.quote(sys.executable)
    fetch = peers.environment("mcp-server-fetch") / "bin" / "mcp-server-fetch"
    return {
        OWN: f"{python} -m seekread.mcp",
        BARE: f"{python} {shlex.quote(str(Path(__file__).with_name('bare_mcp.py')))}",
        "mcp-server-fetch": shlex.quote(str(fetch)),
    }


def start(command: str) -> Start:
    """Start a server, list its tools, and let it end."""
    # The first start may leave compiled modules for the next ones, as it does on a user's machine.
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    process = subprocess.Popen(
        shlex.split(command),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=env,
    )
    assert process.stdin
    assert process.stdout

    def send(**message: Any) -> None:
        print(json.dumps({"jsonrpc": "2.0", **message}), file=process.stdin, flush=True)

    def answer(number: int) -> Any:
        for line in process.stdout or ():
            message = json.loads(line)
            if message.get("id") == number:
                return message["result"]
        raise RuntimeError(f"{command} ended without an answer")

    send(id=1, method="initialize", params=GREETING)
    answer(1)
    send(method="notifications/initialized")
    send(id=2, method="tools/list")
    tools = answer(2)["tools"]
    process.kill()
    process.stdin.close()
    process.stdout.close()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return Start((used.ru_utime + used.ru_stime) * 1000, tools)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("servers", nargs="*", metavar="NAME=COMMAND")
    parser.add_argument("--rounds", type=int, default=15)
    arguments = parser.parse_args()
    servers = {**commands(), **dict(server.split("=", 1) for server in arguments.servers)}
    starts: dict[str, list[Start]] = {name: [] for name in servers}
    for command in servers.values():
        start(command)
    for _ in range(arguments.rounds):
        for name, command in servers.items():
            starts[name].append(start(command))
    print(f"process start to the list of tools, median of {arguments.rounds} rounds")
    print(f"  {'server':<18} {'CPU ms':>8} {'x bare':>8} {'tools':>6} {'characters':>11}")
    ratios = {}
    for name, runs in starts.items():
        ratios[name] = statistics.median(
            run.milliseconds / bare.milliseconds for run, bare in zip(runs, starts[BARE], strict=True)
        )
        milliseconds = statistics.median(run.milliseconds for run in runs)
        listed = runs[0]
        print(f"  {name:<18} {milliseconds:>8.0f} {ratios[name]:>8.2f} {len(listed.tools):>6} {listed.characters:>11,}")
    promises = Promises("mcp_start")
    promises.at_most("start to the list of tools, in starts of a bare server", ratios[OWN], MOST)
    promises.at_most("the same, in starts of mcp-server-fetch", ratios[OWN] / ratios["mcp-server-fetch"], 1.0)
    return promises.told()


if __name__ == "__main__":
    sys.exit(main())
