# SPDX-License-Identifier: MIT
"""The machine that measures: what it is, whether it is quiet, the sources and their build."""

import fcntl
import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

from measure.process import allowed_processors, attempt, has_program, output_of
from measure.text import Trouble, lines_of, number, refuse, rows_of

ROOT = Path(__file__).resolve().parents[2]
EXPERIMENTS = ROOT / "tools/experiments"
BUSY = 5.0  # per cent of the machine
# Documents, pictures and kept figures are no changes: each block that is published is one.
NO_SOURCES = (":(exclude)*.md", ":(exclude)*.svg", ":(exclude)tools/experiments/measured")


def processor_count() -> int:
    return len(allowed_processors())


def git(root: Path, *words: str, env: dict[str, str] | None = None) -> str | None:
    if not has_program("git"):
        return None
    result = attempt(["git", "-C", root, *words], env)
    return None if result.returncode else result.stdout.strip()


def tree_to_commit(root: Path, paths: Sequence[str]) -> str:
    """What HEAD will be when all that stands in these paths is committed."""
    with TemporaryDirectory() as folder:
        env = {**os.environ, "GIT_INDEX_FILE": f"{folder}/index"}
        git(root, "read-tree", "HEAD", env=env)
        git(root, "add", "-A", "--", *(path for path in paths if (root / path).exists()), env=env)
        return git(root, "write-tree", env=env) or "HEAD"


def revision(root: Path = ROOT) -> str:
    """Empty where it is not known: this is no checkout."""
    if git(root, "rev-parse", "--verify", "-q", "HEAD") is None:
        return ""
    clean = git(root, "diff", "--quiet", "HEAD", "--", ".", *NO_SOURCES) is not None
    return f"{git(root, 'describe', '--always')}{'' if clean else '-dirty'}"


def has_changed(root: Path, since: str, paths: list[str]) -> bool:
    return not since or git(root, "diff", "--quiet", since, "--", *paths, ":(exclude)*.md") is None


def model() -> str:
    """Of the processors, empty where it is not known."""
    return said_in(Path("/proc/cpuinfo"), "model name")


def said_in(path: Path, key: str) -> str:
    """Behind the first colon of a line that begins with a key."""
    return next((line.partition(":")[2].strip() for line in lines_of(path) if line.startswith(key)), "")


def kernel() -> str:
    return f"{os.uname().sysname} {os.uname().release}"


def virtual_kind() -> str:
    if has_program("systemd-detect-virt") and (said := attempt(["systemd-detect-virt", "--vm"]).stdout.strip()):
        return "no virtual machine" if said == "none" else f"a virtual machine ({said})"
    seen = "hypervisor" in said_in(Path("/proc/cpuinfo"), "flags").split()
    return "a virtual machine" if seen else "no virtual machine seen"


def description(build: Path) -> str:
    """One line, as it stands above figures."""
    checked = attempt([build / "showstopper", "--check-machine"]).stdout
    said = re.search(r"^accounting: *(.*) for user and system time, ", checked, re.M)
    source = re.search(r"^(\w+): *chosen: ", checked, re.M)
    name, accounting = f" ({model()})" if model() else "", said[1] if said else "unknown"
    load = f", load by {source[1]}" if source else ""
    return f"{processor_count()} processors{name}, {kernel()}, {virtual_kind()}, accounting {accounting}{load}"


# ---- Quiet? -----------------------------------------------------------------------------------------------------------------------


def tick_counts() -> list[int]:
    """Of all processors, in the order of proc_stat(5): user, nice, system, idle, iowait, irq, softirq, steal."""
    return [int(field) for field in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]


def idle_seconds() -> float:
    counts = tick_counts()
    return (counts[3] + counts[4]) / os.sysconf("SC_CLK_TCK")


def stolen_since(before: list[int]) -> float | None:
    """Per cent of the time in which something was to run that the host gave to others; None where nothing was."""
    passed = [now - then for now, then in zip(tick_counts(), before)]
    wanted = sum(passed) - passed[3] - passed[4]
    return 100 * passed[7] / wanted if wanted > 0 else None


def load_of_others(build: Path | None, seconds: int = 2) -> float:
    """Per cent of the machine, before anything was started."""
    if build and os.access(build / "cpuload", os.X_OK):
        rows = rows_of(output_of([build / "cpuload", f"{seconds}s", "1"]))
        load = number(rows[-1], "load") if rows else None
        refuse(load is None, "the load of this machine can't be measured")
        return 100 * (load or 0)
    idle, began = idle_seconds(), time.monotonic()
    time.sleep(seconds)
    share = (idle_seconds() - idle) / (time.monotonic() - began) / (os.cpu_count() or 1)
    return max(0.0, 100 * (1 - share))


def check_idle(build: Path | None, force: bool, limit: float = BUSY) -> float:
    """What other programs do at the moment; refuses a busy machine."""
    other = load_of_others(build)
    if round(other, 1) > limit:
        busy = f"the machine is busy ({other:.1f} %"
        refuse(not force, f"{busy} before anything was started); --force measures all the same")
        print(f"warning: {busy}); the numbers say little", file=sys.stderr)
    return other


# ---- Build and packages -----------------------------------------------------------------------------------------------------------


def install(purpose: str, *packages: str) -> None:
    """Debian packages, by tools/setup, which says what is missing."""
    refuse(subprocess.call([str(ROOT / "tools/setup"), purpose, *packages]), f"tools/setup {purpose} failed")


def prepare_build(build: str, programs: str, folder: str = "demo", targets: str = "", testing: bool = False, setup: str = "build") -> Path:  # fmt: skip
    """The folder with the programs, which is built first when none is given."""
    to = Path(build or ROOT / "build" / folder)
    if not build:
        install(setup)
        build_in(to, targets.split(), testing)
    refuse(not to.is_dir(), f"--build: there is no folder '{build}'")
    to = to.resolve()
    for program in programs.split():
        hint = " (what is in tests/ is built with -DBUILD_TESTING=ON)" if program.startswith("tests/") else ""
        refuse(not os.access(to / program, os.X_OK), f"{to / program} isn't there{hint}")
    return to


def build_in(to: Path, targets: list[str], testing: bool) -> None:
    log = to / "build.log"
    to.mkdir(parents=True, exist_ok=True)
    print(f"building Showstopper in {to}, as {log} says", file=sys.stderr)
    configure = f"-G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DBUILD_TESTING={'ON' if testing else 'OFF'}".split()
    only = ["--target", *targets] if targets else []
    with log.open("wb") as file:
        for step in (["cmake", "-S", str(ROOT), "-B", str(to), *configure], ["cmake", "--build", str(to), *only]):
            if subprocess.call(step, stdout=file, stderr=subprocess.STDOUT) != 0:
                sys.stderr.write(log.read_text(errors="replace"))
                raise Trouble("the build failed")


def lock(path: Path, where: str) -> IO[bytes]:
    """Held until the file that is returned is closed."""
    file = path.open("rb")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise Trouble(f"another experiment {where} is running") from error
    return file
