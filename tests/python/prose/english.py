"""Counts of the openings and phrases that the project's prose avoids.

`python -m tests.python.prose.english [PATH...]` prints each place below the paths, by default in the whole
tree, and the counts.
"""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[3]
OPENINGS = {
    "question": r"(?:What|Who|Whose|How|When|Where|Whether|Which)\b"
    r"|(?:After|At|By|From|In|On|To|Until|With) (?:how|what|when|which|whose)\b",
    "preposition": r"(?:Of|By|As|Until|Without|So many)\b",
    "pronoun": r"(?:That|Those|Its own|Nobody|Somebody)\b",
}
"""First words of docstrings, doc comments and the documentation of parameters and options, by category."""
DOCUMENTATION = tuple(OPENINGS)
"""Categories of openings that count in docstrings, doc comments and documentation."""
COMMENTS = ("question", "pronoun")
"""Categories of openings that count in plain comments."""
PHRASES = {
    "is no": r"(?<!there )\b(?:is|are|was|were) (?:no|none)\b(?! (?:longer|more|less|fewer|\w+er)\b)",
    "stand": r"\b(?:stands?|stood)\b",
    "told": r"\btold\b",
    "go on": r"\b(?:go|goes|went|gone|going) on\b",
    "so many": r"\b(?<!not )(?<!made )so (?:many|much|long|far)\b",
    "its own": r"\bof (?:its|their) own\b|\bof ours\b",
    "as one": r"\b(?:(?:act|acts|acting) as one|each by itself|by themselves)\b",
    "beside": r"\bbeside\b",
    "somebody": r"\b(?:any|some|no)body\b",
    "whoever": r"\bwho(?:m|so)?ever\b",
    "whole number": r"\bwhole numbers?\b",
    "hand out": r"\bhand(?:s|ed|ing)? (?:out|in)\b|\bon loan\b|\blent\b",
    "by itself": r"\bby (?:it|him)self\b",
    "book": r"\bbook(?:s|ed)\b(?! of)",
    "leave away": r"\b(?:leaves?|left|leaving) (?:\S+ )?away\b",
    "any more": r"\bany more\b",
    "tell of": r"\b(?:tells?|told) of\b|\bhears?\b",
    "by chance": r"\bby chance\b",
    "wants": r"\bwants?\b",
}
"""Phrases anywhere in prose, by category."""
NOUNS = re.compile(r"(?:The|A|An|All|Its|Both|Another)\b")
"""First words of docstrings of functions that return something, which begin with a verb."""
SOURCES = {
    ".py": "python",
    ".pyi": "python",
    ".rs": "slashes",
    ".c": "slashes",
    ".h": "slashes",
    ".S": "slashes",
    ".md": "text",
    ".toml": "text",
}
GENERATED = re.compile(
    r"docs/(?:modules|examples|notebooks)/|docs/options\.md|library\.pyi$|registers\.(?:h|md)$|CHANGELOG\.md|LICENSE"
)
"""Files that follow from others, and the changelog, which is history."""
_WORDS = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in PHRASES.items()}
_ANY_WORD = re.compile("|".join(f"(?:{pattern})" for pattern in PHRASES.values()), re.IGNORECASE)
_FIRST = {name: re.compile(pattern) for name, pattern in OPENINGS.items()}


@dataclass(frozen=True)
class Passage:
    """Prose of one file: a docstring, a comment, a message or a paragraph."""

    path: Path
    line: int
    text: str
    opens: Sequence[str]
    """Categories of openings that count: all for a docstring or doc comment, `COMMENTS` for a comment."""
    returns: bool = False
    """True for the docstring of a function that returns something."""
    is_entry: bool = False
    """True for an entry of a section of a docstring, whose phrases count with the docstring."""


@dataclass(frozen=True)
class Finding:
    """One place with a phrase that the project avoids."""

    passage: Passage
    category: str

    def __str__(self) -> str:
        """Return path, line, category and the beginning of the passage."""
        text = " ".join(self.passage.text.split())
        return f"{self.passage.path}:{self.passage.line}: [{self.category}] {text[:160]}"


def files(below: Sequence[str] = ()) -> list[Path]:
    """Hand-written files of the repository with prose, relative to its root."""
    listed = subprocess.run(["git", "ls-files", *below], cwd=ROOT, capture_output=True, text=True, check=True)
    paths = [Path(line) for line in listed.stdout.splitlines()]
    return [
        path
        for path in paths
        if path.suffix in SOURCES and not GENERATED.search(str(path)) and (ROOT / path).is_file()
    ]


def passages(path: Path) -> Iterator[Passage]:
    """Prose of a file."""
    text = (ROOT / path).read_text(encoding="utf-8")
    match SOURCES[path.suffix]:
        case "python":
            yield from _of_python(path, text)
        case "slashes":
            yield from _of_comments(path, text)
        case _:
            yield from _of_text(path, text)


def findings(below: Sequence[str] = ()) -> list[Finding]:
    """All places of the repository, or of the paths below it, in the order of files."""
    own = Path(__file__).relative_to(ROOT).parent
    return [finding for path in files(below) if own not in path.parents for finding in findings_in(path)]


def findings_in(path: Path) -> list[Finding]:
    """All places of one file."""
    return [Finding(passage, category) for passage in passages(path) for category in _categories(passage)]


def _categories(passage: Passage) -> Iterator[str]:
    yield from (name for name in passage.opens if _FIRST[name].match(passage.text.lstrip()))
    if passage.is_entry:
        return
    if passage.returns and NOUNS.match(passage.text.lstrip()) and passage.path.parts[0] == "python":
        yield "noun"
    if _ANY_WORD.search(passage.text):
        for name, pattern in _WORDS.items():
            yield from (name for _ in pattern.finditer(passage.text))


def _of_python(path: Path, text: str) -> Iterator[Passage]:
    nodes = list(ast.walk(ast.parse(text)))
    docstrings = set[int]()
    for node in nodes:
        for child in getattr(node, "body", ()) if not isinstance(node, ast.Lambda | ast.IfExp) else ():
            if (
                isinstance(child, ast.Expr)
                and isinstance(child.value, ast.Constant)
                and isinstance(child.value.value, str)
            ):
                docstrings.add(id(child.value))
                docstring = Passage(
                    path, child.lineno, child.value.value, opens=DOCUMENTATION, returns=_returns(node, child)
                )
                yield docstring
                yield from _entries(docstring)
    for node in nodes:
        for keyword in node.keywords if isinstance(node, ast.Call) else ():
            value = keyword.value
            if keyword.arg in ("doc", "help") and isinstance(value, ast.Constant):
                docstrings.add(id(value))
                yield Passage(path, value.lineno, str(value.value), opens=DOCUMENTATION)
    for node in nodes:
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in docstrings
            and " " in node.value
        ):
            yield Passage(path, node.lineno, node.value, opens=())
    last = 0
    for number, line, comment in _comments(nodes, text):
        is_alone = line.lstrip().startswith("#")
        continues = is_alone and last == number - 1
        last = number if is_alone else 0
        yield Passage(path, number, comment.lstrip("# "), opens=() if continues else COMMENTS)


def _comments(nodes: Sequence[ast.AST], text: str) -> Iterator[tuple[int, str, str]]:
    """Number and text of each line of Python with a comment, and the comment."""
    marked = {number: line for number, line in enumerate(text.split("\n"), 1) if "#" in line}
    strings = {
        number
        for node in nodes
        if isinstance(node, ast.Constant | ast.JoinedStr) and node.end_lineno is not None
        for number in range(node.lineno, node.end_lineno + 1)
    }
    # The tokenizer is slow, and needed only if a character may be part of a string.
    if marked.keys() & strings:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.line, token.string
        return
    for number, line in marked.items():
        yield number, line, line[line.index("#") :].rstrip()


_SECTION = re.compile(r"( *)(Args|Attributes|Raises|Returns|Yields):$")
_ENTRY = re.compile(r"\*{0,2}\w[\w.]*(?: \([^)]*\))?: +(.*)$")


def _entries(docstring: Passage) -> Iterator[Passage]:
    """Descriptions in the sections of a docstring, such as that of one argument."""
    section: re.Match[str] | None = None
    indent = 0
    for number, line in enumerate(docstring.text.splitlines(), docstring.line):
        depth = len(line) - len(line.lstrip())
        if found := _SECTION.match(line):
            section, indent = found, 0
        elif section is None or not line.strip():
            continue
        elif depth <= len(section[1]):
            section = None
        elif not indent or (depth == indent and section[2] not in ("Returns", "Yields")):
            indent = depth
            named = _ENTRY.match(line.strip())
            description = named[1] if named else line.strip()
            yield Passage(docstring.path, number, description, opens=DOCUMENTATION, is_entry=True)


def _returns(node: ast.AST, docstring: ast.Expr) -> bool:
    """Return true if the docstring is that of a function with a result, other than a property."""
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or node.body[0] is not docstring:
        return False
    names = {ast.unparse(decorator).rpartition(".")[2] for decorator in node.decorator_list}
    is_property = bool(names & {"property", "cached_property"})
    return not is_property and node.returns is not None and ast.unparse(node.returns) != "None"


_COMMENT = re.compile(r"^\s*(///|//!|//|\*|/\*\*?)(?!/)\s?(.*)$")
_TRAILING = re.compile(r"\s(?://|/\*) (.*)$")
_KINDS = {"///": DOCUMENTATION, "//!": DOCUMENTATION, "/**": DOCUMENTATION, "//": COMMENTS, "/*": COMMENTS}
"""Categories of openings that count, by the first characters of a comment."""


def _of_comments(path: Path, text: str) -> Iterator[Passage]:
    block: list[str] = []
    begins, kind = 0, ""
    for number, line in enumerate([*text.splitlines(), ""], 1):
        found = _COMMENT.match(line)
        if found and (found[1] == kind or (found[1] == "*" and kind in ("/*", "/**"))):
            block.append(found[2])
            continue
        if block:
            yield Passage(path, begins, "\n".join(block), opens=_KINDS.get(kind, ()))
            block, kind = [], ""
        if found:
            block, begins, kind = [found[2]], number, found[1]
        for quoted in re.findall(r'"((?:[^"\\]|\\.)* (?:[^"\\]|\\.)*)"', line if not found else ""):
            yield Passage(path, number, quoted, opens=())
        trailing = _TRAILING.search(line) if not found else None
        if trailing:
            yield Passage(path, number, trailing[1], opens=COMMENTS)


def _of_text(path: Path, text: str) -> Iterator[Passage]:
    is_code = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            is_code = not is_code
        elif not is_code:
            yield Passage(path, number, line, opens=())


def main(below: Sequence[str]) -> None:
    """Print the findings below some paths, and their counts."""
    found = findings(below)
    print(*found, sep="\n")
    print(
        *(f"{name:12} {count}" for name, count in Counter(one.category for one in found).most_common()),
        sep="\n",
    )


if __name__ == "__main__":
    main(sys.argv[1:])
