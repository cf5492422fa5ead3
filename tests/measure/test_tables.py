# SPDX-License-Identifier: MIT
"""Tables and sentences of experiments, of figures by hand."""

import json
import math
from pathlib import Path

import pandas as pd
import pytest
import showstopper
from conftest import program
from measure import claims, evidence, pairs, peers, runs, settings, sides, workloads
from measure.batch import Part
from measure.runs import Group, Run
from measure.text import Row, Trouble, rows_of


def part_of(tmp_path: Path, build: Path) -> Part:
    return Part(tmp_path, tmp_path, "native", [], build, "made")


def run(workload: str, target: str, setting: str, repetition: int) -> Run:
    return Run((workload, target, setting), (Group(workload, "1"),), 9, (), setting, repetition, target)


def with_runs(part: Part, rows: list[Row]) -> Part:
    """Each row as that of a run, which is what the table of all runs has."""
    again = {(row["target_percent"], row["setting"]): 0 for row in rows}
    part.complete, labels = [], list[str]()
    for row in rows:
        key = (row["target_percent"], row["setting"])
        again[key] += 1
        of = run("w", *key, again[key])
        part.complete.append(of)
        labels.append(of.label)
    part.tables["accuracy"] = pd.DataFrame(rows).assign(label=labels)
    return part


def test_half_an_instance_is_no_baseline(tmp_path: Path, build: Path) -> None:
    assert [settings.is_whole(target, 2) for target in (50, 25, 75, 1)] == [True, False, False, False]
    assert [settings.is_whole(target, 12) for target in (33, 66, 10)] == [True, True, False]
    accuracy = program("experiments/accuracy")
    rows = rows_of(
        "workload,target_percent,setting,repeats,mean_error_pp,mse_pp2\n"
        "w,25,N-bench,1,25,625\nw,25,PI-even,1,0.1,1\nw,50,N-bench,1,2,5\nw,50,PI-even,1,-0.2,2\n"
    )
    table = accuracy.beside_paper(rows, [], ["N-bench", "PI-even"], 2)
    assert table[1:] == [["25 %", "+25.00 *", "625 *", "+0.10", "1.00"], ["50 %", "+2.00", "5.00", "-0.20", "2.00"]]
    part = with_runs(part_of(tmp_path, build), rows)
    expected = "PI-even: mean error within 0.20 pp; that the MSE is below that of a baseline is undecided: one run. "
    assert accuracy.verdict(part, rows, "PI-even", 2) == expected
    # A row without samples is no target.
    rows.append({"workload": "w", "target_percent": "75", "setting": "PI-even", "mean_error_pp": "", "mse_pp2": ""})
    assert accuracy.verdict(part, rows, "PI-even", 2) == expected


def test_what_is_below_baselines_is_told_by_a_test(tmp_path: Path, build: Path) -> None:
    accuracy = program("experiments/accuracy")
    head = "workload,target_percent,setting,mean_error_pp,mse_pp2\n"
    targets = [str(target) for target in range(20, 28)]
    means = rows_of(head + "".join(f"w,{of},CDC,3,9\nw,{of},PI-even,0.1,{9 if of < '22' else 1}\n" for of in targets))
    # The signs of 6 of 8, p = 0.29: shown before by a count.
    few = rows_of(
        head
        + "".join(
            f"w,{of},CDC,3,{9 + place % 2}\nw,{of},PI-even,0.1,{11 if place < 2 else 1}\n"
            for place, of in enumerate(targets)
        )
    )
    said = accuracy.verdict(with_runs(part_of(tmp_path, build), few), means, "PI-even", 2)
    assert said.endswith("is undecided: so in 6 of 8 that were run once; sign test: p 0.29. ")
    # Three repeats of one target: Student's t.
    many = rows_of(head + "".join(f"w,20,CDC,3,{9 + one}\nw,20,PI-even,0.1,{1 + one / 10}\n" for one in range(3)))
    said = accuracy.verdict(with_runs(part_of(tmp_path, build), many), means[:2], "PI-even", 2)
    assert " is shown: " in said and said.endswith("of 3 runs; p <0.0001. ")


def test_names_of_the_papers_are_their_bare_equations() -> None:
    bare = {"PI": "-c rbpid -C integral=own,level=0,repay=0,windup=none", "geom": "-c geom -C level=0,repay=0"}
    for name in ("PI-even", "PI-uneven", "geom-even", "geom-uneven"):
        assert f" {bare[name.partition('-')[0]]} -s " in settings.SETTINGS[name]
        assert " -C " not in settings.SETTINGS[f"{name}+"] and "jitter" not in settings.SETTINGS[f"{name}+"]
    for name, words in settings.SETTINGS.items():
        assert ("jitter=0" in words) == ("averageq" in words and not name.endswith("+"))
    assert settings.options_of("PI-even -D 53m")[-2:] == ["-D", "53m"]
    assert settings.options_of("-c rbpid") == ["-c", "rbpid"] and settings.options_of("") == []


def test_phases_decide_what_a_constant_duty_cycle_makes(tmp_path: Path, build: Path) -> None:
    accuracy = program("experiments/accuracy")
    own = accuracy.Accuracy(["-s", "CDC,CDC+", "-w", "burn-parallel", "-l", "25", "--phase-seed", "5"])
    own.output, own.build, own.workload_of = tmp_path, build, {"burn-parallel": workloads.find("burn-parallel")}
    own.settings()
    words = [run.words() for run in own.list_runs("native")]
    assert len(words) == 11 and [of[-1] for of in words[1:]] == [f"107m,seed={seed}" for seed in range(5, 15)]
    found = settings.distributions(settings.simulated_phases(own, ["CDC"])).to_dict("records")
    assert [(row["setting"], row["phases"]) for row in found] == [("CDC", 1), ("CDC+", 10)]
    # All at once they are the machine's load; one after the other they take more.
    assert abs(float(found[0]["mean_error_pp_median"])) < 1
    assert 5 < float(found[1]["mean_error_pp_least"]) < float(found[1]["mean_error_pp_most"])
    assert settings.spread_of(found[1], "mean_error_pp", "+.0f").startswith("+")


def test_no_verdict_where_others_disturbed_all(tmp_path: Path, build: Path) -> None:
    accuracy = program("experiments/accuracy")
    head = "workload,target_percent,setting,repeats,mean_error_pp,mse_pp2,samples,bursts\n"
    rows = rows_of(f"{head}w,50,CDC,1,4,25,10,10\nw,50,default,1,0.1,1,10,10\n")
    part = with_runs(part_of(tmp_path, build), rows)
    assert accuracy.verdict(part, rows, "default", 2) == "default: no verdict, as all samples met bursts of others. "
    assert accuracy.verdict(part, rows, "PI-even", 2) == ""
    # One row that can be judged, whose baseline can't.
    rows = rows_of(f"{head}w,50,CDC,1,4,25,10,10\nw,50,default,1,0.1,1,10,9\nw,25,default,1,9,1,10,10\n")
    part = with_runs(part_of(tmp_path, build), rows)
    assert accuracy.verdict(part, rows, "default", 2) == "default: mean error within 0.10 pp. "


def test_a_run_without_iterations_costs_no_other_its_report(tmp_path: Path, build: Path) -> None:
    runs = [run("w", target, "default", 1) for target in ("25", "50")]
    for of in runs:
        folder = of.folder(tmp_path)
        folder.mkdir(parents=True)
        (folder / "log.csv").write_text("time_s,monotonic_s,target,load\n5,105,0.5,0.5\n10,110,0.5,0.5\n")
        (folder / "iterations.0.csv").write_text("instance,iteration,start_s,end_s\n")
    part = Part(tmp_path, tmp_path, "native", runs, build, "made")
    with pytest.raises(Trouble, match="^no iteration ended in any run; --time makes runs longer$"):
        settings.measure_throughput(part, "target_percent")
    with (runs[1].folder(tmp_path) / "iterations.0.csv").open("a") as records:
        records.write("0,0,101,103\n0,1,103,105\n")
    part = Part(tmp_path, tmp_path, "native", runs, build, "made")
    assert [row["target_percent"] for row in settings.measure_throughput(part, "target_percent")] == ["50"]
    report = part.begin("Made")
    settings.report_intervals(part, 1)
    part.end()
    assert "Left out are runs in which no iteration ended: w_25_default_1; --time" in report.md
    assert "2 of 2 runs are complete." in report.md


def test_findings_are_not_those_of_bursts(build: Path) -> None:
    for bursts, count in ((9, 1), (10, 0)):
        rows = rows_of(f"label,mse_pp2,samples,bursts\nw_50_CDC_1,1,10,{bursts}\nw_25_CDC_1,,0,0\n")
        of = evidence.Evidence([evidence.File("accuracy-runs", Path("a.csv"), Path(), 2, rows)], {})
        assert len(of.runs("accuracy-runs")) == count


def test_no_verdict_without_iterations(build: Path) -> None:
    throughput = program("experiments/throughput")
    rows = rows_of("setting,load_percent,throughput\nbaseline,50,10\nbaseline,100,0\ndefault,50,0\ndefault,40,9\n")
    assert throughput.verdict(rows) == (
        "default: on 1 targets within the range of the baseline, throughput 12.5 % from it in the mean. "
    )
    assert throughput.verdict(rows[:3]) == ""


def test_means_over_repeats_with_their_intervals(tmp_path: Path, build: Path) -> None:
    found: list[tuple[Run, Row]] = [
        (run("w", "50", "default", 1), {"load": "0.5", "throughput": "10"}),
        (run("w", "100", "default", 1), {"load": "1", "throughput": "20"}),
        (run("w", "50", "default", 2), {"load": "0.52", "throughput": "12"}),
    ]
    columns = [
        settings.Column("load", "load_percent", factor=100),
        settings.Column("throughput", "throughput", ".5g", has_half=True),
    ]
    rows = settings.means_over_repeats(found, "target_percent", columns)
    assert [list(row.values()) for row in rows] == [
        ["w", "50", "default", "2", "51.000", "11", "12.7"],
        ["w", "100", "default", "1", "100.000", "20", ""],
    ]
    table = settings.pivot(rows, "target_percent", ["default", "CDC"], "load_percent", "throughput")
    heads = ["default: load_percent", "default: throughput", "CDC: load_percent", "CDC: throughput"]
    rows_shown = [["50", "51.000", "11 ±12.7", "", ""], ["100", "100.000", "20", "", ""]]
    assert table == [["target_percent", *heads], *rows_shown]
    table = settings.pivot(rows, "target_percent", ["default", "CDC"], "throughput")
    assert table == [["target_percent", "default", "CDC"], ["50", "11 ±12.7", ""], ["100", "20", ""]]


def test_no_figure_of_few_samples(tmp_path: Path, build: Path) -> None:
    head = "workload,target_percent,setting,mean_error_pp,mse_pp2,samples,bursts,calm_mean_error_pp,calm_mse_pp2\n"
    rows = rows_of(f"{head}w,25,CDC,1,2,20,4,3,4\nw,50,CDC,1,2,19,,,\n")
    part = part_of(tmp_path, build)
    table = settings.pivot_of(part, rows, "w", "target_percent", ["CDC"], "mean_error_pp", "mse_pp2")
    assert table[1:] == [["25", "1", "2"], ["50", "19 samples", "19 samples"]]
    table = settings.pivot_of(part, rows, "w", "target_percent", ["CDC"], "calm_mean_error_pp", "calm_mse_pp2")
    assert table[1:] == [["25", "16 samples", "16 samples"], ["50", "", ""]]
    accuracy = program("experiments/accuracy")
    assert accuracy.pair(rows[1], "*") == ["19 samples*", "19 samples*"] and accuracy.pair(rows[0]) == ["+1.00", "2.00"]


def pair(foreground: str, background: str, repetition: int) -> Run:
    groups = (Group(foreground, "P", (), "foreground"), Group(background, "P", (), "background"))
    return Run((foreground, background, "mine"), groups, 9, (), "", repetition, scheme="mine")


def test_interference(tmp_path: Path, build: Path) -> None:
    # Three repeats of pairs that don't disturb each other, do so, and do so in one of two lines; one of a pair without.
    rows = "x,x,-4,no,no x,x,1,yes,no x,x,3,no,no x,y,40,yes,yes x,y,41,yes,yes x,y,42,yes,yes y,x,20,no,yes y,x,20,yes,yes y,y,-2,yes,no"
    found: list[tuple[Run, Row]] = []
    for line in rows.split():
        fore, back, value, symmetric, significant = line.split(",")
        repetition = 1 + sum(one.workload == f"{fore}/{back}" for one, _ in found)
        found.append(
            (pair(fore, back, repetition), {"interference": value, "symmetric": symmetric, "significant": significant})
        )
    means = pairs.mean_interference(found)
    assert [",".join(row.values()) for row in means] == [
        "x,x,mine,3,0.00,no,no,8.96,yes",
        "x,y,mine,3,41.00,yes,yes,2.48,no",
        "y,x,mine,2,20.00,no,yes,0.00,no",
        "y,y,mine,1,-2.00,yes,no,,",
    ]
    of = pairs.Pairs(part_of(tmp_path, build), ["x", "y"], ["mine"], [], interference=means)
    assert of.table("mine") == [
        ["foreground", "x", "y"],
        ["x", "0.0 none ±9.0", "41.0 ±2.5"],
        ["y", "20.0 ±0.0a", "-2.0 p"],
    ]
    expected = "mine: from -2.0 (y beside y) to 41.0 (x beside y); 1 of 3 pairs meet both criteria. x beside x: none, within ±9.0."
    assert of.sentence("mine") == expected
    assert (
        of.sentence("other")
        == "other: unknown for all pairs, as the load of the background stayed the same, or missed its targets."
    )


def test_what_paper_001_found() -> None:
    assert (
        pairs.papers_interference("neutral")
        == "paper 001, KVM: from 16.2 (h2 beside avrora) to 50.8 (avrora beside luindex)."
    )
    assert pairs.papers_interference("per-core") == (
        "paper 001, KVM: from 0.2 (h2 beside avrora) to 10.2 (luindex beside h2); LXC: from -4.9 (avrora beside h2) to 6.0 (h2 beside specs)."
    )
    assert pairs.papers_interference("mine") == ""


def test_a_background_without_processors_of_its_own(tmp_path: Path, build: Path) -> None:
    # It takes 45 and 55 % of the machine in turn, all of its half, and not 95 % of it; a foreground of 10 - 4 L iterations a second makes that an
    # interference of 40.
    log, fore, number = "time_s,monotonic_s,target,load\n", "instance,iteration,start_s,end_s\n", 0
    for step in range(6):
        load = 0.5 - 0.2 * (step if step < 3 else 5 - step)
        for row in range(1, 13):
            log += f"{6 * step + row / 2:.3f},{100 + 6 * step + row / 2:.3f},{load:.6f},{load + (0.05 if row % 2 else -0.05):.6f}\n"
        count = 6 * (10 - 4 * 2 * load)
        for place in range(int(count + 0.999999)):
            fore += (
                f"0,{number},{100 + 6 * step + 6 * place / count:.9f},{100 + 6 * step + 6 * (place + 1) / count:.9f}\n"
            )
            number += 1
    (tmp_path / "log.csv").write_text(log)
    (tmp_path / "fore.csv").write_text(fore)
    neutral = Run(("x", "y", "neutral"), pair("x", "y", 1).groups, 36, (), "", 1, scheme="neutral")
    with_capacity = pairs.log_in(tmp_path, neutral, "native")
    assert with_capacity.name == "background-log.csv"
    assert pairs.log_in(tmp_path, neutral, "lxc").name == "log.csv"
    files = [with_capacity, tmp_path / "fore.csv"]
    first = showstopper.curve(files).iloc[0]
    assert (first["target"], first["load"]) == pytest.approx((1, 1))
    assert 39.8 < showstopper.interference(files)["interference"].item() < 40.2


def test_ratios(build: Path) -> None:
    rows = rows_of(
        "pair,scheme,repetition,least,median,most\nx beside y,mine,1,0.8,0.9,1\nx beside y,mine,2,0.9,1,1.25\ny beside y,other,1,1,2,3\ny beside y,mine,1,1,2,3\n"
    )
    assert pairs.ratio_matrix(rows, "mine", ["x", "y"]) == [
        ["foreground", "x", "y"],
        ["x", "", "0.950 ±0.635 (0.80 to 1.25)"],
        ["y", "", "2.000 (1.00 to 3.00)"],
    ]


def test_schemes() -> None:
    for good in ("neutral", "dynamic:below=spread+above=packed", "mine=0-3/4+6"):
        sides.check(good)
    for bad in ("nothing", "mine=0", "dynamic:below", "my_own=0/1"):
        with pytest.raises(Trouble, match="^--schemes: "):
            sides.check(bad)
    assert sides.options_of("mine=0+2/1", 0) == ["--cpus", "0,2"]
    assert sides.options_of("packed", 1) == ["--pin", "packed", "--part", "1/2"]


def test_options_of_one_module_are_one_word() -> None:
    sweep = program("experiments/sweep")
    of = {"D.quantum": "50m", "c": "rbpid", "D.least": "2m", "n": "3", "--cpus": "0-1"}
    assert sweep.options_of(of) == ["-c", "rbpid", "--cpus", "0-1", "-D", "quantum=50m,least=2m"]
    assert sweep.called({"D.quantum": "50m", "c": "rbpid"}) == "D.quantum=50m+c=rbpid"


def test_few_samples_have_no_place_in_a_ranking(build: Path) -> None:
    sweep = program("experiments/sweep")
    head = "workload,target_percent,setting,mean_error_pp,mse_pp2,samples,bursts,calm_mse_pp2\n"
    rows = rows_of(f"{head}w,25,a,0.1,1,19,0,1\nw,25,b,0.2,3,10,0,3\nw,50,b,-0.3,5,10,1,4\nw,25,c,0,2,20,0,2\n")
    assert sweep.ranked(rows)[1:] == [
        ["c", "2.000", "2.000", "0.000", "2.000"],
        ["b", "4.000", "5.000", "0.300", "19 samples"],
        ["a", *["19 samples"] * 4],
    ]


def test_all_main_findings_of_paper_004_are_listed() -> None:
    own = [claim for claim in claims.claims() if claim.paper.startswith("004")]
    assert {f"004, 1 ({place})" for place in range(1, 8)} <= {claim.paper for claim in own}
    assert all(claim.take and claim.needs for claim in own)


def test_heads_say_what_rows_call_paper() -> None:
    row = dict.fromkeys(peers.CELLS.split(), 1.0) | {"tool": "paper", "target_percent": "50", "mark": ""}
    cells = pd.DataFrame([row])
    shown = peers.tool_table(cells, "mean_error_pp", "mse_500_pp2")
    assert "| PI-even+ |" in shown and "paper" not in shown


def test_whole_percents_make_up_the_load_together() -> None:
    assert peers.percents_of(50, 2, 2) == [50, 50]
    for target in (10, 25, 50, 75, 90):
        percents = peers.percents_of(target, 2, 12)
        assert sum(percents) == 2 * target and max(percents) - min(percents) <= 1
    # What each needs at least is more than the load.
    assert peers.percents_of(10, 2, 100) == [1] * 100


def test_an_interval_that_is_not_known_is_none() -> None:
    fastforward = program("experiments/fastforward")
    rows = [
        {"setting": "x", "replay_s": "60", "throughput": "9", "throughput_half": "0.01"},
        {"setting": "x", "replay_s": "1620", "throughput": "10", "throughput_half": ""},
    ]
    shown, worst = fastforward.as_parts(rows)
    assert shown[0]["throughput"] == "9 ±0.01 (0.900)" and worst == {"x": pytest.approx(0.1)}
    rows[1]["throughput_half"] = "0.02"
    assert "(0.900 ±" in fastforward.as_parts(rows)[0][0]["throughput"]


def test_a_fleet_has_a_report_where_a_node_has_no_error(tmp_path: Path) -> None:
    fleet = program("experiments/fleet").Fleet
    of = fleet.__new__(fleet)
    of.output = tmp_path
    node = {"target": 0.5, "load": 0.5, "mean_error_pp": 1.0, "late_ms": math.nan, "end_s": 9.0}
    rows = [node | {"label": "a"}, node | {"label": "b", "mean_error_pp": math.nan}, node | {"label": "all"}]
    said = of.sentence(pd.DataFrame(rows), 2)
    assert "The worst node is a, with a mean error of +1.00 pp." in said and "Of b no error is known." in said


def test_bursts_said() -> None:
    assert settings.bursts_said([{"samples": "5", "bursts": "0"}]) == "None of 5 samples met a burst of others."
    assert (
        settings.bursts_said([{"samples": "5", "bursts": "2"}, {"samples": "5", "bursts": "1"}])
        == "3 of 10 samples met a burst of others."
    )
    assert settings.bursts_said([{"samples": "5", "bursts": ""}]) == "What others did meanwhile is unavailable."


def test_a_goal_is_reached_by_the_whole_interval() -> None:
    replay = program("experiments/replay")

    def row(low: str, high: str, samples: int = 40, bursts: str = "4") -> Row:
        mean = f"{(float(low) + float(high)) / 2}" if low else "0.04"
        found = {"samples": str(samples), "bursts": bursts, "mean": mean, "low": low, "high": high}
        return found | {f"calm_{name}": found[name] if bursts else "" for name in ("mean", "low", "high")}

    few, undecided = "Not to be told of so few", "Not to be told by so many"
    ends = [("-0.09", "0.05"), ("-0.11", "0.05"), ("0.09", "0.11"), ("0.11", "0.2"), ("-0.2", "-0.11")]
    said = ["Reached", undecided, undecided, "Missed", "Missed"]
    assert [replay.verdict(row(*of), 0.1) for of in ends] == said
    assert replay.verdict(row("", ""), 0.1) == few
    assert replay.verdict(row("-0.09", "0.05", 19), 0.1) == few
    cells = ["40", "+0.020 (-0.050 to +0.090)", "0.020 (-0.050 to 0.090)"]
    assert replay.cells_of(row("-0.05", "0.09"), row("-0.05", "0.09")) == [*cells, "4", *cells[1:]]
    # Of a log that doesn't know what others did, and of samples that nearly all met a burst.
    assert replay.cells_of(row("-0.05", "0.09", bursts=""), row("-0.05", "0.09", bursts="")) == [*cells, "", "", ""]
    nearly = replay.cells_of(row("-0.05", "0.09", bursts="39"), row("-0.05", "0.09", bursts="39"))
    assert nearly == [*cells, "39", "1 sample", "1 sample"]
