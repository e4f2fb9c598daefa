"""
Simulators of the services' APIs: real HTTP on loopback, answers that follow from the query, faults on demand.

    with simulators.start("brave") as brave:
        provider = Brave(**brave.settings())
        brave.fail(Fault(429), times=1)
        …
        assert brave.received[0].params["q"] == "tea"

`python -m seekread.testing.simulators` runs all of them and prints the environment that points a program at them.
"""

from importlib import import_module

from seekread.testing.simulators.simulator import Refusal, Simulator

__all__ = ["SIMULATED", "Refusal", "Simulator", "simulator", "start"]

SIMULATED: dict[str, str] = {
    "brave": "BraveSimulator",
    "duckduckgo": "DuckDuckGoSimulator",
    "exa": "ExaSimulator",
    "firecrawl": "FirecrawlSimulator",
    "jina": "JinaSimulator",
    "perplexity": "PerplexitySimulator",
    "searxng": "SearXNGSimulator",
    "serper": "SerperSimulator",
    "tavily": "TavilySimulator",
    "wikipedia": "WikipediaSimulator",
}
"""Name of a provider → class in the module of the same name."""


def simulator(name: str) -> type[Simulator]:
    """The simulator of a provider."""
    if name not in SIMULATED:
        raise KeyError(f"no simulator for {name!r}; there are {', '.join(SIMULATED)}")
    found: type[Simulator] = getattr(import_module(f"{__name__}.{name}"), SIMULATED[name])
    return found


def start(name: str, *, port: int = 0) -> Simulator:
    """Start the simulator of a provider; stop it, or use it as a context manager."""
    started = simulator(name)(port=port)
    started.start()
    return started
