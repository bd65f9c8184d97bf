"""Cached results are checked before use, may be damaged, missing or read-only, and serve many at once."""

import errno
import fcntl
import os
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.python.conftest import Started

from spinach_nic import SpinachError, cli
from spinach_nic.firmware import Image, build
from spinach_nic.support.cache import LARGEST, Cache, CacheWarning

IMAGE = "tests/crc32"


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.name != ".lock")


@pytest.fixture
def built(tmp_path: Path) -> Image:
    return build(IMAGE, cache=tmp_path)


@pytest.mark.parametrize("damage", ["cut", "changed", "empty", "away"])
def test_a_damaged_image_is_built_again(built: Image, tmp_path: Path, damage: str) -> None:
    good = built.path.read_bytes()
    for file in files(tmp_path):
        content = file.read_bytes()
        if damage == "away":
            file.unlink()
        else:
            changed = content[:-1] + bytes([content[-1] ^ 1])
            file.write_bytes({"cut": content[:-1], "changed": changed, "empty": b""}[damage])
    assert build(IMAGE, cache=tmp_path) == built
    assert built.path.read_bytes() == good


@pytest.mark.parametrize("kind", ["firmware", "objects"])
def test_each_kind_is_looked_at_alone(built: Image, tmp_path: Path, kind: str) -> None:
    if kind == "objects":
        built.path.unlink()
    damaged = files(tmp_path / kind)
    before = [file.read_bytes() for file in files(tmp_path)]
    for file in damaged:
        file.write_bytes(file.read_bytes().replace(b"ELF", b"FLE"))
    assert build(IMAGE, cache=tmp_path).sha256 == built.sha256
    assert len(before) <= len(files(tmp_path))
    assert not [file for file in damaged if b"FLE" in file.read_bytes()[:8]]


def test_checkpoints_of_servers_that_were_not_used_for_longest_give_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(LARGEST, "servers", 3000)
    cache = Cache(tmp_path)
    for hour, key in enumerate("abc"):
        entry = cache.keep("servers", key, "checkpoint", bytes(1000))
        os.utime(entry.parent, (hour, hour))
    assert cache.find("servers", "a", "checkpoint")
    cache.keep("servers", "d", "checkpoint", bytes(1000))
    assert [bool(cache.find("servers", key, "checkpoint")) for key in "abcd"] == [True, False, True, True]
    # One that is larger than the limit is kept alone.
    cache.keep("servers", "e", "checkpoint", bytes(5000))
    assert [bool(cache.find("servers", key, "checkpoint")) for key in "abcde"] == [False] * 4 + [True]


def test_no_compiler_keeps_anything_of_its_own(built: Image, tmp_path: Path) -> None:
    assert {path.name for path in tmp_path.iterdir()} == {"firmware", "objects", ".lock"}


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    # Nothing can be made below a file, not even by the superuser.
    (tmp_path / "file").write_text("in the way")
    with pytest.warns(CacheWarning, match="cannot be written"):
        image = build(IMAGE, cache=tmp_path / "file" / "cache")
    assert image.path.read_bytes().startswith(b"\x7fELF")
    assert (tmp_path / "file").read_text() == "in the way"
    # This process uses the image again.
    with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
        patch.setattr("subprocess.run", None)
        assert build(IMAGE, cache=tmp_path / "file" / "cache") == image


def test_a_file_system_without_locks_has_a_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(descriptor: int, operation: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    cache = Cache(tmp_path)
    with cache.in_use():
        cache.keep("servers", "key", "checkpoint", b"content")
        found = cache.find("servers", "key", "checkpoint")
    assert found is not None
    assert found[1] == b"content"


def test_the_command_says_once_that_it_does_without(tmp_path: Path, started: Started) -> None:
    environment = {**os.environ, "XDG_CACHE_HOME": "/dev/null"}
    process = started.spinach("firmware", "build", IMAGE, env=environment)
    out, err = process.communicate(timeout=50)
    assert process.returncode == 0
    assert "sha256" in out
    (line,) = err.splitlines()
    assert line.startswith("note: the cache /dev/null/spinach-nic cannot be written (Not a directory)")


def test_processes_that_are_started_later_need_not_say_it(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    cache = Cache(tmp_path / "file" / "cache")
    with pytest.warns(CacheWarning, match="cannot be written"):
        cache.note_if_unwritable()
    cache.keep("objects", "0" * 64, "x.o", b"content")  # says nothing more: a warning would be an error
    good = Cache(tmp_path / "cache")
    good.note_if_unwritable()
    assert files(good.folder) == []


def test_several_build_at_once(tmp_path: Path) -> None:
    with ThreadPoolExecutor(3) as pool:
        images = list(pool.map(lambda _: build(IMAGE, cache=tmp_path), range(3)))
    assert images[0] == images[1] == images[2]
    assert not [file for file in files(tmp_path) if "partial" in file.name]


def test_the_command_shows_and_clears(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = tmp_path / "spinach-nic"
    assert cli.carry_out(["cache"]) == 0
    assert capsys.readouterr().out == f"{folder}: 0 bytes\n"
    image = build(IMAGE)
    (folder / "mine.txt").write_text("not of the cache")
    assert cli.carry_out(["cache"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"{folder}: ")
    assert "1 firmware image\n" in shown
    assert cli.carry_out(["cache", "--clear"]) == 0
    assert "cleared" in capsys.readouterr().out
    assert not image.path.exists()
    assert files(folder) == [folder / "mine.txt"]


def test_a_cache_that_is_in_use_is_not_cleared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, started: Started
) -> None:
    program = (
        "import sys, pathlib\nfrom spinach_nic.support.cache import Cache\n"
        "with Cache(pathlib.Path(sys.argv[1])).in_use():\n"
        "    print('using', flush=True)\n    sys.stdin.read()\n"
    )
    process = started(sys.executable, "-c", program, str(tmp_path), stdin=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == "using\n"
    monkeypatch.setattr("spinach_nic.support.cache._WAIT_S", 0.1)
    with pytest.raises(SpinachError, match="in use by another process"):
        Cache(tmp_path).clear()
    process.communicate()
    assert Cache(tmp_path).clear() == 0
