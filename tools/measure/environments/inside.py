# SPDX-License-Identifier: MIT
"""inside.py FOLDER [AHEAD SHARED]: what runs in an environment. Says in the folder SHARED, which is FOLDER otherwise, that it is ready, waits there for
the instant at which all sides begin, and runs FOLDER/command with $START, that instant by the clock of the environment, which is AHEAD seconds
ahead of the host's, and $SHARED, where what it writes is seen at once. Gives up after some minutes: then there is nobody who would say it."""

import os
import sys
import time
from pathlib import Path

folder, ahead = Path(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else 0.0
shared = Path(sys.argv[3]) if len(sys.argv) > 3 else folder
os.chdir(folder / "files")
(shared / "ready").write_text("")
for _ in range(6000):
    if (shared / "start").exists():
        break
    time.sleep(0.05)
else:
    sys.exit(125)
os.environ |= {"START": f"{float((shared / 'start').read_text()) + ahead:.3f}", "SHARED": str(shared)}
for number, name, flags in ((0, os.devnull, os.O_RDONLY), (1, os.devnull, os.O_WRONLY)):
    os.dup2(os.open(name, flags), number)
os.dup2(os.open(folder / "messages.txt", os.O_WRONLY | os.O_CREAT | os.O_APPEND), 2)
os.execvp("sh", ["sh", str(folder / "command")])
