"""`python -m seekread` and the `seekread` command."""

import sys

INTERRUPTED = 130


def main() -> None:
    """Run the command line. An interrupt is answered quietly from the first moment on."""
    try:
        run()
    except KeyboardInterrupt:
        sys.stderr.write("seekread: interrupted\n")
        sys.exit(INTERRUPTED)


def run() -> None:
    import click

    from seekread.cli.app import app
    from seekread.cli.exits import reported

    with reported():
        try:
            code = app.main(standalone_mode=False)
        except click.ClickException as error:
            error.show()
            code = error.exit_code
        sys.exit(code if isinstance(code, int) else 0)


if __name__ == "__main__":
    main()
