"""A resolver that makes addresses up is noticed, and said with what to do."""

import pytest

from seekread.errors import Unreachable
from seekread.http.guard import Guard, GuardPolicy
from seekread.http.lookups import troubled_names

pytestmark = pytest.mark.anyio

PUBLIC, FAKE, PRIVATE = "93.184.216.34", "198.18.0.7", "192.168.1.1"


class Answers:
    """A resolver that answers for what it knows, and with `others` for everything else."""

    def __init__(self, known: dict[str, str], others: str | None = None) -> None:
        self.known, self.others = known, others

    async def resolve(self, host: str, _port: int) -> list[str]:
        if answer := self.known.get(host, self.others):
            return [answer]
        raise Unreachable(f"The name {host} could not be looked up.")


async def told(answers: Answers, *ranges: str) -> list[str]:
    guard = Guard(GuardPolicy(fake_ip_ranges=ranges), answers)
    return [f"{trouble.text}: {trouble.remedy}" for trouble in await troubled_names(guard, ["api.example.org"])]


async def test_an_honest_resolver_is_not_blamed() -> None:
    assert await told(Answers({"api.example.org": PUBLIC})) == []


async def test_made_up_addresses_are_told_with_the_setting_that_declares_them() -> None:
    [words] = await told(Answers({}, FAKE))
    assert 'fake_ip_ranges = ["198.18.0.0/15"]' in words
    assert await told(Answers({}, FAKE), "198.18.0.0/15") == []


async def test_a_network_that_wants_a_login_is_recognised() -> None:
    words = await told(Answers({}, PRIVATE))
    assert len(words) == 2
    assert all("log in to the network" in line for line in words)
    assert "names that do not exist" in (await told(Answers({"api.example.org": PUBLIC}, PUBLIC)))[0]


async def test_a_name_that_cannot_be_looked_up_is_told() -> None:
    assert "could not be looked up" in (await told(Answers({})))[0]
