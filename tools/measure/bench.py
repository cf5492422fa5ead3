# SPDX-License-Identifier: MIT
"""What benchmarks have in common: a command line, the build, a table and its block in a document; the machine seen from outside, how far its load was from
a target, with and without bursts of others."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NoReturn, TypeVar

from measure import machine
from measure.options import Command, Option, flag, option, text
from measure.process import attempt, output_of, run_program
from measure.publish import Publication, command_line
from measure.text import markdown

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
    """Rows of cpuload: begin and end, by the monotonic clock, and load."""
    import pandas as pd

    rows = (
        pd.read_csv(log)
        if log.exists() and log.stat().st_size
        else pd.DataFrame(columns=["time_s", "monotonic_s", "load"])
    )
    end = rows["monotonic_s"].astype(float)
    return pd.DataFrame(
        {"begin": end.shift().fillna(end - rows["time_s"]), "end": end, "load": rows["load"].fillna(0.0)}
    )


def ends_and_sums(samples: pd.DataFrame) -> tuple[pd.Series[float], pd.Series[float]]:
    """When each sample ends, behind the begin of the first, and how much processor time had been used until then."""
    import pandas as pd

    sums = (samples["load"] * (samples["end"] - samples["begin"])).cumsum()
    return pd.concat([samples["begin"][:1], samples["end"]]), pd.concat([sums[:1] * 0, sums])


def control_log(samples: pd.DataFrame, target: float, begin: float, until: float, tree: pd.DataFrame) -> pd.DataFrame:
    """Of the samples within a stretch, as the package has logs; those before it are its warm-up, in which a burst may have been. What others made is the load that
    isn't in `tree`, samples of all that is measured, and of what measures it; it is unknown before and after these."""
    import numpy as np

    ends, sums = ends_and_sums(tree) if len(tree) else ([np.inf], [np.nan])
    before, after = (np.interp(samples[of], ends, sums, left=np.nan, right=np.nan) for of in ("begin", "end"))
    inside = (samples["begin"] >= begin) & (samples["end"] <= until)
    zero = samples["begin"][inside].min()
    log = samples.assign(
        start_s=samples["begin"] - zero,
        time_s=samples["end"] - zero,
        target=np.where(inside, target / 100, np.nan),
        others=samples["load"] - (after - before) / (samples["end"] - samples["begin"]),
        is_gap=False,
        is_warmup=samples["end"] <= zero,
    )
    return log[inside | log["is_warmup"]].reset_index(drop=True)
