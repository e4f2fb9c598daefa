"""
What the service counts, in the text format of Prometheus: base units, and never a query or an address in a label.

Everything is a number under a name and labels, a histogram's buckets too, so that the numbers of several workers are
simply added. Each worker leaves its numbers in the store; whoever is asked adds them up.
"""

import json
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Literal

from seekread.ports import Store
from seekread.state.usage import Usage
from seekread.version import VERSION

Labels = tuple[tuple[str, str], ...]
Numbers = dict[tuple[str, Labels], float]

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0)
EDGES = (*(f"{bucket:g}" for bucket in BUCKETS), "+Inf")
DESCRIBED: dict[str, tuple[Literal["counter", "gauge", "histogram"], str]] = {
    "seekread_build_info": ("gauge", "The version that runs."),
    "seekread_searches_total": ("counter", "Attempts at searching, by provider and outcome."),
    "seekread_search_duration_seconds": ("histogram", "How long attempts at searching took."),
    "seekread_reads_total": ("counter", "Attempts at reading a page, by reader and outcome."),
    "seekread_read_duration_seconds": ("histogram", "How long attempts at reading a page took."),
    "seekread_cache_requests_total": ("counter", "Answers and pages that were kept already, or not."),
    "seekread_provider_quota_remaining": ("gauge", "What is left of the provider's plan."),
    "seekread_cost_usd_total": ("counter", "What the provider has cost in the current period of its plan."),
    "seekread_provider_resting": ("gauge", "Whether the provider is left alone for a while after failures."),
    "seekread_http_requests_total": ("counter", "Requests answered, by route, method and status."),
    "seekread_http_request_duration_seconds": ("histogram", "How long requests took."),
    "seekread_http_requests_in_flight": ("gauge", "Requests under way."),
}
LIFETIME = 7 * 86_400.0


class Metrics:
    """The numbers of one process."""

    def __init__(self) -> None:
        self.numbers: Numbers = defaultdict(float)

    def count(self, name: str, amount: float = 1.0, /, **labels: str) -> None:
        """Add to a counter."""
        self.numbers[name, tuple(labels.items())] += amount

    def time(self, name: str, seconds: float, /, **labels: str) -> None:
        """Add to a histogram: to the one bucket it falls into. They are piled up when they are written."""
        self.count(f"{name}_bucket", 1.0, **labels, le=EDGES[bisect_left(BUCKETS, seconds)])
        self.count(f"{name}_sum", seconds, **labels)


def account(usages: Iterable[Usage]) -> Numbers:
    """What the ledger knows, as numbers; several keys of one provider are added up."""
    numbers: Numbers = defaultdict(float)
    for usage in usages:
        labels = (("provider", usage.provider),)
        numbers["seekread_cost_usd_total", labels] += usage.dollars
        if usage.remaining is not None:
            numbers["seekread_provider_quota_remaining", labels] += usage.remaining
    return numbers


async def shared(store: Store, boot: str, worker: str, own: Mapping[tuple[str, Labels], float]) -> Numbers:
    """Leave this worker's numbers in the store and add up everybody's."""
    await leave(store, boot, worker, own)
    total: Numbers = defaultdict(float)
    for entry in await store.scan(f"metrics/{boot}/"):
        for name, labels, value in json.loads(entry.value):
            total[name, tuple((key, text) for key, text in labels)] += value
    return total


async def leave(store: Store, boot: str, worker: str, own: Mapping[tuple[str, Labels], float]) -> None:
    """Leave this worker's numbers in the store."""
    document = json.dumps([[name, labels, value] for (name, labels), value in own.items()])
    await store.put(f"metrics/{boot}/{worker}", document.encode(), lifetime=LIFETIME)


def written(numbers: Mapping[tuple[str, Labels], float]) -> str:
    """Numbers in the text format, with a line of help before each name."""
    everything = {("seekread_build_info", (("version", VERSION),)): 1.0, **numbers}
    lines: list[str] = []
    for name, (kind, help_text) in DESCRIBED.items():
        series = histogram(name, everything) if kind == "histogram" else value_lines(name, everything)
        if series:
            lines += [f"# HELP {name} {help_text}", f"# TYPE {name} {kind}", *series]
    return "\n".join(lines) + "\n"


def value_lines(name: str, numbers: Mapping[tuple[str, Labels], float]) -> list[str]:
    """The lines of a counter or gauge."""
    return [f"{name}{braced(labels)} {value:.15g}" for (series, labels), value in numbers.items() if series == name]


def histogram(name: str, numbers: Mapping[tuple[str, Labels], float]) -> list[str]:
    """The lines of a histogram, in which every bucket holds those below it."""
    lines: list[str] = []
    for (series, labels), total in numbers.items():
        if series != f"{name}_sum":
            continue
        count = 0.0
        for edge in EDGES:
            count += numbers.get((f"{name}_bucket", (*labels, ("le", edge))), 0.0)
            lines.append(f"{name}_bucket{braced((*labels, ('le', edge)))} {count:.15g}")
        lines += [f"{name}_sum{braced(labels)} {total:.15g}", f"{name}_count{braced(labels)} {count:.15g}"]
    return lines


def braced(labels: Labels) -> str:
    """Labels in braces, their values escaped."""
    pairs = ",".join(f'{name}="{escaped(value)}"' for name, value in labels)
    return f"{{{pairs}}}" if pairs else ""


def escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
