"""`python -m seekread` and the `seekread` command."""

import sys

INTERRUPTED = 130


def main() -> None:
    """Run the command line. An interrupt is answered quietly from the first moment on."""
    try:
        from seekread.cli.app import app
        from seekread.cli.exits import run

        run(app)
    except KeyboardInterrupt:
        sys.stderr.write("seekread: interrupted\n")
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
