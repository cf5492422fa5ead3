# SPDX-License-Identifier: MIT
"""A straight line and a parabola through points, and which of them fits better."""
from __future__ import annotations

import math

import numpy as np
import pandas as pd

from ._errors import InputError
from ._schema import SCHEMAS
from .statistics import Values, grouped, table_of

__all__ = ["model"]

_DIFFERENT_X = 3
_COEFFICIENTS = ("constant", "x", "x2")


def _middle_and_width(x: Values) -> tuple[float, float]:
    """Far from 0, as times since 1970 are, powers of x itself can't be told apart; those of (x - middle) / width can."""
    return float(x.min() / 2 + x.max() / 2), float(x.max() / 2 - x.min() / 2)


def _polynomial(x: Values, y: Values, degree: int) -> dict[str, float]:
    """What the table says of it, and aicc: Akaike's criterion for few points (Hurvich and Tsai 1989); less is better."""
    from scipy.special import stdtr

    middle, width = _middle_and_width(x)
    height = y - y[0]  # exactly 0 for equal values, which have no residuals
    powers = np.vander((x - middle) / width, degree + 1, increasing=True)
    q, r = np.linalg.qr(powers)  # the normal equations would square the condition number
    inverse = np.linalg.inv(r)
    found = inverse @ (q.T @ height)
    left, squares = float(np.sum((height - powers @ found) ** 2)), float(np.var(height)) * y.size
    left = 0.0 if left < 1e-24 * squares else left  # rounding: the points lie on the curve
    count, df = y.size, y.size - degree - 1
    variance = left / df if df > 0 else math.nan
    covariance = variance * inverse @ inverse.T
    p = 2 * stdtr(df, -abs(found[-1]) / math.sqrt(covariance[-1, -1])) if df > 0 and left > 0 else math.nan
    r2 = 1 - left / squares if squares > 0 else math.nan
    # From coefficients of (x - middle) / width to those of x.
    a, b = 1 / width, -middle / width
    to = np.array([[1, b, b * b], [0, a, 2 * a * b], [0, 0, a * a]])[: degree + 1, : degree + 1]
    errors = np.sqrt(np.diag(to @ covariance @ to.T))
    row = dict(zip(_COEFFICIENTS, to @ found)) | {f"{name}_error": e for name, e in zip(_COEFFICIENTS, errors)}
    row["constant"] += y[0]
    row |= {"count": count, "p": p, "r2": r2, "residual_sd": math.sqrt(variance)}
    row["adjusted_r2"] = 1 - (1 - r2) * (count - 1) / df if df > 0 else math.nan
    parameters, rest = degree + 2, df - 2
    is_told = rest > 0 and left > 0
    row["aicc"] = count * math.log(left / count) + 2 * parameters * (count / rest) if is_told else math.nan
    return row


def model(frame: pd.DataFrame, x: str, y: str, group: str = "label") -> pd.DataFrame:
    """A straight line and a parabola through the points of each group, by least squares, and which of them fits better.

    Args:
        x, y, group: the columns with the points and with the names of the groups. Rows that lack x or y are passed over.

    Returns:
        The columns of the table "model", two rows per group; p is that of the hypothesis that the highest coefficient is 0, weight Akaike's.

    Raises:
        InputError: a group has fewer than 3 different x, or there is no point.
    """
    from scipy.special import expit

    lacks = ~np.isfinite(frame[[x, y]].astype(np.float64).to_numpy()).all(axis=1)
    if lacks.all():
        raise InputError("found no point")
    points = frame.assign(**{column: frame[column].mask(lacks) for column in (x, y)})
    all_y = grouped(points, y, group)
    rows = []
    for name, values in grouped(points, x, group).items():
        middle, width = _middle_and_width(values)
        if not width or np.unique((values - middle) / width).size < _DIFFERENT_X:
            raise InputError(f"{name}: found fewer than {_DIFFERENT_X} different x, expected as many")
        line, parabola = (_polynomial(values, all_y[name], degree) for degree in (1, 2))
        for kind, own, other in (("linear", line, parabola), ("quadratic", parabola, line)):
            rows.append({"label": name, "model": kind, **own, "weight": expit((other["aicc"] - own["aicc"]) / 2)})
    return table_of(rows, SCHEMAS["model"])
