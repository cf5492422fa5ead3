# SPDX-License-Identifier: MIT
"""Command lines."""

from collections.abc import Iterator, Sequence

from measure.text import Trouble


def options(
    arguments: Sequence[str], flags: str, valued: str, usage: str, rest: list[str] | None = None
) -> Iterator[tuple[str, str, str]]:
    """Each option as it was written, by its long name, and its value. `flags` and `valued` are names such as -q/--quick; --slurm= in
    `flags` may have a value behind it. What is no option goes to `rest`, where there may be such. --help prints the usage and ends.
    """
    is_flag = {
        name: names.split("/")[-1] for names in flags.split() for name in names.split("/") if not name.endswith("=")
    }
    has_value = {name: names.split("/")[-1] for names in valued.split() for name in names.split("/")}
    joined = [name for name in flags.split() if name.endswith("=")]
    at = 0
    while at < len(arguments):
        word = arguments[at]
        at += 1
        if word in ("-h", "--help"):
            print(usage, end="" if usage.endswith("\n") else "\n")
            raise SystemExit(0)
        if word in is_flag:
            yield word, is_flag[word].lstrip("-"), ""
        elif word in has_value:
            if at == len(arguments):
                raise Trouble(f"{word} needs a value")
            yield word, has_value[word].lstrip("-"), arguments[at]
            at += 1
        elif begun := [name for name in joined if word.startswith(name)]:
            yield begun[0][:-1], begun[0].strip("-="), word[len(begun[0]) :]
        elif rest is not None and not word.startswith("-"):
            rest.append(word)
        else:
            raise Trouble(f"unexpected argument '{word}' (--help says more)")
