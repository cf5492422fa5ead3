# SPDX-License-Identifier: MIT
"""As many repeats as a precision takes: a pilot, and what Stein's two-stage procedure asks for by its variance. All settings are run in turn, there and
back (A B B A), so that what changes with time meets them alike."""

import re
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from measure import figures
from measure.options import positive
from measure.runs import Run
from measure.text import lines_of, number

if TYPE_CHECKING:
    from measure.batch import Part

PILOT = 8


def share(name: str, value: str) -> str:
    """In per cent; the sign may be left out."""
    return positive(name, value.removesuffix("%"))


def there_and_back(runs: Iterable[Run]) -> list[Run]:
    """Repetition by repetition, every second one backwards."""
    by_repetition: dict[int, list[Run]] = {}
    for run in runs:
        by_repetition.setdefault(run.repetition, []).append(run)
    return [
        run
        for place, again in enumerate(sorted(by_repetition))
        for run in (by_repetition[again][::-1] if place % 2 else by_repetition[again])
    ]


def repeats_in(list_file: Path) -> int:
    """Those of a list that was begun."""
    found = [re.search("_([0-9]+)$", line.split("\t")[0]) for line in lines_of(list_file)]
    return max((int(match[1]) for match in found if match), default=0)


@dataclass(frozen=True)
class Needed:
    """By the pilot: how many repeats it takes, and of which runs so many."""

    repeats: int
    most: str

    def said(self, precision: str, made: int) -> str:
        asked = f"To know the mean of each within {precision} % was asked for. By the variance of the pilot of {PILOT} repeats it takes {self.repeats}"
        asked += f" (Stein's two-stage procedure; {self.most} takes the most)."
        if made < self.repeats:
            return f"{asked} No more than {made} were made, as --at-most says: {self.repeats - made} are missing."
        return f"{asked} {made} were made, in pairs there and back (A B B A)."


def values_of(part: "Part", what: str, records: str) -> list[tuple[Run, float]]:
    """Of each run of the pilot its mean load, or the throughput of these records; a run in which no iteration ended has none."""
    pilot = {run.label: run for run in part.complete if run.repetition <= PILOT}
    words: list[object] = []
    for label, run in pilot.items():
        files = part.records(run, records) if what == "throughput" else []
        if what != "throughput" or any(lines_of(file)[1:] for file in files):
            words += ["-l", label, part.log(run), *files]
    options = ["-i", "1d"] if what == "throughput" else []
    column = "throughput" if what == "throughput" else "load"
    rows = figures.report(part.build, what, *options, *words) if words else []
    return [(pilot[row["label"]], value) for row in rows if (value := number(row, column)) is not None]


def needed(build: Path, series: Sequence[tuple[str, float]], precision: str) -> Needed:
    """By what the pilot has measured of each name."""
    names = list(dict.fromkeys(name for name, _ in series))
    if not names:
        return Needed(PILOT, "")
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
        file.write("label,value\n" + "".join(f"{names.index(name)},{value!r}\n" for name, value in series))
        file.flush()
        rows = figures.report(build, "means", "--column", "value", "--precision", f"{precision}%", file.name)
    of = {names[int(row["label"])]: int(number(row, "needed") or PILOT) for row in rows}
    most = max(of, key=lambda name: of[name])
    return Needed(max(PILOT, of[most]), most)
