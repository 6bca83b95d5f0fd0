"""Package.swift lists what a target imports, and a target imports what Package.swift lists."""

import glob
import os

import rules
from tree import Fault


def check(tree):
    faults = []
    package = tree.package()
    manifest = tree.text("Package.swift").split("\n")
    for target, (kind, folder, declared) in package.items():
        files = [f for p, f in tree.swift.items() if p.startswith(folder + "/")]
        imported = {}
        for file in files:
            for module, line, _, _ in file.imports:
                if module not in imported:
                    imported[module] = (file.path, line)
        for module, (path, line) in sorted(imported.items()):
            if module == target:
                faults.append(Fault(path, line, "dependencies", f"{target} imports itself. Remove the import."))
            elif module not in declared and module not in rules.SYSTEM_MODULES:
                faults.append(Fault(
                    path, line, "dependencies",
                    f"{target} imports {module}, which Package.swift does not list for it. List it, or do without it."))
        for module in declared:
            if module not in imported and not tree.allows("DEPENDENCIES_ALLOWED", (target, module)):
                faults.append(Fault(
                    "Package.swift", _line(manifest, target), "dependencies",
                    f"{target} lists {module}, which none of its files imports. Take it out of Package.swift."))
        # A folder without sources is a target that nobody sees. One in C has no files that are read here.
        place = os.path.join(tree.root, folder)
        if kind != "system" and not files and os.path.isdir(place) and not glob.glob(os.path.join(place, "*.c")):
            faults.append(Fault("Package.swift", _line(manifest, target), "dependencies", f"{target} has no source file."))
    return faults + _unused(tree, package)


def _line(manifest, target):
    for number, line in enumerate(manifest, 1):
        if f'name: "{target}"' in line and "library" not in line and "executable(" not in line:
            return number
    return 1


def _unused(tree, package):
    """Imports of this package's modules in files that name nothing of them."""
    names, handed = {}, {}
    for target, (_, folder, _) in package.items():
        names[target], handed[target] = set(), set()
        for path, file in tree.swift.items():
            if not path.startswith(folder + "/"):
                continue
            names[target] |= {d.name for d in file.declarations} | {e.split(".")[-1] for e, _ in file.extensions}
            for module, line, _, single in file.imports:
                if "@_exported" in file.text.split("\n")[line - 1]:
                    handed[target].add((module, single))
    faults = []
    for path, file in tree.swift.items():
        for module, line, isTestable, single in file.imports:
            if module not in names or "@_exported" in file.text.split("\n")[line - 1]:
                continue
            known = set(names[module])
            for other, single in handed[module]:
                if single:
                    known.add(single)
                else:
                    known |= names.get(other, set())
            if known and not any(name in known for name in file.words) \
                    and not tree.allows("IMPORTS_ALLOWED", (path, module)):
                faults.append(Fault(
                    path, line, "dependencies", f"nothing of {module} is named in this file. Remove the import."))
    return faults
