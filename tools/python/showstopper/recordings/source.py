# SPDX-License-Identifier: MIT
"""What readers of recordings share: files, perhaps compressed, what is wanted of them, and samples with what was wrong in them."""
from __future__ import annotations

import contextlib
import io
import lzma
import re
import sys
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO, NamedTuple
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from .._errors import InputError
from .._units import format_time
from .._words import FORMATS, STAMPS, UNITS

__all__ = ["Counts", "Headed", "Rules", "Samples", "Source", "bytes_of", "moments_of", "plural"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

NS_PER_S = 10**9
START_BYTES = 4096
_SECONDS_MOST = 1e11
_PIECE = 1 << 16
_TEXT_BYTES = 40
_MEMORY_MOST = 256 << 20
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Rules:
    """What is wanted of recordings; by default all as it is found. The names are those of the options of ssimport(1)."""

    format: str | None = None
    machine: str | None = None
    mean_of: str | None = None
    machines: bool = False
    column: str | None = None
    time: str | None = None
    cpu: str | None = None
    unit: str = "found"
    stamp: str = "found"
    zone: str | None = None
    delimiter: str | None = None
    capacity: float | None = None
    step_ns: int | None = None
    strict: bool = False

    def __post_init__(self) -> None:
        words = (("format", self.format, (None, *FORMATS)), ("unit", self.unit, UNITS), ("stamp", self.stamp, STAMPS))
        for name, word, choices in words:
            if word not in choices:
                raise InputError(f"{name}: found '{word}', expected {', '.join(filter(None, choices))}")
        if self.machine is not None and self.mean_of is not None:
            raise InputError("found --machine and --mean-of, expected one of them")

    def is_one_cpu(self) -> bool:
        return self.cpu is not None and self.cpu != "all"

    def zone_of_times(self) -> ZoneInfo:
        return ZoneInfo(self.zone or "UTC")


def plural(count: int, one: str, many: str | None = None) -> str:
    return f"{count} {one if count == 1 else many or f'{one}s'}"


@dataclass
class Counts:
    """What was not as it should be."""

    samples: int = 0
    loads: int = 0
    wrong: int = 0
    first_wrong: str = ""
    missing: int = 0
    unsorted: int = 0
    duplicates: int = 0
    overlaps: int = 0
    outside: int = 0
    resets: int = 0
    gaps: int = 0
    gaps_ns: int = 0
    unzoned: int = 0
    cut: list[str] = field(default_factory=list)
    # What could have been meant otherwise; it is no fault.
    assumed: list[str] = field(default_factory=list)

    def faults(self, zone: str) -> list[str]:
        found = [*self.cut]
        if self.wrong:
            found.append(f"{plural(self.wrong, 'line')} left out, the first is {self.first_wrong}")
        if self.missing:
            found.append(f"{plural(self.missing, 'sample')} without a load left out")
        for count, one, many in (
            (self.unsorted, "sample out of order, put in its place", "samples out of order, put in their place"),
            (self.duplicates, "sample left out for an earlier one of its time", "samples left out for earlier ones of their times"),
            (self.overlaps, "sample begins before the end of the one before and counts from there", "samples begin before the end of those before and count from there"),
            (self.outside, "load outside 0 to 1, cut", "loads outside 0 to 1, cut"),
            (self.resets, "reset of a counter, a gap", "resets of counters, gaps"),
        ):  # fmt: skip
            if count:
                found.append(plural(count, one, many))
        if self.gaps:
            many = f"{plural(self.gaps, 'gap', 'gaps in all')} of {format_time(self.gaps_ns)}"
            found.append(f"{many}, in which the load before holds")
        if self.unzoned:
            found.append(f"{plural(self.unzoned, 'time')} without a zone, taken as {zone}")
        return found


class Samples(NamedTuple):
    """Means of loads over intervals."""

    ns: Ints  # of their times, since 1970 or another beginning
    value: Floats  # NaN: it is known that there is none
    length_ns: Ints | int = 0  # of the interval; 0: up to the next sample, or since the one before
    weight: Floats | float = 1.0  # how many processors a part of a machine brings with it
    names: list[str] = [""]  # of machines
    code: NDArray[np.integer[Any]] | int = 0  # the number of the name


class _Unpacked(io.RawIOBase):
    """The text of compressed pieces, one behind the other."""

    def __init__(self, packed: BinaryIO, start: bytes, name: str) -> None:
        self._packed, self._name = packed, name
        self._kind = "gzip" if start[0] == 0x1F else "xz" if start[0] == 0xFD else "zstd"
        self._decoder: Any = None
        self._waiting = b""
        self._ready = b""

    def readable(self) -> bool:
        return True

    def _new(self) -> Any:
        if self._kind == "gzip":
            return zlib.decompressobj(wbits=31)
        if self._kind == "xz":
            return lzma.LZMADecompressor(memlimit=_MEMORY_MOST)
        try:
            import zstandard
        except ImportError:
            raise InputError(f"{self._name}: found zstd data, expected the Python package zstandard to read it (Debian: python3-zstandard)") from None  # fmt: skip
        return zstandard.ZstdDecompressor(max_window_size=_MEMORY_MOST).decompressobj()

    def _decode(self, piece: bytes) -> bytes:
        self._decoder = self._decoder or self._new()
        try:
            text: bytes = self._decoder.decompress(piece)
        except MemoryError:
            raise
        except Exception as error:  # zlib.error, lzma.LZMAError, zstandard.ZstdError
            if re.search("[Mm]emory", str(error)):
                raise InputError(
                    f"{self._name}: found data that take more than 256 MiB of memory to decompress"
                ) from None
            raise InputError(f"{self._name}: found damaged {self._kind} data ({error})") from None
        if self._decoder.eof:
            self._waiting, self._decoder = self._decoder.unused_data, None
        return text

    def readinto(self, buffer: Any) -> int:
        while not self._ready:
            piece, self._waiting = self._waiting or self._packed.read(_PIECE), b""
            if not piece and self._decoder:
                raise InputError(f"{self._name}: found the end of the file within compressed data: it is cut off")
            if not piece:
                return 0
            self._ready = self._decode(piece)
        count = min(len(buffer), len(self._ready))
        buffer[:count], self._ready = self._ready[:count], self._ready[count:]
        return count


class Headed(io.RawIOBase):
    """The rest of a file behind a line that says how many columns there are: its first row may have fewer fields, which pandas takes for all."""

    def __init__(self, text: BinaryIO, columns: int, delimiter: str) -> None:
        mark = delimiter if delimiter != " " else "\t"
        self._ready, self._text = f"{mark.join(map(str, range(columns)))}\n".encode(), text

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._ready = self._ready or self._text.read(len(buffer))
        count = min(len(buffer), len(self._ready))
        buffer[:count], self._ready = self._ready[:count], self._ready[count:]
        return count


class Source:
    """A file that is read: several times, when that is needed.

    Raises:
        InputError: it can't be read, or is empty.
    """

    def __init__(self, path: str, rules: Rules, counts: Counts, is_several: bool) -> None:
        self.path, self.rules, self.counts, self.is_several = path, rules, counts, is_several
        self.name = "standard input" if path == "-" else path
        self._content: bytes | None = None
        self._begin: int | None = None
        file = self._file()
        if file.seekable():
            self._begin = file.tell()
        else:
            self._content = file.read()
        file.close()
        self.start = self.open().read(START_BYTES)
        if not self.start:
            raise self.refuse("found nothing, expected a recording: it is empty")
        if self.start[:2] in (b"\xff\xfe", b"\xfe\xff"):
            raise self.refuse("found text in UTF-16, expected UTF-8 (iconv -f UTF-16 -t UTF-8)")

    def _file(self) -> BinaryIO:
        if self._content is not None:
            return io.BytesIO(self._content)
        file = open(0, "rb", closefd=False) if self.path == "-" else open(self.path, "rb")
        if self._begin is not None:  # standard input is opened once for all
            file.seek(self._begin)
        return file

    def open(self) -> io.BufferedReader:
        """From its beginning, without compression and a byte order mark."""
        packed = io.BufferedReader(self._file(), _PIECE)  # type: ignore[arg-type]
        start = packed.peek(6)
        is_packed = start.startswith((b"\x1f\x8b", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd"))
        text = io.BufferedReader(_Unpacked(packed, start, self.name), 1 << 20) if is_packed else packed
        if text.peek(3).startswith(_BOM):
            text.read(len(_BOM))
        return text

    def refuse(self, text: str, line: int | None = None) -> InputError:
        return InputError(f"{self.name}:{line}: {text}" if line else f"{self.name}: {text}")

    def leave_out(self, count: int, line: int, text: str) -> None:
        """Lines that can't be read, of which this is the first.

        Raises:
            InputError: that is not wanted.
        """
        if self.rules.strict:
            raise self.refuse(text, line)
        if not self.counts.wrong:
            where = f"line {line}" + (f" of {self.name}" if self.is_several else "")
            self.counts.first_wrong = f"{where}: {text}"
        self.counts.wrong += count

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Those that are not blank, with their numbers."""
        with self.open() as text:
            for number, line in enumerate(text, 1):
                if line.strip():
                    yield number, line


def bytes_of(column: Any) -> NDArray[np.bytes_]:
    """The texts of a column, in UTF-8, as far as they could be dates; what is none is no date."""
    texts = np.asarray(column, dtype=object)
    with contextlib.suppress(UnicodeEncodeError):
        return texts.astype(f"S{_TEXT_BYTES}")
    return np.array([text.encode("utf-8", "replace") if isinstance(text, str) else b"" for text in texts] or [b""])[
        : len(texts)
    ]


def moments_of(numbers: Floats) -> Ints:
    """ns of a file's times in numbers: seconds, unless their size says milli-, micro- or nanoseconds."""
    largest = np.max(np.abs(numbers), initial=0, where=np.isfinite(numbers))
    unit = 1.0 if largest < _SECONDS_MOST else 1e-3 if largest < 1e14 else 1e-6 if largest < 1e17 else 1e-9
    return seconds_to_ns(numbers * unit)


def seconds_to_ns(seconds: Floats) -> Ints:
    """Rounded to the digits that a double of this size has."""
    good = np.isfinite(seconds) & (np.abs(seconds) < 9e9)
    known = np.where(good, seconds, 0.0)
    ns = np.where(np.abs(known) >= 1e8, np.rint(known * 1e6) * 1e3, np.rint(known * 1e9)).astype(np.int64)
    return np.where(good, ns, -(2**63))
