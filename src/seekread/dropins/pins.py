"""Packages whose versions are the host's business: what they are, and whether we can live with them."""

import re
import tomllib
from collections.abc import Iterable, Sequence
from importlib.metadata import requires
from pathlib import Path

from seekread.dropins.table import DropIn
from seekread.dropins.trial import Environment
from seekread.errors import Misconfigured

REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+)(?:\[[^]]*\])?\s*([<>=!~0-9.,\s]*)(?:;.*extra\s*==\s*['\"]([\w-]+)['\"])?")
PINNED = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^]]*\])?\s*==\s*([\w.]+)", re.MULTILINE)
EXTRAS = re.compile(r"seekread\[([\w,-]+)\]")
INSTEAD = (
    "Leave {host} as it is, give seekread an environment of its own and let {host} ask it: "
    "`seekread mcp config` for MCP, `seekread serve` for HTTP."
)


def versions(drop_in: DropIn, environment: Environment) -> dict[str, str]:
    """The pinned packages with their versions: those that the lock files name, or else those that are installed."""
    found = {canonical(name): version for name, version in environment.versions(drop_in.pinned).items()}
    found |= {name: version for path in lock_files(environment.root) for name, version in locked(path)}
    return {name: found[name] for name in map(canonical, drop_in.pinned) if name in found}


def lock_files(root: Path) -> list[Path]:
    """Files of a checkout that name exact versions, the one that decides last."""
    return [*sorted(root.glob("requirements*.txt")), *(path for path in (root / "uv.lock",) if path.is_file())]


def locked(path: Path) -> Iterable[tuple[str, str]]:
    """Package and version, as a lock file names them."""
    text = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix == ".txt":
        return [(canonical(name), version) for name, version in PINNED.findall(text)]
    packages = tomllib.loads(text).get("package", [])
    return [(canonical(package["name"]), package["version"]) for package in packages if "version" in package]


def check(drop_in: DropIn, environment: Environment) -> dict[str, str]:
    """The pinned versions; refuse where ours and theirs cannot live together."""
    held = versions(drop_in, environment)
    for name, wanted in our_needs(EXTRAS.findall(" ".join(word for command in drop_in.install for word in command))):
        if name in held and not satisfies(held[name], wanted):
            raise Misconfigured(
                f"{drop_in.host} pins {name} {held[name]} and seekread needs {name}{wanted}: it is not touched, and "
                f"nothing was written. {INSTEAD.format(host=drop_in.host)}"
            )
    return held


def our_needs(extras: Sequence[str]) -> list[tuple[str, str]]:
    """What seekread requires, with these extras."""
    asked = {extra.strip() for part in extras for extra in part.split(",")}
    matches = [match for line in requires("seekread") or [] if (match := REQUIREMENT.match(line))]
    return [(canonical(match[1]), match[2].strip()) for match in matches if not match[3] or match[3] in asked]


def satisfies(version: str, wanted: str) -> bool:
    """Whether a version lies within bounds; ours are written with `>=` and `<` alone."""
    bounds = [part.strip() for part in wanted.split(",") if part.strip()]
    return all(
        numbers(version) >= numbers(bound[2:]) if bound.startswith(">=") else numbers(version) < numbers(bound[1:])
        for bound in bounds
    )


def numbers(version: str) -> tuple[int, ...]:
    """A version as numbers, without zeros at its end."""
    found = [int(part) for part in re.findall(r"\d+", version)]
    while found and found[-1] == 0:
        found.pop()
    return tuple(found)


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
