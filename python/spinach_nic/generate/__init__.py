"""Generator of everything in the repository that follows from a declaration in it.

The stub and the reference pages of the module library, the pages of the Python API, the navigation of the
book, the pages of the examples and notebooks, the page of the options of a run and of the registers of chips,
the schemas of documents, headers of firmware, and the README of each package and crate.

`python -m spinach_nic.generate` writes them, with `--check` it only compares; `make generate` builds first.
"""

from pathlib import Path

from spinach_nic import _native
from spinach_nic.generate.api import api_pages
from spinach_nic.generate.examples import example_pages
from spinach_nic.generate.headers import header_files
from spinach_nic.generate.navigation import BEGIN, navigation
from spinach_nic.generate.notebooks import notebook_pages
from spinach_nic.generate.numbers import number_files
from spinach_nic.generate.options import option_pages
from spinach_nic.generate.pages import page_files
from spinach_nic.generate.readme import readme_files
from spinach_nic.generate.registers import register_pages
from spinach_nic.generate.rooms import readmes
from spinach_nic.generate.schemas import schema_files
from spinach_nic.generate.stub import stub
from spinach_nic.support.files import write_whole

REPOSITORY = Path(__file__).parents[3]
LIBRARY = Path("python/spinach_nic/library.pyi")
PAGES = Path("docs/modules")
EXAMPLES = Path("examples")
EXAMPLE_PAGES = Path("docs/examples")
NOTEBOOKS = Path("examples/notebooks")
NOTEBOOK_PAGES = Path("docs/notebooks")
API_PAGES = Path("docs/api")
BOOK = Path("docs")
BOOK_SETTINGS = Path("mkdocs.yml")
COMMAND = "make generate"


def generated_files() -> dict[Path, str]:
    """Every generated file of the repository with its contents."""
    declarations = [_native.declaration(kind) for kind in _native.kinds()]
    files = {LIBRARY: stub(declarations)}
    files |= {PAGES / path: text for path, text in page_files(declarations).items()}
    pages = example_pages(REPOSITORY / EXAMPLES)
    files |= {EXAMPLE_PAGES / path: text for path, text in pages.items()}
    pages = notebook_pages(REPOSITORY / NOTEBOOKS)
    files |= {NOTEBOOK_PAGES / path: text for path, text in pages.items()}
    files |= {Path(path).relative_to(REPOSITORY): text for path, text in schema_files().items()}
    files |= header_files() | number_files()
    files |= {API_PAGES / path: text for path, text in api_pages(REPOSITORY / "python/spinach_nic").items()}
    files |= {BOOK / path: text for path, text in (option_pages() | register_pages()).items()}
    pages_of_book = [path.relative_to(BOOK) for path in files if path.is_relative_to(BOOK)]
    settings = (REPOSITORY / BOOK_SETTINGS).read_text(encoding="utf-8").partition(BEGIN)[0]
    files |= readme_files(REPOSITORY) | readmes(REPOSITORY)
    return files | {
        BOOK_SETTINGS: settings + BEGIN + navigation(REPOSITORY / BOOK, pages_of_book, declarations)
    }


def differences() -> dict[Path, str | None]:
    """Return the stale files with their new contents; `None` for files to remove."""
    wanted: dict[Path, str | None] = dict(generated_files())
    for folder in (PAGES, EXAMPLE_PAGES, NOTEBOOK_PAGES, API_PAGES):
        for file in (REPOSITORY / folder).rglob("*"):
            if file.suffix in (".py", ".md", ".svg"):
                wanted.setdefault(file.relative_to(REPOSITORY), None)
    return {path: text for path, text in wanted.items() if _present(path) != text}


def write() -> list[Path]:
    """Update all generated files; return the changed ones."""
    changed = differences()
    for path, text in changed.items():
        file = REPOSITORY / path
        if text is None:
            file.unlink()
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
            write_whole(file, text)
    return sorted(changed)


def _present(path: Path) -> str | None:
    file = REPOSITORY / path
    return file.read_text() if file.exists() else None
