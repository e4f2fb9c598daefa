"""The contract every provider keeps, driven over real HTTP against the simulator of its service."""

from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

import pytest

from seekread.testing import provider_contract, simulators
from seekread.testing.provider_contract import ProviderCase
from seekread.testing.simulators import Simulator

pytestmark = pytest.mark.anyio

PROVIDERS: dict[str, str] = {
    "brave": "Brave",
    "duckduckgo": "DuckDuckGo",
    "exa": "Exa",
    "firecrawl": "Firecrawl",
    "jina": "JinaSearch",
    "perplexity": "Perplexity",
    "searxng": "SearXNG",
    "serper": "Serper",
    "tavily": "Tavily",
    "wikipedia": "Wikipedia",
}


def provider_class(name: str) -> Any:
    return getattr(import_module(f"seekread.providers.{name}"), PROVIDERS[name])


@pytest.fixture(scope="module")
def running() -> Iterator[dict[str, Simulator]]:
    """The simulators, started when first needed and shared, because starting one costs more than a test."""
    started: dict[str, Simulator] = {}
    yield started
    for simulator in started.values():
        simulator.stop()


@pytest.fixture
def case(request: pytest.FixtureRequest, running: dict[str, Simulator]) -> ProviderCase:
    name = request.param
    if name not in running or running[name].closing.is_set():
        running[name] = simulators.start(name)
    running[name].reset()
    return ProviderCase(provider_class(name)(**running[name].settings()), running[name])


def test_every_registered_service_is_under_contract() -> None:
    registered = {
        entry.name
        for entry in entry_points(group="seekread.providers")
        if entry.value.startswith("seekread.providers.")
    }
    assert registered <= set(PROVIDERS) == set(simulators.SIMULATED)


@pytest.mark.parametrize("case", sorted(PROVIDERS), indirect=True)
@pytest.mark.parametrize("check", provider_contract.CHECKS)
async def test_contract(case: ProviderCase, check: str) -> None:
    """What each check says in its docstring."""
    await provider_contract.CHECKS[check](case)


@pytest.mark.parametrize(
    ("case", "fault"),
    [(name, fault) for name in sorted(PROVIDERS) for fault in provider_contract.faults(simulators.simulator(name))],
    indirect=["case"],
)
async def test_a_fault_becomes_the_right_error_and_never_an_empty_list(case: ProviderCase, fault: str) -> None:
    await provider_contract.check_fault(case, fault)


@pytest.mark.parametrize("name", sorted(simulators.SIMULATED))
def test_at_least_fifteen_faults_are_tried_on_every_provider(name: str) -> None:
    assert len(provider_contract.faults(simulators.simulator(name))) >= 15


READERS = [name for name in sorted(PROVIDERS) if hasattr(provider_class(name), "read")]


@pytest.mark.proves("S3-5")
@pytest.mark.parametrize("case", READERS, indirect=True)
async def test_a_page_comes_back_with_its_text(case: ProviderCase) -> None:
    """S3-3: one class reads as well as it searches."""
    page = await provider_contract.open_page(case)
    assert page.url == provider_contract.PAGE
    assert provider_contract.PAGE in page.content
    assert page.title
    assert provider_contract.PAGE in str(case.simulator.received[0].json)


@pytest.mark.proves("S3-28")
@pytest.mark.parametrize(
    ("case", "fault"),
    [(name, fault) for name in READERS for fault in provider_contract.read_faults(simulators.simulator(name))],
    indirect=["case"],
)
async def test_a_fault_while_reading_becomes_the_right_error_and_never_an_empty_page(
    case: ProviderCase, fault: str
) -> None:
    await provider_contract.check_read_fault(case, fault)
