# SPDX-License-Identifier: MIT
"""Where bins begin, which bin a value on an edge is in, and which cells a heat map has."""
import numpy as np
import pandas as pd
import pytest
from showstopper._errors import InputError
from showstopper.heatmap import heatmap
from showstopper.histogram import Bins, bins_of, choose_bins, histogram

NAN = np.nan


def frame_of(**groups):
    rows = [(name, float(value)) for name, values in groups.items() for value in values]
    return pd.DataFrame(rows, columns=["label", "v"])


def test_an_edge_belongs_to_the_bin_below():
    bins, tenths = choose_bins(-0.3, 110, width=0.1), np.arange(-3, 1101)
    for values in (tenths / 10, tenths * 0.1):  # tenths are no binary fractions
        assert (bins.places(values) == tenths + 3).all()
    assert (bins.places((tenths[:-1] + 0.5) / 10) == tenths[:-1] + 4).all()


@pytest.mark.parametrize(
    "least, most, options, start, width, number",
    [
        (-0.3, 110, {"width": 0.1}, -0.4, 0.1, 1104),
        (1, 2, {"bins": 3}, 1, 1 / 3, 3),
        (1e12 + 0.25, 1e12 + 2.25, {"width": 1}, 1e12, 1, 3),
        (1, 10_000, {"width": 1}, 0, 1, 10_000),
        (0, 1, {}, -0.05, 0.05, 21),
        (0, 0, {}, -1, 1, 1),
        (40, 40, {}, 38, 2, 1),
        (-3, -1, {}, -3.1, 0.1, 21),
        (1, 7e9, {}, 0, 5e8, 14),
    ],
)
def test_choose_bins(least, most, options, start, width, number):
    assert choose_bins(least, most, **options) == pytest.approx((start, width, number))


@pytest.mark.parametrize(
    "start, width, decimals", [(2.3, 0.1, 1), (0, 0.25, 2), (100, 50, 0), (0.5, 50, 1), (1, 1 / 3, 3)]
)
def test_decimals(start, width, decimals):
    assert Bins(start, width, 1).decimals == decimals


@pytest.mark.parametrize(
    "options, low, counts",
    [({"width": 1}, [0, 1, 2], [1, 0, 3, 2, 1, 0]), ({"bins": 2}, [0.1, 1.55], [1, 3, 3, 0])],  # the least value counts
)
def test_groups_share_bins_and_have_shares_of_their_own(options, low, counts):
    found = histogram(frame_of(b=[3, 2.5, NAN, 0.1, 3], a=[0.5, 1, 1.5]), "v", **options)
    assert found["low"].tolist() == low * 2 and found["count"].tolist() == counts
    assert found.groupby("label")["share"].sum().tolist() == pytest.approx([1, 1]) and bins_of(found).number == len(low)


@pytest.mark.parametrize(
    "groups, options, error, kind",
    [
        ({"a": [0, 10_000]}, {"width": 1}, "more than 10000 bins of 1, expected a greater width", InputError),
        ({"a": [0, 1e300]}, {"width": 1e-300}, "more than 10000 bins", InputError),
        ({"a": [2, 2]}, {"bins": 3}, "found no value but 2, expected a width", InputError),
        ({"a": [1], "b": [NAN]}, {}, "b: found no number$", InputError),
        ({}, {}, "^found no number$", InputError),
        ({"a": [1, 2]}, {"bins": 3, "width": 1}, "none of both", ValueError),
        ({"a": [1, 2]}, {"bins": 5_000_000}, "1 to 10000 bins", ValueError),
        ({"a": [1, 2]}, {"width": 0}, "a width above 0", ValueError),
    ],
)
def test_refused(groups, options, error, kind):
    with pytest.raises(kind, match=error):
        histogram(frame_of(**groups), "v", **options)


# ---- Heat maps


@pytest.mark.parametrize(
    "cell, value, mark",
    [
        ("44.2 p", 44.2, "p"),
        ("0.953 0.901..1.012", 0.953, "0.901..1.012"),
        ("-1e-3", -1e-3, None),
        ("7   a b", 7, "a b"),
        *(("7 ", 7, None), ("", NAN, None), (None, NAN, None), (NAN, NAN, None), (2.5, 2.5, None)),
    ],
)
def test_cells(cell, value, mark):
    found = heatmap(pd.DataFrame({"": ["h2"], "xz": [cell]})).iloc[0]
    assert found.tolist() == ["h2", "xz", pytest.approx(value, nan_ok=True), mark]


def test_rows_come_first():
    found = heatmap(pd.DataFrame({"fore": ["a", "b"], "x": [1, 2], "y": ["3 m", ""]}))
    assert found[["row", "column"]].agg("".join, axis=1).tolist() == ["ax", "ay", "bx", "by"]


@pytest.mark.parametrize(
    "table, error",
    [
        *(
            ({"": ["h2"], "xz": [text]}, f"row h2: xz: found '{text}', expected")
            for text in ("44p", "nan", "1e999", " 1")
        ),
        ({"": ["h2"]}, "found no column behind the names of rows"),
        ({"": [], "xz": []}, "found no whole row"),
        ({n: range(100) for n in range(1002)}, "found 100 rows of 1001 cells, expected at most 100000 cells"),
    ],
)
def test_no_heat_map(table, error):
    with pytest.raises(InputError, match=error):
        heatmap(pd.DataFrame(table))
