"""The command line as a process: data on stdout, notes on stderr, exit codes as documented."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from seekread.testing import simulators
from seekread.testing.hits import NOTHING
from seekread.testing.server import Fault
from seekread.testing.simulators import Simulator

pytestmark = pytest.mark.process


@pytest.fixture
def brave() -> Iterator[Simulator]:
    with simulators.start("brave") as running:
        yield running


def seekread(
    *arguments: str, env: dict[str, str] | None = None, text: str | None = None
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "seekread", *arguments],
        capture_output=True, text=True, check=False, timeout=60, input=text,
        env={**os.environ, "SEEKREAD_CACHE": "false", **(env or {})},
    )  # fmt: skip


def test_results_go_to_stdout_and_notes_to_stderr(brave: Simulator) -> None:
    done = seekread("search", "tea", "and", "cake", "-n", "2", env=brave.environment())
    assert done.returncode == 0
    assert done.stdout.startswith("[1] tea and cake")
    assert "brave ok" in done.stderr
    assert "brave ok" not in done.stdout


def test_nothing_found_is_exit_code_three(brave: Simulator) -> None:
    done = seekread("search", NOTHING, env={**brave.environment(), "WEB_SEARCH_PROVIDER": "brave"})
    assert (done.returncode, done.stdout.strip()) == (3, f"No results found for: {NOTHING}")


@pytest.mark.parametrize(
    ("fault", "code"), [(Fault(401), 4), (Fault(429), 5), (Fault(500), 1), (Fault(body="<html>"), 1)]
)
def test_a_failure_has_its_own_exit_code_and_never_looks_like_no_results(
    brave: Simulator, fault: Fault, code: int
) -> None:
    brave.fail(fault)
    done = seekread("search", "tea", "-p", "brave", env=brave.environment())
    assert done.returncode == code
    assert done.stdout == ""
    assert "No results" not in done.stderr
    assert brave.key not in done.stderr


@pytest.mark.parametrize("route", ["first", "auto", "hedge", "fuse"])
def test_an_encyclopedia_that_has_nothing_does_not_make_a_failure_exit_code_three(brave: Simulator, route: str) -> None:
    with simulators.start("wikipedia") as wikipedia:
        env = {**brave.environment(), **wikipedia.environment(), "SEEKREAD_ROUTE": route}
        brave.fail(Fault(429))
        done = seekread("search", NOTHING, "-p", "brave", "-p", "wikipedia", env=env)
        assert (done.returncode, done.stdout) == (5, "")
        assert "brave" in done.stderr
        brave.reset()
        done = seekread("search", NOTHING, "-p", "wikipedia", "-p", "brave", env=env)
        assert (done.returncode, done.stdout.strip()) == (3, f"No results found for: {NOTHING}")


@pytest.mark.proves("X-6")
def test_usage_configuration_and_policy_have_exit_codes(brave: Simulator) -> None:
    assert seekread("search").returncode == 2
    assert seekread("search", "  ").returncode == 2
    assert seekread("search", "tea", "-p", "brave").returncode == 4
    assert seekread("search", "tea", "-p", "gogle").returncode == 4
    assert seekread("search", brave.key, "-p", "brave", env=brave.environment()).returncode == 6
    assert seekread("search", "tea", "--freshness", "fortnight").returncode == 2
    assert seekread("search", "tea", env={"SEEKREAD_COUNTRY": "Germany"}).returncode == 4


@pytest.mark.parametrize(
    "arguments", [("search", "tea", "-n", "0"), ("search", "tea", "--page", "0"), ("open", "x", "--max-length", "0")]
)
def test_zero_is_not_taken_for_nothing_said(arguments: tuple[str, ...]) -> None:
    done = seekread(*arguments)
    assert done.returncode == 2
    assert "0 is not in the range" in done.stderr


@pytest.mark.parametrize("command", ["search", "open"])
def test_an_empty_stdin_is_a_mistake_of_the_caller(command: str) -> None:
    done = seekread(command, "-", text="\n \n")
    assert done.returncode == 2
    assert "stdin is empty" in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="arguments are bytes elsewhere only")
@pytest.mark.parametrize("utf8_mode", ["0", "1"])
@pytest.mark.parametrize(("argument", "sent"), [(b"caf\xe9", None), (b"-", b"caf\xe9\n")])
def test_bytes_that_are_no_text_are_a_mistake_of_the_caller(
    argument: bytes, sent: bytes | None, utf8_mode: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "seekread", "search", argument],
        capture_output=True, check=False, timeout=60, input=sent,
        env={**os.environ, "PYTHONUTF8": utf8_mode, "LC_ALL": "C.UTF-8"},
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert b"UTF-8" in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("arguments", [("search", "tea", "-p", "brave"), ("config", "show"), ("--help",)])
def test_a_full_disk_is_said_in_one_sentence(brave: Simulator, arguments: tuple[str, ...]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "seekread", *arguments],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False, timeout=60,
            env={**os.environ, **brave.environment()},
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (1, "seekread: No space left on device\n")


def test_an_interrupt_while_starting_is_clean() -> None:
    script = """
import sys
from importlib.abc import MetaPathFinder

class Interrupting(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == "seekread.cli.app":
            raise KeyboardInterrupt

from seekread.__main__ import main

sys.meta_path.insert(0, Interrupting())
main()
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (130, "seekread: interrupted\n")


def test_the_error_for_a_missing_key_says_how_to_set_it() -> None:
    done = seekread("search", "tea", "-p", "brave")
    assert "BRAVE_SEARCH_API_KEY" in done.stderr


@pytest.mark.parametrize("style", ["json", "envelope", "term2", "markdown", "text"])
def test_every_format_shows_the_same_results(brave: Simulator, style: str) -> None:
    """X-11"""
    done = seekread("search", "tea", "-n", "2", "--format", style, "-p", "brave", env=brave.environment())
    assert done.returncode == 0
    assert done.stdout.count("https://www.example.org/tea/1") >= 1
    if style in {"json", "envelope"}:
        json.loads(done.stdout)


def test_json_failures_are_json_with_every_attempt(brave: Simulator) -> None:
    brave.fail(Fault(429))
    done = seekread("search", "tea", "-p", "brave", "--json", env=brave.environment())
    document = json.loads(done.stdout)
    assert document["outcome"] == "rate_limited"
    assert document["attempts"][0]["provider"] == "brave"


@pytest.mark.proves("S2-20")
def test_term2_gets_its_errors_on_stdout(brave: Simulator) -> None:
    brave.fail(Fault(401))
    done = seekread("search", "tea", "-p", "brave", "--format", "term2", env=brave.environment())
    assert done.stdout.startswith("Error: ")
    assert done.returncode == 4


def settings_of_term2(home: Path, tavily: dict[str, str], provider: str = "tavily") -> dict[str, str]:
    """The host's own file, where it keeps it, and nothing else that says anything."""
    path = home / ".local" / "state" / "term2-nodejs" / "settings.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"webSearch": {"provider": provider, "tavily": tavily, "exa": {}}, "theme": "dark"}))
    return {"HOME": str(home), "XDG_STATE_HOME": ""}


@pytest.mark.proves("S2-28")
def test_term2_s_own_settings_file_is_found_for_its_format(tmp_path: Path) -> None:
    """In the host's sandbox there is no environment; for other formats the file is nobody's business."""
    with simulators.start("tavily") as tavily:
        env = settings_of_term2(tmp_path, {"apiKey": tavily.key, "url": tavily.base_url})
        done = seekread("search", "tea", "--format", "term2", env=env)
        assert done.stdout.startswith("## Search Results\n\n### 1. tea & more, part 1\n"), done.stderr
        assert [received.json for received in tavily.received] == [{"query": "tea"}]
        seekread("search", "tea", env={**env, "WEB_SEARCH_PROVIDER": "brave"})
        own = tmp_path / "own.toml"
        own.write_text('[search]\nproviders = ["brave"]\n')
        for option in (("--config", str(own)), ()):
            named = {} if option else {"SEEKREAD_CONFIG": str(own)}
            done = seekread(*option, "search", "tea", "--format", "term2", env={**env, **named})
            assert done.stdout.startswith("Error: no provider could answer: brave"), done.stdout
        assert len(tavily.received) == 1


@pytest.mark.parametrize(("tavily", "provider"), [({}, "tavily"), ({"apiKey": "k"}, "seekread")])
def test_a_provider_of_term2_s_that_is_not_set_up_there_is_not_insisted_on(
    brave: Simulator, tmp_path: Path, tavily: dict[str, str], provider: str
) -> None:
    """The host writes `tavily` before anybody has chosen, and `seekread` is not one of our engines."""
    env = settings_of_term2(tmp_path, tavily, provider)
    done = seekread("search", "tea", "--format", "term2", env={**env, **brave.environment()})
    assert (done.returncode, len(brave.received)) == (0, 1), done.stdout


def test_queries_come_from_stdin_one_a_line(brave: Simulator) -> None:
    done = seekread("search", "-", "-p", "brave", "-n", "1", env=brave.environment(), text="tea\n\ncake\n")
    assert done.stdout.count("[1] ") == 2


def test_every_option_reaches_the_wire(brave: Simulator) -> None:
    done = seekread(
        "search", "tea", "-p", "brave", "--type", "news", "--freshness", "w", "--company", "Acme", "--country", "de",
        "--language", "de", "--safe-search", "strict", "--page", "2", "--site", "example.org", "--not-site", "x.org",
        env=brave.environment(),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    [sent] = brave.received
    assert sent.path.endswith("/news/search")
    assert sent.params["q"] == "tea Acme"
    assert (sent.params["freshness"], sent.params["country"], sent.params["search_lang"]) == ("pw", "DE", "de")
    assert (sent.params["safesearch"], sent.params["offset"]) == ("strict", "1")
    assert "example.org" in sent.params["goggles"]


def test_a_broken_pipe_is_silent(brave: Simulator) -> None:
    command = (
        f'{sys.executable} -m seekread search tea -p brave --json -q | head -c 1 >/dev/null; echo "${{PIPESTATUS[0]}}"'
    )
    done = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, check=False, timeout=60,
        env={**os.environ, "SEEKREAD_CACHE": "false", **brave.environment()},
    )  # fmt: skip
    assert done.stderr == ""
    assert done.stdout.strip() == "0"


def arrived(simulator: Simulator) -> None:
    """Wait, within bounds, until a request has reached the simulator."""
    patience = time.monotonic() + 30
    while not simulator.received and time.monotonic() < patience:
        time.sleep(0.01)
    assert simulator.received


def test_an_interrupt_is_clean(brave: Simulator) -> None:
    brave.fail(Fault(how="hang"))
    process = subprocess.Popen(
        [sys.executable, "-m", "seekread", "search", "tea", "-p", "brave"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "SEEKREAD_CACHE": "false", **brave.environment()},
    )  # fmt: skip
    arrived(brave)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Traceback" not in errors


@pytest.mark.proves("S3-32")
def test_config_show_names_every_source_and_masks_keys(brave: Simulator, tmp_path: Path) -> None:
    done = seekread("config", "show", env={**brave.environment(), "SEEKREAD_LIMIT": "9"})
    assert brave.key not in done.stdout + done.stderr
    assert "environment SEEKREAD_LIMIT" in done.stdout
    assert "environment BRAVE_SEARCH_API_KEY" in done.stdout
    assert "***" in done.stdout
    assert json.loads(seekread("config", "show", "--json").stdout)


def test_providers_says_who_is_ready_and_what_to_know() -> None:
    """S3-40"""
    done = seekread("providers", "--json")
    rows = {row["name"]: row for row in json.loads(done.stdout)}
    assert rows["duckduckgo"]["keyless"]
    assert "fallback" in rows["duckduckgo"]["caveat"]
    assert not rows["brave"]["configured"]
    assert rows["brave"]["needs"] == ["api_key"]
    told = seekread("providers").stdout
    assert "needs BRAVE_SEARCH_API_KEY\n" in told
    assert "needs SEEKREAD_JSON_API_BASE_URL\n" in told


def test_the_variable_that_an_error_names_is_the_one_that_is_read() -> None:
    """One without a name of its own is read with ours before it."""
    assert "set SEEKREAD_JSON_API_BASE_URL, or base_url under" in seekread("search", "tea", "-p", "json_api").stderr


def test_providers_tells_how_the_last_attempt_went(brave: Simulator, tmp_path: Path) -> None:
    env = {**brave.environment(), "SEEKREAD_STORE": str(tmp_path / "state.sqlite")}
    brave.fail(Fault(503))
    seekread("search", "tea", "-p", "brave", env=env)
    assert "last: unreachable" in seekread("providers", env=env).stdout
    brave.reset()
    seekread("search", "tea", "-p", "brave", env=env)
    rows = {row["name"]: row for row in json.loads(seekread("providers", "--json", env=env).stdout)}
    assert rows["brave"]["last_outcome"].startswith("ok")
    assert rows["tavily"]["last_outcome"] is None


def test_help_and_version() -> None:
    assert "Exit codes" in seekread("--help").stdout
    assert "--freshness" in seekread("search", "--help").stdout
    assert seekread("--version").stdout.startswith("seekread ")
