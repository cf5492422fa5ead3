# SPDX-License-Identifier: MIT
"""ssimport: makes a trace of what other programs recorded. See ssimport(1)."""
from __future__ import annotations

import argparse
import contextlib
import ctypes
import os
import re
import signal
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from .._errors import InputError
from .._units import format_time, parse_real, parse_time
from .._words import FORMATS, STAMPS, UNITS
from .command_line import Information, parse_options, refuse_options
from .complete import of_options
from .options import FILE, Value, choice, read_options
from .output import check_files, whole

if TYPE_CHECKING:  # it imports pandas
    from ..history import Recording

__all__ = ["execute", "main"]


def _delimiter(text: str) -> str:
    text = "\t" if text in ("tab", "\\t") else text
    if len(text) != 1 or text in '"\r\n':
        raise ValueError
    return text


_VALUES = {
    "output": FILE,
    "from": choice(*FORMATS),
    "step": Value(parse_time, "a time from 1ms to 73 years, such as 5min", lambda ns: 10**6 <= ns <= 2**63 // 4),
    "unit": choice(*UNITS),
    "stamp": choice(*STAMPS),
    "delimiter": Value(_delimiter, "one character, or tab"),
    "capacity": Value(parse_real, "a number above 0", lambda number: number > 0),
}
_OPTIONS = f"""
-o --output FILE | write to FILE instead of standard output
--from FORMAT | which program recorded it: {', '.join(FORMATS)} (found, but for csv)
--machines | list the machines in the files instead of making a trace
--machine NAME | of several machines take this one
--mean-of NAMES | take the mean of these machines, with commas between them, or of all
--step TIME | average machines over intervals so long
--cpu N | take one processor of the machine
--column NAME | the load is in this column, a name or a number from 1
--load NAME | another name of --column
--time NAME | the time is in this column
--zone NAME | the zone of times without one, such as Europe/Berlin (UTC)
--unit UNIT | of the load: fraction or percent (found)
--stamp WHERE | where in its interval a sample's time stands: start or end
--delimiter CHARACTER | between columns (found)
--capacity NUMBER | google: of a machine, by which its usage is divided
--smooth | straight lines instead of steps, with the same means
--strict | refuse what would be left out, cut or filled
-h --help | print this
-V --version | print the version
"""
OPTIONS = read_options(_OPTIONS, _VALUES, {"from": "format", "step": "step_ns", "load": "column"})
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # malloc.h
_USAGE = "ssimport [OPTION]... FILE..."
_DESCRIPTION = """Makes a trace, as text, of the load that other programs recorded. Without FILE, or with -, reads
standard input."""


def _settings(arguments: Sequence[str]) -> argparse.Namespace:
    end = arguments.index("--") if "--" in arguments else len(arguments)
    settings = argparse.Namespace()
    words = parse_options(list(arguments[:end]), settings, OPTIONS, _USAGE, _DESCRIPTION)
    refuse_options(words, OPTIONS, "ssimport")
    settings.files = [*words, *arguments[end + 1 :]] or ["-"]
    for option in ("machine", "mean_of", "step_ns", "smooth"):
        if settings.machines and getattr(settings, option):
            name = option.removesuffix("_ns").replace("_", "-")
            raise InputError(f"found --machines, which makes no trace, and --{name}")
    if settings.files.count("-") > 1:
        raise InputError(f"found '-' {settings.files.count('-')} times, expected standard input once")
    check_files(settings.files, [settings.output or "-"])
    return settings


def _say(text: str) -> None:
    """What a message quotes must not break its line or steer the terminal."""
    print("ssimport: " + re.sub("[\x00-\x1f\x7f]", "?", text), file=sys.stderr)


def _read(settings: argparse.Namespace) -> Recording:
    from ..history import read_recordings
    from ..recordings.source import Rules

    given = {name: value for name, value in vars(settings).items() if value is not None}
    rules = Rules(**{name: given[name] for name in Rules.__dataclass_fields__ if name in given})
    return read_recordings(settings.files, rules)


def _pieces(recording: Recording, is_smooth: bool) -> Iterator[str]:
    """The text of the trace, or of the list of machines."""
    from ..history import trace_text

    if recording.stretches:
        yield from trace_text(recording.stretches, is_smooth)
    if recording.machines is not None:
        yield "machine,samples,span,mean,maximum\n"
        for name, samples, span_s, mean, most in recording.machines.itertuples(index=False):
            shown = "".join(letter if letter.isprintable() and letter not in ", " else "?" for letter in name)
            numbers = ("" if number != number else f"{number:.6g}" for number in (mean, most))
            yield ",".join([shown, str(samples), format_time(round(span_s * 1e9)), *numbers]) + "\n"


def _write(pieces: Iterable[str], output: str) -> None:
    with whole(output):
        if output == "-":
            sys.stdout.buffer.writelines(piece.encode() for piece in pieces)
            sys.stdout.buffer.flush()
        else:
            with open(output, "wb") as file:
                file.writelines(piece.encode() for piece in pieces)


def execute(arguments: Sequence[str]) -> int:
    """Runs the command line. Returns the exit status."""
    try:
        if len(arguments) > 1 and arguments[0] == "--complete":
            _write((f"{word}\n" for word in of_options(OPTIONS, arguments[1:])), "-")
            return 0
        try:
            settings = _settings(arguments)
        except Information as text:
            _write([f"{text}\n"], "-")
            return 0
        recording = _read(settings)
        _write(_pieces(recording, settings.smooth), settings.output or "-")
        first = settings.files[0]
        _say(f"{'standard input' if first == '-' else first}: {recording.summary}")
    except (InputError, MemoryError) as error:
        _say(str(error) or "Cannot allocate memory")
        return 125
    return 0


def _keep_memory() -> None:
    """Large arrays come and go. glibc gives each back to the kernel at once, and then a quarter of the time is spent on page faults."""
    with contextlib.suppress(AttributeError):  # another C library
        set_option = ctypes.CDLL(None).mallopt
        set_option(_M_MMAP_THRESHOLD, 1 << 30)
        set_option(_M_TRIM_THRESHOLD, 1 << 28)


def main() -> None:
    """Runs the command line of this process, and ends it. Signals end it as they end any program."""
    _keep_memory()
    for number in (signal.SIGINT, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)
    if sys.stdout is None:  # closed, and so can't be written to
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w")
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")
    status = execute(sys.argv[1:])
    with contextlib.suppress(OSError):
        sys.stderr.flush()
    os._exit(status)  # what couldn't be written has been told already
