# SPDX-License-Identifier: MIT
"""Replays of the trace of nine levels in several times: what the experiments traces and fastforward have in common."""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

from measure import pictures, settings
from measure.batch import Experiment, Part
from measure.machine import ROOT
from measure.options import duration, each, one_of, option, some_of
from measure.runs import Run
from measure.text import refuse, words_of

LENGTH = 1620
FULL = "geom-uneven geom-even PI-uneven PI-even default"


def replay_time(name: str, value: str) -> str:
    return str(duration(1)(name, value))


class Replay(Experiment):
    # fmt: off
    chosen: list[str] = option("-s/--settings LIST", some_of(" ".join(settings.CONTROLLED)), [],
        f"out of {','.join(settings.CONTROLLED)} ({FULL.replace(' ', ',')}; quick: PI-even,default)")
    times: list[str] = option("-T/--times LIST", each(replay_time), [],
        "replay times in seconds (1620,1080,540,360,180,90; quick: 60,30)")
    levels = option("-L/--levels NAME", one_of("lines hold"), "lines",
        "lines: straight ones from one level to the next, as in the paper; or hold: each is held, and then left in a step (lines)")
    # fmt: on

    def settings(self) -> None:
        refuse(self.time, "--time: expected --times, in which the whole trace is replayed")
        self.times = self.times or words_of("60 30" if self.quick else "1620 1080 540 360 180 90")
        self.chosen = self.chosen or words_of("PI-even default" if self.quick else FULL)

    @property
    def is_papers(self) -> bool:
        """The papers' tables are those of straight lines."""
        return self.levels == "lines"

    @property
    def trace(self) -> str:
        return "nine-levels.trace" if self.is_papers else "nine-levels-hold.trace"

    def shape(self) -> str:
        steps = "of 180 s each, with steps between them,"
        lines = "one in each 180 s, with straight lines from one to the next, as in the paper,"
        return f"A trace of nine levels{', ' + lines if self.is_papers else ' ' + steps}"

    def list_runs(self, environment: str) -> Iterator[Run]:
        for again, of, time, name in product(self.repetitions(), self.workloads, self.times, self.chosen):
            trace = f"-t file -T ../../{self.trace},speed={LENGTH / int(time):.9g}"
            run = settings.setting_run(self, name, of, time, again, options=trace)
            yield replace(run, seconds=int(time))

    def prepare(self, output: Path) -> None:
        shutil.copy(ROOT / "traces" / self.trace, output / self.trace)

    def draw(self, part: Part, workload: str, name: str, caption: str, records: str, *options: object) -> None:
        """A picture of each replay with the last of the settings."""
        last = self.chosen[-1]
        of = {run.target: run for run in pictures.having(part, workload=workload, setting=last, repetition=1)}
        runs = [of[time] for time in self.times if time in of]
        words = pictures.words_of(part, runs, lambda run: f"{run.target} s", records)
        name, caption = f"{name}-{workload}", f"{workload}, {last}: {caption}"
        pictures.picture(part, "timeline", name, caption, words, *options, *pictures.panels(5, words))
