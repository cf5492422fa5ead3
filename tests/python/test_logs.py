# SPDX-License-Identifier: MIT
"""Rows of logs and what is missing of them, steps, means, and iterations in stretches."""
import io
import math
import warnings

import numpy as np
import pandas as pd
import pytest
from showstopper import InputError, InputWarning, iterations_in, mean_over, read_iterations, read_log, steps
from showstopper.logs import count_short_steps, is_jump, monotonic_of, row_length, time_of

NAN = math.nan


def log_of(rows, header="time_s,load", is_quiet=True):
    text = header + "\n" + "".join(",".join("" if v is None else str(v) for v in row) + "\n" for row in rows)
    with warnings.catch_warnings():
        if is_quiet:
            warnings.simplefilter("ignore", InputWarning)
        return read_log(io.StringIO(text))


def targets(*values, dt=1):
    return log_of([(dt * (i + 1), 0.5, value) for i, value in enumerate(values)], "time_s,load,target")


def flat(values):
    return pytest.approx(list(values), nan_ok=True)


# ---- Reading


@pytest.mark.parametrize(
    "header, row, found",
    [
        ("time_s,monotonic_s,target,load,estimate,duty,runnable", "1,9,.5,.4,.4,.3,2", {"duty": 0.3}),
        ("time_s,monotonic_s,target,load,estimate,duty,runnable,others", "1,9,.5,.4,.4,.3,2,nan", {"others": NAN}),
        (
            "time_s,monotonic_s,target,load,duty,others,free,time_unix_s",
            "1,9,,.4,.3,.1,.2,99",
            {"target": NAN, "free": 0.2},
        ),
        (
            "time_s,monotonic_s,target,load,others,watch_a,trace_s,time_unix_s",
            "1,9,,.4,.3,.1,7,99",
            {"watch_a": 0.1, "trace_s": 7},
        ),
        ("time_s,monotonic_s,load,load_cpu00", "1,9,.4,.4", {"monotonic_s": 9}),
        ("time_s,load,misses_per_s", "1,.4,5", {"misses_per_s": 5}),
        ("time_s,load,target,capacity", "1,.4,.3,.5", {"load": 0.8, "target": 0.6}),
    ],
)
def test_formats_of_every_version(header, row, found):
    csv = log_of([row.split(",")], header)
    cells = ('""' if not text or text == "nan" else text if text[0] != "." else f"0{text}" for text in row.split(","))
    line = ",".join(f'"{name}":{cell}' for name, cell in zip(header.split(","), cells))
    for log in (csv, read_log(io.StringIO(f"{{{line}}}\n"))):
        assert log.loc[0, list(found)].tolist() == flat(found.values())


@pytest.mark.parametrize("more, cells", [("", ""), (",status", ",0"), (",status,time_unix_s", ",0,99.5")])
def test_formats_of_iterations(more, cells):
    frame = read_iterations(io.StringIO(f"instance,iteration,start_s,end_s{more}\n0,0,1,2{cells}\n"))
    assert iterations_in(frame, [0], [1.5])[0] == [0.5]


@pytest.mark.parametrize(
    "times, starts",
    [
        ([1, 2], [0, 1]),
        ([-2, -1, 1], [-3, -2, -1]),
        ([5, 6, 7], [4, 5, 6]),
        ([1.7, 2.7, 3.7], [0, 1.7, 2.7]),
        ([3], [0]),
        ([-3], [-4]),
    ],
)
def test_where_rows_begin(times, starts):
    assert log_of([(time, 0.5) for time in times])["start_s"].tolist() == flat(starts)


@pytest.mark.parametrize(
    "rows, ends, gaps",
    [
        ([(1, 0.1), (2, 0.1), (3, 0.1), (4.7, 0.1)], [1, 2, 3, 4.7], []),
        ([(1, 0.1), (2, 0.1), (3, 0.1), (4.8, 0.1)], [1, 2, 3, 3.8, 4.8], [3]),
        ([(1, 0.1), (2, 0.1), (3, 0.1), (9, None), (10, 0.1)], [1, 2, 3, 9, 10], []),
        ([(-2, 0.1), (-1, 0.1), (1, None), (2, 0.1), (3, 0.1)], [-2, -1, 0, 1, 2, 3], [2]),
        ([(-3, 0.1), (-2, 0.1), (2, 0.1), (3, 0.1), (4, 0.1)], [-3, -2, 0, 1, 2, 3, 4], [2, 3]),
        ([(-2, 0.1), (-1, 0.1), (0, 0.1), (1, 0.1)], [-2, -1, 0, 1], []),
    ],
)
def test_rows_stand_for_what_is_missing(rows, ends, gaps):
    log = log_of(rows)
    assert log["time_s"].tolist() == flat(ends)
    assert np.flatnonzero(log["is_gap"]).tolist() == gaps
    assert log.loc[log["is_gap"], "load"].isna().all()


def test_a_gap_has_the_target_on_which_rows_agree_and_what_is_missing_is_said():
    rows = [
        (1, 0.1, 11, 0.3),
        (2, 0.1, 12, 0.3),
        (3, 0.1, 13, 0.3),
        (9, 0.1, 19, 0.3),
        (10, 0.1, 20, 0.3),
        (20, 0.1, 30, 0.4),
    ]
    with pytest.warns(InputWarning, match=r"14\.000 s of 20\.000 s have no load"):
        log = log_of(rows, "time_s,load,monotonic_s,target", is_quiet=False)
    assert log["monotonic_s"].tolist() == flat([11, 12, 13, 18, 19, 20, 29, 30])
    assert log.loc[log["is_gap"], "target"].tolist() == flat([0.3, NAN])


@pytest.mark.parametrize(
    "header, row, message",
    [
        ("time_s,load", "1,0.5\n1,0.5", "f:3: time_s: found 1.000000 after 1.000000, expected times that grow"),
        ("time_s,load", ",0.5", "f:2: time_s: found nothing, expected a time in seconds"),
        ("time_s,load", "1,-0.1", "f:2: load: found -0.1, expected a load from 0 to 1000000"),
        ("time_s,load,target", "1,0,1.5", "f:2: target: found 1.5, expected a load from 0 to 1"),
        ("time_s,load,others", "1,0,-1.5", "f:2: others: found -1.5, expected a load from 0 to 1"),
        ("time_s,load,power_w", "1,0,-1", "f:2: power_w: found -1, expected a power in watts"),
        ("time_s,load,x_per_s", "1,0,-1", "f:2: x_per_s: found -1, expected events per second"),
        ("time_s,load,time_unix_s", "1,0,-1", "f:2: time_unix_s: found -1, expected seconds since 1970"),
        (
            "time_s,load,capacity",
            "1,0,0",
            "f:2: capacity: found 0, expected a share of the machine, above 0 and at most 1",
        ),
        ("time_s,load,load", "1,0,0", "f:1: found the column 'load' 2 times, expected it once"),
        ("time_s,target,load", "1,2,0\n2,0,-1", "f:2: target: found 2, expected a load from 0 to 1"),
        ("time_s,load", "", "f: found no whole row after the header"),
        ("time_s,lod", "1,2", "f:1: found the columns time_s,lod, expected time_s, load and others"),
    ],
)
def test_what_a_log_can_not_have(tmp_path, monkeypatch, header, row, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f").write_text(f"{header}\n{row}\n" if row else f"{header}\n")
    with pytest.raises(InputError) as error:
        read_log("f")
    assert str(error.value) == message


# ---- Steps and jumps


@pytest.mark.parametrize(
    "values, found",
    [
        ([0.1] * 3 + [0.2] * 4, [(0, 2, 0.1), (3, 6, 0.2)]),
        ([0.1] * 2 + [0.2] * 3, [(2, 4, 0.2)]),
        ([0.1] * 3 + [None] * 5 + [0.1] * 3, [(0, 2, 0.1), (8, 10, 0.1)]),
        ([None] * 4, [(0, 3, NAN)]),
        ([0.1, 0.2], []),
        ([0.300001, 0.3, 0.3, 0.3000025, 0.4], [(0, 3, 0.300001)]),
        ([0.1, 0.1000009, 0.1000018, 0.1000027, 0.1000036, 0.1000045], [(0, 2, 0.1), (3, 5, 0.1000027)]),
    ],
)
def test_steps(values, found):
    step = steps(targets(*values))
    assert list(zip(step["first"], step["last"])) == [(first, last) for first, last, _ in found]
    assert step["target"].tolist() == flat(target for *_, target in found)
    assert step["end_s"].tolist() == [last + 1 for _, last, _ in found]


def test_a_slow_slope_of_many_rows_is_cut_where_it_has_gone_too_far():
    step = steps(targets(*np.round(0.5 + 4e-9 * np.arange(2000), 9)))
    assert step["first"].tolist() == [0, 501, 1002, 1503]


@pytest.mark.parametrize(
    "values, jumps",
    [
        ([0.1, 0.1, 0.1, 0.5, 0.5, 0.5], [3]),
        ([0.1, 0.1, 0.1, 0.3, 0.5, 0.5, 0.5], [3]),
        ([0.1, 0.2, 0.3, 0.4, 0.5], []),
        ([0.1, 0.1, 0.1009, 0.1009, 0.1009], []),
        ([0.1, 0.1, None, 0.5, 0.5], []),
        ([0.1, 0.3, 0.5, 0.5], []),
    ],
)
def test_jumps(values, jumps):
    assert np.flatnonzero(is_jump(targets(*values))).tolist() == jumps


@pytest.mark.parametrize(
    "values, count", [([0.1] * 4 + [0.5] * 2 + [0.1] * 4, 1), ([0.1] * 4 + [0.5] * 3 + [0.1] * 4, 0)]
)
def test_steps_that_are_too_short(values, count):
    assert count_short_steps(targets(*values)) == count


# ---- Means


@pytest.mark.parametrize(
    "start, end, mean",
    [(0, 4, 0.5), (0.5, 1.5, 0.3), (1, 2, 0.4), (-5, 1, 0.2), (4, 9, NAN), (2, 3, NAN), (2.5, 3.5, 0.9), (1, 1, NAN)],
)
def test_means(start, end, mean):
    log = log_of([(1, 0.2), (2, 0.4), (3, None), (4, 0.9)])
    assert mean_over(log, "load", [start], [end])[0] == pytest.approx(mean, nan_ok=True)


@pytest.mark.parametrize("time, monotonic", [(1, 101), (1.5, 102), (2, 103), (9, 110), (-1, 99)])
def test_moments_of_two_clocks(time, monotonic):
    log = log_of([(1, 0.2, 101), (2, 0.2, 103)], "time_s,load,monotonic_s")
    assert monotonic_of(log, time) == pytest.approx(monotonic)
    assert time_of(log, monotonic) == pytest.approx(time)


# ---- Iterations


def iterations(*spans, gaps=(), failed=()):
    rows = [(s, e, i in failed, False) for i, (s, e) in enumerate(spans)] + [(s, e, NAN, True) for s, e in gaps]
    return pd.DataFrame(rows, columns=["start_s", "end_s", "status", "is_gap"]).astype({"status": float})


@pytest.mark.parametrize(
    "spans, counts",
    [
        ([(0, 1)], [1, 0, 0]),
        ([(0.5, 1.5)], [0.5, 0.5, 0]),
        ([(0.5, 2.5)], [0.25, 0.5, 0.25]),
        ([(-1, 5)], [1 / 6, 1 / 6, 1 / 6]),
        ([(1, 1)], [0, 1, 0]),
        ([(3, 3)], [0, 0, 1]),
        ([(4, 5)], [0, 0, 0]),
        ([(-1, -1)], [0, 0, 0]),
    ],
)
def test_iterations_count_by_their_fractions(spans, counts):
    found, known = iterations_in(iterations(*spans), [0, 1, 2], [1, 2, 3])
    assert found.tolist() == flat(counts) and known.tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    "gaps, counts, known",
    [
        ([(1, 2)], [1, 0, 1], [1, 0, 1]),
        ([(0.5, 1), (0.75, 1.5)], [0.5, 0.5, 1], [0.5, 0.5, 1]),
        ([(-1, 9)], [0] * 3, [0] * 3),
    ],
)
def test_what_lies_where_records_are_missing_does_not_count(gaps, counts, known):
    found = iterations_in(iterations((0, 1), (1, 2), (2, 3), gaps=gaps), [0, 1, 2], [1, 2, 3])
    assert found[0].tolist() == flat(counts) and found[1].tolist() == flat(known)


@pytest.mark.parametrize(
    "header, rows, message",
    [
        ("start_s,end_s", "2,1", "end_s: found 1.000000000, expected a time from the start, 2.000000000, on"),
        ("start_s,end_s", "1,", "end_s: found nothing, expected a time in seconds"),
        (
            "instance,start_s,end_s",
            "0,1,2\n0,1,1.5",
            "end_s: found 1.500000000 after 2.000000000, expected the order in which iterations ended",
        ),
        ("start_s,end_s,time_unix_s", "1,2,-1", "time_unix_s: found -1, expected seconds since 1970"),
    ],
)
def test_what_iterations_can_not_have(header, rows, message):
    with pytest.raises(InputError) as error:
        read_iterations(io.StringIO(f"{header}\n{rows}\n"))
    assert str(error.value).endswith(message)


def test_instances_have_their_own_order_and_a_record_without_a_number_is_a_gap():
    text = "instance,iteration,start_s,end_s,status\n0,0,1,5,0\n1,0,1,2,1\n1,,2,4,\n"
    with pytest.warns(InputWarning) as said:
        frame = read_iterations(io.StringIO(text))
    assert frame["is_gap"].tolist() == [False, False, True]
    assert [str(warning.message).split(": ", 1)[1] for warning in said] == [
        "the iterations of 2.000 s are missing; this time is left out",
        "1 of 2 iterations failed, and are left out",
    ]
