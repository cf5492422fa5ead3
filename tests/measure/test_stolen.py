# SPDX-License-Identifier: MIT
"""Runs that the host of a virtual machine disturbed: waited for, made again, said."""

import json
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from conftest import ROOT
from measure import machine, making, runs, stolen
from measure.batch import Experiment


class Clock:
    """Time that passes by sleeping alone; what the host takes at each look."""

    def __init__(self, patch: pytest.MonkeyPatch, *taken: float) -> None:
        self.taken, self.passed = list(taken), 0.0
        patch.setattr(stolen, "now", lambda _build: self.taken.pop(0) if len(self.taken) > 1 else self.taken[0])
        patch.setattr(time, "monotonic", lambda: self.passed)
        patch.setattr(time, "sleep", self.sleep)

    def sleep(self, seconds: float) -> None:
        self.passed += seconds


def test_waits_until_the_host_takes_little(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch, 7, 3, 0.5)
    stolen.await_little(Path(), 2)
    assert clock.passed == 2 * stolen.PAUSE
    clock = Clock(monkeypatch, 7)
    stolen.await_little(Path(), 2)
    assert stolen.PATIENCE <= clock.passed < stolen.PATIENCE + stolen.PAUSE


class Scripted(making.Maker):
    """A maker whose attempts come out as is said."""

    def __init__(self, most: float | None, *came: tuple[bool, float]) -> None:
        own = SimpleNamespace(build=Path(), most_stolen=most)
        super().__init__(Path(), cast(Experiment, own), "abc", "m")
        self.came, self.made = list(came), 0

    def attempt(
        self, run: runs.Run, before: list[float | None], place: int, total: int, left: float
    ) -> tuple[bool, list[float | None]]:
        complete, taken = self.came[self.made]
        self.made += 1
        return complete, [*before, taken]


@pytest.mark.parametrize(
    ("most", "came", "made", "complete"),
    [
        (2, [(True, 1.9)], 1, True),
        (2, [(True, 5), (True, 2.1), (True, 0)], 3, True),
        (2, [(True, 5), (True, 5), (True, 5)], 3, True),
        (2, [(True, 5), (False, 0)], 2, False),
        (None, [(True, 50)], 1, True),
    ],
)
def test_makes_again_what_was_disturbed(
    monkeypatch: pytest.MonkeyPatch, most: float | None, came: list[tuple[bool, float]], made: int, complete: bool
) -> None:
    Clock(monkeypatch, 0)
    maker = Scripted(most, *came)
    run = runs.Run(("w",), (runs.Group("w", "1"),), 1, (), "CDC", 1)
    assert maker.make(run, 1, 1, 0) is complete
    assert maker.made == made


def test_says_of_complete_runs_what_was_stolen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = iter([[0] * 8, [1] * 8, [0] * 8, [90, 0, 0, 50, 0, 0, 0, 10], [0] * 8, [199, 0, 0, 0, 0, 0, 0, 1]])
    monkeypatch.setattr(machine, "tick_counts", lambda: next(ticks))
    befores: list[tuple[str, list[float | None]]] = [("a", []), ("a", []), ("b", [33.0])]
    for name, before in befores:
        making.Attempt(runs.Run((name,), (), 1, (), "CDC", 1), tmp_path / name, before).end(0, 2.0, "abc", "m")
    assert json.loads((tmp_path / "b/run.json").read_text())["stolen"] == [33.0, 0.5]
    said = stolen.said([tmp_path / "a", tmp_path / "b"])
    assert said == (
        "The host of this virtual machine took at most 10.0 % of the busy time of a run."
        " Runs that were made again, since the machine was disturbed: 1."
    )
    assert stolen.said([]) == ""


def test_nothing_is_stolen_from_what_is_simulated(tmp_path: Path) -> None:
    of = runs.Run(("w",), (), 1, (), "CDC", 1, environment="sssim")
    making.Attempt(of, tmp_path / "w").end(0, 2.0, "abc", "m")
    assert json.loads((tmp_path / "w/run.json").read_text())["stolen"] == [None]
    assert stolen.said([tmp_path / "w"]) == ""
    words = [sys.executable, "-B", f"{ROOT}/tools/experiments/sweep", "--simulate", "--most-stolen", "2", "--dry-run"]
    result = subprocess.run([*words, "--workloads", "burn-single"], capture_output=True, text=True)
    assert result.returncode == 125
    assert result.stderr == "tools/experiments/sweep: --most-stolen: nothing is stolen from what is simulated\n"
