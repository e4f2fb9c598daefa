"""Write what was trained as the file that the product reads."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seekread.extraction.block_model import SCALE, STAGES
from seekread.extraction.forest import LEAVES, NODES
from tools.train_blocks.boosting import Booster, Trained

ALL = (1 << LEAVES) - 1


def forest_arrays(booster: Booster) -> dict[str, NDArray[Any]]:
    """The trees of a booster: what each node asks, and which leaves are out of reach when the answer is no."""
    trees = booster.dump_model()["tree_info"]
    features = np.zeros((len(trees), NODES), np.uint16)
    thresholds = np.full((len(trees), NODES), np.inf, np.float32)
    unreachable = np.zeros((len(trees), NODES), np.uint16)
    values = np.zeros((len(trees), LEAVES), np.float16)
    for number, tree in enumerate(trees):
        leaves = nodes = 0

        def walk(step: dict[str, Any], number: int = number) -> int:
            """The leaves below a node, as bits."""
            nonlocal leaves, nodes
            if "leaf_value" in step:
                values[number, leaves] = step["leaf_value"]
                leaves += 1
                return 1 << leaves - 1
            node = nodes
            nodes += 1
            left, right = walk(step["left_child"]), walk(step["right_child"])
            features[number, node] = step["split_feature"]
            thresholds[number, node] = step["threshold"]
            unreachable[number, node] = left
            return left | right

        walk(tree["tree_structure"])
    return {"features": features, "thresholds": thresholds, "unreachable": unreachable, "values": values}


def write_model(trained: Trained, path: Path) -> None:
    """Write the vocabulary and the forests."""
    words = sorted(trained.shares)
    arrays: dict[str, NDArray[Any]] = {
        "words": np.frombuffer("\n".join(words).encode(), np.uint8),
        "shares": np.array([round(trained.shares[word] * SCALE) for word in words], np.uint16),
        "usual": np.array([trained.usual_name, trained.usual_text], np.float32),
    }
    for stage, booster in zip(STAGES, (trained.first, trained.second, trained.article), strict=True):
        arrays |= {stage + name: array for name, array in forest_arrays(booster).items()}
    with path.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)
