"""The tests in this folder need Chromium: without it they are skipped, and in CI they fail."""

import os

import pytest

from seekread.readers.browser.reader import available

MISSING = "needs playwright and Chromium (make parts installs it)"


@pytest.fixture(autouse=True, scope="session")
def chromium_is_there() -> None:
    if not available():
        if os.environ.get("CI") == "true":
            pytest.fail(f"CI {MISSING}")
        pytest.skip(MISSING)
