# SPDX-License-Identifier: MIT
"""What stands between two marks of a document is replaced as a whole, under a line that says where it comes from; what isn't right is refused, and
then all documents and folders are as they were."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from measure import machine, sources
from measure.process import has_program
from measure.publish import Publication, command_line
from measure.text import Trouble

BEFORE = """Before.

<!-- first: begin -->
not measured yet
<!-- first: end -->

Between \\ & /.

<!-- second: begin -->
not measured yet
<!-- second: end -->
"""
AFTER = """Before.

<!-- first: begin -->

| a \\ & / |
| ---: |
| +1.50 |

HEADING

<!-- first: end -->

Between \\ & /.

<!-- second: begin -->
not measured yet
<!-- second: end -->
"""
LINES = "| a \\ & / |\n| ---: |\n| +1.50 |\n"
pytestmark = pytest.mark.skipif(
    not has_program("git") and os.environ.get("SHOWSTOPPER_TEST_PACKAGES") not in ("yes", "tests"),
    reason="git is missing",
)


class Project:
    """Of its own, at a known revision."""

    def __init__(self, root: Path) -> None:
        self.root, self.document = root, root / "table.md"
        root.mkdir()
        (root / "program").write_text("one\n")
        self.document.write_text(BEFORE)
        self.git("init", "-q")
        self.commit()
        self.revision = subprocess.run(
            ["git", "-C", root, "rev-parse", "--short", "HEAD"], capture_output=True, text=True
        ).stdout.strip()
        self.document.chmod(0o640)

    def git(self, *words: str) -> None:
        subprocess.run(
            ["git", "-C", self.root, "-c", "user.name=test", "-c", "user.email=test@localhost", *words],
            check=True,
            capture_output=True,
        )

    def commit(self) -> None:
        self.git("add", ".")
        self.git("commit", "-q", "-m", "all")

    def publication(self) -> Publication:
        return Publication(command_line("tools/bench/thing", ["-m", "two words", "--publish"]), self.root)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.delenv("PUBLISH_ROOT", raising=False)
    return Project(tmp_path / "project")


def publish(project: Project, build: Path, name: str = "first", lines: str = LINES) -> None:
    of = project.publication()
    of.block("table.md", name, lines, build)
    of.write()


def test_a_block(project: Project, build: Path, capsys: pytest.CaptureFixture[str]) -> None:
    publish(project, build)
    assert capsys.readouterr().out == f"published: {project.document}, first\n"
    text = project.document.read_text()
    heading = next(line for line in text.splitlines() if line.startswith("<sub>Revision "))
    assert text.replace(heading, "HEADING") == AFTER
    assert heading.startswith(f"<sub>Revision {project.revision}, 20") and heading.endswith(
        "`tools/bench/thing -m 'two words' --publish`</sub>"
    )
    assert project.document.stat().st_mode & 0o777 == 0o640
    # The same again is the same; the document that was published doesn't make the revision dirty. Another takes its place.
    publish(project, build)
    assert project.document.read_text() == text
    publish(project, build, lines="short\n")
    assert "1.50" not in project.document.read_text()
    publish(project, build, "second", "second\n")
    assert {"short", "second"} < set(project.document.read_text().splitlines())


def test_what_the_host_took_meanwhile(project: Project, build: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before, after = [100, 10, 50, 700, 40, 1, 2, 3], [160, 20, 70, 900, 90, 2, 3, 11]
    counts = [before, after, before, before]
    monkeypatch.setattr(machine, "tick_counts", lambda: counts.pop(0))
    said = []
    for begins in (True, True, False):
        of = Publication("thing", project.root)
        if begins:
            of.begin()
        said.append(of.heading(build))
    # 8 of 100 ticks; neither where nothing was to run nor of what was measured before.
    assert [", 8.00 % of its busy time stolen: `thing`" in line for line in said] == [True, False, False]
    assert not any("stolen" in line for line in said[1:])


def test_what_has_changed(project: Project, build: Path) -> None:
    (project.root / "program").write_text("two\n")
    publish(project, build)
    assert f"Revision {project.revision}-dirty, " in project.document.read_text()
    project.git("checkout", "-q", "program", "table.md")
    # What an earlier revision measured, while documents alone have changed since; and when the program has.
    project.document.write_text(BEFORE + "Before, too.\n")
    project.commit()
    of = project.publication()
    of.measured(project.revision, "2020-02-02", "results", ["program"])
    of.block("table.md", "first", "short\n", build)
    of.write()
    assert f"Revision {project.revision}, 2020-02-02, " in project.document.read_text()
    (project.root / "program").write_text("two\n")
    project.commit()
    for revision in (project.revision, "0123456", f"{project.revision}-dirty", ""):
        with pytest.raises(
            Trouble,
            match="results was begun with revision .*, and what measures is another now; choose another --output$",
        ):
            project.publication().measured(revision, "2020-02-02", "results", ["program"])


def test_what_is_stale(project: Project, build: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "DOCUMENTS", ("table.md",))
    monkeypatch.setattr(sources, "paths_of", lambda block: ["program", "other"] if block == "first" else ["other"])

    def stale() -> dict[str, str]:
        return {block: why for _, block, why in sources.stale(project.root, project.root)}

    assert stale() == {"first": "not measured yet", "second": "not measured yet"}
    publish(project, build)
    publish(project, build, "second", "second\n")
    assert stale() == {}
    # Documents are no sources, nor is what others depend on.
    (project.root / "program").write_text("two\n")
    (project.root / "other").mkdir()
    (project.root / "other/words.md").write_text("words\n")
    project.commit()
    assert stale() == {"first": f"what it depends on has changed since {project.revision}"}
    (project.root / "program").write_text("one\n")
    project.commit()
    assert stale() == {}
    # Rows with revisions of their own, of which one is of other sources, however new the heading is.
    of_one, text = machine.revision(project.root), project.document.read_text()
    (project.root / "program").write_text("three\n")
    project.commit()
    of_three = machine.revision(project.root)
    (project.root / "program").write_text("one\n")
    project.commit()
    project.document.write_text(text.replace("<sub>", f"| row | {of_one} |\n\n<sub>", 1))
    assert stale() == {}
    project.document.write_text(text.replace("<sub>", f"| row | {of_three} |\n\n<sub>", 1))
    assert stale() == {"first": f"what it depends on has changed since rows of {of_three}"}
    project.document.write_text(text)
    # What is known to matter since it was measured: it was the same then, and it is another now.
    with monkeypatch.context() as later:
        later.setattr(sources, "paths_of", lambda _: ["other", "program"])
        assert stale() == {}
        (project.root / "program").write_text("two\n")
        project.commit()
        assert set(stale()) == {"first", "second"}
        (project.root / "program").write_text("one\n")
        project.commit()
    project.document.write_text(project.document.read_text().replace("<sub>", "<sup>"))
    assert stale()["first"] == "it doesn't say which sources were measured"


def test_what_a_table_depends_on_is_there() -> None:
    # A name of nothing never changes.
    blocks = {block for _, block, _ in sources.blocks(machine.ROOT)}
    missing = {path for block in blocks for path in sources.paths_of(block) if not (machine.ROOT / path).exists()}
    assert not missing
    services = {block for block in blocks if "tools/experiments/services" in sources.paths_of(block)}
    assert {"experiments-services", "experiments-quanta", "experiments-scaling"} <= services
    assert "tools/experiments/workloads" in sources.paths_of("experiments-scaling")


def test_what_stands_in_for_a_missing_library_does_not_count(project: Project) -> None:
    assert (machine.ROOT / sources.STAND_IN).exists()
    stand_in = project.root / sources.STAND_IN
    stand_in.parent.mkdir(parents=True)
    found: list[str] = []
    for file in (stand_in, stand_in, stand_in.with_name("server.c")):
        file.write_text(f"{len(found)}\n")
        project.commit()
        found.append(sources.fingerprint(project.root, ["tools/ssburn"]))
    assert found[0] == found[1] != found[2]


def test_a_table_of_what_is_committed_with_it_is_not_stale(
    project: Project, build: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured = project.root / "tools/experiments/measured"
    monkeypatch.setattr(sources, "DOCUMENTS", ("table.md",))
    monkeypatch.setattr(sources, "paths_of", lambda block: ["program", "tools/experiments/measured", "missing"])
    publish(project, build, "second", "second\n")
    measured.mkdir(parents=True)
    (measured / "runs.csv").write_text("one\n")
    publish(project, build)
    project.commit()
    assert {block for _, block, _ in sources.stale(project.root, project.root)} == {"second"}
    (measured / "runs.csv").write_text("two\n")
    project.commit()
    assert {block for _, block, _ in sources.stale(project.root, project.root)} == {"first", "second"}


def test_the_sources_change_meanwhile(project: Project, build: Path) -> None:
    of = project.publication()
    (project.root / "program").write_text("changed\n")
    with pytest.raises(Trouble, match="the sources have changed since the start"):
        of.block("table.md", "first", LINES, build)
    assert project.document.read_text() == BEFORE


def test_a_draft_elsewhere(project: Project, build: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "draft").mkdir()
    (tmp_path / "draft/table.md").write_text(BEFORE)
    monkeypatch.setenv("PUBLISH_ROOT", str(tmp_path / "draft"))
    publish(project, build)
    assert "+1.50" in (tmp_path / "draft/table.md").read_text()
    assert project.document.read_text() == BEFORE


def test_what_is_refused(project: Project, build: Path, tmp_path: Path) -> None:
    of = project.publication()
    for name, lines, said in (
        ("third", LINES, "needs the lines <!-- third: begin -->"),
        ("first", "", "nothing to write into .*/table.md as first"),
    ):
        with pytest.raises(Trouble, match=said):
            of.block("table.md", name, lines, build)
    with pytest.raises(Trouble, match="can't write .*/nothing.md"):
        of.look("nothing.md", "first")
    for old, new in (
        ("<!-- second: end -->", ""),
        ("<!-- second: begin -->", ""),
        ("first: begin", "second: begin"),
        ("first: end", "second: end"),
    ):
        project.document.write_text(BEFORE.replace(old, new))
        with pytest.raises(Trouble, match="needs the lines .*, once and in this order"):
            of.look("table.md", "second")
    plain = tmp_path / "plain"
    plain.mkdir()
    (plain / "table.md").write_text(BEFORE)
    os.environ["GIT_CEILING_DIRECTORIES"] = str(tmp_path)
    with pytest.raises(Trouble, match="the revision is unknown: .*/plain is no git checkout"):
        Publication("x", plain).look("table.md", "first")


def test_all_or_nothing(project: Project, build: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept, other = project.root / "kept/one", project.root / "kept/two"
    for folder in (kept, other):
        folder.mkdir(parents=True)
        (folder / "old.csv").write_text("old\n")
    before = {path: path.read_bytes() for path in project.root.rglob("*.[cm]*") if path.is_file()}

    def attempt() -> None:
        of = project.publication()
        of.block("table.md", "first", LINES, build)
        of.copy("picture.md", b"new")
        of.folder("kept/one", {"new.csv": "new\n"})
        of.write()

    # The last of several steps fails: a full disk, say.
    rename = Path.replace

    def fails(self: Path, target: Path) -> Path:
        if Path(target) == kept:
            raise OSError(28, "No space left on device", str(target))
        return rename(self, target)

    monkeypatch.setattr(Path, "replace", fails)
    with pytest.raises(Trouble, match="can't write .*/kept/one: No space left on device; nothing is published"):
        attempt()
    assert {path: path.read_bytes() for path in project.root.rglob("*.[cm]*") if path.is_file()} == before
    monkeypatch.undo()
    attempt()
    assert [path.name for path in kept.iterdir()] == ["new.csv"]
    # What it doesn't replace stays.
    assert [path.name for path in other.iterdir()] == ["old.csv"]
    assert not list(project.root.rglob("*.new")) and not list(project.root.rglob("*.old"))
    assert machine.revision(project.root)
