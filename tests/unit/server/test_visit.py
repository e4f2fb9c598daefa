"""A request and its client, who may be gone."""

from typing import Any

import pytest

from seekread.server.visit import HttpVisit

pytestmark = pytest.mark.anyio


async def test_nothing_is_begun_for_a_client_that_has_left_already() -> None:
    """Under load two hundred calls were made for clients that were gone before their turn came."""
    begun: list[str] = []

    async def receive() -> Any:
        return {"type": "http.disconnect"}

    async def send(_message: Any) -> None:
        begun.append("sent")

    async def app(_scope: Any, _receive: Any, _send: Any) -> None:
        begun.append("asked")

    visit = HttpVisit({"type": "http", "headers": []}, receive, send, 1000)
    await visit.answer(app)
    assert (visit.left, begun) == (True, [])
