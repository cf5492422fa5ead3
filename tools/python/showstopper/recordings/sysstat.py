# SPDX-License-Identifier: MIT
"""What sysstat prints: `sadf -d` and `sadf -j` with -u, `mpstat -o JSON`, and the text of `sar -u` and `mpstat`.

The load is what is neither idle nor waiting for disks. A value is of the interval before its time.
"""
from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from .._dates import UNKNOWN_NS, chained, parse_dates, year_month_day
from .._errors import InputError
from .source import Headed, NS_PER_S, Counts, Floats, Ints, Samples, Source, bytes_of

__all__ = ["Dated", "place_days", "read_json", "read_sadf", "read_text"]

_DAY_NS = 86400 * NS_PER_S
_HOUR_NS = 3600 * NS_PER_S
_SHIFT_NS = 90 * NS_PER_S  # by so much an interval may be off beside an hour


def _is_wanted(source: Source, cpu: Any) -> Any:
    wanted = source.rules.cpu
    return cpu == wanted if source.rules.is_one_cpu() else (cpu == "-1") | (cpu == "all")


def _through_clock_changes(ns: Ints, length: Ints, is_new: Any) -> Ints:
    """Times of a clock that was put back or forward by an hour, as if it had not been: the intervals say how long it was.

    Not where the machine was started anew (`is_new`), since a restart leaves a gap.
    """
    if len(ns) < 2:
        return ns
    jump = np.diff(ns) - length[1:]
    hours = np.where((np.abs(np.abs(jump) - _HOUR_NS) <= _SHIFT_NS) & ~is_new[1:], np.rint(jump / _HOUR_NS), 0)
    return np.asarray(ns - chained([0], np.cumsum(hours).astype(np.int64)) * _HOUR_NS)


def _local(source: Source, ns: Ints, length: Ints, is_unzoned: Any, is_new: Any) -> Ints:
    source.counts.unzoned += int(is_unzoned.sum())
    return _through_clock_changes(ns, length, is_new) if is_unzoned.all() else ns


# ---- sadf -d ----------------------------------------------------------------------------------------------------------


def read_sadf(source: Source) -> Iterator[Samples]:
    """hostname;interval;timestamp;CPU;…;%idle. A line that begins with # names the columns of those that follow."""
    with source.open() as text:
        content = text.read()
    heads = [*re.finditer(rb"^# ?([^\r\n]*)\r?\n?", content, re.M)]
    columns = ["hostname", "interval", "timestamp", "CPU", "%iowait", "%idle"]
    tables = []
    for head, after in zip(heads, [*heads[1:], None]):
        # Where all processors are in one row, what is of all together comes first.
        names = [name.partition("[...]")[0] for name in head[1].decode("utf-8", "replace").split(";")]
        body = content[head.end() : after.start() if after else len(content)]
        if not {*columns} - {"%iowait"} <= {*names} or not body.strip():
            continue
        frame = pd.read_csv(
            io.BufferedReader(Headed(io.BytesIO(body), len(names), ";")),
            sep=";",
            dtype=str,
            keep_default_na=False,
            quoting=csv.QUOTE_NONE,
            usecols=[str(names.index(name)) for name in columns if name in names],
            index_col=False,
            skip_blank_lines=False,
            encoding_errors="replace",
        )
        frame.columns = [names[int(place)] for place in frame]
        frame["line"] = content.count(b"\n", 0, head.end()) + 1 + np.arange(len(frame))
        tables.append(frame.fillna(""))
    if not any("%idle" in head[1].decode("utf-8", "replace") for head in heads):
        expected = "expected one (sadf -d FILE -- -u)"
        raise source.refuse(f"found no line '# hostname;interval;timestamp;CPU;...;%idle', {expected}")
    if tables:
        yield from _of_sadf(source, pd.concat(tables, ignore_index=True))


def _of_sadf(source: Source, table: pd.DataFrame) -> Iterator[Samples]:
    is_restart = table["CPU"].str.startswith("LINUX-RESTART") | (table["interval"] == "-1")
    restarts = is_restart.cumsum()
    table = table[~is_restart & (table["timestamp"] != "") & _is_wanted(source, table["CPU"])]
    interval, idle, wait = (
        pd.to_numeric(table[name], errors="coerce") if name in table else 0.0
        for name in ("interval", "%idle", "%iowait")
    )
    if not isinstance(wait, float):
        wait = wait.where(table["%iowait"] != "", 0.0)
    dates = parse_dates([bytes_of(table["timestamp"])], source.rules.zone_of_times()) if len(table) else None
    if dates is None:
        return
    # The first that is wrong in each row.
    share = "expected a percentage"
    for wrong, name, expected in (
        (dates.ns == UNKNOWN_NS, "timestamp", "expected a time"),
        (~((interval > 0) & (interval < 1e8)).to_numpy(), "interval", "expected the length of an interval"),
        (idle.isna().to_numpy(), "%idle", share),
        (np.isnan(np.broadcast_to(wait, len(table))), "%iowait", share),
    ):
        if wrong.any():
            row = int(wrong.argmax())
            source.leave_out(
                int(wrong.sum()), int(table["line"].iloc[row]), f"found '{table[name].iloc[row]:.40}', {expected}"
            )
    good = ((dates.ns != UNKNOWN_NS) & (interval > 0) & (interval < 1e8) & idle.notna() & ~np.isnan(wait)).to_numpy()
    length = (interval.to_numpy()[good] * NS_PER_S).astype(np.int64)
    value = (1 - (idle + wait) / 100).to_numpy()[good]
    code, names = pd.factorize(table["hostname"].to_numpy()[good])
    starts = restarts[table.index].to_numpy()[good]
    ns = dates.ns[good]
    for place, name in enumerate(names):
        own = code == place
        is_new = np.diff(starts[own], prepend=-1) > 0
        moments = _local(source, ns[own], length[own], dates.is_unzoned[good][own], is_new)
        yield Samples(moments, value[own], length[own], names=[str(name)])


# ---- Days without a date that is sure ---------------------------------------------------------------------------------


@dataclass
class Dated:
    """Samples of a file with one date, which the locale has written; their times count from its midnight."""

    date: str
    samples: Samples


def place_days(parts: list[Dated], counts: Counts) -> list[Samples]:
    """Samples on their days. What all dates say decides which number is the month; of one date it doesn't matter.

    Raises:
        InputError: there are several, and they contradict each other.
    """
    dates = list(dict.fromkeys(part.date for part in parts))
    order, is_assumed = year_month_day(dates)
    if len(dates) < 2:
        return [part.samples for part in parts]
    texts = np.array([date.encode("ascii", "replace") for date in dates])
    if order == "dmy" and not dates[0][2:3] == ".":  # one of them says so for all
        texts = np.array([re.sub(rb"^(\d+)(\D)(\d+)", rb"\3\2\1", text) for text in texts])
    days = parse_dates([texts]).ns
    if order is None or (days == UNKNOWN_NS).any():
        shown = ", ".join(f"'{date:.20}'" for date in dates[:8])
        raise InputError(f"found the dates {shown}, expected all of one kind")
    if is_assumed:
        counts.assumed.append("dates taken as month, day and year")
    moved = dict(zip(dates, days.tolist()))
    return [part.samples._replace(ns=part.samples.ns + moved[part.date]) for part in parts]


def _times_of_day(texts: list[str]) -> Ints:
    """ns since midnight of times such as 16:05:21 or 04:05:21 PM, which go on behind the next midnight; UNKNOWN_NS of what is none."""
    ns = parse_dates([np.array([f"1970-01-01 {text}".encode("ascii", "replace") for text in texts])]).ns if texts else np.zeros(0, np.int64)  # fmt: skip
    good = ns != UNKNOWN_NS
    known = ns[good]
    days = np.cumsum(np.diff(known, prepend=known[:1]) < -_DAY_NS // 2)
    ns[good] = known + days * _DAY_NS
    return ns


# ---- JSON -------------------------------------------------------------------------------------------------------------


@dataclass
class _Host:
    """Columns of the samples of a host."""

    name: str = ""
    date: str = ""
    texts: list[str] = field(default_factory=list)
    interval: list[float] = field(default_factory=list)
    value: list[float] = field(default_factory=list)
    line: list[int] = field(default_factory=list)


_STATISTICS = re.compile(r'"statistics"\s*:\s*\[')
_GAP = re.compile(r"[\s,]*")
_DECODER = json.JSONDecoder()


def _number(value: Any) -> float:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else np.nan


def _share(processor: dict[str, Any]) -> float:
    """The load; NaN of a processor that is turned off, and so has no time at all; infinite where a number is none."""
    numbers = {name: _number(value) for name, value in processor.items() if name != "cpu"}
    if any(np.isnan(number) for number in numbers.values()) or "idle" not in numbers:
        return np.inf
    return 1 - (numbers["idle"] + numbers.get("iowait", 0.0)) / 100 if sum(numbers.values()) > 0 else np.nan


def _is_cut(text: str) -> bool:
    """Whether what was opened here is never closed."""
    depth = 0
    for found in re.finditer(r'"(?:[^"\\]|\\.)*"|[][{}]', text):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(found[0], 0)
        if depth == 0 and found[0] in "]}":
            return False
    return True


def read_json(source: Source, is_mpstat: bool) -> Iterator[Samples | Dated]:
    """Statistics of hosts, each with a time and the shares of processors. mpstat has the date once, and times of day."""
    with source.open() as opened:
        text = opened.read().decode("utf-8", "replace")
    begin, has_cpu = 0, False
    for found in _STATISTICS.finditer(text):
        head = text[begin : found.start()]
        host = _Host(_last("nodename", head), _last("date", head))
        begin = found.end()
        is_cut = False
        while not is_cut:
            begin = _GAP.match(text, begin).end()  # type: ignore[union-attr]
            if text[begin : begin + 1] == "]":
                break
            try:
                sample, end = _DECODER.raw_decode(text, begin)
                has_cpu |= _add(source, host, sample, text, begin)
                begin = end
            except json.JSONDecodeError as error:
                if not _is_cut(text[begin:]):
                    line = text.count("\n", 0, error.pos) + 1
                    raise source.refuse(
                        f"found broken JSON ({error.msg}), expected it as sysstat writes it", line
                    ) from None
                is_cut = True
        if is_cut:
            if source.rules.strict:
                raise source.refuse("found the end of the file within JSON: it is cut off")
            source.counts.cut.append(f"{source.name} is cut off, and what is whole of it is used")
        yield from _of_host(source, host, is_mpstat)
    if not has_cpu:
        how = "mpstat -o JSON -u 1" if is_mpstat else "sadf -j FILE -- -u"
        raise source.refuse(f'found no "cpu-load", expected it ({how})')


def _last(name: str, text: str) -> str:
    found = re.findall(rf'"{name}"\s*:\s*"([^"]*)"', text)
    return str(found[-1]) if found else ""


def _add(source: Source, host: _Host, sample: Any, text: str, begin: int) -> bool:
    """Whether it is about processors."""
    if not isinstance(sample, dict):
        return False
    processors = sample.get("cpu-load", sample.get("cpu-load-all"))
    if not isinstance(processors, list):
        return False
    stamp = sample.get("timestamp", "")
    stamp = stamp if isinstance(stamp, dict) else {"time": stamp}
    zone = " UTC" if stamp.get("utc") == 1 or stamp.get("tz") == "UTC" else ""
    for processor in processors:
        if isinstance(processor, dict) and _is_wanted(source, str(processor.get("cpu"))):
            host.texts.append(f"{stamp.get('date', '')} {stamp.get('time', '')}{zone}".strip())
            host.interval.append(_number(stamp.get("interval", 0)))
            host.value.append(_share(processor))
            host.line.append(text.count("\n", 0, begin) + 1 if np.isinf(host.value[-1]) else begin)
    return True


def _of_host(source: Source, host: _Host, is_mpstat: bool) -> Iterator[Samples | Dated]:
    value, interval = np.array(host.value), np.array(host.interval)
    is_wrong = np.isinf(value)
    if is_wrong.any():
        line = host.line[int(is_wrong.argmax())]
        source.leave_out(int(is_wrong.sum()), line, "found no idle time, or no number, expected percentages")
    if is_mpstat:
        ns, is_unzoned = _times_of_day(host.texts), np.zeros(len(value), np.bool_)
    else:
        dates = parse_dates([np.array([text.encode("ascii", "replace") for text in host.texts] or [b""])[: len(value)]], source.rules.zone_of_times())  # fmt: skip
        ns, is_unzoned = dates.ns, dates.is_unzoned
    for wrong, text in (
        (~is_wrong & (ns == UNKNOWN_NS), "a date and a time"),
        (~is_wrong & (ns != UNKNOWN_NS) & ~((interval >= 0) & (interval < 1e8)), "the length of an interval"),
    ):
        if wrong.any():
            row = int(wrong.argmax())
            with source.open() as opened:
                content = opened.read().decode("utf-8", "replace")
            line = content.count("\n", 0, host.line[row]) + 1
            found = f"'{host.date}' and '{host.texts[row]}'" if is_mpstat else f"'{host.texts[row]}'"
            source.leave_out(int(wrong.sum()), line, f"found {found}, expected {text}")
            is_wrong = is_wrong | wrong
    good = ~is_wrong
    length: Ints = (interval[good] * NS_PER_S).astype(np.int64)
    if is_mpstat and source.rules.mean_of and len(length) > 1:  # means of machines need at once how long samples are
        length = np.diff(ns[good])
        length = chained(length[:1], np.minimum(length, 2 * int(np.median(length))))
    if is_mpstat:
        yield Dated(host.date, Samples(ns[good], value[good], length, names=[host.name]))
    else:
        moments = _local(source, ns[good], length, is_unzoned[good], np.zeros(len(length), np.bool_))
        yield Samples(moments, value[good], length, names=[host.name])


# ---- Text -------------------------------------------------------------------------------------------------------------

_TITLE = re.compile(r"\S+ \S+ \((?P<host>[^)]*)\)\s+(?P<date>\S+)\s")
_TIME = r"\d\d:\d\d:\d\d(?: [AP]M)?"


def read_text(source: Source) -> Iterator[Samples | Dated]:
    """`sar -u` and `mpstat`: a title with host and date, and lines with a time, a processor and percentages, under their names."""
    place: dict[str, int] = {}
    host, has_idle = _Host(), False
    for number, raw in source.lines():
        line = raw.decode("utf-8", "replace").rstrip("\r\n")
        title = _TITLE.match(line)
        found = re.match(rf"({_TIME})\s+(.*)", line)
        if title:
            if host.texts:
                yield from _of_host(source, host, True)
            host, place = _Host(title["host"], title["date"]), {}
        elif found and "CPU" in found[2].split():
            names = found[2].split()
            place = {name: names.index(name) for name in ("CPU", "%idle", "%iowait") if name in names}
            has_idle |= "%idle" in place
        elif found and "%" in found[2]:  # another table of the same call
            place = {}
        elif found and "%idle" in place:
            fields = found[2].split()
            if len(fields) > max(place.values()) and _is_wanted(source, fields[place["CPU"]]):
                idle, wait = (
                    _text_number(fields[place[name]]) if name in place else 0.0 for name in ("%idle", "%iowait")
                )
                host.texts.append(found[1])
                host.interval.append(0)
                host.value.append(1 - (idle + wait) / 100 if not np.isnan(idle + wait) else np.inf)
                host.line.append(number)
    if not has_idle:
        raise source.refuse("found no column %idle, expected what sar -u prints (or sadf -d FILE -- -u)")
    yield from _of_host(source, host, True)


def _text_number(text: str) -> float:
    """Of a locale with a decimal comma, too."""
    return float(text.replace(",", ".")) if re.fullmatch(r"\d+(?:[.,]\d*)?", text) else np.nan
