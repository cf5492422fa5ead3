# SPDX-License-Identifier: MIT
"""Which files of a batch's report have figures that others read."""

from collections.abc import Iterator
from pathlib import Path

from measure.text import first_line, lines_of

# Kinds, and those of other names.
FILES = "accuracy accuracy-runs throughput throughput-runs interference interference-runs background-runs times ratio"
FILES += " free-ratios quota-ratios validation frequency-runs layouts-runs scaling-runs service-runs"
OTHERS = {"overall-*-steps": "overall", "efficiency-*-steps": "efficiency", "events-*": "events", "replay-*": "replay"}


def is_emulated(folder: Path) -> bool:
    return any(line.startswith("Emulated") for file in folder.glob("runs/*/environment.txt") for line in lines_of(file))


def measured_files(folder: Path) -> Iterator[tuple[str, Path]]:
    """Kind and file, of a batch, or of what was kept of one. Emulated guests have figures of no meaning."""
    if is_emulated(folder):
        return
    for name, kind in (dict(zip(FILES.split(), FILES.split())) | OTHERS).items():
        for file in sorted(folder.glob(f"{name}.csv")):
            if file.stat().st_size > 0:
                yield kind_of_ratio(folder) if kind == "ratio" else kind, file


def kind_of_ratio(folder: Path) -> str:
    """Table 6 is of guests beside containers. Of a batch in several environments without guests it is the host beside containers; of others, anything."""
    fields = first_line(folder / "runs.tsv").split("\t")
    environment = fields[5] if len(fields) > 5 else ""
    if environment == "qemu" or folder.name.endswith("-qemu"):
        return "ratio"
    if (environment == "native" and folder.name == "native") or folder.name.endswith("-native"):
        return "ratio-host"
    return "ratio-other"
