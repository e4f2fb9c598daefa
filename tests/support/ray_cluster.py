"""A Ray cluster on loopback: nodes are processes of this machine, with as many logical CPUs as they are told."""

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import distribution
from pathlib import Path

from tests.support.environments import ROOT, python_of

NODES = """
import json, sys
from ray.cluster_utils import Cluster

node = {"num_cpus": 2, "object_store_memory": 100 * 1024 * 1024}
cluster = Cluster(initialize_head=True, head_node_args={**node, "include_dashboard": False})
nodes = [cluster.head_node, cluster.add_node(**node)]
cluster.wait_for_nodes()
raylets = [node.all_processes["raylet"][0].process.pid for node in nodes]
print(json.dumps({"address": cluster.address, "raylets": raylets}), flush=True)
sys.stdin.read()
cluster.shutdown()
"""


class RayCluster:
    """Two nodes of two logical CPUs each; with one Ray has none left for itself."""

    def __init__(self, python: Path, environment: dict[str, str]) -> None:
        self.python, self.environment = python, environment
        self._process = subprocess.Popen(
            [str(python), "-c", NODES], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True, env=environment,
        )  # fmt: skip
        assert self._process.stdout is not None
        told = next((line for line in self._process.stdout if line.startswith("{")), "")
        if not told:
            raise RuntimeError("the cluster did not start")
        about = json.loads(told)
        self.address: str = about["address"]
        self.raylets: list[int] = about["raylets"]

    @property
    def processes(self) -> list[int]:
        """Everything that makes up the cluster."""
        return [
            *self.raylets,
            *descendants_of(self._process.pid),
            *(p for r in self.raylets for p in descendants_of(r)),
        ]

    def actors(self, node: int | None = None) -> list[int]:
        """The processes that read, of one node or of all."""
        of = self.raylets if node is None else [self.raylets[node]]
        return [process for raylet in of for process in children_of(raylet) if "ReadPages" in title_of(process)]

    def kill_actor(self) -> None:
        """Kill one process that reads, the hard way."""
        os.kill(self.actors()[0], signal.SIGKILL)

    def kill_node(self) -> None:
        """Kill the node that is not the head, with everything on it."""
        processes = [*descendants_of(self.raylets[1]), self.raylets[1]]
        for process in processes:
            kill(process)

    def stop(self) -> None:
        """End all of it."""
        left = [process for raylet in self.raylets for process in (*descendants_of(raylet), raylet)]
        try:
            self._process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.communicate()
        for process in left:
            kill(process)


@contextmanager
def ray_cluster(folder: Path) -> Iterator[RayCluster]:
    """A cluster in whose processes this checkout can be imported."""
    cluster = RayCluster(python_of("ray"), surroundings(folder))
    try:
        yield cluster
    finally:
        cluster.stop()


def surroundings(folder: Path) -> dict[str, str]:
    """An environment in which this checkout is installed, and Ray tells nobody about itself."""
    [installed] = [path for path in (distribution("seekread").files or ()) if path.name == "METADATA"]
    source = Path(str(installed.locate())).parent
    if not (folder / source.name).exists():
        shutil.copytree(source, folder / source.name)
    paths = os.pathsep.join(map(str, (folder, ROOT / "src")))
    return {**os.environ, "PYTHONPATH": paths, "RAY_USAGE_STATS_ENABLED": "0", "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}


def children_of(process: int) -> list[int]:
    found = []
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        try:
            found += [int(child) for child in task.read_text().split()]
        except OSError:
            continue
    return found


def descendants_of(process: int) -> list[int]:
    """The children of a process, and theirs."""
    return [found for child in children_of(process) for found in (child, *descendants_of(child))]


def title_of(process: int) -> str:
    """What a process calls itself."""
    try:
        return Path(f"/proc/{process}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""


def kill(process: int) -> None:
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        return
