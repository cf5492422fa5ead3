# SPDX-License-Identifier: MIT
"""As many repeats as a precision takes: a pilot, and what Stein's two-stage procedure asks for by its variance. All settings are run in turn, there and
back (A B B A), so that what changes with time meets them alike."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import showstopper
from measure.options import positive
from measure.runs import DAY_S, Run
from measure.text import grouped, lines_of, listed

if TYPE_CHECKING:
    from measure.batch import Part

PILOT = 8


def share(name: str, value: str) -> str:
    """In per cent; the sign may be left out."""
    return positive(name, value.removesuffix("%"))


def there_and_back(runs: Iterable[Run]) -> list[Run]:
    """Repetition by repetition, every second one backwards."""
    by_repetition = sorted(grouped((run.repetition, run) for run in runs).items())
    return [run for place, (_, own) in enumerate(by_repetition) for run in own[:: -1 if place % 2 else 1]]


def repeats_in(list_file: Path) -> int:
    """Those of a list that was begun. What has phases is run as often as all else, or more often."""
    most: dict[str, int] = {}
    for line in lines_of(list_file):
        name, _, again = line.split("\t")[0].rpartition("_")
        most[name] = max(most.get(name, 0), int(again) if again.isdigit() else 0)
    return min(most.values(), default=0)


@dataclass(frozen=True)
class Needed:
    """By the pilot: how many repeats it takes, and of which runs so many."""

    repeats: int
    most: str
    unknown: Sequence[str] = ()  # of which there are too few values

    def said(self, what: str, precision: str, made: int) -> str:
        asked = f"To know the mean {what} of each within {precision} % was asked for. By the variance of the pilot of {PILOT} repeats it takes {self.repeats}"
        asked += f" (Stein's two-stage procedure; {self.most} takes the most)."
        asked += f" Of {listed(self.unknown)} there are too few values to tell." if self.unknown else ""
        if made < self.repeats:
            return f"{asked} No more than {made} were made, as --at-most says: {self.repeats - made} are missing."
        return f"{asked} {made} were made, in pairs there and back (A B B A)."


def values_of(part: "Part", what: str, records: str, settling: float) -> list[tuple[Run, float]]:
    """Of each run of the pilot its mean load, less its first seconds, or the throughput of these records; a run in which no iteration ended has none."""
    pilot = {run.name: run for run in part.complete if run.repetition <= PILOT}
    files = {label: [part.log(run)] for label, run in pilot.items()}
    if what == "throughput":
        of = {label: part.records(run, records) for label, run in pilot.items()}
        files = {label: files[label] + of[label] for label in files if any(lines_of(file)[1:] for file in of[label])}
    if not files:
        return []
    from showstopper.accuracy import accuracy

    is_rate = what == "throughput"
    table = showstopper.throughput(files, interval_s=DAY_S) if is_rate else accuracy(files, settle_s=settling)
    return [(pilot[label], float(value)) for label, value in table.set_index("label")[what].dropna().items()]


def needed(series: Sequence[tuple[str, float]], precision: str) -> Needed:
    """By what the pilot has measured of each name."""
    names = list(dict.fromkeys(name for name, _ in series))
    if not names:
        return Needed(PILOT, "none that is known")
    import pandas as pd

    values = pd.DataFrame(series, columns=["label", "value"])
    found = showstopper.means(values, "value", precision=float(precision) / 100).set_index("label")
    of = {str(name): int(count) for name, count in found["needed"].dropna().items()}
    most = max(of, key=lambda name: of[name], default="none that is known")
    return Needed(max(PILOT, of.get(most, 0)), most, [name for name in names if name not in of])
