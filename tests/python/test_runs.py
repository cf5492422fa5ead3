# SPDX-License-Identifier: MIT
"""Which files make a run, and on which clock."""
import warnings

import pytest
from showstopper import File, InputError, InputWarning, join, read_iterations, read_log, runs_of

ROWS = 20
BOOT = 1_000_000.0


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()


def write_log(path, start=100.0, wall=None, set_by=0.0):
    """Rows of a second; the wall clock is `wall` ahead, and is set in the middle."""
    lines = ["time_s,monotonic_s,load,time_unix_s"]
    for row in range(1, ROWS + 1):
        unix = "" if wall is None else f"{start + row + wall + (set_by if row > ROWS / 2 + 1 else 0):.6f}"
        lines.append(f"{row},{start + row},0.5,{unix}")
    open(path, "w").write("\n".join(lines) + "\n")
    return path


def write_iterations(path, start=100.0, count=ROWS, wall=None, set_by=0.0):
    lines = ["instance,iteration,start_s,end_s,time_unix_s"]
    for i in range(count):
        unix = "" if wall is None else f"{start + i + 1 + wall + (set_by if i > count / 2 else 0):.6f}"
        lines.append(f"0,{i},{start + i},{start + i + 1},{unix}")
    open(path, "w").write("\n".join(lines) + "\n")
    return path


def quiet(files, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return join(files, **options)


def described(runs):
    return [(run.label, [log.file for log in run.logs], run.iteration_files) for run in runs]


# ---- Which files belong together


@pytest.mark.parametrize(
    "files, runs",
    [
        (["a.csv"], [("a", ["a.csv"], 0)]),
        (["a.csv", "i.csv"], [("a", ["a.csv"], 1)]),
        (["a.csv", "late.csv", "i.csv"], [("a", ["a.csv"], 1), ("late", ["late.csv"], 0)]),
        (["a.csv", "sub/a.csv"], [("a.csv"[:-4], ["a.csv"], 0), ("sub/a", ["sub/a.csv"], 0)]),
        (["i.csv"], [("i", [], 1)]),
        (["i.csv", "late_i.csv"], [("all", [], 2)]),
        ([File("a.csv", "x"), File("i.csv", "x"), "late.csv"], [("x", ["a.csv"], 1), ("late", ["late.csv"], 0)]),
        ([File("a.csv", "x", 1), File("late.csv", "x", 2)], [("x", ["a.csv"], 0), ("x", ["late.csv"], 0)]),
        ([File("a.csv", "x", 1), File("late.csv", "x")], [("x", ["a.csv"], 0), ("x", ["late.csv"], 0)]),
        ([File("a.csv", "x"), File("late.csv", "x")], [("x", ["a.csv", "late.csv"], 0)]),
        (["a.csv", "none.csv"], [("a", ["a.csv"], 1)]),
        (["a.csv", "late.csv", "none.csv"], [("a", ["a.csv"], 0), ("late", ["late.csv"], 0)]),
    ],
)
def test_runs(files, runs):
    write_log("a.csv")
    write_log("sub/a.csv")
    write_log("late.csv", 500)
    write_iterations("i.csv")
    write_iterations("late_i.csv", 500)
    write_iterations("none.csv", count=0)
    assert described(quiet(files)) == runs


@pytest.mark.parametrize(
    "start, message",
    [(100, "i.csv: found iterations at the time of both a.csv and b.csv, expected labels"), (900, "none of the logs")],
)
def test_iterations_whose_run_is_not_clear(start, message):
    write_log("a.csv")
    write_log("b.csv", 105)
    write_iterations("i.csv", start + 6)
    with pytest.raises(InputError, match=message):
        quiet(["a.csv", "b.csv", "i.csv"])


def test_other_files_are_refused_and_iterations_passed_over():
    write_log("a.csv")
    open("other.csv", "w").write("a,b\n1,2\n")
    with pytest.raises(InputError, match="other.csv:1: found the columns a,b, expected those of a log"):
        quiet(["other.csv"])
    open("bad.csv", "w").write("start_s,end_s\n2,1\n")
    assert described(quiet(["a.csv", "bad.csv"], logs_only=True)) == [("a", ["a.csv"], 0)]


def test_a_trace_is_a_run_where_it_may_be_one():
    open("t.trace", "w").write("# day\n0 10%\n10s 50%\n")
    (run,) = quiet(["t.trace"], takes_traces=True)
    assert run.label == "t.trace" and run.traces[0].frame["load"].tolist() == [0.1, 0.5]
    with pytest.raises(InputError):
        quiet(["t.trace"])


# ---- Clocks


@pytest.mark.parametrize(
    "clocks, wall, start",
    [
        ("auto", 1000.0, 100),  # the same boot, but for a few milliseconds
        ("auto", 1000.004, 100),
        ("auto", 1050.0, 150),  # another boot
        ("wall", 1000.004, 100.004),
        ("monotonic", 1050.0, 100),
        ("auto", None, 100),
    ],
)
def test_which_clock_joins_files(clocks, wall, start):
    write_log("a.csv", wall=1000.0)
    write_iterations("i.csv", wall=wall)
    (run,) = quiet([File("a.csv", "x"), File("i.csv", "x")], clocks=clocks)
    assert run.iterations["start_s"][0] == start


@pytest.mark.parametrize(
    "offsets, log, iterations",
    [
        ([("i.csv", 2)], 100, 102),
        ([("*.csv", 2)], 100, 100),
        ([("x", 2)], 100, 102),
        ([("i.csv", 2), ("i*", 3)], 100, 103),
        ([("a.csv", 2)], 100, 98),
    ],
)
def test_offsets(offsets, log, iterations):
    write_log("a.csv")
    write_iterations("i.csv")
    (run,) = quiet([File("a.csv", "x"), File("i.csv", "x")], offsets_s=offsets)
    assert run.log["monotonic_s"][0] - 1 == log and run.iterations["start_s"][0] == iterations


def test_an_offset_of_no_file_is_refused():
    write_log("a.csv")
    with pytest.raises(InputError, match="--offset: found neither a file 'b' nor a label of iterations"):
        quiet(["a.csv"], offsets_s={"b": 1})


def test_a_file_without_a_wall_clock_is_not_joined_by_it():
    write_log("a.csv")
    with pytest.raises(
        InputError, match="a.csv: found no value in a column time_unix_s, expected some for --join wall"
    ):
        quiet(["a.csv"], clocks="wall")


@pytest.mark.parametrize(
    "log_set_by, iterations_set_by, message",
    [
        (0, 0.5, None),
        (0, 3, r"the clocks of a.csv and i.csv drifted apart by 3.000 s"),
        (3, 3, r"the wall clock of i.csv was set by \+3.000 s"),
    ],
)
def test_clocks_that_were_set(log_set_by, iterations_set_by, message):
    write_log("a.csv", wall=1000.0, set_by=log_set_by)
    write_iterations("i.csv", wall=BOOT, start=100 - BOOT + 1000, set_by=iterations_set_by)
    files = [File("a.csv", "x"), File("i.csv", "x")]
    if message is None:
        quiet(files)
    else:
        with pytest.warns(InputWarning, match=message):
            join(files)


# ---- Powers


def write_meter(path, start=1100, watts=40):
    lines = ["time_unix_s,power_w", *(f"{start + second},{watts}" for second in range(ROWS + 1))]
    open(path, "w").write("\n".join(lines) + "\n")
    return path


def test_the_power_of_a_meter_is_for_all_logs_or_those_of_a_label():
    write_log("a.csv", wall=1000.0)
    write_log("b.csv", wall=1000.0)
    meter = write_meter("m.csv")
    runs = quiet([File("a.csv", "x"), File("b.csv", "y")], powers=[File(meter, "x")])
    assert runs[0].log["power_w"].eq(40).all() and "power_w" not in runs[1].log
    runs = quiet(["a.csv", "b.csv"], powers=[File(meter)])
    assert all(run.log["power_w"].eq(40).all() for run in runs)


@pytest.mark.parametrize(
    "wall, label, start, message",
    [
        (None, None, 1100, "a.csv: found no value in a column time_unix_s, expected some for --power"),
        (1000.0, "z", 1100, "m.csv: found no log of the label 'z' to join this power to"),
        (1000.0, None, 5000, "m.csv: found no reading at the time of a.csv, expected some"),
    ],
)
def test_powers_that_can_not_be_joined(wall, label, start, message):
    write_log("a.csv", wall=wall)
    write_meter("m.csv", start)
    with pytest.raises(InputError) as error:
        quiet(["a.csv"], powers=[File("m.csv", label)])
    assert str(error.value) == message


# ---- What functions take


def test_files_frames_and_labels_are_runs():
    log, records = read_log(write_log("a.csv")), read_iterations(write_iterations("i.csv"))
    given = ("a.csv", log, ["a.csv", "i.csv"], [log, records], {"x": "a.csv", "y": [log, records]})
    found = [[(run.label, len(run.logs), run.iteration_files) for run in runs_of(each)] for each in given]
    assert found == [[("a", 1, 0)], [("run", 1, 0)], [("a", 1, 1)], [("run", 1, 1)], [("x", 1, 0), ("y", 1, 1)]]
