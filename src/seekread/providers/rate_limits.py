"""
What a service says about its limits in the headers of a reply.

Brave sends comma lists, one value per window: `X-RateLimit-Policy: 50;w=1, 0;w=2592000` names the windows in seconds,
`-Limit`, `-Remaining` and `-Reset` (seconds to go) their values. A window whose limit is 0 is not capped.
Without a policy nobody knows what the numbers count, so they are not believed.

Reference: https://api.search.brave.com/app/documentation/web-search/response-headers
"""

from collections.abc import Mapping

from seekread.provider import RateWindow


def windows(headers: Mapping[str, str]) -> list[RateWindow]:
    """The windows the headers tell of; none if they are missing or make no sense."""
    known = {name.lower(): value for name, value in headers.items()}
    policies = [_policy(part) for part in known.get("x-ratelimit-policy", "").split(",")]
    columns = [_numbers(known.get(f"x-ratelimit-{name}", "")) for name in ("remaining", "reset")]
    found: list[RateWindow] = []
    for index, policy in enumerate(policies):
        if policy is None:
            continue
        limit, seconds = policy
        remaining, resets_in = (column[index] if index < len(column) else None for column in columns)
        if limit > 0:
            found.append(RateWindow(seconds, limit, remaining, resets_in))
        else:
            found.append(RateWindow(seconds, None))
    return found


def _policy(text: str) -> tuple[float, float] | None:
    limit, _, seconds = text.strip().partition(";w=")
    amount, window = _number(limit), _number(seconds)
    return (amount, window) if amount is not None and window else None


def _numbers(text: str) -> list[float | None]:
    return [_number(part) for part in text.split(",")]


def _number(text: str) -> float | None:
    return float(text) if text.strip().isascii() and text.strip().isdigit() else None
