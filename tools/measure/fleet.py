# SPDX-License-Identifier: MIT
"""A fleet: one run on many machines, from the gathering of its nodes to its report. They share a folder, in which all is agreed on."""

import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from measure import figures, machine
from measure.making import log_is_whole
from measure.process import ENDING, Interrupted, attempt, has_program, start
from measure.publish import remove
from measure.report import Report
from measure.runs import COMPLETE, FAILED, Record
from measure.text import (
    Row,
    Trouble,
    first_line,
    known,
    lines_of,
    number,
    number_from,
    quoted,
    quoted_words,
    read_csv,
    table_text,
    write,
)

TICK = 0.005  # half of the longest tick in which folders keep time


@dataclass(frozen=True)
class Agent:
    """What runs on a node, as it says itself: by how much its clock is ahead of that of the folder, and within how much that is so."""

    node: str
    number: int
    processors: int
    ahead: float
    within: float
    job: str


def check_name(option: str, node: str) -> None:
    if not re.fullmatch("[A-Za-z0-9_-][A-Za-z0-9._-]*", node):
        raise Trouble(f"{option}: '{node}': expected the name of a node")


def of_node(option: str, value: str, what: str) -> tuple[str, str]:
    node, equals, of = value.partition("=")
    if not equals or not of or not node:
        raise Trouble(f"{option}: '{value}': expected NODE={what}")
    check_name(option, node)
    return node, of


def build_of(build: str, program: str) -> Path:
    if not os.access(Path(build) / program, os.X_OK):
        raise Trouble(f"--build: {build}/{program} isn't there")
    return Path(build).resolve()


@dataclass
class Fleet:
    traces: dict[str, str] = field(default_factory=dict)
    shares: dict[str, str] = field(default_factory=dict)
    lines: dict[str, str] = field(default_factory=dict)
    folder: str = ""
    total: str = ""
    wanted: str = ""
    base: str = ""
    line: str = ""
    seconds: int = 0
    warm_up: int = 2
    speed: str = "1"
    slurm: list[str] = field(default_factory=list)
    gather: int = 60
    apart: int = 50
    dying: str = "go-on"
    lost: int = 10
    simulated: bool = False
    simulated_processors: int = 4
    output: Path = machine.ROOT / "results/fleet"
    build: Path = Path()
    nodes: list[str] = field(default_factory=list)
    anonymous: bool = False
    srun: subprocess.Popen[str] | None = None

    # ---- Nodes --------------------------------------------------------------------------------------------------------------------

    def choose_nodes(self) -> None:
        """Their names, or for a total that any nodes share places node1, node2..."""
        if self.total:
            self.nodes = self.nodes_of_total()
        else:
            self.nodes = self.nodes_of_traces()
        for node in self.nodes:
            check_name("--nodes", node)
            if not self.total and node not in self.traces:
                raise Trouble(f"{node}: expected --trace {node}=FILE")
        for node in [*self.shares, *self.lines]:
            if node not in self.nodes:
                raise Trouble(f"{node} is none of the nodes: {','.join(self.nodes)}")
        if len(set(self.nodes)) < len(self.nodes):
            raise Trouble("--nodes: a node is given twice")
        for trace in [self.total] if self.total else [self.traces[node] for node in self.nodes]:
            result = attempt([self.build / "sstrace", "--check", trace])
            if result.returncode != 0:
                sys.stderr.write(result.stderr)
                raise SystemExit(125)

    def nodes_of_total(self) -> list[str]:
        if self.folder or self.traces:
            raise Trouble("--total: expected no --trace and no --traces beside it")
        if not os.access(self.total, os.R_OK):
            raise Trouble(f"--total: can't read {self.total}")
        if not self.wanted:
            raise Trouble("--total: expected --nodes, their names or how many")
        if not self.wanted.isdigit():
            return self.wanted.split(",")
        if self.shares or self.lines:
            raise Trouble("--nodes: expected names, as --share and --command name some")
        self.anonymous = True
        return [f"node{place}" for place in range(1, number_from("--nodes", self.wanted, 1) + 1)]

    def nodes_of_traces(self) -> list[str]:
        if self.shares:
            raise Trouble("--share: expected --total beside it")
        if self.folder:
            files = sorted(Path(self.folder).glob("*.trace"))
            if not files or not all(os.access(file, os.R_OK) for file in files):
                raise Trouble(f"--traces: found no {self.folder}/NODE.trace that can be read")
            for file in files:
                check_name("--traces", file.stem)
                self.traces.setdefault(file.stem, str(file))
        if not self.traces:
            raise Trouble("expected what nodes follow: --trace, --traces or --total")
        return self.wanted.split(",") if self.wanted else sorted(self.traces)

    def line_of(self, node: str) -> str:
        return self.lines.get(node, self.line)

    def place(self, node: str) -> Path:
        return self.output / "nodes" / node

    def show(self) -> None:
        for node in self.nodes:
            print(f"{node}: {self.total or self.traces[node]}, {self.line_of(node)}")
        if not self.simulated:
            print(self.srun_command())

    def write_traces(self, processors: dict[str, int]) -> None:
        """The trace of each node into its folder. Of a total, each takes so much more or less that the sum over all, each by its processors, is what was
        asked."""
        weighed = sum(processors[node] * float(self.shares.get(node, "1")) for node in self.nodes)
        of_all = sum(processors.values())
        table = ""
        for node in self.nodes:
            share = self.shares.get(node, "1")
            result = attempt([self.build / "sstrace", "--text", self.total or self.traces[node]])
            if result.returncode != 0:
                sys.stderr.write(result.stderr)
                raise SystemExit(125)
            text = result.stdout
            if self.total:
                text = self.scaled(node, text, float(share) * of_all / weighed)
            write(self.place(node) / "trace", text)
            table += f"{node}\t{processors[node]}\t{share}\n"
        write(self.output / "nodes.tsv", table)

    def scaled(self, node: str, trace: str, factor: float) -> str:
        lines = [line.split() for line in trace.splitlines()]
        loads = [float(words[1]) * factor for words in lines if len(words) > 1 and words[1][0] in "0123456789."]
        if loads and max(loads) > 1.000001:
            load = f"{100 * max(loads):.0f}"
            raise Trouble(
                f"--share: {node} would have a load of {load} % for its share of --total; expected 100 % at most"
            )
        made = ""
        for words in lines:
            if len(words) > 1 and words[1][0] in "0123456789.":
                words = [words[0], f"{min(1.0, float(words[1]) * factor):.9f}"]
            made += " ".join(words) + "\n"
        return made

    # ---- A start --------------------------------------------------------------------------------------------------------------------

    def srun_command(self) -> str:
        survive = (["--no-kill"] if self.dying == "go-on" else []) + ["--kill-on-bad-exit=0", "--wait=0"]
        count = len(self.nodes)
        words = [
            "srun",
            "--job-name=showstopper-fleet",
            f"--nodes={count}",
            f"--ntasks={count}",
            "--ntasks-per-node=1",
            "--exclusive",
            "--mem=0",
        ]
        words += [] if self.anonymous else [f"--nodelist={','.join(self.nodes)}"]
        agent = [str(machine.EXPERIMENTS / "fleet"), "--agent", str(self.output)]
        return quoted_words([*words, *survive, *self.slurm, *agent])

    def agents(self) -> list[Agent]:
        """Those that are there."""
        found = []
        for file in sorted((self.output / "agents").glob("*")):
            words = first_line(file).split() if file.suffix not in (".new", ".clock") else []
            if len(words) == 6:
                found.append(Agent(words[0], int(words[1]), int(words[2]), float(words[3]), float(words[4]), words[5]))
        return found

    def stop_srun(self) -> None:
        agents = self.agents()
        if agents and agents[0].job != "0":
            attempt(["scancel", agents[0].job])
        if self.srun:
            # At the first it asks whether that is meant.
            self.srun.terminate()
            self.srun.terminate()
            self.srun.wait()

    def refuse(self, why: str) -> Trouble:
        write(self.output / "refused", f"{why}\n")
        self.stop_srun()
        for left in ("nodes", "agents"):
            remove(self.output / left)
        return Trouble(why)

    def gather_nodes(self) -> None:
        assert self.srun
        first, count = 0.0, len(self.nodes)
        while True:
            (self.output / "alive").touch()
            there = self.agents()
            if len(there) >= count:
                return
            if self.srun.poll() is not None:
                raise self.refuse(
                    f"srun ended before all nodes were there: {(lines_of(self.output / 'srun.txt') or [''])[-1]}"
                )
            first = first or (time.time() if there else 0.0)
            if first and time.time() - first > self.gather:
                missing = (
                    ""
                    if self.anonymous
                    else "".join(
                        f", {node} is missing" for node in self.nodes if node not in {agent.node for agent in there}
                    )
                )
                raise self.refuse(
                    f"only {len(there)} of {count} nodes came within {self.gather} s of the first{missing}"
                )
            time.sleep(0.2)

    def check_clocks(self) -> str:
        """The clocks of all against that of the folder. What is not known better than to some ms is taken from the difference."""
        agents = self.agents()
        early, late = min(agents, key=lambda agent: agent.ahead), max(agents, key=lambda agent: agent.ahead)
        difference = 1000 * (late.ahead - early.ahead)
        write(self.output / "clocks", f"{difference:.1f}\n")
        if difference - 1000 * (early.within + late.within) > self.apart:
            raise self.refuse(
                f"the clock of {late.node} is {difference:.0f} ms ahead of that of {early.node}, and {self.apart} ms at most are accepted (--apart)"
            )
        return f"{difference:.1f}"

    def place_agents(self) -> dict[str, Agent]:
        """Which agent is which node of the traces."""
        agents = sorted(self.agents(), key=lambda agent: agent.number)
        places = (
            {f"node{place}": agent for place, agent in enumerate(agents, 1)}
            if self.anonymous
            else {agent.node: agent for agent in agents}
        )
        for node in self.nodes:
            if node not in places:
                raise self.refuse(f"{node} didn't come; another node did")
            self.place(node).mkdir(parents=True, exist_ok=True)
            write(self.place(node) / "machine", f"{places[node].node}\n")
        return places

    def command_of(self, node: str, moment: str) -> str:
        words = [
            "exec",
            str(self.build / "showstopper"),
            "-q",
            "--start-at",
            f"@{moment}",
            "-t",
            "file",
            "-T",
            f"trace,speed={self.speed}",
        ]
        words += ["-w", f"{self.warm_up}s", *(["-r", f"{self.seconds}s"] if self.seconds else [])]
        words += "-o log.csv --export-json record.json --export-csv record.csv --stdout /dev/null --stderr errors.txt --grace 2s".split()
        return f"{quoted_words([*words, *self.base.split()])} -- sh -c {quoted(f'exec {self.line_of(node)}')}\n"

    def is_over(self, node: str) -> bool:
        return (self.place(node) / "status").exists()

    def watch(self, moment: float) -> list[str]:
        """A node is dead when it wrote no row for a while, though all should write them. Those that are."""
        assert self.srun
        dead: list[str] = []
        write(self.output / "dead", "")
        seen: dict[str, tuple[int, float]] = {}
        while self.srun.poll() is None:
            time.sleep(1)
            now = time.time()
            running = [node for node in self.nodes if not self.is_over(node) and node not in dead]
            for node in running:
                rows = len(lines_of(self.place(node) / "log.csv"))
                if rows != seen.get(node, (-1, now))[0] or now <= moment + self.warm_up + 1:
                    seen[node] = (rows, now)
                elif now - seen[node][1] >= self.lost:
                    dead.append(node)
                    write(self.output / "dead", "".join(f"{one}\n" for one in dead))
                    print(f"{node} is dead: no row for {self.lost} s", file=sys.stderr)
                    if self.dying == "end":
                        return dead
            if not running:
                break
        return dead

    def start(self) -> int:
        """How many nodes failed or died."""
        if not has_program("srun"):
            raise Trouble("there is no srun here; --simulate needs none")
        for left in ("agents", "go", "refused"):
            remove(self.output / left)
        (self.output / "agents").mkdir()
        write(self.output / "srun", f"exec {self.srun_command()}\n")
        with (self.output / "srun.txt").open("wb") as said:
            self.srun = start(["sh", self.output / "srun"], stdout=said, stderr=said)
        try:
            self.gather_nodes()
            (self.output / "alive").touch()
            apart = self.check_clocks()
            places = self.place_agents()
            self.write_traces({node: places[node].processors for node in self.nodes})
            # Enough to write all commands and for the slowest to see it; showstopper refuses a moment that has passed.
            moment = f"{int(time.time() + 4 + len(self.nodes) / 20)}.0"
            for node in self.nodes:
                write(self.place(node) / "command", self.command_of(node, moment))
            write(
                self.output / "go",
                "".join(f"{places[node].node} {node} {places[node].processors}\n" for node in self.nodes),
            )
            print(f"{len(self.nodes)} nodes begin at @{moment}; their clocks are {apart} ms apart")
            if self.watch(float(moment)):
                self.stop_srun()
            else:
                self.srun.wait()
        except Interrupted:
            write(self.output / "refused", "interrupted\n")
            self.stop_srun()
            print("\ninterrupted", file=sys.stderr)
            raise
        failed = self.failed(float(moment))
        for left in ("agents", "go", "alive"):
            remove(self.output / left)
        return failed

    def failed(self, began: float) -> int:
        """Of each node a record; how many are not complete."""
        count = 0
        revision = machine.revision()
        for node in self.nodes:
            folder = self.place(node)
            status = first_line(folder / "status")
            fields = {
                "workload": self.line_of(node),
                "setting": self.base,
                "target": self.total or self.traces.get(node, ""),
                "repetition": 1,
            }
            fields |= {
                "scheme": "fleet",
                "environment": "sssim" if self.simulated else "native",
                "seed": self.nodes.index(node) + 1 if self.simulated else None,
            }
            of = first_line(folder / "machine") or os.uname().nodename
            word = COMPLETE if status == "0" and log_is_whole(folder / "record.csv") else FAILED
            Record(
                fields,
                " ".join(lines_of(folder / "command")),
                revision,
                of,
                began,
                time.time(),
                word,
                int(status or -1),
            ).write(folder)
            if word == FAILED:
                count += 1
                if said := first_line(folder / "messages.txt"):
                    print(f"{node}: {said}", file=sys.stderr)
        return count

    def simulate(self) -> int:
        """A process per node, as many at a time as there are processors."""
        for node in self.nodes:
            self.place(node).mkdir(parents=True, exist_ok=True)
        self.write_traces({node: self.simulated_processors for node in self.nodes})
        count = str(self.simulated_processors)
        for place, node in enumerate(self.nodes, 1):
            words = [
                "exec",
                str(self.build / "sssim"),
                "-q",
                "-p",
                count,
                "-W",
                self.line_of(node),
                "-n",
                count,
                "--seed",
                str(place),
            ]
            words += [
                "-t",
                "file",
                "-T",
                f"trace,speed={self.speed}",
                "-w",
                f"{self.warm_up}s",
                *(["-r", f"{self.seconds}s"] if self.seconds else []),
            ]
            write(self.place(node) / "command", f"{quoted_words([*words, *self.base.split(), '-o', 'log.csv'])}\n")
        write(self.output / "dead", "")
        began = time.time()

        def one(node: str) -> None:
            with (self.place(node) / "messages.txt").open("wb") as messages:
                process = subprocess.Popen(
                    ["setpriv", "--pdeathsig", "TERM", "sh", "command"],
                    cwd=self.place(node),
                    stdin=subprocess.DEVNULL,
                    stderr=messages,
                )
            write(self.place(node) / "status", f"{process.wait()}\n")

        with ThreadPoolExecutor(machine.processor_count()) as pool:
            list(pool.map(one, self.nodes))
        return self.failed(began)

    # ---- Its report -----------------------------------------------------------------------------------------------------------------

    def report(self) -> None:
        asked = [line.split("\t")[0] for line in lines_of(self.output / "nodes.tsv")]
        # Of two rows at least, the header and one.
        words = [
            word
            for node in asked
            if len(lines_of(self.place(node) / "log.csv")) >= 2
            for word in ("-l", node, self.place(node) / "log.csv")
        ]
        if not words:
            raise Trouble("no node has a log")
        figures.draw(self.build, "fleet", "-o", self.output / "fleet.csv", "-o", self.output / "fleet.svg", *words)
        rows = read_csv(self.output / "fleet.csv")
        report = Report(self.output, "fleet", "A fleet")
        report.text(self.sentence(rows, len(asked)))
        report.picture(
            "fleet.svg",
            "Above, the load of each node over time, the greater the darker; below, the load of all against their targets",
        )
        report.heading("Nodes")
        report.text(
            "Loads in per cent, errors in percentage points (pp) and pp². All together are a share of the whole fleet, in which each node counts alike."
        )
        table = [["node", "began late ms", "end s", "target %", "load %", "mean error pp", "MSE pp²"]]
        for row in rows:
            late = number(row, "late_ms")
            loads = [f"{100 * known(row, name):.2f}" for name in ("target", "load")]
            errors = [f"{known(row, 'mean_error_pp'):+.2f}", f"{known(row, 'mse_pp2'):.2f}"]
            table.append(
                [row["label"], "" if late is None else f"{late:.1f}", f"{known(row, 'end_s'):.1f}", *loads, *errors]
            )
        (self.output / "fleet-shown.csv").write_text(table_text(table))
        report.table(table)
        report.write()
        print(f"Report: {self.output}/fleet.html")

    def sentence(self, rows: list[Row], asked: int) -> str:
        """How it went, in words: the whole, the worst, the starts, who died and when."""
        whole, nodes = rows[-1], rows[:-1]
        said = f"{len(nodes)} nodes" + (f" of {asked} (the others have no log)" if len(nodes) < asked else "")
        said += f": together they were to take {100 * known(whole, 'target'):.2f} % and took {100 * known(whole, 'load'):.2f} %"
        said += f" (mean error {known(whole, 'mean_error_pp'):+.2f} pp). "
        worst = max(reversed(nodes), key=lambda row: abs(known(row, "mean_error_pp")))
        said += f"The worst node is {worst['label']}, with a mean error of {known(worst, 'mean_error_pp'):+.2f} pp. "
        late = [value for row in nodes if (value := number(row, "late_ms")) is not None]
        if late:
            said += f"The last one began {max(late):.1f} ms after the first."
        else:
            said += "The logs tell no wall clock; all are taken to have begun together."
        if apart := first_line(self.output / "clocks"):
            said += f" Before, their clocks were {apart} ms apart, as far as the shared folder shows."
        ends = {row["label"]: known(row, "end_s") for row in nodes}
        for node in lines_of(self.output / "dead"):
            said += f" {node} died: its log ends at {ends.get(node, 0):.1f} s of {known(whole, 'end_s'):.1f} s."
        return said


# ---- On a node --------------------------------------------------------------------------------------------------------------------


def clock_of_folder(file: Path) -> tuple[float, float]:
    """By how much the clock of this node is ahead of that of the shared folder, and how well that is known: what the folder says of a file that is made
    between two readings of ours. Seconds; the best of some."""
    best = (float("inf"), 0.0)
    for _ in range(5):
        file.unlink(missing_ok=True)
        before = wall_clock()
        file.write_text("")
        after = wall_clock()
        # In the middle of the two, and of a tick.
        best = min(best, ((after - before) / 2 + TICK, (before + after) / 2 - TICK - file.stat().st_mtime_ns / 1e9))
    file.unlink()
    return best[1], best[0]


def wall_clock() -> float:
    """As date tells it."""
    return float(subprocess.run(["date", "+%s.%N"], capture_output=True, text=True, check=True).stdout)


def wait_for_go() -> None:
    """Gives up when who gathers the nodes is heard of no more, for a minute: it might have been killed."""
    unheard, heard = 0, -1.0
    while not Path("go").exists() and not Path("refused").exists():
        now = Path("alive").stat().st_mtime if Path("alive").exists() else 0.0
        unheard = unheard + 1 if now == heard else 0
        heard = now
        if unheard >= 600:
            raise SystemExit(125)
        time.sleep(0.1)


def agent(output: Path) -> int:
    """What runs on each node: it says that it is there, waits for the moment, and runs its command."""
    node = os.environ.get("SLURMD_NODENAME") or os.uname().nodename
    (output / "agents").mkdir(parents=True, exist_ok=True)
    os.chdir(output)
    ahead, within = clock_of_folder(Path(f"agents/{node}.clock"))
    words = [
        node,
        os.environ.get("SLURM_PROCID", "0"),
        machine.processor_count(),
        f"{ahead:.4f}",
        f"{within:.4f}",
        os.environ.get("SLURM_JOB_ID", "0"),
    ]
    write(Path(f"agents/{node}"), " ".join(map(str, words)) + "\n")
    wait_for_go()
    places = [line.split()[1] for line in lines_of(Path("go")) if line.split()[0] == node]
    if Path("refused").exists() or not places:
        return 125
    os.chdir(f"nodes/{places[0]}")
    with open("messages.txt", "wb") as messages:
        child = subprocess.Popen(["sh", "command"], stdin=subprocess.DEVNULL, stderr=messages)
    for number_of in ENDING:
        signal.signal(number_of, lambda *_: child.terminate())
    code = child.wait()
    status = 128 - code if code < 0 else code
    write(Path("status"), f"{status}\n")
    return status
