"""Open WebUI's interfaces on the wire."""

from typing import Any, ClassVar

import pytest

from seekread.server.dialects.openwebui import DIALECT
from seekread.testing.server import LoopbackServer
from tests.unit.server.dialects.search_dialect import SearchDialect


class TestOpenWebUI(SearchDialect):
    dialect = DIALECT
    path = "/compat/openwebui/search"
    body: ClassVar[dict[str, Any]] = {"query": "tea", "count": 3}

    def rows(self, reply: Any) -> list[Any]:
        return list(reply)

    def error(self, reply: Any) -> str:
        return str(reply["detail"])


@pytest.mark.process
def test_the_loader_leaves_out_what_cannot_be_read_and_fails_when_nothing_can(
    running: Any, site: LoopbackServer
) -> None:
    loaded = running.post("/compat/openwebui/loader", {"urls": [site.url, f"{site.url}/gone"]}).json()
    assert [(page["metadata"]["source"], page["metadata"]["title"]) for page in loaded] == [(site.url, "All about tea")]
    assert "Steep it" in loaded[0]["page_content"]
    failed = running.post("/compat/openwebui/loader", {"urls": [f"{site.url}/gone"]})
    assert (failed.status_code, "detail" in failed.json()) == (404, True)
