"""
Train the block model from a folder of labelled pages.

    python -m tools.train_blocks DATA_DIR --answers ANSWERS.jsonl [--beside ANSWERS.jsonl]... [--cache DIR] [--judge]

DATA_DIR holds `train.jsonl.xz`, `segments.jsonl.xz` and `score.py`; ANSWERS are what the peers chose of `segments`,
made by `peers.py` in an environment of its own. Writes the model file of the package and prints what its card says: the
word-F1 of folds by domain, by kind of page, and how often the model knows that it is wrong; beside it what others chose
of the same pages of `train`, in files of the same form. `--judge` writes nothing.
The same data, packages and processor architecture give the same model. Needs `lightgbm`.
"""

import argparse
import json
from collections import defaultdict
from importlib.resources import files
from pathlib import Path
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from seekread.extraction.block_model import FILE
from seekread.extraction.choose import UNSURE
from tools.train_blocks.boosting import train
from tools.train_blocks.judging import Judged, judged, word_score
from tools.train_blocks.model_file import write_model
from tools.train_blocks.pages import LabelledPage, load_measure, read_pages

BAD = 0.5
"""A choice that has less of the content has missed it."""
RESAMPLED = 2000


Scores = NDArray[np.float64]


def report(pages: list[Judged], others: dict[str, dict[str, float]]) -> None:
    """Print the figures of the model card: by kind of page, with what others reach on the same pages."""
    kinds: dict[str, list[Judged]] = defaultdict(list)
    for page in pages:
        kinds[page.kind].append(page)
    heads = ["pages", "number", "word-F1", *(head for name in others for head in (name, f"more than {name}"))]
    print(f"\n| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for kind, own in [*sorted(kinds.items()), ("all", pages)]:
        ours = np.array([page.f1 for page in own])
        cells = [kind, str(len(own)), with_interval(ours)]
        for scores in others.values():
            theirs = np.array([scores.get(page.id, 0.0) for page in own])
            cells += [f"{theirs.mean():.3f}", with_interval(ours - theirs)]
        print(f"| {' | '.join(cells)} |")
    missed = [page for page in pages if page.recall < BAD]
    unsure = [page for page in pages if page.certainty < UNSURE]
    flagged = sum(page.certainty < UNSURE for page in missed)
    print(
        f"\nrecall below {BAD}: {len(missed) / len(pages):.1%} of the pages, {flagged} of {len(missed)} flagged; "
        f"flagged in all: {len(unsure) / len(pages):.1%}"
    )


def with_interval(scores: Scores) -> str:
    """A mean, and where it would lie with other pages of the same kind."""
    chance = np.random.default_rng(0)
    low, high = np.percentile(chance.choice(scores, (RESAMPLED, len(scores))).mean(axis=1), (2.5, 97.5))
    return f"{scores.mean():.3f} [{low:.3f}, {high:.3f}]"


def scores_of(files: list[Path], pages: list[LabelledPage], measure: ModuleType) -> dict[str, dict[str, float]]:
    """What others reach: by name, by page."""
    gold = {page.id: page.gold for page in pages}
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for file in files:
        for row in map(json.loads, file.read_text("utf-8").splitlines()):
            page = row.pop("id")
            for name, text in row.items():
                found[name][page] = word_score(gold.get(page, ""), measure.plain(text or ""), measure)[0]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data_dir", type=Path)
    parser.add_argument("--answers", type=Path, required=True, help="what the peers chose of `segments`")
    parser.add_argument("--beside", type=Path, action="append", default=[], help="what others chose of `train`")
    parser.add_argument("--cache", type=Path, help="a folder in which columns are kept between runs")
    parser.add_argument("--judge", action="store_true", help="write no model")
    arguments = parser.parse_args()
    pages = read_pages(arguments.data_dir, "train", None, arguments.cache)
    weak = read_pages(arguments.data_dir, "segments", arguments.answers, arguments.cache)
    trained = train([*pages, *weak], print)
    if not arguments.judge:
        write_model(trained, Path(str(files("seekread.extraction") / FILE)))
    measure = load_measure(arguments.data_dir)
    unseen = ((page, trained.unseen.get((page.source, page.id))) for page in pages if page.gold.strip())
    report(
        [judged(page, probability, measure) for page, probability in unseen if probability is not None],
        scores_of(arguments.beside, pages, measure),
    )


if __name__ == "__main__":
    main()
