# SPDX-License-Identifier: MIT
"""How many values lie in each bin."""
from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ._errors import InputError
from ._schema import Column, Schema, checked
from .statistics import grouped

__all__ = ["histogram"]

BINS_MOST = 10_000
_NICE_BINS = 20
_DECIMALS_MOST = 12
# What computing with binary fractions may put between a value and the edge it lies on: relative to the value, and at most in widths.
_ON_EDGE = 1e-9
_ON_EDGE_MOST = 1e-3


class Bins(NamedTuple):
    """Bins of one width. A value on an edge lies in the bin below it."""

    start: float
    width: float
    number: int

    @property
    def edges(self) -> NDArray[np.float64]:
        """Those of all bins, one more than there are bins."""
        return self.start + np.arange(self.number + 1) * self.width

    @property
    def decimals(self) -> int:
        """How many decimals the edges need in a table."""
        least = max(0, math.ceil(-math.log10(self.width)))
        most = min(least + 2, _DECIMALS_MOST)
        numbers = np.array([self.width, self.start])
        scaled = ((places, numbers * 10**places) for places in range(least, most))
        return next((places for places, of in scaled if np.allclose(of, np.round(of), _ON_EDGE, _ON_EDGE)), most)

    def places(self, values: NDArray[np.float64]) -> NDArray[np.intp]:
        """The bin of each value, from 0. The first and the last bin take what rounding puts beside them."""
        return np.clip(_bin_of((values - self.start) / self.width), 0, self.number - 1).astype(np.intp)


def _bin_of(widths: NDArray[np.float64]) -> NDArray[np.float64]:
    edges = np.round(widths)
    near = np.minimum(_ON_EDGE * np.maximum(1, np.abs(widths)), _ON_EDGE_MOST)
    return np.asarray(np.where(np.abs(widths - edges) <= near, edges, np.ceil(widths)) - 1)


def _nice_width(least: float, most: float) -> float:
    """1, 2 or 5 times a power of ten that makes 8 to 21 bins."""
    wanted = (most - least if most > least else abs(most)) / _NICE_BINS or 1.0
    power = 10.0 ** math.floor(math.log10(wanted))
    return next((step * power for step in (1, 2, 5) if wanted <= step * power * (1 + _ON_EDGE)), 10 * power)


def choose_bins(least: float, most: float, width: float | None = None, bins: int | None = None) -> Bins:
    """Bins for values of this range: of a width, whose multiples are the edges, or so many; else of a round width.

    Raises:
        InputError: the width makes more than 10,000 bins, or all values are equal and a number of bins was asked for.
    """
    if bins is not None and most <= least:
        raise InputError(f"found no value but {least:g}, expected a width in place of the number of bins")
    if bins is not None:
        return Bins(least, (most - least) / bins, bins)
    width = _nice_width(least, most) if width is None else width
    with np.errstate(over="ignore", invalid="ignore"):  # an infinite number of bins is refused as well
        first, last = (float(edge) for edge in _bin_of(np.array([least, most]) / width))
    if not last - first < BINS_MOST:
        found = f"found values from {least:g} to {most:g}, which make more than {BINS_MOST} bins of {width:g}"
        raise InputError(f"{found}, expected a greater width")
    return Bins(first * width, width, int(last - first) + 1)


def histogram_schema(bins: Bins) -> Schema:
    """The columns of a table with these bins."""
    decimals = bins.decimals
    columns = (
        Column("label", "text", "", "of the group", None, "label"),
        Column("low", "float", "", "values of the bin are above this", decimals, "above", decimals),
        Column("high", "float", "", "and up to this", decimals, "up to", decimals),
        Column("count", "int", "", "values in the bin", 0, "values"),
        Column("share", "float", "share, 0 to 1", "of the values of the label", 6, "share %", 1, 100),
    )
    return Schema("histogram", columns)


def bins_of(table: pd.DataFrame) -> Bins:
    """The bins of a table of histogram()."""
    number = int((table["label"] == table["label"].iloc[0]).sum())
    return Bins(table["low"].iloc[0], (table["high"].iloc[number - 1] - table["low"].iloc[0]) / number, number)


def histogram(
    frame: pd.DataFrame, column: str, group: str = "label", *, width: float | None = None, bins: int | None = None
) -> pd.DataFrame:
    """How many values of each group lie in each bin. All groups have the same bins.

    Args:
        column, group: the columns with the values and with the names of the groups.
        width: of a bin. Edges are multiples of it, so that histograms of several files can be compared. By default it is 1, 2 or 5 times a
            power of ten and makes 8 to 21 bins.
        bins: so many from the least value to the greatest, 10,000 at most; the first one holds the least value, too.

    Returns:
        A row per group and bin, with what is above low, up to and with high: label, low, high, count, share (of the group, 0 to 1).

    Raises:
        InputError: a group has no value; or there are too many bins.
        ValueError: both `width` and `bins` are given, or one isn't positive.
    """
    if None not in (width, bins) or (width is not None and width <= 0) or bins not in (None, *range(1, BINS_MOST + 1)):
        raise ValueError(f"expected a width above 0, or 1 to {BINS_MOST} bins, or none of both")
    samples = grouped(frame, column, group)
    empty = [f"{name}: " for name, values in samples.items() if values.size == 0]
    if empty or not samples:
        raise InputError(f"{''.join(empty[:1])}found no number")
    every = np.concatenate(list(samples.values()))
    chosen = choose_bins(float(every.min()), float(every.max()), width, bins)
    edges = {"low": chosen.edges[:-1], "high": chosen.edges[1:]}
    counts = {name: np.bincount(chosen.places(values), minlength=chosen.number) for name, values in samples.items()}
    parts = [pd.DataFrame({"label": name, **edges, "count": of, "share": of / of.sum()}) for name, of in counts.items()]
    return checked(pd.concat(parts, ignore_index=True), histogram_schema(chosen))
