"""
What programs write against the public API means the same to a second type checker.

The samples beside this file are checked by mypy with everything else: `assert_type` says what is right, and every
`type: ignore` stands on a line that is wrong, or mypy complains that nobody needs it. Here basedpyright, which judges
as pyright does in most editors and is told to take no notice of these comments, must find exactly the same lines wrong.
"""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import seekread

FOLDER = Path(__file__).parent
SAMPLES = sorted(path for path in FOLDER.glob("*.py") if path != Path(__file__))


@pytest.fixture(scope="module")
def errors() -> list[dict[str, Any]]:
    """What basedpyright says about the samples."""
    command = [sys.executable, "-m", "basedpyright", "--outputjson", "--pythonpath", sys.executable]
    done = subprocess.run(
        [*command, "--project", str(FOLDER)], capture_output=True, text=True, check=False, timeout=240
    )
    found: list[dict[str, Any]] = json.loads(done.stdout)["generalDiagnostics"]
    return [one for one in found if one["severity"] == "error"]


@pytest.mark.process
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.stem)
def test_both_checkers_find_the_same_lines_wrong(sample: Path, errors: list[dict[str, Any]]) -> None:
    lines = sample.read_text(encoding="utf-8").splitlines()
    wrong = {number for number, line in enumerate(lines, start=1) if "# type: ignore[" in line}
    said = {one["range"]["start"]["line"] + 1: one["message"] for one in errors if Path(one["file"]) == sample}
    assert len(wrong) > 5
    assert {line: said.get(line) for line in wrong ^ said.keys()} == {}


def test_the_samples_use_every_public_name() -> None:
    text = "".join(sample.read_text(encoding="utf-8") for sample in SAMPLES)
    assert not [name for name in seekread.__all__ if not re.search(rf"\b{name}\b", text)]
