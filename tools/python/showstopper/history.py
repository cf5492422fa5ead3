# SPDX-License-Identifier: MIT
"""Histories of a machine's load that other programs recorded, and the traces that they make: see ssimport(1)."""
from __future__ import annotations

import re
import warnings
import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np
import pandas as pd

from ._dates import chained
from ._errors import InputError, InputWarning
from ._units import format_time
from .recordings import series, sysstat, tables
from .recordings.intervals import List, Merge, OneMachine, Steps, Stretches, line_records, step_records
from .recordings.source import NS_PER_S, Counts, Rules, Samples, Source, plural

__all__ = ["Recording", "read_history", "list_machines", "read_recordings", "trace_text"]

_ROWS = 1 << 20


class _Format(NamedTuple):
    """What a program writes. `lacks` says what it doesn't have, and options can't ask for."""

    name: str
    fits: Callable[[bytes], bool]
    read: Callable[[Source], Iterator[Any]]
    stamp: str = "end"  # where in its interval a sample's time stands
    step_s: int = 0  # how often machines are sampled; 0: nothing is known of that
    merge: Merge = Merge.FIRST
    lacks: str = ""


def _first_line(start: bytes) -> bytes:
    return start.partition(b"\n")[0]


def _is_json(start: bytes) -> bool:
    return start.lstrip()[:1] in (b"{", b"[")


def _is_azure(start: bytes) -> bool:
    """A number, a long name, and three numbers."""
    number = rb"[-+\d.eE]+"
    return bool(re.fullmatch(rb"%b,[^,]{20,},%b,%b,%b\r?" % ((number,) * 4), _first_line(start)))


def _table(name: str) -> Callable[[Source], Iterator[Samples]]:
    return lambda source: tables.read_table(source, tables.TABLES[name])


_OWN = "machines cpus"
_FIXED = "columns table"
_OF_ONE_CPU: dict[str, Any] = {"stamp": "start", "step_s": 300, "lacks": "cpus"}
# In the order in which they are looked for; csv, which anything may be, is never found.
_FORMATS = [
    _Format("log", lambda s: s.startswith(b"time_s,") and b",target,load," in _first_line(s), _table("log"), lacks=_OWN),
    _Format("cpuload", lambda s: s.startswith(b"time_s,") and b",load" in _first_line(s), _table("cpuload"), lacks=_OWN),
    _Format(
        "alibaba",
        lambda s: s.startswith(b"machine_id,time_stamp,cpu_util_percent")
        or (bool(re.match(rb"m_\d", s)) and _first_line(s).count(b",") == 8 and b"\n" in s),
        _table("alibaba"),
        "start",
        10,
        lacks="cpus",
    ),
    _Format("azure", _is_azure, _table("azure"), **_OF_ONE_CPU),
    _Format(
        "google",
        lambda s: all(name in _first_line(s) for name in (b"start_time", b"end_time", b"machine_id", b",")),
        _table("google"),
        merge=Merge.USERS,
        **_OF_ONE_CPU,
    ),
    _Format("bitbrains", lambda s: s.startswith(b"Timestamp [ms];"), _table("bitbrains"), **_OF_ONE_CPU),
    _Format("sadf", lambda s: s.startswith(b"# hostname;interval;timestamp"), sysstat.read_sadf, lacks=_FIXED),
    _Format(
        "sadf",
        lambda s: _is_json(s) and b'"sysstat"' in s and b'"file-date"' in s,
        lambda source: sysstat.read_json(source, False),
        lacks=_FIXED,
    ),
    _Format(
        "mpstat", lambda s: _is_json(s) and b'"sysstat"' in s, lambda source: sysstat.read_json(source, True), lacks=_FIXED
    ),
    _Format("sar", lambda s: bool(re.match(rb"\S+ \S+ \([^)\n]*\)\s+\S+\s+\S+\s+\(\d+ CPU\)", s)), sysstat.read_text, lacks=_FIXED),
    _Format(
        "prometheus",
        lambda s: _is_json(s) and any(name in s for name in (b'"resultType"', b'"metric"', b'"errorType"')),
        series.read_prometheus,
        merge=Merge.PARTS,
        lacks="table",
    ),
    _Format(
        "collectd",
        lambda s: _first_line(s).rstrip(b"\r") == b"epoch,value",
        lambda source: iter(()),  # all files together
        merge=Merge.PARTS,
        lacks=_FIXED,
    ),
    _Format("csv", lambda s: False, _table("csv"), "start", lacks=_OWN),
]  # fmt: skip


def _find(source: Source, name: str | None) -> _Format:
    """The format that the file begins like, or that has the name, where one is given."""
    named = [form for form in _FORMATS if name in (None, form.name)]
    found = next((form for form in named if form.fits(source.start)), named[0] if name else None)
    if found is None:
        what = "sadf, mpstat and others by what they begin with, or --from to say which it is"
        raise source.refuse(f"found no format that is known, expected {what}")
    return found


def _check_options(form: _Format, rules: Rules, source: Source) -> None:
    """An option that the format makes nothing of is no option to pass over."""
    lacks = form.lacks.split()
    is_summed = rules.mean_of is not None or form.merge is Merge.USERS
    wrong = [
        (rules.machine is not None and "machines" in lacks, "machine", "has no names of machines"),
        (rules.mean_of is not None and "machines" in lacks, "mean-of", "has no names of machines"),
        (rules.cpu is not None and "cpus" in lacks, "cpu", "has no single processors"),
        (rules.column is not None and "columns" in lacks, "column", "has its own columns"),
        (rules.time is not None and "table" in lacks, "time", "has its own times"),
        (rules.unit != "found" and "columns" in lacks, "unit", "has its own unit"),
        (rules.delimiter is not None and "table" in lacks, "delimiter", "has its own"),
        (rules.capacity is not None and form.merge is not Merge.USERS, "capacity", "has loads, which nothing divides"),
        (rules.step_ns is not None and not is_summed, "step", "is averaged over time only with --mean-of"),
    ]
    for is_wrong, option, why in wrong:
        if is_wrong:
            raise source.refuse(f"found --{option}, expected none of that: {form.name} {why}")
    if form.merge is Merge.USERS and rules.capacity is None and not rules.machines:
        raise source.refuse("--capacity is missing: expected what a machine's usage is to be divided by")


class Recording(NamedTuple):
    """What was found: the stretches of a history, or the list of machines; and an account of it in one line."""

    stretches: Stretches | None
    machines: pd.DataFrame | None
    summary: str


def _collect(paths: Sequence[str], rules: Rules, counts: Counts) -> tuple[Any, _Format]:
    """The samples of all files, in what makes a history or a list of them."""
    collector: Any = None
    form: _Format | None = None
    dated: list[sysstat.Dated] = []
    files = series.Files()
    for path in paths:
        source = Source(path, rules, counts, len(paths) > 1)
        found = _find(source, rules.format)
        if form is not None and (found.name, found.merge) != (form.name, form.merge):
            raise source.refuse(f"found {found.name}, expected {form.name} as in the file before")
        if form is None:
            _check_options(found, rules, source)
            stamp = found.stamp if rules.stamp == "found" else rules.stamp
            kind = Steps if rules.mean_of or found.merge is Merge.USERS else OneMachine
            step_ns = found.step_s * NS_PER_S
            collector = (
                List(found.merge, counts) if rules.machines else kind(rules, found.merge, stamp, step_ns, counts)
            )
        form = found
        if form.name == "collectd":
            files.add(source)
        for samples in form.read(source):
            try:
                if isinstance(samples, sysstat.Dated):
                    dated.append(samples)
                else:
                    collector.add(samples)
            except InputError as error:
                raise source.refuse(str(error)) from None
    assert form is not None
    for samples in [*sysstat.place_days(dated, counts), *files.samples()]:
        collector.add(samples)
    return collector, form


def read_recordings(paths: Sequence[str], rules: Rules) -> Recording:
    """Reads files of one format, one after another, as one recording; "-" is standard input.

    Raises:
        InputError: a file can't be read or is of no known format; there is no sample, or there are several machines and none was chosen.
    """
    if not paths:
        raise InputError("found no file, expected one")
    try:
        rules.zone_of_times()
    except (ZoneInfoNotFoundError, ValueError):
        raise InputError(f"--zone: found '{rules.zone}', expected a name such as Europe/Berlin") from None
    counts = Counts()
    last = "standard input" if paths[-1] == "-" else paths[-1]
    try:
        collector, form = _collect(paths, rules, counts)
    except OSError as error:
        name = "standard input" if error.filename in (0, None) else error.filename
        raise InputError(f"{name}: {error.strerror or error}") from None
    except (EOFError, zlib.error, UnicodeError) as error:
        raise InputError(f"{last}: {error}") from None
    try:
        found = collector.finish()
        if counts.loads > 1 and counts.outside > counts.loads / 2:
            what = "expected fractions (--unit percent, --column)"
            raise InputError(f"found {counts.outside} of {counts.loads} loads outside 0 to 1, {what}")
        zone = rules.zone or "UTC"
        said = "; ".join([f"{form.name}, {plural(counts.samples, 'sample')}", *counts.faults(zone)])
        if rules.strict and counts.faults(zone):
            raise InputError(f"{said}: expected none of that, with --strict")
    except InputError as error:
        raise InputError(f"{last}: {error}") from None
    said = "; ".join([said, *dict.fromkeys(counts.assumed)])
    return Recording(found if not rules.machines else None, found if rules.machines else None, said)


def read_history(*files: str, **rules: Any) -> pd.DataFrame:
    """Reads what sadf, mpstat, sar, cpuload, Prometheus, collectd and others recorded, as one history of a machine's load.

    Args:
        files: of one format, which is recognised by what they contain; perhaps compressed by gzip, xz or zstd.
        rules: the options of ssimport(1) by their names, such as machine="db1", mean_of="all", column="cpu" or zone="Europe/Berlin"; format in place of
            --from, step_s in place of --step.

    Returns:
        A row per interval, of which each begins where the one before ends: start_s and end_s (since the history begins), load (0 to 1), is_gap (nothing is
        known; the load before holds), time_unix_s (the end; NaN if times have no date).

    Warns:
        InputWarning: what was left out, cut or filled.

    Raises:
        InputError: see ssimport(1).
    """
    from ._schema import SCHEMAS, checked

    stretches = _read(files, rules).stretches
    assert stretches is not None
    end_s = stretches.end_ns / NS_PER_S
    unix = stretches.origin_ns / NS_PER_S + end_s
    frame = pd.DataFrame(
        {
            "start_s": chained([0.0], end_s[:-1]),
            "end_s": end_s,
            "load": stretches.load,
            "is_gap": stretches.is_gap,
            "time_unix_s": unix if stretches.origin_ns / NS_PER_S > 1e8 else np.nan,
        }
    )
    return checked(frame, SCHEMAS["history"])


def list_machines(*files: str, **rules: Any) -> pd.DataFrame:
    """The machines in recordings: machine, samples, span_s, mean and maximum (0 to 1; NaN where samples are not of a whole machine).

    Args, warnings and errors are those of `read_history`.
    """
    machines = _read(files, {**rules, "machines": True}).machines
    assert machines is not None
    return machines


def _read(files: Sequence[str], options: dict[str, Any]) -> Recording:
    step = options.pop("step_s", None)
    recording = read_recordings(files, Rules(**options, step_ns=None if step is None else round(step * NS_PER_S)))
    if ";" in recording.summary:
        warnings.warn(recording.summary, InputWarning, stacklevel=3)
    return recording


def trace_text(stretches: Stretches, is_smooth: bool) -> Iterator[str]:
    """The text of a trace, in pieces: each time since that of the record before."""
    ns, load = line_records(stretches) if is_smooth else step_records(stretches)
    if not is_smooth:
        yield "interpolate step\n"
    since, load = np.diff(ns, prepend=0), np.round(load, 12)
    for at in range(0, len(ns), _ROWS):
        times = _texts(since[at : at + _ROWS], lambda time: f"+{format_time(time)} ")
        yield "".join((times + _texts(load[at : at + _ROWS], lambda share: f"{share!r}\n")).tolist())


def _texts(values: Any, shown: Callable[[Any], str]) -> Any:
    """Each value is made a text once: histories have few different ones."""
    places, different = pd.factorize(values)
    return np.array([shown(value) for value in different.tolist()], dtype=object)[places]
