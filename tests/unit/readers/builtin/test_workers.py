"""Child processes that read documents: reused when healthy, replaced when not, gone when closed."""

import asyncio
import gc
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest

from seekread.errors import TimedOut, Unreachable, Unreadable
from seekread.extraction.extracted import Extracted
from seekread.extraction.options import ExtractOptions
from seekread.readers.builtin.frames import (
    LENGTHS,
    Task,
    TaskResult,
    lengths_of,
    pack_task,
    unpack_result,
)
from seekread.readers.builtin.workers import WorkerLimits, Workers, python_environment
from tests.support.hostile_pages import PAGE

pytestmark = [pytest.mark.anyio, pytest.mark.process]

ONE = WorkerLimits(size=1, seconds=60)
ATTRIBUTES = b" ".join(b"a%d" % n for n in range(1_900))
EXPENSIVE = b"<!doctype html><title>t</title><body>" + (b"<p " + ATTRIBUTES + b">word</p>") * 1_000
"""Below every limit of the pre-scan, dear to a tree, cheap without one."""


def pids(workers: Workers) -> set[int]:
    return {worker.process.pid for worker in workers._all}


def exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def started(workers: Workers) -> int:
    """The process of a pool that is about to start its first child."""
    with anyio.fail_after(30):
        while not workers._all:  # noqa: ASYNC110 the pool announces nothing
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


async def test_a_page_whose_child_dies_is_read_by_a_fresh_one() -> None:
    async with Workers(ONE) as workers, anyio.create_task_group() as group:
        found: list[Extracted] = []

        async def read() -> None:
            found.append(await workers.read(PAGE, "text/html", ""))

        group.start_soon(read)
        os.kill(await started(workers), signal.SIGKILL)
    assert "the first boats came in" in found[0].markdown
    assert "crashed" in found[0].signals[0].detail


async def test_a_child_that_died_at_rest_is_replaced_without_harm() -> None:
    async with Workers(ONE) as workers:
        await workers.read(PAGE, "text/html", "")
        worker = next(iter(workers._all))
        worker.process.kill()
        await worker.process.wait()
        assert (await workers.read(PAGE, "text/html", "")).signals == ()
        assert worker.process.pid not in pids(workers)


async def test_when_time_is_up_it_says_so_and_the_child_is_gone() -> None:
    async with Workers(ONE) as workers:
        await workers.warm()
        pid = next(iter(pids(workers)))
        with pytest.raises(TimedOut, match=r"within 0\.05 s"):
            await workers.read(EXPENSIVE, "text/html", "", seconds=0.05)
        assert not exists(pid)


async def test_when_the_last_resort_fails_too_the_page_is_unreadable() -> None:
    async with Workers(WorkerLimits(size=1, seconds=60, cpu_seconds=0.001)) as workers:
        with pytest.raises(Unreadable, match="could not be read") as caught:
            await workers.read(EXPENSIVE, "text/html", "")
    assert caught.value.outcome == "too_large"


async def test_a_cancelled_read_kills_its_child_and_the_pool_goes_on() -> None:
    async with Workers(ONE) as workers:
        await workers.warm()
        pid = next(iter(pids(workers)))
        with anyio.move_on_after(0.05):
            await workers.read(EXPENSIVE, "text/html", "")
        assert not exists(pid)
        assert workers._slots.borrowed_tokens == 0
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


async def test_closing_leaves_no_process_and_no_zombie() -> None:
    workers = Workers(WorkerLimits(size=2, seconds=60))
    await workers.warm()
    await workers.read(b"words", "text/plain", "")
    left = pids(workers)
    async with anyio.create_task_group() as group:

        async def busy() -> None:
            with pytest.raises((Unreachable, Unreadable)):
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


def child(code: str, frames: bytes) -> tuple[int, bytes]:
    """Run the worker's main with something in it replaced; its exit code and its output."""
    program = (
        textwrap.dedent(code)
        + "\nimport sys\nfrom seekread.readers.builtin import child\nsys.exit(child.main(['--plain']))"
    )
    result = subprocess.run(
        [sys.executable, "-c", program],
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


# A pipe left behind on a closed loop can only be collected, and complains.
left_behind = pytest.mark.filterwarnings("ignore::ResourceWarning")


@left_behind
def test_one_pool_serves_event_loops_one_after_another_and_leaves_no_child_behind() -> None:
    workers = Workers(ONE)
    seen: set[int] = set()

    async def read() -> str:
        extracted = await workers.read(PAGE, "text/html", "")
        seen.update(pids(workers))
        return extracted.title

    assert [asyncio.run(read()) for _ in range(3)] == ["The harbour wall"] * 3
    assert len(seen) == 3
    asyncio.run(workers.close())
    assert all(gone(pid) for pid in seen)
    gc.collect()


@left_behind
def test_a_pool_is_closed_from_any_loop() -> None:
    workers = Workers(ONE)
    asyncio.run(workers.warm())
    [child] = pids(workers)

    async def close() -> None:
        await workers.close()
        await workers.close()

    asyncio.run(close())
    assert gone(child)
    gc.collect()


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
