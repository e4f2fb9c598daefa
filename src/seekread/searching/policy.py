"""
Step 2, policy: what the operator allows to be asked, shown and opened.

Domain lists match a host exactly or below it. A refusal names the setting that decides.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from urllib.parse import unquote

from seekread.errors import Refused
from seekread.hostnames import host_of, matches_any, read_domains
from seekread.models import Query, SearchResult
from seekread.redact import KEY_SHAPES, spellings

LONGEST = 20_000
"""Characters that are scanned. Longer texts are refused: an unscanned end could carry anything."""


@dataclass(frozen=True)
class Policy:
    """The operator's rules. `secrets` are the configured keys: none of them may leave in a query or an address."""

    allowed_domains: tuple[str, ...] = ()
    blocked_domains: tuple[str, ...] = ()
    secrets: frozenset[str] = field(default=frozenset(), repr=False)
    scan_outgoing: bool = True

    def __post_init__(self) -> None:
        """Read the lists as the guard reads them, so that both mean the same hosts."""
        for name in ("allowed_domains", "blocked_domains"):
            object.__setattr__(self, name, read_domains(name, getattr(self, name)))

    def check(self, query: Query) -> None:
        """Refuse a query that would carry a secret out, in its words or in its domain lists."""
        words = " ".join(filter(None, (query.text, query.company)))
        for text in (words, *query.allowed_domains, *query.blocked_domains):
            self.check_outgoing(text, "query")

    def narrowed(self, query: Query) -> Query:
        """The query within the operator's lists, so that providers search where results may come from."""
        allowed = common(query.allowed_domains, self.allowed_domains)
        if self.allowed_domains and not allowed:
            wanted = ", ".join(query.allowed_domains[:5])
            raise Refused("domain_not_allowed", f"{wanted}: not among allowed_domains under [policy]")
        blocked = tuple(dict.fromkeys((*query.blocked_domains, *self.blocked_domains)))
        return query.model_copy(update={"allowed_domains": allowed, "blocked_domains": blocked})

    def check_outgoing(self, text: str, what: str) -> None:
        """Refuse text that holds a configured secret or something with the shape of a key, however it is encoded."""
        if not self.scan_outgoing:
            return
        if len(text) > LONGEST:
            raise Refused("too_long", f"the {what} is longer than {LONGEST:,} characters and was not sent")
        once = unquote(text)
        readings = {text, once, unquote(once)}
        if any(form in reading for reading in map(str.casefold, readings) for form in self._secret_forms):
            raise Refused("secret_in_" + what, f"the {what} contains a configured secret and was not sent")
        if any(map(KEY_SHAPES.search, readings)):
            raise Refused(
                "key_shape_in_" + what,
                f"the {what} contains something that looks like a key and was not sent; "
                "set scan_outgoing = false under [policy] if that is intended",
            )

    @cached_property
    def _secret_forms(self) -> frozenset[str]:
        return frozenset(form.casefold() for secret in self.secrets for form in spellings(secret))

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


def common(asked: Sequence[str], granted: Sequence[str]) -> tuple[str, ...]:
    """The domains of both lists: of two where one lies in the other, the narrower. No list allows everything."""
    if not asked or not granted:
        return tuple(asked or granted)
    within = [domain for domain in asked if matches_any(domain, granted)]
    below = [domain for domain in granted if matches_any(domain, asked)]
    return tuple(dict.fromkeys((*within, *below)))
