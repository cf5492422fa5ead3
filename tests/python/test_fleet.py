# SPDX-License-Identifier: MIT
"""Logs of machines whose clocks began anywhere, as one fleet."""
import io

import numpy as np
import pytest
from showstopper import InputError, Log, Run, read_log
from showstopper.fleet import fleet, fleet_bins

NAN = np.nan
HEADER = "time_s,monotonic_s,target,load,time_unix_s\n"
# The first begins 0.7 s after the second, and ends 1.4 s before it; its rows are of 0.5, 0.8 and 0.6 s. The third was booted later,
# lacks a load, and is there for two seconds.
A = "0,100,,0.9,5000.7\n0.5,100.5,0.2,0.1,5001.2\n1.3,101.3,0.2,0.4,5002\n1.9,101.9,0.6,0.5,5002.6\n"
B = "0,900,,0.3,5000\n1,901,0.5,0.5,5001\n2,902,0.5,0.7,5002\n3,903,0.5,0.4,5003\n4,904,0.5,0.1,5004\n"
C = "0,7,,0,5001\n1,8,0.8,,5002\n2,9,0.8,0.6,5003\n"
OLD, NEW = "0,7,,0,\n1,8,0.8,0.7,\n", "0,7,,0,5001\n1,8,0.8,0.7,5002\n"
FREE = "0,10,,0.5,\n1,11,0.5,0.5,\n2,12,0.5,0.5,\n3,13,0.5,0.5,\n4,14,,1,\n5,15,,1,\n6,16,,1,\n"


def run_of(text, label):
    file = io.BytesIO((HEADER + text).encode())
    return Run(label, True, (Log(f"{label}.csv", read_log(file)),))


@pytest.fixture
def runs(recwarn):
    """That a load is missing is said; here it is known."""
    return [run_of(text, label) for label, text in zip("abc", (A, B, C))]


def test_bins_have_what_each_machine_did_then(runs):
    bins = fleet_bins(runs, window_s=1)
    # 0.3 s of the first bin are too few; the second has 0.2 s of the row of 10 % and 0.8 s of that of 40 %.
    expected = [NAN, 0.34, 0.5, NAN, 0.5, 0.7, 0.4, 0.1, NAN, NAN, 0.6, NAN]
    assert bins["load"].tolist() == pytest.approx(expected, nan_ok=True) and bins["target"][1] == pytest.approx(0.2)
    assert bins["start_s"].tolist() == [0, 1, 2, 3] * 3 and bins["node"].tolist() == [0] * 4 + [1] * 4 + [2] * 4


def test_machines_count_by_their_rows_and_all_together_by_bins(runs):
    table = fleet(runs, window_s=1)
    assert table["label"].tolist() == ["a", "b", "c", "all together"] and table["samples"].tolist() == [3, 4, 1, 4]
    assert table["late_ms"].tolist() == pytest.approx([700, 0, 1000, NAN], nan_ok=True)
    assert table["end_s"].tolist() == pytest.approx([2.6, 4, 3, 4])
    # Of rows under control, by their length: -10, +20 and -10 pp. Who isn't there adds nothing to what three machines have.
    assert table["load"].tolist()[::3] == pytest.approx([(0.05 + 0.32 + 0.3) / 1.9, (0.5 + 1.04 + 1.5 + 0.1) / 12])
    assert table.loc[0, ["mean_error_pp", "mse_pp2"]].tolist() == pytest.approx([5 / 1.9, 430 / 1.9])


@pytest.mark.parametrize("window_s, bins", [(None, 4), (1.5, 3), (100, 1), (4e-5, 100_000)])
def test_bins_are_as_long_as_rows_at_least(runs, window_s, bins):
    assert len(fleet_bins(runs, window_s=window_s)) == 3 * bins


def test_logs_of_several_boots_may_have_one_label():
    """The former C took them to have one CLOCK_MONOTONIC, which put machines hours apart; `time_unix_s` is right."""
    logs = tuple(run_of(text, "n").logs[0] for text in (A, B))
    assert fleet([Run("n", True, logs)], window_s=1)["late_ms"].tolist()[:2] == pytest.approx([700, 0])


def test_a_bin_that_was_free_in_part_has_a_load_but_no_target():
    """The former C held its load against the target of the rest: 312.5 pp² of a machine that was on target all the time."""
    bins = fleet_bins([run_of(FREE, "a")], window_s=2)
    assert bins[["target", "load"]].values.ravel().tolist() == pytest.approx([0.5, 0.5, NAN, 0.75, NAN, 1], nan_ok=True)
    assert fleet([run_of(FREE, "a")], window_s=2)["mse_pp2"].tolist() == [0, 0]


def test_without_a_wall_clock_all_begin_together():
    table = fleet([run_of(OLD, "a"), run_of(OLD.replace("7,,", "70,,").replace("8,0.8", "71,0.8"), "b")])
    assert table["late_ms"].isna().all() and table["end_s"].tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    "found, options, message",
    [
        ([], {}, "found no control log, expected one for each node"),
        (["old", "new"], {}, r"new.csv tells the wall clock \(time_unix_s\), old.csv doesn't; expected all"),
        (["load"], {}, r"load.csv:1: found no column target, expected a control log \(showstopper -o\)"),
        (
            ["new"],
            {"window_s": 9e-6},
            "found 1 s from the first start to the last end, expected at most 100000 bins of 9e-06",
        ),
    ],
)
def test_what_is_no_fleet_is_refused(found, options, message):
    logs = {"old": run_of(OLD, "old"), "new": run_of(NEW, "new")}
    logs["load"] = Run("a", True, (Log("load.csv", logs["old"].logs[0].frame.drop(columns="target")),))
    with pytest.raises(InputError, match=f"^{message}"):
        fleet([logs[name] for name in found], **options)
