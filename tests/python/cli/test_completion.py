"""Shells complete commands, NICs, parameters and values."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

BIN = Path(sys.executable).parent

COMPLETE = """
eval "$(spinach completion bash)"
compopt() { :; }
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_spinach_completion spinach
printf '%s\\n' "${COMPREPLY[@]}"
"""


COMPLETE_ZSH = """
compdef() { :; }
compadd() { print -l "${(P)@[-1]}"; }
_describe() { print -l "${(P)@[3]}"; }
eval "$(spinach completion zsh)"
words=("$@")
CURRENT=$#
_spinach_completion
"""

COMPLETE_FISH = "spinach completion fish | source; complete --do-complete $argv[1]"


def asked(shell: str, words: list[str], **more: str) -> list[str]:
    """Return the command's answer to a shell that asks for completions of the last of these words."""
    environment = {
        "_SPINACH_COMPLETE": f"{shell}_complete",
        "COMP_WORDS": "\n".join(words),
        "COMP_CWORD": str(len(words) - 1),
        **more,
    }
    done = subprocess.run(
        [BIN / "spinach"], env={**os.environ, **environment}, capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.parametrize(
    ("words", "completions"),
    [
        (["run", "te"], ["tengig"]),
        (["run", "tengig", "--set", "core"], ["cores=", "core=", "core_clock="]),
        # Bash splits words around an equals sign.
        (["run", "tengig", "--set", "core", "=", "p"], ["pipelined"]),
        (["run", "tengig", "--set", "core", "="], ["functional", "pipelined", "composed", "vliw"]),
        (
            ["run", "tengig", "--set", "banks", "=", "2", "--set", "scratch_pad.b"],
            ["scratch_pad.banks=", "scratch_pad.bank[0].", "scratch_pad.bank[1]."],
        ),
        (["describe", "tengig", "processor[0].cache.si"], ["processor[0].cache.size"]),
        (["run", "tengig", "--firmware", "o"], ["optimized"]),
        (["run", "tengig", "--set", "no.such.thing"], [""]),
    ],
)
def test_bash(words: list[str], completions: list[str]) -> None:
    environment = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "--norc", "-c", COMPLETE, "complete", "spinach", *words],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines() == completions


def printed(*command: str) -> list[str]:
    environment = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout.splitlines()


IN_ANY_SHELL = [
    (["run", "te"], ["tengig"]),
    (["run", "tengig", "--set", "core=p"], ["core=pipelined"]),
    (["describe", "tengig", "processor[0].cache.si"], ["processor[0].cache.size"]),
]


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
@pytest.mark.parametrize(("words", "completions"), IN_ANY_SHELL)
def test_zsh(words: list[str], completions: list[str]) -> None:
    lines = printed("zsh", "-f", "-c", COMPLETE_ZSH, "complete", "spinach", *words)
    # The meaning of a parameter follows it.
    assert [line.partition(":")[0] for line in lines] == completions


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
@pytest.mark.parametrize(("words", "completions"), IN_ANY_SHELL)
def test_fish(words: list[str], completions: list[str]) -> None:
    lines = printed("fish", "--no-config", "-c", COMPLETE_FISH, " ".join(["spinach", *words]))
    assert [line.partition("\t")[0] for line in lines] == completions


def test_zsh_and_fish() -> None:
    words = ["spinach", "run", "tengig", "--set", "core=p"]
    assert asked("zsh", words) == ["plain", "core=pipelined", "_"]
    assert asked("fish", words, COMP_CWORD="core=p") == ["plain,core=pipelined"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_command_prints_the_script_of_each_shell(shell: str) -> None:
    done = subprocess.run([BIN / "spinach", "completion", shell], capture_output=True, text=True, check=True)
    assert f"_SPINACH_COMPLETE={shell}_complete" in done.stdout
