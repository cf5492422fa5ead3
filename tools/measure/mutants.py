# SPDX-License-Identifier: MIT
"""Mistakes put into the sources one at a time, and whether the tests notice that execute the line. All of it happens in a copy of the sources, and in
namespaces."""

import csv
import hashlib
import json
import re
import shlex
import shutil
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stdout
from dataclasses import dataclass
from fnmatch import fnmatch
from importlib import import_module
from itertools import compress, groupby, repeat
from pathlib import Path
from threading import Event

from measure.confined import Test, confined, side_by_side, tests_built
from measure.executed import Executed, kept
from measure.process import output_of
from measure.text import Trouble, lines_of, read_csv, refuse, table_text

RULES = ("universal.rules", "c_like.rules", "c.rules")
NOTICED, MISSED, EQUIVALENT = "noticed", "missed", "equivalent"
# Not compiled, or compiled to the same code: neither is a mutant.
BROKEN, SAME = "broken", "same"
LEAST_LIMIT_S = 20.0
# In place of a test: no unit test noticed it, and scripts have not been tried.
UNITS = "units"
COLUMNS = ["revision", "source", "file", "line", "old", "new", "verdict", "by"]
# As tools/check builds: what is warned of isn't compiled, and a test notices what leaks.
KIND = "-DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS=-O1 -DSHOWSTOPPER_WERROR=ON -DSHOWSTOPPER_SANITIZE=address,undefined"


@dataclass(frozen=True, order=True)
class Mutant:
    file: str  # below the root
    line: int  # from 1
    old: str
    new: str

    @property
    def change(self) -> tuple[str, str, str]:
        """Wherever the line is."""
        return self.file, self.old.strip(), self.new.strip()


@dataclass(frozen=True)
class Found:
    mutant: Mutant
    verdict: str
    by: str = ""  # the test that noticed it, why it is equivalent, or UNITS


# ---- What there is to choose from, and what is known of it ------------------------------------------------------------------------


def universalmutator(folder: Path, root: Path, files: list[str], version: str = "1.14.1") -> list[Mutant]:
    """What that of PyPI makes, which is installed into a folder of its own."""
    if not (folder / version).exists():
        print(f"installing universalmutator {version} in {folder}")
        # What else it asks for is for languages and checks that aren't wanted here.
        output_of(["/usr/bin/python3", "-m", "venv", folder], "a venv can't be made")
        output_of([folder / "bin/pip", "install", "-q", "--no-deps", f"universalmutator=={version}"])
        (folder / version).touch()
    sys.path += map(str, folder.glob("lib/python3*/site-packages"))
    made, mutator = list[Mutant](), import_module("universalmutator.mutator")
    for name in files:
        lines = (root / name).read_text().splitlines()
        with redirect_stdout(None):
            found = mutator.mutants_regexp([f"{line}\n" for line in lines], RULES, ignorePatterns=[])
        changed = [(at, new.rstrip("\n")) for at, new, *_ in found]
        # A break or continue on a line of its own is no mistake that anybody makes, and most often no C.
        made += [Mutant(name, at, lines[at - 1], new) for at, new in changed if "\n" not in new]
    return made


def drawn(mutants: Iterable[Mutant], seed: int) -> list[Mutant]:
    """In an order of chance: a line comes up once before another one of its mutants does, so that one with many of them counts no more than others.
    What is changed elsewhere leaves lines in their order, so that another revision has mostly the same mutants."""

    def chance(*of: str) -> bytes:
        return hashlib.sha256("\0".join([str(seed), *of]).encode()).digest()

    same, placed = Counter[tuple[str, str]](), list[tuple[int, bytes, Mutant]]()
    for (file, _, old), of in groupby(sorted(mutants), lambda one: (one.file, one.line, one.old)):
        same[file, old] += 1
        line = chance(file, old, str(same[file, old]))
        turns = sorted(of, key=lambda one: chance(line.hex(), one.new))
        placed += [(turn, line, one) for turn, one in enumerate(turns)]
    return [one for *_, one in sorted(placed)]


def read_equivalent(path: Path, root: Path) -> dict[tuple[str, str, str], str]:
    """Paragraphs: a file, `- ` and the line as it is, `+ ` and as it was made, and the reason. A line is refused that isn't there any more, or
    more than once."""
    known, text = dict[tuple[str, str, str], str](), "\n".join(lines_of(path))
    for paragraph in filter(None, re.split(r"\n\s*\n", re.sub("(?m)^#.*\n?", "", text).strip("\n"))):
        said = re.fullmatch(r"(.+)\n- (.+)\n\+ (.+)\n([^\0]+)", paragraph)
        if not said:
            raise Trouble(f"{path}: expected a file, '- ' a line, '+ ' its mutant and a reason, found '{paragraph}'")
        mutant = Mutant(said[1], 0, said[2], said[3])
        count = [line.strip() for line in lines_of(root / mutant.file)].count(mutant.change[1])
        refuse(count != 1, f"{path}: {said[1]} has {count or 'no'} line{'s' * (count > 1)} '{said[2]}', expected one")
        known[mutant.change] = said[4].replace("\n", " ")
    return known


def read_map(path: Path) -> list[tuple[str, str]]:
    """Lines of a pattern of files and an expression for names of tests."""
    rows = [line.split() for line in lines_of(path) if line.strip() and not line.startswith("#")]
    for row in rows or [[]]:
        refuse(len(row) < 2, f"{path}: expected files and tests, found '{' '.join(row)}'")
    return [(files, test) for files, *tests in rows for test in tests]


def tests_of(file: str, known: list[tuple[str, str]], names: Iterable[str]) -> list[str]:
    """{folder} and {name} stand for those of the file."""
    path = Path(file)
    patterns = [test.format(folder=path.parent.name, name=path.stem) for files, test in known if fnmatch(file, files)]
    return [name for name in names if re.fullmatch("|".join(patterns), name)]


# ---- The copy, its build and its tests --------------------------------------------------------------------------------------------


class Copy:
    """Of the sources, in a folder of its own, with a build."""

    def __init__(self, root: Path, folder: Path, jobs: int, programs: list[str], revision: str = "") -> None:
        self.root, self.folder, self.jobs, self.programs = root, folder / "copy", jobs, programs
        self.tree, self.build = self.folder / "tree", self.folder / "build"
        self.units_only = False
        self.seconds = dict[str, float]()  # that a test takes; none: it fails
        self.fetch()
        self.tests = tests_built(self.tree, self.build, jobs, KIND)
        # What is known of tests, for sources that a revision names.
        self.kept = folder / "tests" / revision if revision else None
        self.executed = Executed(self.tree, self.folder / "counted", jobs, self.kept)
        entries = json.loads((self.build / "compile_commands.json").read_text())
        # How each file is compiled.
        self.objects = {entry["file"]: shlex.split(entry["command"]) for entry in entries}

    def fetch(self) -> None:
        """What is as it was keeps its time, so that it isn't built again."""
        names = set(output_of(["git", "-C", self.root, "ls-files"]).splitlines())
        for name in names:
            source, to = self.root / name, self.tree / name
            if source.is_file() and not (to.is_file() and to.read_bytes() == source.read_bytes()):
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, to)
        for path in [of for of in self.tree.rglob("*") if of.is_file() and str(of.relative_to(self.tree)) not in names]:
            path.unlink()

    def compiled(self, words: list[str]) -> bytes:
        """What the compiler makes of it without sanitizers, which know columns."""
        plain = self.build / "plain.o"
        confined([*words, "-fno-sanitize=all", "-g0", "-o", plain], 600, folder=self.build)
        return plain.read_bytes()

    def leave_scripts_out(self) -> None:
        self.units_only = True
        self.tests = {name: test for name, test in self.tests.items() if not test.is_script}

    def builds(self, targets: Iterable[str]) -> bool:
        return confined(["ninja", "-C", self.build, "-j", self.jobs, *targets], 1800) == 0

    def look_at(self, test: Test, enough: Event) -> bool:
        """Which lines it executes, how long it takes as things are, and whether it passes."""

        def measured() -> float:
            began = time.monotonic()
            return time.monotonic() - began if test.passes(600, enough) else 0

        self.executed.of(test.name, enough)
        self.seconds[test.name] = kept(self.kept and self.kept / f"{test.name}.seconds", measured)
        return self.seconds[test.name] > 0

    def notices(self, test: Test, enough: Event) -> bool:
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
        path = self.tree / mutant.file
        before, words = path.read_text(), self.objects[str(path)]
        target = words[words.index("-o") + 1]
        # What the mutant before has left.
        refuse(not self.builds([target]), f"{mutant.file} can't be built as it is")
        compiled = self.compiled(words)
        lines = before.splitlines()
        lines[mutant.line - 1] = mutant.new
        changed = "\n".join(lines) + "\n"

        def turn(test: Test) -> tuple[bool, bool]:
            # Those that are built for one unit come before scripts, with what they need and no more.
            return test.name != first, test.is_script

        try:
            path.write_text(changed)
            if not self.builds([target]):
                return Found(mutant, BROKEN)
            if self.compiled(words) == compiled:
                return Found(mutant, SAME)
            for _, kind in groupby(sorted((self.tests[name] for name in names), key=turn), turn):
                path.write_text(before)
                able = self.able(mutant, list(kind))
                path.write_text(changed)
                if able and not self.builds(self.targets_of(able)):
                    return Found(mutant, BROKEN)
                if by := self.noticed_by(able):
                    return Found(mutant, NOTICED, by)
            return Found(mutant, MISSED, UNITS if self.units_only else "")
        finally:
            path.write_text(before)

    def look_at_all(self, tests: list[Test]) -> None:
        if unknown := [test for test in tests if test.name not in self.seconds]:
            refuse(not self.builds(self.targets_of(unknown)), "tests can't be built as things are")
            for test, passes in zip(unknown, self.each(unknown, self.look_at)):
                # Beside others it may have come too late.
                if not passes and not self.look_at(test, Event()):
                    print(f"{test.name} fails as things are, and is left out", flush=True)

    def able(self, mutant: Mutant, tests: list[Test]) -> list[Test]:
        """Those that can see it and pass as things are, quick ones first."""
        self.look_at_all(tests)
        seeing = self.executed.see(mutant.file, mutant.line, [test.name for test in tests if self.seconds[test.name]])
        return [self.tests[name] for name in sorted(seeing, key=lambda name: self.seconds[name])]

    def noticed_by(self, tests: list[Test]) -> str:
        """Beside others a script may have come too late: it has to notice once more, alone."""
        by = next(compress(tests, self.each(tests, self.notices)), None)
        if by and by.is_script and not self.notices(by, Event()):
            return self.noticed_by([test for test in tests if test is not by])
        return by.name if by else ""

    def each(self, tests: list[Test], do: Callable[[Test, Event], bool]) -> list[bool]:
        """Several at a time, as scripts wait most of theirs. Who is interrupted waits for none of them."""
        enough = Event()
        with ThreadPoolExecutor(4 * self.jobs if any(test.is_script for test in tests) else 1) as pool:
            try:
                return list(pool.map(do, tests, repeat(enough)))
            except BaseException:
                enough.set()
                raise

    def targets_of(self, tests: list[Test]) -> list[str]:
        units = [test.target for test in tests if not test.is_script]
        return units + (self.programs if len(units) < len(tests) else [])


# ---- Results ----------------------------------------------------------------------------------------------------------------------


def table_of(found: Iterable[Found]) -> list[list[str]]:
    """By folder; what is equivalent counts for nothing."""
    folders = defaultdict[str, Counter[str]](Counter)
    for one in found:
        for folder in (f"`{Path(one.mutant.file).parent}/`", "all"):
            folders[folder][one.verdict] += 1
    made = [["folder", "mutants", "equivalent", "noticed", "not noticed", "noticed, %"]]
    for folder in sorted(folders, key=lambda name: (name == "all", name)):
        counts = folders[folder]
        judged = counts[NOTICED] + counts[MISSED]
        cells = [counts.total(), counts[EQUIVALENT], counts[NOTICED], counts[MISSED]]
        made.append([folder, *map(str, cells), f"{100 * counts[NOTICED] / judged:.0f}" if judged else ""])
    return made


def survivors(found: Iterable[Found]) -> list[str]:
    missed = sorted(one.mutant for one in found if one.verdict == MISSED)
    said = ((f"{of.file}:{of.line}", f"- {of.old.strip()}", f"+ {of.new.strip()}", "") for of in missed)
    return [line for lines in said for line in lines]


class Results:
    """Kept in a file. What was found holds as long as the mutant's file is as it was; that nothing noticed it, as long as nothing has changed at all. Of
    others it is known which test is to be tried first."""

    def __init__(self, path: Path, revision: str, root: Path) -> None:
        self.path, self.revision, self.root = path, revision, root
        self.found, self.first = dict[Mutant, Found](), dict[tuple[str, str, str], str]()
        if not path.exists():
            path.write_text(table_text([COLUMNS]))
        for row in read_csv(path):
            refuse(list(row) != COLUMNS, f"{path}: expected the columns {','.join(COLUMNS)}")
            of, source, name, line, old, new, verdict, by = row.values()
            mutant = Mutant(name, int(line), old, new)
            if verdict == NOTICED:
                self.first[mutant.change] = by
            is_same = revision and "-dirty" not in revision and of == revision
            if is_same if verdict == MISSED else source == self.source(name):
                self.found[mutant] = Found(mutant, verdict, by)

    def source(self, file: str) -> str:
        """Tells one text of a file from another."""
        path = self.root / file
        return hashlib.sha256(path.read_bytes()).hexdigest()[:16] if path.exists() else "none"

    def of(self, mutant: Mutant, names: list[str], units_only: bool) -> Found | None:
        """What was found by as many tests as are to be tried now."""
        one = self.found.get(mutant)
        if one and one.verdict == NOTICED and one.by not in names:
            return Found(mutant, MISSED, UNITS)
        return None if one and one.by == UNITS and not units_only else one

    def add(self, one: Found) -> None:
        of = one.mutant
        self.found[of] = one
        with self.path.open("a", newline="") as file:
            row = [self.revision, self.source(of.file), of.file, of.line, of.old, of.new, one.verdict, one.by]
            csv.writer(file, lineterminator="\n").writerow(row)


def measured(copy: Copy, order: list[Mutant], number: int, seconds: float, results: Results,
             equivalent: dict[tuple[str, str, str], str], known: list[tuple[str, str]], workers: int = 1) -> list[Found]:  # fmt: skip
    """The first `number` that are mutants at all; fewer where the time ends before."""
    until, done = time.monotonic() + seconds, list[Found]()
    names_of = {file: tests_of(file, known, copy.tests) for file in {of.file for of in order}}
    for file, names in names_of.items():
        refuse(not names and not copy.units_only, f"no test is said to see {file}")
    if workers > 1:
        # Later the machine is too busy to see how long a test takes.
        seen = set().union(*names_of.values())
        copy.look_at_all([test for name, test in copy.tests.items() if name in seen])

    def judged(mutant: Mutant) -> Found | None:
        names = names_of[mutant.file]
        if reason := equivalent.get(mutant.change):
            return Found(mutant, EQUIVALENT, reason)
        if one := results.of(mutant, names, copy.units_only):
            return one
        if time.monotonic() >= until:
            return None
        # Unit tests have not noticed it: scripts are left.
        left = [name for name in names if copy.tests[name].is_script] if mutant in results.found else names
        results.add(one := copy.try_one(mutant, left, results.first.get(mutant.change, "")))
        return one

    with side_by_side(workers, copy.folder, judged, order) as found:
        for one in found:
            if one is None:
                break
            if one.verdict in (NOTICED, MISSED, EQUIVALENT):
                done.append(one)
                by = f" ({one.by})" if one.verdict == NOTICED else ""
                print(f"{len(done):4} {one.verdict:10} {one.mutant.file}:{one.mutant.line}{by}", flush=True)
            if len(done) == number:
                break
    refuse(not done, "there is no mutant that can be built")
    return done
