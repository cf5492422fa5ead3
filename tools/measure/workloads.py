# SPDX-License-Identifier: MIT
"""The catalogue of workloads: files NAME.workload, what they say, the command line of one, Java programs."""

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from measure.machine import EXPERIMENTS, ROOT
from measure.process import attempt, has_program, output_of
from measure.text import Trouble, in_seconds, quoted, refuse

OURS = EXPERIMENTS / "workloads"
KEYS = "summary class command records warmup instances driver needs needs_file needs_variable".split()
TIME = r"([0-9]+\.?[0-9]*|\.[0-9]+)"
NAME = "[A-Za-z_][A-Za-z0-9_]*"
# What a value should look like, and how that is said.
RULES = {
    "class": (
        "single-threaded|(moderately|highly) parallel",
        "single-threaded, moderately parallel or highly parallel",
    ),
    "records": ("own|ssiterate", "own or ssiterate"),
    "warmup": (f"{TIME}|({TIME}(min|ns|us|ms|n|u|m|s|M|h|d))+", "a time such as 10s"),
    "instances": ("P|100000|[1-9][0-9]{0,4}", "P or a whole number from 1 to 100000"),
    "driver": (NAME, "the name of a Java class"),
    "needs": (r"[a-z0-9][a-z0-9.+-]*(\s+[a-z0-9][a-z0-9.+-]*)*", "names of Debian packages"),
    "needs_file": (r"/\S*(\s+/\S*)*", "absolute paths"),
    "needs_variable": (rf"{NAME}(\s+{NAME})*", "names of variables"),
}
PLACEHOLDERS = "%@,:=+"


class Faulty(Trouble):
    """A file has faults: a line for each."""


@dataclass
class KeyFile:
    """A file of lines `key = value`: what it says, where, and what is wrong with it."""

    path: str
    values: dict[str, str]
    at: dict[str, int]
    faults: list[str]


def read_keys(path: str, keys: list[str], rules: dict[str, tuple[str, str]], needed: list[str]) -> KeyFile:
    try:
        lines = Path(path).read_text(encoding="utf-8", errors="surrogateescape").split("\n")
    except OSError as error:
        raise Faulty(f"{path}: no file that can be read") from error
    faults: list[str] = []
    at: dict[str, int] = {}
    values: dict[str, str] = {}
    for number, text in enumerate((line.removesuffix("\r") for line in lines), 1):
        if not text.strip(" \t") or text.lstrip(" \t").startswith("#"):
            continue
        key, equals, value = (part.strip(" \t") for part in text.partition("="))
        if not equals or not re.fullmatch("[A-Za-z_]+", key):
            faults.append(f'{path}:{number}: found "{text}", expected key = value or a comment')
        elif key not in keys:
            faults.append(f'{path}:{number}: unknown key "{key}", expected one of {" ".join(keys)}')
        elif key in at:
            faults.append(f"{path}:{number}: {key} is there already, in line {at[key]}")
        else:
            at[key], values[key] = number, value
            if not value:
                faults.append(f"{path}:{number}: {key}: expected a value")
            elif key in rules and not re.fullmatch(rules[key][0], value):
                faults.append(f'{path}:{number}: {key}: found "{value}", expected {rules[key][1]}')
    faults += [f"{path}: expected the key {key}" for key in needed if key not in at]
    return KeyFile(path, values, at, faults)


def parse(path: str) -> dict[str, str]:
    """Keys and values, those that are left out too."""
    file = read_keys(path, KEYS, RULES, KEYS[:4])
    values = file.values
    where, has_records = f"{path}:{file.at.get('command')}: command", "{records}" in values.get("command", "")
    if "command" in file.at and values.get("records") == "own" and not has_records:
        file.faults.append(f"{where}: expected {{records}} in it, as records = own")
    if values.get("records") == "ssiterate" and has_records:
        file.faults.append(f"{where}: found {{records}}, which ssiterate writes, as records = ssiterate")
    if file.faults:
        raise Faulty("\n".join(file.faults))
    return dict.fromkeys(KEYS, "") | {"warmup": "0s", "instances": "P"} | values


@cache
def installed() -> frozenset[str] | None:
    """Debian's packages; None where that isn't Debian."""
    if not has_program("dpkg-query"):
        return None
    said = output_of(["dpkg-query", "-W", "-f", "${db:Status-Status} ${Package}\n"])
    return frozenset(line.split()[1] for line in said.splitlines() if line.startswith("installed "))


def has_package(name: str) -> bool:
    if name in ("default-jdk-headless", "default-jre-headless"):
        return has_program("javac" if "jdk" in name else "java")
    there = installed()
    return there is None or name in there


@dataclass(frozen=True)
class Workload:
    name: str
    file: str
    keys: dict[str, str]

    @property
    def folder(self) -> Path:
        return Path(self.file).parent

    @property
    def warm_up(self) -> float:
        return in_seconds(self.keys["warmup"])

    def packages(self) -> list[str]:
        return [package for package in self.keys["needs"].split() if not has_package(package)]

    def missing(self) -> list[str]:
        lacking = self.packages() + [path for path in self.keys["needs_file"].split() if not Path(path).exists()]
        for variable in self.keys["needs_variable"].split():
            path = os.environ.get(variable, "")
            if not path or not Path(path).exists():
                lacking.append(f"${variable}: {path}" if path else f"${variable}")
        return lacking

    def command(
        self, build: str = "", java: str = "", records: str = "", placeholder: str = "", wrap: bool = False
    ) -> str:
        """The command line for sh -c. What stands for nothing to showstopper is doubled, but for that of the records."""
        line, needed = self.keys["command"], {"build": "--build DIR", "java": "--java DIR", "records": "--records FILE"}
        given = {"root": str(ROOT), "build": absolute(build), "java": absolute(java), "records": absolute(records)}
        for word, needs in needed.items():
            refuse(f"{{{word}}}" in line and not given[word], f"{self.name} needs {needs}")

        def doubled(text: str) -> str:
            return text.replace(placeholder, placeholder * 2) if placeholder else text

        # Names of what is given stand at the odd places.
        pieces = re.split(r"\{(root|build|java|records)\}", line)
        for place, piece in enumerate(pieces):
            said = quoted(given[piece]) if place % 2 else piece
            pieces[place] = said if place % 2 and piece == "records" else doubled(said)
        if not wrap or self.keys["records"] != "ssiterate":
            return "".join(pieces)
        for word in ("build", "records"):
            refuse(not given[word], f"--wrap needs {needed[word]} for {self.name}")
        iterate = quoted(doubled(given["build"] + "/ssiterate"))
        return f"exec {iterate} -o {quoted(given['records'])} -- sh -c {quoted(''.join(pieces))}"


def absolute(path: str) -> str:
    return path if path.startswith("/") or not path else f"{os.getcwd()}/{path}"


def folders() -> list[Path]:
    return [Path(place) for place in os.environ.get("SHOWSTOPPER_WORKLOADS", "").split(":") if place] + [OURS]


def files(first: Iterable[str] = ()) -> list[str]:
    """Of the catalogue, each name once."""
    found = list(first) + [str(entry) for place in folders() for entry in sorted(place.glob("*.workload"))]
    return list({path.rsplit("/", 1)[-1]: path for path in reversed(found)}.values())[::-1] if found else []


def name_of(path: str) -> str:
    return path.rsplit("/", 1)[-1].removesuffix(".workload")


def load(path: str, name: str = "") -> Workload:
    workload = Workload(name or name_of(path), path, parse(path))
    driver = workload.keys["driver"]
    if driver and not (workload.folder / f"{driver}.java").is_file():
        raise Faulty(f"{path}: driver: expected the file {driver}.java beside it")
    return workload


def find(name: str) -> Workload:
    if "/" in name or name.endswith(".workload"):
        return load(name, name)
    for place in folders():
        if (place / f"{name}.workload").is_file():
            return load(f"{place}/{name}.workload")
    raise Trouble(f"there is no workload '{name}' ({' '.join(name_of(path) for path in files())})")


# ---- Java -------------------------------------------------------------------------------------------------------------------------


def is_stale(workload: Workload, java: Path) -> bool:
    made = java / f"{workload.keys['driver']}.class"
    sources = [*workload.folder.glob("*.java"), *OURS.glob("*.java")]
    return not made.is_file() or any(source.stat().st_mtime > made.stat().st_mtime for source in sources)


def build_java(workloads: Iterable[Workload], java: Path) -> None:
    """In one go. Classes are made in a folder of their own and then moved, so that an interruption leaves no half a class; those whose age
    counts come last."""
    stale = [workload for workload in workloads if workload.keys["driver"] and is_stale(workload, java)]
    if not stale:
        return
    last = {f"{workload.keys['driver']}.class" for workload in stale}
    sources = dict.fromkeys(str(workload.folder / f"{workload.keys['driver']}.java") for workload in stale)
    try:
        java.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="new.", dir=java) as new:
            compile_java(list(sources), [str(workload.folder) for workload in stale], Path(new))
            for made in sorted(Path(new).glob("*.class"), key=lambda path: path.name in last):
                shutil.move(made, java / made.name)
    except OSError as error:
        raise Trouble(f"can't write in {java}") from error


def compile_java(drivers: list[str], places: list[str], to: Path) -> None:
    jars = "/usr/share/java/*" + (f":{os.environ['CLASSPATH']}" if os.environ.get("CLASSPATH") else "")
    words = ["javac", "-proc:none", "-encoding", "UTF-8", "-cp", jars, "-d", to]
    result = attempt([*words, "-sourcepath", ":".join([*places, str(OURS)]), *drivers])
    if result.returncode != 0:
        sys.stderr.write(result.stdout + result.stderr)
        raise Trouble(f"javac failed on {' '.join(drivers)}")
    for name in (f"{Path(driver).stem}.class" for driver in drivers):
        refuse(not (to / name).exists(), f"{name} is none of what javac made")


def with_drivers(names: list[str]) -> Iterator[Workload]:
    """Those that can be had: all, or those that are named."""
    for workload in [find(name) for name in names] or [load(path) for path in files()]:
        lacking = workload.missing() if workload.keys["driver"] else []
        refuse(lacking and names, f"{workload.name}: missing: {' '.join(lacking)}")
        if lacking:
            print(f"left out: {workload.name}, missing: {' '.join(lacking)}")
        else:
            yield workload
