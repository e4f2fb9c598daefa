"""
Known answers: a question whose answer everybody has tells "nothing found" from "blocked".

A provider whose empty answer nobody believes is asked one, at most once an hour over all processes, and never where a
call may cost something. Without the known answer it is blocked, for the rest of that hour. With it "nothing found" is
believed, for ten minutes: a block may begin at any time. In between an empty answer stays what it is, unconfirmed.
"""

from collections.abc import Awaitable, Callable, Iterable
from typing import Literal

from seekread.errors import Blocked, ProviderError, SuspiciousEmpty
from seekread.hostnames import host_of, matches_any
from seekread.late import dataclass
from seekread.models import SearchResult
from seekread.options import Query
from seekread.ports import Limit, Store, StoreUnavailable, Want
from seekread.provider import Found, KnownAnswer, SearchProvider, traits

Judgement = Literal["right", "wrong"]

HOUR = 3_600.0
BELIEVED: dict[Judgement, float] = {"right": 600.0, "wrong": HOUR}
"""Seconds a verdict holds."""


def is_answered(known: KnownAnswer, results: Iterable[SearchResult]) -> bool:
    """Whether the page everybody knows is among the results; without a site any page will do."""
    sites = (known.site,) if known.site else ()
    return any(not sites or matches_any(host_of(result.url), sites) for result in results)


@dataclass(frozen=True)
class KnownAnswers:
    """Judges empty answers that nobody believes."""

    store: Store

    async def settle(
        self, provider: SearchProvider, doubt: SuspiciousEmpty, ask: Callable[[Query], Awaitable[Found]]
    ) -> Found:
        """Nothing found if that is confirmed; otherwise raise `Blocked`, or the doubt that is left."""
        about = traits(provider)
        if about.plans or not about.known_answers:
            raise doubt
        try:
            verdict = await self._verdict(about.name, about.known_answers[0], ask)
        except StoreUnavailable:
            raise doubt from None
        if verdict == "wrong":
            raise Blocked(f"{about.name} gave no results, not even for a question with a known answer") from doubt
        if verdict is None:
            raise doubt
        return Found((), notes=(f"{about.name} finds what it must find, so nothing found is believed",))

    async def _verdict(
        self, name: str, known: KnownAnswer, ask: Callable[[Query], Awaitable[Found]]
    ) -> Judgement | None:
        key = f"known-answer/{name}"
        if entry := await self.store.get(key):
            return "right" if entry.value == b"right" else "wrong"
        if not (await self.store.reserve(Want(key, 1, Limit(1, HOUR)))).granted:
            return None
        try:
            found = await ask(Query(text=known.question))
            verdict: Judgement = "right" if is_answered(known, found.results) else "wrong"
        except (SuspiciousEmpty, Blocked):
            verdict = "wrong"
        except ProviderError:
            return None
        await self.store.put(key, verdict.encode(), lifetime=BELIEVED[verdict])
        return verdict
