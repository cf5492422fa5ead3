# SPDX-License-Identifier: MIT
"""A fleet: one run on many machines, from the gathering of its nodes to its report. They share a folder, in which all is agreed on."""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from measure import figures, machine
from measure.bench import shown
from measure.making import log_is_whole
from measure.options import Command, Read, blanks, duration, flag, one_of, option, positive, text, whole
from measure.process import Interrupted, attempt, has_program, start, status_of
from measure.publish import remove
from measure.report import Report
from measure.runs import COMPLETE, FAILED, Group, Record, Run
from measure.text import Row, Trouble, first_line, is_positive, known, lines_of, listed, number, number_from
from measure.text import quoted, quoted_words, read_csv, refuse, table_text, write

TICK = 0.005  # half of the longest tick in which folders keep time
RECORDS = "-o log.csv --export-json record.json --export-csv record.csv --stdout /dev/null --stderr errors.txt"
# Of the report's table: what it is called, the column of ssreport, how it is shown.
COLUMNS = (
    ("began late ms", "late_ms", ".1f"),
    ("end s", "end_s", ".1f"),
    ("target %", "target", ".2f"),
    ("load %", "load", ".2f"),
    ("mean error pp", "mean_error_pp", "+.2f"),
    ("MSE pp²", "mse_pp2", ".2f"),
)


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
    refuse(not re.fullmatch("[A-Za-z0-9_-][A-Za-z0-9._-]*", node), f"{option}: '{node}': expected the name of a node")


def of_node(what: str) -> Read[dict[str, str]]:
    def read(name: str, value: str) -> dict[str, str]:
        node, _, of = value.partition("=")
        refuse(not of or not node, f"{name}: '{value}': expected NODE={what}")
        check_name(name, node)
        refuse(what == "NUMBER" and not is_positive(of), f"{name}: '{value}': expected a number above 0")
        return {node: of}

    return read


class Fleet(Command):
    usage = """\
usage: tools/experiments/fleet [OPTION]... [COMMAND [ARGUMENT]...]
Holds a load on many machines at once, under Slurm: each runs its command with showstopper and follows a trace of its own. All begin at one instant,
which they agree on in the output folder, which they share. COMMAND is what each runs; ssburn without one.
"""
    closing = """\
DIR/fleet.html and DIR/fleet.md say what came out, DIR/nodes has a folder per node with its command, log and record.
Ends with 0, with 1 when a node failed or died, with 125 on trouble, and with 130 or 143 when it was interrupted.
"""
    # fmt: off
    traces: dict[str, str] = option("-t/--trace NODE=FILE", of_node("FILE"), {}, "this node follows this trace; repeatable")
    folder = option("-T/--traces DIR", text, "", "nodes are called as the files DIR/NODE.trace")
    total = option("--total FILE", text, "", "the load of all together follows this trace: each takes its share; needs --nodes")
    wanted = option("-N/--nodes LIST", text, "", "names, separated by commas, or with --total a number")
    shares: dict[str, str] = option("-S/--share NODE=N", of_node("NUMBER"), {},
                                    "of the total this node takes N times what one takes that isn't named (1); repeatable")
    lines: dict[str, str] = option("--command NODE=LINE", of_node("COMMAND"), {}, "what this node runs, for sh -c; repeatable")
    base = option("-b/--base OPTIONS", text, "", 'options of showstopper for all nodes, separated by blanks, such as "-n 4"')
    seconds = option("-r/--time TIME", duration(1), 0, "length of the run (that of each trace)")
    warm_up = option("-w/--warm-up TIME", duration(0), 2, "before that, uncontrolled (2)")
    speed = option("-s/--speed N", positive, "1", "traces go N times faster (1)")
    slurm: list[str] = option("--slurm[=OPTIONS]", blanks, [], "srun's, separated by blanks")
    gather = option("--gather TIME", duration(1), 60, "so long after the first node the last one may come (60)")
    apart = option("--apart MS", whole(1), 50, "so far apart their clocks may be (50)")
    dying = option("--when-a-node-dies WHAT", one_of("go-on end"), "go-on", "go-on, or end: the others, too (go-on)")
    lost = option("--lost TIME", duration(2), 10, "a node that writes no row for so long is dead (10)")
    simulated = flag("--simulate", "each node in sssim, on this machine, as many at a time as it has processors; COMMAND is then one of its"
                                   " workloads, such as parallel:threads=4 (single)")
    simulated_processors = option("-P/--processors N", whole(1), 4, "of each simulated node (4)")
    to = option("-o/--output DIR", text, str(machine.ROOT / "results/fleet"), "where everything goes (results/fleet)")
    dry_run = flag("-d/--dry-run", "print what each node would run")
    only_report = flag("-p/--report", "run nothing; write the report of what is there")
    programs = option("-B/--build DIR", text, str(machine.ROOT / "build/demo"), "where the programs are (build/demo)")
    # fmt: on

    def __init__(self, arguments: Sequence[str]) -> None:
        """Options, and from the first word that is none the command."""
        valued = {word for of in self.table().values() for word in of.words if of.read and "[" not in of.names}
        at = 0
        while at < len(arguments) and arguments[at].startswith("-") and arguments[at] != "--":
            at += 2 if arguments[at] in valued else 1
        super().__init__(arguments[:at])
        command = [*arguments[at + (arguments[at : at + 1] == ["--"]) :]]
        self.line = " ".join(command or ["single"]) if self.simulated else quoted_words(command or ["ssburn"])
        self.output = Path(self.to).absolute()
        self.nodes: list[str] = []
        # Nodes of a total are whoever comes.
        self.anonymous = bool(self.total) and self.wanted.isdigit()
        program = "ssreport" if self.only_report else "showstopper"
        refuse(not os.access(Path(self.programs) / program, os.X_OK), f"--build: {self.programs}/{program} isn't there")
        self.build = Path(self.programs).resolve()

    def main(self) -> int:
        held = (self.output / "nodes.tsv").exists()
        if self.only_report:
            refuse(not held, f"{self.output} holds no run")
            self.report()
            return 0
        self.nodes = self.choose_nodes()
        if self.dry_run:
            for node in self.nodes:
                print(f"{node}: {self.traces[node]}, {self.line_of(node)}")
            if not self.simulated:
                print(self.srun_command())
            return 0
        refuse(held, f"{self.output} holds a run; choose another --output")
        (self.output / "nodes").mkdir(parents=True, exist_ok=True)
        began = self.simulate() if self.simulated else self.run()
        revision = machine.revision()
        complete = [self.write_record(node, began, revision) for node in self.nodes]
        self.report()
        return 0 if all(complete) else 1

    # ---- Nodes --------------------------------------------------------------------------------------------------------------------

    def choose_nodes(self) -> list[str]:
        """Their names, or for a total that any nodes share places node1, node2... Each has its trace then, or that of the total."""
        nodes = self.nodes_of_total() if self.total else self.nodes_of_traces()
        for node in nodes:
            check_name("--nodes", node)
            refuse(node not in self.traces, f"{node}: expected --trace {node}=FILE")
        for node in [*self.shares, *self.lines]:
            refuse(node not in nodes, f"{node} is none of the nodes: {','.join(nodes)}")
        refuse(len(set(nodes)) < len(nodes), "--nodes: a node is given twice")
        for trace in dict.fromkeys(self.traces[node] for node in nodes):
            self.sstrace("--check", trace)
        return nodes

    def sstrace(self, *words: str) -> str:
        result = attempt([self.build / "sstrace", *words])
        if result.returncode != 0:
            sys.stderr.write(result.stderr)
            raise SystemExit(125)
        return result.stdout

    def nodes_of_total(self) -> list[str]:
        refuse(self.folder or self.traces, "--total: expected no --trace and no --traces beside it")
        refuse(not os.access(self.total, os.R_OK), f"--total: can't read {self.total}")
        refuse(not self.wanted, "--total: expected --nodes, their names or how many")
        nodes = self.wanted.split(",")
        if self.anonymous:
            refuse(self.shares or self.lines, "--nodes: expected names, as --share and --command name some")
            nodes = [f"node{place}" for place in range(1, number_from("--nodes", self.wanted, 1) + 1)]
        self.traces = dict.fromkeys(nodes, self.total)
        return nodes

    def nodes_of_traces(self) -> list[str]:
        refuse(self.shares, "--share: expected --total beside it")
        files = sorted(Path(self.folder).glob("*.trace")) if self.folder else []
        if self.folder and not (files and all(os.access(file, os.R_OK) for file in files)):
            raise Trouble(f"--traces: found no {self.folder}/NODE.trace that can be read")
        for file in files:
            check_name("--traces", file.stem)
            self.traces.setdefault(file.stem, str(file))
        refuse(not self.traces, "expected what nodes follow: --trace, --traces or --total")
        return self.wanted.split(",") if self.wanted else sorted(self.traces)

    def line_of(self, node: str) -> str:
        return self.lines.get(node, self.line)

    def place(self, node: str) -> Path:
        return self.output / "nodes" / node

    def write_traces(self, processors: dict[str, int]) -> None:
        """The trace of each node into its folder. Of a total, each takes so much more or less that the sum over all, each by its processors, is what was
        asked."""
        shares = {node: self.shares.get(node, "1") for node in self.nodes}
        weighed = sum(processors[node] * float(shares[node]) for node in self.nodes)
        for node in self.nodes:
            self.place(node).mkdir(parents=True, exist_ok=True)
            trace = self.sstrace("--text", self.traces[node])
            if self.total:
                trace = scaled(node, trace, float(shares[node]) * sum(processors.values()) / weighed)
            write(self.place(node) / "trace", trace)
        table = [f"{node}\t{processors[node]}\t{shares[node]}\n" for node in self.nodes]
        write(self.output / "nodes.tsv", "".join(table))

    @property
    def lengths(self) -> list[str]:
        return ["-w", f"{self.warm_up}s", *(["-r", f"{self.seconds}s"] if self.seconds else [])]

    # ---- A start --------------------------------------------------------------------------------------------------------------------

    def srun_command(self) -> str:
        count = len(self.nodes)
        words = f"srun --job-name=showstopper-fleet --nodes={count} --ntasks={count} --ntasks-per-node=1 --exclusive --mem=0".split()
        words += [] if self.anonymous else [f"--nodelist={','.join(self.nodes)}"]
        words += ["--no-kill"] if self.dying == "go-on" else []
        agent = [str(machine.EXPERIMENTS / "fleet"), "--agent", str(self.output)]
        return quoted_words([*words, "--kill-on-bad-exit=0", "--wait=0", *self.slurm, *agent])

    def agents(self) -> list[Agent]:
        """Those that are there."""
        files = sorted((self.output / "agents").glob("*.json"))
        return [Agent(**json.loads(file.read_text())) for file in files]

    def stop(self, srun: subprocess.Popen[str], why: str) -> None:
        """And its job. Agents that wait see that nothing comes of it."""
        write(self.output / "refused", f"{why}\n")
        for job in {agent.job for agent in self.agents()} - {"0"}:
            attempt(["scancel", job])
        # At the first it asks whether that is meant.
        srun.terminate()
        srun.terminate()
        srun.wait()

    def remove(self, *names: str) -> None:
        for name in names:
            remove(self.output / name)

    def gather_nodes(self, srun: subprocess.Popen[str]) -> None:
        first, count = 0.0, len(self.nodes)
        while True:
            (self.output / "alive").touch()
            there = {agent.node for agent in self.agents()}
            if len(there) >= count:
                return
            said = (lines_of(self.output / "srun.txt") or [""])[-1]
            refuse(srun.poll() is not None, f"srun ended before all nodes were there: {said}")
            first = first or (time.time() if there else 0.0)
            if first and time.time() - first > self.gather:
                absent = [] if self.anonymous else [f", {node} is missing" for node in self.nodes if node not in there]
                came = f"only {len(there)} of {count} nodes came within {self.gather} s of the first"
                raise Trouble(came + "".join(absent))
            time.sleep(0.2)

    def check_clocks(self) -> str:
        """The clocks of all against that of the folder. What is not known better than to some ms is taken from the difference."""
        agents = self.agents()
        early, late = min(agents, key=lambda agent: agent.ahead), max(agents, key=lambda agent: agent.ahead)
        difference = 1000 * (late.ahead - early.ahead)
        write(self.output / "clocks", f"{difference:.1f}\n")
        if difference - 1000 * (early.within + late.within) > self.apart:
            ahead = f"the clock of {late.node} is {difference:.0f} ms ahead of that of {early.node}"
            raise Trouble(f"{ahead}, and {self.apart} ms at most are accepted (--apart)")
        return f"{difference:.1f}"

    def place_agents(self) -> dict[str, Agent]:
        """Which agent is which node of the traces."""
        agents = sorted(self.agents(), key=lambda agent: agent.number)
        places = {f"node{at}" if self.anonymous else agent.node: agent for at, agent in enumerate(agents, 1)}
        for node in self.nodes:
            refuse(node not in places, f"{node} didn't come; another node did")
        return places

    def command_of(self, node: str, moment: str) -> str:
        words = ["exec", str(self.build / "showstopper"), "-q", "--start-at", f"@{moment}", "-t", "file", "-T"]
        words += [f"trace,speed={self.speed}", *self.lengths, *RECORDS.split(), "--grace", "2s", *self.base.split()]
        return f"{quoted_words(words)} -- sh -c {quoted(f'exec {self.line_of(node)}')}\n"

    def watch(self, srun: subprocess.Popen[str], moment: float) -> None:
        """A node is dead when it wrote no row for a while, though all should write them."""
        dead: list[str] = []
        write(self.output / "dead", "")
        seen: dict[str, tuple[int, float]] = {}
        running = self.nodes
        while running and srun.poll() is None:
            time.sleep(1)
            now = time.time()
            running = [node for node in self.nodes if not (self.place(node) / "status").exists() and node not in dead]
            for node in running:
                rows = len(lines_of(self.place(node) / "log.csv"))
                if rows != seen.get(node, (-1, now))[0] or now <= moment + self.warm_up + 1:
                    seen[node] = (rows, now)
                elif now - seen[node][1] >= self.lost:
                    dead.append(node)
                    write(self.output / "dead", "".join(f"{one}\n" for one in dead))
                    print(f"{node} is dead: no row for {self.lost} s", file=sys.stderr)
                    if self.dying == "end":
                        return self.stop(srun, f"{node} is dead")
        # What is dead doesn't end by itself.
        if dead:
            self.stop(srun, f"{listed(dead)} died")
        srun.wait()

    def run(self) -> float:
        """When it began."""
        refuse(not has_program("srun"), "there is no srun here; --simulate needs none")
        self.remove("agents", "go", "refused")
        (self.output / "agents").mkdir()
        write(self.output / "srun", f"exec {self.srun_command()}\n")
        with (self.output / "srun.txt").open("wb") as said:
            srun = start(["sh", self.output / "srun"], stdout=said, stderr=said)
        try:
            moment = self.begin(srun)
            self.watch(srun, moment)
        except Trouble as trouble:
            self.stop(srun, str(trouble))
            self.remove("nodes", "agents")
            raise
        except Interrupted:
            self.stop(srun, "interrupted")
            print("\ninterrupted", file=sys.stderr)
            raise
        self.remove("agents", "go", "alive", "refused")
        return moment

    def begin(self, srun: subprocess.Popen[str]) -> float:
        """All nodes at one moment, which is returned."""
        self.gather_nodes(srun)
        (self.output / "alive").touch()
        apart = self.check_clocks()
        places = self.place_agents()
        self.write_traces({node: places[node].processors for node in self.nodes})
        # Enough to write all commands and for the slowest to see it; showstopper refuses a moment that has passed.
        moment = f"{int(time.time() + 4 + len(self.nodes) / 20)}.0"
        for node in self.nodes:
            write(self.place(node) / "machine", f"{places[node].node}\n")
            write(self.place(node) / "command", self.command_of(node, moment))
        write(self.output / "go", "".join(f"{places[node].node} {node}\n" for node in self.nodes))
        print(f"{len(self.nodes)} nodes begin at @{moment}; their clocks are {apart} ms apart")
        return float(moment)

    def simulate(self) -> float:
        """A process per node, as many at a time as there are processors. When it began."""
        self.write_traces({node: self.simulated_processors for node in self.nodes})
        count = str(self.simulated_processors)
        for place, node in enumerate(self.nodes, 1):
            words = ["exec", str(self.build / "sssim"), "-q", "-p", count, "-W", self.line_of(node), "-n", count]
            words += ["--seed", str(place), "-t", "file", "-T", f"trace,speed={self.speed}", *self.lengths]
            write(self.place(node) / "command", f"{quoted_words([*words, *self.base.split(), '-o', 'log.csv'])}\n")
        write(self.output / "dead", "")
        began = time.time()
        with ThreadPoolExecutor(machine.processor_count()) as pool:
            list(pool.map(lambda node: run_command(self.place(node)), self.nodes))
        return began

    def write_record(self, node: str, began: float, revision: str) -> bool:
        """Whether it is complete."""
        folder, environment = self.place(node), "sssim" if self.simulated else "native"
        seed = self.nodes.index(node) + 1 if self.simulated else None
        group = Group(self.line_of(node), str(self.simulated_processors if self.simulated else "P"))
        run = Run((node,), (group,), self.seconds, (), self.base, 1, self.traces[node], "fleet", seed, environment)
        status = int(first_line(folder / "status") or -1)
        of, command = first_line(folder / "machine") or os.uname().nodename, " ".join(lines_of(folder / "command"))
        word = COMPLETE if status == 0 and log_is_whole(folder / "record.csv") else FAILED
        Record(run.fields(), command, revision, of, began, time.time(), word, status).write(folder)
        if word == FAILED and (said := first_line(folder / "messages.txt")):
            print(f"{node}: {said}", file=sys.stderr)
        return word == COMPLETE

    # ---- Its report -----------------------------------------------------------------------------------------------------------------

    def report(self) -> None:
        asked = [line.split("\t")[0] for line in lines_of(self.output / "nodes.tsv")]
        logs = {node: self.place(node) / "log.csv" for node in asked}
        # Of two rows at least, the header and one.
        words = [word for node in asked if len(lines_of(logs[node])) >= 2 for word in ("-l", node, logs[node])]
        refuse(not words, "no node has a log")
        figures.draw(self.build, "fleet", "-o", self.output / "fleet.csv", "-o", self.output / "fleet.svg", *words)
        rows = read_csv(self.output / "fleet.csv")
        report = Report(self.output, "fleet", "A fleet")
        report.text(self.sentence(rows, len(asked)))
        above = "Above, the load of each node over time, the greater the darker"
        report.picture("fleet.svg", f"{above}; below, the load of all against their targets")
        report.heading("Nodes")
        report.text(
            "Loads in per cent, errors in percentage points (pp) and pp². All together are a share of the whole fleet, in which each node counts alike."
        )
        for row in rows:
            row |= {name: f"{100 * known(row, name):f}" for name in ("target", "load")}
        cells = [[row["label"], *(shown(row, name, form) for _, name, form in COLUMNS)] for row in rows]
        table = [["node", *(head for head, _, _ in COLUMNS)], *cells]
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
        unknown = "The logs tell no wall clock; all are taken to have begun together."
        said += f"The last one began {max(late):.1f} ms after the first." if late else unknown
        if apart := first_line(self.output / "clocks"):
            said += f" Before, their clocks were {apart} ms apart, as far as the shared folder shows."
        ends = {row["label"]: known(row, "end_s") for row in nodes}
        for node in lines_of(self.output / "dead"):
            said += f" {node} died: its log ends at {ends.get(node, 0):.1f} s of {known(whole, 'end_s'):.1f} s."
        return said


def scaled(node: str, trace: str, factor: float) -> str:
    """A trace whose loads are so many times as high."""
    lines = [line.split() for line in trace.splitlines()]
    loads = {at: float(of[1]) * factor for at, of in enumerate(lines) if len(of) > 1 and of[1][0] in "0123456789."}
    if (most := max(loads.values(), default=0.0)) > 1.000001:
        raise Trouble(
            f"--share: {node} would have a load of {100 * most:.0f} % for its share of --total; expected 100 % at most"
        )
    for at, load in loads.items():
        lines[at] = [lines[at][0], f"{min(1.0, load):.9f}"]
    return "".join(" ".join(words) + "\n" for words in lines)


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


def run_command(folder: Path) -> int:
    """What stands in its file command, in it; its status goes there, too. What asks this program to end asks that."""
    with (folder / "messages.txt").open("wb") as messages:
        child = start(["sh", "command"], cwd=folder, stderr=messages)
    try:
        status = status_of(child)
    except Interrupted:
        child.terminate()
        status = status_of(child)
    write(folder / "status", f"{status}\n")
    return status


def agent(output: Path) -> int:
    """What runs on each node: it says that it is there, waits for the moment, and runs its command."""
    of = os.environ
    node = of.get("SLURMD_NODENAME") or os.uname().nodename
    (output / "agents").mkdir(parents=True, exist_ok=True)
    os.chdir(output)
    ahead, within = clock_of_folder(Path(f"agents/{node}.clock"))
    count, job = machine.processor_count(), of.get("SLURM_JOB_ID", "0")
    said = Agent(node, int(of.get("SLURM_PROCID", "0")), count, ahead, within, job)
    write(Path(f"agents/{node}.json"), json.dumps(asdict(said)))
    wait_for_go()
    places = [words[1] for words in map(str.split, lines_of(Path("go"))) if words[0] == node]
    return 125 if Path("refused").exists() or not places else run_command(Path("nodes") / places[0])
