"""Trying a provider out: it is asked what it must find, whatever the cache and the operator's lists say."""

from dataclasses import replace

from seekread.errors import SeekreadError
from seekread.late import dataclass
from seekread.options import Query
from seekread.ports import Sender
from seekread.provider import SearchProvider, traits
from seekread.searching.engine import Searching
from seekread.searching.known import is_answered


@dataclass(frozen=True)
class Probe:
    """How a provider did: well, unless it failed or did not find what it must."""

    provider: str
    error: SeekreadError | None = None
    unfound: str = ""
    """What it did not find, as a sentence goes on after its name."""

    @property
    def well(self) -> bool:
        return self.error is None and not self.unfound


async def probe(usual: Searching, provider: SearchProvider, sender: Sender) -> Probe:
    """Ask one provider its known questions."""
    searching = replace(
        usual,
        policy=replace(usual.policy, allowed_domains=(), blocked_domains=()),
        asker=replace(usual.asker, known=None, sender=sender),
    )
    for known in traits(provider).known_answers:
        try:
            response = await searching.search(Query(text=known.question), [provider], max_age=0)
        except SeekreadError as error:
            return Probe(provider.name, error)
        if not is_answered(known, response.results):
            missing = f"a page of {known.site}" if known.site else "any page"
            return Probe(provider.name, unfound=f"did not find {missing} for {known.question!r}: is it blocked?")
    return Probe(provider.name)
