from collections.abc import Mapping
from typing import ClassVar

import pytest
from seekread_acme import Acme

from seekread import Seekread
from seekread.provider import QuotaExhausted
from seekread.testing import provider_contract
from seekread.testing.hits import hits
from seekread.testing.provider_contract import ProviderCase
from seekread.testing.server import Answer, Fault, Received
from seekread.testing.simulators import Refusal, Simulator

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class AcmeSimulator(Simulator):
    """The API as it answers on the wire, and the ways of its own in which it says no."""

    name = "acme"
    url_variable = "ACME_BASE_URL"
    key_variable = "ACME_API_KEY"
    refusals: ClassVar[Mapping[str, Refusal]] = {"plan used up": Refusal(Fault(418, "I am a teapot"), QuotaExhausted)}

    def reply(self, received: Received) -> Answer:
        asked = received.params
        if received.headers.get("authorization") != f"Bearer {self.key}":
            return Answer({"error": "who are you?"}, 401)
        found = hits(asked["q"], int(asked["size"]), page=int(asked["page"]))
        return Answer({"hits": [{"title": hit.title, "link": hit.url, "text": hit.snippet} for hit in found]})


@pytest.mark.parametrize("check", provider_contract.CHECKS)
async def test_it_keeps_the_contract(check: str) -> None:
    with AcmeSimulator() as simulator:
        await provider_contract.CHECKS[check](ProviderCase(Acme(**simulator.settings()), simulator))


@pytest.mark.parametrize("fault", provider_contract.faults(AcmeSimulator))
async def test_a_failure_is_never_no_results(fault: str) -> None:
    with AcmeSimulator() as simulator:
        await provider_contract.check_fault(ProviderCase(Acme(**simulator.settings()), simulator), fault)


async def test_it_is_found_by_its_name() -> None:
    with AcmeSimulator() as simulator:
        async with Seekread("acme", settings={"store": "memory:"}, providers={"acme": simulator.settings()}) as web:
            response = await web.search("green tea", freshness="week")
    assert response.results[0].snippet == 'What page 1 says about "green tea".'
    assert simulator.received[0].params["since"] == "week"
