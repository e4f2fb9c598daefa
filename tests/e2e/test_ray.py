"""`seekread read-many --engine ray` on a real cluster of two nodes: what dies on the way loses nothing."""

import json
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from seekread.batch.kept import TOGETHER
from seekread.batch.on_ray import BATCH
from seekread.testing.server import Answer, Received
from tests.support.environments import ROOT
from tests.support.ray_cluster import RayCluster, ray_cluster
from tests.support.redis_server import RedisServer, why_not
from tests.support.small_site import SmallSite, page_of

pytestmark = [pytest.mark.process, pytest.mark.skipif(bool(why_not()), reason=why_not())]

PAGES, DELAY, PER_HOST = 200, 0.05, 4
LATE = 0.25
"""Seconds by which one request may reach the site later than another, on a busy machine: it sees a shorter span."""
KILLS = {60: RayCluster.kill_actor, 120: RayCluster.kill_node}
DEAD = 3
"""Actors that the two take with them at most: a node has CPUs for two."""


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[RedisServer]:
    with RedisServer(tmp_path / "redis", durable=False) as running:
        yield running


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[RayCluster]:
    with ray_cluster(tmp_path) as running:
        yield running


def run(cluster: RayCluster, site: SmallSite, *words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [str(cluster.python), *words],
        env={**cluster.environment, "RAY_ADDRESS": cluster.address, "SEEKREAD_ALLOW_PRIVATE": site.endpoint},
        cwd=ROOT, capture_output=True, text=True, timeout=250, check=False,
    )  # fmt: skip


def test_a_cluster_reads_lists_and_datasets_whatever_dies_on_the_way(
    cluster: RayCluster, redis: RedisServer, tmp_path: Path
) -> None:
    """An actor dies, then a machine: each page once in the file, only the last few asked for again, one pace."""
    with SmallSite() as small:
        (tmp_path / "urls.csv").write_text(f"url\n{small.url}/one\n{small.url}/gone\n")
        done = run(cluster, small, "examples/bulk/on_ray.py", str(tmp_path / "urls.csv"), redis.url)
    assert sorted(line.split()[0] for line in done.stdout.splitlines()) == ["not_found", "ok"], done.stderr

    waiting = dict(KILLS)

    def answer(received: Received) -> Answer:
        if kill := waiting.pop(len(site.visits.at), None):
            kill(cluster)
        return page_of(received)

    urls, output, paths = tmp_path / "urls.txt", tmp_path / "pages.jsonl", [f"/{number}" for number in range(PAGES)]
    with SmallSite(answer) as site:
        urls.write_text("".join(f"{site.url}{path}\n{site.url}{path}#top\n" for path in paths))
        command = ["-m", "seekread", "--store", redis.url, "read-many", str(urls), "-o", str(output)]
        manners = ["--delay", str(DELAY), "--per-host", str(PER_HOST)]
        ended = run(cluster, site, *command, *manners, "--engine", "ray", "--actors", "3")
    assert ended.returncode == 0, ended.stderr
    assert not waiting
    records = [json.loads(line) for line in output.read_text().splitlines()]
    assert Counter(record["url"].removeprefix(site.url) for record in records) == Counter(paths)
    assert {record["outcome"] for record in records} == {"ok"}
    again = sum(site.visits.paths[path] - 1 for path in paths)
    assert again <= PER_HOST * len(KILLS) + (TOGETHER - 1) * DEAD < BATCH
    assert site.visits.most_within(1.0) <= (1 + LATE) / DELAY + 1
    assert f"{PAGES} skipped" in ended.stderr
