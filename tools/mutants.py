"""
Break the code on purpose, one line at a time, and see whether the tests notice.

`mutants.toml` holds the mistakes: a file, its exact words, what they become, and the tests that should fail then.
Each is made in a copy of `src` that comes first on PYTHONPATH, for the tests and for every process they start; the
working tree is never touched.

Exit codes: 0 all were noticed, 1 the tests live well with one of them, 2 the table no longer fits the code.
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Literal

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src"
TABLE = Path(__file__).with_suffix(".toml")
SECONDS = 180.0
"""What the tests of one mistake may take. A test that hangs instead of failing has not noticed anything."""

Verdict = Literal["caught", "survived", "hung", "gone", "no tests"]
EXIT_CODES: dict[Verdict, int] = {"caught": 0, "survived": 1, "hung": 1, "gone": 2, "no tests": 2}


@dataclass(frozen=True)
class Mutant:
    """One mistake, and the tests that should notice it."""

    about: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]

    @property
    def occurrences(self) -> int:
        """How often the old words stand in their file; a mistake can be made only where it is once."""
        path = SOURCE / "seekread" / self.file
        return path.read_text(encoding="utf-8").count(self.old) if path.is_file() else 0

    def __str__(self) -> str:
        return f"{self.file}: {self.about}"


@dataclass(frozen=True)
class Tried:
    """What came of one mistake."""

    mutant: Mutant
    verdict: Verdict
    words: str
    seconds: float

    def __str__(self) -> str:
        return f"{self.verdict:9} {self.seconds:4.0f} s  {self.mutant}" + (f"  ← {self.words}" if self.words else "")


def load() -> list[Mutant]:
    """The mistakes of the table."""
    rows = tomllib.loads(TABLE.read_text(encoding="utf-8"))["mutant"]
    return [Mutant(**{**row, "tests": tuple(row["tests"])}) for row in rows]


class Tree:
    """A copy of the source in which mistakes are made, one at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.source = folder / "src"
        self._running: subprocess.Popen[str] | None = None
        shutil.copytree(SOURCE, self.source, ignore=shutil.ignore_patterns("__pycache__"))

    @contextmanager
    def mutated(self, mutant: Mutant) -> Iterator[None]:
        """The copy with the mistake in it."""
        path = self.source / "seekread" / mutant.file
        good = path.read_text(encoding="utf-8")
        write(path, good.replace(mutant.old, mutant.new))
        try:
            yield
        finally:
            write(path, good)

    def test(self, tests: Sequence[str], seconds: float, *options: str) -> tuple[int | None, str]:
        """Run tests on the copy until the first fails: pytest's exit code, `None` when time was up, and its words."""
        command = [sys.executable, "-m", "pytest", "-x", "-q", "--no-header", "-p", "no:cacheprovider"]
        environment = os.environ | {
            "PYTHONPATH": os.pathsep.join([str(self.source), str(ROOT)]),
            "HYPOTHESIS_STORAGE_DIRECTORY": str(self.folder / "hypothesis"),
        }
        with subprocess.Popen(  # noqa: S603 - our own interpreter and tests
            [*command, *options, *tests],
            cwd=ROOT,
            env=environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        ) as self._running:
            try:
                words, _ = self._running.communicate(timeout=seconds)
            except subprocess.TimeoutExpired:
                self.stop()
                return None, ""
            except BaseException:
                self.stop()
                raise
        return self._running.returncode, words

    def stop(self) -> None:
        """End the tests and every process they started."""
        if self._running and self._running.poll() is None:
            os.killpg(self._running.pid, signal.SIGKILL)


def write(path: Path, text: str) -> None:
    """Write a module, without its compiled form: one of the same second and size would be taken for this one."""
    path.write_text(text, encoding="utf-8")
    for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
        compiled.unlink()


def judge(mutant: Mutant, tree: Tree, seconds: float) -> tuple[Verdict, str]:
    """Make a mistake and see what the tests say."""
    if mutant.occurrences != 1:
        return "gone", f"its words stand {mutant.occurrences} times in the file"
    with tree.mutated(mutant):
        code, words = tree.test(mutant.tests, seconds)
    match code:
        case None:
            return "hung", f"no end after {seconds:.0f} s"
        case 0:
            return "survived", ""
        case 1:
            return "caught", first_failure(words)
        case _:
            # Nothing was run: a test of that name is gone, or the mistake keeps the code from being imported.
            return "no tests", "\n".join(words.splitlines()[-5:])


def first_failure(words: str) -> str:
    """The test that noticed."""
    failed = [line for line in words.splitlines() if line.startswith(("FAILED ", "ERROR "))]
    return failed[0].partition(" ")[2].partition(" - ")[0] if failed else ""


def try_all(mutants: Sequence[Mutant], *, jobs: int, seconds: float) -> Iterator[Tried]:
    """Try every mistake, several at once."""
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder, ThreadPoolExecutor(jobs) as pool:
        trees = [Tree(Path(folder) / str(number)) for number in range(jobs)]
        free: SimpleQueue[Tree] = SimpleQueue()
        for tree in trees:
            free.put(tree)

        def one(mutant: Mutant) -> Tried:
            tree, started = free.get(), time.monotonic()
            try:
                return Tried(mutant, *judge(mutant, tree, seconds), time.monotonic() - started)
            finally:
                free.put(tree)

        try:
            check_that_tests_pass(mutants, trees[0], jobs)
            yield from pool.map(one, mutants)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for tree in trees:
                tree.stop()
            raise


def check_that_tests_pass(mutants: Sequence[Mutant], tree: Tree, jobs: int) -> None:
    """Tests that fail anyway notice nothing."""
    tests = sorted({test for mutant in mutants if mutant.occurrences == 1 for test in mutant.tests})
    code, words = tree.test(tests, SECONDS * 10, "-n", str(jobs)) if tests else (0, "")
    if code != 0:
        say(f"the tests do not pass on the code as it is:\n{words[-2000:]}")
        sys.exit(2)


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="NAME", help="mistakes whose file or description holds this")
    parser.add_argument("--list", action="store_true", help="show the mistakes and try none")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2, metavar="N", help="how many are tried at once")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="what the tests of one may take (%(default).0f)")
    asked = parser.parse_args()
    mutants = [mutant for mutant in load() if asked.only.lower() in str(mutant).lower()]
    if not mutants:
        parser.error(f"no mistake is about {asked.only!r}")
    if asked.list:
        say("\n".join(map(str, mutants)))
        return
    bad: list[Tried] = []
    for number, tried in enumerate(try_all(mutants, jobs=asked.jobs, seconds=asked.seconds), start=1):
        say(f"[{number:3}/{len(mutants)}] {tried}")
        bad += [tried] if EXIT_CODES[tried.verdict] else []
    say("\n".join([f"{len(mutants) - len(bad)} of {len(mutants)} mistakes were caught", *map(str, bad)]))
    sys.exit(max((EXIT_CODES[tried.verdict] for tried in bad), default=0))


if __name__ == "__main__":
    # Whoever ends this program ends the tests it started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    main()
