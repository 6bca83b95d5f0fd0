"""Plants faults of each kind in a copy of the tree, and compares what Scripts/tidy prints there with what it should."""

import os
import shutil
import subprocess
import sys
import tempfile

import rules
from tree import Tree

TARGET = "YaprakLists"
CATALOG = "Sources/Yaprak/Yaprak.docc/"


def run(root, checks):
    expected, files = _plants(root)
    missing = set(checks) - {kind for _, _, kind, _ in expected}
    if missing:
        print(f"the self-test plants nothing for {', '.join(sorted(missing))}", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as copy:
        for path in Tree(root).paths:
            if not path.startswith(("Fixtures/", "Tests/YaprakListsTests/Resources/")):
                os.makedirs(os.path.join(copy, os.path.dirname(path)), exist_ok=True)
                shutil.copy(os.path.join(root, path), os.path.join(copy, path))
        subprocess.run(["git", "init", "-q"], cwd=copy, check=True)
        _, before = _tidy(copy)
        for path, text in files.items():
            os.makedirs(os.path.join(copy, os.path.dirname(path)), exist_ok=True)
            with open(os.path.join(copy, path), "w", encoding="utf-8") as file:
                file.write(text)
        status, after = _tidy(copy)
    return _compare(expected, status, [line for line in after if line not in before])


def _tidy(root):
    done = subprocess.run(
        ["bash", "Scripts/tidy"], cwd=root, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"Scripts/tidy ended with {done.returncode}:\n{done.stderr}")
    return done.returncode, done.stdout.splitlines()


def _compare(expected, status, found):
    wrong = 0 if status == 1 else 1
    if wrong:
        print("Scripts/tidy does not fail where faults are planted", file=sys.stderr)
    for path, line, kind, part in expected:
        hits = [f for f in found if f.startswith(f"{path}:{line}: {kind}: ") and part in f]
        for hit in hits:
            found.remove(hit)
        if not hits:
            wrong += 1
            print(f"not found: {path}:{line}: {kind}: … {part} …", file=sys.stderr)
    for fault in found:
        wrong += 1
        print(f"a false alarm: {fault}", file=sys.stderr)
    print(f"{len(expected)} planted faults, {wrong} of them wrong" if wrong else f"{len(expected)} planted faults were found")
    return 1 if wrong else 0


def _plants(root):
    """What should be found (path, line, kind, part of the text), and the files to write."""
    expected, files = [], {}

    def plant(path, text, *faults):
        files[path] = text
        expected.extend((path, *fault) for fault in faults)

    _plantLayers(plant)
    _plantDependencies(plant, root)
    _plantDeadNames(plant)
    _plantFileNames(plant)
    _plantWords(plant)
    _plantPages(plant, root)
    _plantLines(plant)
    _plantLocks(plant)
    _plantExceptions(plant, root)
    return expected, files


def _plantLayers(plant):
    low, high = rules.LAYERS[TARGET][0], rules.LAYERS[TARGET][-1]
    plant(f"Sources/{TARGET}/{high}/PlantedAbove.swift", """\
public struct PlantedAbove {
    public func plantedMember() -> PlantedBelow { PlantedBelow() }
}
""")
    plant(f"Sources/{TARGET}/{low}/PlantedBelow.swift", """\
public struct PlantedBelow {
    // A comment about PlantedAbove is no arrow.
    public var upwards: PlantedAbove?
    public func plantedUse() { print("plantedMember", upwards.plantedMember()) }
    /// Parameters have names of their own.
    public func plantedElsewhere(plantedMember: Int) {}
}
""", (3, "layers", "PlantedAbove"))
    plant(f"Sources/{TARGET}/{low}/PlantedCall.swift", """\
public struct PlantedCall {
    public func plantedCall(_ some: Any) { some.plantedMember() }
}
""", (2, "layers", "plantedMember"))
    plant(f"Sources/{TARGET}/Attic/PlantedAttic.swift", "public struct PlantedAttic {}\n", (1, "layers", "the folder Attic"))
    low, high = rules.LAYERS["Proof"][0], rules.LAYERS["Proof"][-1]
    plant(f"Tests/Proof/{high}/PlantedProof.swift", "public struct PlantedProof {}\n")
    plant(f"Tests/Proof/{low}/PlantedHistory.swift", """\
public struct PlantedHistory {
    public var upwards: PlantedProof?
}
""", (2, "layers", "PlantedProof"))
    plant("Sources/YaprakTrees/Cellar/PlantedCellar.swift", "public struct PlantedCellar {}\n", (1, "layers", "no order"))


def _plantDependencies(plant, root):
    plant("Sources/YaprakTrees/PlantedImport.swift", """\
import Foundation
import YaprakStorage

public struct PlantedImport {
    public var first: FileSystem
}
""", (2, "dependencies", "YaprakTrees imports YaprakStorage"))
    plant("Tests/YaprakListsTests/PlantedIdle.swift", "import YaprakCore\n\nstruct PlantedIdle {}\nlet plantedIdle = PlantedIdle()\n",
          (1, "dependencies", "nothing of YaprakCore"))
    manifest = Tree(root).text("Package.swift")
    line = next(i for i, l in enumerate(manifest.split("\n"), 1) if '.target(name: "YaprakTrees"' in l)
    plant("Package.swift", manifest.replace(
        '.target(name: "YaprakTrees", dependencies: [', '.target(name: "YaprakTrees", dependencies: ["YaprakCBOR", '),
        (line, "dependencies", "YaprakTrees lists YaprakCBOR"))


def _plantDeadNames(plant):
    plant("Sources/YaprakTrees/PlantedDead.swift", """\
public struct PlantedDead {
    private func plantedPrivate() { plantedPrivate() }
    func plantedInternal() {}
    package var plantedPackage: Int { 1 }
    public func plantedPublic() { plantedUsed(.plantedLive); print("plantedInternal") }
    private func plantedUsed(_ word: PlantedWord) {}
    private func plantedOverload() { plantedOverload(1) }
    private func plantedOverload(_ number: Int) {}
}
enum PlantedWord: Error { case plantedLive, plantedDeadCase }
enum PlantedOption: String, CaseIterable { case plantedTyped }
struct PlantedExtended {}
extension PlantedExtended {}
let plantedOptions = PlantedOption.allCases
func plantedCaller() { _ = plantedOptions; plantedCaller() }
""", (2, "dead-names", "private func plantedPrivate"), (3, "dead-names", "internal func plantedInternal"),
          (4, "dead-names", "package variable plantedPackage"), (10, "dead-names", "case plantedDeadCase"),
          (12, "dead-names", "struct PlantedExtended"), (15, "dead-names", "func plantedCaller"))


def _plantFileNames(plant):
    plant("Sources/YaprakTrees/PlantedOther.swift", "public struct PlantedName {}\n", (1, "file-names", "PlantedOther"))
    plant("Sources/YaprakTrees/PlantedOther+Aspect.swift", "extension PlantedName {}\n", (1, "file-names", "extends PlantedOther"))
    plant("Sources/YaprakTrees/PlantedName+Aspect.swift", "extension PlantedName {}\n")
    plant("Sources/YaprakTrees/PlantedFree.swift", "public func plantedFree() {}\n")


def _plantWords(plant):
    page, inPage = ["# Planted words", ""], []
    code, inCode = ["public struct PlantedWords {"], []
    for pattern, _, bad, good in rules.WORDS:
        if not pattern.search(bad) or pattern.search(good):
            sys.exit(f"the examples of \"{pattern.pattern}\" in Scripts/tidy.d/rules.py are wrong")
        word = '"' + " ".join(pattern.search(bad).group().split()) + '"'
        page += [f"Here {good}.", f"Here {bad}", f"And `{bad}` is code.", "", f"    {bad} is code too", ""]
        inPage.append((len(page) - 4, "words", word))
        # A phrase that is broken over two lines is found in the line where it begins.
        first, _, rest = bad.rpartition(" ")
        code += [f"    /// Here {good}, and", f"    /// here {first}", f"    /// {rest}", f"    ///     let code = \"{bad}\""]
        isInOne = pattern.search(rest)
        inCode.append((len(code) - (1 if isInOne else 2), "words", word))
        code.append(f"    public static let text{len(inCode)} = \"{bad}\"")
        inCode.append((len(code), "words", word))
    plant(CATALOG + "PlantedWords.md", "\n".join(page) + "\n", *inPage)
    plant("Sources/YaprakTrees/PlantedWords.swift", "\n".join(code + ["}"]) + "\n", *inCode)
    plant("Scripts/planted", "#!/bin/sh\n# A comment.\necho 'it is said anew'\n", (3, "words", '"anew"'))
    plant("Sources/CPrefetch/planted.h", "/* It is planted\n   anew. */\n", (2, "words", '"anew"'))
    plant("Tests/YaprakTreesTests/PlantedClaims.swift", """\
struct PlantedClaims {
    let unseen = "a text of a test may say anew"
    func `A list is told of it`() {}
}
let plantedClaims = PlantedClaims()
""", (3, "words", '"told"'))


def _plantPages(plant, root):
    plant(CATALOG + "PlantedPage.md", "The page begins with a sentence.\n", (1, "headings", "no title"))
    decisions = CATALOG + "Decisions/"
    number = min(p for p in Tree(root).paths if p.startswith(decisions))[len(decisions):][:4]
    plant(f"{decisions}{number}-zz-planted.md", "# A number that is taken\n", (1, "headings", "the same number"))
    plant(f"{decisions}9998-Planted.md", "# A name with capitals\n", (1, "headings", "NNNN"))
    plant(f"{decisions}9999-planted.md", "\n# A title that comes late\n", (1, "headings", "no title"))


def _plantLines(plant):
    words = "word " * 40
    plant("Sources/YaprakTrees/PlantedLines.swift", f"""\
/// {words}
public struct PlantedLines {{
    // https://example.org/{"a" * 120}
    public let text = "{words}"
}}
""", (1, "lines", "signs"), (4, "lines", "signs"))
    plant(CATALOG + "PlantedLines.md", f"# Planted lines\n\n{words}\n\n| {words} |\n\n```\n{words}\n```\n", (3, "lines", "signs"))


def _plantExceptions(plant, root):
    """Exceptions that excuse nothing, one in each table, and an order of a target that is not there."""
    path, pair = "Scripts/tidy.d/rules.py", '("Sources/PlantedNowhere.swift", "plantedNowhere"): "",'
    text, faults = Tree(root).text(path), [(1, "layers", "no target PlantedNowhere")]
    text = text.replace("LAYERS = {\n", 'LAYERS = {\n    "PlantedNowhere": [""],\n', 1)
    for table, kind in (("LAYERS_ALLOWED", "layers"), ("DEPENDENCIES_ALLOWED", "dependencies"), ("IMPORTS_ALLOWED", "dependencies"),
                        ("DEAD_NAMES_ALLOWED", "dead-names"), ("FILE_NAMES_ALLOWED", "file-names")):
        entry = '"Sources/PlantedNowhere.swift": "",' if table == "FILE_NAMES_ALLOWED" else pair
        text = text.replace(f"\n{table} = {{", f"\n{table} = {{\n    {entry}", 1)
        faults.append((1, kind, f"in {table} is not needed"))
    plant(path, text, *faults)


def _plantLocks(plant):
    plant("Tests/YaprakListsTests/PlantedLocks.swift", """\
import Synchronization

// A Mutex(in a comment) is none.
final class PlantedLocks: Sendable {
    let numbers = Mutex<[Int]>([])
}
let plantedLocks = PlantedLocks().numbers
""", (5, "locks", "standard library"))
