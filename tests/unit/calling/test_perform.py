"""A call is sent and its reply judged; how long to wait is counted on the clock that was handed over."""

from datetime import UTC, datetime
from email.utils import format_datetime

import pytest

from seekread.calling.perform import perform
from seekread.errors import ProviderError, RateLimited, Unreachable
from seekread.http.client import ServiceClient
from seekread.provider import Call, Reply, Request
from seekread.testing.clock import FakeClock
from seekread.testing.server import Answer, LoopbackServer, Received

pytestmark = pytest.mark.anyio


async def failed(answer: Answer, clock: FakeClock, explain: ProviderError | None = None) -> ProviderError:
    """The error that comes of a service that answers so."""

    def respond(_request: Received) -> Answer:
        return answer

    client = ServiceClient()
    try:
        with LoopbackServer(respond) as server:
            call = Call(Request("GET", server.url), Reply.json, lambda _reply: explain)
            with pytest.raises(ProviderError) as caught:
                await perform(call, client, clock, seconds=5)
            return caught.value
    finally:
        await client.close()


@pytest.mark.parametrize(("status", "kind"), [(429, RateLimited), (503, Unreachable)])
async def test_a_date_to_come_back_is_counted_from_the_clock_of_the_engine(
    status: int, kind: type[ProviderError]
) -> None:
    """A clock turned by hand stands months beside the machine's."""
    clock = FakeClock()
    date = format_datetime(datetime.fromtimestamp(clock.time() + 90, UTC), usegmt=True)
    error = await failed(Answer(status=status, headers={"retry-after": date}), clock)
    assert (type(error), error.retry_after) == (kind, 90)


async def test_a_refusal_that_a_provider_explains_carries_the_wait_too() -> None:
    error = await failed(Answer(status=429, headers={"retry-after": "7"}), FakeClock(), RateLimited("the limiter"))
    assert (str(error), error.retry_after) == ("the limiter", 7)


async def test_what_a_provider_knows_better_stays() -> None:
    told = RateLimited("this minute's plan", retry_after=1)
    assert (await failed(Answer(status=429, headers={"retry-after": "7"}), FakeClock(), told)).retry_after == 1


async def test_a_service_that_names_no_time_is_waited_for_as_usual() -> None:
    assert (await failed(Answer(status=429, headers={"retry-after": "soon"}), FakeClock())).retry_after is None
