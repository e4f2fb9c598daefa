"""A call is sent and its reply judged; how long to wait is counted on the clock that was handed over."""

from datetime import UTC, datetime
from email.utils import format_datetime
from itertools import count

import pytest

from seekread.calling.perform import perform
from seekread.errors import BadReply, ProviderError, RateLimited, TimedOut, Unreachable
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


async def test_a_web_page_in_place_of_an_answer_is_told_as_one() -> None:
    error = await failed(Answer("<title>Welcome to our hotel</title>", content_type="text/html"), FakeClock())
    assert isinstance(error, BadReply)
    assert "sign-in page of a network, or a proxy" in str(error)


async def performed(call: Call[str], seconds: float = 5, clock: FakeClock | None = None) -> str:
    client = ServiceClient()
    try:
        return await perform(call, client, clock or FakeClock(), seconds=seconds)
    finally:
        await client.close()


async def test_a_call_may_lead_to_the_one_that_completes_its_answer() -> None:
    with LoopbackServer(lambda request: Answer(f"told of {request.path}")) as server:

        def follow(text: str) -> Call[str] | None:
            return Call(Request("GET", f"{server.url}/{text[-1]}/more"), Reply.text)

        told = await performed(Call(Request("GET", f"{server.url}/a"), Reply.text, then=follow))
        assert (told, [request.path for request in server.received]) == ("told of /a/more", ["/a", "/a/more"])


async def test_a_second_call_has_the_time_that_the_first_one_left() -> None:
    class Late(FakeClock):
        """A minute passes whenever somebody looks."""

        moments = count(step=60)

        def monotonic(self) -> float:
            return next(self.moments)

    with LoopbackServer(lambda _: Answer("slow")) as server:

        def follow(_text: str) -> Call[str] | None:
            return Call(Request("GET", f"{server.url}/more"), Reply.text)

        with pytest.raises(TimedOut):
            await performed(Call(Request("GET", server.url), Reply.text, then=follow), seconds=30, clock=Late())
