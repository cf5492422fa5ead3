# SPDX-License-Identifier: MIT
"""ssimport: makes a trace of what other programs recorded. See ssimport(1)."""
from __future__ import annotations

import argparse
import contextlib
import difflib
import os
import re
import signal
import sys
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

from .._errors import InputError
from .._units import format_time, parse_real, parse_time
from .command_line import Help, Information, version
from .options import Value, choice

__all__ = ["execute", "main"]

_FORMATS = "cpuload log sadf mpstat sar prometheus collectd alibaba azure google bitbrains csv".split()


def _delimiter(text: str) -> str:
    text = "\t" if text in ("tab", "\\t") else text
    if len(text) != 1 or text in '"\r\n':
        raise ValueError
    return text


_TEXT = Value(str, "a name", bool)
_YEARS = Value(parse_time, "a time from 1ms to 73 years, such as 5min", lambda ns: 10**6 <= ns <= 2**63 // 4)
_OPTIONS: list[tuple[str, str | None, Any, str]] = [
    ("-o --output", "FILE", _TEXT, "write to FILE instead of standard output"),
    ("--from", "FORMAT", choice(*_FORMATS), f"which program recorded it: {', '.join(_FORMATS)} (found, but for csv)"),
    ("--machines", None, None, "list the machines in the files instead of making a trace"),
    ("--machine", "NAME", _TEXT, "of several machines take this one"),
    ("--mean-of", "NAMES", _TEXT, "take the mean of these machines, with commas between them, or of all"),
    ("--step", "TIME", _YEARS, "average machines over intervals so long"),
    ("--cpu", "N", _TEXT, "take one processor of the machine"),
    ("--column", "NAME", _TEXT, "the load is in this column, a name or a number from 1"),
    ("--load", "NAME", _TEXT, "another name of --column"),
    ("--time", "NAME", _TEXT, "the time is in this column"),
    ("--zone", "NAME", _TEXT, "the zone of times without one, such as Europe/Berlin (UTC)"),
    ("--unit", "UNIT", choice("found", "fraction", "percent"), "of the load: fraction or percent (found)"),
    ("--stamp", "WHERE", choice("found", "start", "end"), "where in its interval a sample's time stands: start or end"),
    ("--delimiter", "CHARACTER", Value(_delimiter, "one character, or tab"), "between columns (found)"),
    ("--capacity", "NUMBER", Value(parse_real, "a number above 0", lambda it: it > 0), "google: of a machine, by which its usage is divided"),
    ("--smooth", None, None, "straight lines instead of steps, with the same means"),
    ("--strict", None, None, "refuse what would be left out, cut or filled"),
    ("-h --help", None, None, "print this"),
    ("-V --version", None, None, "print the version"),
]  # fmt: skip


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        usage="ssimport [OPTION]... FILE...",
        description="Makes a trace, as text, of the load that other programs recorded. Without FILE, or with -, reads standard input.",
        formatter_class=lambda prog: Help(prog, max_help_position=33),
        add_help=False,
        allow_abbrev=False,
        exit_on_error=False,
    )
    group = parser.add_argument_group("Options")
    for names, argument, value, text in _OPTIONS:
        name = names.split()[-1].strip("-").replace("-", "_")
        more: dict[str, Any] = {"help": text.replace("%", "%%"), "dest": "column" if name == "load" else name}
        if argument is None:
            group.add_argument(*names.split(), action="store_true", **more)
        else:
            group.add_argument(*names.split(), type=value, metavar=argument, **more)
    return parser


def answers(words: Sequence[str]) -> Iterator[str]:
    """A line for each candidate for the last of these words, as shells ask for them."""
    *before, last = words
    if "--" in before:
        yield ":file\t"
        return
    for names, argument, value, text in _OPTIONS:
        for name in names.split():
            is_joined = name.startswith("--") and last.startswith(f"{name}=")
            if argument and (is_joined or before[-1:] == [name]):
                begin = f"{name}=" if is_joined else ""
                if argument == "FILE":
                    yield f":file\t{begin}"
                yield from (f"{begin}{word}\t" for word in value.choices)
                return
    if last.startswith("-"):
        yield from (f"{name}\t{text}" for names, _, _, text in _OPTIONS for name in names.split())
    else:
        yield ":file\t"


def _settings(arguments: Sequence[str]) -> argparse.Namespace:
    parser = _parser()
    end = arguments.index("--") if "--" in arguments else len(arguments)
    try:
        settings, words = parser.parse_known_args(list(arguments[:end]))
    except argparse.ArgumentError as error:
        raise InputError(f"{(error.argument_name or 'option').split('/')[0]}: {error.message}") from None
    if settings.help:
        raise Information(parser.format_help().rstrip())
    if settings.version:
        raise Information(f"ssimport {version()}")
    for word in words:
        if word.startswith("-") and word != "-":
            name = word.partition("=")[0]
            near = difflib.get_close_matches(name, [each for names, *_ in _OPTIONS for each in names.split()], 1)
            raise InputError(
                f"unknown option '{name}'{f': did you mean {near[0]}?' if near else ''} (see ssimport --help)"
            )
    settings.files = [*words, *arguments[end + 1 :]] or ["-"]
    if settings.machine and settings.mean_of:
        raise InputError("found --machine and --mean-of, expected one of them")
    of_a_trace = {"--machine": settings.machine, "--mean-of": settings.mean_of, "--step": settings.step, "--smooth": settings.smooth}  # fmt: skip
    for option, value in of_a_trace.items():
        if settings.machines and value:
            raise InputError(f"found --machines, which makes no trace, and {option}")
    if settings.files.count("-") > 1:
        raise InputError(f"found '-' {settings.files.count('-')} times, expected standard input once")
    output = settings.output or "-"
    if output != "-" and any(os.path.exists(file) and os.path.exists(output) and os.path.samefile(file, output) for file in settings.files):  # fmt: skip
        raise InputError(f"--output: {output} is one of the files to read: expected another file")
    return settings


def _say(text: str) -> None:
    """What a message quotes must not break its line or steer the terminal."""
    print("ssimport: " + re.sub("[\x00-\x1f\x7f]", "?", text), file=sys.stderr)


def _write(settings: argparse.Namespace, to: BinaryIO) -> None:
    from ..history import read_recordings, trace_text
    from ..recordings.source import Rules

    names = "machine mean_of machines column time cpu unit stamp zone delimiter capacity strict".split()
    given = {name: value for name in names if (value := getattr(settings, name)) is not None}
    recording = read_recordings(settings.files, Rules(format=getattr(settings, "from"), step_ns=settings.step, **given))
    if recording.stretches:
        for piece in trace_text(recording.stretches, settings.smooth):
            to.write(piece.encode())
    if recording.machines is not None:
        to.write(b"machine,samples,span,mean,maximum\n")
        for name, samples, span_s, mean, most in recording.machines.itertuples(index=False):
            shown = "".join(letter if letter.isprintable() and letter not in ", " else "?" for letter in name)
            numbers = ("" if number != number else f"{number:.6g}" for number in (mean, most))
            to.write(",".join([shown, str(samples), format_time(round(span_s * 1e9)), *numbers]).encode() + b"\n")
    to.flush()
    first = settings.files[0]
    _say(f"{'standard input' if first == '-' else first}: {recording.summary}")


def execute(arguments: Sequence[str]) -> int:
    """Runs the command line. Returns the exit status."""
    if len(arguments) > 1 and arguments[0] == "--complete":
        print("\n".join(answers(arguments[1:])), flush=True)
        return 0
    output = "-"
    try:
        try:
            settings = _settings(arguments)
        except Information as text:
            print(text, flush=True)
            return 0
        output = settings.output or "-"
        if output == "-":
            _write(settings, sys.stdout.buffer)
            return 0
        with open(output, "wb") as file:
            try:
                _write(settings, file)
            except BaseException:
                file.truncate(0)  # half a file is worse than none
                raise
    except (InputError, MemoryError) as error:
        _say(str(error) or "Cannot allocate memory")
        return 125
    except OSError as error:
        name = "standard output" if output == "-" else output
        _say(f"can't write {name}: {os.strerror(error.errno or 0)}")
        return 125
    return 0


def main() -> None:
    """Runs the command line of this process, and ends it. Signals end it as they end any program."""
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
