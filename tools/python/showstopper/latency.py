# SPDX-License-Identifier: MIT
"""Response times of requests: in all, in windows, at each step of the load, and up to which load they keep a limit."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from . import logs
from ._csv import PathOrFile
from ._errors import InputError, InputWarning
from ._schema import SCHEMAS, checked
from .requests import CLIENTS, DROPPED, OK, OUTCOMES, TIMEOUT, WALL_LEAST, difference, read_requests
from .runs import Log, Run, clock_of
from .windows import _add_means, windows_of

# With fewer response times a figure is not known.
FIGURES = {"mean": 20, "p50": 20, "p90": 20, "p95": 20, "p99": 100, "p99.9": 1000, "max": 20}
BLOCKS = 30
_SHARES = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99, "p99.9": 0.999}
_REQUESTS_LEAST = 20  # fewer requests that failed don't break a limit
# The share of requests that may fail, where a figure says nothing of that.
_FAILED_MOST = {"mean": 0.01, "max": 0.0}
_CONFIDENCE = 0.95
_NS = 1e9
_WINDOWS_MOST = 1e6
_IDLE_MOST = 0.01  # so much of a row may be without requests at its ends
_LENGTH_LEAST = 1e-6  # a shorter row has no rate
_COARSE_MOST = 0.1  # nor has one that whole seconds make less certain than this


def column_of(figure: str, end: str = "") -> str:
    """The column of a figure, or with `_low` or `_high` that of an end of its interval: `p99_9_high_s`."""
    return f"{figure.replace('.', '_')}{end}_s"


def latency(
    requests: pd.DataFrame | PathOrFile,
    log: pd.DataFrame | PathOrFile | None = None,
    *,
    window_s: float | None = None,
    edge: float = 1 / 6,
    from_: str = "planned",
    limit: Mapping[str, float] | None = None,
    resamples: int = 1000,
    seed: int = 1,
) -> pd.DataFrame:
    """Measure the response times of requests, as `read_requests` returns them, or of a file that it reads.

    The first row (`part` is "all") is of all requests. With `log`, a frame of `read_log` or a file, that was recorded meanwhile,
    each step of its target has a row, with `window_s` each so many seconds, else each step of the planned rate, where
    it has some. `edge` is the share of a step that is left out at its beginning and again at its end; `cut_start_s` and
    `cut_end_s` say how many seconds these are. Requests belong to the row in which they were planned, or arrived or
    were sent (`from_`). Those whose schedule is not known count from when they were sent.

    Fewer than 20 response times have no figures, fewer than 100 no p99, fewer than 1,000 no p99.9. An interval's end is
    infinite where the true value may be longer than any time that was seen. Intervals of quantiles are Woodruff's over
    30 blocks of time (1952), that of the mean is one of `resamples` draws of these blocks, which begin with `seed`.

    `limit` has the longest time in seconds of some figures, such as `{"p99": 0.05}`: `keeps_limit` is then "yes", "no",
    or None where it isn't known. A quantile's limit is not kept either where more requests than it lets be slower were
    not answered well. `verdict` says up to which load the rows keep it.

    Returns the table "latency". Raises InputError where log and requests have no time in common, or no clock.
    """
    requests = requests if isinstance(requests, pd.DataFrame) else read_requests(requests)
    log = log if log is None or isinstance(log, pd.DataFrame) else logs.read_log(log)
    items = _Requests(requests, log, from_)
    if window_s is not None and not items.has_moments:
        raise InputError("found requests whose moments are not known, expected a column of these for windows")
    if not 0 <= edge < 0.5 or not (window_s is None or window_s > 0):
        raise InputError(f"found the edge {edge} and the window {window_s}, expected one below 1/2, and one above 0 s")
    end = max(items.end, items.first + _LENGTH_LEAST)
    rows = [_Row("all", items.time_of(items.first), items.time_of(end), items.first, end)]
    if log is not None:
        rows += _rows_of_log(items, window_s, edge)
    elif window_s is not None:
        rows += _rows_of_time(items, rows[0].end_s, window_s)
    elif items.has_schedule and items.has_moments:
        rows += _rows_of_rate(items, rows[0].end_s, edge)
    table = pd.DataFrame(rows)
    measured = [_measure(items, row, resamples, np.random.default_rng([seed, at])) for at, row in enumerate(rows)]
    table = pd.concat([table, pd.DataFrame(measured)], axis=1)
    if log is None:
        table = table.assign(**dict.fromkeys(("target", "load", "others"), np.nan), missed=None)
    else:
        _add_means(table, log)
        table.loc[0, ["target", "missed"]] = np.nan, None
    table["keeps_limit"] = _keeps(table, limit) if limit else None
    if not items.has_moments:
        table[["start_s", "end_s"]] = np.nan
    _warn(items, table, log is None and window_s is not None)
    return checked(table, SCHEMAS["latency"])


def times_of_rows(
    requests: pd.DataFrame, table: pd.DataFrame, log: pd.DataFrame | None = None, *, from_: str = "planned"
) -> list[Any]:
    """The response times of each row of a table that `latency` made of the same requests and log, in seconds."""
    items = _Requests(requests, log, from_)
    pairs = table[["start_s", "end_s"]].iloc[1:].itertuples(index=False)
    rows = [(0, len(items.begin)), *((items.find(items.moment_of(time)) for time in pair) for pair in pairs)]
    return [items.response_s[a:b][items.outcome[a:b] <= TIMEOUT] for a, b in rows]


# ---- The requests ---------------------------------------------------------------------------------------------------


class _Requests:
    """Requests in the order of their beginnings, which are in ns since `base_s`.

    Times of the table are seconds since control began in the log, or without one since the first request.
    """

    def __init__(self, frame: pd.DataFrame, log: pd.DataFrame | None, from_: str) -> None:
        if frame.empty:
            raise InputError("found no request")
        self.outcome = pd.Categorical(frame["outcome"], dtype=OUTCOMES).codes
        begin, self.response_s, self.has_schedule = _times(frame, from_)
        self.has_moments = not np.isnan(begin).any()
        if not self.has_moments:
            begin = np.arange(len(frame), dtype=float)
        self.base_s = float(np.floor(begin[0]))
        scale = 1e6 if begin[0] >= WALL_LEAST else _NS
        self.begin = (np.rint((begin - self.base_s) * scale) * (_NS / scale)).astype(np.int64)
        if np.any(self.begin[1:] < self.begin[:-1]):
            order = np.argsort(self.begin, kind="stable")
            self.begin, self.response_s, self.outcome = self.begin[order], self.response_s[order], self.outcome[order]
        changes = np.flatnonzero(self.begin[1:] != self.begin[:-1])
        self.come_together = 0 < len(changes) and len(frame) >= 2 * (len(changes) + 1)
        # Many a log has its moments in whole seconds.
        has_rates = self.has_moments and not self.has_schedule and len(frame) > 1
        self.is_coarse = has_rates and any(bool((frame[name] % 1 == 0).all()) for name in ("sent_s", "end_s"))
        self.first, self.last = float(self.begin[0] / _NS), float(self.begin[-1] / _NS)
        # When one more would have come.
        last = changes[-30:]
        gap = (self.begin[-1] - self.begin[last[0]]) // len(last) if len(last) else 0
        self.end = float((self.begin[-1] + gap) / _NS)
        self.log = log
        if log is not None:
            self._join(frame, log)

    def _join(self, frame: pd.DataFrame, log: pd.DataFrame) -> None:
        if not self.has_moments:
            raise InputError("found requests whose moments are not known, expected a column of these beside a log")
        if "monotonic_s" not in log:
            raise InputError("found no column monotonic_s in the log, expected it for the requests")
        if (frame["client"] == "hey").any():
            raise InputError(f"found {CLIENTS['hey']}, which has no time of day, so that no log can be joined to it")
        mine, its = clock_of(frame, "end_s"), clock_of(log, "monotonic_s")
        if not its.is_known and (frame["end_s"] >= WALL_LEAST).any():
            what = "expected it for requests whose times are of the wall clock"
            raise InputError(f"found no column time_unix_s in the log, {what}")
        # Of one boot both have one clock, else the wall clock joins them.
        is_one = not mine.is_known or not its.is_known or mine.is_same(its)
        self.base_s += 0.0 if is_one else round(mine.usual - its.usual, 6)
        if not (self.time_of(self.first) < log["time_s"].iloc[-1] and self.time_of(self.last) > log["start_s"].iloc[0]):
            raise InputError("found none of the requests at the time of the log, expected files of one run")

    def find(self, moment: float) -> int:
        return int(np.searchsorted(self.begin, np.int64(np.rint(moment * _NS))))

    def time_of(self, moment: float) -> float:
        return moment - self.first if self.log is None else float(logs.time_of(self.log, moment + self.base_s))

    def moment_of(self, time: float) -> float:
        return time + self.first if self.log is None else float(logs.monotonic_of(self.log, time) - self.base_s)


def _times(frame: pd.DataFrame, from_: str) -> tuple[Any, Any, bool]:
    """When requests began, how long they took since then, and whether all had a schedule."""
    order = {"planned": ["planned_s", "sent_s"], "arrival": ["arrival_s", "sent_s"], "sent": ["sent_s", "arrival_s"]}
    if from_ not in order:
        raise InputError(f"found '{from_}', expected planned, arrival or sent")
    begin, instead, planned, response, end = (
        frame[name].to_numpy(dtype=float) for name in (*order[from_], "planned_s", "response_s", "end_s")
    )
    if np.isnan(begin).any():
        begin = np.where(np.isnan(begin), instead, begin)
    has_schedule = not np.isnan(planned).any()
    if from_ != "planned":
        response = np.where(np.isnan(planned), response, difference(end, begin))
    return begin, response, has_schedule


# ---- Rows -----------------------------------------------------------------------------------------------------------


class _Row(NamedTuple):
    """A stretch of time: `start_s` to `end_s` as people see it, and as moments of the requests."""

    part: str
    start_s: float
    end_s: float
    first: float
    after: float
    cut_start_s: float = np.nan
    cut_end_s: float = np.nan


def _row(items: _Requests, part: str, start: float, end: float, cut: float = 0.0) -> _Row:
    """A row, of a step less `cut` at its ends. It is cut, too, where it has no requests at its beginning or end."""
    first, after = items.moment_of(start), items.moment_of(end)
    step = start - cut, end + cut
    idle = _IDLE_MOST * (after - first)
    is_outside = after <= items.first or first >= items.end
    if not is_outside and (items.first - first > idle or after - items.end > idle):
        first, after = max(first, items.first), min(after, items.end)
        start, end = items.time_of(first), items.time_of(after)
    cuts = (max(start - step[0], 0.0), max(step[1] - end, 0.0)) if part == "step" else ()
    return _Row(part, start, end, first, after, *cuts)


def _rows_of_log(items: _Requests, window_s: float | None, edge: float) -> list[_Row]:
    """Steps or windows of the log, without the warm-up."""
    assert items.log is not None
    named = Log("the log", items.log)
    if window_s is None:
        windows, part = windows_of(Run("", logs=(named,)), named, "steps", edge=edge), "step"
    else:
        windows, part = windows_of(Run("", logs=(named,)), named, "intervals", length_s=window_s), "window"
    _check_count(len(windows))
    rows = []
    for start, end in windows[["start_s", "end_s"]].itertuples(index=False):
        row = _row(items, part, start, end, edge * (end - start) / (1 - 2 * edge))
        rows.append(_fit_batches(items, row) if items.come_together else row)
    return rows


def _check_count(count: float) -> None:
    if count > _WINDOWS_MOST:
        raise InputError(f"found {count:.0f} windows in the time of the requests, expected at most {_WINDOWS_MOST:.0f}")


def _fit_batches(items: _Requests, row: _Row) -> _Row:
    """Of requests that come together a stretch has one batch more or less: it counts as long as its batches take."""
    first, after = items.find(row.first), items.find(row.after)
    begin = items.begin[first:after]
    gaps = int(np.count_nonzero(begin[1:] != begin[:-1]))
    if gaps == 0:
        return row
    gap = (begin[-1] - begin[0]) / _NS / gaps
    # Where part of it has none, that is part of its rate.
    if abs(gap * (gaps + 1) - (row.after - row.first)) > gap:
        return row
    start = float(begin[0] / _NS)
    next_ = float(items.begin[after] / _NS) if after < len(items.begin) else np.inf
    return row._replace(first=start, after=min(start + gap * (gaps + 1), next_))


def _rows_of_time(items: _Requests, span: float, window_s: float) -> list[_Row]:
    """Windows, of which the last one may be half as long."""
    _check_count(span / window_s)
    count = max(1, int(np.floor(span / window_s + 0.5)))
    return [_row(items, "window", at * window_s, (at + 1) * window_s) for at in range(count)]


def _rows_of_rate(items: _Requests, span: float, edge: float) -> list[_Row]:
    length = _bin_length(items, span)
    bins = int(span / length)
    place = (items.begin / _NS - items.first) / length
    steps = rate_steps(np.bincount(place[place < bins].astype(np.int64), minlength=bins)) if bins else [0]
    rows = []
    for start, end in zip(np.array(steps) * length, [*np.array(steps[1:]) * length, span]):
        cut = edge * (end - start)
        if items.come_together:
            # Half a bin may have all of its requests, or none.
            bins_cut = np.ceil(cut / length) * length
            cut = bins_cut if 2 * bins_cut < end - start else np.floor(cut / length) * length
        rows.append(_row(items, "step", float(start + cut), float(end - cut), float(cut)))
    return rows if len(rows) > 1 else []


def _bin_length(items: _Requests, span: float) -> float:
    """Whole seconds if it is more than one, as requests may come together at the beginning of each."""
    length = span / 60
    if length > 1:
        length = max(1.0, np.ceil(span / 7200))
    length = max(length, span * 10 / len(items.begin))
    return float(np.ceil(length)) if length > 1 or items.come_together else float(length)


# ---- Steps of the rate ----------------------------------------------------------------------------------------------

_BINS_LEAST = 2
_CHANGE_LEAST = 0.02
_STEP_LEAST = 5.0  # bins, as a mean of all steps: a rate that changes all the time makes shorter ones,
_TREND_MOST = 5.0  # or ones in which the rate goes on to where the next one is
_CHI2_MEDIAN = 0.4549364


def rate_steps(count: Any) -> list[int]:
    """Find the bins with which steps of the rate begin, [0] where it has none.

    `count` has the events of each of equally long bins. Binary segmentation: a stretch is cut where the likelihood
    ratio of two Poisson rates against one is greatest, over the dispersion of the counts (variance by mean).
    """
    from scipy.special import xlogy

    count = np.asarray(count, dtype=float)
    bins = len(count)
    up_to = np.concatenate(([0.0], np.cumsum(count)))
    if bins < 2 * _BINS_LEAST or up_to[-1] == 0:
        return [0]
    dispersion = _dispersion(count)
    threshold = 3 * np.log(bins) + 12

    def gains(start: int, at: Any, end: int) -> Any:
        left, right = up_to[at] - up_to[start], up_to[end] - up_to[at]
        a, b, both = left / (at - start), right / (end - at), (left + right) / (end - start)
        gain = 2 * (xlogy(left, a) + xlogy(right, b) - xlogy(left + right, both)) / dispersion
        return np.where(np.abs(a - b) < _CHANGE_LEAST * np.maximum(a, b), 0, gain)

    def cut(start: int, end: int) -> list[int]:
        at = np.arange(start + _BINS_LEAST, end - _BINS_LEAST + 1)
        gain = gains(start, at, end) if len(at) else np.zeros(1)
        if gain.max() <= threshold:
            return [start]
        best = int(at[gain.argmax()])
        return cut(start, best) + cut(best, end)

    bounds = [*cut(0, bins), bins]
    at = 1
    while at < len(bounds) - 1:
        if gains(bounds[at - 1], np.array([bounds[at]]), bounds[at + 1])[0] > threshold:
            at += 1
        else:
            del bounds[at]
            at = 1
    return bounds[:-1] if _are_steps(count, bounds, dispersion) else [0]


def _dispersion(count: Any) -> float:
    """By the differences of neighbours, of which a few across steps don't count; at least that of whole numbers."""
    both = count[1:] + count[:-1]
    squares = np.sort(np.diff(count)[both > 0] ** 2 / both[both > 0])
    median = squares[len(squares) // 2] if len(squares) else 0.0
    return float(max(median / _CHI2_MEDIAN, len(count) / count.sum()))


def _are_steps(count: Any, bounds: list[int], dispersion: float) -> bool:
    pieces = [count[a:b] for a, b in zip(bounds, bounds[1:])]
    if bounds[-1] / len(pieces) < _STEP_LEAST:
        return False
    means = [float(piece.mean()) for piece in pieces]
    trend = variance = 0.0
    for piece, before, mean, after in zip(pieces, [means[0], *means], means, [*means[1:], means[-1]]):
        if len(piece) >= 4:
            # Without the first and last bin, in whose middle a step may begin.
            place = (np.arange(len(piece)) - (len(piece) - 1) / 2)[1:-1]
            trend += (1 if after > before else -1) * float(place @ piece[1:-1])
            variance += dispersion * mean * float(place @ place)
    return bool(trend <= _TREND_MOST * np.sqrt(variance))


# ---- Figures --------------------------------------------------------------------------------------------------------


def _measure(items: _Requests, row: _Row, resamples: int, random: np.random.Generator) -> dict[str, Any]:
    """What a row of the table counts, and its figures."""
    first, after = items.find(row.first), items.find(row.after)
    outcome, times = items.outcome[first:after], items.response_s[first:after]
    length = row.after - row.first
    has_rate = items.has_moments and length >= 2 * _LENGTH_LEAST and not (items.is_coarse and 1 / length > _COARSE_MOST)
    is_known = not (items.outcome < 0).any()
    has_time = outcome <= TIMEOUT
    good = int(np.count_nonzero(outcome <= OK))
    cells: dict[str, Any] = {
        "rate_per_s": len(outcome) / length if has_rate else np.nan,
        "throughput_per_s": good / length if has_rate and is_known else np.nan,
        "requests": len(outcome),
        "samples": int(np.count_nonzero(has_time)),
        "errors": len(outcome) - good if is_known else None,
        "timeouts": int(np.count_nonzero(outcome == TIMEOUT)) if is_known else None,
        "drops": int(np.count_nonzero(outcome == DROPPED)) if is_known else None,
    }
    place = np.floor((items.begin[first:after] / _NS - row.first) / length * BLOCKS)
    if not has_time.all():
        place, times = place[has_time], times[has_time]
    blocks = np.append(np.searchsorted(place, np.arange(BLOCKS)), len(place))
    ordered = np.sort(times)
    timeout = float(times[outcome[has_time] == TIMEOUT].min(initial=np.inf))
    for figure, least in FIGURES.items():
        found = (np.nan, np.nan, np.nan)
        if len(times) >= least:
            if figure == "mean":
                found = _mean(times, blocks, resamples, random)
            elif figure == "max":
                found = (float(ordered[-1]), np.nan, np.nan)
            else:
                found = _quantile(times, ordered, blocks, _SHARES[figure], timeout)
        cells |= {column_of(figure, end): value for end, value in zip(("", "_low", "_high"), found)}
    return cells


def _mean(times: Any, blocks: Any, resamples: int, random: np.random.Generator) -> tuple[float, float, float]:
    sums = np.array([times[a:b].sum() for a, b in zip(blocks, blocks[1:])])
    drawn = random.integers(BLOCKS, size=(resamples, BLOCKS))
    counts = np.diff(blocks)[drawn].sum(axis=1)
    means = sums[drawn].sum(axis=1)[counts > 0] / counts[counts > 0]
    low, high = np.quantile(means, [(1 - _CONFIDENCE) / 2, (1 + _CONFIDENCE) / 2])
    return float(sums.sum() / len(times)), float(low), float(high)


def _rank(ordered: Any, share: float) -> float:
    """The least time that at least that share doesn't exceed. 0.999 times 1,000 is a little more than 999."""
    return float(ordered[max(int(np.ceil(share * len(ordered) * (1 - 1e-12))), 1) - 1])


def _quantile(times: Any, ordered: Any, blocks: Any, share: float, timeout: float) -> tuple[float, float, float]:
    """With the interval from the quantile of the least share that may be the true one's to that of the greatest; it has no end where that is the
    greatest time, or one of those that timed out, which could have been longer."""
    from scipy.special import stdtrit

    value, count = _rank(ordered, share), len(times)
    is_up_to = times <= value
    up_to = np.array([np.count_nonzero(is_up_to[a:b]) for a, b in zip(blocks, blocks[1:])])
    off = up_to - up_to.sum() / count * np.diff(blocks)
    of_blocks = np.sqrt((off**2).sum() * BLOCKS / (BLOCKS - 1)) / count
    error = max(of_blocks, np.sqrt(share * (1 - share) / count))
    half = float(stdtrit(BLOCKS - 1, (1 + _CONFIDENCE) / 2) * error)
    high = _rank(ordered, share + half) if np.ceil((share + half) * count) < count else np.inf
    return value, _rank(ordered, max(share - half, 0)), high if high < timeout else np.inf


def _warn(items: _Requests, table: pd.DataFrame, has_rest: bool) -> None:
    if items.is_coarse:
        off = 100 / (table["end_s"][0] - table["start_s"][0])
        rates = f"rates are off by up to {off:.2g} %, more in shorter rows; those off by more than 10 % are left out"
        rates = rates if off <= 100 * _COARSE_MOST else "no rates are given"
        warnings.warn(f"the requests' moments are whole seconds: {rates}", InputWarning, stacklevel=3)
    rest = table["requests"][0] - table["requests"][1:].sum()
    if has_rest and rest > 0:
        message = f"{rest} requests at the end are in no window, as less than half of one was left"
        warnings.warn(message, InputWarning, stacklevel=3)


# ---- Limits ---------------------------------------------------------------------------------------------------------


class Verdict(NamedTuple):
    """Up to which load, or rate per second where none is known, a limit is kept, with its 95 % interval.

    NaN where no row keeps it. `sentence` says that and what didn't count in words.
    """

    value: float
    low: float
    high: float
    sentence: str


_REASONS = {
    "others": "others used the processors",
    "free": "free workloads used them",
    "saturated": "the workloads ran all the time",
}


def verdict(table: pd.DataFrame, limit: Mapping[str, float]) -> Verdict:
    """Say up to which load, or rate, the steps or windows of a table of `latency` keep a limit in seconds.

    It is that of the greatest row that keeps it. Its interval goes from the greatest row whose figures keep it by the
    upper ends of their intervals to the greatest one whose figures keep it by the lower ends. Rows whose load missed
    its target by more than 0.02 don't count.
    """
    rows = table[table["part"] != "all"]
    is_of_load = bool(rows["load"].notna().any())
    place = rows["load" if is_of_load else "rate_per_s"].to_numpy(float)
    if np.isnan(place).all():
        raise InputError("found a limit, but no row with a load or rate, expected a log with steps, or longer windows")
    is_placed, missed = ~np.isnan(place), rows["missed"].notna().to_numpy()
    use = is_placed & ~missed
    kept = {end: use & (_keeps(rows, limit, end) == "yes") for end in ("", "_high", "_low")}
    value, low, high = (float(place[which].max()) if which.any() else np.nan for which in kept.values())
    is_over = use & (_keeps(rows, limit) == "no")
    unknown = int((use & ~is_over & ~kept[""]).sum())
    kind, part = "load" if is_of_load else "rate", rows["part"].iloc[0]

    def shown(found: float) -> str:
        return f"{100 * found:.3g} %" if is_of_load else f"{found:.4g} requests/s"

    what = " and ".join(f"{figure} within {_in_words(most)}" for figure, most in limit.items())
    what = what.replace(" within", " stays within", 1)
    said = [f"{what} up to a {kind} of {shown(value)}."]
    if np.isnan(value):
        of_all = f"{part} with enough answers" if unknown else part
        said = [f"There is no {of_all} at which {what}." if is_over.any() else f"Whether {what} is not known."]
    if low < value or (low == value and high > value):
        word = " or ".join(word for word, is_so in (("less", low < value), ("more", high > value)) if is_so)
        said.append(f"It may be {word} (95 % interval: {shown(low).split(' ')[0]} to {shown(high)}).")
    elif low == value and [*limit] != ["max"]:
        said.append(f"The 95 % interval holds no other {kind} that was tried.")
    elif high > 0:
        said.append(f"It may be less than any {kind} that was tried (95 % interval: up to {shown(high)}).")
    below = int((is_over & (place <= value)).sum())
    if below:
        where = "below that" if (place[is_over] != value).all() else f"at no greater {kind}"
        said.append(f"{_counted(below, part)} {where} {'was' if below == 1 else 'were'} over the limit.")
    if not np.isnan(value) and not ((_keeps(rows, limit) == "no") & (place > value)).any():
        said.append(f"No greater {kind} was over the limit.")
    reasons = rows["missed"][missed & is_placed].value_counts()
    if len(reasons):
        why = ", ".join(f"{_REASONS.get(reason, reason)}: {count}" for reason, count in reasons.items())
        target = "missed its target by more than 2 percentage points"
        said.append(f"{_counted(reasons.sum(), part)} didn't count, as the load {target} ({why}).")
    if unknown:
        said.append(f"{_counted(unknown, part)} didn't count, as there were too few answers.")
    return Verdict(value, low, high, " ".join(said))


def _counted(number: int, part: str) -> str:
    return f"One {part}" if number == 1 else f"{number} {part}s"


def _in_words(seconds: float) -> str:
    return f"{seconds * 1000:.6g} ms" if seconds < 1 else f"{seconds:.6g} s"


def _keeps(rows: pd.DataFrame, limit: Mapping[str, float], end: str = "") -> Any:
    """Whether figures of rows, or ends of their intervals, keep a limit: yes, no, or None where it isn't known."""
    is_over, is_known = np.zeros(len(rows), bool), np.ones(len(rows), bool)
    requests, bad = (rows[name].to_numpy(float, na_value=np.nan) for name in ("requests", "errors"))
    for figure, most in limit.items():
        if figure not in FIGURES:
            raise InputError(f"found a limit of '{figure}', expected {', '.join(FIGURES)}")
        value = rows[column_of(figure, "" if figure == "max" else end)].to_numpy(float)
        # So many of a hundred requests are to be answered in time, and what fails isn't.
        allowed = _FAILED_MOST.get(figure, 1 - _SHARES.get(figure, 0)) * requests * (1 + 1e-12)
        is_over |= (value > most) | ((requests >= _REQUESTS_LEAST) & (bad > allowed))
        is_known &= ~np.isnan(value)
    words: Any = np.array(["yes", "no", None], dtype=object)
    return words[np.where(is_over, 1, np.where(is_known, 0, 2))]
