# SPDX-License-Identifier: MIT
"""What benchmarks have in common: a command line, the build, a table and its block in a document; the machine seen from outside, how far its load was from
a target, with and without bursts of others."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NoReturn, TypeVar

import showstopper
from measure import machine
from measure.options import Command, Option, flag, option, text
from measure.process import attempt, output_of, run_program
from measure.publish import Publication, command_line
from measure.text import kept_csv, markdown

if TYPE_CHECKING:
    import pandas as pd

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
    ) -> dict[K, pd.DataFrame]:
        """The figures of each of these, a row for each round; they are measured in turn, round after round."""
        import pandas as pd

        values: dict[K, list[Sequence[float]]] = {of: [] for of in what}
        for _, of in product(range(rounds), what):
            values[of].append(measure(of))
        return {of: pd.DataFrame(rows) for of, rows in values.items()}

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


def samples_of(log: Path) -> pd.DataFrame:
    """Rows of cpuload, by the monotonic clock; none where there is no such file."""
    import pandas as pd

    rows = pd.DataFrame(kept_csv(log), columns=["time_s", "monotonic_s", "load"]).replace("", nan).astype(float)
    start = rows["monotonic_s"].shift().fillna(rows["monotonic_s"] - rows["time_s"])
    return pd.DataFrame({"start_s": start, "time_s": rows["monotonic_s"], "load": rows["load"].fillna(0.0)})


def control_log(samples: pd.DataFrame, target: float, begin: float, until: float, tree: pd.DataFrame) -> pd.DataFrame:
    """Of the samples within a stretch, as the package has logs; those before it are its warm-up, in which a burst may have been. What others made is the load that
    isn't in `tree`, samples of all that is measured, and of what measures it; it is unknown before and after these."""
    start, end = samples["start_s"], samples["time_s"]
    inside, is_seen = (start >= begin) & (end <= until), (start >= tree["start_s"].min()) & (
        end <= tree["time_s"].max()
    )
    zero, others = start[inside].min(), samples["load"].where(is_seen)
    if is_seen.any():
        others -= showstopper.mean_over(tree, "load", start, end)
    log = samples.assign(start_s=start - zero, time_s=end - zero, others=others, is_gap=False, is_warmup=end <= zero)
    log["target"] = inside.map({True: target / 100, False: nan})
    return log[inside | log["is_warmup"]].reset_index(drop=True)
