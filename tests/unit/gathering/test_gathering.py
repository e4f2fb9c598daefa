"""Evidence: passages over all pages together, within one budget, each with its source."""

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from seekread import Seekread
from seekread.cli.app import app
from seekread.errors import AllFailed, InvalidQuery, Unreadable
from seekread.index.store import IndexStore
from seekread.index.update import add_files
from seekread.models import SearchResult
from seekread.page.quote import text_fragment
from seekread.render.evidence import left_out

pytestmark = pytest.mark.anyio

TEA = "Tea is a drink.\n\n## Amounts\n\nA cup of green tea has about 30 mg of caffeine.\n\nIt is served hot."
COFFEE = "Coffee is a drink as well.\n\nA cup of coffee has about 95 mg of caffeine."
MIRROR = "A CUP OF GREEN TEA HAS ABOUT 30 MG OF CAFFEINE."
ROSES = "Roses are red. Violets are blue."


class Engine:
    """A search engine that brings texts along; one without a text has to be read."""

    name = "engine"

    def __init__(self, *texts: str | None, fails: bool = False) -> None:
        self.texts, self.fails, self.asked = texts, fails, list[str]()

    async def search(self, query: str, *, limit: int = 5) -> list[SearchResult]:
        self.asked.append(query)
        if self.fails:
            raise ConnectionError("no line")
        return [
            SearchResult(title=f"Page {n}", url=f"https://{n}.example/", content=text, published_date="2024-05-01")
            for n, text in enumerate(self.texts)
        ][:limit]


def seekread(engine: Engine) -> Seekread:
    web = Seekread(settings={"store": "memory:"}, environ={})
    web.register(engine, default=True)
    return web


async def test_passages_come_from_all_pages_and_carry_their_source() -> None:
    async with seekread(Engine(TEA, COFFEE, ROSES)) as web:
        found = await web.gather("how much caffeine has a cup", budget=300)
    assert found.outcome == "ok"
    assert {passage.source for passage in found.passages} == {1, 2}
    assert all(f"{n} mg" in found.content for n in (30, 95))
    texts = {"https://0.example/": TEA, "https://1.example/": COFFEE}
    for passage in found.passages:
        source = found.sources[passage.source - 1]
        assert texts[source.url][passage.offset : passage.end] == passage.text
        assert passage.link == text_fragment(source.url, passage.text)
        assert (source.date, len(source.sha256)) == ("2024-05-01", 64)
    assert [(left.url, left.why) for left in found.left_out] == [("https://2.example/", "nothing to say")]


@pytest.mark.parametrize("unit", ["characters", "tokens"])
@pytest.mark.parametrize("budget", [60, 90, 200])
async def test_the_budget_is_never_exceeded(budget: int, unit: str) -> None:
    async with seekread(Engine(TEA, COFFEE)) as web:
        found = await web.gather("how much caffeine has a cup", budget=budget, unit=unit)  # type: ignore[arg-type]
    assert found.used <= budget
    assert found.used == (len(found.content) if unit == "characters" else -(-len(found.content.encode()) // 4))


async def test_what_a_better_page_says_already_is_said_once() -> None:
    async with seekread(Engine(TEA, MIRROR, COFFEE)) as web:
        found = await web.gather("how much caffeine has a cup of green tea", budget=400)
    assert found.content.lower().count("30 mg") == 1
    assert "repeats" in {left.why for left in found.left_out}


async def test_a_name_that_means_several_things_is_answered_for_each() -> None:
    """One page with many sentences about it took all the room of the others."""
    painter = "\n\n".join(
        f"Ann Lee, painter, is known for her profession in {town}." for town in ("Bonn", "Ulm", "Jena")
    )
    singer = "Ann Lee is a singer by profession, and lives in York."
    judge = "By profession, young Ann Lee is a judge in Leeds."
    async with seekread(Engine(painter, singer, judge)) as web:
        found = await web.gather("What is the profession of Ann Lee?", budget=210)
    assert all(word in found.content for word in ("painter", "singer", "judge"))


class Excerpts:
    """An engine that shows excerpts of a page nobody can read."""

    name = "excerpts"

    async def search(self, query: str, *, limit: int = 5) -> list[SearchResult]:
        del query, limit
        shown = ("A cup of mate has about 80 mg of caffeine.", "Mate is drunk hot.")
        return [SearchResult(title="Mate", url="http://127.0.0.1:9/", snippet="About mate.", extra_snippets=shown)]


async def test_of_a_page_that_cannot_be_read_the_excerpts_of_the_engine_are_evidence() -> None:
    web = Seekread(settings={"store": "memory:"}, environ={})
    web.register(Excerpts(), default=True)
    async with web:
        found = await web.gather("how much caffeine has a cup of mate", budget=300)
    assert "80 mg" in found.content
    assert found.sources[0].snapshot is None
    assert [left.why for left in found.left_out] == ["failed"]
    assert left_out(found) == ["not read, cited as the engine shows it: http://127.0.0.1:9/ (failed: refused)"]


async def test_a_page_that_cannot_be_read_is_left_out_once() -> None:
    class WithRoses(Engine):
        """Shows of the page that cannot be read what has nothing to do with the question."""

        async def search(self, query: str, *, limit: int = 5) -> list[SearchResult]:
            unread = SearchResult(title="Roses", url="http://127.0.0.1:9/", snippet=ROSES)
            return [*await super().search(query, limit=limit), unread]

    async with seekread(WithRoses(TEA)) as web:
        found = await web.gather("how much caffeine has tea", budget=300)
    assert [(left.url, left.why) for left in found.left_out] == [("http://127.0.0.1:9/", "failed")]


async def test_a_question_without_words_is_refused_as_a_question() -> None:
    async with seekread(Engine(TEA)) as web:
        with pytest.raises(InvalidQuery, match="question must not be empty"):
            await web.gather("  ")


async def test_every_phrasing_is_searched() -> None:
    engine = Engine(TEA)
    async with seekread(engine) as web:
        await web.gather("caffeine in tea", phrasings=("how strong is tea", "caffeine in tea"))
    assert sorted(engine.asked) == ["caffeine in tea", "how strong is tea"]


async def test_nothing_found_and_nothing_to_say_are_answers() -> None:
    async with seekread(Engine(ROSES)) as web:
        silent = await web.gather("how much caffeine has a cup")
    assert (silent.outcome, silent.content, silent.passages) == ("empty", "", ())
    assert [left.why for left in silent.left_out] == ["nothing to say"]


async def test_a_search_that_fails_is_a_failure() -> None:
    async with seekread(Engine(fails=True)) as web:
        with pytest.raises(AllFailed):
            await web.gather("how much caffeine has a cup")


async def test_pages_that_cannot_be_read_are_named_and_all_of_them_are_a_failure() -> None:
    refused = Engine(TEA, None)
    async with seekread(refused) as web:
        found = await web.gather("how much caffeine has a cup")
    assert [(left.why, left.url) for left in found.left_out] == [("failed", "https://1.example/")]
    assert found.left_out[0].outcome not in {"ok", "empty"}
    for texts in ((None,), (ROSES, None)):
        # The answer may stand on the page that could not be read.
        async with seekread(Engine(*texts)) as web:
            with pytest.raises(Unreadable):
                await web.gather("how much caffeine has a cup")


async def test_what_an_engine_shows_of_a_page_that_cannot_be_read_is_no_other_page() -> None:
    web = Seekread(settings={"store": "memory:"}, environ={})
    web.register(Excerpts(), default=True)
    async with web:
        with pytest.raises(Unreadable) as failed:
            await web.gather("who painted the ceiling")
    assert "nothing answers on the other" not in str(failed.value)


async def test_neither_headings_nor_code_of_a_page_go_on_in_the_next() -> None:
    unclosed = "# Roses\n\nRoses are red.\n\n```\nRoses are code."
    async with seekread(
        Engine(unclosed, "A cup of coffee has about 95 mg of caffeine.\n\n## Tea\n\nTea has 30 mg.")
    ) as web:
        found = await web.gather("how much caffeine has coffee, and how much tea")
    assert [passage.heading for passage in found.passages] == ["", "Tea"]


class Capricious(Engine):
    """Finds nothing, and cannot be asked in one way."""

    async def search(self, query: str, *, limit: int = 5) -> list[SearchResult]:
        if query == "tea":
            raise ConnectionError("no line")
        return await super().search(query, limit=limit)


@pytest.mark.parametrize("ways", [("tea", "caffeine"), ("caffeine", "tea")])
async def test_where_one_way_to_ask_fails_and_the_other_finds_nothing_it_is_a_failure(ways: tuple[str, str]) -> None:
    async with seekread(Capricious()) as web:
        with pytest.raises(AllFailed):
            await web.gather(ways[0], phrasings=ways[1:])
    async with seekread(Capricious(TEA)) as web:
        assert "30 mg" in (await web.gather(ways[0], phrasings=ways[1:])).content


@pytest.mark.parametrize("wish", [{"budget": 5}, {"phrasings": list("abcde")}, {"budget": 0}, {"pages": 0}])
async def test_what_cannot_be_done_is_said_and_never_called_empty(wish: dict[str, Any]) -> None:
    async with seekread(Engine(TEA)) as web:
        with pytest.raises(InvalidQuery):
            await web.gather("how much caffeine has a cup", **wish)


@pytest.mark.process
def test_the_command_prints_passages_with_sources_from_the_local_index(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "tea.md").write_text(f"# Tea\n\n{TEA}")
    add_files(IndexStore(tmp_path / "index.sqlite"), [notes])
    environ = {"SEEKREAD_INDEX_PATH": str(tmp_path / "index.sqlite"), "SEEKREAD_STORE": "memory:"}
    asked = ["gather", "--provider", "index", "--budget", "200", "caffeine in a cup of green tea"]
    result = CliRunner().invoke(app, asked, env=environ)
    assert result.exit_code == 0, result.output
    assert "30 mg of caffeine" in result.stdout
    assert "[1] Tea  index:///" in result.stdout


@pytest.mark.process
async def test_quoted_words_that_stand_nowhere_together_are_asked_for_one_by_one(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "tea.md").write_text(f"# Tea\n\n{TEA}")
    add_files(IndexStore(tmp_path / "index.sqlite"), [notes])
    environ = {"SEEKREAD_INDEX_PATH": str(tmp_path / "index.sqlite"), "SEEKREAD_STORE": "memory:"}
    async with Seekread(environ=environ) as web:
        found = await web.gather('How much caffeine has a cup of "tea, green"?', provider="index")
        nothing = await web.gather('Who wrote "zebra xylophone"?', provider="index")
    assert "30 mg" in found.content
    assert any("unquoted" in note for note in found.notes)
    assert nothing.outcome == "empty"


async def test_headings_that_are_not_shown_take_no_room() -> None:
    heading = "# A heading that is nearly as long as the whole budget"
    text = f"{heading}\n\nTea has 30 mg of caffeine.\n\nCoffee has 95 mg of caffeine."
    async with seekread(Engine(text)) as web:
        found = await web.gather("how much caffeine", budget=70)
    assert found.content == "[1] Tea has 30 mg of caffeine.\n\nCoffee has 95 mg of caffeine."


async def test_a_word_of_one_page_does_not_count_in_the_next() -> None:
    async with seekread(Engine("A cup of coffee has caffeine.", "Roses are red.", "Violets are blue.")) as web:
        found = await web.gather("caffeine in a cup of coffee", budget=300)
    assert found.content == "[1] A cup of coffee has caffeine."
