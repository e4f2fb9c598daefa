"""Logs of the command line: to stderr, where they disturb no protocol and no pipe, with keys masked."""

import logging
import sys
from collections.abc import Iterable

from seekread.redact import RedactingFilter


def log_to_stderr(level: int = logging.WARNING, secrets: Iterable[str] = ()) -> None:
    """Send logs to stderr, unless somebody arranged otherwise before."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
    handler.addFilter(RedactingFilter(secrets))
    logging.basicConfig(level=level, handlers=[handler])
