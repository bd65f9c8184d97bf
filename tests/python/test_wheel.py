"""The wheel holds all that a user needs: installed outside the checkout, it runs the main job."""

import json
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from spinach_nic.support.extras import LIBRARIES

REPOSITORY = Path(__file__).parents[2]
BOOK = "spinach_nic/data/book/"
IMAGES = "spinach_nic/data/images/"
WITHOUT_LIBRARIES = f"""
import sys
sys.modules.update(dict.fromkeys({[*LIBRARIES.values()]}))
from spinach_nic.cli import main
main()
"""
PROGRAMS = Path(sys.executable).parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run([PROGRAMS / "zensical", "build", "--strict"], cwd=REPOSITORY, check=True)
    images = REPOSITORY / "build" / "images"
    # One of the images of `make wheel`: the tests need no more.
    compiled = [sys.executable, "-m", "spinach_nic.generate.images", str(images), "tengig/rmw"]
    subprocess.run(compiled, cwd=REPOSITORY, check=True)
    build = [str(PROGRAMS / "maturin"), "build", "--release", "--quiet", "--out", str(folder)]
    try:
        subprocess.run(build, cwd=REPOSITORY, check=True)
    finally:
        shutil.rmtree(images)
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with the wheel, and with what it depends on from the present one."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    python = folder / "bin" / "python"
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet"]
    subprocess.run([*install, "--no-deps", "--no-index", str(wheel)], check=True)
    # A folder named in a `.pth` file is searched; `.pth` files inside it, as that of the checkout, are not.
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(folder)}))
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    return folder


def output(environment: Path, folder: Path, *command: str) -> str:
    program, *arguments = command
    run = [str(environment / "bin" / program), *arguments]
    return subprocess.run(run, cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.mark.timeout(600)
def test_an_installed_wheel_runs_the_main_job_without_extras(
    environment: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = output(environment, tmp_path, "python", "-c", "import spinach_nic; print(spinach_nic.__file__)")
    assert Path(where.strip()).is_relative_to(environment)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    words = ("python", "-c", WITHOUT_LIBRARIES, "run", "tengig")
    run = output(environment, tmp_path, *words, "--frames", "99", "--quiet", "--json", "-")
    frames = json.loads(run)["frames"]
    assert {way: frames["delivered"][way] for way in ("tx", "rx")} == {"tx": 99, "rx": 99}


@pytest.mark.timeout(600)
def test_an_installed_wheel_lists_nics_and_images(environment: Path, tmp_path: Path) -> None:
    listed = output(environment, tmp_path, "spinach", "list")
    for name in ("tengig", "tigon2", "thesis-table-4.4"):
        assert name in listed
    assert "tigon2/parallel" in output(environment, tmp_path, "spinach", "firmware", "list")


@pytest.mark.timeout(600)
def test_the_wheel_holds_every_file_of_its_data(wheel: Path) -> None:
    tracked = subprocess.run(
        ["git", "ls-files", "firmware", "captures", "examples", "crates/spinach-block"],
        cwd=REPOSITORY,
        check=False,
        capture_output=True,
        text=True,
    )
    if tracked.returncode != 0:
        pytest.skip("this is not a checkout of git, which lists the files")
    expected = {f"spinach_nic/data/{file.removeprefix('crates/')}" for file in tracked.stdout.splitlines()}
    names = zipfile.ZipFile(wheel).namelist()
    made = (BOOK, IMAGES)
    held = {name for name in names if name.startswith("spinach_nic/data/") and not name.startswith(made)}
    assert expected == held


@pytest.mark.timeout(600)
def test_an_installed_wheel_has_the_book(environment: Path, tmp_path: Path) -> None:
    page = Path(output(environment, tmp_path, "spinach", "docs", "--path").strip())
    assert page.is_relative_to(environment)
    folder = page.parent
    pages = {file.relative_to(folder).as_posix() for file in folder.rglob("*.html")}
    assert pages >= {"index.html", "tutorial.html", "api/running.html", "modules/crossbar.html"}
