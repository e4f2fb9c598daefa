"""Packages that are not ours to require: imported when first used, and named when they are missing."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from seekread.errors import Misconfigured


def optional(module: str, *, install: str) -> Any:
    """Import a module, or say what to install."""
    with needs(install):
        return import_module(module)


@contextmanager
def needs(install: str) -> Iterator[None]:
    """Say what to install where an import below fails."""
    try:
        yield
    except ImportError as error:
        raise Misconfigured(f"{error.name} is not installed: install {install}") from error
