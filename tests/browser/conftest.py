"""The tests in this folder need Chromium."""

import pytest

from tests.support.need_chromium import need_chromium
from tests.support.patience import PATIENCE


@pytest.fixture(autouse=True, scope="session")
def chromium_is_there() -> None:
    need_chromium()
    from playwright.sync_api import expect

    # Whoever expects something of a page waits for it on however busy a machine.
    expect.set_options(timeout=PATIENCE * 1000)
