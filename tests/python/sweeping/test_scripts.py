"""Scripts that start worker processes."""

import subprocess
import sys
from pathlib import Path

import pytest

SWEEP = """
from spinach_nic import sweep

{guard}
{indent}swept = sweep("tengig", vary={{"cores": [1, 2]}}, frames=20, table="cores.parquet", jobs={jobs})
{indent}print(len(swept.rows), "rows")
"""
GUARD = 'if __name__ == "__main__":'


def outcome(folder: Path, guard: str, jobs: int) -> subprocess.CompletedProcess[str]:
    script = folder / "script.py"
    script.write_text(SWEEP.format(guard=guard, indent="    " if guard else "", jobs=jobs))
    command = [sys.executable, str(script)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("guard", "jobs"), [(GUARD, 2), ("", 1)])
def test_a_script_that_workers_can_import_sweeps(tmp_path: Path, guard: str, jobs: int) -> None:
    done = outcome(tmp_path, guard, jobs)
    assert (done.returncode, done.stdout) == (0, "2 rows\n"), done.stderr


def test_an_unguarded_script_is_told_of_main(tmp_path: Path) -> None:
    done = outcome(tmp_path, "", 2)
    assert done.returncode != 0
    assert (
        'script.py runs in every worker process, because it has no `if __name__ == "__main__":`'
        in done.stderr
    )
    assert done.stderr.count("every worker process") == 1
