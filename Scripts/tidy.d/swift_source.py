"""What a Swift file says, read without a compiler: words, comments, texts, imports, declarations.

It reads shapes, not meanings: two things of one name are one name here. The checks are written so that this can hide a
fault, and never make one up.
"""

import re
from collections import Counter
from dataclasses import dataclass, field

WORD = re.compile(r"[^\W\d]\w*")
TOKEN = re.compile(
    r"(?P<space>[^\S\n]+)|(?P<newline>\n)|(?P<line>//[^\n]*)|(?P<block>/\*)|(?P<string>#*\"(?:\"\")?)"
    r"|(?P<regex>#+/)|(?P<quoted>`[^`\n]*`)|(?P<word>[^\W\d]\w*)|(?P<number>\d[\w]*(?:\.\d\w*)?)|(?P<arrow>->)|(?P<other>.)",
    re.S)

TYPES = {"struct", "class", "enum", "actor", "protocol"}
ACCESS = ["private", "fileprivate", "internal", "package", "public", "open"]
MODIFIERS = {
    "static", "final", "mutating", "nonmutating", "nonisolated", "override", "lazy", "weak", "unowned", "indirect",
    "borrowing", "consuming", "required", "convenience", "dynamic", "prefix", "postfix", "infix", "isolated", "async",
    "unsafe", "sending", "distributed",
}


@dataclass(slots=True)
class Token:
    text: str
    line: int
    isWord: bool
    isQuoted: bool = False


@dataclass(slots=True)
class Declaration:
    kind: str
    name: str
    line: int
    access: str
    scope: tuple
    attributes: frozenset
    modifiers: frozenset
    isRequirement: bool = False
    isLocal: bool = False
    heritage: tuple = ()
    # How often the name stands in the body of the declaration itself: a recursive function names itself.
    ownUses: int = 0


@dataclass
class SwiftFile:
    path: str
    text: str
    tokens: list = field(default_factory=list)
    # (line, text) of each comment, and of each piece of a text between its interpolations.
    comments: list = field(default_factory=list)
    texts: list = field(default_factory=list)
    # (module, line, isTestable, single name or None)
    imports: list = field(default_factory=list)
    declarations: list = field(default_factory=list)
    # (type, line) of each extension.
    extensions: list = field(default_factory=list)
    # How often each word stands in the code, and where first; declared names and heads of extensions count.
    words: Counter = field(default_factory=Counter)
    # First line of each word that names something, so neither a declaration nor a label of an argument.
    uses: dict = field(default_factory=dict)
    # First line of each word behind a dot.
    members: dict = field(default_factory=dict)
    # Names that mean something of this file's own: locals, parameters, generic parameters.
    locals: set = field(default_factory=set)


def read(path, text):
    file = SwiftFile(path, text)
    _Lexer(file).run()
    _Parser(file).run()
    return file


class _Lexer:
    def __init__(self, file):
        self.file = file
        self.text = file.text
        self.line = 1

    def run(self):
        self.code(0, None)

    def code(self, at, closing):
        """Reads code until the end or, in an interpolation, the parenthesis that ends it."""
        text, depth, tokens = self.text, 0, self.file.tokens
        while at < len(text):
            found = TOKEN.match(text, at)
            kind, piece = found.lastgroup, found.group()
            at = found.end()
            if kind == "newline":
                self.line += 1
            elif kind == "line":
                self.file.comments.append((self.line, piece))
            elif kind == "block":
                at = self.block(found.start())
            elif kind == "string":
                at = self.string(found.start())
            elif kind == "regex":
                end = text.find("/" + "#" * (len(piece) - 1), at)
                at = len(text) if end < 0 else end + len(piece)
                self.line += text.count("\n", found.start(), at)
            elif kind == "word":
                tokens.append(Token(piece, self.line, True))
            elif kind == "quoted":
                tokens.append(Token(piece[1:-1], self.line, True, True))
            elif kind != "space":
                if closing and piece == ")" and depth == 0:
                    return at
                depth += {"(": 1, ")": -1}.get(piece, 0)
                tokens.append(Token(piece, self.line, False))
        return at

    def block(self, at):
        start, line, depth = at, self.line, 0
        while at < len(self.text):
            if self.text.startswith("/*", at):
                depth, at = depth + 1, at + 2
            elif self.text.startswith("*/", at):
                depth, at = depth - 1, at + 2
                if depth == 0:
                    break
            else:
                self.line += self.text[at] == "\n"
                at += 1
        self.file.comments.append((line, self.text[start:at]))
        return at

    def string(self, at):
        text = self.text
        hashes = 0
        while text[at] == "#":
            hashes, at = hashes + 1, at + 1
        quote = '"""' if text.startswith('"""', at) else '"'
        at += len(quote)
        end, escape = quote + "#" * hashes, "\\" + "#" * hashes
        self.file.tokens.append(Token('""', self.line, False))
        piece, line = [], self.line
        while at < len(text) and not text.startswith(end, at):
            if text.startswith(escape + "(", at):
                # What is put in stands as one sign, so that phrases around it stay apart.
                piece.append("\ufffc")
                at = self.code(at + len(escape) + 1, ")")
            elif text.startswith(escape, at):
                follows = text[at + len(escape):at + len(escape) + 1]
                piece.append({"n": "\n", "\n": " "}.get(follows, " "))
                self.line += follows == "\n"
                at += len(escape) + 1
            else:
                if text[at] == "\n":
                    self.line += 1
                piece.append(text[at])
                at += 1
        self.file.texts.append((line, "".join(piece)))
        self.file.tokens.append(Token('""', self.line, False))
        return at + len(end)


class _Parser:
    def __init__(self, file):
        self.file = file
        self.tokens = file.tokens

    def run(self):
        file, tokens = self.file, self.tokens
        self.scopes = []        # (kind, name, declaration, index of the first token)
        pending, depth = None, 0
        attributes, modifiers = set(), set()
        at, count = 0, len(tokens)
        self.named = set()      # indices of tokens that declare

        def text(index):
            return tokens[index].text if 0 <= index < count else ""

        while at < count:
            token = tokens[at]
            piece, before = token.text, text(at - 1)
            if not token.isWord:
                if piece == "@" and at + 1 < count and tokens[at + 1].isWord:
                    attributes.add(text(at + 1))
                    at += 2
                    if text(at) == "(" and tokens[at].line == tokens[at - 1].line:
                        at = self.closing(at) + 1
                    continue
                if piece in "([":
                    depth += 1
                elif piece in ")]":
                    depth -= 1
                elif piece == "{":
                    if pending and pending[3] == depth:
                        self.scopes.append((*pending[:3], at, depth))
                    else:
                        self.scopes.append(("code", "", None, at, depth))
                    pending = None
                    attributes, modifiers = set(), set()
                    depth = 0
                elif piece == "}":
                    if self.scopes:
                        _, _, declaration, start, depth = self.scopes.pop()
                        if declaration:
                            declaration.ownUses += sum(
                                t.isWord and t.text == declaration.name for t in tokens[start:at])
                    pending = None
                    attributes, modifiers = set(), set()
                at += 1
                continue
            inCode = bool(self.scopes) and self.scopes[-1][0] == "code"
            isFree = not token.isQuoted and before not in (".", "\\")
            if isFree and piece == "import" and not self.scopes:
                at = self.readImport(at, attributes)
                attributes, modifiers = set(), set()
                continue
            if isFree and (piece in ACCESS or piece in MODIFIERS) and text(at + 1) not in (":", ",", ")", "=", "."):
                if text(at + 1) == "(":
                    # private(set), unowned(unsafe), nonisolated(unsafe)
                    if piece not in ACCESS:
                        modifiers.add(piece)
                    at = self.closing(at + 1) + 1
                else:
                    modifiers.add(piece)
                    at += 1
                continue
            follows = tokens[at + 1] if at + 1 < count else None
            if isFree and depth == 0 and piece in TYPES | {"extension"} and follows and follows.isWord:
                if piece == "class" and follows.text in ("func", "var", "let", "subscript"):
                    modifiers.add("class")
                    at += 1
                    continue
                name, after = follows.text, at + 2
                self.named.add(at + 1)
                while text(after) == "." and tokens[after + 1].isWord:
                    name += "." + text(after + 1)
                    self.named.add(after + 1)
                    after += 2
                heritage = self.heritage(after)
                if piece == "extension":
                    if not inCode:
                        file.extensions.append((name, token.line))
                    access = next((m for m in modifiers if m in ACCESS), None)
                    pending = ("type", (name, access), None, depth)
                else:
                    declaration = self.declare(piece, name, token.line, attributes, modifiers, inCode, heritage)
                    pending = ("protocol" if piece == "protocol" else "type", (name, None), declaration, depth)
                attributes, modifiers = set(), set()
                at = after
                continue
            if isFree and depth == 0 and piece in ("typealias", "associatedtype") and follows and follows.isWord:
                self.named.add(at + 1)
                self.declare(piece, follows.text, token.line, attributes, modifiers, inCode, ())
                attributes, modifiers = set(), set()
                at += 2
                continue
            if isFree and piece in ("func", "macro") and follows and (follows.isWord or piece == "func"):
                declaration = None
                if follows.isWord:
                    self.named.add(at + 1)
                    declaration = self.declare(piece, follows.text, follows.line, attributes, modifiers, inCode, ())
                pending = ("code", "", declaration, depth)
                attributes, modifiers = set(), set()
                at += 2 if follows.isWord else 1
                continue
            if isFree and not inCode and piece in ("init", "deinit", "subscript") and depth == 0:
                pending = ("code", "", None, depth)
                attributes, modifiers = set(), set()
                at += 1
                continue
            if isFree and piece in ("var", "let") and follows:
                pending = self.readVariables(at, attributes, modifiers, inCode, depth) or pending
                attributes, modifiers = set(), set()
                at += 1
                continue
            if isFree and piece == "case" and not inCode and depth == 0:
                at = self.readCases(at, attributes, modifiers)
                attributes, modifiers = set(), set()
                continue
            if piece == "for" and inCode and follows and follows.isWord:
                file.locals.add(follows.text)
            at += 1
        self.collect()

    def closing(self, at):
        """The index of the bracket that closes the one at `at`."""
        depth = 0
        for index in range(at, len(self.tokens)):
            piece = self.tokens[index].text
            if self.tokens[index].isWord:
                continue
            depth += (piece in "([{") - (piece in ")]}")
            if depth == 0:
                return index
        return len(self.tokens) - 1

    def heritage(self, at):
        """What stands between a colon and the brace of a type."""
        names, isBehind = [], False
        for token in self.tokens[at:at + 80]:
            if token.text == "{" or token.text == "where":
                break
            if token.text == ":" and not token.isWord:
                isBehind = True
            elif isBehind and token.isWord:
                names.append(token.text)
        return tuple(names)

    def declare(self, kind, name, line, attributes, modifiers, isLocal, heritage):
        scopes = [s for s in self.scopes if s[0] in ("type", "protocol")]
        access = next((m for m in modifiers if m in ACCESS), None)
        isRequirement = bool(self.scopes) and self.scopes[-1][0] == "protocol"
        if access is None and scopes:
            inherited, holder = scopes[-1][1][1], scopes[-1][2]
            access = inherited or (holder.access if holder and (isRequirement or kind == "case") else None)
        access = access or "internal"
        for scope in scopes:
            if scope[2] and ACCESS.index(scope[2].access) < ACCESS.index(access):
                access = scope[2].access
        declaration = Declaration(
            kind, name, line, access, tuple(s[1][0] for s in scopes), frozenset(attributes), frozenset(modifiers),
            isRequirement, isLocal, heritage)
        if isLocal:
            self.file.locals.add(name)
        else:
            self.file.declarations.append(declaration)
        return declaration

    def readImport(self, at, attributes):
        line, words = self.tokens[at].line, []
        at += 1
        while at < len(self.tokens) and self.tokens[at].line == line:
            if self.tokens[at].isWord:
                words.append(self.tokens[at].text)
            at += 1
        if words and words[0] in TYPES | {"func", "var", "let", "typealias"}:
            words = words[1:]
        single = words[-1] if len(words) > 1 else None
        self.file.imports.append((words[0], line, "testable" in attributes, single))
        return at

    def readVariables(self, at, attributes, modifiers, inCode, depth):
        """Names behind var or let: one, several with commas, or a tuple."""
        tokens, names = self.tokens, []
        index = at + 1
        if tokens[index].text == "(":
            end = self.closing(index)
            names = [i for i in range(index, end) if tokens[i].isWord]
        elif tokens[index].isWord:
            names = [index]
            if not inCode:
                # var isA = false, isB = false
                depthHere = 0
                for i in range(index + 1, min(index + 200, len(tokens))):
                    piece = tokens[i].text
                    if tokens[i].isWord:
                        if depthHere == 0 and piece in ("var", "let", "func", "case", "init", "struct"):
                            break
                        continue
                    if piece in "([{":
                        depthHere += 1
                    elif piece in ")]}":
                        depthHere -= 1
                        if depthHere < 0:
                            break
                    elif piece == "," and depthHere == 0 and i + 2 < len(tokens) and tokens[i + 1].isWord:
                        if tokens[i + 2].text in (":", "=", ",") and tokens[i].line == tokens[index].line:
                            names.append(i + 1)
        declaration = None
        for i in names:
            self.named.add(i)
            if inCode or depth > 0:
                self.file.locals.add(tokens[i].text)
            else:
                declaration = self.declare(
                    "variable", tokens[i].text, tokens[i].line, attributes, modifiers, False, ())
        return ("code", "", declaration, depth) if declaration else None

    def readCases(self, at, attributes, modifiers):
        tokens = self.tokens
        at += 1
        while at < len(tokens) and tokens[at].isWord:
            self.named.add(at)
            self.declare("case", tokens[at].text, tokens[at].line, attributes, modifiers, False, ())
            at += 1
            if at < len(tokens) and tokens[at].text == "(":
                at = self.closing(at) + 1
            if at < len(tokens) and tokens[at].text == "=":
                line = tokens[at].line
                while at < len(tokens) and tokens[at].line == line and tokens[at].text != ",":
                    at += 1
            if at < len(tokens) and tokens[at].text == ",":
                at += 1
            else:
                break
        return at

    def collect(self):
        file, tokens = self.file, self.tokens
        for index, token in enumerate(tokens):
            if not token.isWord:
                continue
            file.words[token.text] += 1
            if index in self.named:
                continue
            follows = tokens[index + 1].text if index + 1 < len(tokens) else ""
            before = tokens[index - 1].text if index else ""
            if before == ".":
                file.members.setdefault(token.text, token.line)
            # A parameter or a label, or a generic parameter: a name of this file's own.
            if follows == ":" and before in ("(", ",", "_", "[", "{") or follows == ":" and tokens[index - 1].isWord:
                file.locals.add(token.text)
                continue
            if before in ("<", ",") and follows in (",", ">", ":") and token.text[:1].isupper():
                if self.isGenericHead(index):
                    file.locals.add(token.text)
                    continue
            file.uses.setdefault(token.text, token.line)

    def isGenericHead(self, index):
        """Whether the word stands in <…> behind the name of a declaration."""
        while index >= 0 and self.tokens[index].text not in ("<", "{", "}", "(", ")"):
            index -= 1
        return index > 0 and self.tokens[index].text == "<" and (
            index - 1 in self.named or self.tokens[index - 1].text in ("init", "subscript"))
