"""
The contract every provider keeps, driven over real HTTP against the simulator of its service.

Nothing here names a provider: those are tried that the package announces, with the simulators there are.
What a new one still lacks is told by the first tests of this file.
"""

import importlib
import inspect
import pkgutil
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from seekread import providers
from seekread.provider import traits
from seekread.providers.catalog import SEARCH_ORDER
from seekread.providers.plugins import installed
from seekread.providers.registry import READ_GROUP, SEARCH_GROUP, Registry, provider_class
from seekread.testing import provider_contract, simulators
from seekread.testing.provider_contract import ProviderCase
from seekread.testing.simulators import KEYLESS, Simulator

pytestmark = pytest.mark.anyio

PROJECT = Path(__file__).parents[2] / "pyproject.toml"
ANNOUNCED = {
    group: {name: entry.value for name, entry in installed(group).items()} for group in (SEARCH_GROUP, READ_GROUP)
}
SERVICES = sorted(name for name, value in ANNOUNCED[SEARCH_GROUP].items() if value.startswith("seekread.providers."))
PROVIDERS = [name for name in SERVICES if name in simulators.names()]
"""Our services that can be tried; the first tests below complain about the others."""
MODES = [f"{name} {mode}" for name in PROVIDERS for mode in simulators.simulator(name).modes]
"""Other ways to use them."""
WITHOUT_KEY = [f"{name}{KEYLESS}" for name in ("exa", "firecrawl", "keenable", "parallel", "tavily", "you")]
"""What some of them do for those without a key."""


@pytest.mark.parametrize("group", [SEARCH_GROUP, READ_GROUP])
def test_every_provider_that_is_announced_is_installed(group: str) -> None:
    """An entry point takes effect when the package is installed again: `make setup`."""
    announced = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["entry-points"][group]
    missing = announced.items() - ANNOUNCED[group].items()
    assert not missing, f"{PROJECT.name} announces what is not installed, run `make setup`: {missing}"


@pytest.mark.parametrize("file", sorted(module.name for module in pkgutil.iter_modules(providers.__path__)))
def test_every_provider_in_the_folder_is_announced(file: str) -> None:
    module = importlib.import_module(f"seekread.providers.{file}")
    own = [kind for kind in vars(module).values() if inspect.isclass(kind) and kind.__module__ == module.__name__]
    for kind in own:
        name, value = vars(kind).get("name"), f"{module.__name__}:{kind.__name__}"
        announced = [entries for entries in ANNOUNCED.values() if entries.get(str(name)) == value]
        line = f'{name} = "{value}"'
        assert announced or not isinstance(name, str), f"pyproject.toml lacks {line} among its entry points"


@pytest.mark.parametrize("name", SERVICES)
def test_every_service_has_a_simulator_and_a_place_in_the_order(name: str) -> None:
    assert name in simulators.names(), f"src/seekread/testing/simulators/{name}.py is missing: how {name} answers"
    assert (name in SEARCH_ORDER) != traits(provider_class(name)).by_name, (
        f"SEARCH_ORDER in src/seekread/providers/catalog.py must say when {name} is asked, or the class that it is not"
    )


def test_every_service_that_answers_without_a_key_has_a_simulator_of_that() -> None:
    """By consent: Exa, Parallel, Keenable, Tavily, Firecrawl, You."""
    assert [f"{name}{KEYLESS}" for name in Registry().keyless_names()] == WITHOUT_KEY
    assert all(simulators.simulator(name).name == name for name in WITHOUT_KEY)


@pytest.mark.parametrize("name", simulators.names())
def test_every_simulator_has_a_service(name: str) -> None:
    assert name in SERVICES, f"pyproject.toml announces no provider for src/seekread/testing/simulators/{name}.py"
    assert simulators.simulator(name).name == name


def parted(case: str) -> tuple[str, str]:
    """The simulator of a case, and the mode in which the provider is used."""
    name, _, mode = case.partition(" ")
    return (case, "") if case.endswith(KEYLESS) else (name, mode)


@pytest.fixture(scope="module")
def running() -> Iterator[dict[str, Simulator]]:
    """The simulators, started when first needed and shared, because starting one costs more than a test."""
    started: dict[str, Simulator] = {}
    yield started
    for simulator in started.values():
        simulator.stop()


@pytest.fixture
def case(request: pytest.FixtureRequest, running: dict[str, Simulator]) -> ProviderCase:
    name, mode = parted(request.param)
    if name not in running or running[name].closing.is_set():
        running[name] = simulators.start(name)
    running[name].reset()
    chosen = running[name].modes[mode] if mode else {}
    return ProviderCase(provider_class(name.removesuffix(KEYLESS))(**running[name].settings(), **chosen), running[name])


@pytest.mark.parametrize("case", [*PROVIDERS, *MODES, *WITHOUT_KEY], indirect=True)
@pytest.mark.parametrize("check", provider_contract.CHECKS)
async def test_contract(case: ProviderCase, check: str) -> None:
    """What each check says in its docstring."""
    await provider_contract.CHECKS[check](case)


@pytest.mark.parametrize(
    ("case", "fault"),
    [
        (name, fault)
        for name in (*PROVIDERS, *MODES, *WITHOUT_KEY)
        for fault in provider_contract.faults(simulators.simulator(parted(name)[0]))
    ],
    indirect=["case"],
)
async def test_a_fault_becomes_the_right_error_and_never_an_empty_list(case: ProviderCase, fault: str) -> None:
    await provider_contract.check_fault(case, fault)


@pytest.mark.parametrize("name", PROVIDERS)
def test_at_least_fifteen_faults_are_tried_on_every_provider(name: str) -> None:
    assert len(provider_contract.faults(simulators.simulator(name))) >= 15


READERS = [name for name in PROVIDERS if hasattr(provider_class(name), "read")]


@pytest.mark.proves("S3-5")
@pytest.mark.parametrize("case", READERS, indirect=True)
async def test_a_page_comes_back_with_its_text(case: ProviderCase) -> None:
    """S3-3: one class reads as well as it searches."""
    page = await provider_contract.open_page(case)
    assert page.url == provider_contract.PAGE
    assert provider_contract.PAGE in page.content
    assert page.title
    assert any(provider_contract.PAGE in str(received.json) for received in case.simulator.received)


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
