"""One lock for all: that of YaprakLocks, which is not inlined into async functions and which the thread sanitizer sees."""

import re

from tree import Fault


def check(tree):
    faults = []
    for path in tree.paths:
        if not path.endswith(".swift") or not path.startswith(("Sources/", "Tests/")) or path.startswith("Sources/YaprakLocks/"):
            continue
        text = tree.text(path)
        if re.search(r"^\s*(?:package |public |internal )?import YaprakLocks$", text, re.M):
            continue
        for number, line in enumerate(text.split("\n"), 1):
            if re.search(r"\bMutex[<(]", line.split("//")[0]):
                faults.append(Fault(
                    path, number, "locks",
                    "the Mutex of the standard library. Import YaprakLocks: its lock is not inlined into async functions, and the "
                    "thread sanitizer sees it."))
    return faults
