"""What a Ray actor does with a batch, and what is said where there is no Ray; tests/e2e runs a cluster."""

import json
import sys
from pathlib import Path

import pytest

from seekread.batch import Manners
from seekread.batch.on_ray import RayReader, ReadPages
from seekread.config.sources import load
from seekread.errors import Misconfigured
from tests.support.small_site import SmallSite


@pytest.mark.process
def test_an_actor_makes_a_record_of_every_address(tmp_path: Path) -> None:
    """Batch after batch, on one event loop; one that was done for its run it does not read again."""
    with SmallSite() as site:
        configuration = load({"store": str(tmp_path / "state"), "allow_private": [site.endpoint]}, environ={})
        reading = ReadPages(configuration, "march", {"manners": Manners(0.0, 4)})
        one, other = [f"{site.url}/one", f"{site.url}/gone"], [f"{site.url}/two", "nonsense"]
        batches = [one, other, one]
        records = [[json.loads(record) for record in reading({"url": batch})["record"]] for batch in batches]
    assert [[record["url"] for record in batch] for batch in records] == batches
    assert [[record["outcome"] for record in batch] for batch in records] == [["ok", "not_found"]] * 3
    assert site.visits.paths["/one"] == 1
    # An actor has one CPU, so it has one child.
    assert reading._reader._parts.workers.limits.size == 1


def test_a_store_that_other_machines_do_not_reach_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="--store redis://"):
        RayReader(load({"store": str(tmp_path / "state")}, environ={}))


def test_without_ray_a_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(Misconfigured, match=r"seekread\[ray\]"):
        RayReader(load({"store": "redis://127.0.0.1:1/0"}, environ={}))
