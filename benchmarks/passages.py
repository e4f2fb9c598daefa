"""
Answer recall: how often does the answer to a question stand in what a budget buys of a page?

    python benchmarks/passages.py FOLDER [--halves]

FOLDER holds `*.jsonl` files whose lines are `{"text": page, "questions": [{"q": question, "answers": [text, …]}]}`.
Compared are the head of the page, plain BM25 over chunks of about 400 characters, and seekread's passages.
`--halves` prints two figures: one over every other page, one over the rest.
"""

import argparse
import json
import math
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from seekread.page.passages import PassageIndex
from seekread.page.sentences import sentences

BUDGETS = {"zh": (333, 667), "ja": (333, 667)}
USUAL_BUDGETS = (1_000, 2_000)
CHUNK = 400

Answerer = Callable[[str, int], str]
Method = Callable[[str], Answerer]
"""Reads a page once, then answers questions within a budget of characters."""


@dataclass(frozen=True)
class Question:
    """A question and the texts that would answer it."""

    text: str
    answers: tuple[str, ...]


@dataclass(frozen=True)
class Sample:
    """A page with its questions."""

    text: str
    questions: tuple[Question, ...]


def head(page: str) -> Answerer:
    """The beginning of the page, whatever was asked."""
    return lambda _, budget: page[:budget]


def plain_bm25(page: str) -> Answerer:
    """BM25 over chunks of whole sentences and lower-case words."""
    chunks = list(chunked(page))
    order = bm25_order(chunks)

    def answer(question: str, budget: int) -> str:
        chosen: list[int] = []
        for number in order(question):
            if len(chunks[number]) <= budget:
                chosen.append(number)
                budget -= len(chunks[number])
        return "\n".join(chunks[number] for number in sorted(chosen))

    return answer


def bm25_order(texts: Sequence[str]) -> Callable[[str], list[int]]:
    """Texts by plain BM25 over lower-case words, the best first."""
    words = [Counter(re.findall(r"\w+", text.lower())) for text in texts]
    lengths = [sum(counts.values()) for counts in words]
    average = sum(lengths) / len(lengths)
    documents = Counter(word for counts in words for word in counts)

    def score(number: int, asked: set[str]) -> float:
        total = 0.0
        for word in asked & words[number].keys():
            rarity = math.log(1 + (len(texts) - documents[word] + 0.5) / (documents[word] + 0.5))
            frequency = words[number][word]
            total += rarity * frequency * 2.2 / (frequency + 1.2 * (0.25 + 0.75 * lengths[number] / average))
        return total

    def order(question: str) -> list[int]:
        asked = set(re.findall(r"\w+", question.lower()))
        scores = [score(number, asked) for number in range(len(texts))]
        return sorted(range(len(texts)), key=lambda n: (-scores[n], n))

    return order


def chunked(page: str) -> Iterator[str]:
    """Whole sentences, packed up to the size of a chunk within a paragraph."""
    for paragraph in page.split("\n\n"):
        chunk = ""
        for start, end in sentences(paragraph):
            sentence = paragraph[start:end]
            if chunk and len(chunk) + len(sentence) > CHUNK:
                yield chunk
                chunk = ""
            chunk = f"{chunk} {sentence}" if chunk else sentence
        if chunk:
            yield chunk


def seekread(page: str) -> Answerer:
    """The passages seekread returns, with headings and marks inside the budget."""
    index = PassageIndex(page)

    def answer(question: str, budget: int) -> str:
        content = index.passages(question, budget=budget).content
        if len(content) > budget:
            raise AssertionError(f"{len(content)} characters for a budget of {budget}: {question!r}")
        return content

    return answer


METHODS: dict[str, Method] = {"head": head, "BM25": plain_bm25, "seekread": seekread}


def answered(text: str, question: Question) -> bool:
    """Say whether one of the answers stands in a text, white space aside."""
    text = " ".join(text.split())
    return any(" ".join(answer.split()) in text for answer in question.answers)


def recall(samples: list[Sample], method: Method, budget: int) -> float:
    """The share of questions whose answer stands in what the method returns."""
    hits = [
        answered(answer(question.text, budget), question)
        for sample in samples
        for answer in (method(sample.text),)
        for question in sample.questions
    ]
    return sum(hits) / len(hits)


def load(path: Path) -> list[Sample]:
    """Read one file of samples."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
    return [
        Sample(row["text"], tuple(Question(each["q"], tuple(each["answers"])) for each in row["questions"]))
        for row in rows
    ]


def main() -> None:
    """Print one line per file and budget."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--halves", action="store_true", help="print the figures of both halves of the pages")
    arguments = parser.parse_args()
    print(f"{'set':<24}{'questions':>10}{'budget':>8}" + "".join(f"{name:>16}" for name in METHODS) + f"{'s':>8}")
    for path in sorted(arguments.folder.glob("*.jsonl")):
        samples = load(path)
        groups = [samples[::2], samples[1::2]] if arguments.halves else [samples]
        language = path.stem.rpartition(".")[2]
        for budget in BUDGETS.get(language, USUAL_BUDGETS):
            began = time.process_time()
            cells = ["/".join(f"{recall(g, method, budget):.3f}" for g in groups) for method in METHODS.values()]
            spent = time.process_time() - began
            count = sum(len(sample.questions) for sample in samples)
            print(f"{path.stem:<24}{count:>10}{budget:>8}" + "".join(f"{c:>16}" for c in cells) + f"{spent:>8.1f}")


if __name__ == "__main__":
    main()
