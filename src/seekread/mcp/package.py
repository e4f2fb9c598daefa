"""The package that speaks the protocol: whether it is installed, and of the generation we need."""

from importlib.metadata import PackageNotFoundError, version

from seekread.errors import Misconfigured

GENERATION = 2


def missing() -> str | None:
    """What keeps us from speaking the protocol here, and what to do about it; `None` if nothing does."""
    try:
        found = version("mcp")
    except PackageNotFoundError:
        return "the mcp package is not installed: install seekread[mcp]"
    if int(found.partition(".")[0]) >= GENERATION:
        return None
    return (
        f"mcp {found} is installed here, for a program that needs it, and our server needs mcp {GENERATION}: "
        "leave it, and start the server from an environment of its own, such as "
        "`uvx --from 'seekread[mcp]' seekread-mcp` (`seekread mcp config --uvx` prints it for your client)"
    )


def check() -> None:
    """Say what is missing before anything is imported that needs it."""
    if why_not := missing():
        raise Misconfigured(why_not)
