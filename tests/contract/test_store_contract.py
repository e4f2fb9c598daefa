"""One suite over every store."""

import sqlite3
from collections.abc import AsyncIterator, Awaitable, Iterator
from contextlib import closing
from pathlib import Path
from typing import cast

import pytest
import redis.asyncio

from seekread.ports import Store
from seekread.state import open_store
from seekread.state.front import LruFront
from seekread.state.memory import MemoryStore
from seekread.testing.clock import FakeClock
from tests.support.redis_server import RedisServer, why_not
from tests.support.store_contract import StoreContract


class TestMemory(StoreContract):
    @pytest.fixture
    def store(self, clock: FakeClock) -> Store:
        return open_store("memory:", clock=clock)

    async def holds(self, store: Store) -> int:
        assert isinstance(store, MemoryStore)
        return len(store._counts["plan"].holds)


class InFile(StoreContract):
    """What the stores in a file share."""

    @pytest.fixture
    def path(self, tmp_path: Path) -> Path:
        self.file = tmp_path / "store.db"
        return self.file

    async def holds(self, store: Store) -> int:
        await store.close()
        with closing(sqlite3.connect(self.file)) as connection:
            return int(connection.execute("SELECT count(*) FROM holds").fetchone()[0])


class TestSqlite(InFile):
    @pytest.fixture
    async def store(self, clock: FakeClock, path: Path) -> AsyncIterator[Store]:
        store = open_store(str(path), clock=clock)
        yield store
        await store.close()


class TestFront(InFile):
    """The small cache in front of a store must not be noticed."""

    @pytest.fixture
    async def store(self, clock: FakeClock, path: Path) -> AsyncIterator[Store]:
        store = LruFront(open_store(str(path), clock=clock), clock, max_entries=4)
        yield store
        await store.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    with RedisServer(tmp_path_factory.mktemp("redis")) as server:
        yield server


@pytest.mark.process
@pytest.mark.skipif(bool(why_not()), reason=why_not() or "redis-server is there")
@pytest.mark.usefixtures("patient_store")
class TestRedis(StoreContract):
    @pytest.fixture(autouse=True)
    def url(self, server: RedisServer) -> str:
        self.server_url = server.url
        return server.url

    @pytest.fixture
    async def store(self, clock: FakeClock, url: str) -> AsyncIterator[Store]:
        async with redis.asyncio.Redis.from_url(url) as client:
            await client.flushdb()
        store = open_store(url, clock=clock)
        yield store
        await store.close()

    async def holds(self, store: Store) -> int:
        async with redis.asyncio.Redis.from_url(self.server_url) as client:
            fields = await cast("Awaitable[dict[bytes, bytes]]", client.hgetall("seekread:c:plan"))
        return len(fields.keys() - {b"used", b"swept"})

    async def pass_time(self, clock: FakeClock, seconds: float) -> None:
        """Take the seconds off every lifetime, as the server's own clock would."""
        clock.now += seconds
        async with redis.asyncio.Redis.from_url(self.server_url) as client:
            async for key in client.scan_iter():
                if (left := await client.pttl(key)) > 0:
                    await client.pexpire(key, int(left - seconds * 1000))
