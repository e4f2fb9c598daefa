"""`seekread extract`: a document at hand, whatever it is."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from seekread.cli.app import app
from seekread.outcomes import MEANINGS
from tests.support.office_files import docx, paragraph, storage

pytestmark = pytest.mark.process


def extract(path: Path, *options: str) -> Result:
    return CliRunner().invoke(app, ["extract", str(path), *options])


@pytest.mark.parametrize("name", ["report.docx", "report.html", "report"])
def test_a_file_is_read_as_what_it_is_whatever_its_name_says(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.write_bytes(docx(paragraph("The wall stands"), title="Report"))
    assert extract(file).output == "The wall stands\n"
    told = json.loads(extract(file, "--json").output)
    assert (told["title"], told["success"], told["outcome"]) == ("Report", True, "ok")


def test_markdown_is_told_by_its_name_and_html_by_its_tags(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# One\n\ntext <!-- hidden -->")
    (tmp_path / "a.html").write_text("<h1>One</h1><p>text <span hidden>hidden</span></p>")
    assert extract(tmp_path / "a.md").output == "# One\n\ntext\n"
    assert extract(tmp_path / "a.html").output == "# One\n\ntext\n"


def test_a_file_that_cannot_be_read_says_why(tmp_path: Path) -> None:
    (tmp_path / "a.doc").write_bytes(storage("WordDocument"))
    result = extract(tmp_path / "a.doc")
    assert result.exit_code == MEANINGS["unsupported_type"].exit_code != 0
    assert "Word document of the format before 2007" in result.stderr
