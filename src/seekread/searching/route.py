"""
Step 4, route: who is asked, and when.

`first`  one after another; the first that answers wins, even if it found nothing
`hedge`  the second starts when the first is slower than it usually is; the loser is cancelled
`fuse`   everybody at once; the rankings are merged

A provider's failure, a block and an unbelievable emptiness all lead to the next one. Nobody answering is an empty list
of answers, and the engine makes an error of that.
"""

from collections.abc import Awaitable, Callable, Sequence

import anyio

from seekread.errors import ProviderError
from seekread.models import RouteName
from seekread.provider import SearchProvider
from seekread.searching.ask import ProviderAnswer

Ask = Callable[[SearchProvider], Awaitable[ProviderAnswer]]
SlowAfter = Callable[[SearchProvider], float | None]
"""Seconds after which a provider counts as slow; `None` when no second one may run beside it."""
Route = Callable[[Sequence[SearchProvider], Ask, SlowAfter], Awaitable[list[ProviderAnswer]]]


async def first(chain: Sequence[SearchProvider], ask: Ask, _slow_after: SlowAfter) -> list[ProviderAnswer]:
    for provider in chain:
        try:
            return [await ask(provider)]
        except ProviderError:
            continue
    return []


async def hedge(chain: Sequence[SearchProvider], ask: Ask, slow_after: SlowAfter) -> list[ProviderAnswer]:
    """Start the next provider when one failed, or when the latest is slower than it usually is."""
    waiting, running = list(chain), 0
    done, finished = anyio.create_memory_object_stream[ProviderAnswer | None](len(chain) or 1)

    async def one(provider: SearchProvider) -> None:
        try:
            await done.send(await ask(provider))
        except ProviderError:
            await done.send(None)

    async with done, finished, anyio.create_task_group() as group:
        while waiting or running:
            patience = None
            if waiting:
                provider = waiting.pop(0)
                group.start_soon(one, provider)
                running += 1
                patience = slow_after(provider) if waiting else None
            with anyio.move_on_after(patience):
                answer = await finished.receive()
                running -= 1
                if answer is not None:
                    group.cancel_scope.cancel()
                    return [answer]
    return []


async def fuse(chain: Sequence[SearchProvider], ask: Ask, _slow_after: SlowAfter) -> list[ProviderAnswer]:
    answers: dict[str, ProviderAnswer] = {}

    async def one(provider: SearchProvider) -> None:
        try:
            answers[provider.name] = await ask(provider)
        except ProviderError:
            return

    async with anyio.create_task_group() as group:
        for provider in chain:
            group.start_soon(one, provider)
    # In the order of the chain, so that ties do not depend on the network.
    return [answers[provider.name] for provider in chain if provider.name in answers]


ROUTES: dict[RouteName, Route] = {"first": first, "hedge": hedge, "fuse": fuse}
