# SPDX-License-Identifier: MIT
"""Environments of runs: what the sides of a run are put into, and the driver that makes, runs and removes these."""

import os
import shutil
import signal
import subprocess
import time
from abc import ABC, abstractmethod
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from measure.process import end, is_over, tell, wait_until
from measure.publish import remove
from measure.text import first_line, lines_of, refuse, write

NAMES = ("native", "lxc", "qemu")
Process = subprocess.Popen[str]


@dataclass(frozen=True)
class Side:
    """One side of a run: its processors are a list, or all; `count` says how many these are, `quota` how many it may use at a time, or -."""

    run: Path
    name: str
    processors: str
    count: int
    quota: str

    @property
    def folder(self) -> Path:
        return self.run / self.name

    @property
    def command(self) -> Path:
        return self.run / f"{self.name}.command"

    @property
    def called(self) -> str:
        """The same for whoever removes what another one made."""
        said = subprocess.run(["cksum"], input=str(self.run), capture_output=True, check=True, text=True).stdout
        return f"showstopper-{said.split()[0]}-{self.name}"

    @property
    def quota_us(self) -> int:
        return int(100000 * float(self.quota))


class Environment(ABC):
    """A kind of environment: what each kind does with one side, and the driver that does it with all sides of a run."""

    name: ClassVar[str]
    patience: ClassVar[float]  # seconds that a side has to end
    lead = 1.0  # seconds from the moment that all are ready until they begin

    def __init__(self, run: Path) -> None:
        self.run, self.sides = run, sides_of(run)
        self.started: dict[Side, Process] = {}

    def note(self, text: str) -> None:
        """For the report, once."""
        file = self.run / "environment.txt"
        if text not in lines_of(file):
            with file.open("a") as to:
                to.write(text + "\n")

    @classmethod
    def missing(cls) -> list[str]:
        """What is missing here to have it."""
        return []

    @abstractmethod
    def make(self, side: Side) -> None:
        ...

    @abstractmethod
    def start(self, side: Side) -> Process:
        """As a child of this process, with which it dies."""

    def ready(self, side: Side, process: Process) -> None:
        """The side waits for the others."""

    def went_well(self, side: Side, process: Process) -> bool:
        """Of a side that has ended, or will."""
        return process.wait() == 0

    @abstractmethod
    def remove(self, side: Side) -> None:
        """All that is left of it, processes first, whoever made it."""

    # ---- The driver -------------------------------------------------------------------------------------------------------------

    def make_sides(self) -> None:
        (self.run / "environment.txt").unlink(missing_ok=True)
        for side in self.sides:
            remove(side.folder)
            (side.folder / "files").mkdir(parents=True)
            if side.command.exists():
                shutil.copy(side.command, side.folder / "command")
        for side in self.sides:
            self.make(side)

    def run_sides(self) -> bool:
        """Whether all sides did all that they should. Those without a command have no process of their own."""
        for side in self.sides:
            if side.command.exists():
                self.started[side] = self.start(side)
                (side.folder / "process").write_text(f"{self.started[side].pid}\n")
        for side, process in self.started.items():
            while not (side.folder / "ready").exists():
                if process.poll() is not None:
                    return False
                time.sleep(0.1)
            self.ready(side, process)
        instant = f"{time.time() + self.lead:.3f}\n"
        for side in self.started:
            write(side.folder / "start", instant)
        # Of several, each is looked for twice a second: when one goes wrong the others end.
        left = list(self.started.items())
        while left:
            if len(left) > 1:
                time.sleep(0.5)
            for side, process in list(left):
                if len(left) == 1 or process.poll() is not None:
                    left.remove((side, process))
                    if not self.went_well(side, process):
                        return False
        return True

    def end_sides(self) -> None:
        for process in self.started.values():
            end(process, self.patience)
        self.remove_sides()

    def remove_sides(self) -> None:
        for side in self.sides:
            self.remove(side)
            (side.folder / "process").unlink(missing_ok=True)
        (self.run / "controller").unlink(missing_ok=True)

    def remove_left(self) -> None:
        """Also of a run that was killed. A driver that still cleans up is given the time."""
        for side in self.sides[:1]:
            kill_of_run(side, int(first_line(self.run / "controller") or 0), 15)
        for side in self.sides:
            kill_of_run(side, int(first_line(side.folder / "process") or 0), 5)
        self.remove_sides()


def kind_of(name: str) -> type[Environment]:
    from measure.environments import lxc, native, qemu

    kinds: list[type[Environment]] = [native.Native, lxc.Lxc, qemu.Qemu]
    found = {kind.name: kind for kind in kinds}
    refuse(name not in found, f"there is no environment '{name}', expected native, lxc or qemu")
    return found[name]


def sides_of(run: Path) -> list[Side]:
    fields = [line.split("\t") for line in lines_of(run / "sides")]
    return [Side(run, of[0], of[1], int(of[2]), of[3]) for of in fields if len(of) == 4]


def kill_of_run(side: Side, number: int, patience: float) -> None:
    """TERM, then KILL; not another process that got its number."""
    words = " ".join(lines_of(Path(f"/proc/{number}/cmdline"))).replace("\0", " ")
    if number > 0 and not is_over(number) and (str(side.run) in words or side.called in words):
        tell(number, signal.SIGTERM)
        if not wait_until(lambda: is_over(number), patience):
            tell(number, signal.SIGKILL)


# ---- Control groups of the host ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Hierarchy:
    version: int
    at: Path

    def quota(self, quota_us: int) -> dict[str, str]:
        """Files of a group that has so much of each 100 ms, and what is in them."""
        if self.version == 1:
            return {"cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": str(quota_us)}
        return {"cpu.max": f"{quota_us} 100000"}


def mounted() -> list[tuple[str, Path, str]]:
    """Type, place and options of the file systems of control groups."""
    fields = [line.split() for line in lines_of(Path("/proc/self/mounts"))]
    return [(of[2], Path(of[1]), of[3]) for of in fields if len(of) > 3 and of[2] in ("cgroup", "cgroup2")]


def hierarchy(controller: str) -> Hierarchy | None:
    """Where groups of that controller can be made."""
    for kind, at, options in mounted():
        if kind == "cgroup" and controller in options.split(",") and os.access(at, os.W_OK):
            return Hierarchy(1, at)
        if kind == "cgroup2" and os.access(at / "cgroup.procs", os.W_OK):
            if controller in first_line(at / "cgroup.subtree_control").split():
                return Hierarchy(2, at)
            if controller in first_line(at / "cgroup.controllers").split():
                with suppress(OSError):
                    (at / "cgroup.subtree_control").write_text(f"+{controller}")
                    return Hierarchy(2, at)
    return None


def group_folders(name: str) -> list[Path]:
    """Of one group in all hierarchies, those within first."""
    roots = [at / name for _, at, _ in mounted() if (at / name).is_dir()]
    return [Path(path) for root in roots for path, _, _ in os.walk(root, topdown=False)]


def remove_group(name: str) -> None:
    """With all processes in it."""

    def gone() -> bool:
        for group in group_folders(name):
            for line in lines_of(group / "cgroup.procs"):
                tell(int(line), signal.SIGKILL)
            with suppress(OSError):
                group.rmdir()
        return not group_folders(name)

    wait_until(gone, 5)


def limit(found: Hierarchy, name: str, quota_us: int) -> Path:
    """A group with a quota, which is made unless it is there."""
    group = found.at / name
    group.mkdir(exist_ok=True)
    for file, text in found.quota(quota_us).items():
        (group / file).write_text(text)
    return group
