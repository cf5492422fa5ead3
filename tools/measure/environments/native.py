# SPDX-License-Identifier: MIT
"""None but the host. A side without a command is a group of workloads that another one's showstopper starts. It gets a control group if it has a
quota; SIDE/group is the file to which workloads write their numbers to join that, or empty."""

from measure.environments import Environment, Process, Side, hierarchy, limit, remove_group
from measure.process import start
from measure.text import Trouble


class Native(Environment):
    name, patience = "native", 20

    def make(self, side: Side) -> None:
        (side.folder / "group").write_text("")
        if side.quota == "-":
            return
        if not (found := hierarchy("cpu")):
            why = "control groups with quotas can't be had here"
            self.note(f"Nothing kept a side to {side.quota} processors at a time: {why}.")
            return
        try:
            group = limit(found, side.called, side.quota_us)
        except OSError as error:
            raise Trouble(f"no environment of the kind native can be made for {side.name}: {error}") from error
        (side.folder / "group").write_text(f"{group}/cgroup.procs\n")
        self.note(f"Each side could use {side.quota} processors at a time, by a quota.")

    def start(self, side: Side) -> Process:
        (side.folder / "ready").write_text("")
        return start(["sh", side.command], cwd=self.run)

    def remove(self, side: Side) -> None:
        remove_group(side.called)
