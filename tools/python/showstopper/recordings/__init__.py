# SPDX-License-Identifier: MIT
"""What other programs recorded of a machine's load: readers of their formats, and the history that samples make."""
