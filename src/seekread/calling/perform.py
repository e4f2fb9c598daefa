"""Perform what a provider asks for: send a call and judge its reply, or run a job."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import anyio

from seekread.errors import (
    BadReply,
    ProviderError,
    QuotaExhausted,
    RateLimited,
    SeekreadError,
    TimedOut,
    Unauthorized,
    Unreachable,
)
from seekread.ports import Clock, Sender
from seekread.provider import Call, Job, Reply, retry_after

T = TypeVar("T")

EVIDENCE = 500
"""Characters of a refusing reply kept for the error."""

WEB_PAGE = (
    "a web page came instead of the reply that is documented: does something in between answer for the service, "
    "such as the sign-in page of a network, or a proxy?"
)


def ignored(_reply: Reply) -> None:
    """Nobody wants to see the reply itself."""


async def perform(
    task: Call[T] | Job[T],
    sender: Sender,
    clock: Clock,
    *,
    seconds: float,
    heard: Callable[[Reply], None] = ignored,
    secrets: Iterable[str] = (),
) -> T:
    """
    Do it within so many seconds; everything that goes wrong is a `ProviderError` (or a refusal).

    `secrets` are the provider's keys: what a service or a library repeats of them is masked.
    """
    try:
        if isinstance(task, Job):
            return await run(task, seconds=seconds)
        started = clock.monotonic()
        reply = await sender.send(task.request, seconds=seconds)
        heard(reply)
        with patience_told(reply, clock):
            answer = read_reply(task, reply)
            following = task.then(answer)
        if following is None:
            return answer
        left = max(0.0, seconds - (clock.monotonic() - started))
        return await perform(following, sender, clock, seconds=left, heard=heard)
    except ProviderError as problem:
        problem.mask(secrets)
        raise


@contextmanager
def patience_told(reply: Reply, clock: Clock) -> Iterator[None]:
    """Let a failure that may pass say how long the service asks to wait, where its own words do not."""
    try:
        yield
    except (RateLimited, Unreachable) as problem:
        if problem.retry_after is None:
            problem.retry_after = retry_after(reply.headers.get("retry-after", ""), clock.time())
        raise


def read_reply(call: Call[T], reply: Reply) -> T:
    """Name the failure a reply stands for, or parse it."""
    try:
        problem = call.explain(reply) or (None if reply.status in call.answers else judge(reply))
        if problem is None:
            return call.parse(reply)
        problem.body = problem.body or reply.text()[:EVIDENCE]
        raise problem
    except ProviderError as problem:
        problem.status = problem.status or reply.status
        raise
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
        if isinstance(error, SeekreadError):
            raise
        if "text/html" in reply.headers.get("content-type", ""):
            raise BadReply(WEB_PAGE, status=reply.status) from None
        detail = f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"[:120]
        raise BadReply(f"the reply is not as documented ({detail})", status=reply.status) from None


async def run(job: Job[T], *, seconds: float) -> T:
    try:
        with anyio.fail_after(seconds):
            return await job.run()
    except TimeoutError:
        raise TimedOut(f"no answer within {seconds:.3g} s") from None
    except SeekreadError:
        raise
    except OSError as error:
        raise Unreachable(f"{type(error).__name__}: {error}") from None
    except Exception as error:  # noqa: BLE001 - a job is foreign code: whatever it raises, the next one is asked
        # Without its cause, whose text nobody masks.
        raise BadReply(f"{type(error).__name__}: {error}") from None


def judge(reply: Reply) -> ProviderError | None:
    """Name the failure a status code stands for, or `None` for success."""
    message = f"status {reply.status}"
    match reply.status:
        case status if 200 <= status < 300:
            return None
        case 401 | 403 | 407:
            return Unauthorized(f"{message}: the key was rejected")
        case 402:
            return QuotaExhausted(f"{message}: the plan is used up")
        case 408:
            return TimedOut(message)
        case 429:
            return RateLimited(f"{message}: too many requests")
        case status if status >= 500:
            return Unreachable(message)
        case _:
            return BadReply(message)
