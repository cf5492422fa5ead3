# SPDX-License-Identifier: MIT
"""What experiments and benchmarks have in common: see tools/experiments/README.md."""
