"""Spans of time, for services that want both ends."""

from datetime import UTC, datetime
from typing import Any

import pytest

from seekread.options import Query
from seekread.provider import SecretStr
from seekread.providers.brave import Brave
from seekread.providers.firecrawl import Firecrawl
from seekread.providers.serper import Serper

KEY = SecretStr("k")
OPEN_AND_CLOSED = [
    ({"date_from": "2026-01-02", "date_to": "2026-03-04"}, "2026-01-02", "2026-03-04"),
    ({"date_to": "2026-03-04"}, "1990-01-01", "2026-03-04"),
    ({"date_from": "2026-01-02"}, "2026-01-02", None),
]


def american(day: str) -> str:
    year, month, rest = day.split("-")
    return f"{month}/{rest}/{year}"


@pytest.mark.parametrize(("wishes", "first", "last"), OPEN_AND_CLOSED)
def test_an_end_left_open_is_as_early_as_the_web_or_today(wishes: dict[str, Any], first: str, last: str | None) -> None:
    query = Query(text="x", **wishes)
    before = datetime.now(UTC).date().isoformat()
    sent = [(provider.search(query).request.json or {})["tbs"] for provider in (Serper(KEY), Firecrawl(KEY))]
    fresh = (Brave(KEY).search(query).request.params or {})["freshness"]
    # Midnight may pass between the question and now.
    days = {last} if last else {before, datetime.now(UTC).date().isoformat()}
    assert set(sent) <= {f"cdr:1,cd_min:{american(first)},cd_max:{american(day)}" for day in days if day}
    assert fresh in {f"{first}to{day}" for day in days}


@pytest.mark.parametrize("provider", [Serper(KEY), Firecrawl(KEY)])
def test_services_in_front_of_google_send_its_words_for_recent(provider: Serper | Firecrawl) -> None:
    def sent(**wishes: Any) -> Any:
        return (provider.search(Query(text="x", **wishes)).request.json or {})["tbs"]

    assert [sent(freshness=span) for span in ("day", "week", "month", "year")] == ["qdr:d", "qdr:w", "qdr:m", "qdr:y"]
    assert sent() is None
