"""
Start MCP servers over stdio, ask for their tools, and count what that cost.

    python benchmarks/mcp_start.py                                   this server
    python benchmarks/mcp_start.py fetch=mcp-server-fetch            beside another one, by its command
    python benchmarks/mcp_start.py --repeat 9 ddgs="ddgs mcp"

CPU time of the whole process until the tools have arrived; the runs of different servers take turns. The size of the
tool list is what a model pays for in every conversation.
"""

import argparse
import json
import os
import shlex
import statistics
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

OWN = f"{shlex.quote(sys.executable)} -m seekread.mcp"
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("servers", nargs="*", metavar="NAME=COMMAND")
    parser.add_argument("--repeat", type=int, default=5)
    arguments = parser.parse_args()
    commands = {"seekread": OWN, **dict(server.split("=", 1) for server in arguments.servers)}
    starts: dict[str, list[Start]] = {name: [] for name in commands}
    for command in commands.values():
        start(command)
    for _ in range(arguments.repeat):
        for name, command in commands.items():
            starts[name].append(start(command))
    print(f"{'server':<16} {'CPU ms':>8} {'tools':>6} {'characters':>11}")
    for name, runs in starts.items():
        milliseconds = statistics.median(run.milliseconds for run in runs)
        print(f"{name:<16} {milliseconds:>8.0f} {len(runs[0].tools):>6} {runs[0].characters:>11,}")


if __name__ == "__main__":
    main()
