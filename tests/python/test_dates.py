# SPDX-License-Identifier: MIT
"""One format of dates for each file, decided from all of them."""
import datetime
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from showstopper._dates import UNKNOWN_NS, parse_dates, year_month_day

AUTUMN = [f"2026-10-25 {time}:00" for time in ("01:50", "02:10", "02:50", "02:00", "02:59", "03:00")]
AUTUMN_UTC = "10-24T23:50 10-25T00:10 10-25T00:50 10-25T01:00 10-25T01:59 10-25T02:00"


def dates(texts, **zone):
    """Without year and seconds; - for what is no date."""
    found = parse_dates([np.array([text.encode() for text in texts])], **zone)
    moments = [
        "-" if ns == UNKNOWN_NS else datetime.datetime(1970, 1, 1) + datetime.timedelta(microseconds=ns // 1000)
        for ns in found.ns.tolist()
    ]
    return " ".join("-" if at == "-" else f"{at:%m-%dT%H:%M}" for at in moments), found


@pytest.mark.parametrize(
    "texts, expected",
    [
        (["2026-03-01T18:30:00Z", "2026-03-01 18:30:00.5+01:00", "2026/03/01"], "03-01T18:30 03-01T17:30 03-01T00:00"),
        (["2026-03-01 18:30:00 UTC", "2026-03-01 18:30 GMT"], "03-01T18:30 03-01T18:30"),
        (["01.03.2026 18:30", "1.12.2025 9:05:01"], "03-01T18:30 12-01T09:05"),
        (["3/1/2026 6:30 PM", "12/31/2025 12:00:01 AM", "3/1/2026 12:15 pm"], "03-01T18:30 12-31T00:00 03-01T12:15"),
        (["31/1/2026 6:30", "1/2/2026, 12:00:01"], "01-31T06:30 02-01T12:00"),
        (["31/1/2026 6:30", "1/31/2026 6:30"], "- -"),
        (["01/Mar/2026:18:30:00 +0100", "01/xyz/2026:18:30:00 +0100"], "03-01T17:30 -"),
        (["11/22/26 23:59:31"], "11-22T23:59"),
        (["26-11-22 23:59:31"], "11-22T23:59"),
        (["2024-02-29", "2023-02-29", "2026-13-01", "2026-04-31", "2026-01-00"], "02-29T00:00 - - - -"),
        (["2026-01-01 24:00:00", "2026-01-01 10:60:00", "2026-01-01 00:30 PM", "x", ""], "- - - - -"),
        (["2026-01-01", "2026-01-02", "1.2.2026"], "01-01T00:00 01-02T00:00 -"),
    ],
)
def test_formats(texts, expected):
    assert dates(texts)[0] == expected


def test_what_is_assumed_is_said():
    assert dates(["3/1/2026"])[1].assumed == ["dates taken as month, day and year"]
    assert dates(["3/1/2026", "3/13/2026"])[1].assumed == dates(["13/3/2026"])[1].assumed == []
    assert dates(["2026-03-01 10:00", "2026-03-01 10:00Z", "x"])[1].is_unzoned.tolist() == [True, False, False]


def test_zones_and_the_hour_that_comes_twice(monkeypatch):
    assert dates(AUTUMN, zone=ZoneInfo("Europe/Berlin"))[0] == AUTUMN_UTC
    assert (
        dates(["2026-07-01 12:00", "2026-01-01 12:00"], zone=ZoneInfo("America/New_York"))[0]
        == "07-01T16:00 01-01T17:00"
    )
    assert dates(["2026-03-01 05:30"], zone=ZoneInfo("Asia/Kolkata"))[0] == "03-01T00:00"


@pytest.mark.parametrize(
    "texts, found",
    [
        ("25/03/26 25/03/2026", ("dmy", False)),
        ("31/01/26 01/02/26", ("dmy", False)),
        ("03/01/26", ("mdy", True)),
        ("03/13/26", ("mdy", False)),
        ("25.03.2026", ("dmy", False)),
        ("2026-03-25", ("ymd", False)),
        ("31/01/26 01/31/26", (None, False)),
        ("03/01/26 2026-03-01", (None, False)),
        ("tomorrow", (None, False)),
    ],
)
def test_the_order_of_day_and_month(texts, found):
    assert year_month_day(texts.split()) == found
