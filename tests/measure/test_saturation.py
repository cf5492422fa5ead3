# SPDX-License-Identifier: MIT
"""The rate at which a service saturates."""

import random
from itertools import accumulate, takewhile
from pathlib import Path
from typing import cast

import pytest
from measure import saturation, services

HEAD = "request,url,planned_s,arrival_s,sent_s,end_s,status,bytes,time_unix_s\n"


def records(file: Path, rows: list[tuple[float, float, str]]) -> Path:
    """Of each request when it arrived and ended, and its status."""
    lines = (f"{k},0,{at},{at},{at},{end},{status},5,{1e9 + at}\n" for k, (at, end, status) in enumerate(rows))
    file.write_text(f"{HEAD},0,,,,,http://x/,,\n{''.join(lines)}")
    return file


def test_saturated_is_a_warm_service_until_the_end(tmp_path: Path) -> None:
    """Ten a second, of a queue that is answered after the end as well; one in ten is refused. In the first second and a half, when it isn't warm, one alone."""
    end = saturation.WARMING + saturation.PROBE
    rows = [(100.0, 101.5, "200")]
    rows += [(100 + k / 10, 100 + (k + 1) / 10, "500" if k % 10 == 9 else "200") for k in range(15, 10 * end + 32)]
    assert saturation.probed_rate(records(tmp_path / "x.csv", rows)) == pytest.approx(9, abs=0.1)
    assert saturation.answers_in(tmp_path / "x.csv")[0] == 100


@pytest.mark.parametrize("seed", range(100))
def test_a_quarter_more_than_it_is_said_to_answer_is_too_much(seed: int, tmp_path: Path) -> None:
    """Of a service that always works on a request and takes a time of an exponential distribution, a tenth of a second in the mean."""
    times, end = random.Random(seed), 100 + saturation.WARMING + saturation.PROBE
    ends = takewhile(lambda at: at < end, accumulate((times.expovariate(10) for _ in range(10000)), initial=100.0))
    assert 1.25 * saturation.probed_rate(records(tmp_path / "x.csv", [(100.0, at, "200") for at in ends])) > 10


@pytest.mark.parametrize("places, most", [(1, 5), (8, 16), (16, 32)])
def test_no_request_waits_for_much_longer_than_it_is_worked_on(places: int, most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    """Clients give up after some seconds; a service that works on what is given up answers less than it can."""
    asked: list[str] = []
    seconds = saturation.WARMING + saturation.PROBE

    class Client:
        def __init__(self, _: object, to: Path, *words: object) -> None:
            records(to, [(100 + k / 10, 100 + k / 10, "200") for k in range(seconds * 10)])
            more = words[-1]
            assert isinstance(more, list)
            asked.extend(more)

        def __enter__(self) -> "Client":
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def is_alive(self) -> bool:
            return False

    monkeypatch.setattr(services, "Client", Client)
    served = cast(services.Served, None)
    assert saturation.rate_of(served, tmp_path / "x", places, ["--cpus", "1"]) == pytest.approx(10, abs=0.1)
    assert asked == ["--limit", str(most), "--beyond", "drop", "--cpus", "1"]
