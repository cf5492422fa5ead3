# SPDX-License-Identifier: MIT
"""Reads request records: those of ssrequest, and what other load generators and web servers write."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype

from ._csv import PathOrFile, is_regular, name_of, read_bytes
from ._dates import UNKNOWN_NS, parse_dates
from ._errors import InputError, InputWarning
from ._schema import SCHEMAS

# The first four have a response time: they were answered, or given up.
OUTCOMES = pd.CategoricalDtype(["good", "wrong", "unexpected", "timeout", "failed", "refused", "dropped"])
OK, ERROR, UNEXPECTED, TIMEOUT, FAILED, REFUSED, DROPPED = range(7)
UNKNOWN = -1
HTTP_ERRORS_FROM = 400
WALL_LEAST = 1e8  # seconds: no machine has been up for three years, so larger times are since 1970
_NS = 1e9
UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}

_WORDS = {"expected": OK} | {str(word): code for code, word in enumerate(OUTCOMES.categories)}
_HEAD_BYTES = 256 << 10
_BLOCK_BYTES = 32 << 20
_PART_ROWS = 1 << 18
# Programs that write request records. Only ssrequest, and pgbench with --rate, say when requests were due.
CLIENTS = {
    "ssrequest": "records of ssrequest",
    "pgbench": "the log of pgbench -l",
    "vegeta": "the CSV of vegeta",
    "haproxy": "the log of HAProxy",
    "nginx": "the access log of nginx",
    "hey": "the CSV of hey",
    "jmeter": "the JTL of JMeter",
    "k6": "the CSV of k6",
    "csv": "CSV of the columns that were named",
}
_CLIENT = pd.CategoricalDtype(list(CLIENTS))


@dataclass
class _Source:
    """A file being read, and which of its lines were left out."""

    name: str
    handle: BinaryIO
    header: list[str] = field(default_factory=list)
    sep: str = ","
    wrong: int = 0
    first_wrong: str = ""
    notes: list[str] = field(default_factory=list)

    def note(self, text: str) -> None:
        self.notes.append(f"{self.name}: {text}")

    def leave_out(self, lines: int, line: int, text: str) -> None:
        """Some lines, of which this is the first."""
        self.first_wrong = self.first_wrong or f"{self.name}:{line}: {text}"
        self.wrong += lines

    def keep(self, good: Any, expected: str, index: Any = None) -> Any:
        """Leave out the other rows; `good` again."""
        wrong = np.flatnonzero(~good)
        if len(wrong):
            row = int(wrong[0] if index is None else index[wrong[0]])
            self.leave_out(len(wrong), row + 2, f"found no number or date, expected {expected}")
        return good

    def refuse(self, line: int, text: str) -> InputError:
        return InputError(f"{self.name}:{line}: {text}")

    def table(self, dtype: Mapping[str, Any], rows: int | None = None) -> Any:
        """The columns that `dtype` names, as far as the header has them; in parts of so many rows."""
        kept = {name: kind for name, kind in dtype.items() if name in self.header}
        self.handle.seek(0)
        return pd.read_csv(
            self.handle,
            sep=self.sep,
            header=0,
            names=self.header,
            usecols=list(kept),
            dtype={name: kind for name, kind in kept.items() if kind},
            index_col=False,
            keep_default_na=False,
            na_values=[""],
            encoding_errors="replace",
            chunksize=rows,
        )


def read_requests(
    path: PathOrFile,
    *,
    start: str | None = None,
    end: str | None = None,
    time: str | None = None,
    unit: str | None = None,
) -> pd.DataFrame:
    """Read the requests of a file as a frame with a row per request.

    The file's content tells which program wrote it: ssrequest (CSV or JSON Lines), hey, vegeta, k6, JMeter, pgbench,
    nginx or HAProxy. Any other CSV or JSON Lines is read by the names of two columns: `start` and `end`, or one of
    these and `time`; or by `time` alone, which gives response times without moments. `unit` (s, ms, us or ns) is that
    of these columns where their names don't end with one, such as `_ms`.

    The columns are those of the table "requests"; NaN is "not known".

    A line that can't be read is left out with a warning that has the number of such lines; in records of ssrequest it
    raises InputError, as does a file of no known format. `path` may be "-" for standard input, or an open file.
    """
    named = {key: name for key, name in (("start", start), ("end", end), ("time", time)) if name}
    _check_named(named, unit)
    name = name_of(path)
    try:
        with _open(path) as handle:
            source = _Source(name, handle)
            frame = _read(_whole(source), named, unit)
    except InputError:
        raise
    except (OSError, ValueError) as error:
        raise InputError(f"{name}: {getattr(error, 'strerror', None) or error}") from error
    if frame.empty:
        raise InputError(source.first_wrong or f"{name}: found no request")
    if source.wrong:
        source.notes.append(f"{source.first_wrong}; lines left out: {source.wrong}")
    for note in source.notes:
        warnings.warn(note, InputWarning, stacklevel=2)
    return frame


def _check_named(named: Mapping[str, str], unit: str | None) -> None:
    if list(named) not in ([], ["time"], ["start", "end"], ["start", "time"], ["end", "time"]):
        raise InputError(f"found {', '.join(named)}, expected start and end, one of them and time, or time alone")
    if unit and (not named or unit not in UNITS):
        raise InputError(f"found the unit '{unit}', expected {', '.join(UNITS)} beside start, end or time")


def _open(path: PathOrFile) -> BinaryIO:
    if path == "-" or not isinstance(path, (str, os.PathLike)):
        return io.BytesIO(read_bytes(path))
    handle = open(path, "rb")
    return handle if handle.seekable() else io.BytesIO(handle.read())


def _whole(source: _Source) -> _Source:
    """The file without a last line that its writer could not finish."""
    handle = source.handle
    if handle.seek(0, io.SEEK_END) == 0:
        raise InputError(f"{source.name}: found an empty file, expected requests")
    handle.seek(-1, io.SEEK_END)
    is_cut = handle.read(1) != b"\n"
    handle.seek(0)
    if is_cut:
        data = handle.read()
        source.handle = io.BytesIO(data[: data.rfind(b"\n") + 1])
        source.note("the last line is not whole and is left out")
    return source


def _read(source: _Source, named: Mapping[str, str], unit: str | None) -> pd.DataFrame:
    head = source.handle.read(_HEAD_BYTES)
    source.handle.seek(0)
    for detect, *form in _LINE_FORMATS if not named else ():
        if re.search(detect, head, re.M):
            return _read_lines(source, *form)
    table = _read_json(source) if head.lstrip().startswith(b"{") else None
    if table is not None:
        source.header = list(table.columns)
    else:
        line = head.decode("utf-8-sig", "replace").split("\n", 1)[0].rstrip("\r")
        split: dict[str, list[str]] = {sep: next(csv.reader([line], delimiter=sep), []) for sep in ",;\t|"}
        source.sep = max(split, key=lambda sep: len(split[sep]))
        source.header = split[source.sep]
    if named:
        return _read_named(source, table, named, unit)
    if {"request", *_OWN_TIMES, "status"} <= set(source.header):
        return _read_own(source, table, head)
    for columns, reader in _HEADER_FORMATS.items():
        if table is None and set(columns.split()) <= set(source.header):
            return reader(source)
    known = "those of requests (ssrequest -o), pgbench, hey, JMeter, vegeta, k6, nginx or HAProxy"
    what = f"found the columns {','.join(source.header)[:160]}, expected {known}"
    raise source.refuse(1, f"{what}, or the names of columns: start and end, or time")


def _read_json(source: _Source) -> pd.DataFrame:
    rows = []
    for number, line in enumerate(source.handle, 1):
        try:
            rows.append(json.loads(line))
        except ValueError as wrong:
            raise source.refuse(number, f"found no JSON ({wrong}), expected an object on each line") from wrong
        if not isinstance(rows[-1], dict):
            raise source.refuse(number, f"found '{line[:40].decode(errors='replace').strip()}', expected an object")
    return pd.DataFrame(rows)


def _frame(client: str, outcome: Any, response: Any, sent: Any = None, end: Any = None, **more: Any) -> pd.DataFrame:
    """The frame of columns as far as they are known; times above 3 years are of the wall clock."""
    sent = end - response if sent is None else sent
    if end is None:
        end = np.round(sent + response, 6 if _is_wall(sent) else 9)
    response = np.where(outcome == DROPPED, np.nan, response)
    more |= {"sent_s": sent, "end_s": end, "response_s": response}
    if _is_wall(end):
        more.setdefault("time_unix_s", end)
    count = len(response)
    codes = np.broadcast_to(np.asarray(outcome, dtype=np.int8), count)
    more["outcome"] = pd.Categorical.from_codes(codes, dtype=OUTCOMES)
    more["client"] = pd.Categorical.from_codes(np.full(count, list(CLIENTS).index(client), np.int8), dtype=_CLIENT)
    names = SCHEMAS["requests"].names
    return pd.DataFrame({n: more[n] if n in more else np.full(count, np.nan) for n in names}, copy=False)


def _is_wall(times: Any) -> bool:
    return bool(np.max(times, initial=0, where=~np.isnan(times)) >= WALL_LEAST)


def _http(status: Any) -> Any:
    """Outcomes of HTTP's status, which is 0 where there was no answer."""
    return np.where(status >= HTTP_ERRORS_FROM, ERROR, np.where(status > 0, OK, FAILED)).astype(np.int8)


def difference(end: Any, begin: Any) -> Any:
    """Seconds between two times, without the digits that a double of this size doesn't have."""
    return np.round(end - begin, 6 if _is_wall(end) else 9)


def _numbers(column: Any) -> Any:
    """A column as numbers, NaN where there is none."""
    return np.asarray(pd.to_numeric(column, errors="coerce"), dtype=float)


def _by_text(column: Any, function: Callable[[str], float], none: float = np.nan) -> Any:
    """A number for each text of a column; `none` where there is no text."""
    codes, texts = pd.factorize(column)
    return np.array([float(function(str(text))) for text in texts] + [none])[codes]


# ---- ssrequest ------------------------------------------------------------------------------------------------------

_OWN_TIMES = ["planned_s", "arrival_s", "sent_s", "end_s"]


def _read_own(source: _Source, table: pd.DataFrame | None, head: bytes) -> pd.DataFrame:
    """In parts, so that memory for what is only needed meanwhile is that of a part."""
    words = "outcome" if "outcome" in source.header else "status"
    numbers = [name for name in ("request", *_OWN_TIMES, "bytes", "time_unix_s", "status") if name != words]
    # A row without an arrival stands for records that are missing; in older files it names a URL or a command, too.
    names = rb'^(?:,\d+,,,,,|\{"request":null,"url":\d+,[^{}\n]*"status":)"?(?!https?://|")[^,"\n]'
    errors_from = 1 if re.search(names, head, re.M | re.I) else HTTP_ERRORS_FROM
    if table is None:
        _check_fields(source)
    parts: list[dict[str, Any]] = []
    row, missing = 0, 0.0
    types = dict.fromkeys(numbers) | {words: "category"}
    for part in [table] if table is not None else source.table(types, _PART_ROWS):
        columns = {name: _numbers(part[name]) for name in numbers if name in part}
        times = [columns[name] for name in _OWN_TIMES]
        # A row without the number of a request stands for those that are missing from planned_s to end_s, or names a URL.
        is_missing = ~(np.isnan(times[0]) | np.isnan(times[3]))
        is_other = is_missing | ("outcome" not in part and part[words].notna().to_numpy())
        is_request = part["request"].notna().to_numpy() | ~np.isnan(times[1]) | ~is_other
        missing += float(np.nansum((times[3] - times[0])[~is_request]))
        outcome = _by_text(part[words], lambda text: _WORDS.get(text, UNKNOWN), UNKNOWN).astype(np.int8)
        status = columns["status"] if words == "outcome" else _by_text(part["status"], _status)
        if words == "status":
            outcome = np.where(np.isnan(status), outcome, np.where(status >= errors_from, ERROR, OK)).astype(np.int8)
        _check_own(source, part, columns, outcome, is_request, row)
        columns |= {"outcome": outcome, "status": status, "response_s": difference(times[3], times[0])}
        parts.append(columns if is_request.all() else {name: each[is_request] for name, each in columns.items()})
        row += len(part)
    if missing > 0:
        source.note(f"requests of {missing:.3f} s are missing in the records")
    joined = {name: np.concatenate([part.pop(name) for part in parts]) for name in list(parts[0])}
    outcome, response, sent, end = (joined.pop(name) for name in ("outcome", "response_s", "sent_s", "end_s"))
    return _frame("ssrequest", outcome, response, sent, end, **joined)


def _check_fields(source: _Source) -> None:
    source.handle.seek(0)
    if is_regular(source.handle, len(source.header)):
        return
    source.handle.seek(0)
    rows = csv.reader(source.handle.read().decode("utf-8", "replace").splitlines(keepends=True))
    for number, fields in enumerate(rows, 1):
        if fields and len(fields) != len(source.header):
            raise source.refuse(number, f"found {len(fields)} fields, expected {len(source.header)} as in the header")


def _status(text: str) -> float:
    """The number of a status, NaN of a word."""
    return float(text) if re.fullmatch(r"\d{1,5}(\.0)?", text) else np.nan


def _check_own(
    source: _Source, part: pd.DataFrame, columns: Mapping[str, Any], outcome: Any, is_request: Any, before: int
) -> None:
    planned, arrival, sent, end = (columns[name] for name in _OWN_TIMES)
    no_number = {
        name: np.isnan(columns[name]) & part[name].notna() for name in columns if not is_numeric_dtype(part[name])
    }
    with np.errstate(invalid="ignore"):
        problems = [(wrong, name, "expected a number") for name, wrong in no_number.items()] + [
            (~np.isfinite(planned + arrival + end), "end_s", "expected a time here, in planned_s and in arrival_s"),
            ((planned < 0) | (arrival < 0) | (sent < 0), "planned_s", "expected no time below 0"),
            (end < np.fmax(sent, np.maximum(planned, arrival)), "end_s", "expected a time from those before it on"),
            (outcome < 0, "outcome" if "outcome" in part else "status", "expected a number or a word such as timeout"),
        ]
    for wrong, name, expected in problems:
        if (wrong & is_request).any():
            row = int((wrong & is_request).argmax())
            raise source.refuse(before + row + 2, f"{name}: found '{str(part[name].iloc[row]):.40}', {expected}")


# ---- Moments --------------------------------------------------------------------------------------------------------


def _parse_dates(texts: Any) -> Any:
    """Seconds since 1970 of dates, in local time where they have no zone; NaN of what is none."""
    ns = parse_dates([np.array([str(text).encode("ascii", "replace") for text in texts])], None).ns
    return np.where(ns == UNKNOWN_NS, np.nan, ns / _NS)


def _moments(column: Any, unit: float | None = None) -> Any:
    """Seconds of a column of numbers or dates. Without a unit numbers are since 1970, and their size tells the unit."""
    number = _numbers(column)
    scale: Any = unit or np.select([number < 1e11, number < 1e14, number < 1e17], [1, 1e-3, 1e-6], 1e-9)
    seconds = number * scale
    is_text = np.isnan(number) & ~pd.isna(column).to_numpy()
    if is_text.any():
        seconds[is_text] = _parse_dates(column[is_text])
    return seconds


# ---- Formats with a header ------------------------------------------------------------------------------------------


def _read_hey(source: _Source) -> pd.DataFrame:
    names = ["response-time", "offset", "status-code"]
    table = source.table(dict.fromkeys(names))
    numbers = [_numbers(table[name]) for name in names]
    good = source.keep(np.min(numbers, axis=0) >= 0, "numbers as of hey -o csv")
    response, begin, status = (number[good] for number in numbers)
    source.note("hey leaves out requests without an answer, so there may be more errors than are counted")
    return _frame("hey", _http(status), response, begin, status=status)


def _read_k6(source: _Source) -> pd.DataFrame:
    texts = ["metric_name", "status", "error_code", "expected_response"]
    table = source.table(dict.fromkeys(["timestamp", "metric_value"]) | dict.fromkeys(texts, "category"))
    dropped = _numbers(table["metric_value"][table["metric_name"] == "dropped_iterations"])
    if len(dropped):
        source.note(f"k6 dropped {np.nansum(dropped):.0f} iterations, whose requests are not in the file")
    table = table[table["metric_name"].isin(["http_req_duration", "grpc_req_duration"])]
    end, response = _moments(table["timestamp"]), np.round(_numbers(table["metric_value"]) * 1e-3, 9)
    good = source.keep((end >= 0) & (response >= 0), "numbers as of k6 --out csv", table.index)
    table, end, response = table[good], end[good], response[good]
    status = _by_text(table["status"], _status, 0)
    outcome = _http(status)
    if "expected_response" in table:
        is_expected = _by_text(table["expected_response"], _truth)
        outcome = np.where((status <= 0) | np.isnan(is_expected), outcome, np.where(is_expected == 1, OK, UNEXPECTED))
    is_grpc = (table["metric_name"] == "grpc_req_duration").to_numpy()
    outcome[is_grpc] = np.where(status[is_grpc] == 0, OK, UNEXPECTED)
    if "error_code" in table:
        outcome[_by_text(table["error_code"], _status) == 1050] = TIMEOUT
    return _frame("k6", outcome, response, end=end, status=status)


_JMETER = ["timeStamp", "elapsed", "bytes", "responseCode", "responseMessage", "success"]
_TRANSACTION = "Number of samples in transaction"


def _read_jmeter(source: _Source) -> pd.DataFrame:
    try:
        table = source.table(dict(zip(_JMETER, [None, None, None, *["category"] * 3])))
        begin, response, success = _of_jmeter(table)
        is_whole = bool(((begin >= 0) & (response >= 0) & ~np.isnan(success)).all())
    except pd.errors.ParserError:
        is_whole = False
    if not is_whole:
        table = _mend_jmeter(source)
        begin, response, success = _of_jmeter(table)
    good = _of_requests(source, table)
    good &= source.keep(~good | ((begin >= 0) & (response >= 0)), "numbers or dates as in a JTL of JMeter")
    table, begin, response, success = table[good], begin[good], response[good], success[good]
    status = _by_text(table["responseCode"], _status)
    failure = _by_text(table["responseCode"], _fate_of_code, FAILED)
    outcome = np.where(np.isnan(status), failure, UNEXPECTED if "success" in table else _http(status))
    size = {"bytes": _numbers(table["bytes"])} if "bytes" in table else {}
    return _frame("jmeter", np.where(success == 1, OK, outcome), response, begin, status=status, **size)


def _of_jmeter(table: pd.DataFrame) -> tuple[Any, Any, Any]:
    """When samples began, how long they took, and whether they were a success: 2 if JMeter doesn't say."""
    success = _by_text(table["success"], _truth) if "success" in table else np.full(len(table), 2)
    return _moments(table["timeStamp"], 1e-3), np.round(_numbers(table["elapsed"]) * 1e-3, 9), success


def _fate_of_code(text: str) -> float:
    return TIMEOUT if "Timeout" in text else REFUSED if "ConnectException" in text else FAILED


def _truth(text: str) -> float:
    return {"true": 1.0, "false": 0.0}.get(text.strip().lower(), np.nan)


def _of_requests(source: _Source, table: pd.DataFrame) -> Any:
    """Which rows are not those of a Transaction Controller, which sum up others."""
    if "responseMessage" not in table:
        source.note("without the column responseMessage a Transaction Controller's rows count as requests")
        return np.ones(len(table), dtype=bool)
    sums = _by_text(table["responseMessage"], lambda text: text.startswith(_TRANSACTION), False) == 1
    if len(sums) and sums.all():
        what = "found only rows of a Transaction Controller, which sum up requests"
        raise InputError(f"{source.name}: {what}, expected these, too: without its option to generate a parent sample")
    if sums.any():
        count = "one row" if sums.sum() == 1 else f"{sums.sum()} rows"
        source.note(f"left out {count} of a Transaction Controller, which sum up requests")
    return ~sums


def _mend_jmeter(source: _Source) -> pd.DataFrame:
    """The rows of a JTL in which texts with delimiters, quotes or line ends have no quotes around them.

    A row begins with a time and a number. Where its fields are not as many as the header's, it is a success only if one
    of them says so, and it fails otherwise: no failure is lost.
    """
    source.handle.seek(0)
    text = source.handle.read().decode("utf-8-sig", "replace").replace("\r", "").partition("\n")[2]
    sep = re.escape(source.sep)
    begin = re.compile(rf'"?\d[\d/.:TZ+ -]{{5,}}"?{sep}"?\d+"?{sep}' if source.header[:2] == _JMETER[:2] else ".")
    records: list[str] = []
    for number, line in enumerate(text.splitlines(), 2):
        if begin.match(line):
            records.append(line)
        elif records and records[-1].count(source.sep) < len(source.header) - 1:  # a text of several lines
            records[-1] += f" {line}"
        elif line.strip():
            source.leave_out(
                1, number, f"found '{line:.40}', expected a number or date, and how many ms a request took"
            )
    rows = [_mend_row(record, source.header, source.sep) for record in records]
    return pd.DataFrame(rows, columns=[name for name in _JMETER if name in source.header])


def _mend_row(record: str, header: list[str], sep: str) -> dict[str, str]:
    fields: list[str] = next(csv.reader([record], delimiter=sep), [])
    row = dict(zip(header, fields))
    if len(fields) == len(header) and not np.isnan(_truth(row.get("success", "true"))):
        return row
    fields = [each.strip('" ') for each in record.split(sep)]
    words = {each.lower() for each in fields}
    row = dict(zip(header, fields)) | {"bytes": ""}
    if not re.fullmatch(r"\d{3}", row.get("responseCode", "")):
        row["responseCode"] = next((each for each in fields if each.startswith("Non HTTP response code")), "")
    row["success"] = "true" if "true" in words and "false" not in words else "false"
    row["responseMessage"] = next((each for each in fields if each.startswith(_TRANSACTION)), "")
    return row


_HEADER_FORMATS: dict[str, Callable[[_Source], pd.DataFrame]] = {
    "response-time offset status-code": _read_hey,
    "timeStamp elapsed responseCode": _read_jmeter,
    "metric_name timestamp metric_value status": _read_k6,
}


def _read_named(
    source: _Source, table: pd.DataFrame | None, named: Mapping[str, str], unit: str | None
) -> pd.DataFrame:
    for name in named.values():
        if name not in source.header:
            raise source.refuse(1, f"found no column '{name}' among {','.join(source.header)[:160]}")
    table = source.table(dict.fromkeys(named.values())) if table is None else table
    times, scales = {}, {}
    for key, name in named.items():
        is_date = key != "time" and np.isnan(_numbers(table[name])).all()
        suffix = re.search(r"_(s|seconds|ms|us|ns)$", name)
        if not (is_date or suffix or unit):
            what = "found no unit at the end of this name, such as _ms, expected a unit: s, ms, us or ns"
            raise source.refuse(1, f"{name}: {what}")
        scales[key] = UNITS[suffix[1].replace("seconds", "s") if suffix else unit or "s"]
        times[key] = _moments(table[name], scales[key])
    begin, end, response = (times.get(key) for key in ("start", "end", "time"))
    if response is None:
        raw = [table[named[key]] for key in ("start", "end")]
        is_exact = scales["start"] == scales["end"] and all(column.dtype.kind == "i" for column in raw)
        response = np.round((raw[1] - raw[0]).to_numpy() * scales["end"], 9) if is_exact else difference(end, begin)
    if begin is None and end is None:
        begin = np.where(response >= 0, 0.0, np.nan)
    began = end - response if begin is None else begin
    good = source.keep((response >= 0) & (began >= 0), "numbers from 0 on, or dates, in the named columns")
    if list(named) == ["time"]:
        began = np.full(len(good), np.nan)
    return _frame("csv", UNKNOWN, np.round(response[good], 9), began[good], None if end is None else end[good])


# ---- Formats of lines -----------------------------------------------------------------------------------------------

_QUOTED = rb'"(?:[^"\\\n]|\\.)*"'
_FIELDS = rb'(?:[ \t]+[^\s"]*(?:' + _QUOTED + rb'[^\s"]*)*)*?'
_END = rb'["\],]*(?=[ \t]|\r?$)'
_OF_CLIENT = rb'(?![ \t]+"\d+\.\d{3}"[ \t]+"\d+\.\d{3}")[ \t]+' + _QUOTED + rb"[ \t]+" + _QUOTED
_NGINX_HEAD = rb"^[^\n]*?\[(\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d(?:\.\d+)? [+-]\d{4})\] " + (
    _QUOTED + rb"[ \t]+(\d{3})[ \t]+(\S+)(?=[ \t]|\r?$)"
)
_NGINX = (
    (_NGINX_HEAD + rb"(?:" + _OF_CLIENT + rb"|(?!" + _OF_CLIENT + rb"))")
    + (rb"(?=" + _FIELDS + rb'[ \t]+(?:\w+=)?["\[]*(\d{9,10}\.\d{3})' + _END + rb"|)")
    + (_FIELDS + rb'[ \t]+(?:(?:rt|request_time|reqtime|req_time|rtime|time)=)?["\[]*(\d{1,8}\.\d{3})' + _END)
)
_HAPROXY = (
    rb"^[^\n]*?\[(\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d\.\d+)\][ \t]+\S+[ \t]+\S+[ \t]+"
    rb"(?:-?\d+/){4}\+?(\d+)[ \t]+(-1|\d{1,3})(?=[ \t]|\r?$)(?:[ \t]+(\S+)[ \t]+\S+[ \t]+\S+[ \t]+(\S))?"
)
_PGBENCH = (
    rb"^[ \t]*\d+[ \t]+\d+[ \t]+(\d{1,15}|skipped|failed|serialization|deadlock)"
    rb"[ \t]+\d+[ \t]+(\d{9,11})[ \t]+(\d{1,6})(?:[ \t]+(\d+))?(?:[ \t]+(\d+))?[ \t]*\r?$"
)
_VEGETA = rb"^(\d{18,19}),(\d{1,3}),(\d+),\d+,(\d+),([^\n]*)$"


def _read_lines(source: _Source, pattern: bytes, looks: str, make: Callable[..., pd.DataFrame]) -> pd.DataFrame:
    """Groups of the pattern are columns of bytes, empty where a group is not there."""
    form = re.compile(pattern, re.M)
    blocks: list[list[Any]] = []
    line = 1
    while block := source.handle.read(_BLOCK_BYTES) + source.handle.readline():
        found = form.findall(block)
        if len(found) < block.count(b"\n"):
            for number, text in enumerate(block.split(b"\n"), line):
                if text.strip() and not form.search(text):
                    source.leave_out(1, number, f"found '{text.decode('utf-8', 'replace'):.40}', expected {looks}")
        if found:
            blocks.append([np.array(column) for column in zip(*found)])
        line += block.count(b"\n")
    if not blocks:
        raise InputError(source.first_wrong)
    return make(*(np.concatenate(column) for column in zip(*blocks)))


def _of_bytes(column: Any) -> Any:
    """Numbers; NaN of what is none."""
    return np.where(np.char.isdigit(np.char.replace(column, b".", b"")), column, b"nan").astype(float)


def _make_pgbench(time: Any, seconds: Any, micros: Any, lag: Any, retries: Any) -> pd.DataFrame:
    response = np.nan_to_num(_of_bytes(time)) * 1e-6
    end = _of_bytes(seconds) + _of_bytes(micros) * 1e-6
    late = _of_bytes(lag)
    outcome = np.where(time == b"skipped", DROPPED, np.where(np.char.isalpha(time), FAILED, OK))
    # With --max-tries alone the last number counts retries: it is small from the first line on, and a lag is not.
    if not (retries[0] != b"" or time[0] == b"skipped" or late[0] > 9):
        return _frame("pgbench", outcome, response, end=end)
    planned = end - response
    sent = np.where(outcome == DROPPED, np.nan, np.minimum(planned + np.nan_to_num(late) * 1e-6, end))
    return _frame("pgbench", outcome, response, sent, end, planned_s=planned, arrival_s=planned)


def _make_vegeta(begin: Any, status: Any, time: Any, size: Any, error: Any) -> pd.DataFrame:
    code, lower = _of_bytes(status), np.char.lower(error)
    is_timeout = (np.char.find(lower, b"timeout") >= 0) | (np.char.find(lower, b"deadline exceeded") >= 0)
    outcome = _http(code)
    outcome[(code == 0) & (np.char.find(lower, b"connection refused") >= 0)] = REFUSED
    outcome[(code == 0) & is_timeout] = TIMEOUT
    response = _of_bytes(time) * 1e-9
    return _frame("vegeta", outcome, response, _of_bytes(begin) * 1e-9, status=code, bytes=_of_bytes(size))


def _make_nginx(date: Any, status: Any, size: Any, moment: Any, time: Any) -> pd.DataFrame:
    end, code = _of_bytes(moment), _of_bytes(status)
    lacks = np.isnan(end)
    if lacks.any():
        end[lacks] = _parse_dates(date[lacks].astype(str))
    return _frame("nginx", _http(code), _of_bytes(time), end=end, status=code, bytes=_of_bytes(size))


def _make_haproxy(date: Any, time: Any, status: Any, size: Any, session: Any) -> pd.DataFrame:
    code = np.nan_to_num(_of_bytes(status))
    # A small letter says whose time was over.
    outcome = np.where((code == 0) & np.isin(session, [b"c", b"s"]), TIMEOUT, _http(code))
    sent = _parse_dates(date.astype(str))
    return _frame("haproxy", outcome, _of_bytes(time) * 1e-3, sent, status=code, bytes=_of_bytes(size))


# What some lines at the beginning have; all lines; what they look like; what makes a frame of them.
_LINE_FORMATS: list[tuple[Any, ...]] = [
    (_PGBENCH, _PGBENCH, "a line of pgbench -l", _make_pgbench),
    (_VEGETA, _VEGETA, "a line of vegeta encode --to csv", _make_vegeta),
    (_HAPROXY, _HAPROXY, "a line of HAProxy's option httplog", _make_haproxy),
    (_NGINX_HEAD, _NGINX, "a line of nginx's combined log_format with $request_time behind it", _make_nginx),
]
