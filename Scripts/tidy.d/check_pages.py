"""Each page begins with its title, and each decision has a number of its own and the name of its question or choice."""

import re

from tree import Fault

DECISIONS = "Sources/Yaprak/Yaprak.docc/Decisions/"


def check(tree):
    faults, numbers = [], {}
    for path in tree.paths:
        if not path.endswith(".md") or ".docc/" not in path:
            continue
        first = tree.text(path).split("\n", 1)[0]
        if not re.match(r"# \S", first):
            faults.append(Fault(path, 1, "headings", "the page has no title. Begin it with a line \"# Title\"."))
        if not path.startswith(DECISIONS):
            continue
        name = re.fullmatch(r"(\d{4})-[a-z0-9]+(-[a-z0-9]+)*\.md", path[len(DECISIONS):])
        if not name:
            faults.append(Fault(path, 1, "headings", "a decision's file is called NNNN-title-in-small-letters.md. Rename it."))
            continue
        other = numbers.setdefault(name.group(1), path)
        if other != path:
            faults.append(Fault(path, 1, "headings", f"{other} has the same number. Take the next free one."))
    return faults
