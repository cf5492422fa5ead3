# SPDX-License-Identifier: MIT
"""What the host of a virtual machine gives to others while something here is to run: waited for until it is little, and what it disturbed is made again.
Nothing is chosen by what came out."""

import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from measure import machine
from measure.options import option, positive
from measure.process import output_of
from measure.runs import record_of

TRIES = 3  # of a run
PATIENCE = 600  # s before each
PROBE = 2  # s in which all processors are busy
PAUSE = 20  # s between two of them


def most_stolen() -> float | None:
    """The option of a program that makes runs."""
    said = f"wait up to {PATIENCE // 60} minutes before each run until the host of this virtual machine takes at most so much of the busy time, and make a run"
    return option("--most-stolen PERCENT", per_cent, None, f"{said} again of which it took more, {TRIES} times in all")


def per_cent(name: str, value: str) -> float:
    return float(positive(name, value.removesuffix("%")))


def now(build: Path) -> float:
    """Per cent, while all processors are busy."""
    before = machine.tick_counts()
    output_of([build / "ssburn", "-p", "parallel", "-t", machine.processor_count(), "--time", PROBE], "ssburn failed")
    return machine.stolen_since(before) or 0.0


def await_little(build: Path, most: float) -> None:
    limit = time.monotonic() + PATIENCE
    while (taken := now(build)) > most and time.monotonic() < limit:
        print(f"waiting: the host takes {taken:.1f} %", flush=True)
        time.sleep(PAUSE)


def tries(build: Path, most: float | None, otherwise: int = 1) -> Iterator[None]:
    """Of one run, each when the host takes little; without a limit so many. Whoever is content goes no further."""
    for _ in range(TRIES if most else otherwise):
        if most:
            await_little(build, most)
        yield


def is_much(taken: float | None, most: float | None) -> bool:
    """Which is then said."""
    much = most is not None and taken is not None and taken > most
    if much:
        print(f"the host took {taken:.1f} % meanwhile", flush=True)
    return much


def said(folders: Iterable[Path]) -> str:
    """Of complete runs; nothing where none was stolen from."""
    records = [record["stolen"] for folder in folders if (record := record_of(folder)) and record.get("stolen")]
    taken = [of_run[-1] for of_run in records if of_run[-1] is not None]
    if not taken or max(taken) == 0:
        return ""
    again = sum(len(of_run) > 1 for of_run in records)
    remade = f" Runs that were made again, since the machine was disturbed: {again}." if again else ""
    return f"The host of this virtual machine took at most {max(taken):.1f} % of the busy time of a run.{remade}"
