"""Child processes that read documents: reused when healthy, replaced when not, gone when closed."""

import asyncio
import gc
import os
import select
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from seekread.errors import TimedOut, Unreachable, Unreadable
from seekread.extraction.extracted import Extracted
from seekread.extraction.options import ExtractOptions
from seekread.readers.builtin.frames import (
    LENGTHS,
    OUT_OF_MEMORY,
    Task,
    TaskResult,
    lengths_of,
    pack_task,
    unpack_result,
)
from seekread.readers.builtin.process import Worker, python_environment
from seekread.readers.builtin.workers import WorkerLimits, Workers
from tests.support.hostile_pages import PAGE

pytestmark = [pytest.mark.anyio, pytest.mark.process]

ONE = WorkerLimits(size=1, seconds=60)
ATTRIBUTES = b" ".join(b"a%d" % n for n in range(1_900))
EXPENSIVE = b"<!doctype html><title>t</title><body>" + (b"<p " + ATTRIBUTES + b">word</p>") * 1_000
"""Below every limit of the pre-scan, dear to a tree, cheap without one."""


def children(workers: Workers) -> list[Worker]:
    return [worker for pool in workers.pools.values() for worker in pool.children]


def pids(workers: Workers) -> set[int]:
    return {worker.process.pid for worker in children(workers)}


def exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def started(workers: Workers) -> int:
    """The process of a pool that is about to start its first child."""
    with anyio.fail_after(30):
        while not children(workers):  # noqa: ASYNC110 the pool announces nothing
            await anyio.sleep(0.005)
    return next(iter(pids(workers)))


@pytest.mark.proves("S3-33")
async def test_a_page_is_read_in_another_process_which_is_used_again() -> None:
    """Clean Markdown comes back."""
    async with Workers(ONE) as workers:
        first = await workers.read(PAGE, "text/html", "https://a.example/")
        before = pids(workers)
        second = await workers.read(b"plain words", "text/plain", "https://a.example/2")
        assert pids(workers) == before
        assert os.getpid() not in before
    assert first.title == "The harbour wall"
    assert "the first boats came in" in first.markdown
    assert second.markdown == "plain words"


async def test_a_child_can_be_started_ahead_of_the_work() -> None:
    async with Workers(ONE) as workers:
        await workers.warm()
        await workers.warm()
        before = pids(workers)
        assert len(before) == 1
        await workers.read(b"words", "text/plain", "")
        assert pids(workers) == before


async def test_a_document_that_cannot_be_read_is_an_outcome_and_costs_no_child() -> None:
    async with Workers(ONE) as workers:
        await workers.warm()
        before = pids(workers)
        extracted = await workers.read(b"\x89PNG\r\n\x1a\n", "image/png", "")
        assert extracted.outcome == "unsupported_type"
        assert "image/png" in extracted.error
        assert pids(workers) == before


async def test_a_page_that_takes_too_much_processor_time_is_read_without_its_tags() -> None:
    async with Workers(WorkerLimits(size=1, seconds=60, cpu_seconds=0.3)) as workers:
        extracted = await workers.read(EXPENSIVE, "text/html", "")
    assert extracted.markdown.startswith("t\n\nword")
    assert extracted.signals[0].kind == "tags-stripped"
    assert "too much processor time" in extracted.signals[0].detail


async def test_a_page_whose_child_hangs_is_read_without_its_tags() -> None:
    async with Workers(WorkerLimits(size=1, seconds=60, share=0.01)) as workers:
        await workers.warm()
        os.kill(next(iter(pids(workers))), signal.SIGSTOP)
        extracted = await workers.read(PAGE, "text/html", "")
    assert "the first boats came in" in extracted.markdown
    assert "took too long" in extracted.signals[0].detail


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
async def test_a_page_whose_child_was_killed_is_read_whole_by_a_fresh_one(number: signal.Signals) -> None:
    async with Workers(ONE) as workers, anyio.create_task_group() as group:
        found: list[Extracted] = []

        async def read() -> None:
            found.append(await workers.read(PAGE, "text/html", ""))

        group.start_soon(read)
        os.kill(await started(workers), number)
    assert "the first boats came in" in found[0].markdown
    assert (found[0].outcome, found[0].signals) == ("ok", ())


async def test_a_page_whose_children_somebody_kills_is_not_told_as_too_large() -> None:
    async with Workers(ONE) as workers, anyio.create_task_group() as group:

        async def kill_all() -> None:
            while True:
                for worker in children(workers):
                    with suppress(ProcessLookupError):
                        os.kill(worker.process.pid, signal.SIGKILL)
                await anyio.lowlevel.checkpoint()

        group.start_soon(kill_all)
        with pytest.raises(Unreadable, match="ended from outside") as caught:
            await workers.read(PAGE, "text/html", "")
        group.cancel_scope.cancel()
    assert caught.value.outcome == "unreachable"


async def test_a_pdf_whose_child_hangs_is_late_and_not_too_large() -> None:
    """A PDF has no reader of last resort."""
    async with Workers(WorkerLimits(size=1, seconds=60, share=0.01)) as workers:
        await workers.warm()
        os.kill(next(iter(pids(workers))), signal.SIGSTOP)
        extracted = await workers.read(b"%PDF-1.7 and so on", "application/pdf", "")
    assert extracted.outcome == "timeout"


async def test_a_child_that_died_at_rest_is_replaced_without_harm() -> None:
    async with Workers(ONE) as workers:
        await workers.read(PAGE, "text/html", "")
        [worker] = children(workers)
        worker.process.kill()
        await worker.process.wait()
        assert (await workers.read(PAGE, "text/html", "")).signals == ()
        assert worker.process.pid not in pids(workers)


async def test_when_time_is_up_it_says_so_and_the_child_is_gone() -> None:
    async with Workers(ONE) as workers:
        await workers.warm()
        pid, seconds = next(iter(pids(workers))), 0.05
        # On a busy machine the time may be up before the child was asked.
        while exists(pid):
            with pytest.raises(TimedOut, match=rf"within {seconds:.3g} s"):
                await workers.read(EXPENSIVE, "text/html", "", seconds=seconds)
            seconds *= 2


async def test_when_the_last_resort_fails_too_the_page_is_unreadable() -> None:
    async with Workers(WorkerLimits(size=1, seconds=60, cpu_seconds=0.001)) as workers:
        with pytest.raises(Unreadable, match="could not be read") as caught:
            await workers.read(EXPENSIVE, "text/html", "")
    assert caught.value.outcome == "too_large"


async def test_a_cancelled_read_kills_its_child_and_the_pool_goes_on() -> None:
    async with Workers(ONE) as workers:
        await workers.warm()
        pid = next(iter(pids(workers)))
        async with anyio.create_task_group() as group:
            group.start_soon(workers.read, EXPENSIVE, "text/html", "")
            while workers.pools.here()._idle:
                await anyio.lowlevel.checkpoint()
            group.cancel_scope.cancel()
        assert not exists(pid)
        assert workers.pools.here()._slots.borrowed_tokens == 0
        assert (await workers.read(b"words", "text/plain", "")).markdown == "words"


async def test_more_reads_than_children_wait_their_turn() -> None:
    async with Workers(WorkerLimits(size=2, seconds=60)) as workers:
        found: list[str] = []

        async def read(number: int) -> None:
            found.append((await workers.read(f"number {number}".encode(), "text/plain", "")).markdown)
            assert len(pids(workers)) <= 2

        async with anyio.create_task_group() as group:
            for number in range(12):
                group.start_soon(read, number)
    assert sorted(found) == sorted(f"number {number}" for number in range(12))


@pytest.mark.parametrize("size", [1, 2, 3])
async def test_however_many_cold_pages_come_at_once_there_are_never_more_children_than_the_size(size: int) -> None:
    seen: set[int] = set()
    most = 0

    async def watch() -> None:
        nonlocal most
        while True:
            seen.update(pids(workers))
            most = max(most, len(children(workers)))
            await anyio.lowlevel.checkpoint()

    async def one(number: int) -> None:
        await workers.warm()
        await anyio.lowlevel.checkpoint()
        await workers.read(f"number {number}".encode(), "text/plain", "")

    async with Workers(WorkerLimits(size=size, seconds=60)) as workers, anyio.create_task_group() as watched:
        watched.start_soon(watch)
        async with anyio.create_task_group() as group:
            for number in range(10):
                group.start_soon(one, number)
        watched.cancel_scope.cancel()
    assert (len(seen), most) == (size, size)


async def test_the_reader_of_last_resort_takes_the_place_of_a_child_at_rest() -> None:
    """Both children are there, one of them was started while a page killed the other."""
    async with (
        Workers(WorkerLimits(size=1, seconds=60, cpu_seconds=0.3)) as workers,
        anyio.create_task_group() as group,
    ):
        most = 0

        async def watch() -> None:
            nonlocal most
            while True:
                await workers.warm()
                most = max(most, len(children(workers)))
                await anyio.lowlevel.checkpoint()

        group.start_soon(watch)
        extracted = await workers.read(EXPENSIVE, "text/html", "")
        group.cancel_scope.cancel()
    assert extracted.signals[0].kind == "tags-stripped"
    assert most == 1


async def test_closing_leaves_no_process_and_no_zombie() -> None:
    workers = Workers(WorkerLimits(size=2, seconds=60))
    await workers.warm()
    await workers.read(b"words", "text/plain", "")
    left = pids(workers)
    async with anyio.create_task_group() as group:

        async def busy() -> None:
            with pytest.raises(Unreachable, match="closed"):
                await workers.read(EXPENSIVE, "text/html", "")

        group.start_soon(busy)
        await anyio.lowlevel.checkpoint()
        left |= pids(workers)
        await workers.close()
    assert left
    # A zombie would still answer to a signal.
    assert not any(exists(pid) for pid in left)
    with pytest.raises(Unreachable, match="closed"):
        await workers.read(b"words", "text/plain", "")


@pytest.mark.proves("S3-32")
@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")
async def test_children_do_not_see_the_operators_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """A parser that a page takes over finds no key in its environment."""
    monkeypatch.setenv("TAVILY_API_KEY", "tvly-canary-key")
    async with Workers(ONE) as workers:
        await workers.read(b"words", "text/plain", "")
        seen = await anyio.Path(f"/proc/{next(iter(pids(workers)))}/environ").read_bytes()
    assert b"PYTHONPATH" in seen
    assert b"canary" not in seen


async def test_a_user_s_script_needs_no_main_guard(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent("""
        import anyio
        from seekread.readers.builtin.workers import Workers
        async def main():
            async with Workers() as workers:
                print((await workers.read(b"hello", "text/plain", "")).markdown)
        anyio.run(main)
        """)
    )
    # A module of the user's that happens to have the name of one of the standard library must not be picked up.
    (tmp_path / "struct.py").write_text("raise SystemExit('the wrong struct')")
    result = await anyio.run_process(
        [sys.executable, "-P", str(script)], env=python_environment(), cwd=tmp_path, stderr=subprocess.STDOUT
    )
    assert result.stdout.decode().split() == ["hello"]


def program(code: str) -> str:
    """The worker's main with something in it replaced."""
    return (
        textwrap.dedent(code)
        + "\nimport sys\nfrom seekread.readers.builtin import child\nsys.exit(child.main(['--plain']))"
    )


def child(code: str, frames: bytes) -> tuple[int, bytes]:
    """Run the worker's main with something in it replaced; its exit code and its output."""
    result = subprocess.run(
        [sys.executable, "-c", program(code)],
        input=frames,
        capture_output=True,
        timeout=60,
        check=False,
        env=python_environment(),
    )
    return result.returncode, result.stdout


def frame(body: bytes, plain: str = "x") -> bytes:
    return pack_task(Task("text/plain", "", 20.0, ExtractOptions(plain=plain)), len(body)) + body


def results(output: bytes) -> list[TaskResult]:
    found = []
    while output:
        head, body = lengths_of(output[: LENGTHS.size])
        start = LENGTHS.size + head
        found.append(unpack_result(output[LENGTHS.size : start], output[start : start + body]))
        output = output[start + body :]
    return found


def test_a_child_ends_when_its_parent_does() -> None:
    assert child("", b"") == (0, b"")
    assert child("", frame(b"words")[:-2]) == (0, b"")


def test_a_child_answers_one_frame_after_the_other() -> None:
    code, output = child("", frame(b"one") + frame(b"two"))
    assert code == 0
    assert [result.extracted and result.extracted.markdown for result in results(output)] == ["one", "two"]


def test_what_a_library_prints_stays_out_of_the_frames() -> None:
    noisy = """
        import os
        from seekread.readers.builtin import child
        read = child.read_document
        def loud(*arguments):
            print("noise", flush=True)
            os.write(1, b"more noise")
            return read(*arguments)
        child.read_document = loud
    """
    (result,) = results(child(noisy, frame(b"words"))[1])
    assert result.extracted
    assert result.extracted.markdown == "words"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not enforce the limit on address space")
def test_a_child_that_wants_too_much_memory_says_so_and_retires() -> None:
    greedy = """
        from seekread.readers.builtin import child
        child.read_document = lambda *arguments: bytearray(2 * 1024**3)
    """
    code, output = child(greedy, frame(b"words") + frame(b"never read"))
    assert code == 0
    assert [(result.extracted, result.failed) for result in results(output)] == [(None, "out of memory")]


@pytest.mark.proves("S3-31")
@pytest.mark.skipif(sys.platform == "win32", reason="needs resource limits")
def test_a_child_cannot_write_files(tmp_path: Path) -> None:
    """Reading is all it does."""
    writing = f"""
        from pathlib import Path
        from seekread.readers.builtin import child
        child.read_document = lambda *arguments: Path({str(tmp_path / "written")!r}).write_text("something")
    """
    (result,) = results(child(writing, frame(b"words"))[1])
    assert result.failed == "OSError"
    assert not (tmp_path / "written").exists() or not (tmp_path / "written").read_text()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not enforce the limit on address space")
def test_a_child_that_runs_out_of_memory_where_it_cannot_say_so_ends_with_a_code_of_its_own() -> None:
    greedy = """
        from seekread.readers.builtin import child
        child.pack_result = lambda result: bytearray(2 * 1024**3)
    """
    assert child(greedy, frame(b"words")) == (OUT_OF_MEMORY, b"")


def test_a_child_hangs_up_when_it_has_ended_and_not_before() -> None:
    """Or it would be killed while it still tidies up on a busy machine, and with it the code that says why it ended."""
    lingering = """
        import atexit, os
        from seekread.readers.builtin import child
        until_told = os.dup(0)
        atexit.register(lambda: os.write(2, b"tidying") and os.read(until_told, 1))
        def fail(result):
            raise MemoryError
        child.pack_result = fail
    """
    with subprocess.Popen(
        [sys.executable, "-c", program(lingering)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=python_environment(),
    ) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdin.write(frame(b"words"))
        process.stdin.flush()
        assert process.stderr.read(len(b"tidying")) == b"tidying"
        hung_up, _, _ = select.select([process.stdout], [], [], 0)
        process.stdin.close()
        assert process.wait(60) == OUT_OF_MEMORY
    assert not hung_up


def test_a_mistake_in_a_reader_is_reported_not_hidden() -> None:
    broken = """
        from seekread.readers.builtin import child
        def fail(*arguments):
            raise ZeroDivisionError("a secret of the page")
        child.read_document = fail
    """
    (result,) = results(child(broken, frame(b"words"))[1])
    assert result.failed == "ZeroDivisionError"


def gone(pid: int) -> bool:
    """Wait, within bounds, until a process is no more."""
    patience = time.monotonic() + 30
    while exists(pid) and time.monotonic() < patience:
        time.sleep(0.01)
    return not exists(pid)


def test_one_pool_serves_event_loops_one_after_another_and_leaves_no_child_behind() -> None:
    workers = Workers(ONE)
    seen: set[int] = set()

    async def read() -> str:
        extracted = await workers.read(PAGE, "text/html", "")
        seen.update(pids(workers))
        return extracted.title

    assert [asyncio.run(read()) for _ in range(3)] == ["The harbour wall"] * 3
    assert len(seen) == 3
    # A child ends with its loop, not when somebody asks again.
    assert not any(exists(pid) for pid in seen)
    asyncio.run(workers.close())


def threads(count: int, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run so many threads, each with an event loop of its own; whatever goes wrong in one is raised."""
    with ThreadPoolExecutor(count) as pool:
        for future in [pool.submit(asyncio.run, work()) for _ in range(count)]:
            future.result(timeout=120)


def test_loops_that_live_at_the_same_time_read_with_children_of_their_own() -> None:
    workers = Workers(WorkerLimits(size=2, seconds=60))
    found: list[str] = []
    seen: list[set[int]] = []
    together = threading.Barrier(3)

    async def read() -> None:
        extracted = await workers.read(PAGE, "text/html", "")
        found.append(f"{extracted.title} {len(extracted.signals)}")

    async def twelve() -> None:
        await asyncio.to_thread(together.wait)
        async with anyio.create_task_group() as group:
            for _ in range(12):
                group.start_soon(read)
        seen.append({worker.process.pid for worker in workers.pools.here().children})
        await asyncio.to_thread(together.wait)

    threads(3, twelve)
    assert found == ["The harbour wall 0"] * 36
    assert all(len(mine) <= 2 for mine in seen)
    assert len(set.union(*seen)) == sum(len(mine) for mine in seen)
    assert not any(exists(pid) for pid in set.union(*seen))


# A pipe left behind on a closed loop can only be collected, and complains.
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_the_children_of_a_loop_that_was_closed_without_a_word_are_killed_when_another_comes() -> None:
    workers = Workers(ONE)
    loop = asyncio.new_event_loop()
    loop.run_until_complete(workers.warm())
    [child] = pids(workers)
    loop.close()
    asyncio.run(workers.warm())
    assert gone(child)
    gc.collect()


def test_closing_ends_the_children_of_every_loop() -> None:
    workers = Workers(ONE)
    reading, closed = threading.Event(), threading.Event()
    theirs: set[int] = set()

    async def busy() -> None:
        await workers.warm()
        theirs.update(pids(workers))
        reading.set()
        await asyncio.to_thread(closed.wait, 60)
        with pytest.raises(Unreachable, match="closed"):
            await workers.read(b"words", "text/plain", "")

    async def close() -> None:
        await workers.close()
        await workers.close()

    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(asyncio.run, busy())
        assert reading.wait(60)
        asyncio.run(close())
        assert theirs
        assert not any(exists(pid) for pid in theirs)
        closed.set()
        other.result(timeout=60)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_process_leaves_the_children_of_its_parent_alone() -> None:
    async def parent() -> None:
        async with Workers(ONE) as workers:
            await workers.warm()
            before = pids(workers)
            child = os.fork()
            if child == 0:
                # Another loop in the copy of this process; whatever happens, the tests end here.
                asyncio.events._set_running_loop(None)
                status = 1
                with suppress(BaseException):
                    asyncio.run(workers.read(b"words", "text/plain", ""))
                    asyncio.run(workers.close())
                    status = 0
                os._exit(status)
            assert os.waitstatus_to_exitcode((await asyncio.to_thread(os.waitpid, child, 0))[1]) == 0
            assert (await workers.read(b"words", "text/plain", "")).markdown == "words"
            assert pids(workers) == before

    asyncio.run(parent())


async def test_the_child_of_a_large_process_is_not_large_itself() -> None:
    ballast = bytearray(350_000_000)
    ballast[::4096] = b"x" * len(ballast[::4096])
    async with Workers(ONE) as workers:
        await workers.read(b"words", "text/plain", "")
        before = pids(workers)
        assert len(before) == 1
        await workers.read(b"more words", "text/plain", "")
        assert pids(workers) == before
    assert len(ballast) == 350_000_000
