# SPDX-License-Identifier: MIT
"""What is said of findings, of small made-up measurements."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from measure import evidence, repeats, verdicts
from measure.evidence import Evidence, File, Values
from measure.text import Row
from measure.verdicts import Claim, Verdict

CURVES = Claim("", "", lambda _: {}, "-0.05:0.05", "", "", curves=True)


def around(value: float, spread: float = 0.001) -> list[float]:
    return [value + spread * off for off in (0, 1, -1, 0.5, -0.5)]


def evidence_of(*files: tuple[str, list[Row]], classes: dict[str, str] | None = None) -> Evidence:
    return Evidence([File(kind, Path("b") / f"{kind}.csv", Path("b"), 2, rows) for kind, rows in files], classes or {})


def test_a_ratio_is_shown_as_one(build: Path) -> None:
    claim = Claim("", "", lambda _: {}, "0:", "", "", logs=True)
    assert verdicts.judge(claim, {"a": around(1.386294)}).why.startswith("300.0 % (")
    # 5 % more is 0.0488 as a logarithm, which is not 5 %.
    assert not claim_holds(build, replace(claim, within="0.05:"), {"a": around(0.0485, 0.00001)})
    assert claim_holds(build, replace(claim, within="0.05:"), {"a": around(0.0491, 0.00001)})


def claim_holds(build: Path, claim: Claim, values: Values) -> bool:
    return verdicts.judge(claim, values).word == "shown"


def test_a_curve_counts_once(build: Path) -> None:
    flat = {f"{name} at {load}": around(0.0) for name in "ab" for load in (33, 66)}
    # Of c one load can't be told from the bound with so much scatter.
    unclear = {"c at 33": around(0.0), "c at 66": around(0.04, 0.02)}
    found: Verdict = verdicts.judge(CURVES, {"d at 33": around(0.2), **flat, **unclear})
    assert found.why.startswith("so in 2 of 4, not so in 1, 1 can't be told")
    alone = verdicts.judge(CURVES, {"c at 66": unclear["c at 66"], "e at 33": unclear["c at 66"]})
    assert found.word == "undecided" and found.needed >= 8 and alone.needed >= 8
    outside = replace(CURVES, is_inside=False)
    assert verdicts.judge(outside, {f"{name} at {load}": around(0.2 * (load == 66)) for name in "abc" for load in (33, 66)}).why.startswith("so in 3 of 3")  # fmt: skip


def test_what_it_takes_is_of_the_curve_that_is_unclear(build: Path) -> None:
    clear = {"a at 33": around(0.0), "a at 66": around(0.0)}
    unclear = {"b at 33": around(0.0), "b at 66": around(0.04, 0.02)}
    # Whether the unclear one comes first or last.
    of = [verdicts.judge(CURVES, values).needed for values in (clear | unclear, unclear | clear)]
    assert of[0] == of[1] > 5


def test_signs_of_curves_count_once(build: Path) -> None:
    outside = replace(CURVES, is_inside=False)
    once = {f"{name} at {load}": [0.2 * (load == 66)] for name in "abc" for load in (33, 66, 90)}
    assert verdicts.judge(outside, once).why.startswith("so in 3 of 3 that were run once")


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
    near: Callable[[Evidence], Values] = evidence.near_targets(False)
    rows = [accuracy(f"x_{load}_PI-even_1", 1) for load in (20, 30, 40)]
    rows += [accuracy(f"x_50_PI-even_{again}", 20) for again in range(1, 9)]
    assert sorted(near(evidence_of(("accuracy-runs", rows)))["experiments"]) == [0, 1, 1, 1]
    replayed = ("accuracy", [{"replay_s": "60"}])
    assert len(near(evidence_of(replayed, ("accuracy-runs", rows)))["experiments"]) == 4


def test_whole_instances_that_fit_are_no_baseline(build: Path) -> None:
    def values(error: float) -> Values:
        rows = [accuracy("x_50_N-bench_1", error), accuracy("x_50_PI-even_1", 2)]
        return evidence.below_baselines("PI-even")(evidence_of(("accuracy-runs", rows)))

    assert not values(0.5) and values(3)


def test_schemes_are_compared_repetition_by_repetition() -> None:
    def runs(of: Mapping[int, float]) -> dict[int, Row]:
        return {again: {"rate": f"{value}"} for again, value in of.items()}

    own = runs({again: 10.0 for again in (1, 2, 3, 4)})
    ratios = (evidence.log_ratios(own, runs(of), "rate") for of in ({2: 9, 3: 5, 4: 9}, {1: 9, 2: 5, 3: 9, 4: 5}))
    assert evidence.least_of(ratios) == pytest.approx([0.10536] * 3, abs=1e-4)


def test_events_that_were_not_counted_are_not_0(build: Path) -> None:
    rows = [{"target %": "95", "misses": "8"}, {"target %": "80", "misses": ""}, {"target %": "5", "misses": "16"}]
    file = File("events", Path("b/events-x_y_per-thread_1.csv"), Path("b"), 2, rows)
    [found] = evidence.events_by_load("misses", True)(Evidence([file], {})).values()
    assert found == pytest.approx([0.6931], abs=1e-3)


def test_repeats_of_a_list_are_those_of_all(tmp_path: Path) -> None:
    """What has phases is run more often than the rest."""
    (tmp_path / "runs.tsv").write_text(
        "".join(f"x_50_CDC+_{again}\tx\n" for again in range(1, 11)) + "x_50_PI_1\tx\nx_50_PI_8\tx\n"
    )
    assert repeats.repeats_in(tmp_path / "runs.tsv") == 8
    assert repeats.repeats_in(tmp_path / "none.tsv") == 0
