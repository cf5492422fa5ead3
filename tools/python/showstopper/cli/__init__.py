# SPDX-License-Identifier: MIT
"""The command line `ssreport`. A subcommand is a module with its name here, and a row of the table in options.py."""
