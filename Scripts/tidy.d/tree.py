"""The files of the tree, read once: Swift sources, pages, scripts, and what Package.swift says."""

import functools
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass

import rules
import swift_source


@dataclass(frozen=True)
class Fault:
    path: str
    line: int
    kind: str
    text: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.kind}: {self.text}"


class Tree:
    """Files by their path from the root. `replaced` holds other texts for some of them, or None for a file that is gone."""

    _parsed = {}

    def __init__(self, root, replaced=None):
        self.root = root
        self.replaced = replaced or {}
        listed = subprocess.run(
            ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"], cwd=root, check=True,
            capture_output=True, text=True)
        paths = {p for p in listed.stdout.split("\0") if p and os.path.isfile(os.path.join(root, p))}
        self.paths = sorted((paths | set(self.replaced)) - {p for p, text in self.replaced.items() if text is None})
        self.swift = {p: self.parsed(p) for p in self.paths if p.endswith(".swift")}
        self.sources = {p: f for p, f in self.swift.items() if p.startswith("Sources/")}
        # Exceptions of `rules` that a check has met, each with the name of its table.
        self.met = set()

    def text(self, path):
        if path in self.replaced:
            return self.replaced[path]
        with open(os.path.join(self.root, path), encoding="utf-8") as file:
            return file.read()

    def parsed(self, path):
        text = self.text(path)
        if (path, text) not in Tree._parsed:
            Tree._parsed[path, text] = swift_source.read(path, text)
        return Tree._parsed[path, text]

    @functools.cache
    def package(self):
        """What Package.swift says: targets with their folder and the modules they may import."""
        text = self.text("Package.swift")
        if text not in Tree._parsed:
            Tree._parsed[text] = _dump(text)
        dump = Tree._parsed[text]
        targets = {}
        for target in dump["targets"]:
            folder = target.get("path") or ("Tests/" if target["type"] == "test" else "Sources/") + target["name"]
            modules = [next(iter(d.values()))[0] for d in target["dependencies"]]
            targets[target["name"]] = (target["type"], folder, modules)
        return targets

    def allows(self, table, entry):
        """Whether a table of `rules` has that exception, which is noted."""
        if entry not in getattr(rules, table):
            return False
        self.met.add((table, entry))
        return True

    @functools.cache
    def target(self, path):
        """The target a file belongs to, and the folder it lies in there; the target's own folder is \"\"."""
        for name, (_, folder, _) in self.package().items():
            if path.startswith(folder + "/"):
                return name, os.path.dirname(path[len(folder) + 1:]).split("/")[0]
        return None, ""


def _dump(manifest):
    with tempfile.TemporaryDirectory() as folder:
        # A folder of its own: the manifest alone is asked, and no build is waited for.
        with open(os.path.join(folder, "Package.swift"), "w", encoding="utf-8") as file:
            file.write(manifest)
        done = subprocess.run(
            ["swift", "package", "--package-path", folder, "dump-package"], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"Package.swift can't be read:\n{done.stderr}")
    return json.loads(done.stdout)
