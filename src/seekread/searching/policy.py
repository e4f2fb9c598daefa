"""
Step 2, policy: what the operator allows to be asked, shown and opened.

Domain lists match a host exactly or below it. A refusal names the setting that decides.
"""

from collections.abc import Sequence
from dataclasses import field

from seekread.calling.outgoing import Outgoing
from seekread.errors import Refused
from seekread.hostnames import host_of, matches_any, read_domains
from seekread.late import dataclass
from seekread.models import SearchResult
from seekread.options import Query


@dataclass(frozen=True)
class Policy:
    """The operator's rules for searches; the guard keeps the same lists for pages."""

    allowed_domains: tuple[str, ...] = ()
    blocked_domains: tuple[str, ...] = ()
    outgoing: Outgoing = field(default_factory=Outgoing)

    def __post_init__(self) -> None:
        """Read the lists as the guard reads them, so that both mean the same hosts."""
        for name in ("allowed_domains", "blocked_domains"):
            object.__setattr__(self, name, read_domains(name, getattr(self, name)))

    def check(self, query: Query) -> None:
        """Refuse a query that would carry a secret out, in its words or in its domain lists."""
        words = " ".join(filter(None, (query.text, query.company)))
        self.outgoing.check(words, "query")
        for domain in (*query.allowed_domains, *query.blocked_domains):
            self.outgoing.check(domain, "query", counted=False)

    def narrowed(self, query: Query) -> Query:
        """The query within the operator's lists, so that providers search where results may come from."""
        if not (self.allowed_domains or self.blocked_domains):
            return query
        allowed = common(query.allowed_domains, self.allowed_domains)
        if self.allowed_domains and not allowed:
            wanted = ", ".join(query.allowed_domains[:5])
            raise Refused("domain_not_allowed", f"{wanted}: not among allowed_domains under [policy]")
        blocked = tuple(dict.fromkeys((*query.blocked_domains, *self.blocked_domains)))
        return query.model_copy(update={"allowed_domains": allowed, "blocked_domains": blocked})

    def keep(self, results: Sequence[SearchResult]) -> list[SearchResult]:
        """The results the operator lets through."""
        if not (self.allowed_domains or self.blocked_domains):
            return list(results)
        return [result for result in results if self._allows(host_of(result.url))]

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
