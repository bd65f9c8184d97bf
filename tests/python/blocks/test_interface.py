"""The table of functions is the same in Rust and in C++: a library of either is called through it."""

import re
from pathlib import Path

REPOSITORY = Path(__file__).parents[3]
RUST = REPOSITORY / "crates/spinach-block/src/interface.rs"
CPP = REPOSITORY / "python/spinach_nic/blocks/block.cpp"
IN_RUST = {
    "void": "",
    "void*": "*mut c_void",
    "uint64_t": "u64",
    "uint64_t*": "*mut u64",
    "const uint64_t*": "*const u64",
    "const uint8_t*": "*const u8",
    "const uint8_t**": "*mut *const u8",
    "const char*": "*const c_char",
}
"""Types of C++ as Rust names them."""


def test_both_tables_have_the_same_fields_in_the_same_order() -> None:
    rust = RUST.read_text(encoding="utf-8").replace("Failure,", "*const c_char,")
    fields = re.findall(r"^    pub (\w+): (.*),$", rust, re.MULTILINE)
    table = re.search(r"struct Interface \{(.*?)\};", CPP.read_text(encoding="utf-8"), re.DOTALL)
    assert table is not None
    declared = re.findall(r"^    (.+?);$", table[1], re.MULTILINE)
    assert len(fields) == len(declared) > 2
    assert [_field(line) for line in declared] == fields


def test_both_have_the_same_version() -> None:
    versions = [
        re.search(r"VERSION(?:: u64)? = (\d+)", file.read_text(encoding="utf-8")) for file in (RUST, CPP)
    ]
    found = {version and version[1] for version in versions}
    assert len(found) == 1
    assert None not in found


def _field(line: str) -> tuple[str, str]:
    """Return name and type in Rust of a field in C++."""
    function = re.fullmatch(r"(.+) \(\*(\w+)\)\((.*)\)", line)
    if function is None:
        kind, _, name = line.rpartition(" ")
        return name, IN_RUST[kind]
    result, name, parameters = function.groups()
    taken = ", ".join(IN_RUST[parameter] for parameter in parameters.split(", ") if parameter)
    given = f" -> {IN_RUST[result]}" if IN_RUST[result] else ""
    return name, f'unsafe extern "C" fn({taken}){given}'
