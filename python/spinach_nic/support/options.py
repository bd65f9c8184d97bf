"""Options that are declared once, and the interfaces that follow from the declaration.

A declaration is a `TypedDict` whose fields are annotated with an `Option`. From it come the signature and the
documentation of functions (`takes`), options of the command line (`spinach_nic.cli.requests`), commands as
text (`command_words`), the request in a result document (`recorded`), and the table of the book.
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, get_args, get_type_hints

from msgspec import Struct
from msgspec.structs import replace

from spinach_nic.support.arguments import check_arguments, hints_of
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.units import Quantity, parse_quantity

P = ParamSpec("P")
R = TypeVar("R")

WIDTH = 110


class Flag(Struct, frozen=True):
    """Command-line form of an option: its flag, parser and writer."""

    name: str
    """Flag with its dashes."""
    metavar: str
    """The form of its value; empty for a switch, which turns the default of an option round."""
    parse: Callable[[str], Any]
    """Reads one value. A `ValueError` says what is wrong with it; other errors pass through."""
    show: Callable[[Any], Sequence[str]]
    """Writes a value, as the texts of one use of the option or of several."""
    gather: Callable[[Sequence[Any]], Any] | None = None
    """Function that merges the values of a repeated option."""
    once: str = ""
    """Reason and instruction of the error if the option is repeated; without it the last value counts."""
    words: int = 1
    """Number of words on the command line; they are read as one text, with a space between two."""
    help: str = ""
    """Forms of a value, added to the meaning; of a switch, the meaning of the switch itself."""


class Files(Struct, frozen=True):
    """Files that an option names."""

    is_output: bool
    what: str
    """Noun in errors, such as `the capture to write`."""
    paths: Callable[[Any], Iterable[str | Path]] = lambda value: [str(value)]
    """Returns the files that a value names."""


class Option(Struct, frozen=True):
    """An option in all languages. Its type is the annotation of its field."""

    meaning: str
    """Meaning, in a sentence or two."""
    default: Any
    default_text: str = ""
    """Default in words, if its text would not show it."""
    flag: Flag | None = None
    """`None` for options of Python only."""
    section: str = ""
    """Heading of the option in the help of commands."""
    record: Callable[[Any], str | tuple[str, ...]] | None = None
    """Writes the value for the result document; `None` if no result depends on it."""
    files: Files | None = None
    """Files that it names, if any."""
    hint: Any = None
    """The annotation with its bounds; filled in by `options_of`."""
    type: Any = None
    """The type of its value; filled in by `options_of`."""


def one_text(value: Any) -> Sequence[str]:
    """Return a value that is written by `str`, in one piece."""
    return [str(value)]


@cache
def options_of(declaration: type) -> Mapping[str, Option]:
    """Return the options of a declaration, by name, in its order."""
    options: dict[str, Option] = {}
    types = get_type_hints(declaration)
    for name, hint in get_type_hints(declaration, include_extras=True).items():
        found = next(one for one in get_args(hint) if isinstance(one, Option))
        options[name] = replace(found, hint=hint, type=types[name])
    return options


Complete = Callable[[Mapping[str, Any]], Mapping[str, Any]]


def takes(
    declaration: type, complete: Complete = lambda options: options
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorate a function that has `**options: Unpack[Declaration]`.

    The function gets all options, those that are not given with their defaults. Its signature and its
    documentation name them. `complete` may add to the options that are given, before defaults are.

    Raises:
        SpinachError: If an argument has the wrong type.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        options = options_of(declaration)
        plain = inspect.signature(function)
        own = [one for one in plain.parameters.values() if one.kind is not inspect.Parameter.VAR_KEYWORD]
        added = [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=option.default,
                annotation=option.type,
            )
            for name, option in options.items()
        ]
        signature = plain.replace(parameters=[*own, *added])

        @wraps(function)
        def with_options(*positional: P.args, **named: P.kwargs) -> R:
            bound = signature.bind(*positional, **named)
            hints = {**hints_of(function), **{name: option.hint for name, option in options.items()}}
            check_arguments(bound.arguments, hints)
            for name in bound.arguments.keys() & options.keys():
                bound.arguments[name] = _quantity(name, options[name], bound.arguments[name])
            check_arguments(bound.arguments, hints)
            bound.arguments.update(
                complete({name: it for name, it in bound.arguments.items() if name in options})
            )
            bound.apply_defaults()
            return function(*bound.args, **bound.kwargs)

        with_options.__signature__ = signature  # type: ignore[attr-defined]
        with_options.__doc__ = f"{inspect.cleandoc(function.__doc__ or '')}\n\n{_documented(options)}"
        return with_options

    return decorate


def _quantity(name: str, option: Option, value: Any) -> Any:
    """Return the quantity that a text is of an option with a unit, or another value as it is.

    Raises:
        SpinachError: The text has no such quantity.
    """
    kinds = [kind for kind in get_args(option.type) if isinstance(kind, type) and issubclass(kind, Quantity)]
    if not (kinds and isinstance(value, str)):
        return value
    try:
        return parse_quantity(value, kinds[0])
    except SpinachError as error:
        raise SpinachError(f"{name}: {error.message}", error.help) from None


def _documented(options: Mapping[str, Option]) -> str:
    lines = [
        textwrap.fill(f"{name}: {option.meaning}", WIDTH, initial_indent=" " * 4, subsequent_indent=" " * 8)
        for name, option in options.items()
    ]
    return "\n".join(["Options:", *lines])


def command_words(declaration: type, given: Mapping[str, Any]) -> list[str]:
    """Return the words of a command line with these options.

    Args:
        declaration: Declaration of the options.
        given: The options that are not left out, by name. Those without a flag are left out.
    """
    words: list[str] = []
    for name, option in options_of(declaration).items():
        if option.flag is None or given.get(name) is None:
            continue
        if not option.flag.metavar:
            words += [option.flag.name] if given[name] != option.default else []
        else:
            for text in option.flag.show(given[name]):
                words += [option.flag.name, *text.split(" ", option.flag.words - 1)]
    return words


def read_texts(flag: Flag, texts: Sequence[str]) -> Any:
    """Return the value of an option from texts of the command line: one, unless the option is repeatable.

    Raises:
        ValueError: A text is not of the form.
    """
    values = [flag.parse(text) for text in texts]
    return values[0] if flag.gather is None else flag.gather(values)


def named_files(declaration: type, given: Mapping[str, Any], *, outputs: bool) -> Iterator[tuple[str, Path]]:
    """List the inputs, or the outputs, that options name, each with its noun for errors."""
    for name, option in options_of(declaration).items():
        value = given.get(name)
        if option.files is not None and option.files.is_output is outputs and value is not None:
            for path in option.files.paths(value):
                yield option.files.what, Path(path)


def plain_text(value: Any) -> str:
    """Return a plain value, as of TOML, in the form of the command line."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def recorded(declaration: type, asked: Mapping[str, Any]) -> dict[str, str | tuple[str, ...]]:
    """Return the options that determine a result, as texts, for the result document."""
    return {
        name: option.record(asked[name])
        for name, option in options_of(declaration).items()
        if option.record is not None and asked[name] is not None
    }


def table(declaration: type) -> list[list[str]]:
    """Return flag, Python name, default and meaning of each option."""
    rows = []
    for name, option in options_of(declaration).items():
        flag = "" if option.flag is None else f"`{f'{option.flag.name} {option.flag.metavar}'.rstrip()}`"
        is_switch = option.flag is not None and not option.flag.metavar
        meaning = option.meaning if is_switch else help_of(option)
        rows.append([flag, f"`{name}`", shown_default(option), meaning])
    return rows


def help_of(option: Option) -> str:
    """Return the help of an option: its meaning and the forms of its value, or that of its switch."""
    if option.flag is None:
        return option.meaning
    return f"{option.meaning} {option.flag.help}".rstrip() if option.flag.metavar else option.flag.help


def shown_default(option: Option) -> str:
    """Return the default in words; nothing if there is none."""
    if option.default_text or option.default in (None, ()):
        return option.default_text
    return str(option.default)
