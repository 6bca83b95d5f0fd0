"""A file is named for what it declares: X.swift declares X, X+Y.swift extends X or declares something of that name.

A letter and two digits in front put files in an order: P03SingleWrite.swift declares singleWrite.
"""

import os
import re

from tree import Fault


def check(tree):
    faults = []
    for path, file in tree.swift.items():
        name = os.path.basename(path)[:-len(".swift")]
        if name in ("main", "Package"):
            continue
        name = re.sub(r"^[A-Z]\d\d(?=[A-Z])", "", name)
        base, plus, _ = name.partition("+")
        declared = {d.name for d in file.declarations}
        extended = {part for e, _ in file.extensions for part in (e, e.split(".")[-1])}
        if plus:
            if base in extended | declared or name.replace("+", "") in declared or tree.allows("FILE_NAMES_ALLOWED", path):
                continue
            faults.append(Fault(
                path, 1, "file-names", f"nothing here extends {base}. Name the file for what it declares or extends."))
        elif name not in declared and name[:1].lower() + name[1:] not in declared \
                and not tree.allows("FILE_NAMES_ALLOWED", path):
            what = ", ".join(sorted({d.name for d in file.declarations if not d.scope})[:3])
            what = what or ", ".join(f"an extension of {e}" for e in sorted({e for e, _ in file.extensions})[:3]) or "nothing"
            faults.append(Fault(
                path, 1, "file-names",
                f"nothing here is called {name}: the file declares {what}. Name it for that (X.swift declares X, X+Y.swift extends X)."))
    return faults
