# SPDX-License-Identifier: MIT
"""Steps of a rate: what is left out, and what too few answers say."""

from pathlib import Path

import pytest
from measure import latencies, rate_steps
from measure.rate_steps import Point
from measure.text import Row, Trouble


def step(place: int, requests: int, answered: int, mean: float | None) -> Row:
    time = "" if mean is None else f"{mean}"
    times = {f"{name}{end}_s": time for name in ("mean", "p95") for end in ("", "_low", "_high")}
    counts = {"requests": f"{requests}", "errors": f"{requests - answered}", "rate_per_s": "50", "answered_per_s": "5"}
    rest = {"planned_per_s": f"{50 * (place + 1)}", "disturbed": "", "power_w": "", "place": f"{place}", "level": "x"}
    return times | counts | rest


def test_a_rate_at_which_nearly_all_is_refused_holds_no_limit(build: Path) -> None:
    steps = [step(0, 100, 100, 0.01), step(1, 200, 3, None)]
    assert rate_steps.few_said(steps) == "" and all(map(rate_steps.is_full, steps))
    points = rate_steps.by_name(steps, "level")["x"]
    assert points[1].success == pytest.approx(1.5) and points[1].mean is None
    assert points[1].cells()["mean (ms)"] == "too few"
    of: list[Point] = list(points.values())
    assert rate_steps.holds("mean=1s", of) == [True, False] and rate_steps.holds("p95=3x", of) == [True, False]
    assert rate_steps.holds("p95=3x", of[::-1])[0] is False
    assert rate_steps.underloaded(["mean=1s"], points) == 1


def test_failures_of_a_repeat_without_times_count(build: Path) -> None:
    point = rate_steps.by_name([step(0, 100, 100, 0.01), step(0, 100, 10, None)], "level")["x"][0]
    assert point.success == pytest.approx(55) and point.mean == pytest.approx(0.01) and point.mean_half is None


def test_steps_of_few_requests_are_left_out() -> None:
    assert "1 of 2 steps" in rate_steps.few_said([step(0, 5, 5, None), step(1, 100, 100, 0.01)])
    with pytest.raises(Trouble, match="in each of 1 steps fewer than 20 requests arrived"):
        rate_steps.few_said([step(0, 5, 5, None)])


def test_two_ends_are_compared_whatever_lies_between(build: Path) -> None:
    values = {"67": (1.0, 1.1, 1.2), "83": (1.1, 1.2, 1.3), "100": (1.25, 1.35, 1.5)}
    rows = [{"level": level, "mean_s": f"{value}"} for level, of in values.items() for value in of]
    alone = [row for row in rows if row["level"] != "83"]
    of = [rate_steps.differ(some, "level", ("67", "100"), "mean_s") for some in (rows, alone)]
    assert of[0] == of[1] and of[0][1]


def test_a_search_is_not_told_by_what_too_few_were_answered_for() -> None:
    def at(target: float, value: float | None) -> latencies.Step:
        return latencies.Step(target, target, 100, 0, value, value, value, value, value, 0.05, False)

    assert latencies.bounds([at(0, 0.02), at(45, None), at(90, 0.08)]) == (0, 90)
