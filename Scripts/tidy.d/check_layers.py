"""Folders of a target are layers: a file names what lies in its own folder and in those below, never above."""

from collections import defaultdict

import rules
from tree import Fault


def check(tree):
    faults, folders = [], defaultdict(dict)
    # The targets of the sources, and those of the tests that have an order.
    for path, file in tree.swift.items():
        target, folder = tree.target(path)
        if target and (path in tree.sources or target in rules.LAYERS) and not path.endswith("/Package.swift"):
            folders[target].setdefault(folder, []).append(file)
    for target in sorted(folders):
        faults += _order(target, folders[target], tree)
    for target in sorted(set(rules.LAYERS) - set(folders)):
        faults.append(Fault("Scripts/tidy.d/rules.py", 1, "layers", f"there is no target {target}. Take it out of LAYERS."))
    return faults


def _order(target, folders, tree):
    order = rules.LAYERS.get(target)
    if order is None:
        if set(folders) == {""}:
            return []
        first = min(f.path for folder, files in folders.items() if folder for f in files)
        return [Fault(first, 1, "layers", f"{target} has folders and no order. Add it to LAYERS in Scripts/tidy.d/rules.py.")]
    faults = []
    for folder in sorted(set(folders) - set(order)):
        first = min(f.path for f in folders[folder])
        name = f"the folder {folder}" if folder else "a file beside the folders"
        faults.append(Fault(
            first, 1, "layers", f"{name} has no place in the order of {target}. Move it, or add it to LAYERS in Scripts/tidy.d/rules.py."))
    for folder in order:
        if folder not in folders:
            faults.append(Fault(
                "Scripts/tidy.d/rules.py", 1, "layers", f"{target} has no folder {folder or '(none)'}. Take it out of LAYERS."))
    height = {folder: index for index, folder in enumerate(order)}
    places = _places(folders, tree)
    for folder in sorted(set(folders) & set(order)):
        for file in sorted(folders[folder], key=lambda f: f.path):
            for name, (found, noun) in sorted(places.items()):
                if found not in height or height[found] <= height[folder]:
                    continue
                line = (file.members if noun == "member" else file.uses).get(name)
                if line is None or name in file.locals or tree.allows("LAYERS_ALLOWED", (file.path, name)):
                    continue
                faults.append(Fault(
                    file.path, line, "layers",
                    f"{name} lies in {found}, above {folder or 'this file'}. Move one of the two, or hand it in from above "
                    f"(order: {' < '.join(f or '(files beside folders)' for f in order)})."))
    return faults


def _places(folders, tree):
    """Names that one folder alone declares, in the whole of the sources: types, and members that are called behind a dot."""
    types, members = defaultdict(set), defaultdict(set)
    everywhere = defaultdict(set)
    own = {file.path for files in folders.values() for file in files}
    for path, file in tree.swift.items():
        if path not in tree.sources and path not in own:
            continue
        for declaration in file.declarations:
            everywhere[declaration.name].add(tree.target(path))
    for folder, files in folders.items():
        for file in files:
            for declaration in file.declarations:
                isType = declaration.kind in ("struct", "class", "enum", "actor", "protocol", "typealias")
                (types if isType else members)[declaration.name].add(folder)
    places = {}
    for name, found in types.items():
        if len(found) == 1 and name not in members and name not in rules.COMMON_NAMES:
            places[name] = (next(iter(found)), "type")
    for name, found in members.items():
        if len(found) == 1 and len(everywhere[name]) == 1 and name not in types and name not in rules.COMMON_NAMES:
            places[name] = (next(iter(found)), "member")
    return places
