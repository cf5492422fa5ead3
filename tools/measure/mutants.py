# SPDX-License-Identifier: MIT
"""Mistakes put into the sources one at a time, and whether the tests notice that execute the line. All of it happens in a copy of the sources, and in
namespaces."""

import csv
import fnmatch
import hashlib
import json
import re
import shlex
import shutil
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from measure.confined import Test, confined, tests_in
from measure.executed import Executed, keep
from measure.process import has_program, output_of
from measure.text import Trouble, lines_of, refuse, table_text
from measure.workers import Coming, Done, workers

T = TypeVar("T")
RULES = ("universal.rules", "c_like.rules", "c.rules")
NOTICED, MISSED, EQUIVALENT = "noticed", "missed", "equivalent"
# Not compiled, or compiled to the same code: neither is a mutant.
BROKEN, SAME = "broken", "same"
LEAST_LIMIT_S = 20.0
# In place of a test: no unit test noticed it, and scripts have not been tried.
UNITS = "units"
COLUMNS = ["revision", "source", "file", "line", "old", "new", "verdict", "by"]


@dataclass(frozen=True, order=True)
class Mutant:
    file: str  # below the root
    line: int  # from 1
    old: str
    new: str

    @property
    def folder(self) -> str:
        return self.file.rpartition("/")[0]


@dataclass(frozen=True)
class Found:
    mutant: Mutant
    verdict: str
    by: str = ""  # the test that noticed it, why it is equivalent, or UNITS


Generate = Callable[[Path, list[str]], list[Mutant]]

# ---- What there is to choose from -------------------------------------------------------------------------------------------------

SCRIPT = """
import contextlib, json, sys
from universalmutator import mutator
found = []
for name in sys.argv[2:]:
    with open(sys.argv[1] + '/' + name) as file:
        source = file.readlines()
    with contextlib.redirect_stdout(sys.stderr):
        made = mutator.mutants_regexp(source, %r, ignorePatterns=[])
    found += [[name, one[0], source[one[0] - 1].rstrip('\\n'), one[1].rstrip('\\n')] for one in made]
json.dump(found, sys.stdout)
"""


def universalmutator(folder: Path, version: str = "1.14.1") -> Generate:
    """That of PyPI, installed into a folder of its own."""
    python = folder / "bin/python"
    if not (folder / version).exists():
        print(f"installing universalmutator {version} in {folder}")
        # What else it asks for is for languages and checks that aren't wanted here.
        output_of(["/usr/bin/python3", "-m", "venv", folder], "a venv can't be made")
        output_of([python, "-m", "pip", "install", "-q", "--no-deps", f"universalmutator=={version}"])
        (folder / version).touch()

    def generate(root: Path, files: list[str]) -> list[Mutant]:
        made = json.loads(output_of([python, "-c", SCRIPT % (RULES,), root, *files]))
        # A break or continue on a line of its own is no mistake that anybody makes, and most often no C.
        return [Mutant(*of) for of in made if "\n" not in of[3]]

    return generate


def drawn(mutants: Iterable[Mutant], seed: int) -> list[Mutant]:
    """In an order of chance: a line comes up once before another one of its mutants does, so that one with many of them counts no more than others.
    What is changed elsewhere leaves lines in their order, so that another revision has mostly the same mutants."""
    by_line: dict[tuple[str, int], list[Mutant]] = {}
    for one in sorted(mutants):
        by_line.setdefault((one.file, one.line), []).append(one)
    same: dict[tuple[str, str], int] = {}
    placed: list[tuple[bytes, list[Mutant]]] = []
    for of in by_line.values():
        file, old = of[0].file, of[0].old
        same[file, old] = same.get((file, old), 0) + 1
        line = chance(seed, file, old, str(same[file, old]))
        placed.append((line, sorted(of, key=lambda one: chance(seed, line.hex(), one.new))))
    lines = [of for _, of in sorted(placed, key=lambda one: one[0])]
    most = max(map(len, lines), default=0)
    return [of[turn] for turn in range(most) for of in lines if turn < len(of)]


def chance(seed: int, *of: str) -> bytes:
    return hashlib.sha256("\0".join([str(seed), *of]).encode()).digest()


# ---- What is known of them --------------------------------------------------------------------------------------------------------


def read_equivalent(path: Path, root: Path) -> dict[tuple[str, str, str], str]:
    """Paragraphs: a file, `- ` and the line as it is, `+ ` and as it was made, and the reason. A line is refused that isn't there any more, or
    more than once."""
    known: dict[tuple[str, str, str], str] = {}
    text = "\n".join(line for line in lines_of(path) if not line.startswith("#"))
    for paragraph in re.split(r"\n\s*\n", text.strip("\n")):
        lines = paragraph.splitlines()
        if not lines:
            continue
        right = len(lines) >= 4 and lines[1].startswith("- ") and lines[2].startswith("+ ")
        refuse(not right, f"{path}: expected a file, '- ' a line, '+ ' its mutant and a reason, found '{lines[0]}'")
        old, new = lines[1][2:].strip(), lines[2][2:].strip()
        count = [line.strip() for line in lines_of(root / lines[0])].count(old)
        refuse(count == 0, f"{path}: {lines[0]} has no line '{old}'")
        refuse(
            count > 1, f"{path}: {lines[0]} has {count} lines '{old}', and what is said may not hold for all of them"
        )
        known[lines[0], old, new] = " ".join(lines[3:])
    return known


def read_map(path: Path) -> list[tuple[str, str]]:
    """Lines of a pattern of files and an expression for names of tests."""
    made = []
    for line in lines_of(path):
        words = line.split()
        if words and not line.startswith("#"):
            refuse(len(words) < 2, f"{path}: expected files and tests, found '{line}'")
            made += [(words[0], word) for word in words[1:]]
    refuse(not made, f"{path} says of no file which tests can see it")
    return made


def tests_of(file: str, known: list[tuple[str, str]], names: Iterable[str]) -> list[str]:
    """{folder} and {name} stand for those of the file."""
    path = Path(file)
    patterns = [
        test.replace("{folder}", path.parent.name).replace("{name}", path.stem)
        for pattern, test in known
        if fnmatch.fnmatch(file, pattern)
    ]
    return [name for name in names if any(re.fullmatch(pattern, name) for pattern in patterns)]


# ---- The copy, its build and its tests --------------------------------------------------------------------------------------------


class Copy:
    """Of the sources, in a folder of its own, with a build."""

    def __init__(self, root: Path, folder: Path, jobs: int, programs: list[str], revision: str = "") -> None:
        self.root, self.folder, self.jobs = root, folder / "copy", jobs
        self.tree, self.build = self.folder / "tree", self.folder / "build"
        self.programs = programs
        self.units_only = False
        self.plain = dict[str, list[str]]()
        self.seconds: dict[str, float] = {}  # that a test takes; negative: it fails
        refuse(not has_program("unshare"), "unshare is missing (tools/setup mutants installs it)")
        self.fetch()
        # As tools/check builds: what is warned of isn't compiled, and a test notices what leaks.
        kind = (
            "-DCMAKE_BUILD_TYPE= -DCMAKE_C_FLAGS=-O1 -DSHOWSTOPPER_WERROR=ON -DSHOWSTOPPER_SANITIZE=address,undefined"
        )
        parts = "-DBUILD_TESTING=ON"
        self.must("configure", ["cmake", "-S", self.tree, "-B", self.build, "-G", "Ninja", *f"{kind} {parts}".split()])
        self.must("build", self.ninja([]))
        # What is known of tests, for sources that a revision names.
        self.kept = folder / "tests" / revision if revision else None
        self.executed = Executed(self.tree, self.folder / "counted", jobs, self.kept)
        self.objects = self.read_objects()
        self.tests = tests_in(self.build)

    def fetch(self) -> None:
        """What is as it was keeps its time, so that it isn't built again."""
        names = set(output_of(["git", "-C", self.root, "ls-files"]).splitlines())
        for name in names:
            source, to = self.root / name, self.tree / name
            if source.is_file() and not (to.is_file() and to.read_bytes() == source.read_bytes()):
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, to)
        for path in [path for path in self.tree.rglob("*") if path.is_file()]:
            if str(path.relative_to(self.tree)) not in names:
                path.unlink()

    def read_objects(self) -> dict[str, str]:
        """By file of the sources; `plain` has how to compile it without sanitizers, which know columns."""
        entries = json.loads((self.build / "compile_commands.json").read_text())
        found = {}
        for entry in entries:
            words = shlex.split(entry["command"])
            output = words[words.index("-o") + 1]
            path = Path(entry["file"])
            if path.is_relative_to(self.tree):
                file = str(path.relative_to(self.tree))
                found[file] = output
                words[words.index("-o") + 1] = str(self.build / "plain.o")
                self.plain[file] = [
                    word for word in words if not word.startswith(("-fsanitize", "-fno-sanitize", "-g"))
                ]
        return found

    def compiled(self, file: str) -> bytes:
        """What the compiler makes of it."""
        confined(self.plain[file], 600, folder=str(self.build))
        return (self.build / "plain.o").read_bytes()

    def leave_scripts_out(self) -> None:
        self.units_only = True
        self.tests = {name: test for name, test in self.tests.items() if not test.is_script}

    def ninja(self, targets: Iterable[str]) -> list[object]:
        return ["ninja", "-C", self.build, "-j", str(self.jobs), *targets]

    def must(self, what: str, words: list[object]) -> None:
        refuse(confined(words, 7200) != 0, f"can't {what}: {' '.join(map(str, words))}")

    def builds(self, targets: Iterable[str]) -> bool:
        return confined(self.ninja(targets), 1800) == 0

    def look_at(self, test: Test, enough: threading.Event) -> bool:
        """How long it takes as things are, and whether it passes."""
        kept = self.kept / f"{test.name}.seconds" if self.kept else None
        if kept and kept.exists():
            self.seconds[test.name] = float(kept.read_text())
            return True
        for _ in range(2):
            began = time.monotonic()
            passes = bool(test.passes(600, enough))
            self.seconds[test.name] = time.monotonic() - began if passes else -1.0
            if passes:
                if kept:
                    keep(kept, str(self.seconds[test.name]))
                break
        return passes

    def notices(self, test: Test, enough: threading.Event) -> bool:
        """What fails once may have met a busy machine; what takes five times as long has not. The first to notice says that it is enough."""
        limit_s = max(LEAST_LIMIT_S, 5 * self.seconds[test.name])
        passes = test.passes(limit_s, enough)
        if passes is False:
            passes = test.passes(limit_s, enough)
        if passes or enough.is_set():
            return False
        enough.set()
        return True

    def try_one(self, mutant: Mutant, names: list[str], first: str = "") -> Found:
        """`first`: the test that has noticed it before."""
        tests = [self.tests[name] for name in names]
        path = self.tree / mutant.file
        before, target = path.read_text(), self.objects[mutant.file]
        # What the mutant before has left.
        self.must("build", self.ninja([target]))
        compiled = self.compiled(mutant.file)
        lines = before.splitlines()
        lines[mutant.line - 1] = mutant.new
        changed = "\n".join(lines) + "\n"
        try:
            path.write_text(changed)
            if not self.builds([target]):
                return Found(mutant, BROKEN)
            if self.compiled(mutant.file) == compiled:
                return Found(mutant, SAME)
            # Those that are built for one unit come first, with what they need and no more.
            known = [test for test in tests if test.name == first]
            for kind in (known, *([test for test in tests if test.is_script == scripts] for scripts in (False, True))):
                path.write_text(before)
                able = self.able_of(self.seeing(mutant, [test for test in kind if kind is known or test not in known]))
                path.write_text(changed)
                if able and not self.builds(self.targets_of(able)):
                    return Found(mutant, BROKEN)
                if by := self.noticed_by(able):
                    return Found(mutant, NOTICED, by)
            return Found(mutant, MISSED, UNITS if self.units_only else "")
        finally:
            path.write_text(before)

    def look_at_lines(self, tests: list[Test]) -> None:
        unknown = [test for test in tests if test.name not in self.executed.by_test]
        self.each(unknown, lambda test, enough: bool(self.executed.of(test.name, enough)))

    def seeing(self, mutant: Mutant, tests: list[Test]) -> list[Test]:
        self.look_at_lines(tests)
        seeing = self.executed.see(mutant.file, mutant.line, [test.name for test in tests])
        return [test for test in tests if test.name in seeing]

    def able_of(self, tests: list[Test]) -> list[Test]:
        """Those that pass as things are, quick ones first."""
        if unknown := [test for test in tests if test.name not in self.seconds]:
            self.must("build", self.ninja(self.targets_of(unknown)))
            self.each(unknown, self.look_at)
            # Beside others it may have come too late.
            for test in unknown:
                if self.seconds[test.name] < 0:
                    self.look_at(test, threading.Event())
                if self.seconds[test.name] < 0:
                    print(f"{test.name} fails as things are, and is left out", flush=True)
        able = [test for test in tests if self.seconds[test.name] >= 0]
        return sorted(able, key=lambda of: self.seconds[of.name])

    def noticed_by(self, tests: list[Test]) -> str:
        """Beside others a script may have come too late: it has to notice once more, alone."""
        left = tests
        while by := next((test for test, noticed in zip(left, self.each(left, self.notices)) if noticed), None):
            if not by.is_script or self.notices(by, threading.Event()):
                return by.name
            left = [test for test in left if test is not by]
        return ""

    def each(self, tests: list[Test], do: Callable[[Test, threading.Event], bool]) -> list[bool]:
        """Several at a time. Who is interrupted waits for none of them."""
        enough = threading.Event()
        with ThreadPoolExecutor(self.at_once(tests)) as pool:
            try:
                return list(pool.map(lambda test: do(test, enough), tests))
            except BaseException:
                enough.set()
                raise

    def at_once(self, tests: list[Test]) -> int:
        """Scripts wait most of their time."""
        return 4 * self.jobs if any(test.is_script for test in tests) else 1

    def targets_of(self, tests: list[Test]) -> list[str]:
        units = [test.target for test in tests if not test.is_script]
        return units + (self.programs if len(units) < len(tests) else [])


# ---- Results ----------------------------------------------------------------------------------------------------------------------


def table_of(found: Iterable[Found]) -> list[list[str]]:
    """By folder; what is equivalent counts for nothing."""
    folders: dict[str, dict[str, int]] = {}
    for one in found:
        for folder in (one.mutant.folder, "all"):
            counts = folders.setdefault(folder, {NOTICED: 0, MISSED: 0, EQUIVALENT: 0})
            counts[one.verdict] += 1
    made = [["folder", "mutants", "equivalent", "noticed", "not noticed", "noticed, %"]]
    for folder in sorted(folders, key=lambda name: (name == "all", name)):
        counts = folders[folder]
        judged = counts[NOTICED] + counts[MISSED]
        share = f"{100 * counts[NOTICED] / judged:.0f}" if judged else ""
        cells = [sum(counts.values()), counts[EQUIVALENT], counts[NOTICED], counts[MISSED]]
        made.append([folder if folder == "all" else f"`{folder}/`", *map(str, cells), share])
    return made


def survivors(found: Iterable[Found]) -> list[str]:
    made = []
    for one in sorted((of for of in found if of.verdict == MISSED), key=lambda of: (of.mutant.file, of.mutant.line)):
        mutant = one.mutant
        made += [f"{mutant.file}:{mutant.line}", f"- {mutant.old.strip()}", f"+ {mutant.new.strip()}", ""]
    return made


class Results:
    """Kept in a file. What was found holds as long as the mutant's file is as it was; that nothing noticed it, as long as nothing has changed at all. Of
    others it is known which test is to be tried first."""

    def __init__(self, path: Path, revision: str, root: Path) -> None:
        self.path, self.revision, self.root = path, revision, root
        self.found, self.noticed_by = dict[Mutant, Found](), dict[tuple[str, str, str], str]()
        self.sources: dict[str, str] = {}
        if not path.exists():
            path.write_text(table_text([COLUMNS]))
        with path.open(newline="") as file:
            rows = list(csv.reader(file))
        refuse(rows[:1] != [COLUMNS], f"{path}: expected the columns {','.join(COLUMNS)}")
        for row in rows[1:]:
            one = Found(Mutant(row[2], int(row[3]), row[4], row[5]), row[6], row[7])
            if one.verdict == NOTICED:
                self.noticed_by[self.key(one.mutant)] = one.by
            is_same = revision and "-dirty" not in revision and row[0] == revision
            if is_same if one.verdict == MISSED else row[1] == self.source(one.mutant.file):
                self.found[one.mutant] = one

    def source(self, file: str) -> str:
        """Tells one text of a file from another."""
        if file not in self.sources:
            path = self.root / file
            self.sources[file] = hashlib.sha256(path.read_bytes()).hexdigest()[:16] if path.exists() else "none"
        return self.sources[file]

    @staticmethod
    def key(of: Mutant) -> tuple[str, str, str]:
        return of.file, of.old, of.new

    def first(self, mutant: Mutant) -> str:
        return self.noticed_by.get(self.key(mutant), "")

    def of(self, mutant: Mutant) -> Found | None:
        return self.found.get(mutant)

    def add(self, one: Found) -> None:
        of = one.mutant
        self.found[of] = one
        with self.path.open("a", newline="") as file:
            row = [self.revision, self.source(of.file), of.file, of.line, of.old, of.new, one.verdict, one.by]
            csv.writer(file, lineterminator="\n").writerow(row)


def known_of(mutant: Mutant, results: Results, names: list[str], units_only: bool) -> Found | None:
    """What was found by as many tests as are to be tried now."""
    one = results.of(mutant)
    if one and one.verdict == MISSED and one.by == UNITS and not units_only:
        return None
    if one and one.verdict == NOTICED and one.by not in names:
        return Found(mutant, MISSED, UNITS)
    return one


def measured(copy: Copy, order: list[Mutant], number: int, seconds: float, results: Results,
             equivalent: dict[tuple[str, str, str], str], known: list[tuple[str, str]], side_by_side: int = 1) -> list[Found]:  # fmt: skip
    """The first `number` that are mutants at all; fewer where the time ends before."""
    until, done = time.monotonic() + seconds, list[Found]()
    if side_by_side > 1:
        # Later the machine is too busy to see how long a test takes.
        names = {name for file in {of.file for of in order} for name in tests_of(file, known, copy.tests)}
        tests = [test for name, test in copy.tests.items() if name in names]
        copy.look_at_lines(tests)
        copy.able_of(tests)

    def tried(mutant: Mutant, names: list[str], first: str) -> Found | None:
        return copy.try_one(mutant, names, first) if time.monotonic() < until else None

    def told(one: Found | None) -> None:
        if one:
            results.add(one)

    with workers(side_by_side, copy.folder, tried, told) as begin:

        def looked_at(mutant: Mutant) -> Coming[Found | None]:
            names = tests_of(mutant.file, known, copy.tests)
            if not names and not copy.units_only:
                raise Trouble(f"no test is said to see {mutant.file}")
            if reason := equivalent.get((mutant.file, mutant.old.strip(), mutant.new.strip())):
                return Done(Found(mutant, EQUIVALENT, reason))
            if one := known_of(mutant, results, names, copy.units_only):
                return Done(one)
            # Unit tests have not noticed it: scripts are left.
            left = [name for name in names if copy.tests[name].is_script] if results.of(mutant) else names
            return begin(mutant, left, results.first(mutant))

        # One that takes long keeps nobody waiting.
        for coming in ahead(map(looked_at, order), 0 if side_by_side == 1 else 64 * side_by_side):
            one = coming.get()
            if one is None:
                break
            if one.verdict in (NOTICED, MISSED, EQUIVALENT):
                done.append(one)
                by = f" ({one.by})" if one.verdict == NOTICED else ""
                print(f"{len(done):4} {one.verdict:10} {one.mutant.file}:{one.mutant.line}{by}", flush=True)
            if len(done) == number:
                break
    if not done:
        raise Trouble("there is no mutant that can be built")
    return done


def ahead(of: Iterable[T], number: int) -> Iterator[T]:
    """The same, so many of them made before they are asked for."""
    made = deque[T]()
    for one in of:
        made.append(one)
        if len(made) > number:
            yield made.popleft()
    yield from made
