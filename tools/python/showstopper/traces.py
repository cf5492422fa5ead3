# SPDX-License-Identifier: MIT
"""Traces of sstrace(1): the loads that workloads are to have, as text or compiled."""
from __future__ import annotations

import os
import re
import stat
import zlib

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ._csv import read_bytes
from ._errors import InputError
from ._units import format_time, parse_load, parse_time

__all__ = ["read_trace", "trace_line", "trace_windows"]

Floats = NDArray[np.float64]

_START_MOST = 65536
_MAGIC = b"\x89SST\r\n\x1a\n"
_HEADER = 24
_RECORD = np.dtype([("ns", "<i8"), ("load", "<f8")])
_HINT = " (sstrace --from FORMAT -t -o NEW.trace FILE makes a trace of what another program recorded)"


def is_trace(path: str) -> bool:
    """Whether a regular file begins as a trace does."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return False
        with open(path, "rb") as file:
            start = file.read(_START_MOST)
    except OSError:
        return False
    first = re.match(rb"(?:[ \t\n\v\f\r]|#[^\n]*(?:\n|\Z))*(.?)", start)
    text = start[first.start(1) :] if first else b""
    return (
        start[:1] == _MAGIC[:1]
        or text[:1] in [b"+", b".", *(b"%d" % i for i in range(10))]
        or text.startswith(b"interpolate")
    )


def read_trace(path: str) -> pd.DataFrame:
    """Reads a trace, text or compiled.

    Returns:
        A row per record: ns (int64; they don't decrease), load (0 to 1, NaN: free), is_linear (bool, the same in all rows: loads are
        interpolated between records, else held).

    Raises:
        InputError: the file can't be read, or is no trace, or one without a length.
    """
    content = read_bytes(path)
    if not content:
        raise InputError(f"{path}: found nothing, expected a trace: it is empty")
    trace = _read_compiled(path, content) if content.startswith(_MAGIC[:1]) else _read_text(path, content)
    if trace["ns"].iloc[-1] == 0:
        raise InputError(f"{path}: found a trace that ends when it begins, expected one with a length")
    return trace


def _read_compiled(path: str, content: bytes) -> pd.DataFrame:
    count = int.from_bytes(content[16:24], "little")
    end = _HEADER + count * _RECORD.itemsize
    if not content.startswith(_MAGIC) or content[8:12] != b"\1\0\0\0" or len(content) != end + 4 or not count:
        raise InputError(f"{path}: found no whole compiled trace of format version 1, expected one")
    if zlib.crc32(content[:end]) != int.from_bytes(content[end:], "little"):
        raise InputError(f"{path}: found a checksum that doesn't fit the rest, expected a file as sstrace wrote it")
    records = np.frombuffer(content, _RECORD, count, _HEADER)
    ns, load = records["ns"].astype(np.int64), records["load"].astype(np.float64)
    wrong = np.flatnonzero((np.diff(ns, prepend=0) < 0) | (load < 0) | (load > 1))
    if wrong.size:
        raise InputError(
            f"{path}: record {wrong[0] + 1}: found {ns[wrong[0]]} ns and the load {load[wrong[0]]:g}, expected times that don't decrease and loads from 0 to 1"
        )
    return pd.DataFrame({"ns": ns, "load": load, "is_linear": content[12] & 1 == 0})


class _Text:
    """Reads a text line by line."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.ns: list[int] = []
        self.load: list[float] = []
        self.is_linear: bool | None = None

    def fail(self, line: int, column: int, found: str, expected: str) -> InputError:
        hint = "" if self.ns else _HINT
        word = f'"{found}"' if found else "the end of the line"
        return InputError(f"{self.path}:{line}:{column}: found {word}, expected {expected}{hint}")

    def take(self, number: int, line: str) -> None:
        words = [(found.start() + 1, found[0]) for found in re.finditer(r"[^ \t]+", line.split("#", 1)[0])]
        if not words:
            return
        end = (len(line) + 1, "")
        column, first = words[0]
        if first == "interpolate":
            self.take_interpolation(number, words + [end])
        else:
            ns = self.time(number, column, first)
            at, word = (words + [end])[1]
            try:
                load = np.nan if word == "free" else parse_load(word)
            except (ValueError, OverflowError):
                raise self.fail(number, at, word, "a load from 0 to 1, such as 1/3, 0.25 or 25%, or free") from None
        if len(words) > 2:
            raise self.fail(number, *words[2], "the end of the line")
        if first != "interpolate":
            self.ns.append(ns)
            self.load.append(load)

    def take_interpolation(self, number: int, words: list[tuple[int, str]]) -> None:
        if self.ns or self.is_linear is not None:
            raise self.fail(number, *words[0], "it before the first record" if self.ns else "it once at most")
        if words[1][1] not in ("step", "linear"):
            raise self.fail(number, *words[1], "linear or step")
        self.is_linear = words[1][1] == "linear"

    def time(self, number: int, column: int, word: str) -> int:
        last = self.ns[-1] if self.ns else 0
        try:
            ns = parse_time(word[1:]) + last if word.startswith("+") else parse_time(word)
        except OverflowError:
            raise self.fail(number, column, word, "a time within 292 years (9223372036854775807n)") from None
        except ValueError:
            raise self.fail(number, column, word, "a time such as 107ms, 0.5s or 1min30s") from None
        if ns < last:
            raise self.fail(number, column, word, f"{format_time(last)} or later: times don't decrease")
        return ns


def _read_text(path: str, content: bytes) -> pd.DataFrame:
    text = _Text(path)
    for number, line in enumerate(content.decode("utf-8", "replace").split("\n"), 1):
        text.take(number, line[:-1] if line.endswith("\r") else line)
    if not text.ns:
        raise InputError(f"{path}: found the end of the text, expected at least one record: TIME LOAD{_HINT}")
    is_linear = text.is_linear is not False
    return pd.DataFrame({"ns": np.array(text.ns, np.int64), "load": text.load, "is_linear": is_linear})


# ---- Over time


def trace_windows(trace: pd.DataFrame, length_s: float | None = None) -> pd.DataFrame:
    """The mean load that a trace asks for in windows of this length, the last of which may be shorter; by default from record to record.

    Returns:
        start_s, end_s, target (NaN where the workloads are free for a time).
    """
    ns = trace["ns"].to_numpy()
    if length_s is None:
        edges = np.unique(np.concatenate(([0], ns)))
    else:
        length = round(length_s * 1e9)
        edges = np.append(np.arange(0, ns[-1], length), ns[-1])
    start, end = edges[:-1], edges[1:]
    # Between the moments of records and edges loads are straight lines.
    moments = np.unique(np.concatenate((edges, ns[ns <= edges[-1]])))
    low, high = moments[:-1], moments[1:]
    after = np.searchsorted(ns, low, side="right")
    areas = (_load_at(trace, after, low) + _load_at(trace, after, high)) / 2 * (high - low)
    window = np.searchsorted(edges, low, side="right") - 1
    # A window has no target as soon as a part of it has none.
    target = np.bincount(window, areas, start.size) / (end - start)
    return pd.DataFrame({"start_s": start / 1e9, "end_s": end / 1e9, "target": target})


def trace_line(trace: pd.DataFrame) -> pd.DataFrame:
    """Points of the line that a trace is: time_s, target."""
    time, load = trace["ns"].to_numpy() / 1e9, trace["load"].to_numpy()
    if not trace["is_linear"].iloc[0]:
        time, load = np.repeat(time, 2)[1:-1], np.repeat(load, 2)[:-2]
    return pd.DataFrame({"time_s": time, "target": load})


def _load_at(trace: pd.DataFrame, after: NDArray[np.intp], moment: NDArray[np.int64]) -> Floats:
    """The load at each moment, which isn't before the record in front of `after`, nor behind that record."""
    ns, load = trace["ns"].to_numpy(), trace["load"].to_numpy()
    before = np.maximum(after - 1, 0)
    behind = np.minimum(after, ns.size - 1)
    held = load[before]
    with np.errstate(divide="ignore", invalid="ignore"):
        share = (moment - ns[before]) / (ns[behind] - ns[before])
        line = np.where(share >= 1, load[behind], held + share * (load[behind] - held))
    is_line = (
        (after > 0) & (after < ns.size) & ~np.isnan(held) & ~np.isnan(load[behind]) & bool(trace["is_linear"].iloc[0])
    )
    return np.asarray(np.where(is_line, line, held))
