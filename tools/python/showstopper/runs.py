# SPDX-License-Identifier: MIT
"""What was recorded together: logs, iteration records and powers, brought to one clock.

Where the wall clock is not set, it stays the same distance from CLOCK_MONOTONIC within microseconds, also while NTP makes it faster or slower: that
changes both. So one number per file is enough to join files: the median, which is what held for most of a file.
"""
from __future__ import annotations

import fnmatch
import os
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, Union

import numpy as np
import pandas as pd

from ._csv import CsvFile
from ._errors import InputError, InputWarning
from ._words import File
from .logs import has_failed, is_iterations, is_log, monotonic_of, read_iterations, read_log, row_length
from .traces import is_trace, read_trace

__all__ = ["File", "Log", "Recorded", "Run", "join", "runs_of"]

Clocks = Literal["auto", "wall", "monotonic"]
PathOrLabelled = Union[str, "os.PathLike[str]", File]

# Differences of files of one boot are closer together than this. If other files are as close, either clock joins them as well.
_SAME_BOOT_S = 0.01
# A drift of this is worth a warning where there is no log, whose rows say what is.
_ROW_DEFAULT_S = 0.5


class Log(NamedTuple):
    file: str
    frame: pd.DataFrame


@dataclass(frozen=True)
class Run:
    """What was recorded together. All moments (monotonic_s of logs, start_s and end_s of iterations) are of one clock.

    Attributes:
        label: that of the user (`is_labelled`), or of a file.
        logs: in the order of the files, each with its name.
        iterations: those of all files that didn't fail, as `read_iterations` has them; None if there is no such file.
        iteration_files: how many there are.
        traces: as `read_trace` has them, each with its name.
    """

    label: str
    is_labelled: bool = False
    logs: tuple[Log, ...] = field(default=(), repr=False)
    iterations: pd.DataFrame | None = field(default=None, repr=False)
    iteration_files: int = 0
    traces: tuple[Log, ...] = field(default=(), repr=False)

    @property
    def log(self) -> pd.DataFrame | None:
        """The first log."""
        return self.logs[0].frame if self.logs else None

    @property
    def controlled(self) -> tuple[Log, ...]:
        """The logs with a target, whose steps and intervals are looked at; without any, all: what cpuload wrote beside them is no other run."""
        return tuple(log for log in self.logs if "target" in log.frame) or self.logs


class Clock(NamedTuple):
    """How far the wall clock is ahead of CLOCK_MONOTONIC in a file: in its first row, its last one, and usually. NaN: not known."""

    first: float = np.nan
    last: float = np.nan
    usual: float = np.nan

    @property
    def is_known(self) -> bool:
        return not np.isnan(self.usual)

    @property
    def moved(self) -> float:
        return self.last - self.first

    def is_same(self, other: Clock) -> bool:
        return any(abs(mine - its) < _SAME_BOOT_S for mine, its in zip(self, other))


def clock_of(frame: pd.DataFrame, moment: str) -> Clock:
    """That of a log ("monotonic_s") or of iterations ("end_s")."""
    if "time_unix_s" not in frame or moment not in frame:
        return Clock()
    ahead = (frame["time_unix_s"] - frame[moment]).to_numpy()
    ahead = ahead[~np.isnan(ahead)]
    if not ahead.size:
        return Clock()
    return Clock(float(ahead[0]), float(ahead[-1]), float(np.partition(ahead, ahead.size // 2)[ahead.size // 2]))


# What functions of runs take, see `runs_of`.
Recorded = Union[Run, PathOrLabelled, pd.DataFrame, Iterable[Any]]


@dataclass
class _Building:
    """A run that is being put together. Its clock is that of the file `reference`."""

    label: str
    is_labelled: bool
    group: int
    logs: list[Log] = field(default_factory=list)
    traces: list[Log] = field(default_factory=list)
    iterations: list[pd.DataFrame] = field(default_factory=list)
    iteration_files: int = 0
    reference: str = ""
    clock: Clock = Clock()
    offset_s: float = 0.0
    row_s: float = _ROW_DEFAULT_S

    @property
    def own_label(self) -> str | None:
        """As offsets know it, for iterations."""
        return self.label if self.is_labelled else None

    def finished(self) -> Run:
        logs, traces = tuple(self.logs), tuple(self.traces)
        nothing = pd.DataFrame({"start_s": np.empty(0), "end_s": np.empty(0), "is_gap": np.empty(0, bool)})
        parts = self.iterations or ([nothing] if self.iteration_files else [])
        iterations = pd.concat(parts, ignore_index=True) if parts else None
        return Run(self.label, self.is_labelled, logs, iterations, self.iteration_files, traces)


class _Records(NamedTuple):
    """A file of iterations; the run it belongs to, None where that isn't clear yet."""

    path: str
    frame: pd.DataFrame
    clock: Clock
    run: _Building | None


def _moved(moments: pd.Series, shift_s: float) -> pd.Series:
    """What was read from decimals is so what those of the other clock would have given, to the last bit."""
    return moments if shift_s == 0 else np.rint((moments + shift_s) * 1e9) / 1e9


def run_name(path: str, *, is_short: bool = True) -> str:
    """What a run without a label is called: the name of a file, if short without folders, and without .csv."""
    name = os.path.basename(path) or path if is_short else path
    return "stdin" if name == "-" else name.removesuffix(".csv") or name


def overlaps(log: pd.DataFrame, start_s: float, end_s: float) -> bool:
    """Whether a stretch of the log's CLOCK_MONOTONIC has anything in common with it."""
    if "monotonic_s" not in log:
        return False
    begin = monotonic_of(log, log["start_s"].iloc[0])
    return bool(start_s <= log["monotonic_s"].iloc[-1] and end_s >= begin)


def _moved_clock(path: str, moved_s: float) -> str:
    return f"the wall clock of {path} was set by {moved_s:+.3f} s in the run; it is joined as it mostly was"


class _Joiner:
    def __init__(self, clocks: Clocks, offsets_s: list[tuple[str, float]]) -> None:
        self.clocks = clocks
        self.offsets = offsets_s
        self.runs: list[_Building] = []
        self.records: list[_Records] = []
        self.has_warned = False

    # ---- Reading

    def find_run(self, file: File) -> _Building:
        for run in self.runs:
            if file.label is not None and run.is_labelled and run.group == file.group:
                if file.group > 0 or run.label == file.label:
                    return run
        self.runs.append(_Building(file.label or "", file.label is not None, file.group))
        return self.runs[-1]

    def read(self, file: File, logs_only: bool, takes_traces: bool) -> None:
        if takes_traces and is_trace(file.path):
            self.find_run(file).traces.append(Log(file.path, read_trace(file.path)))
            return
        opened = CsvFile(file.path)
        if is_log(opened):
            self.find_run(file).logs.append(Log(file.path, read_log(opened)))
        elif not is_iterations(opened):
            expected = "those of a log (time_s,load and others) or of iterations (start_s,end_s)"
            raise InputError(f"{opened.name}:1: found the columns {opened.shown_columns()}, expected {expected}")
        elif not logs_only:
            run = None if file.label is None else self.find_run(file)
            frame = read_iterations(opened)
            clock = clock_of(frame, "end_s")
            self.records.append(_Records(file.path, frame[~has_failed(frame)], clock, run))

    # ---- Clocks

    def is_of(self, name: str, path: str, label: str | None) -> bool:
        names = (path, os.path.basename(path)) if "/" in path else (path,)
        return name in (path, label) or any(fnmatch.fnmatchcase(each, name) for each in names)

    def offset_of(self, path: str, label: str | None = None) -> float:
        """The last one that is of the file."""
        return next((seconds for name, seconds in reversed(self.offsets) if self.is_of(name, path, label)), 0.0)

    def needs_wall(self, clock: Clock, reference: Clock) -> bool:
        both = self.clocks != "monotonic" and clock.is_known and reference.is_known
        return both and (self.clocks == "wall" or not clock.is_same(reference))

    def shift_of(self, run: _Building, path: str, clock: Clock, label: str | None = None) -> float:
        """What is to be added to the times of a file so that they are of the run's clock."""
        # Files have microseconds; the rest is what a double leaves of numbers this large.
        is_apart = self.needs_wall(clock, run.clock)
        shift = round((clock.usual - run.clock.usual) * 1e6) / 1e6 if is_apart else 0.0
        return shift + self.offset_of(path, label) - run.offset_s

    def align(self, run: _Building, path: str, clock: Clock, row_s: float, label: str | None = None) -> float:
        """The shift of a file that is of the run; the first one is the reference."""
        if self.clocks == "wall" and not clock.is_known:
            raise InputError(f"{path}: found no value in a column time_unix_s, expected some for --join wall")
        if not run.reference:
            run.reference, run.clock, run.row_s = path, clock, row_s
            run.offset_s = self.offset_of(path, label)
        # Where the wall clock joins files it should go as evenly as the other clock does.
        if self.needs_wall(clock, run.clock):
            apart = abs(clock.moved - run.clock.moved)
            if apart > run.row_s:
                both = f"the clocks of {run.reference} and {path} drifted apart by {apart:.3f} s in the run"
                self.warn_once(f"{both}; they are joined as they mostly were")
            elif abs(clock.moved) > run.row_s:
                self.warn_once(_moved_clock(path, clock.moved))
        return self.shift_of(run, path, clock, label)

    def warn_once(self, message: str) -> None:
        if not self.has_warned:
            warnings.warn(message, InputWarning, stacklevel=4)
        self.has_warned = True

    # ---- Joining

    def fill_power(self, power: File) -> None:
        """Fills the power of the logs that a meter is for."""
        from .meter import mean_power, read_meter

        meter = read_meter(power.path)
        last: Log | None = None
        is_known = False
        for run in self.runs:
            if power.label is not None and run.own_label != power.label:
                continue
            for place, last in enumerate(run.logs):
                clock = clock_of(last.frame, "monotonic_s")
                if not clock.is_known:
                    raise InputError(f"{last.file}: found no value in a column time_unix_s, expected some for --power")
                ahead = clock.usual + self.offset_of(last.file) - self.offset_of(power.path)
                start = monotonic_of(last.frame, last.frame["start_s"]) + ahead
                watts = mean_power(meter, start, last.frame["monotonic_s"].to_numpy() + ahead)
                run.logs[place] = Log(last.file, last.frame.assign(power_w=watts))
                if abs(clock.moved) > row_length(last.frame):
                    self.warn_once(_moved_clock(last.file, clock.moved))
                is_known |= not np.isnan(watts).all()
        if not last:
            whose = "" if power.label is None else f" of the label '{power.label}'"
            raise InputError(f"{power.path}: found no log{whose} to join this power to")
        if not is_known:
            raise InputError(f"{power.path}: found no reading at the time of {last.file}, expected some")

    def align_logs(self, run: _Building) -> None:
        for place, (path, frame) in enumerate(run.logs):
            shift = self.align(run, path, clock_of(frame, "monotonic_s"), row_length(frame))
            if "monotonic_s" in frame:
                run.logs[place] = Log(path, frame.assign(monotonic_s=_moved(frame["monotonic_s"], shift)))

    def add(self, run: _Building, records: _Records) -> None:
        """Adds a file's iterations to those of a run, as times of its clock."""
        path, frame, clock, _ = records
        run.iteration_files += 1
        if not frame.empty:
            shift = self.align(run, path, clock, _ROW_DEFAULT_S, run.own_label)
            times = {name: _moved(frame[name], shift) for name in ("start_s", "end_s")}
            run.iterations.append(frame.assign(**times))

    def is_at_home(self, run: _Building, records: _Records) -> bool:
        shift = self.shift_of(run, records.path, records.clock, run.own_label)
        good = records.frame[~records.frame["is_gap"]]
        start, end = good["start_s"].min() + shift, good["end_s"].max() + shift
        return any(overlaps(log.frame, start, end) for log in run.logs)

    def find_home(self, homes: list[_Building], records: _Records) -> _Building:
        """The run that iterations without a label belong to."""
        fitting = [run for run in homes if len(homes) == 1 or self.is_at_home(run, records)]
        if not fitting:
            raise InputError(f"{records.path}: found iterations at the time of none of the logs")
        if len(fitting) > 1:
            both = f"{fitting[0].logs[0].file} and {fitting[1].logs[0].file}"
            expected = "expected labels that say to which they belong"
            raise InputError(f"{records.path}: found iterations at the time of both {both}, {expected}")
        return fitting[0]

    def add_records(self) -> None:
        for records in self.records:
            if records.run is not None:
                self.add(records.run, records)
        homes = [run for run in self.runs if run.logs]
        loose = [records for records in self.records if records.run is None]
        if loose and not homes:
            homes = [_Building("all" if len(loose) > 1 else run_name(loose[0].path), False, 0)]
            self.runs += homes
        for records in loose:
            # A workload that finished nothing has an empty file, whose time nobody knows.
            if len(homes) == 1 or not records.frame["is_gap"].all():
                self.add(self.find_home(homes, records), records)

    def check_offsets(self, files: Iterable[File]) -> None:
        known: list[tuple[str, str | None]] = [(file.path, None) for file in files]
        known += [("", run.own_label) for run in self.runs if run.iteration_files]
        for name, _ in self.offsets:
            if not any(self.is_of(name, path, label) for path, label in known):
                raise InputError(f"--offset: found neither a file '{name}' nor a label of iterations")

    def name_runs(self) -> None:
        """Logs and traces without a label are called by their names, with folders where two have the same one."""
        unnamed = [(run, (run.logs or run.traces)[0].file) for run in self.runs if not run.label]
        short = [run_name(file) for _, file in unnamed]
        for run, file in unnamed:
            run.label = run_name(file, is_short=short.count(run_name(file)) == 1)


def join(
    files: Iterable[PathOrLabelled],
    *,
    clocks: Clocks = "auto",
    offsets_s: Mapping[str, float] | Iterable[tuple[str, float]] = (),
    powers: Iterable[PathOrLabelled] = (),
    logs_only: bool = False,
    takes_traces: bool = False,
) -> list[Run]:
    """Reads files and sorts them into runs.

    A log or trace without a label is a run of its own. Iteration files without one belong to the run with a log at that time; without any
    log they are a run together. All times of a run become those of its first log, or of its first file where there is none.

    Args:
        clocks: what joins the files of a run. "auto": CLOCK_MONOTONIC for files of one boot and files without a column time_unix_s, the wall
            clock for others.
        offsets_s: what to add to the times of a file, before; by its name, a pattern of names, or a label, whose iterations are moved. Of
            several that name one file the last one counts.
        powers: files of power meters; their power takes the place of that of all logs, or of the logs of their label.
        logs_only: iteration files are passed over.
        takes_traces: a trace is read, else refused.

    Warns:
        InputWarning: see `read_log` and `read_iterations`; clocks drifted apart, or were set.

    Raises:
        InputError: a file can't be read; it can't be told to which run iterations belong, or they can't be joined.
    """
    joiner = _Joiner(clocks, list(offsets_s.items() if isinstance(offsets_s, Mapping) else offsets_s))
    words, meters = (
        [file if isinstance(file, File) else File(os.fspath(file)) for file in given] for given in (files, powers)
    )
    for word in words:
        joiner.read(word, logs_only, takes_traces)
    for meter in meters:
        joiner.fill_power(meter)
    for run in joiner.runs:
        joiner.align_logs(run)
    joiner.add_records()
    joiner.check_offsets([*words, *meters])
    joiner.name_runs()
    return [run.finished() for run in joiner.runs]


def runs_of(recorded: Recorded) -> list[Run]:
    """What functions of runs take, as runs.

    Args:
        recorded: a run or several; a file or several, for `join`; a frame of `read_log` or several and those of `read_iterations`, which are
            one run; or a mapping of labels to one of these.
    """
    if isinstance(recorded, Mapping):
        parts = [(str(label), runs_of(part)) for label, part in recorded.items()]
        return [replace(run, label=label, is_labelled=True) for label, runs in parts for run in runs]
    items = [recorded] if isinstance(recorded, (Run, str, os.PathLike, File, pd.DataFrame)) else list(recorded)
    frames = [item for item in items if isinstance(item, pd.DataFrame)]
    paths = [item for item in items if isinstance(item, (str, os.PathLike, File))]
    runs = [item for item in items if isinstance(item, Run)] + (join(paths, takes_traces=True) if paths else [])
    if frames:
        logs = tuple(Log("log", frame) for frame in frames if "load" in frame)
        iterations = [frame for frame in frames if "load" not in frame]
        joined = pd.concat(iterations, ignore_index=True) if iterations else None
        runs.append(Run("run", False, logs, joined, len(iterations)))
    return runs
