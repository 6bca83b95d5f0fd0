"""Lines that fit a screen beside another one."""

import re

import rules
from tree import Fault


def check(tree):
    faults = []
    for path in tree.paths:
        if path.endswith(".swift") and not path.startswith("Fixtures/"):
            faults += _swift(path, tree.text(path))
        elif path.endswith(".md"):
            faults += _page(path, tree.text(path))
    return faults


def _swift(path, text):
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > rules.SWIFT_LINE and not _isOneWord(line):
            yield Fault(
                path, number, "lines",
                f"{len(line)} signs, {rules.SWIFT_LINE} are the limit. Break the comment, or the text with a \\ at the end of a "
                "line in \"\"\".")


def _page(path, text):
    isFenced = False
    for number, line in enumerate(text.split("\n"), 1):
        if re.match(r"\s*(```|~~~)", line):
            isFenced = not isFenced
        # Tables and what a terminal shows have no choice; a heading is one line.
        if isFenced or line.lstrip().startswith(("|", "#")) or re.match(r"(    |\t)\S", line):
            continue
        if len(line) > rules.PAGE_LINE and not _isOneWord(line):
            yield Fault(path, number, "lines", f"{len(line)} signs, {rules.PAGE_LINE} are the limit. Break the paragraph.")


def _isOneWord(line):
    """A link or a symbol that can't be broken."""
    return max(map(len, line.split()), default=0) > 80
