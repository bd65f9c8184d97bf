import re
import shlex
import subprocess
import sys
import sysconfig
import types
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest

import spinach_nic
from spinach_nic import SpinachError, cli
from spinach_nic.servers import DEFAULT_CARD, SERVERS
from spinach_nic.servers.linux import ARGUMENTS
from spinach_nic.servers.program import QUIET_ARGUMENTS
from spinach_nic.support.units import GHz, MiB

Action = Callable[[], object]


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Callable[[Action], None]:
    """Make `action` the body of a command `trial` with one option."""

    def install(action: Action) -> None:
        @click.command
        @click.option("--frames", type=int)
        def command(frames: int | None) -> object:
            """Try something."""
            return action()

        module = types.ModuleType("spinach_nic.cli.trial")
        module.command = command  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, module.__name__, module)
        monkeypatch.setattr(cli, "COMMANDS", ("trial",))

    return install


def raising(error: BaseException) -> Action:
    def action() -> object:
        raise error

    return action


def test_installed_command_and_module_print_the_version() -> None:
    installed = Path(sysconfig.get_path("scripts"), "spinach")
    for command in ([installed], [sys.executable, "-m", "spinach_nic"]):
        finished = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
        assert finished.stdout == f"spinach {spinach_nic.__version__}\n"
        assert finished.stderr == ""


def test_mistake_shows_what_is_wrong_and_what_to_do(
    install: Callable[[Action], None], capsys: pytest.CaptureFixture[str]
) -> None:
    install(raising(SpinachError("cores: 0 is not a number of cores", "use 1 to 16")))
    assert cli.carry_out(["trial"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == "error: cores: 0 is not a number of cores\nhelp: use 1 to 16\n"


@pytest.mark.parametrize(
    ("arguments", "message", "command"),
    [
        (["trail"], "No such command 'trail'", "spinach"),
        (["--versoin"], "No such option", "spinach"),
        (["trial", "--frames", "many"], "'many' is not a valid integer", "spinach trial"),
        (["trial", "extra"], "unexpected extra argument", "spinach trial"),
        (["trial", "--frames"], "requires an argument", "spinach trial"),
    ],
)
def test_wrong_command_line_has_the_same_form(
    arguments: list[str],
    message: str,
    command: str,
    install: Callable[[Action], None],
    capsys: pytest.CaptureFixture[str],
) -> None:
    install(lambda: None)
    assert cli.carry_out(arguments) == 2
    error, help, rest = capsys.readouterr().err.split("\n")
    assert error.startswith("error: ")
    assert message in error
    assert help == f"help: `{command} --help` shows how to call it"
    assert rest == ""


def test_no_command_says_what_to_do_first(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.carry_out([]) == 2
    shown = capsys.readouterr().err
    assert "Usage: spinach" in shown
    steps = re.findall(r"^  spinach (\S+)", shown, re.MULTILINE)
    assert steps[:2] == ["list", "run"]
    assert set(steps) <= set(cli.COMMANDS)


def leaves(group: click.Group, words: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield (*words, name), command
        if isinstance(command, click.Group):
            yield from leaves(command, (*words, name))


ALL = {" ".join(words): command for words, command in leaves(cli.spinach, ("spinach",))}


@pytest.mark.parametrize("name", ALL)
def test_the_help_of_a_command_ends_with_an_example_that_it_takes(name: str) -> None:
    command = ALL[name]
    assert "\\b" not in (command.help or "")
    _, found, example = (command.help or "").partition("Example: ")
    assert found, f"{name} --help shows no example"
    first = example.strip().partition(" && ")[0]
    words = shlex.split(first.removeprefix('eval "$(').removesuffix(')"'))
    assert " ".join(words).startswith(name)
    given = words[len(name.split()) :]
    if not isinstance(command, click.Group):
        command.make_context(name, given)  # raises if they are not what it takes


@pytest.mark.parametrize("name", ALL)
def test_the_help_states_the_default_of_each_option_that_has_one(name: str) -> None:
    context = click.Context(ALL[name])
    for parameter in ALL[name].params:
        if isinstance(parameter, click.Option) and not (parameter.is_flag or parameter.hidden):
            record = parameter.get_help_record(context)
            assert record is not None
            has_default = parameter.to_info_dict()["default"] not in (None, ())
            assert not has_default or "[default: " in record[1], parameter.opts


def test_the_help_of_boot_states_the_defaults_of_servers() -> None:
    server = SERVERS["rv64"]
    command = ALL["spinach boot"]
    assert (server.memory, server.clocks) == (MiB(128), (GHz(1),))
    help = {parameter.opts[0]: getattr(parameter, "help", "") for parameter in command.params}
    defaults = {
        "--card": DEFAULT_CARD,
        "--harts": str(server.harts),
        "--memory": "128MiB",
        "--clock": "1GHz",
        "--arguments": f"{ARGUMENTS}; with --exec: {QUIET_ARGUMENTS}",
        "--timeline-from": "0s",
    }
    for option, default in defaults.items():
        assert help[option].endswith(f"[default: {default}]"), option


def test_interrupt_exits_as_a_shell_expects(
    install: Callable[[Action], None], capsys: pytest.CaptureFixture[str]
) -> None:
    install(raising(KeyboardInterrupt()))
    assert cli.carry_out(["trial"]) == 130
    assert capsys.readouterr().err.strip() == "interrupted"


def test_defect_of_ours_is_not_dressed_up_as_a_mistake(install: Callable[[Action], None]) -> None:
    install(raising(ZeroDivisionError()))
    with pytest.raises(ZeroDivisionError):
        cli.carry_out(["trial"])


def test_exit_code_is_what_the_command_returned(install: Callable[[Action], None]) -> None:
    install(lambda: 3)
    assert cli.carry_out(["trial"]) == 3
    install(lambda: None)
    assert cli.carry_out(["trial", "--frames", "1"]) == 0


def test_every_command_loads_and_says_what_the_help_says() -> None:
    context = click.Context(cli.spinach)
    for summaries in cli.SECTIONS.values():
        for name, summary in summaries.items():
            command = cli.spinach.get_command(context, name)
            assert command is not None
            assert command.get_short_help_str(len(summary)) == summary


def test_the_help_groups_commands_and_shows_their_summaries_whole(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.carry_out(["--help"]) == 0
    shown = capsys.readouterr().out
    places = [shown.index(f"\n{heading}:\n") for heading in cli.SECTIONS]
    assert places == sorted(places)
    assert sorted(re.findall(r"^  ([a-z]+)  +[A-Z]", shown, re.MULTILINE)) == sorted(cli.COMMANDS)
    assert "..." not in shown.partition("Options:")[2]


def test_the_options_of_a_run_are_in_sections(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.carry_out(["run", "--help"]) == 0
    shown = capsys.readouterr().out
    headings = re.findall(r"^(\w[\w ]*):$", shown, re.MULTILINE)
    assert headings == [
        *("Configuration", "Traffic", "Limits", "Outputs", "Live devices", "Checkpoints", "Speed and checks"),
        "Options",
    ]
    rest = shown.partition("\nOptions:\n")[2].splitlines()
    assert len(rest) == 1
    assert "--help" in rest[0]


def test_reader_that_goes_away_hears_no_complaint() -> None:
    program = "import sys; from spinach_nic import cli; sys.exit(cli.carry_out(['--help']))"
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.close()
    _, errors = process.communicate()
    assert errors == b""
