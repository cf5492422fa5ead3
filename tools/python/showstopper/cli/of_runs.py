# SPDX-License-Identifier: MIT
"""The subcommands that report runs: control logs and what was recorded beside them, each by a function report_NAME."""
from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pandas as pd

from .. import colocation, windows
from .._errors import InputError
from .._schema import SCHEMAS, Column, Schema
from ..accuracy import ALL_LABEL, BURST, CALM_S, accuracy, repeats
from ..fleet import fleet, fleet_bins
from ..heatmap import heatmap
from ..runs import Run, join
from ..traces import trace_line
from .options import Settings
from .tables import Report

_PANELS_MOST = 12  # in a column of the picture


def read_runs(settings: Settings) -> list[Run]:
    """The files of the command line, as the options for clocks, offsets and powers say."""
    is_of_logs = "logs" in settings.subcommand.traits
    takes_traces = settings.subcommand.name == "timeline"
    given = settings.given("clocks", "offsets_s", "powers")
    return join(settings.files, logs_only=is_of_logs, takes_traces=takes_traces, **given)


def _labelled(runs: list[Run], frame: pd.DataFrame) -> pd.DataFrame:
    """A frame for a picture: a label is shown when the user gave it or when there are several."""
    is_needed = any(run.is_labelled for run in runs) or len(frame[["label", "file"]].drop_duplicates()) > 1
    return frame if is_needed else frame.drop(columns="label")


def _report(
    runs: list[Run], frame: pd.DataFrame, settings: Settings, draw: Callable[[Any], Any] | None = None
) -> Report:
    """People see the column file only where several logs have one label."""
    schema = SCHEMAS[settings.subcommand.name]
    labels = [run.label for run in runs]
    if len(set(labels)) == len(labels) and all(len(run.logs) < 2 for run in runs):
        hidden = [column._replace(title=None) if column.name == "file" else column for column in schema.columns]
        schema = schema._replace(columns=tuple(hidden))
    return Report(frame, schema, draw)


def _accuracy(settings: Settings, runs: list[Run]) -> pd.DataFrame:
    burst, calm_s = settings.burst or (BURST, CALM_S)
    given = settings.given("window_s", "settle_s", "skip_edges_s", "per_target")
    frame = accuracy(runs, burst=burst, calm_s=calm_s, **given)
    if frame.empty:
        raise InputError("found iterations only, expected a control log (showstopper -o)")
    return frame


def report_accuracy(settings: Settings) -> Report:
    runs = read_runs(settings)
    return _report(runs, _accuracy(settings, runs), settings)


def report_repeats(settings: Settings) -> Report:
    runs = [run if run.is_labelled else replace(run, label=ALL_LABEL) for run in read_runs(settings)]
    return _report(runs, repeats(_accuracy(settings, runs)), settings)


def report_timeline(settings: Settings) -> Report:
    runs = read_runs(settings)
    steps = windows.timeline(runs, per_step=True, **settings.given("window_s", "edge")) if settings.per_step else None
    if steps is not None and not settings.wants_picture:
        return _report(runs, steps, settings)
    logs, most = sum(len(run.logs) + len(run.traces) for run in runs), _PANELS_MOST * (settings.columns or 1)
    if logs > most and settings.wants_picture:
        raise InputError(f"found {logs} logs for one picture, expected at most {most}")
    frame = windows.timeline(runs, **settings.given("window_s", "with_warmup"))

    def draw(plot: Any) -> Any:
        seconds, speed = settings.recorded or (None, None)
        with_both = [run for run in runs if run.iterations is not None and run.logs]
        rates = windows.throughput(with_both, **settings.given("interval_s", "with_warmup")) if with_both else None
        lines = {trace.file: trace_line(trace.frame) for run in runs for trace in run.traces}
        return plot.timeline(
            _labelled(runs, frame),
            None if rates is None else _labelled(runs, rates),
            None if steps is None else _labelled(runs, steps),
            traces=lines if settings.window_s is None else None,
            recorded=None if seconds is None else (datetime.datetime.min + datetime.timedelta(seconds=seconds)).time(),
            speed=speed,
            **settings.given("window_s", "columns", "size_cm"),
        )

    return _report(runs, frame if steps is None else steps, settings, draw)


def report_throughput(settings: Settings) -> Report:
    runs, size = read_runs(settings), settings.given("per_step", "size_cm")
    frame = windows.throughput(runs, **settings.given("interval_s", "edge", "per_step", "with_warmup"))
    return _report(runs, frame, settings, lambda plot: plot.throughput(_labelled(runs, frame), **size))


def report_events(settings: Settings) -> Report:
    runs = read_runs(settings)
    frame = windows.events(runs, **settings.given("interval_s", "edge", "per_step", "with_warmup"))
    return _report(runs, frame, settings)


def report_curve(settings: Settings) -> Report:
    runs, has_steps, size = read_runs(settings), settings.interval_s is None, settings.given("size_cm")
    frame = windows.curve(runs, **settings.given("interval_s", "edge"))
    shown = _labelled(runs, frame)
    return _report(runs, frame, settings, lambda plot: plot.curve(shown, is_scattered=not has_steps, **size))


def report_interference(settings: Settings) -> Report:
    runs, size = read_runs(settings), settings.given("size_cm")
    steps = colocation.colocated(runs, **settings.given("edge"))
    frame = colocation.interference(steps)
    return _report(runs, frame, settings, lambda plot: plot.interference(steps, **size))


def report_overall(settings: Settings) -> Report:
    """Also efficiency."""
    name, runs = settings.subcommand.name, read_runs(settings)
    steps = colocation.colocated(runs, **settings.given("edge"))
    frame = getattr(colocation, name)(steps, reference=settings.reference)
    if name == "efficiency" and settings.wants_picture and frame["power_w"].isna().all():
        expected = "expected logs with a column power_w (cpuload --columns power), or --power FILE"
        raise InputError(f"found no run with a power to draw, {expected}")
    more = settings.given("size_cm") | {"is_relative": settings.reference is not None}
    return _report(runs, frame, settings, lambda plot: getattr(plot, name)(frame, **more))


report_efficiency = report_overall


def report_ratio(settings: Settings) -> Report:
    frame = colocation.ratio(colocation.colocated(read_runs(settings), **settings.given("edge")))
    if not settings.matrix:
        return Report(frame, SCHEMAS["ratio"])
    table = colocation.matrix(frame)
    for name in settings.outliers:
        if name not in [*table["foreground"], *table.columns[1:]]:
            raise InputError(f"--outlier: found no row or column called {name}")
    names = table.columns
    schema = Schema("matrix", tuple(Column(name, "text", "", "median, least..greatest", title=name) for name in names))
    more = settings.given("value_range", "outliers", "size_cm")
    return Report(table, schema, lambda plot: plot.heatmap(heatmap(table), decimals=3, corner="foreground", **more))


def report_fleet(settings: Settings) -> Report:
    runs, window, size = read_runs(settings), settings.given("window_s"), settings.given("size_cm")
    frame = fleet(runs, **window)
    return _report(runs, frame, settings, lambda plot: plot.fleet(fleet_bins(runs, **window), **size))
