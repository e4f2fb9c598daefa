"""What every dialect that searches keeps to: subclass it in the dialect's own test."""

from typing import Any, ClassVar

from seekread.server.app import ServiceOptions
from seekread.server.dialects.dialect import Dialect
from seekread.testing.hits import NOTHING
from seekread.testing.server import Fault
from seekread.testing.simulators import Simulator

FOLLOWED = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
"""What a browser sends when somebody follows a link on another site's page."""


class SearchDialect:
    """The promises of a dialect: its shapes, its failures, and who is let in."""

    dialect: ClassVar[Dialect]
    path: ClassVar[str]
    body: ClassVar[dict[str, Any]]
    """A search for tea that wants three results."""
    words: ClassVar[str] = "query"
    """What it calls the words that are searched for."""
    headers: ClassVar[dict[str, str]] = {}
    """What its clients send to be answered with JSON, where that is not a matter of course."""
    invalid: ClassVar[int] = 400
    unauthorized: ClassVar[int] = 401
    nowhere: ClassVar[int] = 404
    """The status it gives to what makes no sense, to who has no key, and to an address that nobody answers."""

    def rows(self, reply: Any) -> list[Any]:
        """The results of an answer."""
        raise NotImplementedError

    def error(self, reply: Any) -> str:
        """What a failure says."""
        raise NotImplementedError

    def test_a_search_has_its_shape_and_nothing_found_is_an_empty_list(self, start: Any) -> None:
        running = start(dialects=[self.dialect])
        rows = self.rows(running.post(self.path, self.body, headers=self.headers).json())
        assert len(rows) == 3
        assert {"title"} < rows[0].keys()
        nothing = running.post(self.path, {**self.body, self.words: NOTHING}, headers=self.headers)
        assert (nothing.status_code, self.rows(nothing.json())) == (200, [])

    def test_a_failure_has_its_shape_and_is_never_a_200(self, start: Any, brave: Simulator) -> None:
        running = start(dialects=[self.dialect])
        brave.fail(Fault(429), times=1)
        reply = running.post(self.path, self.body)
        assert reply.status_code == 429
        assert "brave" in self.error(reply.json())
        missing = running.post(self.path, {})
        assert missing.status_code == self.invalid
        assert self.words in self.error(missing.json())
        prefix = self.dialect.prefixes[0]
        nowhere = running.post(f"{prefix}/no/such/address", {})
        assert (nowhere.status_code, bool(self.error(nowhere.json()))) == (self.nowhere, True)

    def test_a_token_is_asked_for_in_its_shape_and_taken_as_bearer(self, start: Any) -> None:
        running = start(ServiceOptions(require_token=True), dialects=[self.dialect])
        missing = running.post(self.path, self.body)
        assert (missing.status_code, "A token is needed" in self.error(missing.json())) == (self.unauthorized, True)
        wrong = running.post(self.path, self.body, headers={"authorization": "Bearer skr_wrong"})
        assert (wrong.status_code, "not valid" in self.error(wrong.json())) == (self.unauthorized, True)
        known = {"authorization": f"Bearer {running.tokens.create('app')}"}
        assert running.post(self.path, self.body, headers=known).status_code == 200

    def test_no_link_on_another_site_leads_to_it(self, start: Any) -> None:
        running = start(dialects=[self.dialect])
        refused = running.get(self.path, headers=FOLLOWED)
        assert (refused.status_code, "other sites" in self.error(refused.json())) == (403, True)
