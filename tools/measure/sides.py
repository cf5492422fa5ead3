# SPDX-License-Identifier: MIT
"""How the processors are divided between a foreground (side 0) and a background (side 1): schemes of showstopper --pin, or lists."""

import re
from pathlib import Path

from measure.text import lines_of, listed, refuse

NAMED = ("neutral", "per-chip", "per-core", "per-thread", "packed", "spread", "dynamic")
SETTING = "[a-z]+=[A-Za-z0-9.%/-]+"
LISTS = "NAME=LIST/LIST such as mine=0-3/4+6"
PROCESSORS = r"[0-9]+(-[0-9]+)?(\+[0-9]+(-[0-9]+)?)*"


def check(scheme: str) -> None:
    form, what = f"[A-Za-z][A-Za-z0-9-]*={PROCESSORS}/{PROCESSORS}", f"{listed(NAMED)}, or {LISTS}"
    if scheme.startswith("dynamic:"):
        form = f"dynamic:{SETTING}(\\+{SETTING})*"
        what = "settings joined by +, such as dynamic:below=spread+above=packed"
    refuse(scheme not in NAMED and not re.fullmatch(form, scheme), f"--schemes: '{scheme}': expected {what}")


def name_of(scheme: str) -> str:
    return re.split("[:=]", scheme)[0]


def here() -> list[str]:
    """Which of per-core, per-thread and per-chip divide this machine: it needs several cores in a chip, threads in a core, or chips (packages or NUMA
    nodes). Where nothing is known of it: packed."""

    system = Path("/sys/devices/system")

    def different(files: str) -> int:
        return len({line for file in system.glob(files) for line in lines_of(file) if line})

    processors = len(list(system.glob("cpu/cpu[0-9]*/topology")))
    cores = different("cpu/cpu[0-9]*/topology/thread_siblings_list")
    packages = different("cpu/cpu[0-9]*/topology/physical_package_id")
    several_chips = packages > 1 or different("node/node[0-9]*/cpulist") > 1
    divides = {"per-core": cores > packages, "per-thread": 0 < cores < processors, "per-chip": several_chips}
    return [scheme for scheme, does in divides.items() if does] or ["packed"]


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
