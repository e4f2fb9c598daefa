"""The public API is what `__all__` says, and importing it does nothing."""

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import seekread


def test_every_public_name_is_there_and_nothing_else_is_listed() -> None:
    assert dir(seekread) == sorted(seekread.__all__)
    for name in seekread.__all__:
        assert getattr(seekread, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'serch'"):
        seekread.serch  # type: ignore[attr-defined]  # noqa: B018


def run(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.process
def test_importing_seekread_pulls_in_nothing_heavy() -> None:
    loaded = run("""
        import sys
        before = set(sys.modules)
        import seekread
        new = {name.split(".")[0] for name in set(sys.modules) - before}
        print(*sorted(new - set(sys.stdlib_module_names)))
    """).split()
    assert loaded == ["seekread"]


@pytest.mark.process
def test_importing_seekread_reads_no_environment_and_touches_no_disk() -> None:
    run("""
        import sys
        import importlib.util
        importlib.util.find_spec("seekread")
        touched = []
        def watch(event, args):
            if event in {"open", "os.mkdir", "os.listdir", "socket.connect", "os.putenv"}:
                if not str(args[0]).endswith((".py", ".pyc")) and "__pycache__" not in str(args[0]):
                    touched.append((event, args[0]))
        import os
        class Spy(dict):
            def __getitem__(self, name):
                touched.append(("environ", name)); return super().__getitem__(name)
        os.environ._data = Spy(os.environ._data)
        sys.addaudithook(watch)
        import seekread
        noise = [t for t in touched if t[0] != "os.listdir"]
        assert not noise, noise
    """)


@pytest.mark.process
def test_a_misspelt_public_name_fails_the_type_checker(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.py"
    wrong.write_text("import seekread\n\nseekread.serch\n")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--follow-imports=silent", str(wrong)],
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert 'has no attribute "serch"' in done.stdout
