"""What stands before a provider. The open gate lets everything through."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from seekread.pipeline.deadline import Deadline
from seekread.provider import SearchProvider


class OpenGate:
    """No pace, no quota, no breaker: for hosts that bring their own, and for tests."""

    @asynccontextmanager
    async def enter(self, _provider: SearchProvider, _deadline: Deadline) -> AsyncIterator[None]:
        yield

    def may_retry(self, _provider: SearchProvider) -> bool:
        return True
