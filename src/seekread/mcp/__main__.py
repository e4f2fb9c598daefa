"""`python -m seekread.mcp` and the `seekread-mcp` command: `seekread mcp`, which speaks over stdin and stdout."""


def main() -> None:
    """Serve."""
    from seekread.cli.exits import run
    from seekread.cli.mcp import mcp

    run(mcp, "seekread-mcp")


if __name__ == "__main__":
    main()
