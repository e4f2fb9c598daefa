"""The blocking API: its thread belongs to one process, and nobody waits for work that was given up."""

import asyncio
import os
import subprocess
import sys
import textwrap

import pytest

from seekread import BlockingSeekread
from seekread.sync import Portal, portal

OURS = """
    import asyncio, faulthandler, os, signal, sys
    from seekread import BlockingSeekread

    def say(words):
        # One write: two threads must not fall into each other's lines.
        os.write(1, f"{words}\\n".encode())

    class Here:
        name = "here"

        async def search(self, query, *, limit=5):
            if query == "slow":
                try:
                    os.kill(os.getpid(), signal.SIGINT)
                    await asyncio.sleep(600)
                except asyncio.CancelledError:
                    say("given up")
                    raise
            return [{"title": "found", "url": "https://e.org/", "snippet": "s"}]

    def search(words):
        web = BlockingSeekread(settings={"store": "memory:"})
        web.register(Here())
        return web.search(words).results[0].title
"""


def python(script: str) -> "subprocess.CompletedProcess[str]":
    """Run a script that has `search`; one that hangs fails the test."""
    program = textwrap.dedent(OURS) + textwrap.dedent(script)
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.process
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.parametrize("ending", ["os._exit(0)", "sys.exit(0)"])
def test_a_forked_child_starts_a_thread_of_its_own(ending: str) -> None:
    done = python(f"""
        print("parent", search("tea"), flush=True)
        child = os.fork()
        if child == 0:
            faulthandler.dump_traceback_later(30, exit=True)
            print("child", search("tea"), flush=True)
            {ending}
        print("status", os.waitpid(child, 0)[1], flush=True)
        print("parent", search("cake"), flush=True)
    """)
    assert done.stdout.splitlines() == ["parent found", "child found", "status 0", "parent found"], done.stderr


@pytest.mark.process
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_child_forked_while_the_lock_is_held_does_not_wait_for_it() -> None:
    done = python("""
        from seekread.sync import portal
        portal.lock.acquire()
        child = os.fork()
        if child == 0:
            faulthandler.dump_traceback_later(30, exit=True)
            print(search("tea"), flush=True)
            os._exit(0)
        print("status", os.waitpid(child, 0)[1])
    """)
    assert done.stdout.splitlines() == ["found", "status 0"], done.stderr


@pytest.mark.process
@pytest.mark.skipif(sys.platform == "win32", reason="interrupts are sent by other means there")
def test_an_interrupt_gives_up_the_search_it_waited_for() -> None:
    """The process neither waits for the search's deadline nor leaves it running."""
    done = python("""
        try:
            search("slow")
        except KeyboardInterrupt:
            say("interrupted")
        print(search("tea"), flush=True)
    """)
    assert sorted(done.stdout.splitlines()) == ["found", "given up", "interrupted"], done.stderr
    assert done.returncode == 0


def test_an_error_of_the_work_reaches_the_caller_and_the_thread_lives_on() -> None:
    async def broken() -> None:
        raise LookupError("nowhere")

    async def well() -> int:
        return 7

    with pytest.raises(LookupError, match="nowhere"):
        portal.call(broken)
    assert portal.call(well) == 7


def test_a_portal_that_was_stopped_starts_again() -> None:
    async def well() -> int:
        return 7

    own = Portal()
    assert own.call(well) == 7
    own.stop()
    own.stop()
    assert own.call(well) == 7
    own.stop()


def test_what_runs_on_the_thread_is_told_not_to_wait_for_it() -> None:
    async def inside() -> None:
        portal.call(inside)

    with pytest.raises(RuntimeError, match="use the async one"):
        portal.call(inside)


@pytest.mark.anyio
async def test_it_works_inside_a_running_loop_and_on_another() -> None:
    async def here() -> asyncio.AbstractEventLoop:
        return asyncio.get_running_loop()

    assert portal.call(here) is not asyncio.get_running_loop()


@pytest.mark.process
def test_what_is_left_when_the_process_ends_is_cancelled() -> None:
    done = python("""
        import threading
        from seekread.sync import portal

        begun = threading.Event()

        async def endless():
            begun.set()
            try:
                await asyncio.sleep(600)
            except asyncio.CancelledError:
                say("given up")
                raise

        def waiting():
            try:
                portal.call(endless)
            except BaseException:
                pass

        threading.Thread(target=waiting, daemon=True).start()
        begun.wait()
    """)
    assert (done.returncode, done.stdout) == (0, "given up\n"), done.stderr


def test_an_instance_is_closed_by_its_context() -> None:
    with BlockingSeekread(settings={"store": "memory:"}) as web:
        assert web is not None
