# SPDX-License-Identifier: MIT
"""Whether groups of measurements differ, and how well their means are known.

Each function takes a frame with a row per measurement and the names of the columns with the values and with the groups. Groups keep the order
in which they first appear; values that are NaN or infinite are passed over. What can't be known, as a p-value without any scatter, is NaN.
"""
from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ._errors import InputError
from ._schema import SCHEMAS, Schema, checked

__all__ = ["means", "compare", "mean_interval", "share_interval", "holm"]

Values = NDArray[np.float64]

CONFIDENCE = 0.95
_UPPER = (1 + CONFIDENCE) / 2
_ROUNDING = 1e-13  # What two numbers that should be equal may differ by, relative to their size.
_SHARES_MOST = 10_000
_NEEDED_MOST = 2**53  # What is more is as good as never.
_NORMAL_COUNTS = range(3, 5001)


def _coded(frame: pd.DataFrame, column: str, group: str) -> tuple[list[str], NDArray[np.intp], Values]:
    """Names of the groups, the place among them of each row, and its value, NaN if it isn't finite."""
    codes, names = pd.factorize(frame[group], use_na_sentinel=False)
    values = frame[column].astype(np.float64).to_numpy()
    return ["" if pd.isna(name) else str(name) for name in names], codes, np.where(np.isfinite(values), values, np.nan)


def grouped(frame: pd.DataFrame, column: str, group: str) -> dict[str, Values]:
    """The finite values of each group, which may be none, in the order of the rows."""
    names, codes, values = _coded(frame, column, group)
    codes, values = codes[~np.isnan(values)], values[~np.isnan(values)]
    ends = np.cumsum(np.bincount(codes, minlength=len(names)))
    return dict(zip(names, np.split(values[np.argsort(codes, kind="stable")], ends[:-1])))


def table_of(rows: Sequence[Any], schema: Schema) -> pd.DataFrame:
    """Of tuples, or of dictionaries: what one doesn't have isn't known."""
    return checked(pd.DataFrame(rows, columns=schema.names), schema)


def sample_mean(values: Values) -> float:
    """Taken relative to the first value, so that the mean of equal values is exact and their variance 0."""
    return float(values[0] + np.mean(values - values[0])) if values.size else math.nan


def _variance(values: Values) -> float:
    return float(np.var(values - values[0], ddof=1)) if values.size > 1 else math.nan


def _t(df: Any) -> Any:
    from scipy.special import stdtrit

    return stdtrit(df, _UPPER)


# ---- Intervals


def mean_interval(values: ArrayLike) -> tuple[float, float, float]:
    """Mean of repeated measurements and the ends of its 95 % confidence interval (Student's t).

    NaN values are passed over. Fewer than two values have no interval (NaN), none have no mean.
    """
    known = np.asarray(values, np.float64)
    known = known[~np.isnan(known)]
    mean = sample_mean(known)
    half = _t(known.size - 1) * math.sqrt(_variance(known) / known.size) if known.size > 1 else math.nan
    return mean, mean - half, mean + half


def share_interval(shares: ArrayLike, samples: float) -> tuple[float, float, float]:
    """Mean of the shares (0 to 1) of several runs and the ends of its 95 % confidence interval.

    Args:
        shares: one per run, each the share of its own samples; NaN values are passed over.
        samples: the number of samples of all runs together.

    The interval is Wilson's score interval (1927) with an effective number of samples: the one whose share would scatter as the runs do
    (Korn and Graubard 1998), but no more than there are samples. It lies within 0 and 1 and has a length also if all shares are equal.
    """
    from scipy.special import ndtri

    mean, low, _ = mean_interval(shares)
    if math.isnan(low):
        return mean, math.nan, math.nan
    c = ndtri(_UPPER) ** 2 / samples
    if 0 < mean < 1:
        c = max(c, (mean - low) ** 2 / (mean * (1 - mean)))
    middle = (mean + c / 2) / (1 + c)
    half = math.sqrt(c * mean * (1 - mean) + c * c / 4) / (1 + c)
    return mean, max(middle - half, 0.0), min(middle + half, 1.0)


def holm(p: ArrayLike) -> Values:
    """p-values of several tests, corrected so that chance makes any of them less than α with a probability of at most α (Holm 1979).

    NaN values stay and don't count as tests.
    """
    corrected = np.array(p, np.float64)
    order = np.argsort(corrected, kind="stable")[: np.count_nonzero(~np.isnan(corrected))]
    factors = np.arange(order.size, 0, -1)
    corrected[order] = np.minimum(np.maximum.accumulate(corrected[order] * factors), 1)
    return corrected


# ---- Means


def _basic(codes: NDArray[np.intp], values: Values) -> dict[str, Any]:
    groups = pd.Series(values).groupby(codes)
    first = groups.first().to_numpy()  # see sample_mean()
    apart = pd.Series(values - first[codes]).groupby(codes)
    made = {"count": groups.count(), "median": groups.median(), "least": groups.min(), "most": groups.max()}
    made |= {"sum": groups.sum(min_count=1), "mean": first + apart.mean(), "variance": apart.var()}
    table = {name: column.to_numpy() for name, column in made.items()}
    table["error"] = np.sqrt(table["variance"] / table["count"])
    return {**table, "half": _t(table["count"] - 1) * table["error"]}


def _needed(table: dict[str, Any], half: Values) -> Values:
    """How many values it takes until half of the mean's interval is no longer than this, by the variance of these (Stein 1945)."""
    needed = np.ceil(table["variance"] * (_t(table["count"] - 1) / half) ** 2)
    return np.where((half > 0) & (needed < _NEEDED_MOST), np.fmax(needed, table["count"]), np.nan)


def _place_means(table: dict[str, Any], within: tuple[float, float]) -> dict[str, Values]:
    """Student's t at each bound, one-sided; inside both of them by the worse of the two (Schuirmann 1987)."""
    from scipy.special import stdtr

    mean, error, df = table["mean"], table["error"], table["count"] - 1
    distance = np.array([mean - within[0], within[1] - mean])
    is_known = (error > _ROUNDING * np.abs(mean)) & (error < np.inf)
    t = np.where(is_known, distance / error, np.nan)
    half = np.where(is_known, table["half"], np.nan)
    place = {"low": mean - half, "high": mean + half, "needed": _needed(table, np.abs(distance).min(axis=0))}
    return {**place, "inside": stdtr(df, -t).max(axis=0), "outside": stdtr(df, t).min(axis=0)}


def _share_tails(ones: Any, counts: Any, within: tuple[float, float]) -> tuple[Values, Values]:
    """p-values of a share that lies inside of the bounds and of one that lies outside (exact, binomial)."""
    from scipy.special import bdtr, bdtrc

    inside, outside = np.zeros(counts.shape), np.ones(counts.shape)
    low, high = within
    if low > 0:  # no share lies beyond 0 or 1
        inside, outside = bdtrc(ones - 1, counts, min(low, 1)), bdtr(ones, counts, min(low, 1))
    if high < 1:
        inside = np.maximum(inside, bdtr(ones, counts, max(high, 0)))
        outside = np.minimum(outside, bdtrc(ones - 1, counts, max(high, 0)))
    return inside, outside


@lru_cache
def _needed_shares(ones: float, count: int, is_decided: bool, within: tuple[float, float]) -> float:
    """How many values it takes until this share has a two-sided p below 0.05; NaN: more than 10,000."""
    # Where the values don't decide it takes more of them, although fewer of nearly this share may do.
    counts = np.arange(1 if is_decided else count + 1, _SHARES_MOST + 1)
    tails = _share_tails(np.floor(ones / count * counts + 0.5), counts, within)
    return float(next(iter(counts[np.minimum(*tails) < 1 - _UPPER]), np.nan))


def _place_shares(table: dict[str, Any], within: tuple[float, float]) -> dict[str, Values]:
    """The interval is Clopper's and Pearson's (1934)."""
    from scipy.special import betaincinv

    ones, counts = table["sum"], table["count"]
    inside, outside = _share_tails(ones, counts, within)
    low = np.where(ones == 0, 0, betaincinv(ones, counts - ones + 1, 1 - _UPPER))
    high = np.where(ones == counts, 1, betaincinv(ones + 1, counts - ones, _UPPER))
    decided = np.minimum(inside, outside) < 1 - _UPPER
    needed = [_needed_shares(*group, within) if group[1] else np.nan for group in zip(ones, counts, decided)]
    return {"low": low, "high": high, "inside": inside, "outside": outside, "needed": np.array(needed)}


def means_schema(has_bounds: bool, has_precision: bool) -> Schema:
    """The columns that means() gives with `within`, with `precision` or with none of both."""
    columns = SCHEMAS["means"].columns
    behind = SCHEMAS["means"].names.index("low")
    return Schema("means", columns if has_bounds else columns[:behind] + columns[-1:] * has_precision)


def means(
    frame: pd.DataFrame,
    column: str,
    group: str = "label",
    *,
    within: tuple[float, float] | None = None,
    shares: bool = False,
    precision: float | None = None,
) -> pd.DataFrame:
    """Mean, 95 % confidence interval and range of the values of each group.

    Args:
        column, group: the columns with the values and with the names of the groups.
        within: two bounds, either of them may be infinite: tells whether each mean lies between them.
        shares: values are 0 or 1, and the share of the 1 is what lies between the bounds (exact, binomial).
        precision: tells how many values it takes until half of the interval is no longer than this part of the mean, such as 0.05.

    Returns:
        The columns of the table "means" from label to error, a row per group; with `precision` also needed, with `within` all: place
        is "inside" or "outside", whichever is likelier, and p is two-sided.

    Raises:
        InputError: a value isn't 0 or 1 with `shares`.
        ValueError: these options exclude one another.
    """
    if within is not None and (precision is not None or not within[0] < within[1]):
        raise ValueError("expected within as (low, high) with low < high, and no precision beside it")
    if shares and within is None:
        raise ValueError("found shares without within")
    names, codes, values = _coded(frame, column, group)
    odd = np.flatnonzero(~np.isin(values, (0, 1)) & ~np.isnan(values))
    if shares and odd.size:
        raise InputError(f"{names[codes[odd[0]]]}: found the value {values[odd[0]]:g}, expected 0 or 1 for shares")
    with np.errstate(divide="ignore", invalid="ignore"):
        table: dict[str, Any] = {"label": names, **_basic(codes, values)}
        if within is not None:
            table |= (_place_shares if shares else _place_means)(table, within)
            inside, outside = table["inside"], table["outside"]
            sides = np.where(inside < outside, "inside", "outside").astype(object)
            table["place"] = np.where(np.isnan(inside), np.array(None), sides)
            table["p"] = np.minimum(1, 2 * np.minimum(inside, outside))
            table["p_holm"] = holm(table["p"])
        elif precision is not None:
            table["needed"] = _needed(table, precision * np.abs(table["mean"]))
    return checked(pd.DataFrame(table), means_schema(within is not None, precision is not None))


# ---- Comparison

Test = dict[str, Any]  # The columns of the table "compare" that it knows.


def _student(estimate: float, error: float, df: float) -> Test:
    from scipy.special import stdtr

    if not 0 < error < math.inf:
        return {"estimate": estimate}
    t, half = estimate / error, _t(df) * error
    interval = {"estimate": estimate, "low": estimate - half, "high": estimate + half}
    return {**interval, "statistic": t, "df": df, "p": 2 * stdtr(df, -abs(t))}


def _welch_t(a: Values, b: Values) -> Test:
    of_a, of_b = _variance(a) / a.size, _variance(b) / b.size
    mean, difference, total = sample_mean(a), sample_mean(b) - sample_mean(a), of_a + of_b
    share = of_a / total if total > 0 else math.nan
    df = 1 / (share**2 / (a.size - 1) + (1 - share) ** 2 / (b.size - 1))
    return {**_student(difference, math.sqrt(total), df), "percent": 100 * difference / abs(mean) if mean else math.nan}


def _paired_t(a: Values, b: Values) -> Test:
    error = math.sqrt(_variance(b - a) / a.size)
    # What is no more than the rounding of the values is no scatter.
    is_scatter = error > _ROUNDING * max(np.abs(a).max(), np.abs(b).max())
    return _student(sample_mean(b - a), error if is_scatter else 0.0, a.size - 1)


def _sign(a: Values, b: Values) -> Test:
    """The interval of the median is that of order statistics, from six differences on."""
    from scipy import stats

    differences = np.sort(b - a)
    above, unequal = int((differences > 0).sum()), int((differences != 0).sum())
    out = int(stats.binom.ppf(1 - _UPPER, differences.size, 0.5))
    interval = {"low": differences[out - 1], "high": differences[-out]} if out else {}
    p = stats.binomtest(above, unequal).pvalue if unequal else 1.0
    return {"estimate": np.median(differences), **interval, "statistic": above, "df": unequal, "p": p}


def _shapiro_wilk(values: Values) -> Test:
    from scipy import stats

    spread = np.ptp(values)
    if values.size not in _NORMAL_COUNTS or not 0 < spread < math.inf:
        return {}
    # W doesn't depend on the unit; scipy's older single-precision code does, a little.
    statistic, p = stats.shapiro((values - np.median(values)) / spread)
    return {"statistic": statistic, "p": max(p, 0.0)}


def _of_all(samples: list[Values]) -> Iterator[Test]:
    from scipy import stats

    is_scatter = min(map(_variance, samples)) > 0
    statistic, p = stats.bartlett(*samples) if is_scatter else (math.nan, math.nan)
    known = {"statistic": max(statistic, 0.0), "df": len(samples) - 1, "p": p}
    yield {"test": "Bartlett", **(known if is_scatter else {})}
    if len(samples) > 2 and is_scatter:
        from statsmodels.stats.oneway import anova_oneway

        found = anova_oneway([values - samples[0][0] for values in samples], use_var="unequal", welch_correction=True)
        known = {"statistic": found.statistic, "df": found.df_num, "df_2": found.df_denom, "p": found.pvalue}
    if len(samples) > 2:
        yield {"test": "Welch's ANOVA", **(known if is_scatter else {})}


def _drawn_quantile(values: Values, quantile: float, resamples: int, random: np.random.Generator) -> Values:
    """The quantile of so many samples that are drawn with replacement from sorted values.

    Sorted draws of n places are n sorted uniform numbers, and of these only the two beside the quantile are needed: one of a beta
    distribution, and the least of those above it. So this takes as long for many values as for few.
    """
    below = min(int(quantile * (values.size - 1)), values.size - 1)
    above = values.size - 1 - below
    first = random.beta(below + 1, above + 1, resamples)
    second = 1 - (1 - first) * random.random(resamples) ** (1 / max(above, 1))
    one, next_one = (values[np.minimum((at * values.size).astype(np.intp), values.size - 1)] for at in (first, second))
    return np.asarray(one + (quantile * (values.size - 1) - below) * (next_one - one))


def _check_samples(samples: dict[str, Values], rows: int, paired: bool) -> None:
    if len(samples) < 2:
        raise InputError(f"found {'one group' if samples else 'no value'}, expected two groups or more")
    if paired and sum(values.size for values in samples.values()) != rows:
        raise InputError("found a row without a value, expected one in each row, as they are paired")
    (first, other), *_ = samples.items()
    for name, values in samples.items():
        if values.size < 2:
            raise InputError(f"found {values.size} value{'s' * (values.size != 1)} of {name}, expected two or more")
        if paired and values.size != other.size:
            counts = f"{other.size} values of {first} and {values.size} of {name}"
            raise InputError(f"found {counts}, expected as many, as they are paired")


def _tests(
    samples: dict[str, Values], paired: bool, quantiles: Sequence[float], resamples: int, seed: int
) -> Iterator[Test]:
    pairs = [({"a": a, "b": b}, samples[a], samples[b]) for a, b in combinations(samples, 2)]
    for name, values in samples.items():
        yield {"test": "mean", "a": name, **dict(zip(("estimate", "low", "high"), mean_interval(values)))}
    yield from ({"test": "Welch's t", **names, **_welch_t(a, b)} for names, a, b in pairs)
    for names, a, b in pairs if paired else ():
        yield {"test": "paired t", **names, **_paired_t(a, b)}
        yield {"test": "sign", **names, **_sign(a, b)}
    yield from ({"test": "Shapiro-Wilk", "a": name, **_shapiro_wilk(values)} for name, values in samples.items())
    yield from _of_all(list(samples.values()))
    # The interval is that of the percentile bootstrap (Efron 1979).
    drawn: dict[tuple[str, float], Values] = {}
    for quantile in quantiles:
        random = np.random.default_rng(seed)
        for name, values in samples.items():
            drawn[name, quantile] = _drawn_quantile(np.sort(values), quantile, resamples, random)
    for (names, a, b), quantile in product(pairs, quantiles):
        low, high = np.quantile(drawn[names["b"], quantile] - drawn[names["a"], quantile], [1 - _UPPER, _UPPER])
        estimate = np.quantile(b, quantile) - np.quantile(a, quantile)
        yield {"test": f"quantile {100 * quantile:g} %", **names, "estimate": estimate, "low": low, "high": high}


def compare(
    frame: pd.DataFrame,
    column: str,
    group: str = "label",
    *,
    paired: bool = False,
    quantiles: Sequence[float] = (),
    resamples: int = 9999,
    seed: int = 1,
) -> pd.DataFrame:
    """Whether groups of measurements differ by more than chance would have it.

    Measurements must not depend on one another: give means of runs, not rows of one log.

    Args:
        column, group: the columns with the values and with the names of the groups, of which there must be two or more.
        paired: the first values of all groups belong together, so do the second ones, and so on.
        quantiles: also compare these (0 to 1), with an interval by bootstrap.
        resamples: how often values are drawn for that.
        seed: of these draws; the same one makes the same interval.

    Returns:
        The columns of the table "compare"; p_holm is corrected for all pairs of a test, if there are several. The tests are: "mean" of each
        group; "Welch's t" for each pair; with `paired` "paired t" and "sign" for each pair; "Shapiro-Wilk" for each group (3 to 5000
        values); "Bartlett"; of three groups or more "Welch's ANOVA"; and "quantile 50 %" and the like for each pair.

    Raises:
        InputError: fewer than two groups, or values in one of them; with `paired` groups of different sizes, or a value that is NaN.
    """
    samples = grouped(frame, column, group)
    _check_samples(samples, len(frame), paired)
    rows = list(_tests(samples, paired, quantiles, resamples, seed))
    table = table_of(rows, SCHEMAS["compare"])
    for side in "ab":
        table[f"count_{side}"] = (
            table[side].map({name: values.size for name, values in samples.items()}).astype("Int64")
        )
    for test in ("Welch's t", "paired t", "sign") if len(samples) > 2 else ():
        is_of = table["test"] == test
        table.loc[is_of, "p_holm"] = holm(table.loc[is_of, "p"])
    return table
