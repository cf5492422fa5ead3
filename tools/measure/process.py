# SPDX-License-Identifier: MIT
"""Processes that a program starts, which end with it, and the signals that end it."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from pathlib import Path
from types import FrameType
from typing import IO, NoReturn

from measure.text import Trouble
from showstopper import InputError

Words = Sequence[object]
File = IO[bytes] | IO[str] | int | None


class Interrupted(SystemExit):
    """A signal asks to end: status 130 for Ctrl-C, else 143."""

    def __init__(self, number: int) -> None:
        self.status = 130 if number == signal.SIGINT else 143
        super().__init__(self.status)
        self.hangup = number == signal.SIGHUP


ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def interrupt(number: int, _frame: FrameType | None) -> NoReturn:
    # What cleans up is not disturbed.
    for other in ENDING:
        signal.signal(other, signal.SIG_IGN)
    raise Interrupted(number)


def run_program(name: str, main: Callable[[list[str]], int | None]) -> NoReturn:
    """Ends with its status, 125 after trouble, and as signals say. Warnings of libraries are none of the user's business."""
    warnings.simplefilter("ignore")
    for number in ENDING:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, interrupt)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(line_buffering=True, encoding="utf-8")
    try:
        sys.exit(main(sys.argv[1:]) or 0)
    except (Trouble, InputError, OSError) as trouble:
        print(f"{name}: {trouble}", file=sys.stderr)
        sys.exit(125)


def start(words: Words, *, stdout: File = None, stderr: File = None, cwd: Path | None = None,
          env: dict[str, str] | None = None, session: bool = False, bind: str = "TERM") -> subprocess.Popen[str]:  # fmt: skip
    """A command that gets the signal `bind` when this process ends, however that comes about; where it has ended before the command asked for that, it isn't
    begun."""
    begin = ["sh", "-c", '[ "$PPID" = "$0" ] && exec "$@"', str(os.getpid())]
    bound = ["setpriv", "--pdeathsig", bind, *begin, *map(str, words)]
    try:
        return subprocess.Popen(bound, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr, cwd=cwd, env=env,
                                start_new_session=session, text=True)  # fmt: skip
    except OSError as error:
        raise Trouble(f"can't start {words[0]}: {error.strerror}") from error


@contextmanager
def running(words: Words, *, stdout: File = None, stderr: File = None, cwd: Path | None = None,
            patience: float = 20) -> Iterator[subprocess.Popen[str]]:  # fmt: skip
    """A command that is ended with what is done meanwhile."""
    process = start(words, stdout=stdout, stderr=stderr, cwd=cwd)
    try:
        yield process
    finally:
        end(process, patience)


def status_of(process: subprocess.Popen[str]) -> int:
    """As a shell tells it: 128 and the signal."""
    code = process.wait()
    return 128 - code if code < 0 else code


def end(process: subprocess.Popen[str] | None, patience: float = 20) -> None:
    """TERM, and KILL for what doesn't listen."""
    if process is None or process.poll() is not None:
        return
    process.terminate()
    try:
        process.wait(patience)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def output_of(words: Words, what: str = "", env: dict[str, str] | None = None) -> str:
    """What a command prints; it is trouble when it fails."""
    result = attempt(words, env)
    if result.returncode != 0:
        said = last_line(result.stderr, f"status {result.returncode}")
        raise Trouble(f"{what or Path(str(words[0])).name + ' failed'}: {said}")
    return result.stdout


def last_line(said: str, otherwise: str) -> str:
    """Why a program failed. Before that it may have said what it left out."""
    return (said.strip().splitlines() or [otherwise])[-1]


def attempt(words: Words, env: dict[str, str] | None = None, session: bool = False) -> subprocess.CompletedProcess[str]:
    """A command with what it prints and how it ends. With a session of its own, what it has begun beside itself ends with it when this is interrupted."""
    process = start(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, session=session)
    try:
        out, err = process.communicate()
    except BaseException:
        end_session(process) if session else end(process)
        raise
    return subprocess.CompletedProcess([str(word) for word in words], process.returncode, out, err)


def call(words: Words, env: dict[str, str] | None = None) -> int:
    """The status of a command that may print. What it has begun ends with it when this is interrupted."""
    process = start(words, env=env, session=True)
    try:
        return status_of(process)
    except BaseException:
        end_session(process)
        raise


def has_program(name: str) -> bool:
    return shutil.which(name) is not None


# ---- Other processes --------------------------------------------------------------------------------------------------------------


def stat_of(number: int) -> list[str]:
    """The kernel's words of it, from its state on; none where there is none of that number."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(") ")[2].split()
    except OSError:
        return []


def state_of(number: int) -> str:
    return "".join(stat_of(number)[:1])


def is_over(number: int) -> bool:
    return state_of(number) in ("", "Z", "X")


def tell(number: int, what: int) -> None:
    """One process; not a group, as 0 and what is below it would be, nor the first of all."""
    if number > 1:
        with suppress(ProcessLookupError):
            os.kill(number, what)


def in_session(leader: subprocess.Popen[str]) -> list[int]:
    """All of its session that isn't over."""
    found = (int(entry.name) for entry in Path("/proc").glob("[0-9]*"))
    return [one for one in found if stat_of(one)[3:4] == [str(leader.pid)] and not is_over(one)]


def kill_session(leader: subprocess.Popen[str]) -> None:
    """Also what is stopped."""
    for one in in_session(leader):
        tell(one, signal.SIGKILL)
    leader.wait()


def end_session(leader: subprocess.Popen[str]) -> None:
    """TERM to all of it, and KILL for what doesn't listen."""
    for one in in_session(leader):
        tell(one, signal.SIGTERM)
    wait_until(lambda: leader.poll() is not None and not in_session(leader), 20)
    kill_session(leader)


def wait_until(true: Callable[[], bool], seconds: float, pause: float = 0.1) -> bool:
    until = time.monotonic() + seconds
    while not true():
        if time.monotonic() >= until:
            return False
        time.sleep(pause)
    return True


def allowed_processors() -> list[int]:
    return sorted(os.sched_getaffinity(0))


def processors_in(text: str) -> list[int]:
    """Of a list of the kernel's, such as 0-3,6."""
    found: list[int] = []
    for part in text.split(","):
        if match := re.fullmatch(r"\s*([0-9]+)(?:-([0-9]+))?\s*", part):
            found += range(int(match[1]), int(match[2] or match[1]) + 1)
    return found
