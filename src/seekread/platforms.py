"""
What differs between operating systems, once: bounds on a child process, ending a family of processes, private files.

`HERE` is the system we run on, and the only place where that is asked. What each can do:

| | Linux and other POSIX systems | macOS | Windows |
|---|---|---|---|
| memory of a child | limit on its address space | its parent looks and kills | job object |
| processor time of a child | a timer of its own | a timer of its own | job object |
| files a child writes | may not grow | may not grow | not bounded |
| a child with nothing to do | ends by itself | ends by itself | ends by itself |
| a family of processes | the process group is killed | the process group is killed | `taskkill /T` |
| private files | modes 0600 and 0700 | modes 0600 and 0700 | the access list names the owner alone |

Our tests run on Linux, and play the others there. What macOS and Windows are told by `ctypes` has never been run.
"""

import contextlib
import os
import select
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import field
from pathlib import Path
from typing import Any, BinaryIO, Literal, Protocol

from seekread.late import dataclass

ProcessEnd = Literal["by itself", "killed", "processor time", "crash"]
"""How a child process ended: it wanted to, somebody ended it, it had used up its time, or it broke."""

UNKNOWN = 255
"""The exit code that asyncio gives when something else took the real one."""


class Platform(Protocol):
    """An operating system."""

    def start_options(self) -> dict[str, Any]:
        """How a process is started that signals to us should not reach."""
        ...

    def environment(self, home: str | None = None) -> dict[str, str]:
        """What the environment of a process needs that sees none of ours, with a home folder where it needs one."""
        ...

    def bound_memory(self, size: int) -> None:
        """Allow this process so many bytes of memory, where the system can see to that."""
        ...

    def memory_to_watch(self, process: int) -> int | None:
        """The memory of a child that we must watch; `None` where the system sees to it, or the child is gone."""
        ...

    def peak_memory(self) -> int:
        """The most bytes this process ever held."""
        ...

    def allow_processor(self, seconds: float) -> None:
        """End this process after so many more seconds of processor time; 0 lifts that."""
        ...

    def forbid_writing(self) -> None:
        """Let this process make no file longer from now on, and leave no core dump, where the system can."""
        ...

    def rest(self, stream: BinaryIO, seconds: float) -> AbstractContextManager[None]:
        """End this process unless something can be read from a pipe within so many seconds; read it in the context."""
        ...

    def end_of(self, code: int | None) -> ProcessEnd:
        """What an exit code says."""
        ...

    def kill_family(self, process: int) -> None:
        """Kill a process and everything that it started."""
        ...

    def make_private(self, path: Path) -> None:
        """Let nobody but its owner read a file or folder."""
        ...


class Posix:
    """Linux, and every other system that is like it."""

    by_its_own_deed = ("SIGSEGV", "SIGBUS", "SIGABRT", "SIGILL", "SIGFPE", "SIGTRAP", "SIGSYS")
    """Signals a process is sent for what it does itself."""

    def start_options(self) -> dict[str, Any]:
        return {"start_new_session": True}

    def environment(self, home: str | None = None) -> dict[str, str]:
        return {"HOME": home, "TMPDIR": home, "PATH": os.defpath} if home else {}

    def bound_memory(self, size: int) -> None:
        import resource

        # A hard limit below ours, set by the operator, stays.
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        bound = size if hard == resource.RLIM_INFINITY else min(size, hard)
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_AS, (bound, bound))

    def memory_to_watch(self, process: int) -> int | None:  # noqa: ARG002 the kernel sees to every process
        return None

    def peak_memory(self) -> int:
        with contextlib.suppress(OSError, StopIteration, ValueError):
            # The usual figure (ru_maxrss) is inherited on Linux, so the child of a large process would look large too.
            lines = Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines()
            return int(next(line.split()[1] for line in lines if line.startswith("VmHWM:"))) * 1024
        return largest_resident() * 1024

    def allow_processor(self, seconds: float) -> None:
        signal.setitimer(signal.ITIMER_PROF, seconds)

    def forbid_writing(self) -> None:
        import resource

        for limit in (resource.RLIMIT_CORE, resource.RLIMIT_FSIZE):
            with contextlib.suppress(ValueError, OSError):
                resource.setrlimit(limit, (0, 0))

    @contextlib.contextmanager
    def rest(self, stream: BinaryIO, seconds: float) -> Iterator[None]:
        if not select.select([stream], [], [], seconds)[0]:
            raise SystemExit(0)
        yield

    def end_of(self, code: int | None) -> ProcessEnd:
        if code == 0:
            return "by itself"
        if code == -signal.SIGPROF:
            return "processor time"
        if code is None or code == UNKNOWN:
            return "killed"
        own = {-getattr(signal, name) for name in self.by_its_own_deed if hasattr(signal, name)}
        return "crash" if code > 0 or code in own else "killed"

    def kill_family(self, process: int) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(os.getpgid(process), signal.SIGKILL)

    def make_private(self, path: Path) -> None:
        path.chmod(0o700 if path.is_dir() else 0o600)


class MacMemory(Protocol):
    """What macOS tells about the memory of a process."""

    def held_by(self, process: int) -> int | None:
        """The bytes a process holds; `None` when it is gone."""
        ...


class LibProc:
    """The same by the system's own library."""

    FLAVOUR = 2
    WORDS = 40
    """RUSAGE_INFO_V2: 16 bytes of identity, then numbers of 64 bits, of which the eighth is `ri_phys_footprint`."""
    FOOTPRINT = 2 + 7

    def held_by(self, process: int) -> int | None:
        import ctypes

        usage = (ctypes.c_uint64 * self.WORDS)()
        failed = ctypes.CDLL("/usr/lib/libproc.dylib").proc_pid_rusage(process, self.FLAVOUR, ctypes.byref(usage))
        return None if failed else int(usage[self.FOOTPRINT])


@dataclass(frozen=True)
class MacOS(Posix):
    """macOS, whose kernel takes a limit on address space and does not keep it."""

    memory: MacMemory = field(default_factory=LibProc)

    def bound_memory(self, size: int) -> None:
        """Nothing a process can do for itself: its parent watches."""

    def memory_to_watch(self, process: int) -> int | None:
        return self.memory.held_by(process)

    def peak_memory(self) -> int:
        return largest_resident()


class JobObject(Protocol):
    """A job object of Windows that holds this process, and what else is asked of its kernel."""

    def limit(self, *, memory: int, user_seconds: float | None) -> None:
        """Bound the memory of the process, and its processor time altogether."""
        ...

    def peak_memory(self) -> int:
        """The most bytes the process ever had."""
        ...

    def windows_folder(self) -> str:
        """Where Windows is."""
        ...


class KernelJob:
    """The same by `kernel32`. The job lives as long as the process, which never closes it."""

    EXTENDED = 9
    LIMITS = struct.Struct("@qqINNINII6QNNNN")
    """
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION: user time per process and per job, flags, working sets, number of processes,
    affinity, two priorities; six counters; memory per process and per job, and the most there was of both.
    """
    TIME, FLAGS, MEMORY, PEAK = 0, 2, 15, 17
    PROCESS_TIME, PROCESS_MEMORY, DIE_ON_EXCEPTION = 0x2, 0x100, 0x400
    TICKS = 10_000_000
    """In a second."""

    def __init__(self) -> None:
        import ctypes

        self._ctypes = ctypes
        # Looked up by name: on other systems ctypes has no such thing.
        self._kernel: Any = getattr(ctypes, "WinDLL")("kernel32", use_last_error=True)  # noqa: B009
        for name in ("CreateJobObjectW", "GetCurrentProcess"):
            getattr(self._kernel, name).restype = ctypes.c_void_p
        self._job: int | None = None

    def limit(self, *, memory: int, user_seconds: float | None) -> None:
        limits = [0] * 19
        limits[self.FLAGS] = self.PROCESS_MEMORY | self.DIE_ON_EXCEPTION
        limits[self.MEMORY] = memory
        if user_seconds is not None:
            limits[self.FLAGS] |= self.PROCESS_TIME
            limits[self.TIME] = round(user_seconds * self.TICKS)
        if not self._kernel.SetInformationJobObject(
            self._handle(), self.EXTENDED, self.LIMITS.pack(*limits), self.LIMITS.size
        ):
            raise OSError("the limits of a job object could not be set")

    def peak_memory(self) -> int:
        found = self._ctypes.create_string_buffer(self.LIMITS.size)
        self._kernel.QueryInformationJobObject(self._handle(), self.EXTENDED, found, self.LIMITS.size, None)
        return int(self.LIMITS.unpack(found.raw)[self.PEAK])

    def windows_folder(self) -> str:
        folder = self._ctypes.create_unicode_buffer(260)
        self._kernel.GetSystemWindowsDirectoryW(folder, len(folder))
        return folder.value

    def _handle(self) -> Any:
        pointer = self._ctypes.c_void_p
        if self._job is None:
            self._job = self._kernel.CreateJobObjectW(None, None)
            own = pointer(self._kernel.GetCurrentProcess())
            if not self._job or not self._kernel.AssignProcessToJobObject(pointer(self._job), own):
                raise OSError("this process could not be put into a job object")
        return pointer(self._job)


class Windows:
    """Windows: no signals, no modes, no `select` on pipes."""

    NEW_GROUP = 0x200
    """CREATE_NEW_PROCESS_GROUP: Ctrl-C is for us, not for what we started."""
    OVER_TIME = frozenset({1816, 0xC0000044})
    """ERROR_NOT_ENOUGH_QUOTA and STATUS_QUOTA_EXCEEDED, by which the kernel ends a process of a job."""
    OWNER_ALONE = ("/inheritance:r", "/grant:r", "*S-1-3-4:(OI)(CI)F")
    """No access that a folder above gives, and all of it for the owner, whoever that is."""

    def __init__(self, job: JobObject | None = None) -> None:
        self._own_job = job
        self._memory: int | None = None

    @property
    def job(self) -> JobObject:
        """Made when first needed, so that only a process with bounds has one."""
        if self._own_job is None:
            self._own_job = KernelJob()
        return self._own_job

    def start_options(self) -> dict[str, Any]:
        return {"creationflags": self.NEW_GROUP}

    def environment(self, home: str | None = None) -> dict[str, str]:
        # Without it, neither Python nor Chromium starts.
        system = {"SYSTEMROOT": self.job.windows_folder()}
        names = ("USERPROFILE", "LOCALAPPDATA", "APPDATA", "TEMP", "TMP")
        return {**system, "PATH": os.defpath, **dict.fromkeys(names, home)} if home else system

    def bound_memory(self, size: int) -> None:
        self._memory = size
        self.job.limit(memory=size, user_seconds=None)

    def memory_to_watch(self, process: int) -> int | None:  # noqa: ARG002 the kernel sees to every process
        return None

    def peak_memory(self) -> int:
        return self.job.peak_memory()

    def allow_processor(self, seconds: float) -> None:
        if self._memory is not None:
            # The limit is on all the time since the process began.
            self.job.limit(memory=self._memory, user_seconds=time.process_time() + seconds if seconds else None)

    def forbid_writing(self) -> None:
        """Windows has no such limit."""

    @contextlib.contextmanager
    def rest(self, stream: BinaryIO, seconds: float) -> Iterator[None]:  # noqa: ARG002 whoever reads from it waits
        end = threading.Timer(seconds, os._exit, (0,))
        end.daemon = True
        end.start()
        try:
            yield
        finally:
            end.cancel()

    def end_of(self, code: int | None) -> ProcessEnd:
        if code == 0:
            return "by itself"
        if code in self.OVER_TIME:
            return "processor time"
        # Whoever terminates a process gives it the code 1.
        return "killed" if code in {None, 1, UNKNOWN} else "crash"

    def kill_family(self, process: int) -> None:
        self._run("taskkill", "/T", "/F", "/PID", str(process))

    def make_private(self, path: Path) -> None:
        grant = self.OWNER_ALONE if path.is_dir() else (*self.OWNER_ALONE[:2], "*S-1-3-4:F")
        self._run("icacls", str(path), *grant)

    def _run(self, *command: str) -> None:
        folder = Path(self.job.windows_folder(), "System32")
        with contextlib.suppress(OSError):
            subprocess.run(  # noqa: S603 a program of the system by its full path
                [str(folder / f"{command[0]}.exe"), *command[1:]], check=False, capture_output=True, timeout=30
            )


def largest_resident() -> int:
    """The most memory this process ever held, in the unit of its system."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


KNOWN: dict[str, type[Posix] | type[MacOS] | type[Windows]] = {"darwin": MacOS, "win32": Windows}
HERE: Platform = KNOWN.get(sys.platform, Posix)()
"""The system we run on."""


def private_folder(path: Path) -> None:
    """Make a folder that nobody but its owner can look into; one that is there stays as it is."""
    if not path.is_dir():
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        HERE.make_private(path)


def private_file(path: Path) -> None:
    """Let nobody but its owner read a file, which is made if it is not there."""
    fresh = not path.exists()
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    if fresh or is_open_to_others(path):
        HERE.make_private(path)


def is_open_to_others(path: Path) -> bool:
    """Whether the modes of a file let others at it and are ours to change."""
    status = path.stat()
    return bool(status.st_mode & 0o077) and status.st_uid == getattr(os, "getuid", lambda: -1)()


def open_private(path: Path, how: int) -> int:
    """Open a file for writing that is its owner's alone; a link is not followed, wherever it leads."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | how, 0o600)
    if is_open_to_others(path):
        HERE.make_private(path)
    return handle
