"""The tables of the hosts' drop-ins say what lies beside them."""

import re
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from seekread.cli import host as command
from seekread.dropins.table import DropIn, drop_in, known
from tests.support.environments import ROOT


@pytest.mark.parametrize("host", known())
def test_a_table_names_exactly_the_files_that_are_shipped(host: str) -> None:
    table = drop_in(host)
    folder = table.folder / "dropin"
    shipped = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert {path for path in shipped if "__pycache__" not in path} == set(table.files)
    assert table.host == host
    assert table.marker
    assert (table.skill is None) == (table.skill_files() == {})


@pytest.mark.parametrize("host", known())
def test_no_drop_in_installs_a_pinned_package(host: str) -> None:
    """An extra of ours would bring it along."""
    table = drop_in(host)
    words = [word for command in table.install for word in command]
    assert not [word for word in words for name in table.pinned if word.startswith(name) or f"[{name}" in word]


def test_the_page_about_it_names_every_command_and_every_key_of_a_table() -> None:
    page = (ROOT / "docs" / "guides" / "hosts" / "add-and-remove.md").read_text(encoding="utf-8")
    assert re.findall(r"^seekread host (\w+) NAME PATH$", page, re.MULTILINE) == ["add", "check", "remove"]
    assert set(command.host.commands) == {"add", "check", "remove"}
    assert not [name for name in DropIn.model_fields if not re.search(rf"^\| `\[*{name}\]*`", page, re.MULTILINE)]
    assert not [name for name in known() if f"[{name}]({name}.md)" not in page]


@pytest.mark.process
def test_the_wheel_brings_every_drop_in(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    [wheel] = tmp_path.glob("*.whl")
    brought = set(ZipFile(wheel).namelist())
    for host in known():
        folder = f"seekread/integrations/{host}"
        assert {f"{folder}/dropin.toml", *(f"{folder}/dropin/{name}" for name in drop_in(host).files)} <= brought
