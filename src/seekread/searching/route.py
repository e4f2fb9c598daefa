"""
Step 4, route: who is asked, and when.

`first`  one after another; the first that answers wins, even if it found nothing
`hedge`  the second starts when the first is slower than it usually is; the loser is cancelled
`auto`   as `first`, but it hedges towards a provider that costs nothing, or less than the one that is slow
`fuse`   everybody at once; the rankings are merged

A provider's failure, a block, a full room and an unbelievable emptiness all lead to the next one, and so does an
encyclopedia or another corpus that has nothing: it cannot know that the web has nothing. Nobody answering is an empty
list of answers, and the engine makes an error of that.
"""

import math
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import field
from typing import Protocol

import anyio

from seekread.errors import Overloaded, ProviderError
from seekread.late import dataclass
from seekread.models import RouteName
from seekread.provider import SearchProvider
from seekread.providers.registry import Later
from seekread.searching.ask import ProviderAnswer
from seekread.tasks import tasks

ASK_AGAIN = 0.05
"""Seconds before a second call is asked for again that was not allowed."""


class Ask(Protocol):
    """Asks a provider; `begins` is told when the request is about to leave."""

    def __call__(self, provider: SearchProvider, *, begins: Callable[[], None] = ...) -> Awaitable[ProviderAnswer]: ...


class Hedging(Protocol):
    """What there is to know before and after a second call runs beside a slow one."""

    def slow_after(self, provider: SearchProvider) -> float:
        """Seconds after which a provider is slower than usual."""
        ...

    def costs_less(self, provider: SearchProvider, other: SearchProvider) -> bool:
        """Whether a provider costs nothing, or less than another."""
        ...

    def may_hedge(self, provider: SearchProvider) -> bool:
        """Whether a second call may run beside this one's; a yes is taken from an allowance."""
        ...

    def outwaited(self, provider: SearchProvider, seconds: float) -> None:
        """Another one answered while this one had been silent for so long."""
        ...


Route = Callable[[Sequence[SearchProvider], Ask, Hedging], Awaitable[list[ProviderAnswer]]]


async def first(chain: Sequence[SearchProvider], ask: Ask, _hedging: Hedging) -> list[ProviderAnswer]:
    unsettled: list[ProviderAnswer] = []
    waiting, full = list(chain), list[SearchProvider]()
    while waiting:
        provider = waiting.pop(0)
        try:
            answer = await ask(provider)
        except Overloaded:
            full.append(provider)
            continue
        except ProviderError:
            # That took its time: those who only had no room come first.
            waiting, full = full + waiting, []
            continue
        if answer.settles:
            return [answer]
        unsettled.append(answer)
    return unsettled


async def hedge(chain: Sequence[SearchProvider], ask: Ask, hedging: Hedging) -> list[ProviderAnswer]:
    """Start the next provider when one failed, or when the latest is slower than it usually is."""
    return await Race(list(chain), ask, hedging).run()


async def auto(chain: Sequence[SearchProvider], ask: Ask, hedging: Hedging) -> list[ProviderAnswer]:
    """The same, but the next one is started beside a slow one only where it costs nothing, or less."""
    if len(chain) == 1:
        return await first(chain, ask, hedging)
    race = Race(list(chain), ask, hedging, thrifty=True)
    follows = any(race.may_follow(provider, slow) for slow in chain for provider in chain if provider is not slow)
    return await (race.run() if follows else first(chain, ask, hedging))


@dataclass(frozen=True)
class Event:
    """What happened to a provider of a race: its turn came, or it is through, with an answer or without."""

    provider: SearchProvider
    begun: bool = False
    full: bool = False
    answer: ProviderAnswer | None = None


@dataclass
class Race:
    """Providers asked one after another, the next beside the latest where that is slow; the first answer wins."""

    waiting: list[SearchProvider]
    ask: Ask
    hedging: Hedging
    thrifty: bool = False
    running: list[SearchProvider] = field(default_factory=list)
    full: list[SearchProvider] = field(default_factory=list)
    """Those who had no room: when somebody else fails, they come first."""
    began: dict[str, float] = field(default_factory=dict)
    """When each one's turn came: time in our own queue is nobody's slowness."""
    due: float = math.inf
    """When the latest counts as slow."""

    async def run(self) -> list[ProviderAnswer]:
        happens, happened = anyio.create_memory_object_stream[Event](math.inf)

        async def one(provider: SearchProvider) -> None:
            try:
                answer = await self.ask(provider, begins=lambda: happens.send_nowait(Event(provider, begun=True)))
                happens.send_nowait(Event(provider, answer=answer))
            except ProviderError as error:
                happens.send_nowait(Event(provider, full=isinstance(error, Overloaded)))

        unsettled: list[ProviderAnswer] = []
        async with happens, happened, tasks() as group:
            goes_on = True
            while self.running or self.waiting:
                if goes_on and self.waiting:
                    self.running.append(self.waiting.pop(0))
                    self.due = math.inf
                    group.start_soon(one, self.running[-1])
                event = None
                with anyio.move_on_after(self.due - anyio.current_time()):
                    event = await happened.receive()
                if event and event.answer and event.answer.settles:
                    self.tell_losers(event.provider)
                    group.cancel_scope.cancel()
                    return [event.answer]
                unsettled += [event.answer] if event and event.answer else []
                goes_on = self.noted(event) if event else self.is_slow()
        return unsettled

    def noted(self, event: Event) -> bool:
        """Take note of a turn that came, or of one who is through; after that the next one is asked."""
        if event.full:
            self.running.remove(event.provider)
            self.full.append(event.provider)
            return True
        if not event.begun:
            self.running.remove(event.provider)
            self.waiting, self.full = self.full + self.waiting, []
            return True
        if event.provider.name not in self.began:
            self.began[event.provider.name] = anyio.current_time()
            self.wait_for_latest()
        return False

    def is_slow(self) -> bool:
        """The latest is slow: whether the next one may run beside it."""
        if self.hedging.may_hedge(self.running[-1]):
            return True
        self.due = anyio.current_time() + max(ASK_AGAIN, self.hedging.slow_after(self.running[-1]))
        return False

    def wait_for_latest(self) -> None:
        """Count from when its turn came, where another may follow."""
        latest = self.running[-1]
        if self.waiting and latest.name in self.began and self.may_follow(self.waiting[0], latest):
            self.due = self.began[latest.name] + self.hedging.slow_after(latest)

    def may_follow(self, provider: SearchProvider, slow: SearchProvider) -> bool:
        # What a plug-in costs is known once it is there, and nobody is loaded just for that.
        return not self.thrifty or (not isinstance(provider, Later) and self.hedging.costs_less(provider, slow))

    def tell_losers(self, winner: SearchProvider) -> None:
        """Hold it against the others if they were slower than usual."""
        for provider in self.running:
            silent = anyio.current_time() - self.began.get(provider.name, math.inf)
            if provider is not winner and silent >= self.hedging.slow_after(provider):
                self.hedging.outwaited(provider, silent)


async def fuse(chain: Sequence[SearchProvider], ask: Ask, _hedging: Hedging) -> list[ProviderAnswer]:
    answers: dict[str, ProviderAnswer] = {}

    async def one(provider: SearchProvider) -> None:
        try:
            answers[provider.name] = await ask(provider)
        except ProviderError:
            return

    async with tasks() as group:
        for provider in chain:
            group.start_soon(one, provider)
    # In the order of the chain, so that ties do not depend on the network.
    return [answers[provider.name] for provider in chain if provider.name in answers]


ROUTES: dict[RouteName, Route] = {"first": first, "hedge": hedge, "auto": auto, "fuse": fuse}
