# SPDX-License-Identifier: MIT
"""Which requests and answers count for a row, how sure its figures are, and up to which load a limit is kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from showstopper._errors import InputError, InputWarning
from showstopper.cli.main import run
from showstopper.latency import latency, rate_steps, times_of_rows, verdict
from showstopper.requests import OUTCOMES


def make(
    planned: Any, response: Any, outcome: Any = "good", *, schedule: bool = True, client: str = "ssrequest"
) -> Any:
    """Requests that arrived when they were planned, and were sent 1 ms later."""
    planned, response = np.asarray(planned, float), np.broadcast_to(np.asarray(response, float), len(planned))
    frame = pd.DataFrame({"client": client, "planned_s": planned, "arrival_s": planned, "sent_s": planned + 0.001})
    frame["end_s"], frame["response_s"], frame["time_unix_s"] = planned + response, response, np.nan
    frame["outcome"] = pd.Categorical(np.broadcast_to(outcome, len(planned)), dtype=OUTCOMES)
    return frame if schedule else frame.assign(sent_s=planned, planned_s=np.nan, arrival_s=np.nan)


def staircase(*targets: float, above: Any = 0.012, others: Any = 0.0, rows: int = 20) -> pd.DataFrame:
    """A log of 10 s for each target, which began 1000 s after the machine did."""
    time = np.arange(1, rows * len(targets) + 1) * 10 / rows
    target = np.repeat(targets, rows)
    log = pd.DataFrame({"start_s": time - 10 / rows, "time_s": time, "monotonic_s": 1000 + time, "target": target})
    load = target + np.repeat(np.broadcast_to(above, len(targets)), rows)
    return log.assign(
        load=load, others=np.repeat(np.broadcast_to(others, len(targets)), rows), is_gap=False, is_warmup=False
    )


def every(seconds: float, rate: float, start: float = 1000) -> Any:
    return start + np.arange(int(seconds * rate)) / rate


def test_counts() -> None:
    outcome = ["good", "wrong", "unexpected", "timeout", "failed", "refused", "dropped"]
    row = latency(make(np.arange(7), 1, outcome)).iloc[0]
    assert list(row[["requests", "samples", "errors", "timeouts", "drops"]]) == [7, 4, 6, 1, 1]
    assert (row["start_s"], row["end_s"], row["rate_per_s"], row["throughput_per_s"]) == (0, 7, 1, 1 / 7)


@pytest.mark.parametrize("count,known", [(19, 0), (20, 1), (99, 1), (100, 2), (999, 2), (1000, 3)])
def test_figures_need_answers(count: int, known: int) -> None:
    row = latency(make(np.arange(count + 5), 1, ["good"] * count + ["dropped"] * 5)).iloc[0]
    for end in ("", "_low", "_high"):
        assert sum(pd.notna(row[f"{name}{end}_s"]) for name in ("p95", "p99", "p99_9")) == known


def test_figures_are_exact() -> None:
    row = latency(make(every(10, 1000), (np.arange(10000) * 7919 % 10000 + 1) / 1000)).iloc[0]
    figures = row[["mean_s", "p50_s", "p90_s", "p95_s", "p99_s", "p99_9_s", "max_s"]].astype(float)
    np.testing.assert_allclose(figures, [5.0005, 5, 9, 9.5, 9.9, 9.99, 10], atol=1e-9)


def test_intervals_hold_the_truth_and_have_no_end_where_it_may_be_longer() -> None:
    random = np.random.default_rng(1)
    names, truth = ["mean", "p50", "p90", "p95", "p99"], [1, np.log(2), np.log(10), np.log(20), np.log(100)]
    held = np.zeros(5)
    for _ in range(60):
        row = latency(make(every(6, 1000), random.exponential(size=6000))).iloc[0]
        held += [row[f"{name}_low_s"] <= true <= row[f"{name}_high_s"] for name, true in zip(names, truth)]
    assert (held >= 50).all() and np.isfinite(row["p99_high_s"])
    assert np.isinf(latency(make(np.arange(100), random.exponential(size=100)))["p99_high_s"][0])


def test_requests_in_clumps_say_less_and_draws_are_the_same() -> None:
    times = np.random.default_rng(1).exponential(size=6000)
    clumps = np.repeat(times[:30], 200)
    apart, clumped, same, other = (
        latency(make(every(6, 1000), each), seed=seed).iloc[0][["mean_low_s", "mean_high_s"]].astype(float)
        for each, seed in ((times, 1), (clumps, 1), (clumps, 1), (clumps, 2))
    )
    assert np.ptp(clumped) > 5 * np.ptp(apart) and (clumped == same).all() and (clumped != other).all()


@pytest.mark.parametrize("from_,schedule,p50", [("planned", True, 0.1), ("sent", True, 0.099), ("sent", False, 0.1)])
def test_from(from_: str, schedule: bool, p50: float) -> None:
    table = latency(make(every(10, 10), 0.1, schedule=schedule), from_=from_)
    assert table["p50_s"][0] == pytest.approx(p50, abs=1e-12) and table["start_s"][0] == 0


# ---- Rows -----------------------------------------------------------------------------------------------------------

LOG = staircase(0.1, 0.4, 0.7)


def test_steps_of_a_log() -> None:
    frame = make(every(30, 100), 0.01)
    table = latency(frame, LOG, edge=0.25)
    assert list(table["part"]) == ["all", "step", "step", "step"] and list(table["requests"]) == [3000, 500, 500, 500]
    assert table.loc[2, ["start_s", "end_s", "cut_start_s", "cut_end_s"]].tolist() == pytest.approx(
        [12.5, 17.5, 2.5, 2.5]
    )
    assert table["load"].tolist() == pytest.approx([0.412, 0.112, 0.412, 0.712]) and table["missed"].isna().all()
    assert [len(times) for times in times_of_rows(frame, table, LOG)] == [3000, 500, 500, 500]


def test_another_boot_is_joined_by_the_wall_clock() -> None:
    frame = make(every(30, 100), 0.01).assign(time_unix_s=lambda each: each["end_s"] + 1.7e9)
    moved = LOG.assign(monotonic_s=LOG["monotonic_s"] - 900, time_unix_s=LOG["monotonic_s"] + 1.7e9)
    assert latency(frame, moved)["load"].equals(latency(frame, LOG)["load"])


def test_rows_are_as_long_as_their_requests() -> None:
    table = latency(make(every(20, 100, 1005), 0.01), LOG, edge=0)
    np.testing.assert_allclose(table[["start_s", "end_s"]].iloc[[1, 3]], [[5, 10], [20, 25]], atol=1e-6)
    np.testing.assert_allclose(table["rate_per_s"], 100)
    np.testing.assert_allclose(table["cut_start_s"][1:], [5, 0, 0], atol=1e-6)


def test_of_requests_that_come_together_a_row_has_whole_batches() -> None:
    table = latency(make(1000 + np.arange(300) // 10, 0.01), LOG)
    assert list(table["requests"][1:]) == [70, 70, 70] and list(table["rate_per_s"][1:]) == [10, 10, 10]


@pytest.mark.parametrize("window,parts", [(10, 4), (4, 9), (22, 2)])
def test_windows(window: float, parts: int, recwarn: Any) -> None:
    assert len(latency(make(every(30, 100), 0.01), window_s=window)) == parts
    assert [str(each.message)[:38] for each in recwarn] == ["800 requests at the end are in no wind"] * (window == 22)


@pytest.mark.parametrize("rates,steps", [((50, 100, 150), 3), ((100, 101), 0), ((50, 50), 0)])
def test_steps_of_the_rate(rates: tuple[int, ...], steps: int) -> None:
    planned = np.concatenate([every(20, rate, 1000 + 20 * at) for at, rate in enumerate(rates)])
    table = latency(make(planned, 0.01))
    assert list(table["part"]) == ["all"] + ["step"] * steps
    np.testing.assert_allclose(table["rate_per_s"][1:], rates[:steps], rtol=0.01)
    assert len(latency(make(planned, 0.01, schedule=False))) == 1


def test_a_slope_has_no_steps() -> None:
    assert rate_steps(np.random.default_rng(1).poisson(np.linspace(100, 1000, 300))) == [0]
    assert rate_steps(np.random.default_rng(1).poisson(np.repeat([100, 200, 400], 20))) == [0, 20, 40]


@pytest.mark.parametrize("seconds,rates", [(5, "no rates"), (60, "rates are off by up to 1.7 %")])
def test_whole_seconds_have_no_rate_in_short_rows(seconds: int, rates: str) -> None:
    frame = make(np.arange(seconds * 20) // 20 + 1.7e9, 0.004, schedule=False, client="nginx")
    with pytest.warns(InputWarning, match=f"moments are whole seconds: {rates}"):
        table = latency(frame)
    assert pd.notna(table["rate_per_s"][0]) == (seconds == 60) and pd.notna(table["p50_s"][0])


def test_what_is_not_known_is_empty() -> None:
    frame = make(every(10, 10), 0.1, schedule=False, client="csv").assign(
        outcome=pd.Categorical([None] * 100, dtype=OUTCOMES)
    )
    row = latency(frame).iloc[0]
    assert row[["errors", "timeouts", "drops", "throughput_per_s"]].isna().all()
    assert row["rate_per_s"] == pytest.approx(10)
    row = latency(frame.assign(sent_s=np.nan, end_s=np.nan)).iloc[0]
    assert row[["start_s", "end_s", "rate_per_s"]].isna().all() and row["p50_s"] == 0.1


NINE = make(every(9, 9), 1)
CASES_REFUSED: list[tuple[Any, Any, Any, str]] = [
    (NINE.iloc[:0], None, {}, "found no request"),
    (NINE, None, {"from_": "end"}, "found 'end', expected planned, arrival or sent"),
    (make(every(9, 9, 9000), 1), LOG, {}, "found none of the requests at the time of the log"),
    (NINE, LOG.drop(columns="monotonic_s"), {}, "found no column monotonic_s"),
    (make(every(9, 9, 1.7e9), 1), LOG, {}, "found no column time_unix_s in the log"),
    (NINE.assign(client="hey"), LOG, {}, "which has no time of day"),
    (NINE.assign(planned_s=np.nan, arrival_s=np.nan, sent_s=np.nan), None, {"window_s": 1}, "moments are not known"),
    (NINE, None, {"edge": 0.5}, "found the edge 0.5"),
    (NINE, None, {"window_s": 0}, "the window 0, expected"),
    (NINE, None, {"window_s": 1e-6}, "found 9000000 windows"),
    (NINE, None, {"limit": {"p98": 1}}, "found a limit of 'p98', expected mean, p50"),
]


@pytest.mark.parametrize("frame,log,options,message", CASES_REFUSED)
def test_refused(frame: Any, log: Any, options: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        latency(frame, log, **options)


# ---- Limits ---------------------------------------------------------------------------------------------------------


def rows(*each: tuple[float, float, float, float], **more: Any) -> pd.DataFrame:
    """Steps of a load whose p99 has an interval, as a table."""
    table = pd.DataFrame(each, columns=["load", "p99_low_s", "p99_s", "p99_high_s"])
    table = table.assign(part="step", rate_per_s=10.0, requests=1000, errors=0, missed=None)
    return table.assign(**more)


KEEPS = "p99 stays within 50 ms up to a load of "
SURE = " The 95 % interval holds no other load that was tried."
OVER = " One step below that was over the limit."
LAST = " No greater load was over the limit."
NAN = np.nan
STEPS = [(0.9, 0.1, 0.2, 0.3), (0.45, 0.005, 0.01, 0.05), (0.5, 0.051, 0.06, 0.07), (0.6, 0.04, 0.05, 0.06)]
LESS = " It may be less (95 % interval: 45 to 60 %)."
MORE = " It may be less or more (95 % interval: 45 to 80 %)."
EQUAL = " One step at no greater load was over the limit."
FEW_KEEP = "There is no step with enough answers at which p99 stays within 50 ms."
FEW = " One step didn't count, as there were too few answers."
RATE = "p99 stays within 50 ms up to a rate of 60 requests/s. It may be less (95 % interval: 45 to 60 requests/s)."
NONE = " It may be less than any load that was tried (95 % interval: up to "
OFF = " One step didn't count, as the load missed its target by more than 2 percentage points"
MISSED = f"{OFF} (others used the processors: 1)."
RATES = {"load": NAN, "rate_per_s": [90, 45, 50, 60]}


@pytest.mark.parametrize(
    "table,limit,sentence",
    [
        (rows(*STEPS), 0.05, f"{KEEPS}60 %.{LESS}{OVER}"),
        (rows(*STEPS, (0.8, 0.05, 0.07, 0.09)), 0.05, f"{KEEPS}60 %.{MORE}{OVER}"),
        (rows(*STEPS), 1.5, f"{KEEPS.replace('50 ms', '1.5 s')}90 %.{SURE}{LAST}"),
        (rows(*STEPS[3:]), 0.05, f"{KEEPS}60 %.{NONE}60 %).{LAST}"),
        (rows(*STEPS[:3]), 0.001, "There is no step at which p99 stays within 1 ms."),
        (rows((0.3, 0.01, 0.06, 0.1)), 0.05, f"There is no step at which p99 stays within 50 ms.{NONE}30 %)."),
        (rows(*STEPS, missed=[None, None, None, "others"]), 0.05, f"{KEEPS}45 %.{SURE}{MISSED}"),
        (rows(STEPS[3], missed="others"), 0.05, f"Whether p99 stays within 50 ms is not known.{MISSED}"),
        (rows((0.3, 0.01, 0.01, 0.01), (0.5, NAN, NAN, NAN)), 0.05, f"{KEEPS}30 %.{SURE}{LAST}{FEW}"),
        (rows(*STEPS, **RATES), 0.05, RATE + OVER),
        (rows(STEPS[1], STEPS[0], missed=[None, "others"]), 0.05, f"{KEEPS}45 %.{SURE}{MISSED}"),
        (rows(STEPS[1], (0.45, 0.06, 0.07, 0.08)), 0.05, f"{KEEPS}45 %.{SURE}{EQUAL}{LAST}"),
        (rows((0.3, NAN, NAN, NAN), STEPS[0]), 0.05, FEW_KEEP + FEW),
    ],
)  # fmt: skip
def test_the_verdict_in_words(table: pd.DataFrame, limit: float, sentence: str) -> None:
    assert verdict(table, {"p99": limit}).sentence == sentence


def test_the_verdict_in_numbers() -> None:
    assert verdict(rows(*STEPS), {"p99": 0.05})[:3] == (0.6, 0.45, 0.6)
    with pytest.raises(InputError, match="found a limit, but no row"):
        verdict(rows(*STEPS, part="all"), {"p99": 0.05})


@pytest.mark.parametrize("bad", ["dropped", "wrong"])
@pytest.mark.parametrize(
    "figure,keeps", [("p99", ["yes", "no"]), ("p50", ["yes", "no"]), ("mean", ["yes", "no"]), ("max", ["yes", "no"])]
)
def test_failures_break_the_limit_of_a_quantile(bad: str, figure: str, keeps: list[str]) -> None:
    planned = np.concatenate([every(60, 100), every(60, 200, 1060)])
    outcome = np.where((np.arange(18000) >= 6000) & (np.arange(18000) % 10 > 0), bad, "good")
    assert list(latency(make(planned, 0.02, outcome), limit={figure: 0.05})["keeps_limit"][1:]) == keeps


def test_failures_break_a_limit_where_answers_are_few() -> None:
    outcome = np.where(np.arange(1000) < 10, "good", "dropped")
    assert latency(make(every(10, 100), 0.02, outcome), limit={"p99": 0.05})["keeps_limit"][0] == "no"
    assert latency(make(every(10, 5), 0.02), limit={"p99": 0.05})["keeps_limit"][0] is None


def test_a_missed_target_is_marked_with_its_reason() -> None:
    log = staircase(0.1, 0.5, 0.9, above=[0.02, 0.021, -0.03], others=[0.02, 0.03, 0])
    assert list(latency(make(every(30, 100), 0.01), log)["missed"]) == [None, None, "others", "below"]


# ---- The command line -----------------------------------------------------------------------------------------------


def test_command(tmp_path: Path) -> None:
    make(every(30, 100), np.arange(3000) % 90 / 1e3 + 0.002).assign(request=1, url=0, status=200).to_csv(
        tmp_path / "a", index=False
    )
    LOG.drop(columns=["is_gap", "is_warmup"]).to_csv(tmp_path / "log", index=False)
    words = ["latency", "--log", str(tmp_path / "log"), "--limit", "p95=100ms", str(tmp_path / "a")]
    result = run(words)
    assert (result.status, result.error) == (0, "")
    assert result.out.split("\n\n")[1].startswith("p95 stays within 100 ms up to a load of 71.2 %.")
    assert result.out.split("\n")[0].split("p95 ms")[1].split()[:4] == ["95", "%", "from", "to"]
    for picture in ("curve", "timeline", "tail"):
        assert run([*words, "--picture", picture, "-o", str(tmp_path / f"{picture}.png")]).status == 0
        assert (tmp_path / f"{picture}.png").stat().st_size > 10_000
    assert run(["latency", "--limit", "p99=1s", str(tmp_path / "a")]).error == (
        "ssreport: found --limit, but no steps of the rate, expected --log FILE or --window TIME\n"
    )
