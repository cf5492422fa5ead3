# SPDX-License-Identifier: MIT
"""Quantiles and outliers of groups, and which labels are places on an axis."""
import math

import numpy as np
import pandas as pd
import pytest
from showstopper._errors import InputError
from showstopper.boxes import box, boxes, duration_unit, is_misleading, iteration_boxes, iteration_times, label_place
from showstopper.runs import Log, Run

NAN = math.nan


def test_quantiles_lie_on_straight_lines_and_groups_without_a_value_are_left_out():
    frame = pd.DataFrame({"of": list("caabbb"), "watts": [NAN, 1, 5, NAN, 2, 4]})
    found = boxes(frame, "watts", "of", quantiles=[0.5, 0.999])
    assert list(found) == ["label", "count", "least", "q50", "q99.9", "most", "mean", "outliers"]
    assert found.values.tolist() == [["a", 2, 1, 3, pytest.approx(4.996), 5, 3, 0], ["b", 2, 2, 3, 3.998, 4, 3, 0]]
    with pytest.raises(InputError, match="found no value"):
        boxes(frame[:1], "watts", "of")


@pytest.mark.parametrize(
    "values, low, high, outliers",
    [
        ([3, 10, 11, 12, 12, 12, 13, 14, 20.1], 10, 14, [3, 20.1]),
        ([0, 10, 10, 10, 25], 10, 10, [0, 25]),
        ([1, 1, 1, 9], 1, 3, [9]),  # the third quartile is on the way to an outlier, and the whisker ends there
        ([8, 2.75, 4.25, 8], 2.75, 8, []),  # a value exactly 1.5 lengths away is none
        ([7], 7, 7, []),
    ],
)
def test_whiskers_and_outliers(values, low, high, outliers):
    found = box(np.array(values, float))
    assert (found.low, found.high, found.outliers.tolist()) == (low, high, outliers)


NO_PLACES = [
    "",
    "%",
    "/",
    "a/",
    "a/%",
    "freezer",
    "40 %",
    "40%%",
    "n40",
    "40/a",
    "nan",
    "inf",
    "1e999",
    " 40",
    "40\n",
    "٤",
]
PLACES = {"40%": ("", 40), "-2.5e1": ("", -25), "freezer/12.5": ("freezer", 12.5), "a/b/100%": ("a/b", 100)}


@pytest.mark.parametrize("label, place", [*PLACES.items(), *((label, None) for label in NO_PLACES)])
def test_label_place(label, place):
    assert label_place(label) == place


@pytest.mark.parametrize(
    "label, misleads", [("59", 0), ("57.5", 1), ("a/61.7", 1), ("0.6", 0), ("0.6%", 1), ("1", 1), ("busy", 0)]
)
def test_a_number_far_from_the_load_misleads(label, misleads):
    assert is_misleading(label, 0.596) == misleads and not is_misleading(label, NAN)


@pytest.mark.parametrize("seconds, unit", [(1, "s"), (0.9, "ms"), (1e-3, "ms"), (9e-4, "µs"), (0, "s"), (NAN, "s")])
def test_duration_unit(seconds, unit):
    assert duration_unit(seconds)[0] == unit


# ---- Iterations


def iterations(begin, *durations, **columns):
    ends = begin + np.cumsum(durations)
    return pd.DataFrame({"start_s": ends - durations, "end_s": ends, "is_gap": False, **columns})


def log_of(ends, loads, warmup=0, monotonic=101.0):
    ends = np.array(ends, float)
    frame = pd.DataFrame({"start_s": [ends[0] - 1, *ends[:-1]], "time_s": ends, "load": loads, "is_gap": False})
    return frame.assign(is_warmup=np.arange(len(ends)) < warmup, monotonic_s=ends + monotonic, target=0.5)


def run_of(label, records, *logs):
    named = tuple(Log(f"{place}.csv", frame) for place, frame in enumerate(logs))
    return Run(label, logs=named, iterations=records, iteration_files=int(records is not None))


STAIR = log_of(range(12), [1.0] + [0.5] * 11, 1)
CPULOAD = log_of(range(12), [0.1] * 12).drop(columns="target")
UNEVEN = log_of([0, 0.5, 1.2, 1.7], [1, 0.9, 0.4, 0.6], 1)
LONG = (100, 5, 1, 4, 2)  # from 100 s; control begins at 101
EDGE = (100.25, 0.75, 0.25, 0.95, 0.125)


@pytest.mark.parametrize(
    "logs, records, with_warmup, count, load",
    [
        ([STAIR], LONG, False, 3, 0.5),
        ([STAIR], LONG, True, 4, 6.5 / 12),
        ([CPULOAD, STAIR], LONG, False, 3, 0.5),  # the log with a target tells the load
        ([CPULOAD], LONG, False, 4, 0.1),
        ([UNEVEN], EDGE, False, 3, 0.607547),  # what begins as control does is under control
        ([UNEVEN.drop(columns="monotonic_s")], EDGE, True, 4, 1.03 / 1.7),  # all rows under control
        ([UNEVEN.assign(load=NAN)], EDGE, False, 3, NAN),
    ],
)
def test_control_tells_which_iterations_count_and_the_load(logs, records, with_warmup, count, load):
    found = iteration_boxes([run_of("a", iterations(*records), *logs)], with_warmup=with_warmup).iloc[0]
    assert found["iterations"] == count and found["load"] == pytest.approx(load, nan_ok=True, abs=1e-6)


def test_runs_of_a_label_go_together():
    low = iterations(201, 1, 1, 1), log_of(range(1, 7), [1, 0.55, 0.65, 0.588, 1, 1], monotonic=200)
    high = iterations(200, 1.5, 0.5), log_of(range(1, 3), [0.8, 0.9], monotonic=200)
    runs = [run_of("both", *low), run_of("half", *high), run_of("both", *high), run_of("half", low[0])]
    found = iteration_boxes(runs, quantiles=[0.5])
    assert list(found) == ["label", "iterations", "least_s", "q50_s", "most_s", "mean_s", "outliers", "load"]
    assert found.values.tolist()[0] == ["both", 5, 0.5, 1, 1.5, 1, 2, pytest.approx((1.788 + 1.7) / 5)]
    assert found["label"][1] == "half" and math.isnan(found["load"][1])  # one run has no log


def test_durations_are_whole_nanoseconds_of_those_that_succeeded():
    records = iterations(812345.1 + 1e-9, 0.1, 0.1, 0.1, 0.2).assign(status=[0, 1, NAN, 0], is_gap=[0, 0, 0, 1])
    assert iteration_times([run_of("a", records.astype({"is_gap": bool}))])[0]["duration_s"].tolist() == [0.1, 0.1]


@pytest.mark.parametrize(
    "run, with_warmup, error",
    [
        (run_of("a", iterations(100, 0.5, 0.25), STAIR), False, "a: found no iteration after the warm-up"),
        (run_of("a", iterations(0)), True, "a: found no iteration$"),
        (run_of("a", iterations(0, 1), STAIR.drop(columns="monotonic_s")), False, "0.csv:1: found no column monotonic"),
        (run_of("log", None, STAIR), False, "log: found a log, but no iterations"),
    ],
)
def test_iterations_refused(run, with_warmup, error):
    with pytest.raises(InputError, match=error):
        iteration_boxes([run], with_warmup=with_warmup)
