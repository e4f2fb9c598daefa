"""
The first connection among the addresses of a host.

Addresses are tried one after the other with a short head start each (RFC 8305), so that a dead one costs a moment and
not the whole deadline.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from itertools import chain, zip_longest
from typing import TypeVar

import anyio

from seekread.errors import Refused, Unreachable
from seekread.http.target import Target

T = TypeVar("T")
Connect = Callable[[str], Awaitable[T]]
"""Opens a connection to a numeric address."""
Close = Callable[[T], Awaitable[None]]

STAGGER = 0.25
"""Seconds an address gets before the next one is tried as well."""


async def race(target: Target, candidates: Sequence[str], connect: Connect[T], close: Close[T]) -> T:
    """Try addresses one after the other with a short head start each; the first connection wins."""
    won: list[T] = []
    refused: list[Refused] = []
    reasons: list[str] = []

    async def attempt(address: str, ended: anyio.Event, stop: Callable[[], None]) -> None:
        try:
            connection = await connect(address)
        except Refused as refusal:
            refused.append(refusal)
        except OSError as error:
            reasons.append(plain_reason(error))
        else:
            if won:
                await close(connection)
            else:
                won.append(connection)
                stop()
        finally:
            ended.set()

    if len(candidates) == 1:
        await attempt(candidates[0], anyio.Event(), lambda: None)
    else:
        try:
            async with anyio.create_task_group() as group:
                for address in candidates:
                    ended = anyio.Event()
                    group.start_soon(attempt, address, ended, group.cancel_scope.cancel)
                    with anyio.move_on_after(STAGGER):
                        await ended.wait()
        except BaseException:
            # Whoever gives up at the very moment somebody wins must not leave that connection behind.
            for connection in won:
                await close(connection)
            raise
    if won:
        return won[0]
    if refused:
        raise refused[0]
    raise Unreachable(
        f"No connection to {target.host} port {target.port}: {reasons[0] if reasons else 'no address'}.", sent=False
    )


def plain_reason(error: BaseException) -> str:
    """Why a connection failed, without the address that the system's own message has."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ConnectionRefusedError):
            return "the connection was refused"
        if isinstance(cause, TimeoutError):
            return "nothing answered in time"
        cause = cause.__cause__
    return "the host could not be reached"


def alternate(vetted: Iterable[str]) -> list[str]:
    """Keep the resolver's order but take turns between the two families, so that a dead one costs one try."""
    both = list(vetted)
    first = [address for address in both if (":" in address) == (":" in both[0])]
    other = [address for address in both if address not in first]
    return [address for address in chain.from_iterable(zip_longest(first, other)) if address is not None]
