"""Whether the resolver of this machine tells the truth about names: some answer with addresses they made up."""

from collections.abc import Iterable
from uuid import uuid4

from seekread.errors import Unreachable
from seekread.http.addresses import fake_ip_range, why_not_public
from seekread.http.guard import Guard
from seekread.late import dataclass

HTTPS = 443


@dataclass(frozen=True)
class NameTrouble:
    """What is wrong with a lookup, and what to do about it."""

    text: str
    remedy: str


async def troubled_names(guard: Guard, hosts: Iterable[str]) -> list[NameTrouble]:
    """What is wrong with the lookups of some public hosts, and of a name that nobody has."""
    troubles = [trouble for host in hosts if (trouble := await trouble_with(guard, host))]
    return [*troubles, *await invented(guard)]


async def trouble_with(guard: Guard, host: str) -> NameTrouble | None:
    try:
        answers = await guard.resolver.resolve(host, HTTPS)
    except Unreachable as error:
        return NameTrouble(str(error), "is this machine connected, and its name server reachable?")
    declared = set(guard.policy.fake_ip_ranges)
    made_up = sorted({block for answer in answers if (block := fake_ip_range(answer))})
    if made_up and not declared & set(made_up):
        ranges = ", ".join(f'"{block}"' for block in made_up)
        return NameTrouble(
            f"{host} is answered from {made_up[0]}, which transparent proxies use for made-up addresses",
            f"pages cannot be read before you declare it: fake_ip_ranges = [{ranges}] under [guard]",
        )
    if not made_up and answers and all(why_not_public(answer) for answer in answers):
        return NameTrouble(
            f"{host} is answered with a private address: something on this network stands in for it",
            "log in to the network with a browser, or ask whoever runs its name server",
        )
    return None


async def invented(guard: Guard) -> list[NameTrouble]:
    """A name below `invalid` never exists (RFC 6761): whoever answers for it answers for everything."""
    try:
        answers = await guard.resolver.resolve(f"seekread-{uuid4().hex}.invalid", HTTPS)
    except Unreachable:
        return []
    if any(fake_ip_range(answer) for answer in answers):
        return []
    return [
        NameTrouble(
            "the name server answers for names that do not exist, as networks do that want you to log in",
            "log in to the network with a browser, or use another name server",
        )
    ]
