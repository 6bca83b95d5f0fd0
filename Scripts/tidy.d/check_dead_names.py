"""No declaration that nothing names: what nobody can call is not kept, compiled and read."""

from collections import Counter, defaultdict

import rules
from tree import Fault


def check(tree):
    words, heads, declared, requirements = Counter(), Counter(), defaultdict(list), set()
    inFile = {}
    for path, file in tree.swift.items():
        words += file.words
        for extended, _ in file.extensions:
            heads.update(extended.split("."))
        here = defaultdict(list)
        for declaration in file.declarations:
            declared[declaration.name].append(declaration)
            here[declaration.name].append(declaration)
            if declaration.isRequirement:
                requirements.add(declaration.name)
        inFile[path] = here
    faults = []
    for path, file in tree.swift.items():
        ownHeads = Counter(part for extended, _ in file.extensions for part in extended.split("."))
        for declaration in file.declarations:
            name = declaration.name
            if _isExempt(declaration, file, name, requirements):
                continue
            if declaration.access in ("private", "fileprivate"):
                total, same, seen = file.words[name], inFile[path][name], ownHeads[name]
            else:
                total, same, seen = words[name], declared[name], heads[name]
            # A function that names itself is not used for that; one of several of its name may be called by another.
            own = same[0].ownUses if len(same) == 1 else 0
            if total <= len(same) + seen + own:
                if tree.allows("DEAD_NAMES_ALLOWED", (path, name)):
                    continue
                faults.append(Fault(
                    path, declaration.line, "dead-names",
                    f"nothing names the {declaration.access} {declaration.kind} {name}. Remove it, or use it."))
    return faults


def _isExempt(declaration, file, name, requirements):
    if declaration.access in ("public", "open") or "override" in declaration.modifiers:
        return True
    if name in rules.WITNESSES or name.startswith("_") or not name.isidentifier():
        return True
    if name in requirements and not declaration.isRequirement:
        return True
    if declaration.attributes & rules.CALLED_ATTRIBUTES:
        return True
    # A test's types have fields to be coded, shown and kept alive.
    if file.path.startswith("Tests/") and declaration.kind == "variable":
        return True
    # Named by the text a user types or a file holds.
    if declaration.kind == "case":
        holder = next(
            (d for d in file.declarations if d.kind == "enum" and declaration.scope and d.name == declaration.scope[-1]),
            None)
        return holder is not None and bool(set(holder.heritage) & rules.NAMED_BY_TEXT)
    return False
