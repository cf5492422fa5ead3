# SPDX-License-Identifier: MIT
"""Readings of power meters: which times and columns they may have, and what they say of a stretch of time."""
import io

import numpy as np
import pytest
from showstopper import File, InputError, InputWarning, join
from showstopper.meter import mean_power, read_meter

NAN = np.nan


def read(text):
    file = io.BytesIO(text.encode())
    file.name = "m.csv"
    return read_meter(file)


@pytest.mark.parametrize(
    "text",
    [
        "time_unix_s,power_w\n1767225600.5,10\n1767225601.5,20\n",
        "n,Timestamp,Watts\n1,2026-01-01T00:00:00.5Z,10\n2,2026-01-01T01:00:01.5+01:00,20\n",
        "w,date\n10,2025-12-31 19:30:00.5-0430\n20,1767225601.5\n",
        "time,power\n2026-01-01T02:00:00.5+02,10\n2026-01-01T00:00:01.500z,20\n",
        "time,time_unix_s,power\n5,1767225600.5,10\n6,1767225601.5,20\n",
        '{"time":1767225600.5,"W":10}\n{"time":1767225601.5,"W":20}\n',
    ],
)
def test_times_are_seconds_or_have_a_zone(text):
    assert read(text).values.tolist() == [[1767225600.5, 10], [1767225601.5, 20]]


def test_decimals_of_dates_are_those_of_seconds():
    """The former C lost up to 128 ns of them; a float of this size has 238 ns, and these are the nearest ones."""
    dates = "time,power\n2023-11-15T03:43:15.123457+05:30,1\n2023-11-15T03:43:16.1234567891+05:30,1\n"
    assert read(dates)["time_unix_s"].tolist() == [1699999995.123457, 1699999996.1234567891]


@pytest.mark.parametrize(
    "rows, message",
    [
        ("", "m.csv: found no reading, expected two or more"),
        ("5,6\n", "m.csv: found one reading, expected two or more"),
        ("5,6\n5,7\n", "m.csv: found all readings at one time, expected two or more"),
        *(
            (f"{time},6\n", f"m.csv:2: time: found '{time}', expected seconds since 1970, or a time with its zone")
            for time in ("2026-01-01T00:00:00", "2026-01-01", "2026-02-30T00:00Z", "1e10", "-1", "")
        ),
        ("5,-6\n", "m.csv:2: watts: found -6, expected a power in watts"),
        ("5,1e10\n", "m.csv:2: watts: found 1e.10, expected a power in watts"),
        ("5,six\n", "m.csv:2: watts: found 'six', expected a number"),
        (
            "5,6\n4.5,6\n",
            "m.csv:3: time: found a time 0.500000 s before that of the row before, expected times that grow",
        ),
    ],
)
def test_what_is_no_meter_is_refused(rows, message):
    with pytest.raises(InputError, match=f"^{message}"):
        read("time,watts\n" + rows)


@pytest.mark.parametrize("header", ["time_s,power_w", "time,volts"])
def test_columns_that_are_none_are_named(header):
    with pytest.raises(InputError, match=f"^m.csv:1: found the columns {header}, expected a time"):
        read(f"{header}\n1,2\n")


def test_half_a_line_is_left_out():
    with pytest.warns(InputWarning, match="last line is not whole"):
        assert len(read("time,watts\n5,6\n6,7\n7,")) == 2


STRAIGHT = "100,10\n101,20\n102,20\n102.001,40\n103,40\n"
# As a meter makes them that measures twice or three times a second and writes whole seconds.
EQUAL = "100,10\n100,20\n101,20\n101,\n102,20\n102,30\n102,40\n103,\n103,\n104,30\n104,30\n105,30\n"
# The distances are 1 s, so that 10 s are a gap.
GAPS = "100,10\n101,10\n102,10\n103,\n104,30\n105,30\n115,30\n116,30\n"


@pytest.mark.parametrize(
    "rows, edges, watts",  # from each edge to the next
    [
        (STRAIGHT, [100, 100.2, 100.4, 101, 102, 103], [11, 13, 17, 20, 39.99]),
        (STRAIGHT, [100, 103], [24.996667]),
        (EQUAL, [100, 101, 102, 104, 105], [17.5, 25, NAN, 30]),
        (GAPS, [50, 60, 99, 101, 102, 104, 106, 107, 200, 210], [NAN, NAN, 10, 10, NAN, 30, NAN, NAN, NAN]),
        (GAPS, [98.9, 101], [NAN]),  # less than half is known
        ("0,1\n5,1\n6,3\n", [0, 5], [1]),
        ("0,1\n5.1,1\n6.1,3\n7.1,3\n", [0, 5], [NAN]),
        (STRAIGHT, [100], []),
    ],
)
def test_means_are_of_straight_lines_and_unknown_by_half(rows, edges, watts):
    found = mean_power(read("time,watts\n" + rows), edges[:-1], edges[1:])
    assert found.tolist() == pytest.approx(watts, abs=1e-6, nan_ok=True)


@pytest.mark.parametrize("offset, power", [(0, [15, 30, NAN]), (1, [NAN, 15, 30])])
def test_a_log_gets_the_power_of_its_rows(tmp_path, offset, power):
    log, meter = tmp_path / "l.csv", tmp_path / "m.csv"
    log.write_text("time_s,monotonic_s,load,power_w,time_unix_s\n1,11,0,5,1011\n2,12,0,5,1012\n3,13,0,5,1013\n")
    meter.write_text("time,watts\n1010,10\n1011,20\n1012,40\n")
    run = join([str(log)], powers=[File(str(meter))], offsets_s={"m.csv": offset})[0]
    assert run.log["power_w"].tolist() == pytest.approx(power, nan_ok=True)
