# SPDX-License-Identifier: MIT
"""The notations of times, loads and numbers on command lines and in traces (showstopper(1), NOTATION)."""
from __future__ import annotations

import math
import re

__all__ = ["parse_time", "parse_load", "parse_real", "format_time"]

NS_PER_S = 10**9
NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\Z")
_UNITS = {
    "d": 86400 * NS_PER_S,
    "h": 3600 * NS_PER_S,
    "min": 60 * NS_PER_S,
    "s": NS_PER_S,
    "ms": 10**6,
    "us": 10**3,
}
_UNITS |= {"ns": 1, "M": 60 * NS_PER_S, "m": 10**6, "u": 10**3, "n": 1}
_DECIMAL = r"([0-9]+\.?[0-9]*|\.[0-9]+)"
_PART = re.compile(_DECIMAL + "(min|[num]s|[numsMhd])")
_LOAD = re.compile(rf"({_DECIMAL}(?:[eE][+-]?[0-9]+)?)(?:/{_DECIMAL}|(%))?\Z")
_PRINTED = ("d", "h", "min", "s", "ms", "us", "ns")
_NS_MOST = 2**63 - 1
_LONG_NUMBER = 100_000


def _scaled(number: str, unit_ns: int) -> int:
    whole, _, part = number.partition(".")
    part = part[:18]
    ns = int(whole or "0") * unit_ns
    scale: int = 10 ** len(part)
    return ns + (int(part or "0") * unit_ns * 2 + scale) // (2 * scale)


def parse_time(text: str) -> int:
    """Nanoseconds of a time such as 107ms, 0.5s, 1min30s or 2, which is two seconds.

    Raises:
        OverflowError: it is longer than 292 years.
        ValueError: it is malformed.
    """
    if re.fullmatch(_DECIMAL, text):
        total = _scaled(text, NS_PER_S)
    else:
        at, total = 0, 0
        while at < len(text) or not text:
            found = _PART.match(text, at)
            if not found:
                raise ValueError("malformed time")
            total += _scaled(found[1], _UNITS[found[2]])
            at = found.end()
    if total > _NS_MOST:
        raise OverflowError("time out of range")
    return total


def parse_load(text: str) -> float:
    """A share from 0 to 1 of a text such as 1/3, 0.25 or 25%.

    Raises:
        OverflowError: it is another number.
        ValueError: it is malformed.
    """
    found = _LOAD.match(text)
    if not found:
        raise ValueError("malformed load")
    load = float(found[1])
    if found[3]:
        divisor = float(found[3])
        load = load / divisor if divisor else math.inf
    elif found[4]:
        load /= 100
    if not 0 <= load <= 1:
        raise OverflowError("load out of range")
    return load


def parse_real(text: str) -> float:
    """A decimal number, perhaps with an exponent.

    Raises:
        ValueError: it is malformed, or infinite.
    """
    if not NUMBER.match(text) or not math.isfinite(float(text)):
        raise ValueError("malformed number")
    return float(text)


def format_time(ns: int) -> str:
    """The exact time in the largest unit that is one, or with decimals (59.583333334s)."""
    place = next((i for i, unit in enumerate(_PRINTED) if ns % _UNITS[unit] == 0), 6) if ns else _PRINTED.index("s")
    if ns // _UNITS[_PRINTED[place]] < _LONG_NUMBER or place <= _PRINTED.index("s"):
        return f"{ns // _UNITS[_PRINTED[place]]}{_PRINTED[place]}"
    while place > _PRINTED.index("s") and ns >= _UNITS[_PRINTED[place - 1]]:
        place -= 1
    unit = _UNITS[_PRINTED[place]]
    return f"{ns // unit}.{ns % unit * NS_PER_S // unit:09d}".rstrip("0") + _PRINTED[place]
