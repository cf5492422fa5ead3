# SPDX-License-Identifier: MIT
"""What is said of findings, of small made-up measurements."""

from pathlib import Path

import pandas as pd
import pytest
from measure import evidence, repeats
from measure.claims import Claim
from measure.evidence import Evidence, File, Values
from measure.text import Row

CURVES, OUTSIDE = Claim("-0.05:0.05", "curves"), Claim("-0.05:0.05", "curves outside")


def around(value: float, spread: float = 0.001) -> list[float]:
    return [value + spread * off for off in (0, 1, -1, 0.5, -0.5)]


def evidence_of(*files: tuple[str, list[Row]], classes: dict[str, str] | None = None) -> Evidence:
    return Evidence([File(kind, Path("b") / f"{kind}.csv", Path("b"), 2, rows) for kind, rows in files], classes or {})


def test_a_ratio_is_shown_as_one() -> None:
    assert Claim("0:", "logs").judge({("a",): around(1.386294)}).why.startswith("300.0 % (")
    # 5 % more is 0.0488 as a logarithm, which is not 5 %.
    claim = Claim("0.05:", "logs")
    assert claim.judge({("a",): around(0.0485, 0.00001)}).word != "shown"
    assert claim.judge({("a",): around(0.0491, 0.00001)}).word == "shown"


def test_a_curve_counts_once() -> None:
    flat: Values = {(name, load): around(0.0) for name in "ab" for load in (33, 66)}
    # Of c one load can't be told from the bound with so much scatter.
    unclear: Values = {("c", 33): around(0.0), ("c", 66): around(0.04, 0.02)}
    found = CURVES.judge({("d", 33): around(0.2), **flat, **unclear})
    assert found.why.startswith("so in 2 of 4, not so in 1, 1 can't be told")
    alone = CURVES.judge({("c", 66): unclear["c", 66], ("e", 33): unclear["c", 66]})
    assert found.word == "undecided" and found.needed >= 8 and alone.needed >= 8
    bent: Values = {(name, load): around(0.2 * (load == 66)) for name in "abc" for load in (33, 66)}
    assert OUTSIDE.judge(bent).why.startswith("so in 3 of 3")


def test_what_it_takes_is_of_the_curve_that_is_unclear() -> None:
    clear: Values = {("a", 33): around(0.0), ("a", 66): around(0.0)}
    unclear: Values = {("b", 33): around(0.0), ("b", 66): around(0.04, 0.02)}
    # Whether the unclear one comes first or last.
    of = [CURVES.judge(values).needed for values in (clear | unclear, unclear | clear)]
    assert of[0] == of[1] > 5


def test_a_finding_that_is_shown_takes_nothing() -> None:
    """Whatever number of its values can't be told."""
    values: Values = {(name,): around(0.0) for name in "abcdefg"} | {("h",): around(0.04, 0.02)}
    found = Claim("-0.05:0.05").judge(values)
    assert found.word == "shown" and found.why.startswith("so in 7 of 8, not so in 0, 1 can't be told")


def test_signs_of_curves_count_once() -> None:
    once: Values = {(name, load): [0.2 * (load == 66)] for name in "abc" for load in (33, 66, 90)}
    assert OUTSIDE.judge(once).why.startswith("so in 3 of 3 that were run once")


def throughput(label: str, load: float, rate: float) -> Row:
    return {"label": label, "load": f"{load}", "throughput": f"{rate}"}


def test_even_and_uneven_are_compared_at_the_same_loads(build: Path) -> None:
    """At 100 even has more load than the baseline ever had, so that its distance is not known there."""
    rows = [throughput(f"x_{load}_baseline_1", load / 100, float(load)) for load in (33, 66, 99)]
    for again in (1, 2):
        rows += [
            throughput(f"x_{load}_PI-uneven_{again}", load / 100, load * off)
            for load, off in ((33, 0.98), (66, 0.98), (99, 0.8))
        ]
        rows += [
            throughput(f"x_33_PI-even_{again}", 0.33, 33 * 0.98),
            throughput(f"x_66_PI-even_{again}", 0.66, 66 * 0.98),
        ]
        rows += [throughput(f"x_99_PI-even_{again}", 0.995, 99 * 0.8)]
    [found] = evidence.nearer_to_baseline(evidence_of(("throughput-runs", rows))).values()
    assert found == pytest.approx([0, 0])


def accuracy(label: str, error: float, samples: int = 20) -> Row:
    row = {"label": label, "samples": f"{samples}", "bursts": "0", "target": "0.5", "mean_error_pp": f"{error}"}
    return row | {"mse_pp2": f"{error * error}"}


def test_an_experiment_counts_once_however_often_it_is_repeated(build: Path) -> None:
    def near(*files: tuple[str, list[Row]]) -> list[float]:
        return evidence.near_targets(evidence_of(*files))[("experiments",)]

    rows = [accuracy(f"x_{load}_PI-even_1", 1) for load in (20, 30, 40)]
    rows += [accuracy(f"x_50_PI-even_{again}", 20) for again in range(1, 9)]
    assert sorted(near(("accuracy-runs", rows))) == [0, 1, 1, 1]
    replayed = ("accuracy", [{"replay_s": "60"}])
    assert len(near(replayed, ("accuracy-runs", rows))) == 4


def test_whole_instances_that_fit_are_no_baseline(build: Path) -> None:
    def values(error: float) -> Values:
        rows = [accuracy("x_50_N-bench_1", error), accuracy("x_50_PI-even_1", 2)]
        return evidence.below_baselines(evidence_of(("accuracy-runs", rows)), "PI-even")

    assert not values(0.5) and values(3)


def test_schemes_are_compared_repetition_by_repetition() -> None:
    rates = {"a": {1: 10, 2: 10, 3: 10, 4: 10}, "b": {2: 9, 3: 5, 4: 9}, "c": {1: 9, 2: 5, 3: 9, 4: 5}}
    rows = [("b", "x", "y", name, again, rate) for name, of in rates.items() for again, rate in of.items()]
    runs = pd.DataFrame(rows, columns=["batch", "first", "second", "name", "again", "rate"])
    assert evidence.ahead_of_rest(runs, "rate", "a")["b", "x", "y"] == pytest.approx([0.10536] * 3, abs=1e-4)


def test_events_that_were_not_counted_are_not_0(build: Path) -> None:
    rows = [{"target %": "95", "misses": "8"}, {"target %": "80", "misses": ""}, {"target %": "5", "misses": "16"}]
    file = File("events", Path("b/events-x_y_per-thread_1.csv"), Path("b"), 2, rows)
    [found] = evidence.events(Evidence([file], {}), "misses", "fall").values()
    assert found == pytest.approx([0.6931], abs=1e-3)


def test_repeats_of_a_list_are_those_of_all(tmp_path: Path) -> None:
    """What has phases is run more often than the rest."""
    (tmp_path / "runs.tsv").write_text(
        "".join(f"x_50_CDC+_{again}\tx\n" for again in range(1, 11)) + "x_50_PI_1\tx\nx_50_PI_8\tx\n"
    )
    assert repeats.repeats_in(tmp_path / "runs.tsv") == 8
    assert repeats.repeats_in(tmp_path / "none.tsv") == 0
