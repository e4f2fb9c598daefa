"""
What the service is deployed with: an image that is small, pinned and nobody's, and containers that may do little.

Docker builds it where there is Docker; everywhere else the rules are read from the files, the health check is run
against a real service, and `hadolint` has its say where it can be installed.
"""

import re
import shutil
import subprocess
import sys
import tomllib
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from seekread.config.settings import all_settings, variables
from seekread.server.metrics import DESCRIBED
from tests.support.environments import ROOT
from tests.support.service_process import service

DOCKERFILE = ROOT / "Dockerfile"
EXTRAS = ("mcp", "server", "redis", "pdf", "robots", "socks", "otel", "oauth")
"""What the image can do."""
WORDS = re.compile(r"\\\n\s*")
OURS = "seekread"
NOT_OURS = {"up"}
"""Metrics that Prometheus makes by itself."""


def instructions() -> list[tuple[str, str]]:
    """The lines of the Dockerfile, each with its continuation, as instruction and words."""
    lines = [line for line in DOCKERFILE.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    whole = WORDS.sub(" ", "\n".join(lines))
    return [(name, words) for line in whole.splitlines() if line for name, _, words in [line.partition(" ")]]


def words_of(name: str) -> list[str]:
    return [words for instruction, words in instructions() if instruction == name]


@cache
def composed() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
    return found


def services() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = composed()["services"]
    return found


def pinned(lock: str) -> dict[str, str]:
    """The packages of a lock with their versions."""
    text = (ROOT / "requirements" / lock).read_text(encoding="utf-8")
    return dict(re.findall(r"^([a-z0-9-]+)==([^\s;]+)", text, re.MULTILINE))


def test_the_image_is_made_in_stages_of_one_pinned_python() -> None:
    bases = {base.partition(" ")[0] for base in words_of("FROM")}
    assert bases == {"python:${PYTHON}"}
    assert len(words_of("FROM")) == 2
    (python,) = words_of("ARG")
    assert re.fullmatch(r"PYTHON=3\.\d+-slim-\w+", python)
    last = [index for index, (name, _) in enumerate(instructions()) if name == "FROM"][-1]
    assert [words for name, words in instructions()[last:] if name == "COPY"] == [
        "--from=build /opt/seekread /opt/seekread"
    ]


def test_whoever_runs_in_it_is_nobody_and_has_a_number() -> None:
    assert words_of("USER") == ["10001:10001"]
    assert [name for name, _ in instructions()].index("USER") < [name for name, _ in instructions()].index("ENTRYPOINT")


def test_only_what_is_locked_with_hashes_gets_into_it() -> None:
    (installed,) = [words for words in words_of("RUN") if "requirements/" in words]
    assert installed.count("--require-hashes -r requirements/") == installed.count("pip install") == 2
    for words in words_of("RUN"):
        for line in words.split("&&"):
            assert "pip install" not in line or "--require-hashes" in line or "--no-deps" in line, line


@pytest.mark.parametrize("lock", ["service.txt", "build.txt"])
def test_its_locks_have_the_versions_that_are_tested(lock: str) -> None:
    tested = pinned("dev.txt")
    assert {name: version for name, version in pinned(lock).items() if tested.get(name) != version} == {}


def test_its_lock_has_all_its_extras_need() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *(each for name in EXTRAS for each in extras[name])]
    names = {re.split(r"[^\w.-]", each)[0].lower() for each in wanted}
    assert names - pinned("service.txt").keys() == set()
    makes = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert " ".join(f"--extra {name}" for name in EXTRAS) in makes


def test_everything_it_copies_is_there_and_is_let_in() -> None:
    let_in = [line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")]
    copied = [word for words in words_of("COPY") if "--from" not in words for word in words.split()[:-1]]
    for name in copied:
        assert (ROOT / name).exists(), name
        assert any(fnmatch(name, allowed) for allowed in let_in), name
    assert (ROOT / ".dockerignore").read_text().splitlines()[1] == "*"


@pytest.mark.process
def test_its_health_check_tells_a_service_that_lives_from_none(tmp_path: Path) -> None:
    (check,) = words_of("HEALTHCHECK")
    command = yaml.safe_load(check.partition("CMD ")[2])
    assert command[0] == "python"
    with service(tmp_path, "--host", "0.0.0.0", token=True) as running:
        # This machine may be busier than one that only serves.
        patient = [word.replace("timeout=3", "timeout=300") for word in command[1:]]
        there = [word.replace("8787", str(running.address[1])) for word in patient]
        assert subprocess.run([sys.executable, *there], check=False).returncode == 0
        running.terminate()
        gone = subprocess.run([sys.executable, *there], check=False, stderr=subprocess.DEVNULL)
        assert gone.returncode != 0


@pytest.mark.process
@pytest.mark.skipif(not shutil.which("hadolint", path=Path(sys.executable).parent), reason="hadolint is not here")
def test_a_linter_of_dockerfiles_finds_nothing() -> None:
    done = subprocess.run(
        [Path(sys.executable).parent / "hadolint", DOCKERFILE], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.process
def test_docker_builds_it_where_there_is_docker() -> None:
    docker = shutil.which("docker") or ""
    if not docker or subprocess.run([docker, "info"], capture_output=True, check=False).returncode:
        pytest.skip("no Docker runs here")
    subprocess.run([docker, "build", "--quiet", "--tag", "seekread:test", ROOT], check=True, timeout=1200)
    run = [docker, "run", "--rm", "--read-only", "--cap-drop=ALL", "seekread:test", "--version"]
    assert OURS in subprocess.run(run, check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("name", ["seekread", "valkey", "searxng", "prometheus"])
def test_a_container_may_do_little(name: str) -> None:
    container = services()[name]
    assert container["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in container["security_opt"]
    assert "privileged" not in container
    assert container["mem_limit"]
    assert container["restart"] == "unless-stopped"


def test_nothing_of_others_is_run_in_whatever_version_is_the_latest() -> None:
    images = {name: each["image"] for name, each in services().items() if "build" not in each}
    assert images.keys() == {"valkey", "searxng", "prometheus"}
    for image in images.values():
        assert re.search(r":v?\d+\.\d+", image), image


def test_two_services_share_one_store_that_nobody_else_reaches() -> None:
    ours, store = services()[OURS], services()["valkey"]
    assert ours["deploy"]["replicas"] == 2
    assert ours["environment"]["SEEKREAD_STORE"] == "redis://valkey:6379/0"
    assert store["networks"] == ["store"]
    assert composed()["networks"]["store"] == {"internal": True}
    assert "ports" not in store
    for needed in ("--appendonly yes", "--maxmemory-policy volatile-ttl"):
        assert needed in store["command"]


def test_ours_writes_nowhere_and_is_given_time_to_end() -> None:
    ours = services()[OURS]
    assert ours["read_only"] is True
    assert ours["tmpfs"] == ["/tmp"]
    assert ours["volumes"] == ["state:/state"]
    assert int(ours["stop_grace_period"].removesuffix("s")) > 30


def test_only_this_machine_reaches_what_is_published() -> None:
    for name, each in services().items():
        for port in each.get("ports", ()):
            assert port.startswith("127.0.0.1:"), name


def test_no_secret_stands_in_the_files() -> None:
    assert all(each["file"].startswith("deploy/secrets/") for each in composed()["secrets"].values())
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert {"deploy/secrets/", "deploy/seekread.env", ".env"} <= set(ignored)
    for container in services().values():
        for name, value in container.get("environment", {}).items():
            assert not re.search("KEY|TOKEN|SECRET|PASSWORD", name) or str(value).startswith("${"), name


def test_every_setting_and_option_it_is_given_exists() -> None:
    known = {variable for name, (_, info) in all_settings().items() for variable in variables(name, info)}
    given = services()[OURS]["environment"]
    assert {name for name in given if name.startswith("SEEKREAD_")} <= known
    options = {word.partition("=")[0] for word in services()[OURS]["command"] if word.startswith("--")}
    shown = (ROOT / "docs/reference/command-line.md").read_text(encoding="utf-8")
    assert not [option for option in options if f"{option} " not in shown]


def test_prometheus_asks_every_service_and_its_alerts_name_what_is_counted() -> None:
    folder = ROOT / "deploy" / "prometheus"
    asked = yaml.safe_load((folder / "prometheus.yml").read_text(encoding="utf-8"))
    (job,) = asked["scrape_configs"]
    assert job["dns_sd_configs"][0]["names"] == [OURS]
    assert job["authorization"]["credentials_file"] == "/run/secrets/metrics"
    assert "metrics" in services()["prometheus"]["secrets"]
    (rules,) = asked["rule_files"]
    told = yaml.safe_load((folder / rules).read_text(encoding="utf-8"))
    counted = set(DESCRIBED) | {f"{name}_bucket" for name in DESCRIBED}
    for rule in told["groups"][0]["rules"]:
        named = set(re.findall(r"\b(seekread_\w+|up)(?=[{\[\s)]|$)", rule["expr"]))
        assert named
        assert named <= counted | NOT_OURS, rule["alert"]
