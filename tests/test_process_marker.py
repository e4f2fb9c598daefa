"""A test that starts a process says so with a marker, or fails, whichever way it starts it."""

from pathlib import Path

import pytest

pytestmark = pytest.mark.process

CONFTEST = Path(__file__).with_name("conftest.py")
WAYS = """
    import asyncio, contextlib, multiprocessing, os, subprocess, threading
    import anyio, pytest, uvloop

    async def opened():
        await anyio.run_process(["true"])

    def in_a_thread_that_keeps_quiet():
        def quiet():
            with contextlib.suppress(BaseException):
                os.fork()
        thread = threading.Thread(target=quiet)
        thread.start()
        thread.join()

    @pytest.fixture(scope="module")
    def started():
        subprocess.run(["true"])

    @pytest.mark.parametrize("start", [
        lambda: subprocess.run(["true"]),
        lambda: asyncio.run(opened()),
        lambda: uvloop.run(opened()),
        lambda: multiprocessing.get_context("spawn").Process().start(),
        lambda: os.posix_spawn("/bin/true", ["true"], {}),
        lambda: os.system("true"),
        in_a_thread_that_keeps_quiet,
    ])
    def test_unmarked(start):
        start()

    def test_fixture(started):
        pass

    @pytest.mark.process
    def test_marked():
        subprocess.run(["true"], check=True)
"""


def test_starting_a_process_without_the_marker_fails(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(CONFTEST.read_text(encoding="utf-8"))
    pytester.makepyfile(WAYS)
    pytester.makeini("[pytest]\nmarkers =\n    process")
    result = pytester.runpytest_inprocess("-p", "no:cacheprovider")
    result.assert_outcomes(passed=1, failed=7, errors=1)
    assert result.stdout.str().count("Failed: this test starts a process: mark it with @pytest.mark.process") >= 8
