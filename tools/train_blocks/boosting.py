"""Train the two stages: words out of fold, the first forest, then the second on what the first said out of fold."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

import lightgbm
import numpy as np
from numpy.typing import NDArray

from seekread.extraction.block_model import SHORT, TEXT, Vocabulary, context_columns, text_words
from tools.train_blocks.pages import FOLDS, LabelledPage

PARAMETERS: dict[str, Any] = {
    "objective": "binary",
    "learning_rate": 0.12,
    "num_leaves": 16,
    "min_data_in_leaf": 150,
    "feature_fraction": 0.3,
    "bagging_fraction": 0.6,
    "bagging_freq": 1,
    "lambda_l2": 10,
    "max_bin": 63,
    "num_threads": 1,
    "seed": 1,
    "deterministic": True,
    "force_row_wise": True,
    "verbose": -1,
}
TREES = {"first": 120, "second": 100, "article": 100}
PROCESSES = 2
MOST_BLOCKS = 250
"""Blocks of one page that are learnt from; the others are made up for by weight."""
FEWEST_PAGES = 4
"""Pages on which a word of names must stand to be known; a word of texts needs two more."""
SMOOTHING = 3
Matrix = NDArray[np.float32]
Booster = Any


@dataclass(frozen=True)
class Trained:
    """What training made, and what it says about every page without having seen its domain."""

    shares: dict[str, float]
    usual_name: float
    usual_text: float
    first: Booster
    second: Booster
    article: Booster
    unseen: dict[tuple[str, str], NDArray[np.float32]]


def content_shares(page: LabelledPage) -> dict[str, float]:
    """For every word in names and in short texts of a page: how much of the text under it is content."""
    sheet, words = page.sheet, page.sheet.words
    content = np.concatenate([[0], np.cumsum(page.labels * words)])
    total = np.concatenate([[0], np.cumsum(words)])
    found: dict[str, list[float]] = defaultdict(list)
    kinds = list(page.blocks.kinds)
    for element, kind in enumerate(page.blocks.kind_of):
        begin, end, names = sheet.first[element], sheet.last[element], kinds[kind].words
        if names and end > begin:
            share = float((content[end] - content[begin]) / (total[end] - total[begin]))
            for word in names:
                found[word].append(share)
    for number, text in enumerate(page.blocks.texts):
        if words[number] <= SHORT:
            for word in text_words(text):
                found[TEXT + word].append(float(page.labels[number]))
    return {word: sum(shares) / len(shares) for word, shares in found.items()}


class Tables:
    """The vocabulary of all folds, and of all but one."""

    def __init__(self, pages: list[LabelledPage]) -> None:
        self.folds: list[dict[str, list[float]]] = [{} for _ in range(FOLDS)]
        for page in pages:
            fold = self.folds[page.fold]
            for word, share in content_shares(page).items():
                entry = fold.setdefault(word, [0.0, 0.0])
                entry[0] += share
                entry[1] += 1

    def shares(self, without: int | None = None) -> tuple[dict[str, float], float, float]:
        """The share of content under each word, and the usual share under names and in short texts."""
        added: dict[str, list[float]] = {}
        for number, fold in enumerate(self.folds):
            if number != without:
                for word, (share, count) in fold.items():
                    entry = added.setdefault(word, [0.0, 0.0])
                    entry[0] += share
                    entry[1] += count
        usual_name, usual_text = (
            sum(share for word, (share, _) in added.items() if word.startswith(TEXT) is text)
            / max(1.0, sum(count for word, (_, count) in added.items() if word.startswith(TEXT) is text))
            for text in (False, True)
        )
        shares = {
            word: (share + SMOOTHING * (usual_text if word.startswith(TEXT) else usual_name)) / (count + SMOOTHING)
            for word, (share, count) in sorted(added.items())
            if count >= FEWEST_PAGES + 2 * word.startswith(TEXT)
        }
        return shares, usual_name, usual_text


def columns_with(page: LabelledPage, vocabulary: Vocabulary) -> Matrix:
    """The columns of a page with those of a vocabulary, one row for each block."""
    return np.vstack([page.columns, np.array(vocabulary.columns(page.sheet), np.float32)]).T


def weights_of(page: LabelledPage) -> NDArray[np.float64]:
    """How much each block counts: long ones more, and every page the same."""
    weights = np.sqrt(page.sheet.words) * page.certainty
    return np.asarray(weights / max(1.0, float(weights.sum())) * 100 * page.weight)


class Examples:
    """All blocks of all pages, row by row."""

    def __init__(self, pages: list[LabelledPage]) -> None:
        self.pages = pages
        self.sizes = [len(page.blocks.texts) for page in pages]
        self.folds = np.repeat([page.fold for page in pages], self.sizes)
        self.labels = np.concatenate([page.labels for page in pages]) > 0.5
        chance = np.random.default_rng(0)
        sampled = [chance.permutation(size) < MOST_BLOCKS for size in self.sizes]
        self.weights = np.concatenate(
            [weights_of(page) * max(1.0, size / MOST_BLOCKS) for page, size in zip(pages, self.sizes, strict=True)]
        )
        self.learnt = np.concatenate(sampled) & (self.weights > 0)

    def split(self, values: NDArray[Any]) -> list[NDArray[Any]]:
        """Rows by page."""
        return np.split(values, np.cumsum(self.sizes)[:-1])

    def train(
        self, matrix: Matrix, trees: int, wanted: NDArray[np.bool_] | None = None
    ) -> tuple[NDArray[np.float64], Booster]:
        """What forests say that have not seen the domain of a page, and the forest that has seen all."""
        learnt = np.nonzero(self.learnt if wanted is None else self.learnt & wanted)[0]
        data = lightgbm.Dataset(
            matrix[learnt],
            self.labels[learnt].astype(np.float32),
            weight=self.weights[learnt],
            params=PARAMETERS,
            free_raw_data=False,
        ).construct()
        unseen = np.zeros(len(self.labels))
        work = Work(data, self.folds[learnt], trees, matrix, self.folds)
        # Forked, so that the processes share the table instead of copying it.
        with get_context("fork").Pool(PROCESSES, initializer=share_work, initargs=(work,)) as pool:
            *folds, whole = pool.map(fit, [*range(FOLDS), None], chunksize=1)
        for fold, (_, said) in enumerate(folds):
            unseen[self.folds == fold] = said
        return unseen, lightgbm.Booster(model_str=whole[0])


@dataclass(frozen=True)
class Work:
    """What the processes that fit forests share."""

    data: lightgbm.Dataset
    data_folds: NDArray[Any]
    trees: int
    matrix: Matrix
    matrix_folds: NDArray[Any]


shared: list[Work] = []


def share_work(work: Work) -> None:
    shared[:] = [work]


def fit(fold: int | None) -> tuple[str, NDArray[np.float64]]:
    """Fit a forest to all folds but one, and ask it about that one; or to all, and ask nothing."""
    [work] = shared
    if fold is None:
        return lightgbm.train(PARAMETERS, work.data, work.trees).model_to_string(), np.zeros(0)
    others = np.nonzero(work.data_folds != fold)[0]
    forest = lightgbm.train(PARAMETERS, work.data.subset(others.tolist()), work.trees)
    return forest.model_to_string(), np.asarray(forest.predict(work.matrix[work.matrix_folds == fold], num_threads=1))


def train(pages: list[LabelledPage], say: Callable[[str], None]) -> Trained:
    """Train on all pages, and say about each what a model says that has not seen its domain."""
    pages = [page for page in pages if page.can_teach and len(page.labels)]
    tables = Tables(pages)
    vocabularies = [Vocabulary(*tables.shares(fold)) for fold in range(FOLDS)]
    examples = Examples(pages)
    matrix = np.vstack([columns_with(page, vocabularies[page.fold]) for page in pages])
    say(f"{len(pages)} pages, {len(matrix)} blocks, {matrix.shape[1]} columns")
    said, first = examples.train(matrix, TREES["first"])
    context = [
        np.array(context_columns(page.sheet, own), np.float32).T
        for page, own in zip(pages, examples.split(said), strict=True)
    ]
    matrix = np.hstack([np.vstack(context), matrix])
    say("first stage trained")
    unseen, second = examples.train(matrix, TREES["second"])
    articles = np.repeat([page.hints.declared == "article" for page in pages], examples.sizes)
    of_articles, article = examples.train(matrix, TREES["article"], articles)
    unseen = np.where(articles, of_articles, unseen)
    by_page = zip(pages, examples.split(unseen), strict=True)
    say("second stage trained")
    return Trained(*tables.shares(), first, second, article, {(page.source, page.id): own for page, own in by_page})
