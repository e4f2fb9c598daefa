"""
Step 2, policy: what the operator allows to be asked, shown and opened.

Domain lists match a host exactly or below it. A refusal names the setting that decides.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from seekread.domains import host_of, matches_any
from seekread.errors import Refused
from seekread.models import Query, SearchResult
from seekread.redact import KEY_SHAPES, spellings


@dataclass(frozen=True)
class Policy:
    """The operator's rules. `secrets` are the configured keys: none of them may leave in a query or an address."""

    allowed_domains: tuple[str, ...] = ()
    blocked_domains: tuple[str, ...] = ()
    secrets: frozenset[str] = frozenset()
    scan_outgoing: bool = True

    def check(self, query: Query) -> None:
        """Refuse a query that would carry a secret out."""
        self.check_outgoing(" ".join(filter(None, (query.text, query.company))), "query")

    def check_outgoing(self, text: str, what: str) -> None:
        """Refuse text that holds a configured secret or something with the shape of a key."""
        if not self.scan_outgoing:
            return
        if any(form in text for secret in self.secrets for form in spellings(secret)):
            raise Refused("secret_in_" + what, f"the {what} contains a configured secret and was not sent")
        if KEY_SHAPES.search(text):
            raise Refused(
                "key_shape_in_" + what,
                f"the {what} contains something that looks like a key and was not sent; "
                "set scan_outgoing = false under [policy] if that is intended",
            )

    def check_domain(self, url: str) -> None:
        """Refuse an address outside the operator's lists."""
        host = host_of(url)
        if self.allowed_domains and not matches_any(host, self.allowed_domains):
            raise Refused("domain_not_allowed", f"{host} is not among allowed_domains under [policy]")
        if matches_any(host, self.blocked_domains):
            raise Refused("domain_blocked", f"{host} is among blocked_domains under [policy]")

    def keep(self, results: Sequence[SearchResult]) -> tuple[list[SearchResult], str | None]:
        """The results the operator lets through, and a note if some were held back."""
        kept = [result for result in results if self._allows(host_of(result.url))]
        held = len(results) - len(kept)
        note = f"{held} result(s) were held back by allowed_domains or blocked_domains under [policy]" if held else None
        return kept, note

    def _allows(self, host: str) -> bool:
        if self.allowed_domains and not matches_any(host, self.allowed_domains):
            return False
        return not matches_any(host, self.blocked_domains)
