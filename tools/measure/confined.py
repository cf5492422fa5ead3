# SPDX-License-Identifier: MIT
"""Tests of a build, each in PID and mount namespaces of its own: what they start ends with them, and may signal whomever it likes."""

import fnmatch
import json
import os
import re
import signal
import subprocess
import threading
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from measure.process import output_of

SKIPPED = 77
# What tests call their control groups.
GROUPS = ("test-*", "sst-test-*", "*.sst-test-*")
# The namespaces die with their first process, whatever else ends. What tests share with each other, such as control groups, they name by
# their process, whose number is another one each time.
SPACES = (
    "mount --make-rprivate / && mount -t proc proc /proc && mount -t tmpfs tmpfs /dev/shm && mount -t tmpfs tmpfs /run"
    ' && { shuf -i 1000-30000 -n 1 >/proc/sys/kernel/ns_last_pid || :; } 2>/dev/null && "$@"; exit $?'
)


def confined(words: Iterable[object], limit_s: float, env: Mapping[str, str] = {}, folder: str = "/",
             enough: threading.Event | None = None) -> int | None:  # fmt: skip
    """Its status; None when it took too long, or there was enough."""
    who = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    # Who is started by nohup ignores SIGHUP, and so would all that he starts.
    unshare = ["unshare", *who, *"--pid --fork --kill-child=KILL --mount sh -c".split(), SPACES, "sh"]
    process = subprocess.Popen(
        ["env", "--default-signal", *unshare, *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, env={**os.environ, **env}, cwd=folder, start_new_session=True)  # fmt: skip
    deadline = time.monotonic() + limit_s
    try:
        while time.monotonic() < deadline and not (enough and enough.is_set()):
            try:
                return process.wait(min(0.2, limit_s))
            except subprocess.TimeoutExpired:
                pass
        return None
    finally:
        if process.poll() is None:
            # The first process of the namespace goes with unshare, and all others with it.
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@dataclass(frozen=True)
class Test:
    name: str
    command: list[str]
    env: dict[str, str]
    folder: str
    target: str  # what is built for it; none for a script

    @property
    def is_script(self) -> bool:
        return not self.target

    def passes(self, limit_s: float, enough: threading.Event | None = None, env: Mapping[str, str] = {}) -> bool | None:
        """True also for one that leaves something out; None when it took too long, or there was enough."""
        status = confined(self.command, limit_s, {**self.env, **env}, self.folder, enough)
        return None if status is None else status in (0, SKIPPED)


def tests_in(build: Path) -> dict[str, Test]:
    made = {}
    for entry in json.loads(output_of(["ctest", "--test-dir", build, "--show-only=json-v1"]))["tests"]:
        properties = {of["name"]: of["value"] for of in entry["properties"]}
        program = Path(entry.get("command", [""])[0])
        target = program.name if program.is_relative_to(build) else ""
        env = dict(word.split("=", 1) for word in properties.get("ENVIRONMENT", []))
        if not properties.get("DISABLED"):
            name, folder = str(entry["name"]), str(properties.get("WORKING_DIRECTORY", build))
            made[name] = Test(name, entry["command"], env, folder, target)
    return made


def sweep_groups(root: Path = Path("/sys/fs/cgroup")) -> int:
    """Removes the control groups that tests left which were killed; those that a process is in stay. Returns how many went."""
    gone = 0
    for name, _, _ in os.walk(root, topdown=False):
        path = Path(name)
        if any(fnmatch.fnmatch(part, group) for part in path.relative_to(root).parts for group in GROUPS):
            # What is frozen in one of them can't die.
            for file, word in {"freezer.state": "THAWED", "cgroup.freeze": "0"}.items():
                with suppress(OSError):
                    if (path / file).exists():
                        (path / file).write_text(word)
            with suppress(OSError):
                path.rmdir()
                gone += 1
    return gone
