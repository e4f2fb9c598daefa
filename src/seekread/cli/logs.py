"""Logs of the command line: to stderr, where they disturb no protocol and no pipe, with keys masked."""

import logging
import sys
from collections.abc import Iterable

from seekread.cli.terminal import on_a_line, shown
from seekread.redact import RedactingFilter


def log_to_stderr(level: int = logging.WARNING, secrets: Iterable[str] = ()) -> None:
    """Send logs to stderr, unless somebody arranged otherwise before."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(LineFormatter("%(levelname)s %(name)s: %(message)s"))
    handler.addFilter(RedactingFilter(secrets))
    logging.basicConfig(level=level, handlers=[handler])


class LineFormatter(logging.Formatter):
    """Keeps a message on its line, so that nothing it repeats can pose as another message; tracebacks have lines."""

    def format(self, record: logging.LogRecord) -> str:
        return shown(super().format(record))

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the name is logging's
        return on_a_line(super().formatMessage(record))
