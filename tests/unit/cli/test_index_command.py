"""`seekread index` as people type it."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from seekread.cli.app import app
from seekread.cli.index import index
from seekread.index.store import IndexStore


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("# Alpha\n\nfirst")
    (folder / "b.html").write_text("<title>Beta</title><h1>Beta</h1><p>second")
    return folder


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "state" / "index.sqlite"


def run(file: Path, *arguments: str | Path) -> Result:
    return CliRunner().invoke(index, ["--index", str(file), *map(str, arguments)])


def test_adding_says_what_was_done_on_stderr_only(file: Path, notes: Path) -> None:
    first, second = run(file, "add", notes), run(file, "add", notes)
    assert (first.exit_code, first.stdout, first.stderr) == (0, "", "2 added\n")
    assert (second.exit_code, second.stdout, second.stderr) == (0, "", "2 unchanged\n")


def test_listing_prints_one_line_per_document_or_json(file: Path, notes: Path) -> None:
    run(file, "add", notes)
    lines = run(file, "list")
    assert [line.split("  ")[1:3] for line in lines.stdout.splitlines()] == [
        ["Alpha", (notes / "a.md").as_uri()],
        ["Beta", (notes / "b.html").as_uri()],
    ]
    assert all(line.split("  ")[3].startswith("index:") for line in lines.stdout.splitlines())
    assert lines.stderr == "2 documents in the index\n"
    listed = run(file, "list", "--json")
    assert [document["title"] for document in json.loads(listed.stdout)] == ["Alpha", "Beta"]
    assert listed.stderr == ""


def test_listing_an_index_that_is_not_there_is_an_empty_list(file: Path) -> None:
    assert json.loads(run(file, "list", "--json").stdout) == []
    assert not file.exists()


def test_the_documentation_can_be_added_by_name(file: Path) -> None:
    assert run(file, "add", "--docs").exit_code == 0
    assert "local-index.md" in run(file, "list").stdout


def test_removing_takes_files_folders_and_vanished_files_out(file: Path, notes: Path) -> None:
    run(file, "add", notes)
    (notes / "a.md").unlink()
    assert run(file, "remove", notes / "a.md").stderr == "removed 1 document\n"
    assert run(file, "remove", notes).stderr == "removed 1 document\n"
    again = run(file, "remove", notes)
    assert (again.exit_code, again.stderr) == (1, "removed 0 documents\n")


def test_rebuilding_says_how_many_documents_there_are(file: Path, notes: Path) -> None:
    run(file, "add", notes)
    rebuilt = run(file, "rebuild")
    assert (rebuilt.exit_code, rebuilt.stderr) == (0, "rebuilt 2 documents\n")


@pytest.mark.parametrize("arguments", [["add"], ["add", "no/such/file.md"], ["remove"], ["add", "--nonsense"]])
def test_a_mistake_in_the_command_is_usage(file: Path, arguments: list[str]) -> None:
    assert run(file, *arguments).exit_code == 2
    assert not file.exists()


@pytest.mark.process
def test_a_damaged_index_is_one_sentence_and_exit_code_one(file: Path, notes: Path) -> None:
    file.parent.mkdir()
    file.write_bytes(b"garbage" * 1000)
    for arguments in (["add", str(notes)], ["list"]):
        command = [sys.executable, "-m", "seekread", "index", "--index", str(file), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith(f"seekread: the index {file} is damaged")
        assert "Traceback" not in done.stderr


def test_what_was_skipped_is_said_and_fails_only_when_nothing_else_was_there(file: Path, notes: Path) -> None:
    binary = notes / "c.txt"
    binary.write_bytes(b"\0\0")
    mixed, alone = run(file, "add", notes), run(file, "add", binary)
    assert (mixed.exit_code, alone.exit_code) == (0, 1)
    assert f"skipped: {binary} is not text" in mixed.stderr
    assert "2 added, 1 skipped" in mixed.stderr


class Site(BaseHTTPRequestHandler):
    """A site with one long page."""

    def do_GET(self) -> None:
        found = self.path == "/long"
        paragraphs = "".join(
            f"<p>Paragraph {number} is about honey and what bees do all day.</p>" for number in range(900)
        )
        body = f"<title>Bees</title><h1>Bees</h1>{paragraphs}<p>The very last word is zymurgy.</p>".encode()
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(body if found else b"gone")

    def log_message(self, *arguments: object) -> None:
        """Tests are quiet."""


@pytest.fixture
def site() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Site) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.mark.process
def test_a_page_is_read_whole_through_the_guard_and_indexed(file: Path, site: str) -> None:
    command = ["index", "--index", str(file), "add", f"http://{site}/long", f"http://{site}/gone"]
    done = CliRunner(env={"SEEKREAD_ALLOW_PRIVATE": site}).invoke(app, command)
    assert done.exit_code == 0, done.output
    assert f"skipped: http://{site}/gone could not be read" in done.stderr
    assert "1 added, 1 skipped" in done.stderr
    (hit,) = IndexStore(file).search("zymurgy").hits
    assert (hit.url, hit.title) == (f"http://{site}/long", "Bees")


def test_an_address_the_guard_refuses_is_not_read(file: Path, site: str) -> None:
    done = CliRunner().invoke(app, ["index", "--index", str(file), "add", f"http://{site}/long"])
    assert done.exit_code == 1
    assert IndexStore(file).is_empty()


def test_without_a_path_the_configured_index_is_used(tmp_path: Path, notes: Path) -> None:
    file = tmp_path / "configured.sqlite"
    result = CliRunner(env={"SEEKREAD_INDEX_PATH": str(file)}).invoke(app, ["index", "add", str(notes)])
    assert (result.exit_code, file.exists()) == (0, True)


def test_a_settings_file_may_name_the_index(tmp_path: Path, notes: Path) -> None:
    file, settings = tmp_path / "configured.sqlite", tmp_path / "settings.toml"
    settings.write_text(f"[state]\nindex_path = '{file}'\n")
    result = CliRunner().invoke(app, ["--config", str(settings), "index", "add", str(notes)])
    assert (result.exit_code, file.exists()) == (0, True)


COMMAND = """
import sys
from seekread.cli.index import index
index(sys.argv[1:], standalone_mode=False)
print("drawn" if "rich" in sys.modules else "plain")
"""


@pytest.mark.process
def test_nothing_is_drawn_when_nobody_watches(file: Path, notes: Path) -> None:
    command = [sys.executable, "-c", COMMAND, "--index", str(file), "add", str(notes)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert (done.stdout, done.stderr) == ("plain\n", "2 added\n")


def everything_shown(terminal: int) -> str:
    """What a program writes to its terminal until it leaves; a slow one draws more than a single read holds."""
    pieces: list[bytes] = []
    # Linux says EIO when nobody can write any more, others return nothing.
    with suppress(OSError):
        while piece := os.read(terminal, 4096):
            pieces.append(piece)
    return b"".join(pieces).decode()


@pytest.mark.process
@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_bar_is_drawn_on_a_terminal_and_never_on_stdout(file: Path, notes: Path) -> None:
    ours, theirs = os.openpty()
    command = [sys.executable, "-c", COMMAND, "--index", str(file), "add", str(notes)]
    environment = {**os.environ, "TERM": "xterm"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs, text=True, env=environment) as process:
        os.close(theirs)
        shown = everything_shown(ours)
        stdout, _ = process.communicate(timeout=60)
    os.close(ours)
    assert stdout == "drawn\n"
    assert "indexing" in shown
    assert "2 added" in shown
