"""
What the operator knows beforehand: companies by all their names, and lists of domains by name.

A company that is asked for by its name, ticker, an alias or the name of its profile is the same company: the query
names it once, a result that uses any of its names or stands on its own site is about it. A domain list is named with
`@`: `@government` among the domains of a call stands for the domains of that profile, or for a company's own.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace

from seekread.errors import InvalidQuery
from seekread.hostnames import host_of, matches_any, read_domains
from seekread.late import dataclass
from seekread.models import SearchResult
from seekread.options import DOMAIN_PROFILE, Query
from seekread.searching.company import as_words, marked


@dataclass(frozen=True)
class CompanyProfile:
    """A company: its name, its ticker, what else it is called, and its own sites."""

    name: str
    ticker: str = ""
    aliases: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()

    @property
    def names(self) -> Iterator[str]:
        """Every name of it, its own first."""
        return filter(None, (self.name, self.ticker, *self.aliases))

    def is_called(self, name: str) -> bool:
        """Say whether somebody who uses this name means it."""
        return name.casefold() in {known.casefold() for known in self.names}

    def named_in(self, text: str) -> str | None:
        """The first of its names that stands in a text: a ticker only as it is written, for GAP is no gap."""
        return next((name for name in self.names if self._stands(name, text)), None)

    def _stands(self, name: str, text: str) -> bool:
        found = as_words(name).search(text)
        return found is not None or (name != self.ticker and as_words(name.lower()).search(text.lower()) is not None)

    def concerns(self, result: SearchResult) -> bool:
        """Say whether a result is about it: it names it, or stands on its own site."""
        text = " ".join((result.title, result.snippet, *result.extra_snippets))
        return self.named_in(text) is not None or matches_any(host_of(result.url), self.domains)

    def highlighted(self, result: SearchResult) -> SearchResult:
        """Mark every name of it in the snippets."""
        return result.model_copy(
            update={
                "snippet": self._marked(result.snippet),
                "extra_snippets": tuple(map(self._marked, result.extra_snippets)),
            }
        )

    def _marked(self, text: str) -> str:
        # The longest first: "Apple Inc" holds "Apple", and no name is marked twice.
        longest: list[str] = []
        for name in sorted(self.names, key=len, reverse=True):
            if not any(name.lower() in other.lower() for other in longest) and self._stands(name, text):
                text = marked(text, name)
                longest.append(name)
        return text


@dataclass(frozen=True)
class Profiles:
    """All profiles, by their names."""

    companies: Mapping[str, CompanyProfile] = field(default_factory=dict)
    domains: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Read the domains as the guard and the policy read theirs."""
        lists = {name: read_domains(f"domain_profiles.{name}", entries) for name, entries in self.domains.items()}
        known = {
            name: replace(profile, domains=read_domains(f"companies.{name}.domains", profile.domains))
            for name, profile in self.companies.items()
        }
        object.__setattr__(self, "companies", known)
        object.__setattr__(self, "domains", {**own_domains(known), **lists})

    def company(self, name: str | None) -> CompanyProfile | None:
        """The profile of the company that somebody means, if there is one."""
        if not name:
            return None
        by_profile = {key.casefold(): profile for key, profile in self.companies.items()}
        called = next((profile for profile in self.companies.values() if profile.is_called(name)), None)
        return called or by_profile.get(name.casefold())

    def applied(self, query: Query) -> Query:
        """The query with the company by the name it stands there under, and with profiles of domains spelled out."""
        if not (query.company or query.allowed_domains or query.blocked_domains):
            return query
        profile = self.company(query.company)
        return query.model_copy(
            update={
                "company": (profile.named_in(query.text) or profile.name) if profile else query.company,
                "allowed_domains": tuple(dict.fromkeys(self._spelled_out(query.allowed_domains))),
                "blocked_domains": tuple(dict.fromkeys(self._spelled_out(query.blocked_domains))),
            }
        )

    def _spelled_out(self, entries: Iterable[str]) -> Iterator[str]:
        for entry in entries:
            if not entry.startswith(DOMAIN_PROFILE):
                yield entry
            elif (domains := self.domains.get(entry.removeprefix(DOMAIN_PROFILE))) is not None:
                yield from domains
            else:
                known = ", ".join(f"{DOMAIN_PROFILE}{name}" for name in sorted(self.domains)) or "none"
                raise InvalidQuery(f"there is no domain profile {entry!r:.60}; known are {known}")


def own_domains(companies: Mapping[str, CompanyProfile]) -> dict[str, tuple[str, ...]]:
    """The sites of the companies that have some, as lists of domains by name."""
    return {name: profile.domains for name, profile in companies.items() if profile.domains}
