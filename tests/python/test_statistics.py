# SPDX-License-Identifier: MIT
"""Which values count, which tests are asked, and what is said where nothing can be known."""
import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from showstopper._errors import InputError
from showstopper.models import model
from showstopper.statistics import _drawn_quantile, compare, holm, mean_interval, means, share_interval

NAN, INF = math.nan, math.inf
A = [100.17, 106.8, 106.12, 97.45, 98.51, 97.36, 102.85, 99.72, 103.73, 90.76, 107.83, 99.52]
B = [112.12, 104.77, 102.59, 110.17, 113.42, 104.18, 104.62, 112.17, 98.17, 92.37, 109.55, 99.96]
C = [97.31, 108.81, 96.87, 100.56, 121.64, 90.3, 93.95, 98.7, 92.64, 114.52, 93.89, 92.85, 99.91, 91.85]
Z2, T2 = stats.norm.ppf(0.975) ** 2, stats.t.ppf(0.975, 2) ** 2


def frame_of(**groups):
    rows = [(name, float(value)) for name, values in groups.items() for value in values]
    return pd.DataFrame(rows, columns=["label", "value"])


def row_of(groups, test, **options):
    table = compare(frame_of(**groups), "value", **options)
    return table[table["test"] == test].iloc[0]


def near(*values, **options):
    return pytest.approx(list(values), nan_ok=True, **options)


# ---- Intervals


@pytest.mark.parametrize(
    "values, mean, half",
    [
        ([-1, NAN, 0, 1], 0, 0.95 * math.sqrt(2 / (1 - 0.95**2)) / math.sqrt(3)),
        ([NAN, 7], 7, NAN),
        ([NAN], NAN, NAN),
        ([0.1] * 3, 0.1, 0),
    ],
)
def test_mean_interval(values, mean, half):
    assert [*mean_interval(values)] == near(mean, mean - half, mean + half, rel=1e-9)


@pytest.mark.parametrize(
    "shares, samples, mean, c",
    [
        ([0.75, NAN, 5 / 6, 1], 36, 31 / 36, T2 * 7 / 432 / (3 * 31 / 36 * 5 / 36)),  # as the runs scatter
        ([0.5, 0.5001, 0.5002], 100, 0.5001, Z2 / 100),  # no less than independent samples would
        ([0, 0, 0], 240, 0, Z2 / 240),
    ],
)
def test_share_interval_ends_where_the_score_test_accepts(shares, samples, mean, c):
    assert [*share_interval([NAN, 0.5], 100)] == near(0.5, NAN, NAN)
    found, *ends = share_interval(shares, samples)
    assert found == pytest.approx(mean) and 0 <= ends[0] <= found < ends[1] <= 1
    for end in ends:
        assert (mean - end) ** 2 == pytest.approx(c * end * (1 - end))


def test_holm():
    assert holm([0.04, NAN, 0.01, 0.03, 0.5]).tolist() == near(0.09, NAN, 0.04, 0.09, 0.5)  # 2 · 0.04 is less than 0.09
    assert holm([0.6, 0.7]).tolist() == [1, 1]


# ---- Means


def test_means_keep_groups_in_order_and_without_values():
    frame = pd.DataFrame({"label": ["b", "a", "b", None, "a"], "value": [1.0, NAN, 2.0, 5.0, INF]})
    found = means(frame, "value").set_index("label")
    assert found["count"].to_dict() == {"b": 2, "a": 0, "": 1} and found.loc["a", "mean":].isna().all()
    assert found.loc["b", ["mean", "median", "least", "most", "sum", "error"]].tolist() == [1.5, 1.5, 1, 2, 3, 0.5]


FEW, ONES = [1.1, 1.2, 2, 2.5], [1, 1, 1, 0]


@pytest.mark.parametrize(
    "values, within, shares, place, p, needed",
    [
        (FEW, (0, INF), False, "inside", 0.014678157280867722, 4),
        (FEW, (-INF, 0), False, "outside", 0.014678157280867722, 4),
        (FEW, (0, 2.4), False, "inside", 2 * 0.06359864586122421, 10),  # the worse of the two bounds
        ([1], (0, 2), False, None, NAN, NAN),
        ([0.1] * 3, (0, 2), False, None, NAN, 3),
        (ONES, (0.8, INF), True, "outside", 1, 267),
        ([1], (0.8, INF), True, "inside", 1, 17),  # 0.8^17 = 0.0225
        ([0] * 200, (0, 0.05), True, "inside", 2 * 3.50526662488287e-05, 72),  # no share is less than 0
        (ONES, (-1, 1), True, "inside", 0, 1),
        ([1, 1] + [0] * 28, (-INF, 0.01), True, "outside", 0.07229599662, 38),  # 2 of 23 would do, but 2 of 30 don't
        ([NAN], (0, 0.5), True, None, NAN, NAN),
    ],
)
def test_means_within(values, within, shares, place, p, needed):
    found = means(frame_of(a=values), "value", within=within, shares=shares).fillna({"needed": -1}).iloc[0]
    assert found["place"] == place and [found["p"], found["p_holm"]] == near(p, p, rel=1e-5)
    assert found["needed"] == (-1 if math.isnan(needed) else needed)


def test_shares_have_the_exact_interval():
    """scipy's binomtest."""
    found = means(frame_of(a=ONES, b=[0]), "value", within=(0.8, INF), shares=True)
    assert found[["low", "high"]].values.ravel().tolist() == near(0.19412044968324, 0.99369053679029, 0, 0.975)


@pytest.mark.parametrize("precision, needed", [(0.1, 157), (10, 4), (1e-20, None)])
def test_precision_needs_values(precision, needed):
    found = means(frame_of(a=FEW), "value", precision=precision)
    assert found["needed"].astype(object).where(found["needed"].notna(), None).tolist() == [needed]


@pytest.mark.parametrize(
    "options, error",
    [
        ({"within": (0, INF), "shares": True}, "a: found the value 1.1, expected 0 or 1"),
        ({"shares": True}, "without within"),
        ({"within": (2, 1)}, "low < high"),
        ({"within": (0, 1), "precision": 0.1}, "no precision"),
    ],
)
def test_means_refuse(options, error):
    with pytest.raises(ValueError, match=error):
        means(frame_of(a=[1, 1.1]), "value", **options)


# ---- Comparison


def test_compare_asks_in_order():
    found = compare(frame_of(a=A, b=B, c=np.add(B, 1)), "value", paired=True, quantiles=[0.5, 0.999])
    tests = ["mean"] * 3 + ["Welch's t"] * 3 + ["paired t", "sign"] * 3 + ["Shapiro-Wilk"] * 3 + ["Bartlett"]
    assert list(found["test"]) == [*tests, "Welch's ANOVA", *["quantile 50 %", "quantile 99.9 %"] * 3]
    pairs = found[found["test"] == "Welch's t"]
    assert pairs[["a", "b"]].values.tolist() == [["a", "b"], ["a", "c"], ["b", "c"]]
    assert pairs["p_holm"].tolist() == near(*holm(pairs["p"]))


def test_references():
    """scipy 1.17.1; the estimate is that of b less a, and one pair needs no correction."""
    found = compare(frame_of(a=A, b=B), "value", paired=True).set_index("test")
    rows = found.loc[["Welch's t", "paired t", "sign"], ["estimate", "statistic", "df", "p", "low", "high"]]
    expected = [4.4391666666, 1.9060761978, 20.4283202064, 0.0708084328, -0.4124276932, 9.2907610266]
    expected += [4.4391666666, 2.1780639337, 11, 0.0520405390, -0.0467163257, 8.9250496590]
    assert rows.values.ravel().tolist() == near(*expected, 1.745, 9, 12, 0.14599609375, -2.03, 12.45)
    assert found["p_holm"].isna().all() and found["percent"]["Welch's t"] == pytest.approx(443.91666666 / np.mean(A))


@pytest.mark.parametrize(
    "differences, expected",  # estimate, how many are above 0, of how many that aren't 0, p, low, high
    [
        ([-0.5, 0, 1, 2, 3, 4], [1.5, 4, 5, 0.375, -0.5, 4]),
        ([-0.5, 0, 1, 2, 3], [1, 3, 4, 0.625, NAN, NAN]),
        ([0, 0], [0, 0, 0, 1, NAN, NAN]),
    ],
)
def test_sign(differences, expected):
    row = row_of({"a": [7] * len(differences), "b": np.add(7, differences)}, "sign", paired=True)
    assert row[["estimate", "statistic", "df", "p", "low", "high"]].tolist() == near(*expected)


@pytest.mark.parametrize(
    "groups, test, estimate",
    [
        ({"a": [0.1] * 3, "b": [0.7] * 3}, "Welch's t", 0.6),
        ({"a": [5, 5, 5], "b": A}, "Bartlett", NAN),
        ({"a": [5, 5, 5], "b": A, "c": B}, "Welch's ANOVA", NAN),
        ({"a": [1.1, 2.1, 3.1], "b": [1.2, 2.2, 3.2]}, "paired t", 0.1),  # nothing but rounding
        ({"a": [1, 2], "b": A}, "Shapiro-Wilk", NAN),
        ({"a": range(5001), "b": A}, "Shapiro-Wilk", NAN),
    ],
)
def test_without_scatter_nothing_is_known_but_the_estimate(groups, test, estimate):
    row = row_of(groups, test, paired=test == "paired t")
    assert row[["estimate", "low", "statistic", "df", "p"]].tolist() == near(estimate, NAN, NAN, NAN, NAN)


def test_anova_far_from_zero():
    """The former C was off by 3e-4 of F at 1e12; these are exact multiples of 1/4, so that F stays the same."""
    at = [np.round(4 * np.array(values)) / 4 for values in (A, B, C)]
    rows = [row_of({n: v + x for n, v in zip("abc", at)}, "Welch's ANOVA") for x in (0, 1e12)]
    assert rows[0]["statistic"] == pytest.approx(rows[1]["statistic"], rel=1e-12) and rows[0]["df"] == 2


def test_normality_does_not_depend_on_the_unit():
    assert row_of({"a": [1e-90, 2e-90, 4e-90], "b": A}, "Shapiro-Wilk")["p"] == pytest.approx(0.63689, abs=1e-4)


@pytest.mark.parametrize("quantile", [0, 0.03, 0.5, 0.97, 1])
@pytest.mark.parametrize("count", [1, 2, 12])
def test_drawn_quantiles_are_those_of_drawn_samples(quantile, count):
    found = _drawn_quantile(np.sort(B[:count]), quantile, 4000, np.random.default_rng(1))
    drawn = np.random.default_rng(2).choice(B[:count], (4000, count))
    assert stats.ks_2samp(found, np.quantile(drawn, quantile, axis=1), method="asymp").pvalue > 0.001


def test_quantile_interval():
    """scipy's bootstrap((a, b), method='percentile', n_resamples=200000)"""
    row = row_of({"a": A, "b": B}, "quantile 75 %", quantiles=[0.75], resamples=200_000)
    assert row[["estimate", "low", "high"]].tolist() == near(6.33, -1.35, 11.95)


@pytest.mark.parametrize(
    "groups, paired, error",
    [
        ({"a": A}, False, "found one group"),
        ({}, False, "found no value"),
        ({"a": A, "b": [1, NAN]}, False, "found 1 value of b"),
        ({"a": A, "b": [1, 2]}, True, "found 12 values of a and 2 of b"),
        ({"a": [1, 2, NAN], "b": [1, NAN, 2]}, True, "row without a value"),
    ],
)
def test_compare_refuses(groups, paired, error):
    with pytest.raises(InputError, match=error):
        compare(frame_of(**groups), "value", paired=paired)


# ---- Models


def points(x, y, label="p"):
    return pd.DataFrame({"label": label, "x": np.array(x, float), "y": np.array(y, float)})


def test_models_against_polyfit():
    x, y = np.arange(7.0), np.array([1, 0, 2, 1, 3, 2, 2.0])
    found = model(points(x, y), "x", "y")
    aicc = []
    for (_, row), degree in zip(found.iterrows(), (1, 2)):
        coefficients, covariance = np.polyfit(x, y, degree, cov=True)
        names = ["constant", "x", "x2"][degree::-1]
        assert row[names].tolist() == near(*coefficients)
        assert row[[f"{name}_error" for name in names]].tolist() == near(*np.sqrt(np.diag(covariance)))
        left, k = np.sum((y - np.polyval(coefficients, x)) ** 2), degree + 2
        aicc.append(7 * math.log(left / 7) + 2 * k + 2 * k * (k + 1) / (7 - k - 1))
        assert row["adjusted_r2"] == pytest.approx(1 - left / (6 - degree) / np.var(y, ddof=1))
        p = 2 * stats.t.sf(abs(coefficients[0]) / math.sqrt(covariance[0, 0]), 6 - degree)
        assert row[["p", "residual_sd"]].tolist() == near(p, math.sqrt(left / (6 - degree)))
    assert found["weight"][0] == pytest.approx(1 / (1 + math.exp((aicc[0] - aicc[1]) / 2)))
    assert model(points(x[:4], y[:4]), "x", "y")["weight"].isna().all()  # too few for the criterion


def test_far_from_zero():
    """R² of the former C at 1e12 was 0.0014 for 0.00015 (scipy's linregress near 0)."""
    x = np.arange(21)
    y = 0.25 * (x % 3) * (-1) ** x
    low, high, late = (model(points(*p), "x", "y") for p in ((x, y), (x, y + 1e12), (x + 1.7e9, y)))
    for name in ("r2", "x2", "p", "weight"):
        assert high[name].tolist() == near(*low[name], rel=1e-9) and late[name].tolist() == near(*low[name], rel=1e-5)


@pytest.mark.parametrize("slope, r2", [(0.01, 1), (0, NAN)])
def test_of_points_on_the_curve_nothing_is_uncertain(slope, r2):
    """The former C gave p and weights of its rounding: a line, 0.99976, through equal values."""
    found = model(points(range(21), 0.1 + slope * np.arange(21)), "x", "y")
    assert found[["x", "r2"]].values.ravel().tolist() == near(slope, r2, slope, r2, abs=1e-12)
    assert (found[["residual_sd", "x_error"]] == 0).all().all() and found[["p", "weight"]].isna().all().all()


def test_groups_and_lacking_values():
    frame = pd.concat([points([1, 2, NAN, 3, 4], [1, 2, 9, NAN, 5], "b"), points(range(3), range(3), "a")])
    assert model(frame, "x", "y")[["label", "count"]].values.tolist() == [["b", 3], ["b", 3], ["a", 3], ["a", 3]]


@pytest.mark.parametrize("x, error", [([1, 1, 2, 2], "p: found fewer than 3 different x"), ([NAN] * 4, "no point")])
def test_model_refuses(x, error):
    with pytest.raises(InputError, match=error):
        model(points(x, range(4)), "x", "y")
