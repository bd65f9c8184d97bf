from spinach_nic.generate import COMMAND, differences


def test_generated_files_are_fresh() -> None:
    stale = sorted(str(path) for path in differences())
    assert not stale, f"not what the built library declares, run `{COMMAND}`: {', '.join(stale)}"
