"""
The plans that services sell, as presets. Prices age: what counts is what the operator sets and what the replies say.

A plan counts `unit`s: searches or requests where each call costs one, credits or tokens where the call says how many,
dollars where the allowance is money. Dates are UTC.
"""

from dataclasses import dataclass
from typing import Literal

from seekread.errors import Misconfigured

PeriodName = Literal["month", "day", "none"]
PlanUnit = Literal["searches", "requests", "credits", "tokens", "dollars"]


@dataclass(frozen=True)
class Plan:
    """
    What a key may use.

    `resets` is the day of the month on which a month begins; `price` is in dollars per unit, beyond the `limit` nothing
    is bought. A plan of period `none` has a limit that never resets.
    """

    name: str
    period: PeriodName = "month"
    limit: float | None = None
    unit: PlanUnit = "searches"
    price: float = 0.0
    per_second: float | None = None
    resets: int = 1


PLANS: dict[str, dict[str, Plan]] = {
    # free, basic, pro: the plans of 2025, kept for earlier accounts; free is held to one request a second.
    # search: about $5 per 1,000, 50 requests a second, a credit of $5 a month. api-dashboard.search.brave.com
    "brave": {
        "search": Plan("search", price=0.005, per_second=50),
        "credit": Plan("credit", limit=5.0, unit="dollars", price=0.005, per_second=50),
        "free": Plan("free", limit=2_000, per_second=1),
        "basic": Plan("basic", limit=15_000),
        "pro": Plan("pro", limit=100_000),
    },
    # 1,000 credits a month are free; $0.008 a credit beyond; 100 requests a minute with a development key, 1,000 with a
    # production key. docs.tavily.com: rate-limits, api-credits
    "tavily": {
        "free": Plan("free", limit=1_000, unit="credits", per_second=100 / 60),
        "paygo": Plan("paygo", unit="credits", price=0.008, per_second=1_000 / 60),
    },
    # About $5 per 1,000 requests, no charge for tokens, 50 requests a second. docs.perplexity.ai: search
    "perplexity": {"search": Plan("search", unit="requests", price=0.005, per_second=50)},
    # Requests a minute, reading: 20 without a key, 500 with one, 5,000 premium; searching: 100, premium 1,000.
    # The cost is output tokens. jina.ai: pricing
    "jina": {
        "keyless": Plan("keyless", period="none", unit="requests", per_second=20 / 60),
        "key": Plan("key", period="none", unit="tokens", per_second=100 / 60),
        "premium": Plan("premium", period="none", unit="tokens", per_second=1_000 / 60),
    },
    # Search 2 credits per 10 results, scrape 1 a page; about $0.83 per 1,000 credits on the standard plan. The size of
    # the free plan is told differently (500 to 1,000): the smaller number. firecrawl.dev: pricing
    "firecrawl": {
        "free": Plan("free", limit=500, unit="credits"),
        "standard": Plan("standard", unit="credits", price=0.00083),
    },
    # 2,500 queries once; $1.00 down to $0.30 per 1,000. serper.dev
    "serper": {
        "trial": Plan("trial", period="none", limit=2_500),
        "paid": Plan("paid", period="none", price=0.001),
    },
    # $7 per 1,000 searches with up to 10 results; $10 a month free; 10 searches a second. exa.ai: pricing
    "exa": {
        "free": Plan("free", limit=10.0, unit="dollars", price=0.007, per_second=10),
        "paid": Plan("paid", price=0.007, per_second=10),
    },
    # About EUR 5 per 1,000 standard searches. docs.linkup.so
    "linkup": {"standard": Plan("standard", price=0.0055)},
    # $5 per 1,000; without a key about 100 a day for one address. you.com: api
    "you": {
        "paid": Plan("paid", price=0.005),
        "keyless": Plan("keyless", period="day", limit=100),
    },
    # About $4 per 1,000 basic, $9 per 1,000 advanced searches. parallel.ai
    "parallel": {"basic": Plan("basic", price=0.004), "advanced": Plan("advanced", price=0.009)},
    # 300 requests a day without a key, 10,000 with a free one. api.stackexchange.com/docs/throttle
    "stackexchange": {
        "keyless": Plan("keyless", period="day", limit=300, unit="requests"),
        "key": Plan("key", period="day", limit=10_000, unit="requests"),
    },
}
"""Plans by provider and name; the first one of each provider is what a new key gets."""

UNPLANNED = Plan("none", period="month")
"""Counted by the month, limited by nothing."""


def find_plan(provider: str, name: str) -> Plan:
    """The preset of that name; the message lists the names there are."""
    presets = PLANS.get(provider, {})
    if name not in presets:
        known = ", ".join(presets) or "none; give limit, period and price yourself"
        raise Misconfigured(f"{provider} has no plan {name!r}; known plans: {known}")
    return presets[name]
