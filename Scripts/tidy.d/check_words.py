"""The words that the style guide replaces, in pages, scripts, comments, help and error messages, and names of tests."""

import re

import rules
from tree import Fault

CODE = re.compile(r"``+[^`]*``+|`[^`\n]*`|<doc:[^>]*>|https?://\S+|\]\([^)]*\)")


def check(tree):
    faults, used = [], set()
    for path in tree.paths:
        for start, text in passages(tree, path):
            faults += _faults(path, start, text, used)
    for entry in rules.WORDS_ALLOWED:
        if entry not in used and entry[0] in tree.paths:
            faults.append(Fault(
                entry[0], 1, "words", f"the exception for \"{entry[1]}\" in WORDS_ALLOWED of Scripts/tidy.d/rules.py is not needed."))
    return faults


def _faults(path, start, text, used):
    found = []
    for pattern, remedy, _, _ in rules.WORDS:
        for match in pattern.finditer(text):
            entry = next(
                (e for e in rules.WORDS_ALLOWED if e[0] == path and e[1].lower() in _around(text, match).lower()), None)
            if entry:
                used.add(entry)
                continue
            line = start + text.count("\n", 0, match.start())
            word = " ".join(match.group().split())
            found.append(Fault(path, line, "words", f"\"{word}\": write {remedy}."))
    return found


def _around(text, match):
    return " ".join(text[max(0, match.start() - 60):match.end() + 60].split())


def passages(tree, path):
    """(first line, text) of each piece of prose, lines kept, code blanked."""
    if path.startswith(("Scripts/tidy.d/", "Scripts/api/")) or path == "Scripts/tidy":
        return
    if path.endswith(".md"):
        yield 1, _page(tree.text(path))
    elif path.endswith(".swift"):
        file = tree.swift[path]
        yield from _comments(file)
        for line, text in file.texts:
            if path.startswith("Sources/") and " " in text:
                yield line, CODE.sub(_blank, text)
        for declaration in file.declarations:
            if " " in declaration.name:
                yield declaration.line, declaration.name
    elif path.startswith(("Scripts/", ".ci/")):
        # Comments, help and messages: whatever is no word of the style guide's is no word of a language either.
        yield 1, CODE.sub(_blank, tree.text(path))
    elif path.endswith((".c", ".h", ".js", ".css")):
        yield 1, CODE.sub(_blank, tree.text(path))


def _blank(match):
    """As many line breaks as the code had, and a sign in its place, so that words around it stay apart."""
    return "\ufffc" + "\n" * match.group().count("\n")


def _page(text):
    lines, isFenced = [], False
    for line in text.split("\n"):
        if re.match(r"\s*(```|~~~)", line):
            isFenced = not isFenced
            lines.append("")
        else:
            lines.append("" if isFenced or re.match(r"(    |\t)\S", line) else line)
    return CODE.sub(_blank, "\n".join(lines))


def _comments(file):
    """Comments of consecutive lines as one text: a phrase may be broken over two of them."""
    block, start = [], 0
    for line, text in file.comments:
        if block and line != start + len(block):
            yield start, CODE.sub(_blank, "\n".join(block))
            block = []
        if not block:
            start = line
        for piece in text.split("\n"):
            piece = re.sub(r"^\s*(///?|/\*+|\*+/?)", "", piece)
            # What is indented is an example, and its own comments are looked at.
            if re.match(r"\s{5,}\S", piece):
                piece = piece.partition("//")[2]
            block.append(piece)
    if block:
        yield start, CODE.sub(_blank, "\n".join(block))
