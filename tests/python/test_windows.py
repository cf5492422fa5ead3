# SPDX-License-Identifier: MIT
"""Where windows begin and end, and what happened in them."""
import math

import pandas as pd
import pytest
from showstopper import InputError, InputWarning, Log, Run, curve, missed, read_trace, throughput, timeline, windows_of
from showstopper.traces import trace_line, trace_windows
from test_logs import log_of

NAN = math.nan


def control(targets, dt=1.0, start=0, load=None, monotonic=100, **columns):
    """A log whose load is its target, unless another one is given."""
    rows = [
        (start + dt * (i + 1), monotonic + start + dt * (i + 1), t, t if load is None else load)
        for i, t in enumerate(targets)
    ]
    return log_of(rows, "time_s,monotonic_s,target,load").assign(**columns)


def iterations(*spans, gaps=()):
    rows = [(s, e, False) for s, e in spans] + [(s, e, True) for s, e in gaps]
    return pd.DataFrame(rows, columns=["start_s", "end_s", "is_gap"])


def seconds(first, last):
    return iterations(*((second, second + 1) for second in range(first, last)))


def run_of(*logs, iterations=None, label="a"):
    named = tuple(Log(f"log{i}.csv", log) for i, log in enumerate(logs))
    return Run(label, True, named, iterations, 0 if iterations is None else 1)


def spans(windows):
    return [(pytest.approx(start), pytest.approx(end)) for start, end in zip(windows["start_s"], windows["end_s"])]


# ---- Where they are


@pytest.mark.parametrize(
    "count, start, options, edges",
    [
        (4, 0, {"length_s": 2}, [0, 2, 4]),
        (5, 0, {"length_s": 2}, [0, 2, 4, 5]),
        (4, 0, {"length_s": 9}, [0, 4]),
        (4, -1, {"length_s": 2}, [0, 2, 3]),
        (4, -1, {"length_s": 2, "with_warmup": True}, [-1, 0, 2, 3]),
        (4, 0.015, {"length_s": 2}, [0, 2, 4.015]),
        (4, 0.03, {"length_s": 2}, [0, 2, 4, 4.03]),
    ],
)
def test_intervals(count, start, options, edges):
    run = run_of(control([0.5] * count, start=start))
    assert spans(windows_of(run, run.logs[0], "intervals", **options)) == list(zip(edges, edges[1:]))


@pytest.mark.parametrize(
    "targets, options, found",
    [
        ([0.1] * 6 + [0.2] * 6, {}, [(1, 5), (7, 11)]),
        ([0.1] * 6 + [0.2] * 6, {"edge": 0}, [(0, 6), (6, 12)]),
        ([0.1] * 3 + [0.2] * 6 + [0.1] * 3, {"edge": 0, "is_staircase": True}, [(0, 3), (3, 6), (6, 9), (9, 12)]),
        ([0.1] * 3 + [0.2] * 4 + [0.1] * 3, {"edge": 0, "is_staircase": True}, [(0, 3), (3, 7), (7, 10)]),
        ([0.1] * 3 + [0.2] * 6 + [0.3] * 3, {"edge": 0, "is_staircase": True}, [(0, 3), (3, 9), (9, 12)]),
        ([0.1] * 3 + [0.2] * 6 + [0.1] * 3, {"edge": 0}, [(0, 3), (3, 9), (9, 12)]),
    ],
)
def test_steps(targets, options, found):
    run = run_of(control(targets))
    assert spans(windows_of(run, run.logs[0], "steps", **options)) == found


def test_steps_that_are_too_short_are_told():
    run = run_of(control([0.1] * 4 + [0.5] * 2 + [0.1] * 4))
    with pytest.warns(InputWarning, match="log0.csv: left out 1 step that fills less than 3 rows of 1 s"):
        windows_of(run, run.logs[0], "steps")


# ---- What happened in them


def test_the_target_is_that_of_rows_with_a_load():
    frame = log_of([(1, 0.2, 0.2), (2, None, 0.8), (3, 0.2, 0.2), (4, 0.2, 0.2)], "time_s,load,target")
    run = run_of(frame)
    assert windows_of(run, run.logs[0], "intervals", length_s=4)["target"][0] == pytest.approx(0.2)


@pytest.mark.parametrize("free, target", [(2, NAN), (0, 0.2)])
def test_a_window_that_was_free_for_a_time_has_no_target(free, target):
    frame = log_of([(i + 1, 0.2, None if i < free else 0.2) for i in range(6)], "time_s,load,target")
    run = run_of(frame)
    found = windows_of(run, run.logs[0], "intervals", length_s=6)
    assert found["target"][0] == pytest.approx(target, nan_ok=True) and found["load"][0] == pytest.approx(0.2)


def test_iterations_are_counted_on_the_clock_of_the_log():
    run = run_of(control([0.5] * 4), iterations=seconds(98, 110))
    found = windows_of(run, run.logs[0], "intervals", length_s=2)
    assert found[["iterations", "throughput"]].to_numpy().tolist() == [[2, 1], [2, 1]]


def test_where_records_are_missing_the_rate_is_that_of_the_rest():
    parts = iterations((100, 101), (102, 103), (103, 104), gaps=[(101, 102)])
    run = run_of(control([0.5] * 6), iterations=parts)
    found = windows_of(run, run.logs[0], "intervals", length_s=2)
    assert found["iterations"].tolist() == [1, 2, 0] and found["throughput"].tolist() == [1, 1, 0]
    assert found["missing"].tolist() == [0.5, 0, 0]
    run = run_of(control([0.5] * 6), iterations=iterations((100, 101), gaps=[(102, 104)]))
    assert math.isnan(windows_of(run, run.logs[0], "intervals", length_s=2)["throughput"][1])


def test_without_a_log_time_begins_with_the_first_iteration():
    found = throughput([run_of(iterations=seconds(50, 55))], interval_s=2)
    assert spans(found) == [(0, 2), (2, 4), (4, 5)] and found["throughput"].tolist() == [1, 1, 1]
    assert found["file"].tolist() == [None] * 3 and found["load"].isna().all()


def test_the_power_comes_from_another_log_of_the_run():
    power = log_of([(i + 1, 110 + i, 0.1, 30 + i) for i in range(4)], "time_s,monotonic_s,load,power_w")
    run = run_of(control([0.5] * 4, monotonic=109), power)
    assert windows_of(run, run.logs[0], "rows")["power_w"].tolist() == [30, 31, 32, 33]
    run = run_of(control([0.5] * 4, monotonic=109, power_w=[1, NAN, 1, 1]), power)
    assert windows_of(run, run.logs[0], "rows")["power_w"].tolist() == [1, 31, 1, 1]


LOG, BOTH = control([0.5] * 4), seconds(100, 104)


@pytest.mark.parametrize(
    "run, table, options, message",
    [
        (run_of(LOG, iterations=iterations()), throughput, {}, "a: found no iteration in its iteration file"),
        (run_of(LOG), throughput, {}, "a: found a log, but no iterations"),
        (run_of(LOG), curve, {}, "a: found a log, but no iterations"),
        (run_of(iterations=BOTH), timeline, {}, "a: found iterations, but no log of the load"),
        (run_of(iterations=BOTH), curve, {}, "a: found iterations, but no log of the load"),
        (run_of(iterations=BOTH), throughput, {"per_step": True}, "a: found iterations, but no log whose steps"),
        (run_of(iterations=iterations((1, 1))), throughput, {}, "a: found all iterations at one moment, expected"),
        (run_of(LOG.drop(columns="monotonic_s"), iterations=BOTH), throughput, {}, "log0.csv:1: found no column monot"),
        (
            run_of(LOG, iterations=seconds(200, 203)),
            throughput,
            {},
            "log0.csv: found none of its iterations at the time",
        ),
        (run_of(control([0.5] * 3, start=-9)), timeline, {}, "log0.csv: found nothing but the warm-up"),
        (
            run_of(control([0.1, 0.2, 0.3])),
            timeline,
            {"per_step": True},
            "log0.csv: found no target that stays the same",
        ),
        (run_of(LOG), timeline, {"window_s": 0.5}, "log0.csv: found rows of 1.000 s, expected --window to be at least"),
        (run_of(LOG.assign(load=NAN), iterations=BOTH), curve, {}, "log0.csv: found no load, expected it in some rows"),
        (run_of(LOG, iterations=BOTH), throughput, {"interval_s": 1e-8}, "found 400000000 intervals of 1e-08 s in"),
    ],
)
def test_runs_that_lack_what_is_needed(run, table, options, message):
    with pytest.raises(InputError, match=f"^{message}"):
        table(run, **options)


def test_a_curve_has_two_steps_where_a_staircase_turns():
    found = curve([run_of(control([0.1] * 3 + [0.2] * 6 + [0.1] * 3), iterations=seconds(100, 112))])
    assert found["target"].tolist() == pytest.approx([0.1, 0.2, 0.2, 0.1])
    assert len(curve([run_of(control([0.1] * 12), iterations=seconds(100, 112))], interval_s=6)) == 2


def test_a_log_of_cpuload_beside_a_control_log_is_no_other_run():
    beside = log_of([(i, 100 + i, 0.5) for i in range(1, 25)], "time_s,monotonic_s,load")
    run = run_of(beside, control([0.2] * 12 + [0.4] * 12), iterations=seconds(100, 124))
    for table in (curve(run), throughput(run, per_step=True)):
        assert table["file"].tolist() == ["log1.csv"] * 2 and table["throughput"].tolist() == [1, 1]
    assert throughput(run_of(beside, iterations=seconds(100, 124)))["file"].unique() == ["log0.csv"]
    assert timeline(run)["file"].nunique() == 2


def test_tables_have_labels_and_files_in_their_order():
    found = timeline([run_of(LOG, label="b"), run_of(LOG, LOG, label="a")])
    assert found[["label", "file"]].drop_duplicates().to_numpy().tolist() == [
        ["b", "log0.csv"],
        ["a", "log0.csv"],
        ["a", "log1.csv"],
    ]


@pytest.mark.parametrize(
    "target, load, others, duty, reason",
    [
        (0.5, 0.52, 0.4, 0, None),
        (0.5, 0.53, 0.05, 0.5, "others"),
        (0.1, 0.4, 0.2, 0, "others"),
        (0.5, 0.53, NAN, 0.5, "above"),
        (0.5, 0.4, NAN, 1, "saturated"),
        (0.5, 0.4, 0.3, NAN, "below"),
        (NAN, 0.4, 0.3, 1, None),
    ],
)
def test_why_targets_were_missed(target, load, others, duty, reason):
    assert missed([target], [load], [others], [duty]).tolist() == [reason]


def test_a_row_missed_its_target_as_its_step_did():
    log = control([0.5] * 6 + [0.2] * 6, load=0.5, others=[0.3] * 12, free=0.1)
    found = timeline(log)
    assert found["missed"].tolist() == [None] * 6 + ["others"] * 6 and found["free"].tolist() == pytest.approx(
        [0.1] * 12
    )
    with pytest.warns(InputWarning, match=r"log: 1 of 2 steps missed their targets by more than 2 pp \(others: 1\)"):
        assert curve({"a": [log, seconds(100, 112)]})["missed"].tolist() == [None, "others"]


def test_free_workloads_can_be_the_reason():
    assert missed([0.5, 0.5], [0.97, 0.97], [0.01, 0.9], [0, 0], [0.9, 0.01]).tolist() == ["free", "others"]


def test_positions_in_a_trace_are_those_of_the_ends():
    assert timeline(control([0.5] * 4, trace_s=[2.0, 4, 6, 1]), window_s=1.5)["trace_s"].tolist() == [3, 6, 1]


# ---- Traces


def trace(tmp_path, text):
    (tmp_path / "t").write_text(text)
    return read_trace(str(tmp_path / "t"))


@pytest.mark.parametrize(
    "text, window, found",
    [
        ("0 0\n10 1\n20 1\n", None, [(0, 10, 0.5), (10, 20, 1)]),
        ("0 0\n10 1\n", 4, [(0, 4, 0.2), (4, 8, 0.6), (8, 10, 0.9)]),
        ("interpolate step\n0 0.2\n10 1\n20 0\n", None, [(0, 10, 0.2), (10, 20, 1)]),
        ("5 0.4\n+5 0.4\n", None, [(0, 5, 0.4), (5, 10, 0.4)]),
        ("0 free\n10 0.5\n20 0.5\n", None, [(0, 10, NAN), (10, 20, 0.5)]),
        ("0 0.5\n10 free\n20 0.5\n", None, [(0, 10, 0.5), (10, 20, NAN)]),
        ("0 0.2\n10 0.2\n10 0.8\n20 0.8\n", 20, [(0, 20, 0.5)]),
    ],
)
def test_means_of_traces(tmp_path, text, window, found):
    windows = trace_windows(trace(tmp_path, text), window)
    assert windows.to_numpy().tolist() == [pytest.approx(row, nan_ok=True) for row in found]


def test_the_line_of_a_trace_whose_loads_are_held(tmp_path):
    line = trace_line(trace(tmp_path, "interpolate step\n0 0.2\n10 1\n20 0\n"))
    assert line.to_numpy().tolist() == [[0, 0.2], [10, 0.2], [10, 1], [20, 1]]


@pytest.mark.parametrize(
    "text, message",
    [
        ("10s 2\n", '1:5: found "2", expected a load from 0 to 1'),
        ("0 1\n10s\n", "2:4: found the end of the line, expected a load"),
        ("0 1 1\n", '1:5: found "1", expected the end of the line'),
        ("9 1\n5 1\n", '2:1: found "5", expected 9s or later'),
        ("1 1\ninterpolate step\n", '2:1: found "interpolate", expected it before the first record'),
        ("interpolate x\n", '1:13: found "x", expected linear or step'),
        ("0 1\n", "found a trace that ends when it begins"),
        ("1x 1\n", "expected a time such as"),
        ("# nothing\n", "found the end of the text, expected at least one record"),
    ],
)
def test_what_is_no_trace(tmp_path, text, message):
    with pytest.raises(InputError) as error:
        trace(tmp_path, text)
    assert message in str(error.value)
