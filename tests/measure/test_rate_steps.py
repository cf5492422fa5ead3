# SPDX-License-Identifier: MIT
"""Steps of a rate: where a service saturates, what is left out, and what too few answers say."""

import random
from itertools import accumulate, takewhile
from pathlib import Path
from typing import cast

import pytest
from measure import latencies, rate_steps, services
from measure.rate_steps import Point
from measure.text import Row, Trouble

HEAD = "request,url,planned_s,arrival_s,sent_s,end_s,status,bytes,time_unix_s\n"


def records(file: Path, rows: list[tuple[float, float, str]]) -> Path:
    """Of each request when it arrived and ended, and its status."""
    lines = (f"{k},0,{at},{at},{at},{end},{status},5,{1e9 + at}\n" for k, (at, end, status) in enumerate(rows))
    file.write_text(f"{HEAD},0,,,,,http://x/,,\n{''.join(lines)}")
    return file


def test_saturated_is_a_warm_service_until_the_end(tmp_path: Path) -> None:
    """Ten a second, of a queue that is answered after the end as well; one in ten is refused. In the first second and a half, when it isn't warm, one alone."""
    end = rate_steps.WARMING + rate_steps.PROBE
    rows = [(100.0, 101.5, "200")]
    rows += [(100 + k / 10, 100 + (k + 1) / 10, "500" if k % 10 == 9 else "200") for k in range(15, 10 * end + 32)]
    assert rate_steps.probed_rate(records(tmp_path / "x.csv", rows)) == pytest.approx(9, abs=0.1)
    assert rate_steps.answers_in(tmp_path / "x.csv")[0] == 100


@pytest.mark.parametrize("seed", range(100))
def test_a_quarter_more_than_it_is_said_to_answer_is_too_much(seed: int, tmp_path: Path) -> None:
    """Of a service that always works on a request and takes a time of an exponential distribution, a tenth of a second in the mean."""
    times, end = random.Random(seed), 100 + rate_steps.WARMING + rate_steps.PROBE
    ends = takewhile(lambda at: at < end, accumulate((times.expovariate(10) for _ in range(10000)), initial=100.0))
    assert 1.25 * rate_steps.probed_rate(records(tmp_path / "x.csv", [(100.0, at, "200") for at in ends])) > 10


@pytest.mark.parametrize("places, most", [(1, 5), (8, 16), (16, 32)])
def test_no_request_waits_for_much_longer_than_it_is_worked_on(places: int, most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    """Clients give up after some seconds; a service that works on what is given up answers less than it can."""
    asked: list[str] = []

    class Client:
        def __init__(self, _: object, to: Path, *words: object) -> None:
            records(to, [(100 + k / 10, 100 + k / 10, "200") for k in range(500)])
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
    assert rate_steps.saturation(served, tmp_path / "x", places, ["--cpus", "1"]) == pytest.approx(10, abs=0.1)
    assert asked == ["--limit", str(most), "--beyond", "drop", "--cpus", "1"]


def step(place: int, requests: int, answered: int, mean: float | None) -> Row:
    time = "" if mean is None else f"{mean}"
    times = {f"{name}{end}_s": time for name in ("mean", "p95") for end in ("", "_low", "_high")}
    counts = {"requests": f"{requests}", "errors": f"{requests - answered}", "rate_per_s": "50", "answered_per_s": "5"}
    rest = {"planned_per_s": f"{50 * (place + 1)}", "disturbed": "", "power_w": "", "place": f"{place}", "level": "x"}
    return times | counts | rest


def test_a_rate_at_which_nearly_all_is_refused_holds_no_limit(build: Path) -> None:
    steps = [step(0, 100, 100, 0.01), step(1, 200, 3, None)]
    assert rate_steps.few_said(steps) == "" and all(map(rate_steps.is_full, steps))
    points = rate_steps.by_name(build, steps, "level")["x"]
    assert points[1].success == pytest.approx(1.5) and points[1].mean is None
    assert points[1].cells()["mean (ms)"] == "too few"
    of: list[Point] = list(points.values())
    assert rate_steps.holds("mean=1s", of) == [True, False] and rate_steps.holds("p95=3x", of) == [True, False]
    assert rate_steps.holds("p95=3x", of[::-1])[0] is False
    assert rate_steps.underloaded(["mean=1s"], points) == 1


def test_failures_of_a_repeat_without_times_count(build: Path) -> None:
    point = rate_steps.by_name(build, [step(0, 100, 100, 0.01), step(0, 100, 10, None)], "level")["x"][0]
    assert point.success == pytest.approx(55) and point.mean == pytest.approx(0.01) and point.mean_half is None


def test_steps_of_few_requests_are_left_out() -> None:
    assert "1 of 2 steps" in rate_steps.few_said([step(0, 5, 5, None), step(1, 100, 100, 0.01)])
    with pytest.raises(Trouble, match="in each of 1 steps fewer than 20 requests arrived"):
        rate_steps.few_said([step(0, 5, 5, None)])


def test_two_ends_are_compared_whatever_lies_between(build: Path) -> None:
    values = {"67": (1.0, 1.1, 1.2), "83": (1.1, 1.2, 1.3), "100": (1.25, 1.35, 1.5)}
    rows = [{"level": level, "mean_s": f"{value}"} for level, of in values.items() for value in of]
    alone = [row for row in rows if row["level"] != "83"]
    of = [rate_steps.differ(build, some, "level", ("67", "100"), "mean_s") for some in (rows, alone)]
    assert of[0] == of[1] and of[0][1]


def test_a_search_is_not_told_by_what_too_few_were_answered_for() -> None:
    def at(target: float, value: float | None) -> latencies.Step:
        return latencies.Step(target, target, 100, 0, value, value, value, value, value, 0.05, False)

    assert latencies.bounds([at(0, 0.02), at(45, None), at(90, 0.08)]) == (0, 90)
