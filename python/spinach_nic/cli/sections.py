"""Help of commands in sections: options by purpose, commands by kind of work."""

from collections.abc import Mapping
from typing import Any

import click

ORDER = ("Configuration", "Traffic", "Limits", "Outputs", "Live devices", "Checkpoints", "Speed and checks")
"""Headings of options of runs, in the order of the help; others follow."""
OTHER = "Options"
"""Heading of the options without a section, which come last."""


class SectionedOption(click.Option):
    """An option under a heading of the help."""

    def __init__(self, *arguments: Any, section: str = OTHER, **named: Any) -> None:
        """Take the heading and what click takes."""
        super().__init__(*arguments, **named)
        self.section = section


class SectionedCommand(click.Command):
    """A command whose help lists options by section."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options."""
        sections: dict[str, list[tuple[str, str]]] = {heading: [] for heading in ORDER}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and isinstance(parameter, click.Option):
                sections.setdefault(getattr(parameter, "section", OTHER), []).append(record)
        others = sections.pop(OTHER, [])
        for heading, records in [*sections.items(), (OTHER, others)]:
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)


def write_commands(formatter: click.HelpFormatter, sections: Mapping[str, Mapping[str, str]]) -> None:
    """Write commands by section, each with its summary."""
    longest = max(len(name) for summaries in sections.values() for name in summaries)
    limit = formatter.width - 6 - longest
    for heading, summaries in sections.items():
        rows = []
        for name, summary in summaries.items():
            shown = click.Command(name, help=summary).get_short_help_str(limit)
            # Padded, so that the summaries of all sections begin in one column.
            rows.append((name.ljust(longest), shown))
        with formatter.section(heading):
            formatter.write_dl(rows)
