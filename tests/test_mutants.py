"""The mistakes that `make mutants` makes on purpose fit the code; whether tests notice them is its own, longer run."""

import json
import re
import sys
from pathlib import Path

import pytest

from tools import mutants

ROOT = Path(__file__).parent.parent
MUTANTS = mutants.load()
AREAS = {
    "searching": ("searching/",),
    "reading": ("reading/", "readers/"),
    "calling": ("calling/",),
    "guard": ("http/",),
    "wash": ("extraction/", "page/invisible.py"),
    "cache": ("searching/cache.py", "reading/snapshots.py"),
    "ledger and state": ("state/",),
    "dialects": ("server/dialects/",),
    "renderers": ("render/",),
    "quotes": ("page/quote.py", "page/citations.py"),
    "hosts": ("integrations/",),
}


@pytest.mark.parametrize("mutant", MUTANTS, ids=str)
def test_the_words_to_change_stand_in_their_file_once(mutant: mutants.Mutant) -> None:
    assert mutant.occurrences == 1
    assert mutant.old != mutant.new


def test_every_mistake_names_tests_that_are_there() -> None:
    written = {
        name for path in (ROOT / "tests").rglob("*.py") for name in re.findall(r"def (test_\w+)", path.read_text())
    }
    named = {test.partition("[")[0] for mutant in MUTANTS for test in mutant.tests}
    assert all(mutant.tests for mutant in MUTANTS)
    assert not [test for test in named if not (ROOT / test.partition("::")[0]).is_file()]
    assert not [test for test in named if test.rpartition("::")[2] not in written]


def test_there_are_enough_of_them_everywhere() -> None:
    counted = {area: sum(mutant.file.startswith(files) for mutant in MUTANTS) for area, files in AREAS.items()}
    assert len({str(mutant) for mutant in MUTANTS}) == len(MUTANTS) >= 60
    assert {area: number for area, number in counted.items() if number < 3} == {}


@pytest.mark.process
@pytest.mark.parametrize(
    ("old", "new", "code", "said"),
    [
        ('MASK = "***"', 'MASK = "+++"', 0, "1 of 1 mistakes were caught"),
        ('MASK = "***"', 'MASK = "**" + "*"', 1, "survived"),
        ("no such words", "", 2, "its words stand 0 times in the file"),
    ],
)
def test_the_exit_code_tells_a_survivor_from_a_table_that_no_longer_fits(
    old: str,
    new: str,
    code: int,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    test = "tests/unit/test_redact.py::test_masking_the_beginning_of_a_key_leaves_no_end_of_it"
    row = {"about": "a mistake", "file": "redact.py", "old": old, "new": new, "tests": [test]}
    table = tmp_path / "mutants.toml"
    table.write_text("[[mutant]]\n" + "\n".join(f"{name} = {json.dumps(value)}" for name, value in row.items()))
    monkeypatch.setattr(mutants, "TABLE", table)
    monkeypatch.setattr(sys, "argv", ["mutants", "--jobs", "1"])
    before = (mutants.SOURCE / "seekread" / "redact.py").read_bytes()
    with pytest.raises(SystemExit) as ended:
        mutants.main()
    assert ended.value.code == code
    assert said in capsys.readouterr().out
    assert (mutants.SOURCE / "seekread" / "redact.py").read_bytes() == before
