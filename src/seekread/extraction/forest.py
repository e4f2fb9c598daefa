"""
Gradient-boosted trees, evaluated with numpy for all blocks of a page at once.

A tree has at most 16 leaves, numbered from left to right. Every node that a block fails makes the leaves on its left
unreachable; the first leaf that is left is the block's. So a whole forest is one comparison for each place in a tree.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

LEAVES = 16
NODES = LEAVES - 1
AT_ONCE = 512
"""Blocks evaluated together: more would not fit into the processor's cache."""


def lowest_bits() -> NDArray[np.uint8]:
    """The number of the lowest bit that is set, for every set of leaves."""
    lowest = np.zeros(1 << LEAVES, np.uint8)
    for bit in reversed(range(LEAVES)):
        lowest[np.arange(1 << LEAVES) >> bit & 1 == 1] = bit
    return lowest


LOWEST = lowest_bits()


class Forest:
    """Trees whose leaves add up to the logarithm of the odds."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        values = arrays["values"]
        self.trees = len(values)
        self.features = np.ascontiguousarray(arrays["features"].astype(np.intp).T)
        self.thresholds = np.ascontiguousarray(arrays["thresholds"].astype(np.float32).T[:, :, None])
        self.unreachable = np.ascontiguousarray(arrays["unreachable"].astype(np.uint16).T[:, :, None])
        self.values = values.astype(np.float32).ravel()
        self.offsets = (np.arange(self.trees) * LEAVES)[:, None]

    def __call__(self, columns: NDArray[np.float32]) -> NDArray[np.float32]:
        """The probability of every block; one row of `columns` for each feature."""
        odds = np.empty(columns.shape[1], np.float32)
        for start in range(0, len(odds), AT_ONCE):
            part = columns[:, start : start + AT_ONCE]
            gone = np.zeros((self.trees, part.shape[1]), np.uint16)
            for features, thresholds, unreachable in zip(self.features, self.thresholds, self.unreachable, strict=True):
                gone |= (part[features] > thresholds) * unreachable
            odds[start : start + AT_ONCE] = self.values[LOWEST[~gone] + self.offsets].sum(axis=0)
        return np.asarray(1 / (1 + np.exp(-odds)), np.float32)
