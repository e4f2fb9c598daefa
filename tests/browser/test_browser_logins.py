"""The browser goes without the operator's logins: what a page loads is not the operator's to choose."""

import pytest

from seekread.client import Seekread
from seekread.testing.rude_web import RudeWeb, reply
from tests.support.hostile_pages import PAGE

pytestmark = [pytest.mark.anyio, pytest.mark.process]

KEY = "opensesame-4711-abcdef"


async def test_a_browser_sends_no_login() -> None:
    with RudeWeb({"/page": reply(PAGE)}) as wiki:
        settings = {
            "store": "memory:",
            "allow_private": [wiki.endpoint],
            "page_seconds": 60,
            "page_headers": {f"http://{wiki.endpoint}": {"Authorization": f"Bearer {KEY}"}},
        }
        async with Seekread(settings=settings, environ={}) as web:
            page = await web.open_page(wiki.url("/page"), reader="browser")
        assert page.success, page.error
        assert not [asked for asked in wiki.asked if KEY in str(asked.headers)]
