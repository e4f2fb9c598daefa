"""Packages that are not ours to require: imported when first used, and named when they are missing."""

from importlib import import_module
from typing import Any

from seekread.errors import Misconfigured


def optional(module: str, *, install: str) -> Any:
    """Import a module, or say what to install."""
    try:
        return import_module(module)
    except ImportError as error:
        raise Misconfigured(f"{module} is not installed: install {install}") from error
