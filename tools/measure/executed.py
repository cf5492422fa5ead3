# SPDX-License-Identifier: MIT
"""Which lines of the sources a test executes, by a build that counts them (gcc). The counts of who is killed are lost."""

import json
import os
import shutil
import threading
from dataclasses import replace
from pathlib import Path

from measure.confined import confined, tests_in
from measure.process import attempt
from measure.text import refuse

# Counting makes threads slow.
LIMIT_S = 120
# By file: each line with code, and whether it was executed.
Lines = dict[str, dict[int, bool]]
KIND = "-G Ninja -DCMAKE_C_COMPILER=gcc -DCMAKE_BUILD_TYPE=Debug -DSHOWSTOPPER_COVERAGE=ON -DBUILD_TESTING=ON"


def keep(path: Path, text: str) -> None:
    """Nobody finds a part of it, who looks meanwhile."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}")
    new.write_text(text)
    new.replace(path)


class Executed:
    """What is found is kept in a folder, where one is given."""

    def __init__(self, tree: Path, folder: Path, jobs: int, kept: Path | None = None) -> None:
        self.tree, self.build, self.counts, self.kept = tree, folder / "build", folder / "counts", kept
        self.by_test = dict[str, Lines]()
        for words in (
            ["cmake", "-S", tree, "-B", self.build, *KIND.split()],
            ["ninja", "-C", self.build, "-j", str(jobs)],
        ):
            refuse(confined(words, 7200) != 0, f"can't make the build that counts lines: {' '.join(map(str, words))}")
        self.tests = tests_in(self.build)

    def of(self, name: str, enough: threading.Event | None = None) -> Lines:
        """Of a test that fails in this build, nothing."""
        if name not in self.by_test:
            kept = self.kept / f"{name}.lines" if self.kept else None
            if kept and kept.exists():
                found = {
                    file: {int(line): ran for line, ran in of.items()}
                    for file, of in json.loads(kept.read_text()).items()
                }
            else:
                found = self.count(name, enough)
                if kept and found:
                    keep(kept, json.dumps(found))
            self.by_test[name] = found
        return self.by_test[name]

    def count(self, name: str, enough: threading.Event | None) -> Lines:
        counts = self.counts / name
        shutil.rmtree(counts, ignore_errors=True)
        counts.mkdir(parents=True)
        # Other users count, too: what some tests start as nobody.
        counts.chmod(0o777)
        # What libgcov has to say would be taken for messages of the programs.
        env = {"GCOV_PREFIX": str(counts), "GCOV_ERROR_FILE": "/dev/null"}
        try:
            if name not in self.tests:
                return {}
            test = self.tests[name]
            open_to_all = replace(test, command=["sh", "-c", 'umask 0 && exec "$@"', "sh", *test.command])
            return self.read(counts) if open_to_all.passes(LIMIT_S, enough, env) else {}
        finally:
            shutil.rmtree(counts, ignore_errors=True)

    def read(self, counts: Path) -> Lines:
        data = sorted(counts.rglob("*.gcda"))
        for path in data:
            notes = (Path("/") / path.relative_to(counts)).with_suffix(".gcno")
            path.with_suffix(".gcno").symlink_to(notes)
        found: Lines = {}
        text = attempt(["gcov", "--json-format", "--stdout", *data]).stdout if data else ""
        for document in map(json.loads, text.splitlines()):
            for of in document["files"]:
                path = Path(document["current_working_directory"]) / of["file"]
                if path.is_relative_to(self.tree):
                    lines = found.setdefault(str(path.relative_to(self.tree)), {})
                    for line in of["lines"]:
                        at = int(line["line_number"])
                        lines[at] = lines.get(at, False) or line["count"] > 0
        return found

    def see(self, file: str, line: int, names: list[str]) -> list[str]:
        """Those that can see a change there: that execute the line; where it has no code of its own, any of the file's. Who fails when lines are
        counted, may; and where nobody executes it, all may: a process that was killed had perhaps done so."""
        lines = {name: self.of(name) for name in names}
        has_code = any(line in of.get(file, {}) for of in lines.values())
        known = {name for name, of in lines.items() if of}
        executing = {
            name
            for name in known
            if (lines[name].get(file, {}).get(line) if has_code else any(lines[name].get(file, {}).values()))
        }
        return [name for name in names if name in executing or name not in known] if executing else names
