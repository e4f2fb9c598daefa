"""Tests that need a browser are skipped without one, and in CI they fail."""

import os

import pytest

from seekread.errors import NotConfigured
from seekread.readers.browser.chromium import require_executable, require_package


def need_chromium() -> None:
    """Go on only where playwright and Chromium are."""
    try:
        require_package("playwright")
        require_executable(None)
    except NotConfigured as error:
        missing = f"needs playwright and Chromium (make parts installs it): {error}"
        pytest.fail(missing) if os.environ.get("CI") == "true" else pytest.skip(missing)
