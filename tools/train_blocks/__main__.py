"""
Train the block model from a folder of labelled pages.

    python -m tools.train_blocks DATA_DIR --answers ANSWERS.jsonl [--cache DIR] [--judge]

DATA_DIR holds `train.jsonl.xz`, `segments.jsonl.xz` and `score.py`; ANSWERS are what the peers chose of `segments`,
made by `peers.py` in an environment of its own. Writes the model file of the package and prints what its card says: the
word-F1 of folds by domain, by kind of page, and how often the model knows that it is wrong. `--judge` writes nothing.
The same data, packages and processor architecture give the same model. Needs `lightgbm`.
"""

import argparse
import statistics
from collections import defaultdict
from importlib.resources import files
from pathlib import Path

import numpy as np

from seekread.extraction.block_model import FILE
from seekread.extraction.choose import UNSURE
from tools.train_blocks.boosting import train
from tools.train_blocks.judging import Judged, judged
from tools.train_blocks.model_file import write_model
from tools.train_blocks.pages import load_measure, read_pages

BAD = 0.5
"""A choice that has less of the content has missed it."""
RESAMPLED = 2000


def report(pages: list[Judged]) -> None:
    """Print the figures of the model card."""
    kinds: dict[str, list[float]] = defaultdict(list)
    for page in pages:
        kinds[page.kind].append(page.f1)
    print("\n| pages | number | word-F1 | 95 % interval |\n|---|---|---|---|")
    for kind, scores in [*sorted(kinds.items()), ("all", [page.f1 for page in pages])]:
        low, high = interval(scores)
        print(f"| {kind} | {len(scores)} | {statistics.mean(scores):.3f} | {low:.3f} to {high:.3f} |")
    missed = [page for page in pages if page.recall < BAD]
    unsure = [page for page in pages if page.expected < UNSURE]
    flagged = sum(page.expected < UNSURE for page in missed)
    print(
        f"\nrecall below {BAD}: {len(missed) / len(pages):.1%} of the pages, {flagged} of {len(missed)} flagged; "
        f"flagged in all: {len(unsure) / len(pages):.1%}"
    )


def interval(scores: list[float]) -> tuple[float, float]:
    """Where the mean would lie with other pages of the same kind."""
    chance = np.random.default_rng(0)
    means = chance.choice(scores, (RESAMPLED, len(scores))).mean(axis=1)
    low, high = np.percentile(means, (2.5, 97.5))
    return float(low), float(high)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data_dir", type=Path)
    parser.add_argument("--answers", type=Path, required=True, help="what the peers chose of `segments`")
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
    report([judged(page, probability, measure) for page, probability in unseen if probability is not None])


if __name__ == "__main__":
    main()
