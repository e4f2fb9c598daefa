"""`seekread host`: a drop-in gets into a checkout whole or not at all, and leaves it as it was."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import pytest

from seekread.__main__ import main
from seekread.dropins import table
from seekread.dropins.pins import satisfies
from tests.support.environments import ROOT

pytestmark = pytest.mark.process

SKILL = """
[skill]
source = "skill"
target = "~/skills/web"
"""
TABLE = f"""
host = "acme"
marker = ["acme/core.py"]
files = ["acme/search.py", "acme/new/deep.py"]
pinned = ["rich", "Open_AI"]
install = ["python install.py seekread"]
test = "python check.py"
says = "Start acme as ever."
{SKILL}
[[edit]]
file = "acme/index.py"
after = "import tavily"
insert = "import seekread_provider"
"""
"""A host that exists only here: one file is replaced, one is new, one gets a line, and there is a skill."""

CHECK = """
import sys
from pathlib import Path
print("1 passed" if "new search" in Path("acme/search.py").read_text() else "1 failed")
sys.exit("new search" not in Path("acme/search.py").read_text())
"""
INSTALL = """
import sys
from pathlib import Path
given = " ".join(sys.argv[1:3])
Path("installed.txt").write_text(f"{given}: {Path(sys.argv[3]).read_text()}")
"""


@pytest.fixture(autouse=True)
def hosts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Tables of hosts with nothing but acme in them."""
    folder = tmp_path / "hosts"
    write(folder / "acme" / "dropin.toml", TABLE)
    write(folder / "acme" / "dropin" / "acme" / "search.py", "# new search\n")
    write(folder / "acme" / "dropin" / "acme" / "new" / "deep.py", "# new\n")
    write(folder / "acme" / "skill" / "SKILL.md", "---\nname: web\n---\n")
    monkeypatch.setattr(table, "HOSTS", folder)
    return folder


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout of acme, committed."""
    root = tmp_path / "checkout"
    write(root / "acme" / "core.py", "")
    write(root / "acme" / "search.py", "# old search\n")
    (root / "acme" / "search.py").chmod(0o755)
    write(root / "acme" / "index.py", "import tavily\nimport exa\n")
    write(root / "check.py", CHECK)
    write(root / "install.py", INSTALL)
    git(root, "init", "-q")
    commit(root)
    return root


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def git(root: Path, *arguments: str) -> str:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    done = subprocess.run(["git", "-C", root, *who, *arguments], capture_output=True, text=True, check=True)
    return done.stdout


def commit(root: Path) -> None:
    git(root, "add", "--all")
    git(root, "commit", "-q", "-m", "x")


@dataclass(frozen=True)
class Ended:
    """How the program ended, and what it said."""

    code: int
    out: str
    err: str


Run = Callable[..., Ended]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run `seekread host` as people do."""

    def call(*arguments: str | Path) -> Ended:
        monkeypatch.setattr(sys, "argv", ["seekread", "host", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        return Ended(int(ended.value.code or 0), *capsys.readouterr())

    return call


@pytest.fixture
def add(run: Run, checkout: Path) -> Run:
    return lambda *options: run("add", "acme", checkout, "--python", sys.executable, *options)


def tree(folder: Path) -> dict[str, tuple[int, bytes]]:
    """The files of a folder with mode and content; what git and Python keep for themselves is none of them."""
    return {
        str(path.relative_to(folder)): (path.stat().st_mode, path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not {"objects", "__pycache__", "index", "logs", "refs"} & set(path.parts)
    }


def folders(root: Path) -> set[str]:
    return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_dir() and ".git" not in path.parts}


def everything(root: Path) -> object:
    return tree(root), folders(root)


def test_a_drop_in_is_written_shown_tried_and_says_what_to_do_next(add: Run, checkout: Path, tmp_path: Path) -> None:
    ended = add()
    assert ended.code == 0
    assert (checkout / "acme" / "search.py").read_text() == "# new search\n"
    assert (checkout / "acme" / "new" / "deep.py").read_text() == "# new\n"
    assert (checkout / "acme" / "index.py").read_text() == "import tavily\nimport seekread_provider\nimport exa\n"
    assert (Path.home() / "skills" / "web" / "SKILL.md").read_text() == "---\nname: web\n---\n"
    assert "--- a/acme/search.py\n+++ b/acme/search.py\n@@ -1 +1 @@\n-# old search\n+# new search\n" in ended.out
    assert "--- /dev/null\n+++ b/acme/new/deep.py\n" in ended.out
    assert " import tavily\n+import seekread_provider\n import exa\n" in ended.out
    # Without a lock file what is installed counts.
    pinned = f"left as they are: rich {version('rich')}\n"
    assert ended.err == f"{pinned}the host's tests pass: 1 passed\nStart acme as ever.\n"


def test_what_is_shown_is_a_patch_that_git_takes(add: Run, checkout: Path, hosts: Path) -> None:
    write(hosts / "acme" / "dropin.toml", TABLE.replace(SKILL, ""))
    shown = add("--dry-run").out
    done = subprocess.run(["git", "-C", checkout, "apply", "-"], input=shown, text=True, check=False)
    assert done.returncode == 0
    assert (checkout / "acme" / "new" / "deep.py").read_text() == "# new\n"


def test_taking_it_out_leaves_the_checkout_as_it_was(add: Run, run: Run, checkout: Path, tmp_path: Path) -> None:
    """Contents, modes, folders, the skill, and what was noted."""
    before = everything(checkout)
    add()
    (checkout / "acme" / "new" / "__pycache__").mkdir()
    ended = run("remove", "acme", checkout)
    assert ended.code == 0
    assert "-# new search\n+# old search\n" in ended.out
    assert everything(checkout) == before
    assert git(checkout, "status", "--porcelain") == ""
    assert not (Path.home() / "skills").exists()
    assert not (checkout / ".git" / "seekread").exists()


def test_it_comes_out_after_it_was_committed_too(add: Run, run: Run, checkout: Path) -> None:
    before = everything(checkout)
    add()
    commit(checkout)
    assert run("remove", "acme", checkout).code == 0
    assert everything(checkout) == before


def test_a_dry_run_writes_nothing(add: Run, run: Run, checkout: Path) -> None:
    before = everything(checkout)
    assert "+# new search" in add("--dry-run", "--install").out
    assert everything(checkout) == before
    add()
    after = everything(checkout)
    assert run("remove", "acme", checkout, "--dry-run").err == "nothing was written\n"
    assert everything(checkout) == after


def no_marker(root: Path) -> None:
    (root / "acme" / "core.py").unlink()


def no_git(root: Path) -> None:
    (root / ".git").rename(root / "git")


def dirty(root: Path) -> None:
    write(root / "acme" / "core.py", "changed")


def unknown_to_git(root: Path) -> None:
    write(root / "acme" / "new" / "deep.py", "mine")


def another_version(root: Path) -> None:
    write(root / "acme" / "index.py", "import brave\n")
    commit(root)


def two_places(root: Path) -> None:
    write(root / "acme" / "index.py", "import tavily\nimport tavily\n")
    commit(root)


def folder_leads_out(root: Path) -> None:
    (root.parent / "outside").mkdir()
    (root / "acme" / "new").symlink_to(root.parent / "outside", target_is_directory=True)
    commit(root)


def file_leads_out(root: Path) -> None:
    write(root.parent / "outside.py", "theirs")
    (root / "acme" / "search.py").unlink()
    (root / "acme" / "search.py").symlink_to(root.parent / "outside.py")
    commit(root)


def a_file_where_a_folder_goes(root: Path) -> None:
    write(root / "acme" / "new", "a file")
    commit(root)


def pins_an_old_package(root: Path) -> None:
    write(root / "uv.lock", '[[package]]\nname = "rich"\nversion = "12.6.0"\n')
    commit(root)


@pytest.mark.parametrize(
    ("spoil", "code", "words"),
    [
        (no_marker, 2, "is not a checkout of acme: there is no acme/core.py"),
        (no_git, 2, "is not a checkout of acme: git does not know it"),
        (dirty, 4, "the tree is dirty: commit or put away what you changed first (acme/core.py)"),
        (unknown_to_git, 4, "acme/new/deep.py stands there and git does not know it"),
        (another_version, 4, "this is another version of acme than the drop-in was made for"),
        (two_places, 4, "the line 'import tavily' stands 2 times in acme/index.py"),
        (folder_leads_out, 4, "acme/new is a symbolic link: nothing is written through it"),
        (file_leads_out, 4, "acme/search.py is a symbolic link: nothing is written through it"),
        (a_file_where_a_folder_goes, 4, "cannot be written (File exists); nothing was changed"),
        (pins_an_old_package, 4, "acme pins rich 12.6.0 and seekread needs rich>=13: it is not touched"),
    ],
)
def test_what_is_not_in_order_is_one_sentence_and_nothing_is_written(
    spoil: Callable[[Path], None], code: int, words: str, add: Run, checkout: Path, tmp_path: Path
) -> None:
    spoil(checkout)
    before, around = everything(checkout), set(tmp_path.iterdir())
    ended = add()
    assert ended.code == code
    assert words in ended.err
    assert ended.err.count("\n") == 1
    assert ended.out == ""
    assert everything(checkout) == before
    assert set(tmp_path.iterdir()) == around


def test_a_host_nobody_knows_and_a_folder_inside_a_checkout_are_mistakes(run: Run, checkout: Path) -> None:
    assert run("add", "nobody", checkout).err == (
        "seekread: there is no drop-in for 'nobody'; there are some for acme.\n"
    )
    write(checkout / "below" / "acme" / "core.py", "")
    ended = run("add", "acme", checkout / "below")
    assert ended.code == 2
    assert "lies inside the checkout" in ended.err


def test_it_is_added_once(add: Run, checkout: Path) -> None:
    add()
    before = everything(checkout)
    ended = add()
    assert ended.code == 4
    assert "is already there: `seekread host remove acme" in ended.err
    assert everything(checkout) == before


def test_one_that_was_committed_elsewhere_is_there_already(add: Run, checkout: Path) -> None:
    """As in a clone of somebody's checkout."""
    add()
    commit(checkout)
    (checkout / ".git" / "seekread" / "acme.json").unlink()
    ended = add()
    assert ended.code == 4
    assert "the drop-in is already there, committed with the host's own files" in ended.err


def test_a_file_that_may_not_be_written_stops_everything(
    add: Run, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second of three: the first is undone."""
    (checkout / "acme" / "index.py").chmod(0o444)
    before = everything(checkout)
    if os.geteuid() == 0:
        # Root may write everything.
        monkeypatch.setattr(os, "access", lambda path, _mode: Path(path).name != "index.py")
    ended = add()
    assert ended.code == 4
    assert "acme/index.py cannot be written (no right to write); nothing was changed" in ended.err
    assert everything(checkout) == before


def test_a_skill_of_somebody_elses_is_not_written_over(add: Run, checkout: Path, tmp_path: Path) -> None:
    write(Path.home() / "skills" / "web" / "SKILL.md", "mine")
    before = everything(checkout)
    ended = add()
    assert ended.code == 4
    assert "is a skill of somebody else's" in ended.err
    assert everything(checkout) == before


def test_a_change_made_since_is_never_lost(add: Run, run: Run, checkout: Path) -> None:
    """Of a file of ours it stops the removal; around our lines in a file of theirs it stays."""
    add()
    write(checkout / "acme" / "index.py", "import tavily\nimport seekread_provider\nimport exa\nimport mine\n")
    write(checkout / "acme" / "search.py", "# new search, and mine\n")
    before = everything(checkout)
    ended = run("remove", "acme", checkout)
    assert ended.code == 4
    assert "acme/search.py was changed since the drop-in was added" in ended.err
    assert everything(checkout) == before
    write(checkout / "acme" / "search.py", "# new search\n")
    assert run("remove", "acme", checkout).code == 0
    assert (checkout / "acme" / "index.py").read_text() == "import tavily\nimport exa\nimport mine\n"


def test_nothing_to_take_out_is_told(run: Run, checkout: Path) -> None:
    for what in ("remove", "check"):
        ended = run(what, "acme", checkout)
        assert ended.code == 4
        assert "no drop-in for acme was added" in ended.err


def test_the_hosts_own_versions_are_constraints_of_the_installation(add: Run, checkout: Path) -> None:
    """Pins are read from whichever lock the host has; what is not pinned is not named."""
    write(checkout / "requirements.txt", "open-ai==1.2.3\nrich==13.0\n")
    write(
        checkout / "uv.lock",
        '[[package]]\nname = "rich"\nversion = "14.3.3"\n\n[[package]]\nname = "x"\nversion = "1"\n',
    )
    commit(checkout)
    ended = add("--install")
    assert "left as they are: rich 14.3.3, open-ai 1.2.3\n" in ended.err
    assert (checkout / "installed.txt").read_text() == "seekread -c: rich==14.3.3\nopen-ai==1.2.3\n"


def test_an_installation_that_fails_leaves_nothing_behind(add: Run, checkout: Path) -> None:
    write(checkout / "install.py", "import sys; sys.exit('no such package')")
    commit(checkout)
    before = everything(checkout)
    ended = add("--install")
    assert ended.code == 4
    assert "`python install.py seekread` failed, and nothing was written: no such package" in ended.err
    assert everything(checkout) == before


@pytest.mark.parametrize(
    ("held", "wanted", "fits"),
    [
        ("14.3.3", ">=14", True),
        ("14", ">=14.0", True),
        ("13.9", ">=14", False),
        ("2.21.0", ">=2.2,<3", True),
        ("3.0", "<3,>=2.2", False),
        ("1.26.0", ">=2.2,<3", False),
        ("1.0", "", True),
    ],
)
def test_versions_are_compared_as_numbers(held: str, wanted: str, fits: bool) -> None:
    assert satisfies(held, wanted) is fits


def test_tests_of_the_host_that_fail_are_told_and_the_drop_in_stays(add: Run, run: Run, checkout: Path) -> None:
    coloured = r"\033[31m 1 failed\033[39m"
    write(
        checkout / "check.py",
        f"import sys; print('E  assert 1 == 2'); print('{coloured}'); print('took 4 s')\nsys.exit(1)",
    )
    commit(checkout)
    ended = add()
    assert ended.code == 1
    assert "E  assert 1 == 2\n 1 failed\ntook 4 s\nthe host's tests fail: 1 failed\n" in ended.err
    ended = run("check", "acme", checkout, "--python", sys.executable)
    assert ended.code == 1
    assert ended.out.endswith("not python check.py: 1 failed\n")


def test_tests_that_cannot_be_run_are_no_failure(run: Run, checkout: Path) -> None:
    """What has to be installed is said instead."""
    ended = run("add", "acme", checkout)
    assert ended.code == 0
    assert "the host's tests were not run: there is no .venv in the checkout" in ended.err
    assert "to install: python install.py seekread\nStart acme as ever.\n" in ended.err


def test_the_line_that_counts_is_told_whatever_stands_below_it(add: Run, checkout: Path) -> None:
    """Warnings go to stderr, and some runners end with the time it took."""
    code = "print('Tests  39 passed (39)', 'Duration 2 s', sep=chr(10)); print('a warning', file=sys.stderr)"
    write(checkout / "check.py", f"import sys; {code}")
    commit(checkout)
    assert "the host's tests pass: Tests  39 passed (39)\n" in add().err


def test_an_environment_without_seekread_cannot_run_them(run: Run, checkout: Path, tmp_path: Path) -> None:
    python = tmp_path / "python"
    write(python, "#!/bin/sh\nexit 1\n")
    python.chmod(0o755)
    ended = run("add", "acme", checkout, "--python", python)
    assert "seekread is not installed in the host's environment" in ended.err


def test_check_runs_the_contract_in_the_checkout(add: Run, run: Run, checkout: Path) -> None:
    rich = version("rich")
    add()
    for lock, told in (
        (rich, f"ok  rich {rich} is the host's own"),
        ("14.0", f"!   rich {rich} is installed, and the"),
    ):
        write(checkout / "uv.lock", f'[[package]]\nname = "rich"\nversion = "{lock}"\n')
        ended = run("check", "acme", checkout, "--python", sys.executable)
        assert ended.code == 0
        first, second, third = ended.out.splitlines()
        assert first.startswith("ok  the drop-in of seekread")
        assert second.startswith(told)
        assert third == "ok  python check.py: 1 passed"
    write(checkout / "acme" / "search.py", "# something else\n")
    ended = run("check", "acme", checkout, "--python", sys.executable)
    assert ended.code == 4
    assert "the drop-in was changed since it was added: acme/search.py" in ended.err


@pytest.mark.parametrize("line", ["npx vitest run", "nosuchprogram --version"])
def test_a_command_that_is_not_there_is_told(line: str, run: Run, checkout: Path, hosts: Path) -> None:
    write(hosts / "acme" / "dropin.toml", TABLE.replace("python check.py", line))
    assert "the host's tests were not run: " in run("add", "acme", checkout).err


def test_no_host_is_known_by_name() -> None:
    """A new host is a new table: the command and what it uses name none."""
    sources = [ROOT / "src/seekread/cli/host.py", *(ROOT / "src/seekread/dropins").glob("*.py")]
    names = [path.parent.name for path in (ROOT / "src/seekread/integrations").glob("*/dropin.toml")]
    assert names
    assert not [(path.name, name) for path in sources for name in names if name in path.read_text(encoding="utf-8")]
