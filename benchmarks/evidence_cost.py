"""
What evidence costs: a query of the local index beside raw FTS5, and passages of a page by its length.

`evidence.py` runs this as its part "cost". Processor time only, both sides in turns, the middle of several runs.
Documents are sentences of the articles in FOLDER, put together anew; queries are 2 to 5 words of one document.
"""

import random
import re
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.passages import load
from benchmarks.promises import Promises
from seekread.index.document import Document, DocumentSection
from seekread.index.store import IndexStore
from seekread.page.passages import passages
from seekread.page.sentences import sentences

DOCUMENTS, LENGTH = 50_000, 1_400
QUERIES, TURNS, SHORT_TURNS = 100, 3, 25
PAGE, WHOLE = 21_000, 1_000_000
FTS5 = "SELECT title, snippet(words, 1, '', '', '…', 40) FROM words WHERE words MATCH ? ORDER BY rank LIMIT 10"


@dataclass(frozen=True)
class Cost:
    """One measured cost, what it is compared with, and what was promised."""

    name: str
    ours: float
    beside: float | None
    most: float
    unit: str

    def told(self, promises: Promises) -> None:
        """Have it judged."""
        promises.at_most(self.name, self.ours, self.most)

    def line(self) -> str:
        """The cost as a line."""
        beside = f", beside {self.beside:.2f} ms" if self.beside is not None else ""
        return f"{self.name:<40} {self.ours:.2f} {self.unit}{beside}, at most {self.most:g}"


def cost(folder: Path) -> Iterator[Cost]:
    """The costs, one after the other."""
    articles = load(folder / "qa" / "long-articles.en.jsonl")
    pool = [
        " ".join(article.text[start:end].split())
        for article in articles
        for start, end in sentences(article.text)
        if 30 < end - start < 400
    ]
    yield from queries(pool)
    question = articles[0].questions[0].text
    page = "\n\n".join(article.text for article in articles)
    shortest = spent(lambda: asked(page[:PAGE], question), SHORT_TURNS)
    yield Cost("passages, 21,000 characters", shortest, None, 5.0, "ms")
    small, large = (spent(lambda size=size: asked(page[:size], question)) for size in (WHOLE // 4, WHOLE))  # type: ignore[misc]
    yield Cost("passages, 1 MB for 250 kB", large / small, small, 6.0, "times")


def queries(pool: list[str]) -> Iterator[Cost]:
    """Queries of keywords and of whole questions, beside FTS5 over the same documents."""
    made = random.Random(11)
    with tempfile.TemporaryDirectory() as place:
        texts = [(" ".join(made.choice(pool).split()[:6]), body(made, pool)) for _ in range(DOCUMENTS)]
        store = IndexStore(Path(place, "index.sqlite"))
        store.add(
            Document(f"file:///{number}", title, (DocumentSection("", text),), str(number))
            for number, (title, text) in enumerate(texts)
        )
        plain = sqlite3.connect(Path(place, "fts5.sqlite"))
        plain.execute("CREATE VIRTUAL TABLE words USING fts5 (title, text)")
        plain.executemany("INSERT INTO words VALUES (?, ?)", texts)
        plain.commit()
        drawn = random.Random(5)
        words = [re.findall(r"[a-z]{2,}", drawn.choice(texts[:1000])[1].lower()) for _ in range(QUERIES)]
        keywords = [" ".join(drawn.sample(each, drawn.randint(2, 5))) for each in words]
        asked_whole = [f"which of the {' '.join(drawn.sample(each, 6))}?" for each in words]
        for name, each in (("keywords", keywords), ("whole questions", asked_whole)):
            ours, beside = compared(store, plain, each)
            yield Cost(f"index, {DOCUMENTS:,} documents, {name}", ours / beside, beside, 1.5, "times")
        store.close()
        plain.close()


def body(made: random.Random, pool: list[str]) -> str:
    """Sentences in any order."""
    text = ""
    while len(text) < LENGTH:
        text += f" {made.choice(pool)}"
    return text.strip()


def compared(store: IndexStore, plain: sqlite3.Connection, asked_for: list[str]) -> tuple[float, float]:
    """The median query of ours and of FTS5, in turns."""
    ours, beside = [], []
    for text in asked_for:
        turns = [
            (once(lambda: store.search(text, limit=10)), once(lambda: matched(plain, text)))  # noqa: B023 (called at once)
            for _ in range(TURNS)
        ]
        ours.append(median(turn[0] for turn in turns))
        beside.append(median(turn[1] for turn in turns))
    return median(ours), median(beside)


def matched(plain: sqlite3.Connection, text: str) -> int:
    """FTS5 with every word, else with any."""
    words = [f'"{word}"' for word in re.findall(r"\w+", text)]
    return len(
        plain.execute(FTS5, (" ".join(words),)).fetchall() or plain.execute(FTS5, (" OR ".join(words),)).fetchall()
    )


def asked(page: str, question: str) -> int:
    """The passages of a page for a question."""
    return passages(page, question, budget=1500).used


def once(work: Callable[[], object]) -> float:
    """The milliseconds of processor that some work takes."""
    began = time.process_time()
    work()
    return (time.process_time() - began) * 1000


def spent(work: Callable[[], object], turns: int = TURNS) -> float:
    """The same, of several runs the shortest."""
    return min(once(work) for _ in range(turns))
