# SPDX-License-Identifier: MIT
"""Which lines of the sources a test executes: what a build of gcc counts, as gcovr reads it. The counts of who is killed are lost."""

import json
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar, cast

from measure.confined import tests_built
from measure.process import output_of
from measure.text import write

T = TypeVar("T")
# Counting makes threads slow.
LIMIT_S = 120
# By file: each line with code, and whether it was executed.
Lines = dict[str, dict[int, bool]]
KIND = "-DCMAKE_C_COMPILER=gcc -DCMAKE_BUILD_TYPE=Debug -DSHOWSTOPPER_COVERAGE=ON"


def kept(path: Path | None, make: Callable[[], T]) -> T:
    """What is made, from the file where a run before has left it there. What is false isn't left."""
    if path and path.exists():
        return cast(T, json.loads(path.read_text()))
    made = make()
    if path and made:
        path.parent.mkdir(parents=True, exist_ok=True)
        write(path, json.dumps(made))
    return made


class Executed:
    """What is found is kept in a folder, where one is given."""

    def __init__(self, tree: Path, folder: Path, jobs: int, kept: Path | None = None) -> None:
        self.tree, self.folder, self.kept = tree, folder, kept
        self.by_test = dict[str, Lines]()
        self.tests = tests_built(tree, folder / "build", jobs, KIND)

    def of(self, name: str, enough: threading.Event | None = None) -> Lines:
        """Of a test that fails in this build, nothing."""
        if name not in self.by_test:
            found = kept(self.kept and self.kept / f"{name}.lines", lambda: self.count(name, enough))
            self.by_test[name] = {file: {int(line): ran for line, ran in of.items()} for file, of in found.items()}
        return self.by_test[name]

    def count(self, name: str, enough: threading.Event | None) -> Lines:
        # A folder for each: gcovr works in it, and two of them would meet.
        with TemporaryDirectory(dir=self.folder, ignore_cleanup_errors=True) as counts:
            # Other users count, too: what some tests start as nobody.
            Path(counts).chmod(0o777)
            # What libgcov has to say would be taken for messages of the programs.
            env = {"GCOV_PREFIX": counts, "GCOV_ERROR_FILE": "/dev/null"}
            test = self.tests.get(name)
            command = ["sh", "-c", 'umask 0 && exec "$@"', "sh", *test.command] if test else []
            if not test or not replace(test, command=command).passes(LIMIT_S, enough, env):
                return {}
            for path in Path(counts).rglob("*.gcda"):
                notes = path.with_suffix(".gcno")
                notes.symlink_to("/" / notes.relative_to(counts))
            words = ["gcovr", "--json", "--root", self.tree, "--object-directory", counts, "--gcov-ignore-parse-errors"]
            found = json.loads(output_of([*words, counts]))["files"]
            code = {of["file"]: [line for line in of["lines"] if not line["gcovr/noncode"]] for of in found}
            return {file: {line["line_number"]: line["count"] > 0 for line in of} for file, of in code.items()}

    def see(self, file: str, line: int, names: list[str]) -> list[str]:
        """Those that can see a change there: that execute the line; where it has no code of its own, any of the file's. Who fails when lines are
        counted, may; and where nobody executes it, all may: a process that was killed had perhaps done so."""
        lines = {name: self.of(name).get(file, {}) for name in names}
        has_code = any(line in of for of in lines.values())
        executing = {name for name, of in lines.items() if (of.get(line) if has_code else any(of.values()))}
        return [name for name in names if name in executing or not self.of(name)] if executing else names
