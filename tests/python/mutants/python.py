"""Bugs planted in Python by Cosmic Ray."""

import json
import random
import shlex
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.python.mutants.outcome import TOOLS, Outcome, copied_checkout, environment, pytest_command

_TIMEOUT_S = 300
_IN_ANNOTATIONS = "BitOr"
"""Part of the names of operators that change unions of types, which are never evaluated."""


def _program() -> Path:
    """Return Cosmic Ray, installed into a separate environment if necessary."""
    place = TOOLS / "cosmic-ray"
    program = place / "bin" / "cosmic-ray"
    if not program.exists():
        subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
        subprocess.run([str(place / "bin" / "pip"), "install", "--quiet", "cosmic-ray"], check=True)
    return program


def python_survivors(files: Sequence[str], tests: Sequence[str], sample: int, seed: int) -> Outcome:
    """Try a random sample of the bugs that Cosmic Ray would plant in some files of the package."""
    program = _program()
    with copied_checkout() as copy:
        modules = json.dumps([f"python/spinach_nic/{file}" for file in files])
        (copy / "session.toml").write_text(
            f"[cosmic-ray]\nmodule-path = {modules}\ntimeout = {_TIMEOUT_S}\nexcluded-modules = []\n"
            f"test-command = {json.dumps(shlex.join(pytest_command(tests)))}\n"
            "[cosmic-ray.distributor]\nname = 'local'\n"
        )

        def cosmic_ray(*words: str) -> None:
            subprocess.run([str(program), *words], cwd=copy, env=environment(copy), check=True)

        cosmic_ray("init", "session.toml", "session.sqlite")
        _keep_sample(copy / "session.sqlite", sample, seed)
        cosmic_ray("exec", "session.toml", "session.sqlite")
        return _outcome(copy / "session.sqlite")


def _keep_sample(session: Path, sample: int, seed: int) -> None:
    """Drop all but a random sample of the bugs of a session."""
    with sqlite3.connect(session) as database:
        # Numbers of jobs are random; places are not.
        place = "module_path, operator_name, start_pos_row, start_pos_col, occurrence, job_id"
        rows = database.execute(f"SELECT {place} FROM mutation_specs ORDER BY {place}").fetchall()
        jobs = [row[-1] for row in rows if _IN_ANNOTATIONS not in row[1]]
        kept = set(random.Random(seed).sample(jobs, min(sample, len(jobs))))
        for job in {row[-1] for row in rows} - kept:
            database.execute("DELETE FROM mutation_specs WHERE job_id = ?", (job,))
            database.execute("DELETE FROM work_items WHERE job_id = ?", (job,))


def _outcome(session: Path) -> Outcome:
    """Read a session."""
    with sqlite3.connect(session) as database:
        rows = database.execute(
            "SELECT work_results.test_outcome, module_path, start_pos_row, operator_name "
            "FROM work_results JOIN mutation_specs USING (job_id)"
        ).fetchall()
    outcome = Outcome()
    for result, module, row, operator in rows:
        if "incompetent" in str(result).lower():
            continue
        outcome.tried += 1
        if "survived" in str(result).lower():
            outcome.survivors.append(f"{module}:{row}: {operator}")
    return outcome
