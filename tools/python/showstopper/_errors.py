# SPDX-License-Identifier: MIT
"""Errors that a file or a value is to blame for, not the program."""
from __future__ import annotations

__all__ = ["InputError", "InputWarning"]


class InputError(ValueError):
    """Something was found that isn't what is expected. The message says both, behind "FILE:LINE:" where it is about a line.

    Functions that know only a frame leave out the file; `about` adds it. The command line prints the message and ends with status 125.
    """

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line

    def about(self, name: str) -> InputError:
        """The same error, of the file, log or run of this name."""
        return InputError(f"{name}:{self.line}: {self}" if self.line else f"{name}: {self}")


class InputWarning(UserWarning):
    """Something was left out, or may be wrong. The command line prints it to standard error."""
