# SPDX-License-Identifier: MIT
"""What benchmarks have in common: the machine seen from outside, how far its load was from a target, with and without bursts of others, and blocks."""

import re
import tempfile
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from measure import figures
from measure.publish import Publication, command_line
from measure.text import Row, Trouble, number, read_csv

DOCUMENT = "tools/bench/README.md"


class Block:
    """A benchmark's figures in a document, which has room for them when they are asked for."""

    def __init__(self, name: str, arguments: list[str], document: str = DOCUMENT, block: str = "") -> None:
        self.publication = Publication(command_line(f"tools/bench/{name}", arguments))
        self.document, self.block = document, block or name
        self.wanted = False

    def look(self) -> None:
        if self.wanted:
            self.publication.look(self.document, self.block)

    def publish(self, text: str, build: Path) -> None:
        if self.wanted:
            self.publication.block(self.document, self.block, text, build)
            self.publication.write()


def whole(value: str, least: int = 0, most: int = 99999, what: str = "") -> int:
    if re.fullmatch("[0-9]{1,9}", value) and least <= int(value) <= most:
        return int(value)
    raise Trouble(f"{what}'{value}' is no whole number{f' from {least}' if least else ''}")


def found_in(record: object, name: str) -> float:
    """The first number of that name, wherever it is."""
    for key, value in record.items() if isinstance(record, dict) else ():
        if key == name and isinstance(value, (int, float)):
            return float(value)
        if inner := found_in(value, name):
            return inner
    return 0.0


# ---- Loads ------------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sample:
    start: float
    end: float
    load: float


def samples_of(log: Path) -> list[Sample]:
    """Rows of cpuload."""
    found: list[Sample] = []
    for row in read_csv(log) if log.exists() else []:
        end = float(row["monotonic_s"])
        found.append(Sample(found[-1].end if found else end - float(row["time_s"]), end, number(row, "load") or 0.0))
    return found


class Tree:
    """The time of all that is measured, and of what measures it."""

    def __init__(self, samples: Sequence[Sample]) -> None:
        self.ends = [samples[0].start, *(sample.end for sample in samples)] if samples else []
        self.sums = [0.0]
        for sample in samples:
            self.sums.append(self.sums[-1] + sample.load * (sample.end - sample.start))

    def until(self, moment: float) -> float | None:
        """Unknown before and after what was read."""
        if not self.ends or not self.ends[0] <= moment <= self.ends[-1]:
            return None
        low = min(bisect_right(self.ends, moment) - 1, len(self.ends) - 2)
        share = (moment - self.ends[low]) / (self.ends[low + 1] - self.ends[low])
        return self.sums[low] + (self.sums[low + 1] - self.sums[low]) * share

    def others(self, sample: Sample) -> str:
        """What of a sample of the machine others made, as a column of a log."""
        before, after = self.until(sample.start), self.until(sample.end)
        return (
            ""
            if before is None or after is None
            else repr(sample.load - (after - before) / (sample.end - sample.start))
        )


def write_log(file: Path, samples: Sequence[Sample], target: float, begin: float, until: float, tree: Tree) -> int:
    """A control log of the samples within a stretch; those before it are its warm-up, in which a burst may have been. How many there are."""
    inside = [sample for sample in samples if sample.start >= begin and sample.end <= until]
    zero = inside[0].start if inside else until
    lines = ["time_s,monotonic_s,target,load,others\n"]
    for sample in samples:
        if sample.end <= zero or sample in inside:
            asked = repr(target / 100) if sample in inside else ""
            lines.append(f"{sample.end - zero!r},{sample.end!r},{asked},{sample.load!r},{tree.others(sample)}\n")
    file.write_text("".join(lines))
    return len(inside)


def accuracies(build: Path, logs: Sequence[Path]) -> list[Row]:
    """Of each log a row of ssreport's, with all digits."""
    words = [word for place, log in enumerate(logs) for word in ("-l", str(place), log)]
    return figures.report(build, "accuracy", "--all-digits", *words)


def accuracy(build: Path, samples: Sequence[Sample], target: float, tree: Tree) -> Row:
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log.csv"
        if not write_log(log, samples, target, float("-inf"), float("inf"), tree):
            raise Trouble("can't make sense of what cpuload read")
        return accuracies(build, [log])[0]


def shown(row: Row, column: str, form: str) -> str:
    """Empty where it is not known."""
    value = number(row, column)
    return "" if value is None else f"{value:{form}}"
