import pytest

from seekread import AllFailed, Seekread
from seekread.testing.server import Answer, Fault, LoopbackServer, Received


def acme(received: Received) -> Answer:
    """The API as it answers on the wire."""
    if received.headers.get("authorization") != "Bearer secret":
        return Answer({"error": "who are you?"}, 401)
    return Answer({"hits": [{"title": "Tea", "link": "https://e.org/tea", "text": received.params["q"]}]})


def web(server: LoopbackServer) -> Seekread:
    return Seekread(
        "acme",
        settings={"store": "memory:", "attempts": 1},
        providers={"acme": {"api_key": "secret", "base_url": server.url}},
    )


@pytest.mark.anyio
async def test_results_come_back() -> None:
    with LoopbackServer(acme) as server:
        async with web(server) as client:
            response = await client.search("green tea", freshness="week")
    assert response.results[0].snippet == "green tea"
    assert server.received[0].params["since"] == "week"


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("fault", "outcome"),
    [
        (Fault(401), "auth_failed"),
        (Fault(418), "quota_exhausted"),
        (Fault(429), "rate_limited"),
        (Fault(503), "unreachable"),
        (Fault(body="<html>"), "bad_reply"),
        (Fault(body={"hits": None}), "bad_reply"),
        (Fault(how="reset"), "unreachable"),
    ],
)
async def test_a_failure_is_never_no_results(fault: Fault, outcome: str) -> None:
    with LoopbackServer(acme) as server:
        server.fail(fault)
        async with web(server) as client:
            with pytest.raises(AllFailed) as caught:
                await client.search("green tea")
    assert caught.value.outcome == outcome
