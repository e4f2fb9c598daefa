"""
Choose passages over all pages together, within one budget.

The pages are laid one behind the other, each under its title, and indexed as one text: so the rarity of a word is that
among all of them, and the budget goes where the answers are, not to every page alike. Where several pages speak to the
question, they take turns (`page/turns.py`). What one page says in nearly the same words as a better one is left out.
"""

from bisect import bisect_right
from collections.abc import Sequence

from seekread.late import dataclass
from seekread.models import estimated_tokens
from seekread.options import BudgetUnit
from seekread.page.passages import Frame, Passage, PassageIndex, longest_for
from seekread.page.stemming import language_of, terms

GAP = "\n\n·\n\n·\n\n"
"""Between two pages: a word counts a little in the two chunks after it, and none of these may be another page's."""
SAME = 0.95
"""A passage of whose words a better one has this share says nothing new. A lower one drops what contradicts."""
NUMBER = "[1] "
BETWEEN = "\n\n"
NUMBERED = Frame(BETWEEN + NUMBER, headings=False)
"""How passages are shown: each under the number of its source."""
MOST_ROUNDS = 3
"""How often room that repetitions took is given to others."""


@dataclass(frozen=True)
class GatheredPage:
    """The text of a page, and the title it stands under."""

    title: str
    text: str


@dataclass(frozen=True)
class Chosen:
    """A passage and the page it is from, counted from 0; `text == page.text[offset:end]`."""

    page: int
    text: str
    heading: str
    offset: int
    end: int
    score: float


@dataclass(frozen=True)
class Pack:
    """What was chosen, the best first, and the pages whose passages only repeat others."""

    chosen: tuple[Chosen, ...]
    repeating: frozenset[int]


def pack(pages: Sequence[GatheredPage], question: str, *, budget: int, unit: BudgetUnit) -> Pack:
    """The passages that answer a question best, out of all pages together."""
    room = max(1, budget - size(NUMBER, unit))
    starts: list[int] = []
    whole = ""
    for page in pages:
        whole += GAP if whole else ""
        starts.append(len(whole))
        whole += page.text
    repeating: set[int] = set()
    kept: list[Chosen] = []
    for _ in range(MOST_ROUNDS):
        index = PassageIndex(whole, longest_for(budget, unit), starts)
        found = index.passages(question, budget=room, unit=unit, frame=NUMBERED)
        chosen = [each for passage in found.passages for each in parts(passage, starts, pages)]
        kept, repeated = without_repetitions(sorted(chosen, key=lambda each: -each.score))
        repeating |= {each.page for each in repeated}
        if not repeated:
            break
        for each in repeated:
            # Blanks keep every other offset where it was, and give their room to something new.
            first = starts[each.page] + each.offset
            whole = f"{whole[:first]}{' ' * len(each.text)}{whole[first + len(each.text) :]}"
    return Pack(tuple(kept), frozenset(repeating - {each.page for each in kept}))


def parts(passage: Passage, starts: Sequence[int], pages: Sequence[GatheredPage]) -> list[Chosen]:
    """A passage of all pages together as passages of each page it touches."""
    found: list[Chosen] = []
    page = bisect_right(starts, passage.offset) - 1
    while page < len(pages) and starts[page] < passage.end:
        first = max(passage.offset - starts[page], 0)
        last = min(passage.end - starts[page], len(pages[page].text))
        if text := pages[page].text[first:last]:
            found.append(Chosen(page, text, passage.heading, first, last, passage.score))
        page += 1
    return found


def without_repetitions(chosen: Sequence[Chosen]) -> tuple[list[Chosen], list[Chosen]]:
    """Passages that say something new, the best first, and those that do not."""
    kept: list[tuple[Chosen, frozenset[str]]] = []
    repeated: list[Chosen] = []
    for each in chosen:
        said = frozenset(terms(each.text, language_of(each.text)))
        if any(said and len(said & other) >= SAME * len(said) for _, other in kept):
            repeated.append(each)
        else:
            kept.append((each, said))
    return [each for each, _ in kept], repeated


def size(text: str, unit: BudgetUnit) -> int:
    """The size of a text in the unit of a budget."""
    return len(text) if unit == "characters" else estimated_tokens(text)
