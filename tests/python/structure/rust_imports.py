"""Imports between the files of a crate, read from its sources."""

import re
from collections.abc import Iterator
from pathlib import Path

ModulePath = tuple[str, ...]

COMMENT = re.compile(r"//[^\n]*")
TEXT = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
TESTS = re.compile(r"#\[cfg\(test\)\]\s*mod \w+ \{.*", re.DOTALL)
USE = re.compile(r"(?P<public>pub(?:\([^)]*\))?\s+)?\buse\s+(?P<tree>[^;]+);", re.DOTALL)
INLINE = re.compile(r"(?<![\w:$.])(?P<path>[a-z]\w*(?:::\w+)+)")
DEFINITION = re.compile(
    r"\b(?:fn|struct|enum|union|trait|type|const|static|mod|macro_rules!)\s+(?:mut\s+)?(?P<name>\w+)"
)


class Source:
    """One file of a crate: the module it is, what it defines, exports again and imports."""

    def __init__(self, file: Path, module: ModulePath) -> None:
        """Read the file."""
        text = TESTS.sub("", file.read_text())
        text = TEXT.sub('""', COMMENT.sub("", text))
        self.file, self.module = file, module
        self.defined = {match["name"] for match in DEFINITION.finditer(text)}
        self.imported: dict[str, ModulePath] = {}
        self.globs: list[ModulePath] = []
        self.paths: set[ModulePath] = set()
        for use in USE.finditer(text):
            for path, name in leaves(use["tree"]):
                if name == "*":
                    self.globs.append(path)
                else:
                    self.imported[name] = path
                if not use["public"]:
                    self.paths.add(path)
        self.paths.update(tuple(match["path"].split("::")) for match in INLINE.finditer(USE.sub("", text)))


def leaves(tree: str) -> Iterator[tuple[ModulePath, str]]:
    """The paths that a `use` tree imports, each with the name it gets."""
    tree = tree.strip()
    prefix, brace, rest = tree.partition("{")
    if not brace:
        whole, _, alias = (part.strip() for part in tree.partition(" as "))
        parts = tuple(whole.split("::"))
        if parts[-1] == "*":
            yield parts[:-1], "*"
        elif parts == ("self",):
            yield (), alias or "self"
        else:
            yield parts, alias or parts[-1]
        return
    head: ModulePath = tuple(part for part in prefix.strip().split("::") if part)
    for branch in split(rest.rpartition("}")[0]):
        for path, name in leaves(branch):
            if not path:
                yield head, head[-1] if name == "self" else name
            else:
                yield head + path, name


def split(branches: str) -> Iterator[str]:
    """The branches between commas that are not inside braces."""
    depth, start = 0, 0
    for index, character in enumerate(f"{branches},"):
        depth += {"{": 1, "}": -1}.get(character, 0)
        if character == "," and depth == 0:
            if branches[start:index].strip():
                yield branches[start:index]
            start = index + 1


class Crate:
    """All files of a crate."""

    def __init__(self, folder: Path) -> None:
        """Read the sources below `folder`, the crate's `src`."""
        self.sources = {}
        for file in sorted(folder.rglob("*.rs")):
            parts = file.relative_to(folder).with_suffix("").parts
            module = parts[:-1] if parts[-1] in ("mod", "lib") else parts
            self.sources[module] = Source(file, module)

    def imports(self) -> dict[Path, set[Path]]:
        """For each file the files that define what it imports."""
        found: dict[Path, set[Path]] = {}
        for source in self.sources.values():
            targets = {self.definer(source.module, path) for path in source.paths}
            found[source.file] = {target for target in targets if target is not None} - {source.file}
        return found

    def definer(self, module: ModulePath, path: ModulePath, depth: int = 0) -> Path | None:
        """The file that defines what `path` names inside `module`; none if it is not in this crate."""
        if depth > 20:
            return None
        here, rest = self.start(module, path)
        if here is None:
            return None
        while rest and (*here, rest[0]) in self.sources:
            here, rest = (*here, rest[0]), rest[1:]
        source = self.sources[here]
        if not rest or rest[0] in source.defined:
            return source.file if rest else None
        if rest[0] in source.imported:
            again = source.imported[rest[0]]
            return self.definer(here, again, depth + 1) if again != path or here != module else None
        for glob in source.globs:
            found = self.definer(here, (*glob, rest[0]), depth + 1)
            if found is not None:
                return found
        return None

    def start(self, module: ModulePath, path: ModulePath) -> tuple[ModulePath | None, ModulePath]:
        """The module that a path starts from, and what is left of the path."""
        here, rest = module, path
        if rest[0] == "crate":
            return (), rest[1:]
        if rest[0] in ("self", "super") or (*module, rest[0]) in self.sources:
            while rest and rest[0] in ("self", "super"):
                here, rest = (here[:-1] if rest[0] == "super" else here), rest[1:]
            return here, rest
        if rest[0] in self.sources[module].imported and len(rest) > 1:
            again = self.sources[module].imported[rest[0]]
            if again[0] != rest[0]:
                return self.start(module, again + rest[1:])
        return None, rest


def circles(imports: dict[Path, set[Path]]) -> list[list[Path]]:
    """Groups of files that import each other, directly or through others (Tarjan's components)."""
    index: dict[Path, int] = {}
    low: dict[Path, int] = {}
    stack: list[Path] = []
    found: list[list[Path]] = []

    def visit(file: Path) -> None:
        index[file] = low[file] = len(index)
        stack.append(file)
        for target in sorted(imports.get(file, ())):
            if target not in index:
                visit(target)
                low[file] = min(low[file], low[target])
            elif target in stack:
                low[file] = min(low[file], index[target])
        if low[file] == index[file]:
            group = stack[stack.index(file) :]
            del stack[stack.index(file) :]
            if len(group) > 1:
                found.append(sorted(group))

    for file in sorted(imports):
        if file not in index:
            visit(file)
    return found
