"""What the hosts' tests share: a wire that records what goes out and answers what it was told."""

from collections.abc import Callable
from typing import Any

import httpx2
import pytest


class Wire(httpx2.AsyncBaseTransport):
    """An HTTP transport without a socket. The last answer is repeated; an exception is raised instead."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.requests: list[httpx2.Request] = []

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        await request.aread()
        self.requests.append(request)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, httpx2.Response):
            return answer
        status, body, *headers = answer if isinstance(answer, tuple) else (200, answer)
        content = {"text": body} if isinstance(body, str) else {"json": body}
        return httpx2.Response(status, headers=headers[0] if headers else None, **content)

    @property
    def params(self) -> dict[str, str]:
        """The parameters of the last request."""
        return dict(self.requests[-1].url.params)


@pytest.fixture
def wire() -> Callable[..., Wire]:
    return Wire
