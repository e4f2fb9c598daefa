"""The client for JavaScript, driven by Node against a real service, and its types by TypeScript."""

import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from seekread.version import VERSION
from tests.support.environments import ROOT, node_of
from tests.support.service_process import ServiceProcess, service

# An environment may have to be made first.
pytestmark = [pytest.mark.process, pytest.mark.timeout(900)]

PACKAGE = ROOT / "clients" / "js"


@pytest.fixture
def running(tmp_path: Path) -> Iterator[ServiceProcess]:
    with service(tmp_path, token=True) as process:
        process.find_own_page()
        yield process


def node(*arguments: str, environ: Mapping[str, str] | None = None) -> "subprocess.CompletedProcess[str]":
    executable, _ = node_of("term2")
    command, environment = [str(executable), *arguments], {"PATH": os.environ["PATH"], **(environ or {})}
    return subprocess.run(
        command, cwd=PACKAGE, env=environment, capture_output=True, text=True, check=False, timeout=300
    )


def test_it_searches_reads_looks_up_and_tells_failures_apart(running: ServiceProcess) -> None:
    place = {"SEEKREAD_URL": running.url, "SEEKREAD_TOKEN": running.token, "SEEKREAD_SITE": running.site.url}
    done = node("--test", "test/client.test.js", environ=place)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "fail 0" in done.stdout


def test_its_types_are_those_it_promises() -> None:
    _, commands = node_of("term2")
    compiler = commands.parent / "typescript" / "bin" / "tsc"
    done = node(str(compiler), "-p", "test/tsconfig.json")
    assert done.returncode == 0, done.stdout


def test_it_needs_no_package_and_has_our_version() -> None:
    package = json.loads((PACKAGE / "package.json").read_text())
    assert not {"dependencies", "peerDependencies", "optionalDependencies", "devDependencies"} & package.keys()
    assert package["version"] == VERSION
    assert all((PACKAGE / name).is_file() for name in package["files"])
