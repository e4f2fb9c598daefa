"""
Evidence per token: is the answer in what a budget buys, and does the local index rank as well as it could?

    python -m benchmarks.evidence FOLDER [PART …] [--every N]

FOLDER holds `qa/*.jsonl` (see `passages.py`), `ranking/abstracts.jsonl.xz` with `ranking/queries.jsonl`, and
`conflicts/questions.jsonl.xz`. Each figure stands beside the head of the page (or the order of the documents), plain
BM25 and, where it does the same work, web-search-plus (`evidence_peer.py`) from the same run; what it costs
(`evidence_cost.py`) beside raw FTS5. The parts are passages, index, gather and cost; without a name all of them run.
Exits with 1 when a required figure is missed that is not known to be (`known_misses.toml`); a goal that is missed is
only marked.
"""

import argparse
import json
import lzma
import math
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import anyio

from benchmarks import peers
from benchmarks.evidence_cost import Cost, cost
from benchmarks.passages import (
    Answerer,
    Method,
    Question,
    Sample,
    answered,
    bm25_order,
    head,
    load,
    plain_bm25,
    seekread,
)
from benchmarks.promises import Promises
from seekread import Seekread
from seekread.errors import SeekreadError
from seekread.index.document import Document, DocumentSection, take_apart
from seekread.index.store import IndexStore
from seekread.models import SearchResult

LANGUAGES = ("en", "de", "ru", "zh", "th")
TOP = 10


@dataclass(frozen=True)
class Figure:
    """One measured figure, what it is compared with, and what was promised."""

    name: str
    ours: float
    plain: float
    first: float
    required: float
    goal: float
    spans: float | None = None

    @property
    def verdict(self) -> str:
        """Whether it is what was promised."""
        shown = round(self.ours, 3)
        return "missed" if shown < self.required else "below the goal" if shown < self.goal else "ok"

    def told(self, promises: Promises) -> None:
        """Have it judged."""
        promises.at_least(self.name, round(self.ours, 3), self.required)

    def line(self) -> str:
        """The figure as a line of the table."""
        cells = (self.first, self.plain, self.spans, self.ours, self.required, self.goal)
        shown = "".join(f"{'' if cell is None else f'{cell:.3f}':>10}" for cell in cells)
        return f"{self.name:<40}{shown}  {self.verdict}"


class Spans(Protocol):
    """The spans of web-search-plus: of texts, for a question, within a budget of characters."""

    def __call__(self, texts: Sequence[str], question: str, budget: int) -> str: ...


@dataclass(frozen=True)
class Data:
    """Where the data is, and how much of it is used."""

    folder: Path
    every: int
    spans: Spans

    def spans_of(self, page: str) -> Answerer:
        """The peer as a method that reads one page."""
        return lambda question, budget: self.spans([page], question, budget)

    def samples(self, name: str) -> list[Sample]:
        """Articles with every Nth of their questions."""
        whole = load(self.folder / "qa" / f"{name}.jsonl")
        return [Sample(sample.text, sample.questions[self.every // 2 :: self.every]) for sample in whole]


def recall(samples: Sequence[Sample], method: Method, budget: int) -> float:
    """The share of questions whose answer stands in what a method returns of the page."""
    hits: list[bool] = []
    for sample in samples:
        answer = method(sample.text)
        hits += [answered(answer(question.text, budget), question) for question in sample.questions]
    return sum(hits) / len(hits)


def passages(data: Data) -> Iterator[Figure]:
    """How often the answer stands within a budget of the page it is on."""
    wanted = [
        ("long-articles.en", 1000, 0.80, 0.85),
        ("long-articles.en", 2000, 0.87, 0.90),
        *((f"wiki.{language}", 1000, 0.93, 0.97) for language in LANGUAGES),
        ("wiki.zh", 333, 0.92, 0.97),
        ("wiki.th", 333, 0.29, 0.80),
    ]
    for name, budget, required, goal in wanted:
        samples = data.samples(name)
        methods = (seekread, plain_bm25, head, data.spans_of)
        ours, plain, first, spans = (recall(samples, method, budget) for method in methods)
        yield Figure(f"passages {name} @{budget}", ours, plain, first, required, goal, spans)


def document(number: int, title: str, text: str, sections: tuple[DocumentSection, ...] = ()) -> Document:
    """Something to put into an index."""
    return Document(f"file:///{number}", title, sections or take_apart(text).sections, str(number))


def ranked(store: IndexStore, query: str) -> list[int]:
    """The numbers of the documents an index finds, the best first."""
    return [int(hit.url.rpartition("/")[2]) for hit in store.search(query, limit=TOP).hits]


def plainly_ranked(texts: Sequence[str]) -> Callable[[str], list[int]]:
    """The same by plain BM25, without stems."""
    order = bm25_order(texts)
    return lambda query: order(query)[:TOP]


def gain(order: Sequence[int], relevant: set[int]) -> float:
    """NDCG over the first ten, every judgement worth the same."""
    reached = sum(1 / math.log2(place + 2) for place, number in enumerate(order[:TOP]) if number in relevant)
    return reached / sum(1 / math.log2(place + 2) for place in range(min(TOP, len(relevant))))


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def index(data: Data) -> Iterator[Figure]:
    """How well the local index ranks: abstracts by judgements, articles by the questions they answer."""
    with lzma.open(data.folder / "ranking" / "abstracts.jsonl.xz", "rt") as lines:
        rows = [json.loads(line) for line in lines]
    numbers = {row["id"]: number for number, row in enumerate(rows)}
    asked = [json.loads(line) for line in (data.folder / "ranking" / "queries.jsonl").read_text("utf-8").splitlines()]
    relevant = [{numbers[each] for each in query["relevant"] if each in numbers} for query in asked]
    with tempfile.TemporaryDirectory() as place:
        store = IndexStore(Path(place, "abstracts.sqlite"))
        store.add(document(n, row["title"], "", (DocumentSection("", row["text"]),)) for n, row in enumerate(rows))
        plain = plainly_ranked([f"{row['title']} {row['text']}" for row in rows])
        ours = mean([gain(ranked(store, query["query"]), right) for query, right in zip(asked, relevant, strict=True)])
        beside = mean([gain(plain(query["query"]), right) for query, right in zip(asked, relevant, strict=True)])
        unsorted = mean([gain(range(TOP), right) for right in relevant])
        yield Figure("index abstracts nDCG@10", ours, beside, unsorted, 0.39, 0.42)
        for language in LANGUAGES:
            samples = data.samples(f"wiki.{language}")
            required = 0.90 if language == "th" else 0.95
            yield hits_first(samples, IndexStore(Path(place, f"{language}.sqlite")), language, required)


def hits_first(samples: Sequence[Sample], store: IndexStore, language: str, required: float) -> Figure:
    """How often the article that answers a question comes first."""
    store.add(document(number, "", sample.text) for number, sample in enumerate(samples))
    plain = plainly_ranked([sample.text for sample in samples])
    questions = [(question.text, number) for number, sample in enumerate(samples) for question in sample.questions]
    ours = mean([ranked(store, text)[:1] == [number] for text, number in questions])
    beside = mean([plain(text)[:1] == [number] for text, number in questions])
    return Figure(f"index wiki.{language} hit@1", ours, beside, 1 / len(samples), required, required)


class Library:
    """The articles as a web of its own: an engine over the local index, which brings the texts along."""

    name = "library"

    def __init__(self, texts: Sequence[str], store: IndexStore) -> None:
        self.texts, self.store = texts, store

    async def search(self, query: str, *, limit: int = 5) -> list[SearchResult]:
        """The articles the index finds."""
        numbers = ranked(self.store, query)[:limit]
        return [SearchResult(title="", url=f"https://{n}.example/", content=self.texts[n]) for n in numbers]


@dataclass
class Shelf:
    """Documents that are handed over whatever is asked."""

    texts: Sequence[str] = ()
    name = "shelf"

    async def search(self, query: str, *, limit: int = 5) -> list[SearchResult]:
        """All of them."""
        del query
        return [SearchResult(title="", url=f"https://{n}.example/", content=text) for n, text in enumerate(self.texts)][
            :limit
        ]


GATHERED = {"en": (0.92, 0.95)}
"""What is required and aimed at in a language; in the others .85 and .90."""


def gather(data: Data) -> Iterator[Figure]:
    """How often one call holds the answer: search, read and choose, over articles as a web and over documents."""
    with tempfile.TemporaryDirectory() as place:
        for language in LANGUAGES:
            samples = data.samples(f"wiki.{language}")
            store = IndexStore(Path(place, f"{language}.sqlite"))
            store.add(document(number, "", sample.text) for number, sample in enumerate(samples))
            texts = [sample.text for sample in samples]
            library = Library(texts, store)
            questions = [question for sample in samples for question in sample.questions]
            contents = anyio.run(gathered, library, [question.text for question in questions], 500, 3)
            first = mean([answered(head(texts[n])(q.text, 500), q) for q in questions for n in found_first(store, q)])
            plain = plain_bm25("\n\n".join(texts))
            beside = mean([answered(plain(question.text, 500), question) for question in questions])
            ours = mean([answered(content, q) for content, q in zip(contents, questions, strict=True)])
            handed = [[texts[n] for n in ranked(store, question.text)[:3]] for question in questions]
            spans = mean([answered(data.spans(t, q.text, 500), q) for t, q in zip(handed, questions, strict=True)])
            promised = GATHERED.get(language, (0.85, 0.90))
            yield Figure(f"gather wiki.{language} @500", ours, beside, first, *promised, spans)
    yield from conflicts(data)


def found_first(store: IndexStore, question: Question) -> list[int]:
    """The article an index puts first; the first of all where it finds none."""
    return (ranked(store, question.text) or [0])[:1]


def conflicts(data: Data) -> Iterator[Figure]:
    """The share of the right answers that stand in the evidence, where documents disagree."""
    with lzma.open(data.folder / "conflicts" / "questions.jsonl.xz", "rt") as lines:
        rows = [json.loads(line) for line in lines][:: data.every]
    ours, beside, first, spans = [], [], [], []
    for row in rows:
        texts = [each["text"] for each in row["documents"]]
        (content,) = anyio.run(gathered, Shelf(texts), [row["question"]], 1000, len(texts))
        share = 1000 // len(texts)
        ours.append(covered(content, row["gold_answers"]))
        beside.append(covered(plain_bm25("\n\n".join(texts))(row["question"], 1000), row["gold_answers"]))
        first.append(covered("\n".join(text[:share] for text in texts), row["gold_answers"]))
        spans.append(covered(data.spans(texts, row["question"], 1000), row["gold_answers"]))
    yield Figure("gather conflicts @1000", mean(ours), mean(beside), mean(first), 0.85, 0.90, mean(spans))


def covered(text: str, answers: Sequence[str]) -> float:
    """The share of answers that stand in a text, case aside."""
    folded = " ".join(text.casefold().split())
    return mean([" ".join(answer.casefold().split()) in folded for answer in answers])


async def gathered(engine: Library | Shelf, questions: Sequence[str], budget: int, pages: int) -> list[str]:
    """What one call each gives."""
    contents: list[str] = []
    async with Seekread(settings={"store": "memory:", "cache": False}, environ={}) as web:
        web.register(engine, default=True)
        for question in questions:
            try:
                found = await web.gather(question, budget=budget, pages=pages)
            except SeekreadError:
                contents.append("")
                continue
            if len(found.content) > budget:
                raise AssertionError(f"{len(found.content)} characters for a budget of {budget}: {question!r}")
            contents.append(found.content)
    return contents


def costs(data: Data) -> Iterator[Cost]:
    """What it costs."""
    return cost(data.folder)


@contextmanager
def web_search_plus() -> Iterator[Spans]:
    """The peer, in a process of its environment for as long as it is asked."""
    command = [peers.interpreter("web-search-plus"), Path(__file__).with_name("evidence_peer.py")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        asked, told = process.stdin, process.stdout

        def spans(texts: Sequence[str], question: str, budget: int) -> str:
            asked.write(json.dumps([texts, question, budget]) + "\n")
            asked.flush()
            return str(json.loads(told.readline()))

        yield spans


PARTS: dict[str, Callable[[Data], Iterator[Figure | Cost]]] = {
    "passages": passages,
    "index": index,
    "gather": gather,
    "cost": costs,
}


def main() -> None:
    """Print one line per figure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("parts", nargs="*", metavar="PART")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="ask only every Nth question")
    arguments = parser.parse_args()
    heads = ("head", "BM25", "WSP spans", "seekread", "required", "goal")
    print(f"{'figure':<40}" + "".join(f"{name:>10}" for name in heads))
    promises = Promises("evidence")
    with web_search_plus() as spans:
        data = Data(arguments.folder, arguments.every, spans)
        for part in arguments.parts or PARTS:
            for figure in PARTS[part](data):
                print(figure.line(), flush=True)
                figure.told(promises)
    sys.exit(promises.told())


if __name__ == "__main__":
    main()
