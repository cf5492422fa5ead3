# SPDX-License-Identifier: MIT
"""What samples make: of one machine stretches that follow one another, of several their mean in steps of time, or a list.

Samples of one machine are kept, and put in order at the end. What machines, or the users of one, make together is added up in steps of equal
length, and a sample that lies in two steps is shared between them, so that sums stay right.
"""
from __future__ import annotations

from enum import Enum
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .._dates import chained
from .._errors import InputError
from .source import NS_PER_S, Counts, Floats, Ints, Rules, Samples

__all__ = ["List", "Merge", "OneMachine", "Steps", "Stretches", "line_records", "step_records"]

_GAP = 1.5  # a distance longer than so many usual ones is a gap
_JITTER = 0.1  # what clocks and whole seconds make of equal intervals
_DEFAULT_STEP_NS = 60 * NS_PER_S
_STEPS_MOST = 1 << 24
_DISTANCES_MOST = 10001
_ROUNDING = 1e-9


class Merge(Enum):
    """How samples of one machine at one time belong together."""

    FIRST = "they are the same sample: the first one counts"
    PARTS = "each is a part of the machine: values are added, and divided by the sum of weights"
    USERS = "each uses some of the machine: values are added, each for its interval, and divided by the capacity"


class Stretches(NamedTuple):
    """Loads over intervals, of which each begins where the one before ends; the first one at `origin_ns`."""

    origin_ns: int
    end_ns: Ints
    load: Floats
    is_gap: NDArray[np.bool_]


def _cut(load: Floats, counts: Counts) -> Floats:
    counts.loads += len(load)
    counts.outside += int(((load < -_ROUNDING) | (load > 1 + _ROUNDING)).sum())
    return np.clip(load, 0, 1) + 0.0


def _stretches(start: Ints, end: Ints, load: Floats, usual: int, counts: Counts) -> Stretches:
    """Of intervals that are sorted by their beginnings. Where there is none the load before holds."""
    last = np.concatenate((start[:1], np.maximum.accumulate(end)[:-1]))
    length = end - start
    tolerated = _JITTER * np.where((length < usual) | (usual == 0), length, usual)
    counts.overlaps += int((last - start > tolerated).sum())
    is_kept = end > last
    start, end, load, last, tolerated = (column[is_kept] for column in (start, end, load, last, tolerated))
    gaps = np.flatnonzero(start - last > tolerated)
    counts.gaps += len(gaps)
    counts.gaps_ns += int((start - last)[gaps].sum())
    origin = int(start[0]) if len(start) else 0
    is_gap = np.insert(np.zeros(len(end), np.bool_), gaps, True)
    return Stretches(origin, np.insert(end, gaps, start[gaps]) - origin, np.insert(load, gaps, load[gaps - 1]), is_gap)


def _nothing(rules: Rules, counts: Counts) -> InputError:
    if not counts.samples:
        return InputError(
            "found no sample" + (f"; the first line that is none: {counts.first_wrong}" if counts.wrong else "")
        )
    wanted = rules.mean_of or rules.machine
    return InputError(f"found no sample of {wanted} (--machines lists what there is)")


def _known(samples: Samples, counts: Counts) -> Samples:
    """Those with a load."""
    is_known = ~np.isnan(samples.value)
    counts.missing += int((~is_known).sum())
    counts.samples += int(is_known.sum())
    return samples if is_known.all() else _picked(samples, is_known)


def _picked(samples: Samples, pick: NDArray[np.bool_]) -> Samples:
    columns: Any = (samples.ns, samples.value, samples.length_ns, samples.weight, samples.code)
    ns, value, length, weight, code = (c[pick] if isinstance(c, np.ndarray) else c for c in columns)
    return Samples(ns, value, length, weight, samples.names, code)


# ---- One machine ----------------------------------------------------------------------------------------------------


class OneMachine:
    """Keeps the samples of one machine."""

    def __init__(self, rules: Rules, merge: Merge, stamp: str, step_ns: int, counts: Counts) -> None:
        self.rules, self.merge, self.stamp, self.step_ns, self.counts = rules, merge, stamp, step_ns, counts
        self.name = rules.machine
        self.kept: list[Samples] = []

    def add(self, samples: Samples) -> None:
        samples = _known(samples, self.counts)
        if not len(samples.ns):
            return
        there = (
            [samples.names[0]] if isinstance(samples.code, int) else [samples.names[i] for i in pd.unique(samples.code)]
        )
        if self.rules.machine is None:
            self.name = there[0] if self.name is None else self.name
            other = next((name for name in there if name != self.name), None)
            if other is not None:
                what = "--machine or --mean-of to say which of them, or --machines to list all"
                raise InputError(f"found the machines '{self.name:.40}' and '{other:.40}', expected {what}")
        elif self.name not in there:
            return
        elif len(there) > 1:
            samples = _picked(samples, np.asarray(samples.code == samples.names.index(self.name)))
        self.kept.append(samples)

    def finish(self) -> Stretches:
        if not self.kept:
            raise _nothing(self.rules, self.counts)
        ns = np.concatenate([samples.ns for samples in self.kept])
        value = np.concatenate([samples.value for samples in self.kept])
        length, weight = (
            np.concatenate([np.broadcast_to(getattr(samples, name), len(samples.ns)) for samples in self.kept])
            for name in ("length_ns", "weight")
        )
        if not (np.diff(ns) >= 0).all():
            if self.merge is Merge.FIRST:
                self.counts.unsorted += int((np.diff(ns) < 0).sum())
            order = np.argsort(ns, kind="stable")
            ns, value, length, weight = ns[order], value[order], length[order], weight[order]
        if self.merge is Merge.PARTS:
            usual = self._usual(length)
            ns, value, length = _joined(ns, value, length, weight, usual, self.counts)
            if not len(ns):
                raise InputError("found times of processors, but none of them idle")
        else:
            is_first = chained([True], ns[1:] != ns[:-1])
            self.counts.duplicates += int((~is_first).sum())
            ns, value, length = ns[is_first], value[is_first], length[is_first]
            usual = self._usual(np.diff(ns))
        start, end = self._bounds(ns, length, usual)
        return _stretches(start, end, _cut(value, self.counts), usual, self.counts)

    def _usual(self, distances: Ints) -> int:
        """How far samples are usually apart, or how long they are: the median of those at the beginning; 0: nobody knows."""
        some = np.sort(distances[distances > 0][:_DISTANCES_MOST])
        usual = int(some[(len(some) - 1) // 2]) if len(some) else 0
        # Two or three samples may have a gap between them.
        return self.step_ns if 0 < self.step_ns < usual and len(some) < 3 else usual

    def _bounds(self, ns: Ints, length: Ints, usual: int) -> tuple[Ints, Ints]:
        apart = np.diff(ns)
        found = chained([0], apart) if self.stamp == "end" else chained(apart, [0])
        found = np.where(found > _GAP * usual, 0, found) if usual else found
        length = np.where(length > 0, length, np.where(found > 0, found, usual or NS_PER_S))
        start = ns - length if self.stamp == "end" else ns
        return start, start + length


def _joined(
    ns: Ints, value: Floats, length: Ints, weight: Floats, usual: int, counts: Counts
) -> tuple[Ints, Floats, Ints]:
    """The parts of a machine at one time, or less than half an interval apart, as one sample."""
    first = _begins(np.unique(ns), usual // 2)
    nearest = np.clip(np.searchsorted(first, ns, side="right") - 1, 0, None)
    total = np.bincount(nearest, value, len(first))
    weights = np.bincount(nearest, weight, len(first))
    begins = np.searchsorted(ns, first)
    # Time without work, of a processor whose idle time is not known.
    is_known = weights > 0
    counts.missing += int((~is_known).sum())
    with np.errstate(invalid="ignore", divide="ignore"):
        return first[is_known], (total / weights)[is_known], length[begins][is_known]


def _begins(moments: Ints, near: int) -> Ints:
    """The first one of each group, in which all are so near to the first one."""
    begins = np.flatnonzero(chained([True], np.diff(moments) > near))
    ends = np.append(begins[1:], len(moments))
    if (moments[ends - 1] - moments[begins] <= near).all():
        return moments[begins]
    found: list[int] = []
    for moment in moments.tolist():
        if not found or moment - found[-1] > near:
            found.append(moment)
    return np.array(found)


# ---- Several machines, or users of one ------------------------------------------------------------------------------


class Steps:
    """Adds up samples in steps of time."""

    def __init__(self, rules: Rules, merge: Merge, stamp: str, step_ns: int, counts: Counts) -> None:
        self.rules, self.merge, self.stamp, self.counts = rules, merge, stamp, counts
        self.step_ns = rules.step_ns or step_ns or _DEFAULT_STEP_NS
        self.usual_ns = step_ns or self.step_ns
        self.one = None if rules.mean_of else OneMachine(rules, merge, stamp, step_ns, counts)
        self.last_ns: dict[str, int] = {}
        self.value, self.weight, self.first = np.zeros(0), np.zeros(0), 0

    def add(self, samples: Samples) -> None:
        if self.one:
            before = len(self.one.kept)
            self.one.add(samples)
            wanted = self.one.kept[before:]
            self.one.kept.clear()
        else:
            wanted = [self._wanted(_known(samples, self.counts))]
        for each in wanted:
            if len(each.ns):
                self._spread(each)

    def _wanted(self, samples: Samples) -> Samples:
        """Those of the machines that are averaged, and of one machine's at one time the first."""
        names = set((self.rules.mean_of or "all").split(","))
        code = np.broadcast_to(samples.code, len(samples.ns))
        if names != {"all"}:
            is_wanted = np.array([name in names for name in samples.names])[code]
            samples, code = _picked(samples, is_wanted), code[is_wanted]
        order = np.argsort(code, kind="stable")
        ns, code = samples.ns[order], code[order]
        is_begin = chained([True], code[1:] != code[:-1])[: len(code)]
        before = chained([0], ns[:-1])[: len(ns)]
        has_before = ~is_begin
        for place in np.flatnonzero(is_begin):
            name = samples.names[code[place]]
            has_before[place] = name in self.last_ns
            before[place] = self.last_ns.get(name, 0)
        for place in np.flatnonzero(np.append(is_begin[1:], True)[: len(code)]):
            self.last_ns[samples.names[code[place]]] = int(ns[place])
        if self.merge is not Merge.FIRST:
            return samples
        self.counts.unsorted += int((has_before & (ns < before)).sum())
        is_double = has_before & (ns == before)
        self.counts.duplicates += int(is_double.sum())
        is_kept = np.ones(len(ns), np.bool_)
        is_kept[order[is_double]] = False
        return _picked(samples, is_kept)

    def _spread(self, samples: Samples) -> None:
        value, step = samples.value, self.step_ns
        if self.merge is Merge.FIRST:
            value = _cut(value, self.counts)
        length = np.broadcast_to(samples.length_ns, len(samples.ns))
        length = np.where(length > 0, length, self.usual_ns)
        start = samples.ns - length if self.stamp == "end" else samples.ns
        end = start + length
        first, last = start // step, (end - 1) // step
        least, most = int(first.min()), int(last.max())
        if len(self.value):
            least, most = min(least, self.first), max(most, self.first + len(self.value) - 1)
        if most - least >= _STEPS_MOST:
            raise InputError(f"found samples that are more than {_STEPS_MOST} steps apart, expected a longer --step")
        if least != self.first or most - least + 1 != len(self.value):
            pad = (
                (self.first - least, most - self.first - len(self.value) + 1)
                if len(self.value)
                else (0, most - least + 1)
            )
            self.value, self.weight = np.pad(self.value, pad), np.pad(self.weight, pad)
            self.first = least
        count = last - first + 1
        row = np.repeat(np.arange(len(count)), count)
        number = first[row] + np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count)
        share = (np.minimum(end[row], (number + 1) * step) - np.maximum(start[row], number * step)) / step
        weight = np.broadcast_to(samples.weight, len(count))
        self.value += np.bincount(number - least, value[row] * share, len(self.value))
        self.weight += np.bincount(number - least, weight[row] * share, len(self.value))

    def finish(self) -> Stretches:
        if self.rules.mean_of and self.rules.mean_of != "all":
            # A machine that isn't there would make the others' mean look like the mean of all of them.
            for name in self.rules.mean_of.split(","):
                if name not in self.last_ns:
                    raise InputError(f"found no sample of {name} (--machines lists what there is)")
        cells = np.flatnonzero(self.weight > 0)
        if not len(cells):
            raise _nothing(self.rules, self.counts)
        machines = len(self.last_ns) if self.rules.mean_of else 1
        divisor = (self.rules.capacity or 1) * machines if self.merge is Merge.USERS else self.weight[cells]
        load = _cut(self.value[cells] / divisor, self.counts)
        start = (self.first + cells) * self.step_ns
        return _stretches(start, start + self.step_ns, load, self.step_ns, self.counts)


# ---- The list -------------------------------------------------------------------------------------------------------


class List:
    """What there is of each machine."""

    def __init__(self, merge: Merge, counts: Counts) -> None:
        self.merge, self.counts = merge, counts
        self.rows: pd.DataFrame | None = None

    def add(self, samples: Samples) -> None:
        samples = _known(samples, self.counts)
        if not len(samples.ns):
            return
        columns = {name: getattr(samples, name) for name in ("ns", "value", "weight", "code")}
        groups = pd.DataFrame(columns, index=np.arange(len(samples.ns))).groupby("code")
        rows = pd.DataFrame(
            {
                "samples": groups["ns"].size(),
                "first": groups["ns"].min(),
                "last": groups["ns"].max(),
                "sum": groups["value"].sum(),
                "weight": groups["weight"].sum(),
                "most": groups["value"].max(),
            }
        )
        rows.index = pd.Index([samples.names[code] for code in rows.index])
        rows = rows if self.rows is None else pd.concat([self.rows, rows])
        how = {"samples": "sum", "first": "min", "last": "max", "sum": "sum", "weight": "sum", "most": "max"}
        self.rows = rows.groupby(level=0).agg(how)

    def finish(self) -> pd.DataFrame:
        """machine, samples, span_s, mean and maximum, NaN where samples are not of a whole machine."""
        if self.rows is None:
            raise _nothing(Rules(), self.counts)
        rows = self.rows
        mean = rows["sum"] / rows["weight"] if self.merge is not Merge.USERS else np.nan
        most = rows["most"] if self.merge is Merge.FIRST else np.nan
        span = (rows["last"] - rows["first"]) / NS_PER_S
        frame = pd.DataFrame({"samples": rows["samples"], "span_s": span, "mean": mean, "maximum": most})
        return frame.rename_axis("machine").reset_index()


# ---- Traces ---------------------------------------------------------------------------------------------------------

Records = tuple[Any, Any]


def step_records(stretches: Stretches) -> Records:
    """Times in ns and loads that hold until the next time; equal loads that follow one another are one record."""
    start = chained([0], stretches.end_ns[:-1])
    load = stretches.load
    is_new = chained([True], load[1:] != load[:-1])
    return np.append(start[is_new], stretches.end_ns[-1]), np.append(load[is_new], load[-1])


def line_records(stretches: Stretches) -> Records:
    """Two straight lines in each interval: from the load at its start over one in its middle to the one at its end.

    With the ends a and c, the middle 2m - (a + c)/2 makes the mean m. It lies within 0 and 1 when both ends lie within 2m - 1 and 2m, and so
    does an end that suits both of its neighbours. Where none does, since their means are more than a half apart, the load jumps.
    """
    mean, end = stretches.load, stretches.end_ns
    start = chained([0], end[:-1])
    m, other = mean[:-1], mean[1:]
    least = np.maximum(0, np.maximum(2 * m - 1, 2 * other - 1))
    most = np.minimum(1, np.minimum(2 * m, 2 * other))
    both = np.clip((m + other) / 2, least, np.maximum(least, most))
    jumps = least > most
    to = np.append(np.where(jumps, m, both), mean[-1])
    begin = np.concatenate((mean[:1], np.where(jumps, other, both)))
    middle = np.clip(2 * mean - (begin + to) / 2, 0, 1) + 0.0
    length = end - start
    ns = np.column_stack((start, start + length // 2, end)).ravel()
    load = np.column_stack((begin, middle, to)).ravel()
    is_kept = np.column_stack((np.append(True, begin[1:] != to[:-1]), length > 1, np.ones(len(mean), np.bool_))).ravel()
    return ns[is_kept], load[is_kept]
