# SPDX-License-Identifier: MIT
"""Response times by load: the steps of a run, several repeats of them, and between which loads a limit is crossed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import isnan
from pathlib import Path

import showstopper
from measure import machine
from measure.batch import Part
from measure.runs import Run
from measure.text import Row, in_seconds, known, number, read_csv, records

ERRORS = 0.01  # share of requests from which on a limit is not kept


@dataclass(frozen=True)
class Step:
    """Of one target. Loads and targets are per cent, times seconds; `value` is what the limit is of, None where there are too few requests."""

    target: float
    load: float
    requests: int
    errors: int
    value: float | None
    low: float | None
    high: float | None
    mean: float | None
    p50: float | None
    limit: float
    disturbed: bool

    @property
    def fails(self) -> bool:
        return self.errors > ERRORS * self.requests

    @property
    def keeps(self) -> bool:
        """Surely: the whole interval is within the limit."""
        return not self.fails and self.high is not None and self.high <= self.limit

    @property
    def leaves(self) -> bool:
        """Surely."""
        return self.fails or (self.low is not None and self.low > self.limit)

    def row(self) -> Row:
        """Times in ms."""
        times = {"mean": self.mean, "p50": self.p50, "value": self.value, "low": self.low, "high": self.high}
        counted = {
            "requests": str(self.requests),
            "errors": str(self.errors),
            "disturbed": "yes" if self.disturbed else "no",
        }
        return {"target_percent": f"{self.target:g}", "load_percent": f"{self.load:.1f}"} | counted | {
            f"{name}_ms": ms(of) for name, of in times.items()
        }  # fmt: skip


def ms(seconds: float | None) -> str:
    return "" if seconds is None else f"{1000 * seconds:.4g}"


def column_of(limit: str) -> tuple[str, float]:
    """The column of ssreport that a limit is of, and its seconds."""
    name, _, time = limit.partition("=")
    return name.replace(".", "_"), in_seconds(time)


def mean_between(file: Path, low: float, high: float, column: str = "load") -> float | None:
    """Of the load in a log, or another column, by the monotonic clock."""
    values = [
        known(row, column) for row in read_csv(file) if row.get(column) and low <= known(row, "monotonic_s") <= high
    ]
    return sum(values) / len(values) if values else None


def is_disturbed(folder: Path, low: float, high: float) -> bool:
    """Whether others than what this batch started took more of the machine than they may."""
    whole, ours = (mean_between(folder / name, low, high) for name in ("machine.csv", "tree.csv"))
    return whole is not None and ours is not None and 100 * (whole - ours) > machine.BUSY


def steps_of(part: Part, run: Run, limit: str) -> list[Step]:
    from showstopper.latency import latency

    folder, (column, most) = part.folder(run), column_of(limit)
    rows = records(latency(folder / "requests.csv", part.log(run)))
    first = read_csv(part.log(run))[0]
    origin = known(first, "monotonic_s") - known(first, "time_s")
    return [
        Step(
            100 * known(row, "target"),
            100 * known(row, "load"),
            int(known(row, "requests")),
            int(known(row, "errors")),
            number(row, f"{column}_s"),
            number(row, f"{column}_low_s"),
            number(row, f"{column}_high_s"),
            number(row, "mean_s"),
            number(row, "p50_s"),
            most,
            is_disturbed(folder, origin + known(row, "start_s"), origin + known(row, "end_s")),
        )
        for row in rows
        if row["part"] == "step" and number(row, "target") is not None and number(row, "load") is not None
    ]


def pooled(steps: Iterable[Step]) -> list[Step]:
    """Repeats of a target as one step, whose interval is that of their mean."""
    by_target: dict[float, list[Step]] = {}
    for step in steps:
        by_target.setdefault(round(step.target, 3), []).append(step)
    return [several(by_target[target]) for target in sorted(by_target)]


def several(of: Sequence[Step]) -> Step:
    """Those of too few requests have no time that counts."""
    timed = [step for step in of if step.value is not None]
    mean, low, high = showstopper.mean_interval([step.value for step in timed])
    first = replace(
        (timed or of)[0],
        load=sum(step.load for step in of) / len(of),
        requests=sum(step.requests for step in of),
        errors=sum(step.errors for step in of),
        disturbed=any(step.disturbed for step in of),
    )
    if len(of) > 1 and len(timed) < 2:
        # Of one of several it would be that of its requests, and not over repeats.
        return replace(first, low=None, high=None)
    if isnan(low):
        return first
    return replace(
        first,
        value=mean,
        low=max(0.0, low),
        high=high,
        mean=sum(step.mean or 0 for step in timed) / len(timed),
        p50=sum(step.p50 or 0 for step in timed) / len(timed),
    )


@dataclass(frozen=True)
class Crossing:
    """The limit is kept up to the load `low` and left from `high` on, in per cent; None where no step says so."""

    low: float | None
    high: float | None
    most: float  # that was measured

    def said(self, limit: str, whose: str) -> str:
        if self.low is None and self.high is None:
            return f"can't be said to keep or to leave {limit} at any load {whose}"
        if self.high is None:
            return f"keeps {limit} up to a load of {self.low:.0f} % {whose}, and isn't seen to leave it up to {self.most:.0f} %"
        if self.low is None:
            return f"is beyond {limit} at a load of {self.high:.0f} % {whose}, and at no lower one surely within it"
        middle, half = (self.low + self.high) / 2, (self.high - self.low) / 2
        return f"leaves {limit} at a load of {middle:.0f} % ± {half:.0f} % {whose}"


def crossing(steps: Sequence[Step], limit: float) -> Crossing:
    """By steps whose interval lies wholly on one side; the first load that leaves it surely, and the last below that which surely keeps it."""
    by_load = sorted((replace(step, limit=limit) for step in steps), key=lambda step: step.load)
    high = next((step.load for step in by_load if step.leaves), None)
    below = [step.load for step in by_load if step.keeps and (high is None or step.load < high)]
    return Crossing(max(below, default=None), high, max((step.load for step in by_load), default=0.0))


def bounds(steps: Sequence[Step]) -> tuple[float, float] | None:
    """The targets between which the limit is crossed, by what was measured; None where it is not crossed."""
    high = min((step.target for step in steps if is_beyond(step)), default=None)
    known_steps = (step for step in steps if step.value is not None or step.fails)
    low = max((step.target for step in known_steps if high is not None and step.target < high), default=None)
    return None if high is None or low is None else (low, high)


def is_beyond(step: Step) -> bool:
    return step.fails or (step.value or 0) > step.limit


def with_interval(step: Step) -> str:
    # Where the true one may be longer than any that was seen, there is no upper end.
    to = f"to {ms(step.high)}" if step.high is not None else "or more"
    ends = f" ({ms(step.low)} {to})" if step.low is not None else ""
    marks = ("*" if is_beyond(step) else "") + ("!" if step.disturbed else "")
    return f"{ms(step.value) or 'too few'}{ends}{' ' + marks if marks else ''}"


def table(steps: Iterable[Step], limit: str) -> list[list[str]]:
    """A row for each load."""
    head = ["target (%)", "load (%)", "requests", "errors", "mean", "p50", limit.partition("=")[0]]
    return [head] + [
        [*(step.row()[name] for name in "target_percent load_percent requests errors mean_ms p50_ms".split()), with_interval(step)]
        for step in steps
    ]  # fmt: skip


def side_by_side(of: dict[str, list[Step]]) -> list[list[str]]:
    """A row for each target, a column for each way."""
    targets = sorted({round(step.target, 3) for steps in of.values() for step in steps})
    cells = {(name, round(step.target, 3)): with_interval(step) for name, steps in of.items() for step in steps}
    return [
        ["target (%)", *of],
        *([f"{target:g}", *(cells.get((name, target), "") for name in of)] for target in targets),
    ]


def ways(of: dict[str, Step], limit: str) -> list[list[str]]:
    """A row for each way."""
    rows = table(of.values(), limit)
    return [["by", *rows[0][2:]], *([name, *row[2:]] for name, row in zip(of, rows[1:]))]
