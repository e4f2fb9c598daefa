"""What people and programs are told about each provider."""

from seekread.provider import Traits
from seekread.providers.catalog import Facts, catalog
from seekread.providers.registry import Registry


class Both:
    """Searches and reads, in the contracts' plain shapes."""

    name = "both"
    label = "both of them"
    caveat = "somebody's own"

    async def search(self, query: str, *, limit: int = 5) -> list[dict[str, str]]:
        raise NotImplementedError

    async def read_url(self, url: str) -> dict[str, str]:
        raise NotImplementedError


def test_everybody_is_listed_once_whatever_they_do_and_wherever_they_came_from() -> None:
    registry = Registry()
    registry.register(Both())
    known = {facts.name: facts for facts in catalog(registry, ["wikipedia", "both"])}
    assert known["both"].roles == ("search", "read")
    assert (known["both"].position, known["wikipedia"].position, known["exa"].position) == (2, 1, None)
    assert (known["both"].title, known["both"].about.caveat) == ("Both of them", "somebody's own")
    assert known["builtin"].roles == ("read",)
    assert set(known) >= {"brave", "index", "builtin", "jina"}


def test_what_is_missing_is_said_with_the_way_to_set_it() -> None:
    known = {facts.name: facts for facts in catalog(Registry(), [])}
    assert known["exa"].needs == ("api_key",)
    assert "EXA_API_KEY" in known["exa"].missing
    assert not known["exa"].keyless
    assert (known["wikipedia"].needs, known["wikipedia"].missing, known["wikipedia"].keyless) == ((), "", True)


def test_a_row_is_the_same_as_data() -> None:
    facts = Facts(Traits("a", label="A", honours=frozenset({"page", "news"})), ("search",), ("api_key",), "a needs it")
    assert facts.row() == {
        "name": "a",
        "label": "A",
        "roles": ["search"],
        "configured": False,
        "keyless": False,
        "needs": ["api_key"],
        "max_results": 10,
        "honours": ["news", "page"],
        "caveat": "",
        "in_chain": False,
    }
