"""One session per token: what it owns, what it shares, and how long it lasts."""

from pathlib import Path
from typing import Any

import pytest

from seekread.compose import compose
from seekread.config.sources import load
from seekread.errors import AllFailed, Refused
from seekread.server.metrics import Metrics
from seekread.server.sessions import MOST_SESSIONS, Sessions
from seekread.server.tokens import Token
from seekread.testing.clock import FakeClock
from seekread.testing.simulators import Simulator

pytestmark = pytest.mark.anyio

DAY = 86_400


def sessions(brave: Simulator, folder: Path, clock: FakeClock, **settings: Any) -> Sessions:
    given = {"providers": ["brave"], "store": str(folder / "state.sqlite"), "cache": False, **settings}
    configuration = load(given, providers={"brave": brave.settings()}, environ={})
    return Sessions(compose(configuration, clock=clock), Metrics(), boot="boot")


async def test_a_budget_is_for_a_day_and_what_was_seen_outlives_it(brave: Simulator, tmp_path: Path) -> None:
    clock = FakeClock()
    kept = sessions(brave, tmp_path, clock, url_policy="seen")
    token = Token(name="poor", sha256="a" * 64, daily_calls=1)
    before = kept.of(token)
    found = await before.search("tea")
    with pytest.raises(AllFailed, match="cap reached"):
        await kept.of(token).search("cake")
    await clock.advance(DAY)
    after = kept.of(token)
    await after.search("cake")
    after.parts.provenance.check(found.results[0].url)
    await kept.parts.close()


async def test_what_a_session_has_seen_is_kept_as_hashes_for_a_day(brave: Simulator, tmp_path: Path) -> None:
    clock = FakeClock()
    kept = sessions(brave, tmp_path, clock, url_policy="seen")
    found = await kept.of(None).search("tea")
    held = await kept.parts.store.scan("seen/")
    assert len(held) == len(found.results)
    assert not [entry for entry in held for result in found.results if result.source in f"{entry.key} {entry.value!r}"]
    clock.now += DAY - 1
    assert len(await kept.parts.store.scan("seen/")) == len(held)
    clock.now += 1
    assert await kept.parts.store.scan("seen/") == []
    await kept.parts.close()


async def test_what_was_forgotten_is_gone_from_a_running_service_after_five_seconds(
    brave: Simulator, tmp_path: Path
) -> None:
    """Another process forgets, as `seekread forget` does."""
    clock = FakeClock()
    running, forgetting = (sessions(brave, tmp_path, clock, cache=True) for _ in range(2))
    for _ in range(3):
        await running.of(None).search("tea")
    assert len(brave.received) == 1
    # What nobody waits for is written with what somebody waits for.
    await running.parts.store.keep("other", b"")
    assert await forgetting.parts.store.clear("search/") == 1
    clock.now += 5
    await running.of(None).search("tea")
    assert len(brave.received) == 2
    await running.parts.close()
    await forgetting.parts.close()


async def test_a_budget_counts_dollars_too(brave: Simulator, tmp_path: Path) -> None:
    kept = sessions(brave, tmp_path, FakeClock())
    token = Token(name="poor", sha256="b" * 64, daily_dollars=0.006)
    await kept.of(token).search("tea")
    with pytest.raises(AllFailed, match=r"\$0\.01"):
        await kept.of(token).search("cake")
    await kept.parts.close()


async def test_the_settings_cap_sessions_without_a_budget_of_their_own(brave: Simulator, tmp_path: Path) -> None:
    kept = sessions(brave, tmp_path, FakeClock(), session_calls=1)
    for owner in (None, Token(name="a", sha256="c" * 64), Token(name="b", sha256="d" * 64)):
        await kept.of(owner).search("tea")
        with pytest.raises(AllFailed, match="cap reached"):
            await kept.of(owner).search("cake")
    await kept.parts.close()


async def test_sessions_share_everything_that_is_not_theirs(brave: Simulator, tmp_path: Path) -> None:
    kept = sessions(brave, tmp_path, FakeClock())
    one, other = (kept.of(Token(name=name, sha256=name * 64)) for name in "ef")
    assert one is kept.of(Token(name="e", sha256="e" * 64))
    assert one.parts.provenance is not other.parts.provenance
    assert one.parts.store is other.parts.store
    assert one.parts.client is other.parts.client
    assert one.parts.registry is other.parts.registry
    assert one.parts.gate.breakers is other.parts.gate.breakers
    # Closing a session closes nothing of the service's.
    await one.close()
    assert (await other.search("tea")).results
    await kept.parts.close()


async def test_sessions_are_bounded(brave: Simulator, tmp_path: Path) -> None:
    kept = sessions(brave, tmp_path, FakeClock())
    first = kept.of(Token(name="first", sha256=f"{0:064x}"))
    for number in range(1, MOST_SESSIONS + 1):
        kept.of(Token(name=str(number), sha256=f"{number:012x}" + "0" * 52))
    assert kept.of(Token(name="first", sha256=f"{0:064x}")) is not first
    await kept.parts.close()


@pytest.mark.parametrize("cap", ["daily_dollars", "session_dollars"])
def test_the_operators_dollars_hold_in_the_service_too(start: Any, brave: Any, cap: str) -> None:
    """A search with Brave costs half a cent."""
    running = start(**{cap: 0.02})
    replies = [running.post("/v1/search", {"query": f"tea {number}"}) for number in range(6)]
    assert [reply.status_code for reply in replies] == [200] * 4 + [429] * 2
    assert replies[-1].json()["outcome"] == "quota_exhausted"
    assert len(brave.received) == 4


async def test_each_session_has_its_own_budget_of_text(brave: Simulator, tmp_path: Path) -> None:
    """Queries and addresses count alike, and nobody pays for what another said."""
    kept = sessions(brave, tmp_path, FakeClock(), text_budget=40)
    one, other = (kept.of(Token(name=name, sha256=name * 64)) for name in "gh")
    await one.search("tea and where it grows")
    with pytest.raises(Refused, match="text_budget under"):
        await one.search("coffee and where it grows")
    assert (await one.open_page("http://127.0.0.1:9/as-long-as-that")).metadata["code"] == "text_budget"
    await other.search("coffee and where it grows")
    await kept.parts.close()
