# SPDX-License-Identifier: MIT
"""Series of the time that processors spent in one state, as counters or as shares: what Prometheus answers, and collectd's files.

The load is what is neither idle nor waiting for disks. Each series is a part of its machine, as processors are.
"""
from __future__ import annotations

import json
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._dates import UNKNOWN_NS, chained
from .source import NS_PER_S, Floats, Ints, Samples, Source, seconds_to_ns

__all__ = ["Files", "read_prometheus"]

_GAP = 1.5  # a distance longer than so many usual ones has a gap in it
_JITTER = 0.05  # so far beyond 1 a share is the clock's doing, not the processor's
# A percentage, or jiffies in a second: /proc/stat has a hundred on every machine.
_WHOLE = 100
_STATES = {"idle": "idle", "iowait": "wait", "wait": "wait", "active": "load", "": "load"}


# ---- One series -------------------------------------------------------------------------------------------------------


def _parts(source: Source, machine: str, state: str, ns: Ints, share: Floats, length: Ints) -> Samples:
    weight = 0.0 if state == "wait" else 1.0
    if state != "load":
        share = weight - np.where((share > 1) & (share <= 1 + _JITTER), 1.0, share)
    return Samples(ns, share, length, weight, [machine])


def _going_on(source: Source, ns: Ints, value: Floats, line: int) -> tuple[Ints, Floats]:
    """Points with a value, whose times go on."""
    is_missing = np.isnan(value)
    source.counts.missing += int(is_missing.sum())
    ns, value = ns[~is_missing], value[~is_missing]
    is_behind = chained([True], ns[1:] > np.maximum.accumulate(ns)[:-1])[: len(ns)]
    if not is_behind.all():
        source.leave_out(int((~is_behind).sum()), line, "found a time that is not behind the one before")
    return ns[is_behind], value[is_behind]


def _of_counter(source: Source, ns: Ints, value: Floats, unit: float) -> tuple[Ints, Floats, Ints]:
    """Means between the values of a counter of seconds times `unit`.

    Where values are asked for more often than they are made, a counter stands still and then leaps, by more than its step can explain. What it
    moves by belongs to the time since it moved last, up to the usual one.
    """
    length = np.diff(ns)
    increase = np.diff(value) / unit
    is_reset = increase < 0
    source.counts.resets += int(is_reset.sum())
    with np.errstate(invalid="ignore"):
        share = np.where(is_reset, np.nan, increase / (length / NS_PER_S))
    moves = np.flatnonzero((increase > 0) & ~is_reset)
    if (share[moves] > 1 + _JITTER).any():
        _spread(ns, increase, is_reset, moves, share)
    good = ~np.isnan(share)
    return ns[1:][good], share[good], length[good]


def _spread(ns: Ints, increase: Floats, is_reset: Any, moves: Any, share: Floats) -> None:
    """Gives what a counter moved by to the steps since it moved last. Steps whose other end isn't seen have no share."""
    ends = np.flatnonzero((increase > 0) | is_reset)
    last = np.searchsorted(ends, moves) - 1
    before = np.where(last < 0, ns[0], ns[1:][ends[np.maximum(last, 0)]])
    since = ns[1:][moves] - before
    usual = int(np.median(since[last >= 0])) if (last >= 0).any() else int(since[0])
    for move, begin, time in zip(moves.tolist(), last.tolist(), since.tolist()):
        first = int(np.searchsorted(ns, ns[move + 1] - min(time, usual)))
        is_seen = time >= usual or (begin >= 0 and not is_reset[ends[begin]])
        share[first : move + 1] = increase[move] / ((ns[move + 1] - ns[first]) / NS_PER_S) if is_seen else np.nan
    if ns[-1] - ns[moves[-1] + 1] < usual:
        share[moves[-1] + 1 :] = np.nan


def _of_shares(ns: Ints, share: Floats) -> tuple[Ints, Floats, Ints]:
    """Shares since the value before, or, behind a gap, for the usual time."""
    length = np.diff(ns)
    if not len(length):
        return ns, share, np.zeros(len(ns), np.int64)
    usual = np.minimum.accumulate(length)
    length = np.where(length > _GAP * usual, usual, length)
    return ns, share, np.concatenate((length[:1], length))


# ---- Prometheus -------------------------------------------------------------------------------------------------------

_VALUES = re.compile(rb'(?<!\\)"values"\s*:\s*\[')
_POINTS_END = re.compile(rb"\]\s*\]|\[\s*\]")
_NO_MARKS = bytes.maketrans(b'[]",\n\r\t', b"       ")


def _outline(source: Source, content: bytes) -> tuple[Any, list[tuple[int, bytes]]]:
    """The JSON with a number in place of each list of points, which are too many to be objects, and the lists with the lines where they begin."""
    pieces: list[bytes] = []
    lists: list[tuple[int, bytes]] = []
    at, line, counted = 0, 1, 0
    for found in _VALUES.finditer(content):
        if found.start() < at:
            continue
        end = _POINTS_END.search(content, found.end() - 1)
        if not end:
            raise source.refuse("found the end of the file within JSON: it is cut off")
        points = content[found.end() : end.end() - 1]
        pieces += [content[at : found.end() - 1], b"%d" % len(lists), b"\n" * points.count(b"\n")]
        line, counted = line + content.count(b"\n", counted, found.end()), found.end()
        lists.append((line, points))
        at = end.end()
    text = b"".join([*pieces, content[at:]]).decode("utf-8", "replace")
    try:
        return json.loads(text), lists
    except json.JSONDecodeError as error:
        if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated"):
            raise source.refuse("found the end of the file within JSON: it is cut off") from None
        raise source.refuse(
            f"found broken JSON ({error.msg}), expected an answer of Prometheus", error.lineno
        ) from None
    except RecursionError:
        raise source.refuse("found too many levels of JSON, expected an answer of Prometheus") from None


def _points(source: Source, line: int, text: bytes) -> tuple[Ints, Floats]:
    """Times and values."""
    try:
        with warnings.catch_warnings():
            # numpy before 2.4 warns of a word that is no number.
            warnings.simplefilter("error", DeprecationWarning)
            numbers = np.fromstring(text.translate(_NO_MARKS), sep=" ")
    except (ValueError, DeprecationWarning):
        numbers = np.zeros(0)
    if numbers.size != text.count(b",") + 1 or numbers.size % 2:
        numbers = _points_one_by_one(source, line, text)
    numbers = numbers.reshape(-1, 2)
    ns = seconds_to_ns(numbers[:, 0])
    if (ns == UNKNOWN_NS).any():
        row = int((ns == UNKNOWN_NS).argmax())
        source.leave_out(int((ns == UNKNOWN_NS).sum()), line, f"found '{numbers[row, 0]}', expected a time in seconds")
    good = ns != UNKNOWN_NS
    return _going_on(source, ns[good], np.where(np.isinf(numbers[good, 1]), np.nan, numbers[good, 1]), line)


def _points_one_by_one(source: Source, line: int, text: bytes) -> Floats:
    rows = []
    try:
        points = json.loads(b"[" + text + b"]")
    except ValueError as error:
        raise source.refuse(f"found broken JSON ({error}), expected an answer of Prometheus", line) from None
    for point in points:
        try:
            time, value = point
            rows.append((float(time), float(value)))
        except (TypeError, ValueError):
            shown = json.dumps(point)
            source.leave_out(1, line, f"found '{shown:.40}', expected a time and a number")
    return np.array(rows, dtype=float).reshape(-1, 2)


def read_prometheus(source: Source) -> Iterator[Samples]:
    """The answer to a range query, or what promtool prints. A name with _total is a counter of seconds; all else is a share."""
    with source.open() as opened:
        answer, lists = _outline(source, opened.read())
    if isinstance(answer, dict):
        if answer.get("error"):
            raise source.refuse(f"found the error '{answer['error']:.100}' instead of an answer")
        answer = answer.get("data", {})
        kind = answer.get("resultType", "matrix") if isinstance(answer, dict) else "matrix"
        if kind != "matrix":
            raise source.refuse(f"found a result of type '{kind:.20}', expected matrix, of a range query")
        answer = answer.get("result") if isinstance(answer, dict) else None
    if not isinstance(answer, list) or not answer:
        raise source.refuse("found no series, expected the answer to a range query")
    for series in answer:
        labels = series.get("metric") if isinstance(series, dict) else None
        if not isinstance(labels, dict) or not isinstance(series.get("values"), int):
            raise source.refuse("found a series without its labels and values, expected the answer to a range query")
        yield from _of_series(
            source, {str(name): str(value) for name, value in labels.items()}, *lists[series["values"]]
        )
        lists[series["values"]] = (0, b"")


def _of_series(source: Source, labels: dict[str, str], line: int, text: bytes) -> Iterator[Samples]:
    rules, mode, name = source.rules, labels.get("mode", ""), labels.get("__name__", "")
    by = rules.column or "instance"
    if rules.column and by not in labels:
        raise source.refuse(f"found a series without the label '{by}', expected it (--column)")
    if rules.is_one_cpu() and "cpu" not in labels:
        raise source.refuse("found a series without the label 'cpu', expected it (--cpu)")
    is_counter = name.endswith("_total") and name != "_total"
    if is_counter and not mode:
        raise source.refuse(f"found the counter '{name:.60}' without the label 'mode', expected node_cpu_seconds_total")
    others = [f"{key}={value:.64}" for key, value in labels.items() if key not in ("__name__", "cpu", "mode")]
    state = _STATES.get(mode)
    if state is None or (rules.is_one_cpu() and labels["cpu"] != rules.cpu):
        return
    ns, value = _points(source, line, text)
    if not is_counter:
        value = value / (100 if rules.unit == "percent" else 1)
    found = _of_counter(source, ns, value, 1) if is_counter else _of_shares(ns, value)
    ns, share, length = found
    yield _parts(source, labels.get(by, ";".join(others)), state, ns, share, length)


# ---- collectd ---------------------------------------------------------------------------------------------------------

_PATH = re.compile(r"(?:.*/)?(?P<host>[^/]*)/cpu(?:-(?P<cpu>[^/]*))?/(?P<type>percent|cpu)-(?P<state>[^-./]+)[^/]*")


@dataclass
class Files:
    """Files of collectd's csv plug-in, HOST/cpu-N/percent-STATE-DATE: what goes on in the file of the next day is one series."""

    series: dict[tuple[str, ...], list[tuple[Source, Ints, Floats, bool]]] = field(default_factory=dict)

    def add(self, source: Source) -> None:
        found = _PATH.fullmatch(source.path)
        if not found:
            expected = "expected HOST/cpu-N/percent-STATE-DATE or HOST/cpu-N/cpu-STATE-DATE, as collectd writes it"
            raise source.refuse(f"found a file of another name, {expected}")
        if source.rules.is_one_cpu():
            if not found["cpu"]:
                raise source.refuse(
                    f"found the mean of all processors, expected files in cpu-{source.rules.cpu} (--cpu)"
                )
            if found["cpu"] != source.rules.cpu:
                return
        if found["state"] not in _STATES:
            return
        key = (found["host"], found["cpu"] or "", found["type"], found["state"])
        self.series.setdefault(key, []).append((source, *_rows(source, found["type"] == "cpu")))

    def samples(self) -> Iterator[Samples]:
        for (host, _, _, state), files in self.series.items():
            source = files[0][0]
            kinds = [is_counter for *_, is_counter in files]
            for kind in dict.fromkeys(kinds):
                own = [file for file in files if file[3] == kind]
                ns, value = (np.concatenate([file[place] for file in own]) for place in (1, 2))
                ns, value = _going_on(source, ns, value, 1)
                found = _of_counter(source, ns, value, _WHOLE) if kind else _of_shares(ns, value / _WHOLE)
                share_ns, share, length = found
                yield _parts(source, host, _STATES[state], share_ns, share, length)


def _rows(source: Source, may_count: bool) -> tuple[Ints, Floats, bool]:
    """Times and values of a file, and whether they are counted: jiffies without a point."""
    times, values, is_counter = [], [], may_count
    for number, line in source.lines():
        fields = [part.strip() for part in line.decode("utf-8", "replace").split(",")]
        if number == 1 and fields[0] == "epoch":
            continue
        try:
            time, value = map(float, fields)
        except ValueError:
            is_pair = len(fields) == 2
            wrong = next((text for text in fields if not re.fullmatch(r"[-+0-9.eE]+|nan", text)), "")
            found = (
                f"'{wrong:.40}', expected a number" if is_pair else f"{len(fields)} fields, expected a time and a value"
            )
            source.leave_out(1, number, f"found {found}")
            continue
        times.append(time)
        values.append(value)
        is_counter &= "." not in fields[1]
    return seconds_to_ns(np.array(times)), np.array(values), is_counter
