"""
Step 5, once more: when nobody could answer, ask those who only need patience.

A pause that was asked for, a rest after failures and a full room of ours all pass. Who has nobody else to ask waits for
the shortest of them, as long as it ends before the deadline does; nobody is asked this way more than twice.
"""

from collections.abc import Awaitable, Callable, Sequence

from seekread.calling.deadline import Deadline
from seekread.errors import ProviderError
from seekread.outcomes import MEANINGS
from seekread.provider import SearchProvider
from seekread.searching.ask import ProviderAnswer

CHANCES = 2

AskPatiently = Callable[[SearchProvider], Awaitable[ProviderAnswer]]
"""Asks a provider and waits until it can be asked."""
WaitFor = Callable[[SearchProvider], float | None]
"""Seconds until a provider can be asked again, if waiting is all that it needs."""


async def later(
    chain: Sequence[SearchProvider], wait_for: WaitFor, ask: AskPatiently, deadline: Deadline
) -> list[ProviderAnswer]:
    """The answer of whoever can be asked soonest."""
    chances = dict.fromkeys((provider.name for provider in chain), CHANCES)
    while True:
        waits = {
            provider.name: wait
            for provider in chain
            if chances[provider.name] and (wait := wait_for(provider)) is not None
        }
        soonest = min(chain, key=lambda provider: waits.get(provider.name, float("inf")), default=None)
        if soonest is None or waits.get(soonest.name, float("inf")) >= deadline.remaining():
            return []
        chances[soonest.name] -= 1
        try:
            answer = await ask(soonest)
        except ProviderError:
            continue
        if answer.settles:
            return [answer]


def wait_after(problem: ProviderError | None) -> float | None:
    """Seconds until a provider can be asked again, if waiting is all that it needs."""
    return problem.retry_after if problem and MEANINGS[problem.outcome].passes else None
