"""The labelled pages: read from a data folder, washed as the product washes them, with columns and labels."""

import json
import lzma
import pickle
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from importlib.util import module_from_spec, spec_from_file_location
from multiprocessing import Pool
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from seekread.extraction.blocks import Blocks, blocks_of
from seekread.extraction.columns import Hints, Sheet, columns_of
from seekread.extraction.html import can_be_base, hints_of, prepare
from seekread.extraction.signals import Tally
from seekread.extraction.tree import body_of
from tools.train_blocks.labels import Labels, by_gold, by_votes, marked

FOLDS = 4
LARGEST = 1500
"""Pages with more blocks are judged, but nothing is learnt from them."""
WEAK = 0.5
"""How much a page without a gold text counts."""
DECLARED = 1.5
"""How much more when it declares itself an article: most that is left to learn there is where articles end."""


@dataclass
class LabelledPage:
    """One page with its blocks, and how much of each is content."""

    id: str
    source: str
    kind: str
    domain: str
    gold: str
    blocks: Blocks
    hints: Hints
    labels: Labels
    certainty: Labels

    @cached_property
    def sheet(self) -> Sheet:
        return Sheet(self.blocks, self.hints)

    @cached_property
    def columns(self) -> NDArray[np.float32]:
        return columns_of(self.sheet)

    @property
    def fold(self) -> int:
        """Pages of one domain are in one fold."""
        return zlib.crc32(self.domain.encode()) % FOLDS

    @property
    def weight(self) -> float:
        if self.gold:
            return 1.0
        return WEAK * (DECLARED if self.hints.declared == "article" else 1.0)

    @property
    def can_teach(self) -> bool:
        return 0 < len(self.blocks.texts) < LARGEST

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in {"sheet", "columns"}}


@dataclass(frozen=True)
class Source:
    """A set of pages, the measure that lies beside it, and what the peers answered where there is no gold text."""

    name: str
    folder: Path
    answers: dict[str, dict[str, str]] = field(default_factory=dict)

    def rows(self) -> Iterator[tuple["Source", dict[str, Any]]]:
        with lzma.open(self.folder / f"{self.name}.jsonl.xz", "rt", encoding="utf-8") as lines:
            for page in map(json.loads, lines):
                answers = self.answers.get(page["id"], {})
                yield Source(self.name, self.folder), {**page, "answers": answers}


def load_measure(folder: Path) -> ModuleType:
    """The measure that lies beside the sets."""
    spec = spec_from_file_location("score", folder / "score.py")
    if spec is None or spec.loader is None:
        raise SystemExit(f"{folder} has no score.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def labelled(task: tuple[Source, dict[str, Any]]) -> LabelledPage:
    """Wash one page as the product does, and label its blocks."""
    source, row = task
    measure = load_measure(source.folder)
    url = row["url"] or ""
    parsed = prepare(row["html"], url if can_be_base(url) else None, Tally(), wash=True, rendered=False, sheets={})
    blocks = blocks_of(body_of(parsed.tree)) if parsed.tree is not None else Blocks()
    blocks.slots = []
    hints, gold = hints_of(parsed, url), row.get("gold") or ""
    labels = certainty = np.zeros(0, np.float32)
    if blocks.texts:
        if gold:
            labels = by_gold(gold, blocks.texts, measure)
            certainty = np.ones_like(labels)
        elif row["answers"]:
            labels = by_votes(row["answers"], blocks.texts, measure)
            known = marked(blocks.texts, row["with"], row["without"])
            certainty = np.where(known < 0, np.abs(labels - 0.5) * 2, 1).astype(np.float32)
            labels = np.where(known < 0, labels, known)
    return LabelledPage(row["id"], source.name, row["type"], domain_of(url), gold, blocks, hints, labels, certainty)


def domain_of(url: str) -> str:
    """The last two labels of a host."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        host = ""
    return ".".join(host.removeprefix("www.").split(".")[-2:])


def read_pages(folder: Path, name: str, answers: Path | None, cache: Path | None) -> list[LabelledPage]:
    """The pages of a set; kept in a cache folder when there is one."""
    kept = cache / f"{name}.pickle" if cache else None
    if kept is not None and kept.is_file():
        with kept.open("rb") as file:
            return list(pickle.load(file))  # noqa: S301 - written by this tool
    said = {}
    if answers is not None:
        said = {row.pop("id"): row for row in map(json.loads, answers.read_text("utf-8").splitlines())}
    with Pool(2) as pool:
        pages = list(pool.imap(labelled, Source(name, folder, said).rows(), chunksize=8))
    if kept is not None:
        with kept.open("wb") as file:
            pickle.dump(pages, file, protocol=5)
    return pages
