"""The tests in this folder need Chromium."""

import pytest

from tests.support.need_chromium import need_chromium


@pytest.fixture(autouse=True, scope="session")
def chromium_is_there() -> None:
    need_chromium()
