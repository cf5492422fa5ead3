# SPDX-License-Identifier: MIT
"""What the figures of each published block depend on, and whether that is still what it was when they were measured."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from measure import machine

CORE = "include src modules CMakeLists.txt"
# Of each batch: what is measured by another revision of these is another thing.
EXPERIMENTS = (
    f"{CORE} tools/cmake traces tools/ssburn tools/ssiterate tools/experiments/workloads tools/measure/making.py tools/measure/workloads.py"
    " tools/measure/environments"
)
SERVICES = "tools/ssrequest tools/experiments/services tools/measure/services.py"
PEERS = "tools/ssburn tools/cpuload tools/bench/peers tools/measure/peers.py tools/measure/bench.py"
# Beside CORE; documents and pictures never count, nor does tools/python where it takes hours to measure: its tests hold what it computes.
OF = {
    "example": "tools/ssburn tools/ssrequest tools/sstrace tools/bench/example traces",
    "peers": PEERS,
    "closer": f"{PEERS} tools/bench/closer",
    "validate": "tools/sssim tools/ssburn tools/bench/validate",
    "trees": "tools/ssburn tools/cpuload tools/bench/trees",
    "own-cost": "tools/ssburn tests/faults/bare_signals.c tools/bench/own-cost",
    "queues": "tools/ssburn tools/ssrequest tools/bench/queues",
    "actuators": "tools/ssburn tests/faults/noticer.c tools/bench/actuators",
    "scale": "tools/sssim tools/bench/scale",
    "cores": "tools/sssim tools/bench/cores",
    "sources": "tools/cpuload tools/bench/sources",
    "readers": "tools/python tools/bench/readers",
    "stop-latency": "tests/faults/stop_latency.c tests/faults/bare_signals.c tools/bench/stop-latency",
    "faults": "tests/faults tools/bench/faults",
    "ledger": "tests/faults",
    "soak-1": "tools/ssburn tools/bench/soak",
    "soak-2": "tools/ssburn tools/bench/soak",
    "soak-3": "tools/ssburn tools/bench/soak",
    "vm": "tests/vm",
    "vm-exact": "tests/vm",
    "coverage": "tools tests",
    "mutants": "tools tests",
    "experiments-replay": "tools/cpuload tools/sstrace",
    "experiments-services": SERVICES,
    "experiments-quanta": SERVICES,
    "experiments-scaling": f"{SERVICES} tools/measure/instances.py tools/measure/saturation.py",
    "findings": "tools/experiments/findings tools/experiments/measured tools/experiments/paper tools/python tools/measure/claims.py"
    " tools/measure/evidence.py tools/measure/measured.py tools/measure/settings.py tools/measure/tradeoffs.py",
    "variability": "tools/experiments/variability tools/measure/profiles.py tools/measure/rates.py",
}
DOCUMENTS = ("README.md", "tools/bench/README.md", "tests/vm/README.md", "tools/experiments/README.md")
# Compiled only where a library is missing, and then nothing is measured: tools/setup installs all of them.
STAND_IN = "tools/ssburn/without_server.c"
NOT_YET = "not measured yet"
BLOCK = re.compile(r"^<!-- ([a-z0-9-]+): begin -->$(.*?)^<!-- \1: end -->$", re.DOTALL | re.MULTILINE)
# Of tables in which each row has its own, behind.
ROW_REVISION = re.compile(r"^\|.*\| ([0-9a-f]{7,40}) \|$", re.MULTILINE)
HEADING = re.compile(r"^<sub>Revision ([^,]+), .*?, sources ([0-9a-f]+) \(([^)]*)\): `", re.MULTILINE)


def paths_of(block: str) -> list[str]:
    is_batch = block.startswith("experiments-")
    paths = f"{EXPERIMENTS} {OF.get(block, '')}" if is_batch else f"{CORE} {OF.get(block, 'tools tests')}"
    return list(dict.fromkeys(paths.split()))


def fingerprint(root: Path, paths: Sequence[str], tree: str = "HEAD") -> str:
    """Of what is committed there."""
    lines = (machine.git(root, "ls-tree", "-r", tree, "--", *paths) or "").splitlines()
    kept = [line for line in lines if not line.endswith((".md", ".svg", f"\t{STAND_IN}"))]
    return hashlib.sha256("\n".join(kept).encode()).hexdigest()[:12]


def said(root: Path, block: str) -> str:
    """For the heading of a block, which is committed together with the kept figures that it was made of."""
    paths = paths_of(block)
    return f"sources {fingerprint(root, paths, machine.tree_to_commit(root, paths))} ({' '.join(paths)})"


def blocks(to: Path) -> Iterator[tuple[str, str, str]]:
    """Document, block, and what stands in it; documents are those in `to`."""
    for document in DOCUMENTS:
        text = (to / document).read_text(encoding="utf-8") if (to / document).exists() else ""
        for block, body in BLOCK.findall(text):
            yield document, block, body


def stale(root: Path, to: Path) -> Iterator[tuple[str, str, str]]:
    """Document, block, and why its figures are none of the program as it is."""
    for document, block, body in blocks(to):
        if why := why_stale(root, block, body):
            yield document, block, why


def why_stale(root: Path, block: str, body: str) -> str:
    if NOT_YET in body:
        return NOT_YET
    found = HEADING.search(body)
    if not found:
        return "it doesn't say which sources were measured"
    revision, was, paths = found[1], found[2], found[3].split()
    if fingerprint(root, paths) != was or has_grown(root, block, revision, paths):
        return f"what it depends on has changed since {revision}"
    return of_older_rows(root, body, paths)


def has_grown(root: Path, block: str, revision: str, paths: Sequence[str]) -> bool:
    """What is known by now to matter as well has changed."""
    more = [path for path in paths_of(block) if path not in paths]
    return bool(more) and fingerprint(root, more) != fingerprint(root, more, revision)


def of_older_rows(root: Path, body: str, paths: Sequence[str]) -> str:
    """A row may be of a run before that of the heading."""
    now = fingerprint(root, paths)
    older = [of for of in dict.fromkeys(ROW_REVISION.findall(body)) if fingerprint(root, paths, of) != now]
    return f"what it depends on has changed since rows of {', '.join(older)}" if older else ""
