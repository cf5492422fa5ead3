# SPDX-License-Identifier: MIT
"""How the processors are divided between a foreground (side 0) and a background (side 1): schemes of showstopper --pin, or lists."""

import re
from pathlib import Path

from measure.text import Trouble, lines_of

NAMED = ("neutral", "per-chip", "per-core", "per-thread", "packed", "spread", "dynamic")
PROCESSORS = r"[0-9]+(-[0-9]+)?(\+[0-9]+(-[0-9]+)?)*"


def check(scheme: str) -> None:
    if scheme in NAMED:
        return
    if scheme.startswith("dynamic:"):
        if not re.fullmatch(r"dynamic:[a-z]+=[A-Za-z0-9.%/-]+(\+[a-z]+=[A-Za-z0-9.%/-]+)*", scheme):
            raise Trouble(
                f"--schemes: '{scheme}': expected settings joined by +, such as dynamic:below=spread+above=packed"
            )
    elif not re.fullmatch(f"[A-Za-z][A-Za-z0-9-]*={PROCESSORS}/{PROCESSORS}", scheme):
        raise Trouble(
            f"--schemes: '{scheme}': expected neutral, per-chip, per-core, per-thread, packed, spread, dynamic, or NAME=LIST/LIST such as mine=0-3/4+6"
        )


def name_of(scheme: str) -> str:
    return re.split("[:=]", scheme)[0]


def here() -> list[str]:
    """Which of per-core, per-thread and per-chip divide this machine: it needs several cores in a chip, threads in a core, or chips (packages or NUMA
    nodes). Where nothing is known of it: packed."""

    def different(of: str, what: str) -> set[str]:
        return {
            line for file in Path("/sys/devices/system").glob(f"{of}[0-9]*/{what}") for line in lines_of(file) if line
        }

    processors = len(list(Path("/sys/devices/system").glob("cpu/cpu[0-9]*/topology")))
    cores = len(different("cpu/cpu", "topology/thread_siblings_list"))
    packages = len(different("cpu/cpu", "topology/physical_package_id"))
    found = ["per-core"] if cores > packages else []
    found += ["per-thread"] if 0 < cores < processors else []
    found += ["per-chip"] if packages > 1 or len(different("node/node", "cpulist")) > 1 else []
    return found or ["packed"]


def options_of(scheme: str, side: int) -> list[str]:
    """Group options of showstopper."""
    if scheme.startswith("dynamic"):
        return ["--pin", scheme.replace("+", ",") if side == 0 else "dynamic"]
    if "=" in scheme:
        return ["--cpus", scheme.partition("=")[2].split("/")[side].replace("+", ",")]
    return ["--pin", scheme, "--part", f"{side}/2"]


def is_unpinned(scheme: str, environment: str) -> bool:
    """Without processors of its own, the background's load is what its trees take of the machine, of which one half is theirs. An environment has
    its own load, of its quota or of its virtual processors."""
    return scheme == "neutral" and environment == "native"


def staircase(scheme: str, environment: str, step: str) -> str:
    if is_unpinned(scheme, environment):
        return f"from=47.5%,to=2.5%,step={float(step) / 2:.9g}%"
    return f"from=95%,to=5%,step={step}%"


def feedback(scheme: str, environment: str) -> list[str]:
    return ["-f", "workloads"] if is_unpinned(scheme, environment) else []
