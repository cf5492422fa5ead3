# SPDX-License-Identifier: MIT
"""What of each client's file is a request, how it ended, and what is left out or refused."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from showstopper.requests import InputError, read_requests

FILES = Path(__file__).parent / "requests"
OWN = "request,url,planned_s,arrival_s,sent_s,end_s,status,bytes,time_unix_s\n"
ROW = "0,0,1,1,1,2,200,,\n"
HEY = (FILES / "hey.csv").read_text().partition("\n")[0] + "\n0.1,0,0,0,0,0,200,1\n"
K6 = (FILES / "k6.csv").read_text().partition("\n")[0] + "\n"
JTL = (FILES / "jmeter.jtl").read_text().partition("\n")[0] + "\n"
SUM = "Number of samples in transaction : 1, number of failing samples : 0"
NAN = np.nan
T = 1795391971  # 2026-11-22T23:59:31Z


@pytest.fixture(autouse=True)
def _utc(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("TZ", "UTC0")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


# Of each request: when it began (since T, if that is of the wall clock), how long it took, how it ended.
CASES: dict[str, list[tuple[float, float, str]]] = {
    "old.csv": [(1, 2, "good"), (2, NAN, "dropped")],
    "old-statuses.csv": [(1, 1, each) for each in "wrong good unexpected timeout refused failed".split()],
    "old-command.csv": [(1, 1, "good"), (1, 1, "wrong")],
    "old.jsonl": [(1, 3, "wrong"), (1, 3, "timeout")],
    "outcomes.csv": [(1, 2, "good"), (1, 1, "timeout"), (1, 1, "wrong"), (1, NAN, "dropped"), (1, 1, "good")],
    "pgbench.log": [(0.547976, 0.000381, "good"), (0.5, 0, "failed"), (0.707883, 0.002076, "good")],
    "pgbench-rate.log": [(0.598509, 0.003563, "good"), (0.642052, NAN, "dropped")],
    "hey.csv": [(0.0621, 0.0014, "good"), (1, 0.5, "wrong")],
    "vegeta.csv": [(0.123457, 0.002345678, "good"), (0, 30, "timeout"), (0, 1e-09, "refused"), (0, 1e-09, "failed")],
    "k6.csv": [(-0.25, 0.25, "good"), (0, 0.001, "timeout"), (0, 0, "unexpected"), (0, 0.5, "failed"), (0, 0, "good")],
    "nginx.log": [(-0.003, 0.003, "good"), (-1.25, 1.5, "wrong"), (-0.005, 0.005, "good"), (-0.004, 0.004, "wrong")],
    "haproxy.log": [(0.656, 0.109, "good"), (0.656, 5.001, "timeout"), (0.656, 0.007, "wrong")],
    "jmeter.jtl": [
        (0.552, 0.354, "good"),
        (0.553, 0.01, "unexpected"),
        (0.554, 0.02, "timeout"),
        (0.555, 0.02, "refused"),
    ],
    "jmeter-dates.jtl": [(0.25, 0.005, "good"), (0.5, 0.005, "good"), (0, 0.005, "unexpected")],
    "jmeter-no-quotes.jtl": [(0, 0.005, each) for each in "good refused failed unexpected good".split()],
    "jmeter-no-success.jtl": [(0, 0.001, "wrong"), (0, 0.001, "failed")],
}


@pytest.mark.parametrize("file", CASES)
@pytest.mark.filterwarnings("ignore")
def test_requests(file: str) -> None:
    frame = read_requests(FILES / file)
    begin = frame["planned_s"].fillna(frame["sent_s"]).to_numpy()
    found = np.column_stack([begin - T * (begin > T / 2), frame["response_s"]])
    np.testing.assert_allclose(found, [case[:2] for case in CASES[file]], rtol=0, atol=4e-7)
    assert list(frame["outcome"]) == [case[2] for case in CASES[file]]


def read(tmp_path: Path, text: str, recwarn: Any = (), **named: str) -> tuple[Any, list[str]]:
    """The frame of a file with that text, and what was warned of."""
    (tmp_path / "f").write_text(text, encoding="utf-8")
    frame = read_requests(tmp_path / "f", **named)  # type: ignore[arg-type]
    return frame, [str(each.message).replace(str(tmp_path / "f"), "f") for each in recwarn]


ANY = "begin,end_ms,took_us,day\n1,2500,300,2026-11-22T23:59:31.5+00:00\n2,1000,,\n3,3000,1,2026-11-22T23:59:31Z\n"


@pytest.mark.parametrize(
    "named,begin,response",
    [
        ({"start": "begin", "end": "end_ms", "unit": "s"}, [1, 3], [1.5, 0]),
        ({"start": "begin", "time": "took_us", "unit": "s"}, [1, 3], [0.0003, 1e-6]),
        ({"end": "day", "time": "took_us"}, [T + 0.4997, T - 1e-6], [0.0003, 1e-6]),
        ({"time": "took_us"}, [NAN, NAN], [0.0003, 1e-6]),
    ],
)
def test_named_columns(tmp_path: Path, recwarn: Any, named: dict[str, str], begin: Any, response: Any) -> None:
    frame, notes = read(tmp_path, ANY, recwarn, **named)
    np.testing.assert_allclose(frame["sent_s"], begin, rtol=0, atol=3e-7)
    np.testing.assert_allclose(frame["response_s"], response, rtol=0, atol=1e-12)
    assert frame["outcome"].isna().all() and frame["time_unix_s"].notna().all() == (named.get("end") == "day")
    expected = "expected numbers from 0 on, or dates, in the named columns"
    assert notes == [f"f:3: found no number or date, {expected}; lines left out: 1"]


@pytest.mark.parametrize(
    "text,note",
    [
        (OWN + ROW + ",,2,,,5,,,\n", "f: requests of 3.000 s are missing in the records"),
        (OWN + ROW + "0,0,1,1,1,2,20", "f: the last line is not whole and is left out"),
        (f"0 1 9 0 {T} 1\nhalf of a li\n# rotated\n", "f:2: found 'half of a li', expected a line of pgbench -l"),
        (HEY, "f: hey leaves out requests without an answer"),
        (HEY + "0.1,0,0\n", "f:3: found no number or date, expected numbers as of hey"),
        (f"{K6}dropped_iterations,{T},3\nhttp_req_duration,{T},1,,,,true,,d,200\n", "f: k6 dropped 3 iterations"),
        (
            f'{JTL}{T}000,1,a,200,OK,t,,true,,1,\n{T}000,9,T,200,"{SUM}",t,,true,,1,\n',
            "f: left out one row of a Transaction",
        ),
        (
            f"{JTL}{T}000,1,a,b,200,OK,t,,false,,1,\n{T}000,9,T,200,{SUM},t,,true,,1,\n",
            "f: left out one row of a Transaction",
        ),
        (f"timeStamp,elapsed,responseCode\n{T}000,1,200\n", "f: without the column responseMessage"),
        (f"{JTL}{T}000,1,a,200,OK,t,,true,,1,\n{T}000,,a,500,no,t,,false,,1,\n", f"f:3: found '{T}000,,a"),
        (f"{JTL}x,1,a,500,no,t,,false,,1,\n{T}000,1,a,b,200,OK,t,,true,,1,\n", "f:2: found 'x,1,a,500"),
    ],
)
def test_what_is_left_out_is_said(tmp_path: Path, recwarn: Any, text: str, note: str) -> None:
    frame, notes = read(tmp_path, text, recwarn)
    assert len(frame) == 1 and any(each.startswith(note) for each in notes), notes


@pytest.mark.parametrize(
    "text,named,message",
    [
        (OWN + "0,0,1,1,1,x,200,,\n", {}, "f:2: end_s: found 'x', expected a number"),
        (OWN + ROW + "0,0,1,1,1,0.5,200,,\n", {}, "f:3: end_s: found '0.5', expected a time from those before it on"),
        (OWN + "0,0,1,1,1,2,20x,,\n", {}, "f:2: status: found '20x', expected a number or a word"),
        (OWN + "0,0,-1,1,1,2,200,,\n", {}, "f:2: planned_s: found '-1', expected no time below 0"),
        (OWN.replace("status", "status,outcome") + "0,0,1,1,1,2,200,fine,,\n", {}, "f:2: outcome: found 'fine'"),
        (OWN + ROW + "98,http://x/,,,,,timeout,,\n", {}, "f:3: end_s: found 'nan', expected a time here"),
        (OWN + ROW + "garbage\n", {}, "f:3: found 1 fields, expected 9 as in the header"),
        (OWN + ROW + ROW[:-1] + ",extra\n", {}, "f:3: found 10 fields, expected 9 as in the header"),
        (OWN.replace("status", "status,outcome") + ",,1,,,2,,,,\n0,0,1,,,2,500,wrong,,\n", {}, "f:3: end_s"),
        ('{"request":0,\n', {}, "f:1: found no JSON"),
        (OWN, {}, "f: found no request$"),
        ("", {}, "f: found an empty file"),
        ("a,b\n1,2\n", {}, "f:1: found the columns a,b, expected those of requests"),
        ("1345828501 5601 1542744 483552416 61 2573\n", {}, "f:1: found the columns"),
        (
            '::1 - - [22/Nov/2026:23:59:31 +0000] "GET /" 200 6 "-" "-"\n',
            {},
            "f:1: found '::1 .*, expected a line of nginx",
        ),
        (f'{JTL}{T}000,9,T,200,"{SUM}",t,,true,,1,\n', {}, "f: found only rows of a Transaction Controller"),
        (ANY, {"time": "took"}, "f:1: found no column 'took' among begin,end_ms,took_us,day"),
        (ANY, {"time": "begin"}, "f:1: begin: found no unit at the end of this name"),
        (ANY, {"start": "begin"}, "found start, expected start and end"),
        (ANY, {"start": "begin", "end": "end_ms", "time": "took_us"}, "found start, end, time, expected"),
        (ANY, {"time": "begin", "unit": "h"}, "found the unit 'h'"),
        (OWN, {"unit": "s"}, "found the unit 's', expected .* beside start"),
    ],
)
def test_refused(tmp_path: Path, text: str, named: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(tmp_path, text, **named)


def test_dates_without_a_zone_are_local(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
    time.tzset()
    rows = [f"2026/{month}/01 12:00:00.5,1,a,200,OK,t,,true,,1,\n" for month in ("07", "12")]
    assert list(read(tmp_path, JTL + "".join(rows))[0]["sent_s"]) == [1782900000.5, 1796122800.5]


def test_pgbench_has_a_lag_or_retries(tmp_path: Path) -> None:
    frame = read_requests(FILES / "pgbench-rate.log")
    np.testing.assert_allclose(frame["sent_s"] - frame["planned_s"], [0.003205, NAN], atol=3e-7)
    assert read(tmp_path, f"0 1 2076 0 {T} 709959 0\n0 2 37 0 {T} 710017 2\n")[0]["planned_s"].isna().all()
