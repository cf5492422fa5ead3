# SPDX-License-Identifier: MIT
"""ssreport: tables and pictures from control logs and iteration records. See ssreport(1)."""
from __future__ import annotations

import contextlib
import importlib
import io
import logging
import os
import re
import signal
import sys
import warnings
from collections.abc import Sequence
from typing import NamedTuple

from .._errors import InputError, InputWarning
from .command_line import Information, parse
from .complete import answers
from .output import check_files, write

__all__ = ["Result", "main", "run"]

EXIT_TROUBLE = 125


class Result(NamedTuple):
    """What a call of ssreport comes to: its exit status, and what it prints to standard output and standard error."""

    status: int
    out: str
    error: str


def _message(message: object) -> str:
    """What a message quotes must not break its line or steer the terminal."""
    return "ssreport: " + re.sub("[\x00-\x1f\x7f]", "?", str(message)) + "\n"


def _execute(arguments: Sequence[str]) -> tuple[int, list[object]]:
    """The exit status, and the message about what was wrong."""
    if len(arguments) > 1 and arguments[0] == "--complete":
        print("\n".join(answers(arguments[1:])))
        return 0, []
    try:
        settings = parse(arguments)
        inputs = [file.path for file in [*settings.files, *settings.powers]]
        check_files([*inputs, settings.log or "-"], settings.outputs)
        module = importlib.import_module(f"{__package__}.of_{settings.subcommand.module}")
        write(getattr(module, f"report_{settings.subcommand.name}")(settings), settings)
    except Information as text:
        print(text)
    except (InputError, MemoryError) as error:
        return EXIT_TROUBLE, [str(error) or "Cannot allocate memory"]
    return 0, []


def run(argv: Sequence[str], *, stdin: bytes | str | None = b"") -> Result:
    """Runs the command line (the words behind `ssreport`) in this process.

    `stdin` is what the file `-` is, by default empty; None: the standard input of this process. Nothing but imported
    modules stays: no exit, no handler, no change of the environment.
    """
    given = stdin.encode("utf-8", "surrogateescape") if isinstance(stdin, str) else stdin
    if sys.stdin is None:  # closed
        given = given or b""
    before, out = sys.stdin, io.StringIO()
    try:
        if given is not None:
            sys.stdin = io.TextIOWrapper(io.BytesIO(given), "utf-8", "surrogateescape")
        with contextlib.redirect_stdout(out), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("ignore")  # those of libraries are none of the user's business
            warnings.simplefilter("always", InputWarning)
            status, trouble = _execute(argv)
    finally:
        sys.stdin = before
    return Result(status, out.getvalue(), "".join(map(_message, [warning.message for warning in caught] + trouble)))


def _print(descriptor: int, text: str) -> None:
    """Unbuffered, as what remained in a buffer would be complained about at the end."""
    content = memoryview(text.encode("utf-8", "surrogateescape"))
    while content:
        content = content[os.write(descriptor, content) :]


def main() -> None:
    """Runs the command line of this process, and ends it. Signals end it as they end any program."""
    for number in (signal.SIGINT, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # not that it makes a cache of fonts
    status, out, error = run(sys.argv[1:], stdin=None)
    try:
        _print(1, out)
    except OSError as trouble:
        status = EXIT_TROUBLE
        error += _message(f"can't write standard output: {os.strerror(trouble.errno or 0)}")
    with contextlib.suppress(OSError):
        _print(2, error)
    sys.exit(status)
