# SPDX-License-Identifier: MIT
"""The subcommand that reports response times of requests: latency."""
from __future__ import annotations

import warnings
from typing import Any

import pandas as pd

from .._errors import InputError, InputWarning
from .._schema import SCHEMAS
from ..latency import FIGURES, column_of, latency, times_of_rows, verdict
from ..logs import read_log
from ..requests import CLIENTS, read_requests
from ..runs import clock_of
from .options import Settings
from .tables import Report

_ENDS = {"_low": "95 % from", "_high": "to"}


def _read(settings: Settings) -> pd.DataFrame:
    """The requests of all files; what another program's file is, and lacks, is said."""
    frames: list[pd.DataFrame] = []
    for path, *_ in settings.files:
        frame = read_requests(path, **settings.given("start", "end", "time", "unit"))
        client = frame["client"].iloc[0]
        has_schedule = frame["planned_s"].notna().any()
        if not has_schedule and settings.from_ in ("planned", "arrival"):
            what = "which doesn't say when requests were due, expected --from sent"
            raise InputError(f"{path}: found {CLIENTS[client]}, {what}")
        if client != "ssrequest":
            since = (
                "" if has_schedule or settings.from_ else ": response times run from when a request was sent, not due"
            )
            warnings.warn(f"{path}: found {CLIENTS[client]}{since}", InputWarning, stacklevel=2)
        clocks = [clock_of(each, "end_s") for each in (*frames[:1], frame)]
        if all(clock.is_known for clock in clocks) and not clocks[0].is_same(clocks[-1]):
            what = f"found requests of another boot or machine than {settings.files[0].path} has, expected one clock"
            raise InputError(f"{path}: {what}")
        frames.append(frame)
    return frames[0] if len(frames) == 1 else pd.concat(frames, ignore_index=True)


def report_latency(settings: Settings) -> Report:
    log = read_log(settings.log) if settings.log else None
    requests = _read(settings)
    named = {figure: most for limit in settings.limits for figure, most in limit.items()}
    limits = {figure: named[figure] for figure in FIGURES if figure in named}
    more = settings.given("from_", "resamples", "seed")
    table = latency(requests, log, limit=limits, **settings.given("window_s", "edge"), **more)
    wanted = {"--limit": limits, "--picture curve": settings.picture == "curve", "--edge": settings.has("edge")}
    for option in (option for option, value in wanted.items() if value and len(table) == 1):
        steps = (
            "the rate, expected --log FILE or --window TIME" if log is None else "the load, expected a log with some"
        )
        raise InputError(f"found {option}, but no steps of {steps}")
    picture = settings.picture or ("curve" if len(table) > 1 else "tail")
    drawn: dict[str, Any] = settings.given("size_cm")

    def draw(plot: Any) -> Any:
        if picture == "curve":
            return plot.latency(table, limit=limits, **drawn)
        if picture == "tail":
            return plot.latency_tail(table, times_of_rows(requests, table, log, **settings.given("from_")), **drawn)
        whole = table.iloc[0]
        stretch = plot.stretch_s(whole["end_s"] - whole["start_s"], len(requests))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they were said of the table
            rows = latency(requests, log, window_s=stretch, **more)
        return plot.latency_timeline(rows, log, table, limit=limits, **drawn)

    # People see the intervals of what is limited.
    ends = {column_of(figure, end): title for figure in limits or ["p99"] for end, title in _ENDS.items()}
    schema = SCHEMAS["latency"]
    columns = [column._replace(title=ends.get(column.name, column.title)) for column in schema.columns]
    return Report(
        table, schema._replace(columns=tuple(columns)), draw, verdict(table, limits).sentence if limits else None
    )
