"""
The gathering engine: a question becomes passages from several pages, each citable.

1. search: every phrasing of the question, at the same time; their results are fused.
2. read: the best results side by side within one deadline. What an engine brought along is not read again; of a page
   that cannot be read, what the engine shows of it has to do.
3. pack: passages over all pages together, within one budget (`pack.py`).
4. cite: sources numbered from 1, the best first, and what was left out with its reason.

It has no provider, no connection and no money of its own: searches and reads go through the two engines, with all their
rules and caps.
"""

from collections.abc import Awaitable, Callable, Sequence

import anyio
import anyio.to_thread

from seekread.errors import InvalidQuery, SeekreadError, Unreadable
from seekread.gathering.evidence import EvidencePassage, EvidenceSource, Gathered, LeftOut, LeftOutWhy
from seekread.gathering.pack import BETWEEN, Chosen, GatheredPage, Pack, pack, size
from seekread.late import dataclass
from seekread.models import Page, SearchResponse, SearchResult
from seekread.options import BudgetUnit
from seekread.page.quote import text_fragment
from seekread.page.snapshot import with_handle
from seekread.searching.fuse import fuse
from seekread.tasks import tasks

MOST_PHRASINGS = 5
LEAST_BUDGET: dict[BudgetUnit, int] = {"characters": 50, "tokens": 15}
"""Room for one short sentence: with less, every question would seem to have no answer."""
QUOTES = dict.fromkeys(map(ord, '"“”„«»「」『』'), " ")
MOST_TRIES = 3
"""How often passages are chosen anew because the numbers before them need room."""


@dataclass(frozen=True)
class Gathering:
    """Gathers evidence. How to search and how to read a whole page is handed to it."""

    search: Callable[[str], Awaitable[SearchResponse]]
    read: Callable[[str], Awaitable[Page]]
    seconds: float = 30.0

    async def gather(
        self, question: str, *, phrasings: Sequence[str] = (), budget: int, unit: BudgetUnit, pages: int
    ) -> Gathered:
        """Search, read, pack, cite."""
        if not question.strip():
            raise InvalidQuery("question must not be empty: send the question")
        if budget < LEAST_BUDGET[unit] or pages < 1:
            raise InvalidQuery(f"gathering needs a page and a budget of at least {LEAST_BUDGET[unit]} {unit}")
        asked = tuple(dict.fromkeys((question, *phrasings)))
        if len(asked) > MOST_PHRASINGS:
            raise InvalidQuery(f"a question is asked in at most {MOST_PHRASINGS} ways, and these are {len(asked)}")
        results, notes = await self._found(asked)
        read, failed = await self._pages(results[:pages])
        texts = [GatheredPage(page.title, page.content) for page in read]
        packed = await anyio.to_thread.run_sync(fitting, texts, question, budget, unit)
        if failed and not packed.chosen:
            # The answer may stand where nobody could look: that is no "nothing found".
            first, others = failed[0], {page.url for page in read} - {each.url for each in failed}
            elsewhere = f"; nothing answers on the other {len(others)}" if others else ""
            raise Unreadable(first.outcome, f"{len(failed)} pages could not be read: {first.detail}{elsewhere}")
        return evidence(question, read, packed, failed, notes, budget, unit)

    async def _found(self, asked: Sequence[str]) -> tuple[list[SearchResult], list[str]]:
        """What the searches found, fused. One that fails is told of; where nothing was found, it is the answer."""
        answers: dict[int, SearchResponse] = {}
        problems: dict[int, SeekreadError] = {}

        async def one(number: int, text: str) -> None:
            try:
                answers[number] = await self.search(text)
            except SeekreadError as error:
                problems[number] = error

        async with tasks() as group:
            for number, text in enumerate(asked):
                group.start_soon(one, number, text)
        if problems and not any(answer.results for answer in answers.values()):
            raise problems[min(problems)]
        notes = [note for number in sorted(answers) for note in answers[number].notes]
        notes += [f"{asked[number]!r} could not be asked: {error}" for number, error in sorted(problems.items())]
        found = fuse([answers[number].results for number in sorted(answers)])
        bare = tuple(dict.fromkeys(" ".join(text.translate(QUOTES).split()) for text in asked))
        if not found and bare != tuple(asked):
            # A name in quotation marks is part of a question, not a wish for pages that spell it just so.
            found, others = await self._found(bare)
            notes += [*others, "nothing was found for the quoted words as they stand, so they were asked for unquoted"]
        return found, notes

    async def _pages(self, results: Sequence[SearchResult]) -> tuple[list[Page], list[LeftOut]]:
        """The pages that could be read, in order, and the others with their outcomes."""
        pages: dict[int, Page] = {}

        async def one(number: int, result: SearchResult) -> None:
            pages[number] = brought_along(result) or await self.read(result.url)

        with anyio.move_on_after(self.seconds):
            async with tasks() as group:
                for number, result in enumerate(results):
                    group.start_soon(one, number, result)
        late = f"not read within {self.seconds:.3g} s"
        missing = [
            LeftOut(url=result.url, why="failed", outcome="timeout", detail=late)
            for number, result in enumerate(results)
            if number not in pages
        ]
        failed = [
            LeftOut(url=page.url, why="failed", outcome=page.outcome, detail=page.error)
            for _, page in sorted(pages.items())
            if not page.success
        ]
        whole = {number: page for number, page in pages.items() if page.success}
        read = [
            dated(page, result)
            for number, result in enumerate(results)
            if (page := whole.get(number) or extract(result)) is not None
        ]
        return read, failed + missing


def fitting(texts: Sequence[GatheredPage], question: str, budget: int, unit: BudgetUnit) -> Pack:
    """The passages that fit into a budget together with the numbers of their sources."""
    room = budget
    packed = pack(texts, question, budget=room, unit=unit)
    for _ in range(MOST_TRIES):
        excess = size(written(packed.chosen), unit) - budget
        if excess <= 0 or room - excess < 1:
            break
        room -= excess
        packed = pack(texts, question, budget=room, unit=unit)
    return packed


def brought_along(result: SearchResult) -> Page | None:
    """The text an engine handed over with a result, as a page; `None` when it has to be read."""
    return handed_over(result, result.content or "")


def extract(result: SearchResult) -> Page | None:
    """What an engine shows of a page that could not be read: snippet, highlights, excerpts; `None` if nothing."""
    shown = dict.fromkeys(filter(None, map(str.strip, (result.snippet, *result.extra_snippets))))
    return handed_over(result, "\n\n".join(shown))


def handed_over(result: SearchResult, text: str) -> Page | None:
    """A text of an engine as a page, which has no snapshot to come back to; `None` where there is no text."""
    if not text:
        return None
    return with_handle(Page(url=result.url, title=result.title, content=text)).model_copy(update={"snapshot": None})


def dated(page: Page, result: SearchResult) -> Page:
    """A page that knows what the search knew about it."""
    date = page.metadata.get("date") or result.published_date
    metadata = {**page.metadata, "date": date} if date else page.metadata
    return page.model_copy(update={"metadata": metadata, "title": page.title or result.title})


def evidence(
    question: str,
    pages: Sequence[Page],
    packed: Pack,
    failed: Sequence[LeftOut],
    notes: Sequence[str],
    budget: int,
    unit: BudgetUnit,
) -> Gathered:
    """What was chosen, cited, and no larger than the budget."""
    chosen = list(packed.chosen)
    while chosen and size(written(chosen), unit) > budget:
        chosen.pop()
    if packed.chosen and not chosen:
        raise InvalidQuery(f"no passage fits into a budget of {budget} {unit}: allow more")
    numbers = numbering(chosen)
    unread = {each.url for each in failed}
    silent = [
        LeftOut(url=page.url, why=why_silent(number, packed))
        for number, page in enumerate(pages)
        if number not in numbers and page.url not in unread
    ]
    content = written(chosen)
    return Gathered(
        question=question,
        outcome="ok" if chosen else "empty",
        content=content,
        used=size(content, unit),
        passages=tuple(cited(each, numbers[each.page], pages[each.page]) for each in chosen),
        sources=tuple(source(number, pages[page]) for page, number in numbers.items()),
        left_out=(*failed, *silent),
        notes=tuple(notes),
    )


def why_silent(number: int, packed: Pack) -> LeftOutWhy:
    """Why a page that was read gave no passage."""
    if number in packed.repeating:
        return "repeats"
    return "budget" if any(each.page == number for each in packed.chosen) else "nothing to say"


def numbering(chosen: Sequence[Chosen]) -> dict[int, int]:
    """The number of each page that passages are from: the page of the best passage is 1."""
    return {page: number for number, page in enumerate(dict.fromkeys(each.page for each in chosen), start=1)}


def written(chosen: Sequence[Chosen]) -> str:
    """The passages as a model reads them, each under the number of its source."""
    numbers = numbering(chosen)
    return BETWEEN.join(f"[{numbers[each.page]}] {each.text}" for each in chosen)


def cited(each: Chosen, number: int, page: Page) -> EvidencePassage:
    """A passage with everything that is needed to find it again."""
    return EvidencePassage(
        source=number,
        text=each.text,
        heading=each.heading,
        offset=each.offset,
        end=each.end,
        score=each.score,
        link=text_fragment(page.final_url or page.url, each.text),
    )


def source(number: int, page: Page) -> EvidenceSource:
    """A page as a source."""
    return EvidenceSource(
        number=number,
        url=page.final_url or page.url,
        title=page.title,
        date=page.metadata.get("date"),
        sha256=page.sha256,
        snapshot=page.snapshot,
        fetched_at=page.fetched_at,
    )
