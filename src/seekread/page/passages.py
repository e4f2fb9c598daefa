# ruff: noqa: RUF001 (signs of other scripts are meant as they stand)
"""
The parts of a page that answer a question, within a budget.

1. The page is cut into chunks along its structure: sentences in prose, rows in tables, groups of lines in code.
2. Each chunk is scored with BM25, whose rarities come from the page itself. A term counts in full in its own chunk,
   less in the neighbours (the answer often stands one sentence after the word that was asked for), and in every chunk
   under a heading that has it. To that comes what the whole paragraph says about the question and, where there are
   several texts, what the whole text says; what is left of its sentence counts nearly as much as the best part.
3. The best chunks are taken until the budget is spent or nothing is left that has to do with the question, put back
   into document order, and joined where they touch. A page that covers too little of the question gives none.

The budget covers what `Passages.content` returns: the texts, their headings and the marks between them.
"""

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

from seekread.errors import InvalidQuery
from seekread.options import BudgetUnit
from seekread.page.blocks import FENCE, Block, blocks, closes, heading_title, lines
from seekread.page.languages import SPACELESS
from seekread.page.questions import AnswerKind, answers_in, asks_for
from seekread.page.scoring import length_norm, rarity, saturated
from seekread.page.sentences import sentences
from seekread.page.short_forms import meant, short_forms
from seekread.page.stemming import (
    SPACELESS_CHARACTER,
    is_spaceless,
    kinship,
    language_of,
    likeness,
    terms,
    weight,
)
from seekread.page.turns import in_turns
from seekread.page.vocabulary import PageVocabulary
from seekread.page.window import place_to_cut

Rerank = Callable[[str, Sequence[str]], Sequence[float]]
"""Scores texts for a question, higher is better: the place where a semantic model can be plugged in."""

LENGTH_NORMALISATION = 0.3
"""BM25's b. Lower than the usual 0.75, because the chunks are short and of similar length."""
LONG = 2.5
"""Longer than so many average chunks counts no worse, or a long row would lose to a short one beside the point."""
NEIGHBOURS = {1: 0.5, 2: 0.3, -1: 0.3, -2: 0.2}
"""How much of a term counts in the chunks after it and before it, at a distance of one and two."""
OTHER_BLOCK = 0.5
"""How much of that is left when a paragraph ends in between."""
PARAGRAPH, TEXT = 0.5, 0.2
"""What the paragraph of a chunk covers, and its text if there are several, beside what the chunk itself covers."""
PARAGRAPH_NORMALISATION = 0.75
"""BM25's b for paragraphs, the usual value."""
MEANT = 0.6
"""How much a term counts that is meant and not said (`short_forms.py`)."""
OTHER_KIND: dict[AnswerKind, float] = {"time": 0.3, "amount": 0.3, "person": 0.5}
"""What is left of the score of a chunk without a number or a name where one is asked for (`questions.py`)."""
FLOOR = 0.35
"""A chunk that covers less than this share of what the best one covers says nothing more about the question."""
LEAST_COVERED = 0.115
"""A page whose best chunk covers less than this share of the question does not answer it …"""
SAID_TOGETHER = 0.7
"""… unless more of its words than this stand in one chunk: what stands all over a page is rare nowhere on it."""
UNDER_HEADING = 0.4
REST_OF_SENTENCE = 0.8
"""How much the other parts of a sentence count, beside the best one."""
KIN = 0.7
"""How much a related word counts, beside its kinship."""
LONGEST_CHUNK = 400
PARTS, LEAST_LONGEST = 12, 80
"""Into how many chunks a small budget is parted at least, and how long they may be in any case."""
LENIENT, FARTHEST = 1.2, 1.4
"""How many times too long a sentence may be that stays whole, and one that has no clause to be cut after."""
LONGEST_SPACELESS = 120
"""The same in scripts without spaces, which say in so many characters what others say in 300."""
SPACELESS_RUN = re.compile(f"[^{SPACELESS}]{{0,20}}[{SPACELESS}]{{3}}")
RERANKED = 64
"""How many of the best chunks a reranker sees."""
HEADING_LENGTH = 120


@dataclass(frozen=True)
class Frame:
    """What stands around passages where they are shown, and takes room: the mark between two, and their headings."""

    mark: str
    headings: bool


ON_A_PAGE = Frame("\n\n…\n\n", headings=True)


@dataclass(frozen=True)
class Passage:
    """
    A verbatim part of the page, `text == page[offset:end]`. `score` is the share of the question it covers.

    A `head` is that of a table, which is there for the sake of a row further down and says nothing by itself.
    """

    offset: int
    end: int
    text: str
    heading: str
    score: float
    head: bool = False


@dataclass(frozen=True)
class Passages:
    """The chosen parts in document order. `total` is the size of the page and `used` that of `content`, in one unit."""

    passages: tuple[Passage, ...]
    total: int
    used: int

    @property
    def content(self) -> str:
        """The parts as one text: each heading once, and `…` where something was left out."""
        return "".join(rendered(self.passages))


@dataclass(frozen=True, slots=True)
class Chunk:
    """The smallest thing that is chosen or left out. A `row` of a table is shown with its `lead`, the table's head."""

    start: int
    end: int
    sentence: int
    """Where the sentence begins that it is a part of."""
    block: int
    section: int
    row: bool = False
    lead: int | None = None


def passages(
    text: str, query: str, *, budget: int, unit: BudgetUnit = "characters", rerank: Rerank | None = None
) -> Passages:
    """
    The parts of a text that answer a question best, in document order, within a budget.

    Nothing on the page answers the question: there are no passages.
    """
    return PassageIndex(text, longest_for(budget, unit)).passages(query, budget=budget, unit=unit, rerank=rerank)


def longest_for(budget: int, unit: BudgetUnit) -> int:
    """How long a chunk may be, so that a budget holds several."""
    return min(LONGEST_CHUNK, max(LEAST_LONGEST, (budget if unit == "characters" else 4 * budget) // PARTS))


class PassageIndex:
    """
    A page cut and indexed once, for any number of questions.

    `starts` says where each text begins if there are several: then they are taken in turns (`turns.py`).
    """

    def __init__(self, text: str, longest: int = LONGEST_CHUNK, starts: Sequence[int] = ()) -> None:
        self.text = text
        self.starts = starts
        self.longest = longest
        self.language = language_of(text)
        self.headings: list[str] = [""]
        self.heads: set[int] = set()
        self.chunks: list[Chunk] = list(self._cut())
        self.first_chunk = [len(self.chunks)] * (len(self.headings) + 1)
        self.lengths: list[int] = []
        self.blocks: dict[int, list[int]] = defaultdict(list)
        self.chunk_blocks = [chunk.block for chunk in self.chunks]
        for number, block in enumerate(self.chunk_blocks):
            self.blocks[block].append(number)
        self.postings = postings = defaultdict[str, dict[int, float]](dict)
        for number, chunk in enumerate(self.chunks):
            self.first_chunk[chunk.section] = min(self.first_chunk[chunk.section], number)
            said = list(terms(text[chunk.start : chunk.end], self.language))
            self.lengths.append(len(said))
            for term in said:
                found = postings[term]
                found[number] = found.get(number, 0) + 1
        for term, number in list(meant(short_forms(text, self.language), postings)):
            postings[term].setdefault(number, MEANT)
        self.vocabulary = PageVocabulary(self.postings)
        for section in range(len(self.headings) - 1, -1, -1):
            self.first_chunk[section] = min(self.first_chunk[section], self.first_chunk[section + 1])
        self.sections: dict[str, list[int]] = defaultdict(list)
        for section, heading in enumerate(self.headings):
            for term in set(terms(heading, self.language)):
                self.sections[term].append(section)
        average = sum(self.lengths) / len(self.lengths) if self.lengths else 1.0
        self.norms = [length_norm(min(length / average, LONG), LENGTH_NORMALISATION) for length in self.lengths]
        sizes = {block: sum(self.lengths[number] for number in inside) for block, inside in self.blocks.items()}
        average = sum(sizes.values()) / len(sizes) if sizes else 1.0
        self.block_norms = {
            block: length_norm(size / average, PARAGRAPH_NORMALISATION) for block, size in sizes.items()
        }

    def passages(
        self,
        query: str,
        *,
        budget: int,
        unit: BudgetUnit = "characters",
        rerank: Rerank | None = None,
        frame: Frame = ON_A_PAGE,
    ) -> Passages:
        """
        The parts that answer a question best, in document order, within a budget.

        Whoever shows the passages another way than `Passages.content` says so with a `frame`.
        """
        if budget < 1:
            raise InvalidQuery(f"budget must be at least 1, not {budget}: say how many {unit} the passages may take")
        if not query.strip():
            raise InvalidQuery("query is empty: say what the passages should answer")
        texts = [bisect_right(self.starts, chunk.start) for chunk in self.chunks] if self.starts else []
        scores, covered = self._scored(query, texts)
        # Where no spaces are, a sentence may be a whole paragraph.
        if not SPACELESS_CHARACTER.search(query):
            scores = self._with_their_sentences(scores)
        best = max(scores, default=0.0)
        answers = best >= LEAST_COVERED or rerank is not None or self._is_all_about(query)
        least = 0.0 if rerank is not None else FLOOR * best if answers else 1.0
        order = sorted((n for n, score in enumerate(scores) if score and score >= least), key=lambda n: (-scores[n], n))
        if texts and order:
            order = in_turns(scores, texts, covered, budget if unit == "characters" else 4 * budget)
        if rerank is not None and order:
            order = self._reranked(query, order, scores, rerank)
        size = SIZES[unit]
        # Asking a page costs no more than reading it.
        room = min(budget if unit == "characters" else budget * 4, size(self.text))
        order = [self._telling(number, scores) for number in order]
        found = self._joined(self._chosen(order, room, size, frame), scores)
        if order and not found:
            found = self._beginning(self.chunks[order[0]], scores[order[0]], room, size)
        used = sum(map(size, rendered(found)))
        total = size(self.text)
        return Passages(tuple(found), *((total, used) if unit == "characters" else (-(-total // 4), -(-used // 4))))

    def scores(self, query: str) -> list[float]:
        """The share of the question that each chunk covers, 0 to 1."""
        return self._scored(query, ())[0]

    def _scored(self, query: str, texts: Sequence[int]) -> tuple[list[float], dict[int, float]]:
        """The same, and the share that each whole text covers, if there are several: `texts` says where a chunk is."""
        asked = {term: weight(term, self.language) for term in terms(query, self.language)}
        scores = [0.0] * len(self.chunks)
        by_block: dict[int, float] = defaultdict(float)
        by_text: dict[int, float] = defaultdict(float)
        best = 0.0
        matched = False
        for term, says in asked.items():
            if not says:
                continue
            found = self._occurrences(term, related=says == 1.0)
            if not found and term not in self.sections:
                # A small word that the page does not have says nothing about what it answers.
                best += says * self._rarity(0) if says == 1.0 or is_spaceless(term) else 0.0
                continue
            matched = matched or says == 1.0 or is_spaceless(term)
            value = says * self._rarity(len(found))
            best += value
            for number, frequency in self._spread(term, found).items():
                scores[number] += value * saturated(frequency, self.norms[number])
            for block, frequency in summed(found, self.chunk_blocks):
                by_block[block] += value * saturated(frequency, self.block_norms[block])
            for text in {texts[number] for number in found} if texts else ():
                by_text[text] += value
        if not best or (not matched and any(says == 1.0 for says in asked.values())):
            return [0.0] * len(self.chunks), {}
        # Where no spaces are, chunks are clauses, and the number often stands in the next one.
        if (kind := asks_for(query)) and not SPACELESS_CHARACTER.search(query):
            self._weigh_kinds(scores, kind, query)
        for block, covers in by_block.items():
            for number in self.blocks[block]:
                # Rows speak for themselves here, too.
                scores[number] += PARAGRAPH * (scores[number] if self.chunks[number].row else covers)
        for number, text in enumerate(texts):
            scores[number] += TEXT * by_text[text]
        scores = [score if length > 1 else 0.0 for score, length in zip(scores, self.lengths, strict=True)]
        most = best * (1 + PARAGRAPH + (TEXT if texts else 0.0))
        covered = {text: by_text[text] / best for text in set(texts)}
        return [min(1.0, score / most) for score in scores], covered

    def _with_their_sentences(self, scores: list[float]) -> list[float]:
        """Let what is left of a sentence count nearly as much as its best part: half of one says little."""
        best: dict[int, float] = defaultdict(float)
        for chunk, score in zip(self.chunks, scores, strict=True):
            best[chunk.sentence] = max(best[chunk.sentence], score)
        return [
            max(score, REST_OF_SENTENCE * best[chunk.sentence])
            for chunk, score in zip(self.chunks, scores, strict=True)
        ]

    def _is_all_about(self, query: str) -> bool:
        """Say whether most words of a question that tell something stand together in a chunk."""
        asked = [term for term in terms(query, self.language) if weight(term, self.language) == 1.0]
        said = Counter(number for term in set(asked) for number in self._occurrences(term, related=True))
        return max(said.values(), default=0) > SAID_TOGETHER * len(set(asked))

    def _weigh_kinds(self, scores: list[float], kind: AnswerKind, query: str) -> None:
        """Let chunks count less that hold nothing of the kind that is asked for, but what the question says itself."""
        named = answers_in(query, kind)
        for number, chunk in enumerate(self.chunks):
            if scores[number] and named.issuperset(answers_in(self.text[chunk.start : chunk.end], kind)):
                scores[number] *= OTHER_KIND[kind]

    def _rarity(self, having: int) -> float:
        return rarity(having, len(self.chunks))

    def _occurrences(self, term: str, *, related: bool) -> dict[int, float]:
        """In which chunks a term or a related one occurs, and how often."""
        found = dict(self.postings.get(term, {}))
        if not related or is_spaceless(term) or not term.isalpha():
            return found
        kin = {word: near for word in self.vocabulary.near(term) if word != term and (near := kinship(term, word))}
        if not found and not kin:
            kin = {word: near for word in self.postings if (near := likeness(term, word))}
        for word, near in kin.items():
            for number, frequency in self.postings[word].items():
                found[number] = max(found.get(number, 0.0), KIN * near * frequency)
        return found

    def _spread(self, term: str, found: dict[int, float]) -> dict[int, float]:
        """Let occurrences count a little in neighbouring chunks, and in every chunk under a heading with the term."""
        spread, blocks = dict(found), self.chunk_blocks
        for number, frequency in found.items():
            if self.chunks[number].row:
                continue  # Rows speak for themselves, not for the rows around them.
            block, counted = blocks[number], min(frequency, 1.0)
            for distance, share in NEIGHBOURS.items():
                near = number + distance
                if 0 <= near < len(blocks):
                    gain = share * counted * (1.0 if blocks[near] == block else OTHER_BLOCK)
                    spread[near] = spread.get(near, 0.0) + gain
        for section in self.sections.get(term, ()):
            for number in range(self.first_chunk[section], self.first_chunk[section + 1]):
                spread[number] = spread.get(number, 0.0) + UNDER_HEADING
        return spread

    def _reranked(self, query: str, order: list[int], scores: list[float], rerank: Rerank) -> list[int]:
        candidates = order[:RERANKED]
        texts = [self._in_context(self.chunks[number]) for number in candidates]
        for number, score in zip(candidates, rerank(query, texts), strict=True):
            scores[number] = score
        return sorted(candidates, key=lambda n: (-scores[n], n)) + order[RERANKED:]

    def _in_context(self, chunk: Chunk) -> str:
        heading = self.headings[chunk.section]
        return f"{heading}\n{self.text[chunk.start : chunk.end]}" if heading else self.text[chunk.start : chunk.end]

    def _telling(self, number: int, scores: Sequence[float]) -> int:
        """The number of a chunk; in place of the head of a table that of its best row, with which it comes along."""
        if number not in self.heads:
            return number
        return max(self.blocks[self.chunk_blocks[number]][1:], key=lambda row: scores[row])

    def _chosen(self, order: Iterable[int], room: int, size: Callable[[str], int], frame: Frame) -> set[int]:
        """Take chunks in order while they fit. The cost of a chunk depends on what it touches."""
        chosen: set[int] = set()
        shown: set[int] = set()
        for number in order:
            if room <= 0:
                break
            if number in chosen:
                continue
            cost = self._cost(number, chosen, shown, size, frame)
            if cost > room:
                continue
            room -= cost
            chosen.add(number)
            shown.add(self.chunks[number].section)
            lead = self.chunks[number].lead
            # Where passages stand alone, a head is of use only right above its row.
            if (
                lead is not None
                and lead not in chosen
                and (frame.headings or chosen.issuperset(range(lead + 1, number)))
            ):
                cost = self._cost(lead, chosen, shown, size, frame)
                if cost <= room:
                    room -= cost
                    chosen.add(lead)
        return chosen

    def _cost(self, number: int, chosen: set[int], shown: set[int], size: Callable[[str], int], frame: Frame) -> int:
        chunk = self.chunks[number]
        cost = size(self.text[chunk.start : chunk.end])
        before = number - 1 in chosen and self._touch(number - 1, number)
        after = number + 1 in chosen and self._touch(number, number + 1)
        if before:
            cost += size(self.text[self.chunks[number - 1].end : chunk.start])
        if after:
            cost += size(self.text[chunk.end : self.chunks[number + 1].start])
        # A passage that joins two takes away the mark that stood between them; one alone adds its own.
        cost += size(frame.mark) * (1 - before - after) if chosen else 0
        if frame.headings and chunk.section not in shown:
            cost += size(heading_line(self.headings[chunk.section]))
        return cost

    def _touch(self, first: int, second: int) -> bool:
        one, other = self.chunks[first], self.chunks[second]
        return one.section == other.section and not self.text[one.end : other.start].strip()

    def _joined(self, chosen: set[int], scores: list[float]) -> list[Passage]:
        runs: list[list[int]] = []
        for number in sorted(chosen):
            if runs and runs[-1][-1] == number - 1 and self._touch(number - 1, number):
                runs[-1].append(number)
            else:
                runs.append([number])
        return [self._passage(run, max(scores[number] for number in run)) for run in runs]

    def _passage(self, run: list[int], score: float) -> Passage:
        start, end = self.chunks[run[0]].start, self.chunks[run[-1]].end
        heading = self.headings[self.chunks[run[0]].section]
        return Passage(start, end, self.text[start:end], heading, round(score, 4), head=self.heads.issuperset(run))

    def _beginning(self, chunk: Chunk, score: float, room: int, size: Callable[[str], int]) -> list[Passage]:
        """The beginning of the best chunk, for a budget that is too small for a whole one."""
        end = min(chunk.end, chunk.start + room)
        while (excess := size(self.text[chunk.start : end]) - room) > 0:
            end -= -(-excess // 4)
        end = max(place_to_cut(self.text, chunk.start, end), chunk.start) if end < chunk.end else end
        return (
            [Passage(chunk.start, end, self.text[chunk.start : end], "", round(score, 4))] if end > chunk.start else []
        )

    def _blocks(self) -> Iterator[Block | None]:
        """The blocks of each text by itself, as no heading and no code goes on in the next; `None` between two."""
        for start, end in pairwise([0, *self.starts[1:], len(self.text)]):
            if start:
                yield None
            for block in blocks(self.text[start:end]):
                yield Block(block.kind, block.start + start, block.end + start, block.level) if start else block

    def _cut(self) -> Iterator[Chunk]:
        """Cut the page into chunks and collect its headings on the way."""
        path: list[tuple[int, str]] = []
        count = 0
        for number, block in enumerate(self._blocks()):
            if block is None:
                path = []
                self.headings.append("")
                continue
            if block.kind == "heading":
                path = [(level, title) for level, title in path if level < block.level]
                path.append((block.level, heading_title(self.text[block.start : block.end])))
                self.headings.append(shown_path(path))
                continue
            lead: int | None = None
            headed = block.kind == "table" and has_head(self.text, block)
            for whole in CUTS.get(block.kind, whole_sentences)(self.text, block, self.longest):
                stays = block.kind == "table" or (block.kind == "code" and whole[1] - whole[0] <= self.longest)
                for start, end in [whole] if stays else short_enough(self.text, *whole, self.longest):
                    yield Chunk(start, end, whole[0], number, len(self.headings) - 1, block.kind == "table", lead)
                    if block.kind == "table" and lead is None:
                        lead = count
                    elif lead is not None and headed:
                        self.heads.add(lead)
                    count += 1


def summed(found: Mapping[int, float], groups: Sequence[int]) -> Iterable[tuple[int, float]]:
    """How often something stands in each group of chunks."""
    sums: dict[int, float] = defaultdict(float)
    for number, frequency in found.items():
        sums[groups[number]] += frequency
    return sums.items()


def whole_sentences(text: str, block: Block, _longest: int) -> Iterator[tuple[int, int]]:
    """The sentences of a block."""
    return sentences(text, block.start, block.end)


def whole_rows(text: str, block: Block, _longest: int) -> Iterator[tuple[int, int]]:
    """The rows of a table, the line under its head kept with the head."""
    rows = list(lines(text, block.start, block.end))
    if has_head(text, block):
        rows[:2] = [(rows[0][0], rows[1][1])]
    yield from rows


def has_head(text: str, block: Block) -> bool:
    """Say whether the first row of a table has a line under it."""
    under = next(islice(lines(text, block.start, block.end), 1, None), None)
    return under is not None and not text[slice(*under)].strip("|-: \t")


def groups_of_lines(text: str, block: Block, longest: int) -> Iterator[tuple[int, int]]:
    """Lines of code in groups, so that a short example stays whole; parts of a longer one are without its fences."""
    if block.end - block.start <= longest:
        yield block.start, block.end
        return
    fence = FENCE.match(text, block.start)
    _, *inside = lines(text, block.start, block.end)
    if inside and fence and closes(text[slice(*inside[-1])], fence["mark"]):
        inside.pop()
    group: tuple[int, int] | None = None
    for start, end in inside:
        if group and end - group[0] <= longest:
            group = (group[0], end)
            continue
        if group:
            yield group
        group = (start, end)
    if group:
        yield group


CUTS: dict[str, Callable[[str, Block, int], Iterator[tuple[int, int]]]] = {"table": whole_rows, "code": groups_of_lines}


def short_enough(text: str, start: int, end: int, longest: int) -> Iterator[tuple[int, int]]:
    """A span in pieces of much the same length, cut after a clause or a word where there is one."""
    spaceless = SPACELESS_RUN.match(text, start, end)
    longest, marks = (min(longest, LONGEST_SPACELESS), SPACELESS_MARKS) if spaceless else (longest, CLAUSE_MARKS)
    while end - start > LENIENT * longest:
        even = (end - start) // -(-(end - start) // longest)
        farthest = min(end, start + int(FARTHEST * longest))
        stop = clause_end(text, start + even // 2, start + even, farthest, marks)
        if not stop and farthest == end:
            break
        stop = stop or place_to_cut(text, start, start + int(LENIENT * even))
        yield start, stop
        start = stop
        while start < end and text[start].isspace():
            start += 1
    if start < end:
        yield start, end


def clause_end(text: str, first: int, wanted: int, last: int, marks: Sequence[str]) -> int:
    """Where the clause ends that ends nearest to a place; 0 if none does."""
    before = max(text.rfind(mark, first, wanted) for mark in marks) + 1
    found = (text.find(mark, wanted, last) for mark in marks)
    after = min((place + 1 for place in found if place >= 0), default=0)
    return min(filter(None, (before, after)), key=lambda place: abs(place - wanted), default=0)


CLAUSE_MARKS: tuple[str, ...] = (", ", "; ", "，", "；", "、", "\n")
SPACELESS_MARKS: tuple[str, ...] = ("，", "；", "、", " ", "\n")
"""Thai puts a space where others put a comma or a full stop."""


def shown_path(path: Sequence[tuple[int, str]]) -> str:
    """The last two titles of a path of headings: enough to know where one is."""
    shown = " › ".join(title for _, title in path[-2:] if title)
    return shown if len(shown) <= HEADING_LENGTH else shown[: HEADING_LENGTH - 1] + "…"


def heading_line(heading: str) -> str:
    """How a heading stands before its passages."""
    return f"**{heading}**\n\n" if heading else ""


def rendered(found: Sequence[Passage]) -> Iterator[str]:
    """The pieces of text that show passages in order."""
    heading = ""
    for number, passage in enumerate(found):
        if number:
            yield ON_A_PAGE.mark
        if passage.heading != heading:
            heading = passage.heading
            yield heading_line(heading)
        yield passage.text


def byte_length(text: str) -> int:
    """The length in UTF-8, of which four make an estimated token."""
    return len(text.encode("utf-8", "surrogatepass"))


SIZES: dict[BudgetUnit, Callable[[str], int]] = {"characters": len, "tokens": byte_length}
