# SPDX-License-Identifier: MIT
"""What benchmarks have in common: a command line, the build, a table and its block in a document; the machine seen from outside, how far its load was from
a target, with and without bursts of others."""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, product
from pathlib import Path
from typing import ClassVar, NoReturn, TypeVar

from measure import figures, machine
from measure.figures import Summary
from measure.options import Command, Option, flag, option, text
from measure.process import attempt, output_of, run_program
from measure.publish import Publication, command_line
from measure.text import Row, Trouble, markdown, number, read_csv

DOCUMENT = "tools/bench/README.md"
K = TypeVar("K")


class Benchmark(Command):
    """A program of tools/bench: a name, the programs that it needs, options, the head of a table, and its rows, which are measured one by one. They are
    printed as they come, and written into a document when that is asked for: there must be room for it before anything is measured, installed or
    built. What has more to say, or something else than a table, has a measure() of its own."""

    name: ClassVar[str]
    document: ClassVar[str] = DOCUMENT
    programs: ClassVar[str] = "showstopper ssburn"  # that are needed
    folder: ClassVar[str] = "bench"  # of the build
    setup: ClassVar[str] = ""  # what tools/setup installs for it
    quiet: ClassVar[float | None] = None  # refuses a machine of which others take more, in per cent
    head: ClassVar[str] = ""  # of its table, with bars between
    align: ClassVar[str] = ""
    status = 0  # that it ends with
    scratch: Path  # for files that nobody wants afterwards
    publish = flag("--publish", "write the table into {of.document} as well")
    # fmt: off
    given_build = option("-B/--build DIR", text, "",
        "where the programs are (build/{of.folder}, which is built first when it isn't given)")
    # fmt: on
    force = flag("-f/--force", "also on a machine that is busy")

    @classmethod
    def table(cls) -> dict[str, Option]:
        """Its own options first; --force where it looks."""
        found = super().table()
        common = {key: found.pop(key) for key in ("given_build", "publish", "force")}
        if cls.quiet is None:
            del common["force"]
        return found | common

    def __init__(self, arguments: list[str]) -> None:
        self.publication = Publication(command_line(f"tools/bench/{self.name}", arguments))
        self.lines: list[str] = []
        self.others = 0.0  # per cent, before anything was started
        super().__init__(arguments)

    @property
    def block(self) -> str:
        """Of the document, where its table stands."""
        return self.name

    def check(self) -> None:
        """Refuses what can't be measured."""

    def look(self) -> None:
        self.publication.look(self.document, self.block)

    def rows(self) -> Iterator[Sequence[str]]:
        """The cells of its table, as they are measured."""
        raise NotImplementedError

    def measure(self) -> None:
        self.publication.begin()
        self.say(*markdown([self.head.split("|")], self.align))
        for cells in self.rows():
            self.say(next(markdown([cells])))

    def write(self) -> None:
        if self.lines:
            self.publication.block(self.document, self.block, "\n".join(self.lines), self.build)
            self.publication.write()

    def main(self) -> int:
        self.check()
        if self.publish:
            self.look()
        if self.quiet is not None:
            given = Path(self.given_build) if self.given_build else None
            self.others = machine.check_idle(given, self.force, self.quiet)
        testing = "tests/" in self.programs
        targets = " ".join(["modules", *(Path(program).name for program in self.programs.split())])
        setup = self.setup or ("check" if testing else "build")
        self.build = machine.prepare_build(self.given_build, self.programs, self.folder, targets, testing, setup)
        with tempfile.TemporaryDirectory() as scratch:
            self.scratch = Path(scratch)
            self.measure()
        if self.publish:
            self.write()
        return self.status

    # ---- For those ----------------------------------------------------------------------------------------------------------------

    def say(self, *lines: str) -> None:
        """What is published, and printed."""
        self.lines += lines
        print(*lines, sep="\n")

    def rounds_of(
        self, rounds: int, what: Sequence[K], measure: Callable[[K], Sequence[float]]
    ) -> dict[K, list[Summary]]:
        """Of each figure of each of these, which are measured in turn, round after round."""
        values = []
        for _, (at, of) in product(range(rounds), enumerate(what)):
            values += [((str(at), str(place)), value) for place, value in enumerate(measure(of))]
        found = figures.summaries(values)
        return {of: [found[key] for key in found if key[0] == str(at)] for at, of in enumerate(what)}

    def showstopper(self, limit: int, *words: object) -> str:
        """A run that has to end within so many seconds; what it said of itself."""
        before = ["timeout", "-k", "5", limit, self.build / "showstopper", "-q"]
        return output_of([*before, *words], "showstopper failed")

    def simulate(self, *words: object) -> dict[str, float]:
        """What sssim reports."""
        said = output_of(["timeout", "-k", "5", 600, self.build / "sssim", "-q", "--report", *words], "sssim failed")
        return {name: float(value) for name, _, value in (word.partition("=") for word in said.split()) if value}

    def can_hold(self, actuator: str) -> str:
        """Why workloads can't be held by it here; empty where they can."""
        result = attempt([self.build / "showstopper", "-a", actuator, "-T", "50%", "--dry-run", "true"])
        return (result.stderr.splitlines() or [f"status {result.returncode}"])[0] if result.returncode else ""


def run_benchmark(kind: type[Benchmark], said: str | None) -> NoReturn:
    """`said`: the script's docstring, which --help begins with."""
    kind.usage = f"usage: tools/bench/{kind.name} [OPTION]...\n{said}"
    run_program(f"tools/bench/{kind.name}", lambda arguments: kind(arguments).main())


# ---- Loads ------------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sample:
    start: float
    end: float
    load: float


def samples_of(log: Path) -> list[Sample]:
    """Rows of cpuload."""
    found: list[Sample] = []
    for row in read_csv(log) if log.exists() else []:
        end = float(row["monotonic_s"])
        found.append(Sample(found[-1].end if found else end - float(row["time_s"]), end, number(row, "load") or 0.0))
    return found


class Tree:
    """The time of all that is measured, and of what measures it."""

    def __init__(self, samples: Sequence[Sample]) -> None:
        self.ends = [samples[0].start, *(sample.end for sample in samples)] if samples else []
        self.sums = list(accumulate((of.load * (of.end - of.start) for of in samples), initial=0.0))

    def others(self, sample: Sample) -> str:
        """What of a sample of the machine others made, as a column of a log. Unknown before and after what was read."""
        import numpy as np

        if not self.ends or sample.start < self.ends[0] or sample.end > self.ends[-1]:
            return ""
        before, after = np.interp([sample.start, sample.end], self.ends, self.sums).tolist()
        return repr(sample.load - (after - before) / (sample.end - sample.start))


def write_log(file: Path, samples: Sequence[Sample], target: float, begin: float, until: float, tree: Tree) -> int:
    """A control log of the samples within a stretch; those before it are its warm-up, in which a burst may have been. How many there are."""
    inside = [sample for sample in samples if sample.start >= begin and sample.end <= until]
    zero = inside[0].start if inside else until
    lines = ["time_s,monotonic_s,target,load,others\n"]
    for sample in samples:
        if sample.end <= zero or sample in inside:
            asked = repr(target / 100) if sample in inside else ""
            lines.append(f"{sample.end - zero!r},{sample.end!r},{asked},{sample.load!r},{tree.others(sample)}\n")
    file.write_text("".join(lines))
    return len(inside)


def accuracies(logs: Sequence[Path]) -> list[Row]:
    """Of each log a row of ssreport's, with all digits."""
    table = figures.table("accuracy", ((str(place), [log]) for place, log in enumerate(logs)))
    return figures.rows(table, "accuracy", all_digits=True)


def accuracy(samples: Sequence[Sample], target: float, tree: Tree) -> Row:
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log.csv"
        if not write_log(log, samples, target, float("-inf"), float("inf"), tree):
            raise Trouble("can't make sense of what cpuload read")
        return accuracies([log])[0]


def shown(row: Row, column: str, form: str) -> str:
    """Empty where it is not known."""
    value = number(row, column)
    return "" if value is None else f"{value:{form}}"
