"""Linux as it is, macOS and Windows as we know them from their books: these tests play both on this machine."""

import ctypes
import os
import signal
import stat
import subprocess
import sys
import textwrap
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from seekread import platforms
from seekread.errors import Unreadable
from seekread.extraction.options import ExtractOptions
from seekread.platforms import KNOWN, KernelJob, MacOS, Platform, Posix, ProcessEnd, Windows
from seekread.readers.builtin import process
from seekread.readers.builtin.frames import MEMORY, Task, pack_task
from seekread.readers.builtin.process import python_environment
from seekread.readers.builtin.workers import WorkerLimits, Workers
from tests.support.hostile_pages import PAGE

ONE = WorkerLimits(size=1, seconds=60)


class ProcMemory:
    """What macOS would tell, told by Linux."""

    def held_by(self, process: int) -> int | None:
        try:
            return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except (OSError, IndexError):
            return None


class NotedJob:
    """A job object that notes what it is asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.limits: list[tuple[int, float | None]] = []

    def limit(self, *, memory: int, user_seconds: float | None) -> None:
        self.limits.append((memory, user_seconds))

    def peak_memory(self) -> int:
        return 7

    def windows_folder(self) -> str:
        return str(self.folder)


@pytest.fixture
def windows(tmp_path: Path) -> Windows:
    """Windows, whose programs write down what they were called with."""
    (tmp_path / "System32").mkdir()
    for name in ("taskkill.exe", "icacls.exe"):
        program = tmp_path / "System32" / name
        program.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/{name}.log\n')
        program.chmod(0o755)
    return Windows(NotedJob(tmp_path))


def test_every_system_has_its_class_and_this_one_is_here() -> None:
    assert {"darwin": MacOS, "win32": Windows} == KNOWN
    assert type(platforms.HERE) is KNOWN.get(sys.platform, Posix)


@pytest.mark.parametrize(
    ("system", "code", "end"),
    [
        (Posix(), 0, "by itself"),
        (Posix(), -signal.SIGKILL, "killed"),
        (Posix(), -signal.SIGTERM, "killed"),
        (Posix(), 255, "killed"),
        (Posix(), None, "killed"),
        (Posix(), -signal.SIGPROF, "processor time"),
        (Posix(), -signal.SIGSEGV, "crash"),
        (Posix(), -signal.SIGABRT, "crash"),
        (Posix(), 1, "crash"),
        (MacOS(), -signal.SIGKILL, "killed"),
        (Windows(), 0, "by itself"),
        (Windows(), 1, "killed"),
        (Windows(), 1816, "processor time"),
        (Windows(), 0xC0000044, "processor time"),
        (Windows(), 0xC0000005, "crash"),
    ],
)
def test_what_an_exit_code_says(system: Platform, code: int | None, end: ProcessEnd) -> None:
    assert system.end_of(code) == end


@pytest.mark.process
@pytest.mark.anyio
async def test_on_macos_the_parent_ends_a_child_that_holds_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platforms, "HERE", MacOS(ProcMemory()))
    async with Workers(ONE) as workers:
        assert (await workers.read(PAGE, "text/html", "")).title == "The harbour wall"
        monkeypatch.setattr(process, "MEMORY", 1000)
        # A page that takes seconds: on a busy machine a quick one may be read before anybody has looked.
        with pytest.raises(Unreadable, match="too much memory") as caught:
            await workers.read(PAGE * 2000, "text/html", "")
    assert caught.value.outcome == "too_large"


CHILD = """
import sys
from seekread import platforms
from seekread.readers.builtin import child
class Job:
    def limit(self, *, memory, user_seconds):
        print(memory, user_seconds, file=sys.stderr, flush=True)
    def peak_memory(self):
        return 0
    def windows_folder(self):
        return ""
platforms.HERE = {system}
child.IDLE_SECONDS = {seconds}
sys.exit(child.main(["--plain"]))
"""
SYSTEMS = {"linux": "platforms.Posix()", "macos": "platforms.MacOS()", "windows": "platforms.Windows(Job())"}


def started(system: str, seconds: float) -> "subprocess.Popen[bytes]":
    program = textwrap.dedent(CHILD).format(system=SYSTEMS[system], seconds=seconds)
    return subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=python_environment(),
    )


@pytest.mark.process
@pytest.mark.parametrize("system", SYSTEMS)
def test_a_child_with_nothing_to_do_ends_by_itself(system: str) -> None:
    with started(system, 0.05) as child:
        # Its input stays open; a child that waited for ever would fail here.
        assert child.wait(timeout=60) == 0


@pytest.mark.process
@pytest.mark.parametrize("system", SYSTEMS)
def test_a_child_works_and_rests_between_tasks(system: str) -> None:
    task = pack_task(Task("text/plain", "", 20.0, ExtractOptions(plain="x")), 5) + b"words"
    with started(system, 300) as child:
        output, errors = child.communicate(task + task, timeout=60)
        assert (child.returncode, output.count(b"words")) == (0, 2)
    if system == "windows":
        first, *others = [line.split() for line in errors.decode().splitlines()]
        assert first == [str(MEMORY), "None"]
        # Each task gets its own seconds on top of what was used before, and they are lifted when it is done.
        assert [float(line[1]) > 20 if line[1] != "None" else None for line in others] == [True, None, True, None]


@pytest.mark.process
def test_windows_ends_a_family_and_keeps_files_private_by_its_own_programs(windows: Windows, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    windows.kill_family(4711)
    windows.make_private(tmp_path / "file")
    windows.make_private(tmp_path)
    assert (tmp_path / "taskkill.exe.log").read_text() == "/T /F /PID 4711\n"
    assert (tmp_path / "icacls.exe.log").read_text().splitlines() == [
        f"{tmp_path / 'file'} /inheritance:r /grant:r *S-1-3-4:F",
        f"{tmp_path} /inheritance:r /grant:r *S-1-3-4:(OI)(CI)F",
    ]


def test_windows_gives_a_child_what_it_cannot_start_without(windows: Windows, tmp_path: Path) -> None:
    assert windows.environment() == {"SYSTEMROOT": str(tmp_path)}
    assert windows.environment("home")["TEMP"] == windows.environment("home")["USERPROFILE"] == "home"
    assert windows.start_options() == {"creationflags": 0x200}
    assert windows.peak_memory() == 7


class Kernel:
    """A `kernel32` that notes the limits it is given."""

    def __init__(self) -> None:
        self.set: list[tuple[int, int, int, int]] = []
        self.CreateJobObjectW = self.named(1)
        self.GetCurrentProcess = self.named(2)
        self.AssignProcessToJobObject = self.named(1)

    def named(self, answer: int) -> Any:
        class Function(SimpleNamespace):
            def __call__(self, *_arguments: object) -> int:
                return answer

        return Function()

    def SetInformationJobObject(self, _job: object, kind: int, limits: bytes, size: int) -> int:  # noqa: N802
        time, flags, memory = (int.from_bytes(limits[at : at + 8], "little") for at in (0, 16, 112))
        self.set.append((kind, size, flags, time))
        assert memory == MEMORY
        return 1

    def QueryInformationJobObject(self, _job: object, _kind: int, found: Any, _size: int, _: None) -> int:  # noqa: N802
        found[128] = 9
        return 1


@pytest.mark.skipif(ctypes.sizeof(ctypes.c_void_p) != 8, reason="the size is that of 64 bits")
def test_a_job_object_is_asked_for_memory_and_processor_time(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = Kernel()
    monkeypatch.setattr(ctypes, "WinDLL", lambda *_, **__: kernel, raising=False)
    job = KernelJob()
    job.limit(memory=MEMORY, user_seconds=None)
    job.limit(memory=MEMORY, user_seconds=2.5)
    # The structure has 144 bytes; 9 is its number, 0x100 the limit on memory, 0x2 that on time.
    assert job.peak_memory() == 9
    assert kernel.set == [(9, 144, 0x500, 0), (9, 144, 0x502, 25_000_000)]


def test_private_files_and_folders_are_the_owner_s_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        platforms.private_folder(tmp_path / "folder")
        platforms.private_file(tmp_path / "folder" / "file")
    finally:
        os.umask(before)
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("folder", "folder/file")]
    assert modes == [0o700, 0o600]


def test_a_file_that_was_there_before_becomes_its_owners_alone_and_a_folder_stays_as_it_is(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    file = tmp_path / "file"
    file.write_text("words")
    file.chmod(0o640)
    platforms.private_folder(tmp_path)
    platforms.private_file(file)
    assert (file.read_text(), stat.S_IMODE(file.stat().st_mode)) == ("words", 0o600)
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755
