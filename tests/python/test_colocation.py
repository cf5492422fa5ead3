# SPDX-License-Identifier: MIT
"""Workloads that share a machine: what counts as a staircase, when there is a verdict, and which steps are compared."""

import numpy as np
import pandas as pd
import pytest
from showstopper import InputError, InputWarning, Log, Run
from showstopper.colocation import colocated, efficiency, interference, matrix, overall, ratio

DOWN_UP = [0.95, 0.65, 0.35, 0.05, 0.05, 0.35, 0.65, 0.95]
NAN = np.nan


def steps_of(throughput, targets=DOWN_UP, run=0, label="a", load=None, missed=(), **columns):
    """Steps of 4 s in which iterations are those of `throughput`, a function of the load or their numbers per second."""
    load = np.array(targets if load is None else load, float)
    rate = np.array(throughput(load) if callable(throughput) else throughput, float)
    step = np.arange(1, len(load) + 1)
    frame = {"run": run, "label": label, "file": f"{label}.csv", "step": step, "start_s": 6.0 * step, "target": targets}
    frame |= {"end_s": 6.0 * step + 4, "load": load, "iterations": 4 * rate, "throughput": rate, "missing": 0.0}
    frame |= {"power_w": NAN, "others": 0.0, "missed": np.where(np.isin(step, list(missed)), "others", None)}
    return pd.DataFrame({**frame, **columns})


def both(*runs):
    return pd.concat([run.assign(run=number) for number, run in enumerate(runs)], ignore_index=True)


def line(load):
    return 10 - 4 * load


# ---- Steps of runs


def control(lengths, targets, **columns):
    """Rows of half a second; each target for so many of them."""
    target = np.repeat(targets, lengths)
    end = 0.5 * np.arange(1, len(target) + 1)
    frame = {"start_s": end - 0.5, "time_s": end, "load": target, "monotonic_s": end + 100, "target": target}
    return Log("log.csv", pd.DataFrame({**frame, "is_gap": False, "is_warmup": False, **columns}))


ITERATIONS = pd.DataFrame({"start_s": np.arange(90.0, 200), "end_s": np.arange(91.0, 201), "is_gap": False})
LOG = control([6, 6], [0.9, 0.5])


def run_of(*logs, iterations=ITERATIONS):
    return Run("a", True, logs, iterations, 1)


@pytest.mark.parametrize("lengths, steps", [([6, 6, 12, 6, 6], 6), ([6, 6, 6, 6, 6], 5), ([6, 6, 12, 6], 4)])
def test_a_turning_step_that_lasts_twice_as_long_is_two(lengths, steps):
    found = colocated([run_of(control(lengths, [0.9, 0.5, 0.1, 0.5, 0.9][: len(lengths)]))], edge=0)
    assert found["step"].tolist() == list(range(1, steps + 1))
    assert steps != 6 or found["start_s"].tolist() == [0, 3, 6, 9, 12, 15]


def test_each_control_log_is_a_run_and_others_have_the_power():
    power = LOG.frame.drop(columns="target").assign(power_w=40.0)
    found = colocated([run_of(Log("cpuload.csv", power), LOG, LOG)])
    assert found["run"].tolist() == [0, 0, 1, 1] and set(found["file"]) == {"log.csv"} and set(found["power_w"]) == {40}


NO_TARGET = Log("load.csv", LOG.frame.drop(columns="target"))
NO_LOAD = control([6, 6], [0.9, 0.5], load=[0.9] * 6 + [NAN] * 6)


@pytest.mark.parametrize(
    "run, message",
    [
        (run_of(LOG, iterations=None), "a: found a log, but no iterations"),
        (run_of(), "a: found iterations, expected a control log"),
        (run_of(NO_TARGET), "load.csv:1: found no column target, expected a control log"),
        (run_of(NO_LOAD), "log.csv: found no load in step 2"),
    ],
)
def test_what_has_no_steps_is_refused(run, message):
    with pytest.raises(InputError, match=message):
        colocated([run])


# ---- Interference


@pytest.mark.parametrize(
    "rates, first, second, symmetric, significant",
    [
        (line, 40, 40, "yes", "yes"),
        (lambda load: 10 + 2 * load, -20, -20, "yes", "yes"),
        # atan(0.4) and atan(0.46) are 2.9 degrees apart, atan(0.47) 3.4.
        (lambda load: 10 - np.array([4.0] * 4 + [4.6] * 4) * load, 40, 46, "yes", "yes"),
        (lambda load: 10 - np.array([4.0] * 4 + [4.7] * 4) * load, 40, 47, "no", "yes"),
        (lambda load: line(load) + np.array([1, -1, -1, 1, 0, 0, 0, 0]), 40, 40, "yes", "no"),  # p of the worst line
        ([5] * 8, 0, 0, "yes", "no"),  # the same all the time has no p
    ],
)
def test_interference_is_of_both_halves(rates, first, second, symmetric, significant):
    found = interference(steps_of(rates, others=[0.2, 0] * 4)).iloc[0]
    figures = found[["interference_1", "interference_2", "interference", "others"]].tolist()
    assert figures == pytest.approx([first, second, (first + second) / 2, 0.1])
    assert found[["symmetric", "significant"]].tolist() == [symmetric, significant]


def test_the_step_at_the_turn_may_be_of_both_halves():
    found = interference(steps_of(lambda load: 10 - 4 * load - (load == 0.1), [0.9, 0.5, 0.1, 0.5, 0.9])).iloc[0]
    assert found["steps"] == 5 and found["interference_1"] == pytest.approx(found["interference_2"]) != 40


@pytest.mark.parametrize(
    "targets", [[0.9, 0.5, 0.5, 0.9], [0.9, 0.6, 0.3, 0.1], [0.9, 0.5, 0.1, 0.1, 0.6, 0.9], [0.5] * 6]
)
def test_what_is_no_staircase_is_refused(targets):
    with pytest.raises(InputError, match=f"a.csv: found {len(targets)} steps, expected a staircase that goes back"):
        interference(steps_of(line, targets))


@pytest.mark.parametrize(
    "rates, columns",
    [([5] * 8, {"load": [1] * 8}), ([NAN] + [5] * 7, {}), ([0] * 8, {}), (line, {"missed": [2, 3]})],
)
def test_without_a_line_there_is_no_verdict(rates, columns):
    with pytest.warns(InputWarning, match="a.csv: interference is unavailable: fewer than 3 steps of a half count"):
        found = interference(steps_of(rates, **columns)).iloc[0]
    assert np.isnan(found["interference"]) and found["symmetric"] is found["significant"] is None


LEFT_OUT = r"^a.csv: left out 1 of 8 steps, whose loads missed their targets by more than 2 pp \(others: 1\)$"


def test_steps_that_missed_their_targets_do_not_count():
    disturbed = steps_of(lambda load: line(load) - np.array([0, 5, 0, 0, 0, 0, 0, 0]), missed=[2])
    with pytest.warns(InputWarning, match=LEFT_OUT):
        found = interference(disturbed).iloc[0]
    assert found[["steps", "symmetric", "significant"]].tolist() == [7, "yes", "yes"]
    with pytest.warns(InputWarning, match=LEFT_OUT):
        found = overall(both(disturbed, steps_of(line)), reference="a")
    assert found["relative"].tolist() == pytest.approx([1, NAN] + [1] * 14, nan_ok=True)
    assert found["missed"].notna().sum() == 1
    with pytest.warns(InputWarning, match=LEFT_OUT):
        assert ratio(both(steps_of(line), disturbed))[["steps", "most"]].values.tolist() == [[7, pytest.approx(1)]]


# ---- Overall, efficiency, ratio

# Targets that differ by less than a twentieth of a percentage point are the same.
TWICE = both(steps_of([4] * 8), steps_of([6] * 8, [0.9496, *DOWN_UP[1:]]), steps_of([10] * 8, label="b"))


@pytest.mark.parametrize("reference, relative", [(None, [NAN] * 3), ("a", [0.8, 1.2, 2]), ("b", [0.4, 0.6, 1])])
def test_steps_are_relative_to_the_mean_of_the_reference(reference, relative):
    found = overall(TWICE, reference=reference)
    assert found["relative"].iloc[::8].tolist() == pytest.approx(relative, nan_ok=True)


def test_an_unknown_step_of_the_reference_makes_its_mean_unknown():
    found = overall(both(steps_of([NAN] + [4] * 7), steps_of([6] * 8)), reference="a")
    assert found["relative"].isna().tolist() == ([True] + [False] * 7) * 2


@pytest.mark.parametrize(
    "targets, reference, message",
    [
        (DOWN_UP, "c", "--reference: found no run of the label 'c'"),
        (DOWN_UP[:4], "a", "b.csv: found 4 steps, and 8 in a.csv, expected the same ones"),
        (
            [0.95, 0.6506, *DOWN_UP[2:]],
            "a",
            "b.csv: found a target of 65.06 % in step 2, and 65.00 % in a.csv, expected",
        ),
    ],
)
def test_other_steps_are_refused(targets, reference, message):
    with pytest.raises(InputError, match=f"^{message}"):
        overall(both(steps_of([1] * 8), steps_of([1] * len(targets), targets, label="b")), reference=reference)


@pytest.mark.parametrize("missing, per_wh", [(0.0, 360), (0.5, 720)])
def test_efficiency_is_of_the_time_with_records(missing, per_wh):
    # 4 s at 100 W are 400 J, a ninth of a watt-hour; 40 iterations in them make 360.
    found = efficiency(steps_of([10] * 8, power_w=100.0, missing=missing))
    assert set(found["energy_j"]) == {400} and found["iterations_per_wh"].tolist() == pytest.approx([per_wh] * 8)


def test_a_run_without_power_is_named():
    with pytest.warns(InputWarning, match="^b: energy is unavailable"):
        found = efficiency(both(steps_of([10] * 8, power_w=100.0), steps_of([10] * 8, label="b")), reference="a")
    assert found["relative"].tolist() == pytest.approx([1] * 8 + [NAN] * 8, nan_ok=True)


@pytest.mark.parametrize("first, expected", [(1, [8, 0.1, 0.45, 0.8]), (NAN, [7, 0.2, 0.5, 0.8])])
def test_ratio_is_of_the_first_run_to_the_second(first, expected):
    found = ratio(both(steps_of([first, 2, 3, 4, 5, 6, 7, 8]), steps_of([10] * 8))).iloc[0]
    assert found[["steps", "least", "median", "most"]].tolist() == pytest.approx(expected)


@pytest.mark.parametrize(
    "runs, message",
    [
        ([steps_of([1] * 8)], "a: found 1 run of this label, expected two"),
        ([steps_of([1] * 8)] * 3, "a: found 3 runs of this label, expected two"),
        ([steps_of([1] * 8), steps_of([1, 0] * 4)], "a.csv: found no iteration in step 2"),
    ],
)
def test_what_has_no_ratio_is_refused(runs, message):
    with pytest.raises(InputError, match=f"^{message}"):
        ratio(both(*runs))


RATIOS = pd.DataFrame({"label": ["xz/h2", "h2/h2", "h2/fop"], "least": 0.9, "median": 0.95349, "most": 1.0125})


def test_a_matrix_has_pairs_in_the_order_of_their_labels():
    found, text = matrix(RATIOS), "0.953 0.900..1.012"
    assert found.columns.tolist() == ["foreground", "h2", "fop"]
    assert found.to_numpy().tolist() == [["xz", text, None], ["h2", text, text]]


@pytest.mark.parametrize("label", ["fop", "/fop", "fop/", "fop/foreground"])
def test_a_label_that_is_no_pair_is_refused(label):
    with pytest.raises(InputError, match=f"^{label}: found this label, expected one such as fop/h2"):
        matrix(RATIOS.assign(label=label))
