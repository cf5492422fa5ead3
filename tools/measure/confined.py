# SPDX-License-Identifier: MIT
"""Tests of a build, each in PID and mount namespaces of its own: what they start ends with them, and may signal whomever it likes. And processes side by
side, for each of which a folder is its own: what one of them writes there nobody else sees."""

import ctypes
import json
import multiprocessing
import os
import re
import signal
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from subprocess import DEVNULL
from typing import Any, TypeVar

from measure.process import ENDING, Words, interrupt, kill_session, output_of, start, wait_until
from measure.text import refuse

T = TypeVar("T")
A = TypeVar("A")
SKIPPED = 77
# What tests call their control groups.
GROUPS = re.compile(r"/(test-|([^/]*\.)?sst-test-)")
# The namespaces die with their first process, whatever else ends. What tests share with each other, such as control groups, they name by
# their process, whose number is another one each time.
SPACES = (
    "mount --make-rprivate / && mount -t proc proc /proc && mount -t tmpfs tmpfs /dev/shm && mount -t tmpfs tmpfs /run"
    ' && { shuf -i 1000-30000 -n 1 >/proc/sys/kernel/ns_last_pid || :; } 2>/dev/null && "$@"; exit $?'
)
THAWED = {"freezer.state": "THAWED", "cgroup.freeze": "0"}
# Layers over a folder, which are made in another one.
OVERLAY = (
    'mkdir "$1/upper" "$1/work" && mount --make-rprivate / &&'
    ' mount -t overlay overlay -o "lowerdir=$0,upperdir=$1/upper,workdir=$1/work" "$0"'
)


def confined(words: Words, limit_s: float, env: Mapping[str, str] = {}, folder: Path = Path("/"),
             enough: threading.Event | None = None) -> int | None:  # fmt: skip
    """Its status; None when it took too long, or there was enough."""
    # Who is started by nohup ignores SIGHUP, and so would all that he starts.
    spaces = ["env", "--default-signal", *"unshare --pid --fork --kill-child=KILL --mount sh -c".split(), SPACES, "sh"]
    process = start([*spaces, *words], stdout=DEVNULL, stderr=DEVNULL, cwd=folder, env={**os.environ, **env},
                    session=True, bind="KILL")  # fmt: skip
    try:
        wait_until(lambda: process.poll() is not None or bool(enough and enough.is_set()), limit_s, 0.02)
        return process.poll()
    finally:
        if process.poll() is None:
            # The first process of the namespace goes with unshare, and all others with it.
            kill_session(process)


@dataclass(frozen=True)
class Test:
    name: str
    command: list[str]
    env: dict[str, str]
    folder: Path
    target: str  # what is built for it; none for a script

    @property
    def is_script(self) -> bool:
        return not self.target

    def passes(self, limit_s: float, enough: threading.Event | None = None, env: Mapping[str, str] = {}) -> bool | None:
        """True also for one that leaves something out; None when it took too long, or there was enough."""
        status = confined(self.command, limit_s, {**self.env, **env}, self.folder, enough)
        return None if status is None else status in (0, SKIPPED)


def tests_built(tree: Path, build: Path, jobs: int, kind: str) -> dict[str, Test]:
    """The tests of a tree, which is built for that in this way."""
    configure: Words = ["cmake", "-S", tree, "-B", build, "-G", "Ninja", "-DBUILD_TESTING=ON", *kind.split()]
    for words in (configure, ["ninja", "-C", build, "-j", jobs]):
        refuse(confined(words, 7200) != 0, f"this fails: {' '.join(map(str, words))}")
    made = {}
    for entry in json.loads(output_of(["ctest", "--test-dir", build, "--show-only=json-v1"]))["tests"]:
        of = {of["name"]: of["value"] for of in entry["properties"]}
        if not of.get("DISABLED"):
            program, folder = Path(entry["command"][0]), Path(of.get("WORKING_DIRECTORY", build))
            env = dict(word.split("=", 1) for word in of.get("ENVIRONMENT", []))
            target = program.name if program.is_relative_to(build) else ""
            made[entry["name"]] = Test(entry["name"], entry["command"], env, folder, target)
    return made


def sweep_groups(root: Path = Path("/sys/fs/cgroup")) -> int:
    """Removes the control groups that tests left which were killed; those that a process is in stay. Returns how many went."""
    gone = 0
    for name, _, files in os.walk(root, topdown=False):
        if GROUPS.search(name, len(str(root))):
            # What is frozen in one of them can't die.
            for file in {*files} & {*THAWED}:
                with suppress(OSError):
                    Path(name, file).write_text(THAWED[file])
            with suppress(OSError):
                os.rmdir(name)
                gone += 1
    return gone


# What a worker does, its folder, and where layers of it are made.
_work: tuple[Callable[[Any], Any], Path, str]


def _begin(do: Callable[[Any], Any], folder: Path, layers: str) -> None:
    global _work
    _work = do, folder, layers
    for number in ENDING:
        signal.signal(number, interrupt)


def _run(one: Any) -> Any:
    do, folder, layers = _work
    _own(folder, layers)
    return do(one)


@cache
def _own(folder: Path, layers: str) -> None:
    # CLONE_NEWNS of <sched.h>; os.unshare is of Python 3.12.
    refuse(ctypes.CDLL(None).unshare(0x00020000) != 0, "a worker can't have mounts of its own")
    output_of(["sh", "-c", OVERLAY, folder, tempfile.mkdtemp(dir=layers)], "a worker can't have a copy of its own")


@contextmanager
def side_by_side(number: int, folder: Path, do: Callable[[A], T], of: Iterable[A]) -> Iterator[Iterator[T]]:
    """What `do` makes of each, in order, so many at a time. One alone is this process, on the folder itself. What has not ended in the end is given up."""
    if number == 1:
        yield map(do, of)
        return
    with (
        tempfile.TemporaryDirectory(dir=folder.parent, ignore_cleanup_errors=True) as layers,
        multiprocessing.get_context("fork").Pool(number, _begin, (do, folder, layers)) as pool,
    ):
        yield pool.imap(_run, of)
