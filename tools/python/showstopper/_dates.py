# SPDX-License-Identifier: MIT
"""Dates of a file, whose format is decided once, from all of them.

A text is taken apart by its shape, in which each digit is a 0: texts of one shape have their numbers at the same places, so that no text is
looked at on its own.
"""
from __future__ import annotations

import datetime
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

__all__ = ["Dates", "chained", "UNKNOWN_NS", "parse_dates", "year_month_day"]

UNKNOWN_NS = -(2**63)
NS_PER_S = 10**9

_Bytes = NDArray[np.bytes_]
_Ints = NDArray[np.int64]

_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_WIDEST = 40
_HALF_HOUR_NS = 1800 * NS_PER_S
_MOST_SHAPES = 1000
_SHAPE = re.compile(
    r" *(?:(?P<a>0{1,4})(?P<mark>[-/.])(?P<b>0{1,2}|[A-Za-z]{3})(?P=mark)(?P<c>0{1,4}))"
    r"(?:(?:[T:]|, ?| +)(?P<hour>0{1,2}):(?P<minute>00)(?::(?P<second>00)(?:[.,](?P<part>0{1,9})0*)?)?(?: ?(?P<half>[AaPp])[Mm])?)?"
    r" ?(?P<zone>Z|UTC|GMT|(?P<sign>[-+])(?P<zone_hour>00):?(?P<zone_minute>00)?)? *"
)


class Dates(NamedTuple):
    """Moments in ns since 1970, UNKNOWN_NS where a text is no date of the file's format; which of them had no zone; and what was assumed."""

    ns: _Ints
    is_unzoned: NDArray[np.bool_]
    assumed: list[str]


class _Fields(NamedTuple):
    """Some rows, and what is at which place in their texts."""

    rows: NDArray[np.intp]
    texts: NDArray[np.uint8]
    found: re.Match[str]

    def number(self, name: str) -> _Ints:
        """0 where the shape has none."""
        start, end = self.found.span(name)
        value = np.zeros(len(self.rows), np.int64)
        for place in range(start, end):
            value = 10 * value + (self.texts[:, place] - ord("0"))
        return value

    def has(self, name: str) -> bool:
        return self.found[name] is not None

    def kind(self) -> str:
        """What decides in which order day, month and year are: ymd, dmy, or the mark where that is to be found out."""
        a, b, c, mark = (self.found[name] for name in ("a", "b", "c", "mark"))
        if len(a) == 4 or (mark == "-" and len(c) <= 2 and b.strip("0") == ""):
            return "ymd"
        return "dmy" if mark == "." or b.strip("0") else mark


def _by_shape(texts: _Bytes) -> list[_Fields]:
    """The texts that may be dates."""
    width = texts.dtype.itemsize
    if not len(texts) or not width:
        return []
    digits = np.ascontiguousarray(texts).view(np.uint8).reshape(len(texts), width)
    shape = np.where((digits >= ord("0")) & (digits <= ord("9")), np.uint8(ord("0")), digits)
    if (shape == shape[0]).all():
        groups = [np.arange(len(texts))]
    else:
        names, codes = np.unique(shape.view(f"S{width}").ravel(), return_inverse=True)
        if len(names) > _MOST_SHAPES:
            return []
        order = np.argsort(codes, kind="stable")
        groups = np.split(order, np.cumsum(np.bincount(codes, minlength=len(names)))[:-1])
    fields = []
    for rows in groups:
        found = _SHAPE.fullmatch(shape[rows[0]].tobytes().rstrip(b"\0").decode("latin-1"))
        if found:
            fields.append(_Fields(rows, digits if len(rows) == len(texts) else digits[rows], found))
    return fields


# ---- The order of day, month and year -------------------------------------------------------------------------------


def year_month_day(dates: Sequence[str]) -> tuple[str | None, bool]:
    """Which order dates such as 03/01/26 have, of which all are written alike: ymd, dmy or mdy, and whether that had to be assumed.

    None: they are no dates, or contradict each other.
    """
    parts = _by_shape(np.array([date.encode("ascii", "replace") for date in dates]))
    if sum(len(part.rows) for part in parts) < len(dates):
        return None, False
    order = _order(parts)
    return order, order == "mdy" and not any((part.number("b") > 12).any() for part in parts)


def _order(parts: Sequence[_Fields]) -> str | None:
    kinds = {part.kind() for part in parts}
    if len(kinds) != 1:
        return None
    kind = kinds.pop()
    if len(kind) == 3:
        return kind
    first, second = (any((part.number(name) > 12).any() for part in parts) for name in ("a", "b"))
    return None if first and second else "dmy" if first else "mdy"


def _days(part: _Fields, order: str) -> _Ints:
    """Days since 1970; UNKNOWN_NS where there is no such day."""
    number = dict(zip(order, "abc"))
    year, day = part.number(number["y"]), part.number(number["d"])
    month = part.number(number["m"])
    name = part.found["b"]
    if name.strip("0"):
        month[:] = _MONTHS.index(name.lower()) + 1 if name.lower() in _MONTHS else 0
    year[year < 100] += 2000
    is_real = (month >= 1) & (month <= 12) & (day >= 1) & (year >= 1900) & (year <= 2200)
    months = np.where(is_real, (year - 1970) * 12 + month - 1, 0)
    first, following = (
        m.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64) for m in (months, months + 1)
    )
    return np.where(is_real & (day <= following - first), first + day - 1, UNKNOWN_NS)


# ---- Moments --------------------------------------------------------------------------------------------------------


def chained(*parts: Any) -> Any:
    """One array of several, and of lists."""
    return np.concatenate(parts)


def _moments(part: _Fields, order: str) -> _Ints:
    """ns since 1970, as if what has no zone was UTC."""
    days = _days(part, order)
    hour, minute, second = (part.number(name) for name in ("hour", "minute", "second"))
    is_real = (days != UNKNOWN_NS) & (hour < 24) & (minute < 60) & (second <= 60)
    if part.has("half"):
        is_real &= (hour >= 1) & (hour <= 12)
        hour = hour % 12 + (12 if part.found["half"].lower() == "p" else 0)
    seconds = (np.where(is_real, days, 0) * 24 + hour) * 3600 + minute * 60 + second
    if part.has("sign"):
        offset = part.number("zone_hour") * 3600 + part.number("zone_minute") * 60
        seconds -= -offset if part.found["sign"] == "-" else offset
    decimals = len(part.found["part"] or "")
    return np.where(is_real, seconds * NS_PER_S + part.number("part") * 10 ** (9 - decimals), UNKNOWN_NS)


def _offset_ns(start_ns: int, zone: ZoneInfo | None, fold: int) -> int:
    """What a clock of the zone is ahead of UTC when it shows this."""
    shown = datetime.datetime(1970, 1, 1) + datetime.timedelta(microseconds=start_ns // 1000)
    moment = shown.replace(tzinfo=zone, fold=fold).timestamp() if zone else shown.replace(fold=fold).timestamp()
    return start_ns - round(moment) * NS_PER_S


def _to_utc(shown: _Ints, zone: ZoneInfo | None) -> _Ints:
    """Moments of what a clock of the zone (None: this machine's) showed, in that order. Of an hour that comes twice the times count as those of the
    second one from where they go back."""
    halves, at = np.unique(shown // _HALF_HOUR_NS, return_inverse=True)
    offsets = np.array([[_offset_ns(int(half) * _HALF_HOUR_NS, zone, fold) for fold in (0, 1)] for half in halves])
    offset = offsets.reshape(-1, 2)[at.ravel()]
    is_double = offset[:, 0] > offset[:, 1]
    went_back = np.diff(shown, prepend=shown[:1]) < 0
    # Since the beginning of the stretch of such times.
    starts = np.flatnonzero(is_double & ~chained([False], is_double[:-1]))
    stretch = np.searchsorted(starts, np.arange(len(shown)), side="right") - 1
    backs = np.cumsum(went_back)
    is_second = is_double & (stretch >= 0) & (backs > backs[starts[stretch]] if len(starts) else False)
    return np.asarray(shown - np.where(is_second, offset[:, 1], offset[:, 0]))


def parse_dates(texts: Sequence[Any], zone: ZoneInfo | None = ZoneInfo("UTC")) -> Dates:
    """Reads all dates of a file: such as 2026-03-01T18:30:00Z, 01.03.2026 18:30, 3/1/2026 6:30 PM or 01/Mar/2026:18:30:00 +0100.

    Args:
        texts: parts of the file, arrays of bytes.
        zone: that of times without one; None: this machine's.
    """
    parts = [_by_shape(text.astype(f"S{min(text.dtype.itemsize, _WIDEST)}")) for text in texts]
    count = Counter[str]()
    for part in (part for each in parts for part in each):
        count[part.kind()] += len(part.rows)
    kind = count.most_common(1)[0][0] if count else "ymd"
    parts = [[part for part in each if part.kind() == kind] for each in parts]
    flat = [part for each in parts for part in each]
    order = _order(flat) if flat else kind
    lengths = [len(text) for text in texts]
    ns, is_unzoned = np.full(sum(lengths), UNKNOWN_NS, np.int64), np.zeros(sum(lengths), np.bool_)
    if order is None:
        return Dates(ns, is_unzoned, [])
    for before, each in zip(np.cumsum([0, *lengths]), parts):
        for part in each:
            moments = _moments(part, order)
            ns[before + part.rows] = moments
            is_unzoned[before + part.rows] = (moments != UNKNOWN_NS) & (not part.has("zone"))
    if is_unzoned.any() and str(zone) != "UTC":
        ns[is_unzoned] = _to_utc(ns[is_unzoned], zone)
    is_assumed = order == "mdy" and not any((part.number("b") > 12).any() for part in flat)
    return Dates(ns, is_unzoned, ["dates taken as month, day and year"] if is_assumed else [])
