# SPDX-License-Identifier: MIT
"""Which rows are samples, which of them are calm, and what repeats have in common."""
import math

import numpy as np
import pandas as pd
import pytest
from showstopper import InputError, accuracy, repeats
from test_logs import log_of

NAN = math.nan
HEADER = "time_s,load,target,others"


def log(rows, start=0, dt=1):
    """Rows of load, target and others; what is left out is None."""
    full = [(*row, *[None] * (3 - len(row))) for row in rows]
    return log_of([(start + dt * (i + 1), *row) for i, row in enumerate(full)], HEADER)


def figures(frame, **options):
    return accuracy(frame, **options).iloc[0]


@pytest.mark.parametrize(
    "rows, samples",
    [
        ([(0.5, 0.4)] * 5, 5),
        ([(0.5, 0.4)] * 2 + [(None, 0.4)] + [(0.5, 0.4)] * 2, 4),
        ([(0.5, 0.4)] * 3 + [(0.5, None)] + [(0.5, 0.4)] * 3, 4),
        ([(0.5, None)] * 2 + [(0.5, 0.4)] * 3, 2),
    ],
)
def test_which_rows_are_samples(rows, samples):
    assert figures(log(rows))["samples"] == samples


def test_what_is_half_as_long_or_less_is_no_sample():
    frame = log_of([(1, 0.5, 0.5), (2, 0.5, 0.5), (2.4, 0.9, 0.5), (3.4, 0.5, 0.5)], "time_s,load,target")
    assert figures(frame)["samples"] == 3 and figures(frame)["mean_error_pp"] == 0


@pytest.mark.parametrize(
    "options, samples",
    [
        ({}, 10),
        ({"settle_s": 2}, 8),
        ({"settle_s": 2.6}, 7),
        ({"skip_edges_s": 2}, 8),
        ({"settle_s": 1, "skip_edges_s": 1}, 8),
        ({"window_s": 2}, 5),
        ({"window_s": 3}, 3),
        ({"window_s": 2, "settle_s": 1}, 4),
        ({"window_s": 3, "settle_s": 2}, 2),
    ],
)
def test_options_leave_samples_out(options, samples):
    frame = log([(0.2, 0.2)] * 5 + [(0.6, 0.6)] * 5)
    assert figures(frame, **options)["samples"] == samples


def test_it_settles_again_behind_a_free_stretch():
    frame = log([(0.2, 0.2)] * 4 + [(0.9, None)] * 3 + [(0.2, 0.2)] * 6)
    assert figures(frame)["samples"] == 8
    assert figures(frame, settle_s=2)["samples"] == 1 + 4


def test_rows_of_a_window_are_weighted_by_their_lengths():
    frame = log_of([(1, 0.5, 0.5), (1.5, 0.8, 0.5), (2, 0.8, 0.5), (3, 0.5, 0.5), (4, 0.5, 0.5)], "time_s,load,target")
    assert figures(frame, window_s=2)["mse_pp2"] == pytest.approx(15**2 / 2)


@pytest.mark.parametrize("load, near", [(0.55, 1), (0.550001, 0), (0.45, 1), (0.449999, 0)])
def test_near_is_within_5_points(load, near):
    assert figures(log([(load, 0.5)] * 3))["near"] == near


def test_figures():
    found = figures(log([(0.6, 0.5), (0.5, 0.5), (0.3, 0.4), (0.5, 0.6)]))
    expected = {"time_s": 4, "target": 0.5, "load": 0.475, "mean_error_pp": -2.5, "mse_pp2": 75, "near": 0.25}
    assert {name: found[name] for name in expected} == pytest.approx(expected)


@pytest.mark.parametrize(
    "others, options, bursts",
    [
        ([0.01] * 6, {}, 0),
        ([0.01, 0.04, 0.01, 0.01], {}, 2),
        ([0.01, 0.03, 0.01, 0.01], {}, 0),
        ([0.01, None, 0.01, 0.01], {}, 1),
        ([None] * 6, {}, NAN),
        ([0, 0, 0.1, 0, 0, 0], {"burst": 0.2}, 0),
        ([0, 0, 0.1, 0, 0, 0], {"burst": 0.05, "calm_s": 0}, 1),
        ([0, 0, 0.1, 0, 0, 0], {"burst": 0.05, "calm_s": 2}, 3),
        ([0, 0, 0.1, 0, 0, 0], {"window_s": 2, "calm_s": 0}, 1),
    ],
)
def test_bursts(others, options, bursts):
    found = figures(log([(0.5, 0.4, value) for value in others]), **options)["bursts"]
    assert pd.isna(found) if math.isnan(bursts) else found == bursts


@pytest.mark.parametrize(
    "rows, start", [([(None, 0.4, 0.0)] + [(0.5, 0.4, 0.0)] * 3, 0), ([(0.5, 0.4, 0.9)] + [(0.5, 0.4, 0.0)] * 3, -1)]
)
def test_a_burst_of_the_warmup_goes_on_and_what_has_no_load_may_have_had_one(rows, start):
    assert figures(log(rows, start))["bursts"] == 1


def test_levels():
    frame = log([(0.2, 0.2)] * 4 + [(0.6, 0.5)] * 4 + [(0.3, 0.7)] * 2 + [(0.3, 0.200001)] * 3)
    rows = accuracy(frame, per_target=True)
    assert rows["level"].tolist() == pytest.approx([NAN, 0.2, 0.5], nan_ok=True)
    assert rows["samples"].tolist() == [13, 7, 4]
    assert rows["mean_error_pp"][2] == pytest.approx(10)


@pytest.mark.parametrize(
    "rows, options, message",
    [
        (log([(0.5, None)] * 3), {}, "log: found no sample with a load and a target that is not left out"),
        (
            log([(0.5, 0.4)] * 3),
            {"window_s": 0.5},
            "log: found rows of 1.000 s, expected --window to be at least as long",
        ),
        (log_of([(1, 0.5)]), {}, "log:1: found no column target, expected a control log (showstopper -o)"),
    ],
)
def test_logs_without_an_accuracy(rows, options, message):
    with pytest.raises(InputError) as error:
        accuracy(rows, **options)
    assert str(error.value) == message


# ---- Repeats


def runs(*errors, label="a", bursts=0, near=0.85, samples=100):
    frame = pd.DataFrame({"mean_error_pp": errors, "mse_pp2": 1.0, "near": near, "samples": samples, "bursts": bursts})
    calm = {f"calm_{name}": frame[name] for name in ("mean_error_pp", "mse_pp2", "near")}
    return frame.assign(label=label, **calm)


def figure(frame, name):
    return frame.set_index("figure").loc[name]


def test_means_of_repeats_by_label():
    found = repeats(pd.concat([runs(1, 3), runs(7, label="b"), runs(5)]))
    assert found["label"].tolist() == ["a"] * 5 + ["b"] * 5
    first = found.iloc[0]
    assert (first["runs"], first["samples"], first["mean"]) == (3, 300, 3)
    half = 4.302652729911275 * 2 / math.sqrt(3)
    assert (first["low"], first["high"]) == pytest.approx((3 - half, 3 + half))
    assert found.iloc[5][["low", "high"]].isna().all()


@pytest.mark.parametrize("near, of_80, of_90", [([0.8, 0.79], 50, 0), ([0.9, 0.95], 100, 100), ([0.9, 0.8], 100, 50)])
def test_shares_of_runs_have_no_interval(near, of_80, of_90):
    found = repeats(runs(1, 2, near=near))
    for name, share in (("runs_near_80_percent", of_80), ("runs_near_90_percent", of_90)):
        assert figure(found, name)["mean"] == share and math.isnan(figure(found, name)["low"])


def test_calm_figures_of_runs_of_which_nothing_is_known():
    found = repeats(runs(1, 2, bursts=[3, NAN])).iloc[0]
    assert found[["bursts", "calm_runs", "calm_mean", "calm_low"]].isna().all()
    frame = runs(1, 3, bursts=[0, 100])
    frame.loc[1, [name for name in frame if name.startswith("calm")]] = np.nan
    assert repeats(frame).loc[0, ["calm_runs", "calm_mean"]].tolist() == [1, 1]
    found = repeats(runs(1, 2, bursts=[3, 4])).iloc[0]
    assert (found["bursts"], found["calm_runs"], found["calm_mean"]) == (7, 2, 1.5)
