# SPDX-License-Identifier: MIT
"""Recordings with a row for each sample: a table says what stands in which column."""
from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from .._dates import UNKNOWN_NS, parse_dates
from .._csv import is_regular
from .source import Floats, Headed, Ints, Samples, Source, bytes_of, moments_of, seconds_to_ns

__all__ = ["TABLES", "Table", "read_table"]

_ROWS = 1 << 16
_FIELDS_MOST = 512
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"


class Table(NamedTuple):
    """Names of columns have | between alternatives, in lower case."""

    time: str
    load: str
    machine: str = ""
    end: str = ""
    wall: str = ""  # the time where there are several files, as the other one begins anew in each
    names: str = ""  # the header of files that have none, with commas
    delimiter: str = ""  # found in the first line
    unit: float = 0  # the load 1 in it; 0: by the name of its column
    time_unit: float = 0  # seconds; 0: found, and dates are times, too
    since_last_row: bool = False  # the interval of a row begins where the one before ends
    is_file_machine: bool = False  # a file is a machine, of its name


_LOG = Table("time_s", "load", wall="time_unix_s", delimiter=",", unit=1, since_last_row=True)
TABLES = {
    "log": _LOG,
    "cpuload": _LOG,
    "alibaba": Table(
        "time_stamp",
        "cpu_util_percent",
        "machine_id",
        names="machine_id,time_stamp,cpu_util_percent,mem_util_percent,mem_gps,mkpi,net_in,net_out,disk_io_percent",
        delimiter=",",
        unit=100,
        time_unit=1,
    ),
    "azure": Table(
        "timestamp", "average", "vm id", names="timestamp,vm id,minimum,maximum,average", delimiter=",", unit=100, time_unit=1
    ),
    "google": Table(
        "start_time",
        "average_usage.cpus|average_usage_cpus|average_usage|cpus",
        "machine_id",
        end="end_time",
        delimiter=",",
        unit=1,
        time_unit=1e-6,
    ),
    "bitbrains": Table(
        "timestamp [ms]", "cpu usage [%]", delimiter=";", unit=100, time_unit=1, is_file_machine=True
    ),
    "csv": Table(
        "time_s|time|timestamp|time_stamp|datetime|date|epoch|ts",
        "load|cpu|cpu_load|util|utilization|utilisation|usage|cpu_util_percent|cpu_percent|value",
    ),
}  # fmt: skip


def _is_moment(text: str) -> bool:
    return bool(re.fullmatch(_NUMBER, text)) or bool(parse_dates([np.array([text.encode()])]).ns[0] != UNKNOWN_NS)


class _Reader:
    """A file, its columns, and how many of its lines stand before the samples."""

    def __init__(self, source: Source, table: Table) -> None:
        self.source, self.table, rules = source, table, source.rules
        lines = [*islice(source.lines(), 2)]
        if not lines:
            raise source.refuse("found blank lines alone, expected samples")
        first = lines[0][1].decode("utf-8", "replace").rstrip("\r\n")
        self.before = 0
        declared = re.fullmatch("sep=(.)", first)
        if declared and len(lines) > 1:  # as spreadsheets write it
            self.before, first = 1, lines[1][1].decode("utf-8", "replace").rstrip("\r\n")
        found = declared[1] if declared else next((mark for mark in ";,\t" if mark in first), " ")
        self.delimiter = rules.delimiter or table.delimiter or found
        self.line = first
        self.fields = self._split(first)
        self.is_headed = self._is_header()
        self.names = self.fields if self.is_headed or not table.names else table.names.split(",")
        is_wall = source.is_several and bool(table.wall)
        self.time = self._choose(rules.time, table.wall if is_wall else table.time, "time of several files" if is_wall else "time", "--time")  # fmt: skip
        self.load = self._choose(rules.column, table.load, "load", "--column")
        self.end, self.machine = self._usual(table.end), self._usual(table.machine)
        if table.end and self.end is None:
            raise source.refuse(f"found no column {table.end}")
        says_percent = self.is_headed and re.search("%|percent|pct", self.names[self.load], re.I)
        self.unit = table.unit or (100 if says_percent else 1)
        if rules.unit != "found":
            self.unit = 100 if rules.unit == "percent" else 1
        self.before += self.is_headed
        # pandas reads decimal commas itself, and much faster.
        sample = next(islice(source.lines(), self.before, None), (0, b""))[1].decode("utf-8", "replace")
        fields = self._split(sample.rstrip("\r\n"))
        has_commas = self.delimiter != "," and re.fullmatch(r"[+-]?\d+,\d+", "".join(fields[self.load : self.load + 1]))
        self.decimal = "," if has_commas else "."

    def _split(self, line: str) -> list[str]:
        if self.delimiter in " \t":
            fields = line.split("\t") if self.delimiter == "\t" and "\t" in line else line.split()
        else:
            fields = next(csv.reader([line], delimiter=self.delimiter, skipinitialspace=True), [])
        return [field.strip().strip('"') for field in fields][:_FIELDS_MOST]

    def _is_header(self) -> bool:
        """Whether the first line is no sample but names: it has no number, or, in csv, no time where one belongs."""
        if self.table.names:
            return not any(re.fullmatch(_NUMBER, field) for field in self.fields)
        if self.table.delimiter:
            return True
        place = self.source.rules.time or "1"
        if not re.fullmatch(r"[1-9]\d{0,2}", place):
            return True
        return int(place) > len(self.fields) or not _is_moment(self.fields[int(place) - 1])

    def _usual(self, names: str) -> int | None:
        lower = [name.lower() for name in self.names]
        return next((lower.index(name) for name in names.split("|") if name in lower), None)

    def _choose(self, users: str | None, names: str, what: str, option: str) -> int:
        if users is None and not self.is_headed and not self.table.names:
            users = "1" if option == "--time" else "2"
        found = self._usual(names)
        if users is not None:
            has_names = self.is_headed or bool(self.table.names)
            found = self.names.index(users) if has_names and users in self.names else None
            if found is None and re.fullmatch(r"[1-9]\d{0,2}", users) and int(users) <= len(self.names):
                found = int(users) - 1
        if found is not None:
            return found
        shown = f"'{self.line:.40}'"
        if users is not None:
            expected = f"expected one of the {len(self.names)} in {shown}"
            raise self.source.refuse(f"found no column '{users}' for the {what}, {expected}")
        raise self.source.refuse(f"found no column for the {what} in {shown}, expected {option} to say which it is")

    # ---- Rows

    def chunks(self) -> Iterator[pd.DataFrame]:
        """Some rows: their columns of numbers where all are, else texts."""
        places = (self.time, self.load, self.end, self.machine)
        used = {place for place in places if place is not None}
        separator = r"\s+" if self.delimiter == " " else self.delimiter
        with self.source.open() as text:
            for _ in range(self.before):
                while not text.readline().strip():
                    pass
            try:
                rows = pd.read_csv(
                    io.BufferedReader(Headed(text, len(self.names), self.delimiter), 1 << 20),
                    sep=separator,
                    usecols=[str(place) for place in sorted(used)],
                    dtype={str(self.machine): object} if self.machine is not None else None,
                    index_col=False,
                    keep_default_na=False,
                    na_values=[""],
                    skipinitialspace=True,
                    decimal=self.decimal,
                    encoding_errors="replace",
                    chunksize=_ROWS,
                )
                for chunk in rows:
                    chunk.columns = list(map(int, chunk.columns))
                    yield chunk
            except (pd.errors.ParserError, csv.Error) as error:
                raise self.source.refuse(f"found rows that are none ({str(error).strip()}), expected CSV") from None
            except pd.errors.EmptyDataError:
                return

    def line_of(self, row: int) -> int:
        return next(islice(self.source.lines(), self.before + row, None), (0, b""))[0]

    def leave_out(self, is_wrong: Any, before: int, column: Any, expected: str) -> None:
        rows = np.flatnonzero(is_wrong)
        if len(rows):
            text = str(column.iloc[rows[0]])
            found = "no field" if text == "nan" else f"'{text[:40]}'"
            self.source.leave_out(len(rows), self.line_of(before + int(rows[0])), f"found {found}, expected {expected}")

    def refuse_more_fields(self) -> None:
        """A decimal comma makes two numbers of one, and a sample would be lost because it has decimals."""
        count = len(self.names)
        if not self.is_headed or self.delimiter in " \t":
            return
        with self.source.open() as text:
            if is_regular(text, count, self.delimiter):
                return
        for number, line in self.source.lines():
            fields: list[str] = next(csv.reader([line.decode("utf-8", "replace")], delimiter=self.delimiter), [])
            if any(field.strip() for field in fields[count:]):
                found = f"found {len(fields)} fields, expected {count} as in the first line"
                raise self.source.refuse(f"{found}; for decimal commas: other marks between columns, or points", number)

    def numbers(self, column: Any, is_load: bool = False) -> Floats:
        """NaN of what is none. A load may have a percent sign behind it, or stand in a record: {'cpus': 0.25, 'memory': 0.1}."""
        if column.dtype.kind in "fi":
            return np.array(column, dtype=float)  # a copy: pandas may not let its own be changed
        texts = column.astype(object).astype(str).str.strip("' \t\"")
        if is_load and texts.str.endswith("%").any():
            if self.source.rules.unit == "fraction" or self.table.unit == 1:
                raise self.source.refuse("found a percent sign behind a load, expected fractions")
            if not (texts.str.endswith("%") | column.isna()).all():
                row = int((~texts.str.endswith("%") & column.notna()).to_numpy().argmax())
                raise self.source.refuse(f"found loads with and without a percent sign, such as '{texts.iloc[row]:.40}', expected one of them")  # fmt: skip
            self.unit, texts = 100, texts.str.rstrip("% \t")
        if is_load and self.table.end:
            records = texts.str.extract(rf"cpus['\":= ]+({_NUMBER})")[0]
            texts = records.where(records.notna(), texts)
        if self.delimiter != ",":
            texts = texts.str.replace(r"^([+-]?\d+),(\d+)$", r"\1.\2", regex=True)
        texts = texts.where(texts.str.fullmatch(_NUMBER), None)
        return np.array(pd.to_numeric(texts, errors="coerce"), dtype=float)

    def moments(self, times: list[Any]) -> Ints:
        """ns of all times of a file, which are numbers or texts; UNKNOWN_NS of what is none."""
        is_number = [time.dtype.kind == "f" for time in times]
        if self.table.time_unit or sum(map(len, times)) < 2 * sum(
            np.isfinite(t).sum() for t in times if t.dtype.kind == "f"
        ):
            numbers = [time if is_one else np.full(len(time), np.nan) for time, is_one in zip(times, is_number)]
            seconds = np.concatenate(numbers) if numbers else np.zeros(0)
            return seconds_to_ns(seconds * self.table.time_unit) if self.table.time_unit else moments_of(seconds)
        texts = [np.zeros(len(time), "S1") if is_one else time for time, is_one in zip(times, is_number)]
        dates = parse_dates(texts, self.source.rules.zone_of_times())
        self.source.counts.unzoned += int(dates.is_unzoned.sum())
        self.source.counts.assumed += dates.assumed
        return dates.ns

    def time_of(self, column: Any) -> Any:
        """Numbers, or bytes where most are none."""
        first = str(column.get(column.first_valid_index())).replace(",", ".")
        if column.dtype == object and not self.table.time_unit and not re.fullmatch(_NUMBER, first):
            return bytes_of(column)
        numbers = self.numbers(column)
        return bytes_of(column) if not self.table.time_unit and np.isnan(numbers).mean() > 0.5 else numbers


class _Part(NamedTuple):
    """Some rows of a file."""

    before: int
    times: Any
    value: Floats
    end: Any
    names: list[str]
    code: Any


def _part(reader: _Reader, chunk: pd.DataFrame, before: int) -> _Part:
    value = reader.numbers(chunk[reader.load], True)
    is_wrong = np.isinf(value) | (np.isnan(value) & chunk[reader.load].notna().to_numpy())
    reader.leave_out(is_wrong, before, chunk[reader.load], "a load: a number such as 10.5")
    value[is_wrong] = np.inf
    names, code = [""], 0
    if reader.machine is not None:
        codes, texts = pd.factorize(chunk[reader.machine].fillna("").str.strip("' \t\""))
        names, code = list(texts), codes.astype(np.int32)
    elif reader.table.is_file_machine:
        names = [os.path.basename(reader.source.path).partition(".")[0]]
    times = reader.time_of(chunk[reader.time])
    return _Part(before, times, value, None if reader.end is None else reader.numbers(chunk[reader.end]), names, code)


def _samples(reader: _Reader, part: _Part, chunk_times: Any, ns: Ints) -> Samples:
    """Those rows that can be read."""
    is_good = ns != UNKNOWN_NS
    is_timed = is_good | np.isinf(part.value)
    if not is_timed.all():
        row = int((~is_timed).argmax())
        text = chunk_times[row]
        shown = text.decode("utf-8", "replace") if isinstance(text, bytes) else "" if np.isnan(text) else f"{text:g}"
        expected = "expected a time: a number, or such as 2026-03-01T18:30:00Z, as in the other lines"
        line = reader.line_of(part.before + row)
        reader.source.leave_out(int((~is_timed).sum()), line, f"found '{shown:.40}', {expected}")
    length: Ints | int = 0
    if reader.table.since_last_row:
        length = np.zeros(len(ns), np.int64)
        length[1:] = np.where(is_good[1:] & is_good[:-1], np.maximum(ns[1:] - ns[:-1], 0), 0)
    if part.end is not None:
        end = seconds_to_ns(part.end * reader.table.time_unit)
        is_behind = end > ns
        wrong = is_good & ~is_behind
        if wrong.any():
            line = reader.line_of(part.before + int(wrong.argmax()))
            reader.source.leave_out(int(wrong.sum()), line, "found an end that is not behind the start, expected one")
        is_good &= is_behind
        length = end - ns
    is_good &= ~np.isinf(part.value)
    pick = slice(None) if is_good.all() else is_good
    code = part.code if isinstance(part.code, int) else part.code[pick]
    length = length if isinstance(length, int) else length[pick]
    return Samples(ns[pick], part.value[pick] / reader.unit, length, 1.0, part.names, code)


def read_table(source: Source, table: Table) -> Iterator[Samples]:
    """The samples of a file, in its order."""
    reader = _Reader(source, table)
    reader.refuse_more_fields()
    parts: list[_Part] = []
    before = 0
    for chunk in reader.chunks():
        part = _part(reader, chunk, before)
        before += len(chunk)
        if table.time_unit:
            yield _samples(reader, part, part.times, reader.moments([part.times]))
        else:
            parts.append(part)
    if not parts:
        return
    ns = reader.moments([part.times for part in parts])
    if table.since_last_row:  # the first row of a part follows the last one of the part before
        whole = [np.concatenate(columns) for columns in zip(*((part.times, part.value) for part in parts))]
        parts = [_Part(0, whole[0], whole[1], None, [""], 0)]
    at = 0
    for part in parts:
        yield _samples(reader, part, part.times, ns[at : at + len(part.value)])
        at += len(part.value)
