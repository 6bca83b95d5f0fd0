"""Runs the checks of Scripts/tidy; see there."""

import os
import sys

import check_dead_names
import check_dependencies
import check_file_names
import check_layers
import check_lines
import check_locks
import check_pages
import check_words
import rules
from tree import Fault, Tree

CHECKS = {
    "layers": check_layers.check,
    "dependencies": check_dependencies.check,
    "dead-names": check_dead_names.check,
    "file-names": check_file_names.check,
    "words": check_words.check,
    "headings": check_pages.check,
    "lines": check_lines.check,
    "locks": check_locks.check,
}

# Which check meets the exceptions of a table.
TABLES = {
    "LAYERS_ALLOWED": "layers", "DEPENDENCIES_ALLOWED": "dependencies", "IMPORTS_ALLOWED": "dependencies",
    "DEAD_NAMES_ALLOWED": "dead-names", "FILE_NAMES_ALLOWED": "file-names",
}


def unneeded(tree, kinds):
    """Exceptions that no check has met: what they excuse is gone."""
    for table, kind in TABLES.items():
        for entry in getattr(rules, table):
            if kind in kinds and (table, entry) not in tree.met:
                name = entry if isinstance(entry, str) else ": ".join(entry)
                yield Fault(
                    "Scripts/tidy.d/rules.py", 1, kind, f"the exception for {name} in {table} is not needed. Take it out.")


def main(arguments):
    root = os.getcwd()
    if arguments == ["--self-test"]:
        import self_test
        return self_test.run(root, CHECKS)
    kinds = list(CHECKS)
    if arguments[:1] == ["--only"]:
        if len(arguments) < 2 or arguments[1] not in CHECKS:
            print(f"--only takes one of: {', '.join(CHECKS)}", file=sys.stderr)
            return 64
        kinds, arguments = [arguments[1]], arguments[2:]
    if any(a.startswith("-") for a in arguments):
        print(f"unknown option: {next(a for a in arguments if a.startswith('-'))}. See Scripts/tidy --help.", file=sys.stderr)
        return 64
    missing = next((a for a in arguments if not os.path.exists(a)), None)
    if missing:
        print(f"there is no {missing}: nothing would be checked.", file=sys.stderr)
        return 64
    places = [os.path.relpath(a, root) for a in arguments]
    tree = Tree(root)
    faults = [fault for kind in kinds for fault in CHECKS[kind](tree)] + list(unneeded(tree, kinds))
    shown = [f for f in faults if not places or any(f.path == p or f.path.startswith(p + "/") or p == "." for p in places)]
    for fault in sorted(shown, key=lambda f: (f.path, f.line, f.kind, f.text)):
        print(fault)
    if shown:
        print(f"{len(shown)} faults", file=sys.stderr)
    return 1 if shown else 0


sys.exit(main(sys.argv[1:]))
