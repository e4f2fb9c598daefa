"""The blocking API: its thread belongs to one process, and nobody waits for work that was given up."""

import asyncio
import os
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from seekread import BlockingSeekread, sync
from seekread.sync import Portal, portal
from seekread.testing import simulators
from tests.support.environments import SURROUNDINGS

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


BARE = """
    import asyncio, importlib.util, sys
    from unittest.mock import MagicMock

    # This Python may have none of the packages the engine needs; the thread itself needs none.
    sys.modules.update({f"seekread{name}": MagicMock() for name in ("", *sys.argv[2:])})
    spec = importlib.util.spec_from_file_location("seekread.sync", sys.argv[1])
    sync = sys.modules["seekread.sync"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sync)

    async def look_up():
        return await asyncio.get_running_loop().getaddrinfo("localhost", 80)

    print(len(sync.portal.call(look_up)) > 0)
"""
IMPORTED = (".client", ".models", ".options", ".page", ".page.snapshot")


def pythons() -> Iterator[str]:
    """Every Python on this machine that we support."""
    own = sorted(Path(SURROUNDINGS.get("HOME", "/")).glob(".pyenv/versions/3.*/bin/python3"))
    named = [shutil.which(f"python3.{minor}", path=SURROUNDINGS.get("PATH")) for minor in range(11, 20)]
    for path in dict.fromkeys([sys.executable, *map(str, own), *filter(None, named)]):
        command = [path, "-c", "import sys; raise SystemExit(sys.version_info < (3, 11))"]
        if subprocess.run(command, capture_output=True, check=False, env=SURROUNDINGS).returncode == 0:
            yield path


@pytest.mark.process
def test_after_a_name_was_looked_up_the_process_ends_without_a_word_on_every_python() -> None:
    """Python 3.12 lets nobody start a thread at its end, and said so with a traceback after every blocking search."""
    found = list(pythons())
    for path in found:
        command = [path, "-c", textwrap.dedent(BARE), str(sync.__file__), *IMPORTED]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, env=SURROUNDINGS)
        assert (done.stdout, done.stderr) == ("True\n", ""), path
    assert found


@pytest.mark.process
def test_a_search_of_a_service_with_a_name_ends_without_a_word() -> None:
    """The tests' services have numbers for addresses; this one has a name, which is looked up on a thread."""
    program = "import seekread; print(len(seekread.search('tea', limit=2).results))"
    with simulators.start("searxng") as service:
        address = service.base_url.replace("127.0.0.1", "localhost")
        environ = {**os.environ, "SEARXNG_URL": address, "SEEKREAD_PROVIDERS": "searxng"}
        command = [sys.executable, "-c", program]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, env=environ)
    assert (done.stdout, done.stderr) == ("2\n", "")
