# SPDX-License-Identifier: MIT
"""Steps of a rate: what is left out, and what too few answers say."""

import math
from pathlib import Path

import pandas as pd
import pytest
from measure import latencies, rate_steps
from measure.text import Trouble


def steps(*of: tuple[int, int, int, float]) -> pd.DataFrame:
    """Of each step its number, its requests, how many of these were answered, and their mean time."""
    rows = pd.DataFrame(of, columns=["step", "requests", "answered", "mean_s"])
    times = {f"{name}{end}_s": rows["mean_s"] for name in ("mean", "p95") for end in ("", "_low", "_high")}
    rates = {"planned_per_s": 50 * (rows["step"] + 1), "rate_per_s": 50, "answered_per_s": 5, "power_w": math.nan}
    return rows.assign(errors=rows["requests"] - rows["answered"], disturbed=False, level="x", **times, **rates)


def test_a_rate_at_which_nearly_all_is_refused_holds_no_limit(build: Path) -> None:
    runs = steps((0, 100, 100, 0.01), (1, 200, 3, math.nan))
    assert rate_steps.few_said(runs) == "" and rate_steps.is_full(runs).all()
    points = rate_steps.points_of(runs, "level")["x"]
    assert points["success"].iloc[1] == pytest.approx(1.5)
    assert [cells["mean (ms)"] for cells in rate_steps.cells_of(points)] == ["10 ± 0", "too few"]
    assert list(rate_steps.holds("mean=1s", points)) == list(rate_steps.holds("p95=3x", points)) == [True, False]
    assert not rate_steps.holds("p95=3x", points[::-1]).iloc[0]
    assert rate_steps.underloaded(["mean=1s"], points) == 1
    assert rate_steps.kept(["mean=1s", "p95=1ms"], points) == (
        "mean is within 1s up to 50 requests per second; p95 is within 1ms at no rate"
    )


def test_failures_of_a_repeat_without_times_count(build: Path) -> None:
    points = rate_steps.points_of(steps((0, 100, 100, 0.01), (0, 100, 10, math.nan)), "level")["x"]
    assert points["success"].item() == pytest.approx(55) and points["mean_s"].item() == pytest.approx(0.01)
    assert math.isnan(points["mean_s_half"].item())


def test_steps_of_few_requests_are_left_out() -> None:
    assert "1 of 2 steps" in rate_steps.few_said(steps((0, 5, 5, math.nan), (1, 100, 100, 0.01)))
    with pytest.raises(Trouble, match="in each of 1 steps fewer than 20 requests arrived"):
        rate_steps.few_said(steps((0, 5, 5, math.nan)))


def test_two_ends_are_compared_whatever_lies_between(build: Path) -> None:
    values = {"67": (1.0, 1.1, 1.2), "83": (1.1, 1.2, 1.3), "100": (1.25, 1.35, 1.5)}
    rows = pd.DataFrame([(level, value) for level, of in values.items() for value in of], columns=["level", "mean_s"])
    alone = rows[rows["level"] != "83"]
    of = [rate_steps.differ(some, "level", ("67", "100"), "mean_s") for some in (rows, alone)]
    assert of[0] == of[1] and of[0][1]


def test_a_search_is_not_told_by_what_too_few_were_answered_for() -> None:
    columns = ["target", "requests", "errors", "value", "limit"]
    steps = [(0, 100, 0, 0.02, 0.05), (45, 100, 0, math.nan, 0.05), (90, 100, 0, 0.08, 0.05)]
    assert latencies.bounds(pd.DataFrame(steps, columns=columns)) == (0, 90)
