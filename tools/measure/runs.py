# SPDX-License-Identifier: MIT
"""A run is a record: what it is to be, as fields, and what became of it, in run.json beside its log. Lists of runs, and their orders."""

import json
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from measure.text import lines_of, refuse, shortest, write

COMPLETE, FAILED = "complete", "failed"
SIMULATED = "sssim"  # an environment
DAY_S = 86400.0  # longer than any run: intervals of this length are whole runs


@dataclass(frozen=True)
class Group:
    """Workloads of one kind within a run. `instances` is a number, or P for as many as it has processors; `records` is what its iteration
    records are called."""

    workload: str
    instances: str
    options: tuple[str, ...] = ()
    records: str = "iterations"


@dataclass(frozen=True)
class Run:
    """`parts` and the repetition name its folder, for people; nothing is read out of that. `target` is a load in per cent, or what stands for it in
    the rows of a table, such as the length of a replay. Several groups have options of their own behind those of all.
    """

    parts: tuple[str, ...]
    groups: tuple[Group, ...]
    seconds: float
    options: tuple[str, ...]
    setting: str
    repetition: int
    target: str = ""
    scheme: str = ""
    seed: int | None = None
    environment: str = "native"
    warm_up: float = 0
    several: bool = False  # its environment is one of some, whose runs have a folder each

    @property
    def series(self) -> str:
        """What its repetitions have in common."""
        return "_".join(self.parts)

    @property
    def label(self) -> str:
        return f"{self.series}_{self.repetition}"

    @property
    def workload(self) -> str:
        return "/".join(group.workload for group in self.groups)

    @property
    def name(self) -> str:
        """Among all of a batch."""
        return f"{self.environment}/{self.label}" if self.several else self.label

    def folder(self, output: Path) -> Path:
        return output / self.environment / "runs" / self.label if self.several else output / "runs" / self.label

    def words(self) -> list[str]:
        """Options of showstopper, with a : before those of each of several groups."""
        between = [":"] if len(self.groups) > 1 else []
        return [*self.options, *(word for group in self.groups for word in (*between, *group.options))]

    def line(self) -> list[str]:
        """Of runs.tsv."""
        instances, words = "/".join(group.instances for group in self.groups), " ".join(self.words())
        lengths = [shortest(self.warm_up), shortest(self.seconds)]
        return [self.name, self.workload, instances, *lengths, self.environment, words]

    def fields(self) -> dict[str, Any]:
        names = "workload setting target repetition scheme environment seed"
        return {name: getattr(self, name) for name in names.split()}


@dataclass(frozen=True)
class Record:
    """What became of a run."""

    fields: dict[str, Any]
    command: str
    revision: str
    machine: str
    start: float
    end: float
    status: str
    exit_status: int
    stolen: list[float | None]  # of the busy time, in per cent, from each attempt; the last is this one

    def write(self, folder: Path) -> None:
        write(folder / "run.json", json.dumps(self.__dict__, indent=1) + "\n")


def record_of(folder: Path) -> dict[str, Any] | None:
    """None of a batch that was made before there were such records, and of what never came to its end."""
    try:
        found = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def is_complete(run: Run, folder: Path) -> bool:
    """Its record says so; where there is none, which was so before, the folder has its name only then."""
    record = record_of(folder)
    if record is None:
        return folder.is_dir() and not (folder / "run.json").exists()
    return record.get("status") == COMPLETE and record.get("fields") == run.fields()


def left(of: Iterable[Run], output: Path) -> list[Run]:
    """Those that are not complete."""
    return [run for run in of if not is_complete(run, run.folder(output))]


def seconds_of(of: Iterable[Run], pause: float) -> float:
    """That they take, with a pause after each."""
    return sum(run.warm_up + run.seconds + 1 + pause for run in of)


# ---- Orders -----------------------------------------------------------------------------------------------------------------------


def in_random_order(runs: Sequence[Run], seed: int) -> list[Run]:
    """The same for the same seed, which each of them tells."""
    found = list(runs)
    random.Random(seed).shuffle(found)
    return [replace(run, seed=seed) for run in found]


def interleaved(runs: Sequence[Run]) -> list[Run]:
    """The first repetition of all, then the second, and so on: what changes with time is spread over all settings alike."""
    return sorted(runs, key=lambda run: run.repetition)


# ---- The list of a batch ----------------------------------------------------------------------------------------------------------


def write_list(path: Path, runs: Iterable[Run]) -> None:
    """A line for each: for people. The last field has those of the record."""
    write(path, "".join("\t".join([*run.line(), json.dumps(run.fields())]) + "\n" for run in runs))


def is_same_list(path: Path, runs: Sequence[Run]) -> bool:
    return [line.split("\t")[:7] for line in lines_of(path)] == [run.line() for run in runs]


def of_list(path: Path, runs: Sequence[Run]) -> list[Run]:
    """Those runs of a batch that are among those of the options, in its order."""
    by_name = {run.name: run for run in runs}
    found = [by_name[name] for line in lines_of(path) if (name := line.split("\t")[0]) in by_name]
    refuse(not found, f"{path.parent} was begun with other options: none of its runs is one of theirs; repeat them")
    return found
