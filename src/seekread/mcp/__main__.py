"""`python -m seekread.mcp` and the `seekread-mcp` command: `seekread mcp`, which speaks over stdin and stdout."""

import sys


def main() -> None:
    """Serve."""
    import click

    from seekread.cli.exits import reported
    from seekread.cli.mcp import mcp

    with reported():
        try:
            code = mcp.main(prog_name="seekread-mcp", standalone_mode=False)
        except click.ClickException as error:
            error.show()
            code = error.exit_code
        sys.exit(code if isinstance(code, int) else 0)


if __name__ == "__main__":
    main()
