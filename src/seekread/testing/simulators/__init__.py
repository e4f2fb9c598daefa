"""
Simulators of the services' APIs: real HTTP on loopback, answers that follow from the query, faults on demand.

    with simulators.start("brave") as brave:
        provider = Brave(**brave.settings())
        brave.fail(Fault(429), times=1)
        …
        assert brave.received[0].params["q"] == "tea"

Each stands in a module named after its provider; a new file here is a new simulator. What a service does for those
without a key stands beside it, under the name of the provider and the word keyless: `start("exa keyless")`.
`python -m seekread.testing.simulators` runs all of them and prints the environment that points a program at them.
"""

from importlib import import_module
from pkgutil import iter_modules

from seekread.testing.simulators.simulator import Refusal, Simulator

__all__ = ["KEYLESS", "Refusal", "Simulator", "names", "simulator", "start"]


SHARED = {"__main__", "mcp_tool", "simulator"}
"""Modules here that are no simulators."""
KEYLESS = " keyless"
"""What stands behind the name of a provider in that of the simulator without a key."""


def names() -> list[str]:
    """The providers that have a simulator."""
    return sorted(module.name for module in iter_modules(__path__) if module.name not in SHARED)


def simulator(name: str) -> type[Simulator]:
    """The simulator of a provider, or of what it does for those without a key."""
    if name.removesuffix(KEYLESS) not in names():
        raise KeyError(f"no simulator for {name!r}; there are {', '.join(names())}")
    module = import_module(f"{__name__}.{name.removesuffix(KEYLESS)}")
    own = [each for each in vars(module).values() if isinstance(each, type) and each.__module__ == module.__name__]
    found: list[type[Simulator]] = [each for each in own if issubclass(each, Simulator) and each.name == name]
    if len(found) != 1:
        raise KeyError(f"{module.__file__} must hold one Simulator whose name is {name!r}, and holds {len(found)}")
    return found[0]


def start(name: str, *, port: int = 0) -> Simulator:
    """Start the simulator of a provider; stop it, or use it as a context manager."""
    started = simulator(name)(port=port)
    started.start()
    return started
