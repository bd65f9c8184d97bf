import pickle
from collections.abc import Callable
from typing import Any

import pytest

from spinach_nic import CheckpointError, ElaborationError, SpinachError
from spinach_nic.experiments.runner.claims import shown
from spinach_nic.runs.profiling import flame_svg, folded, profile_of


def test_error_reads_as_two_lines() -> None:
    assert str(SpinachError("what is wrong", "what to do")) == "what is wrong\nhelp: what to do"


def test_error_survives_the_way_back_from_a_worker_process() -> None:
    returned = pickle.loads(pickle.dumps(SpinachError("what is wrong", "what to do")))
    assert isinstance(returned, SpinachError)
    assert (returned.message, returned.help) == ("what is wrong", "what to do")


def test_the_kind_of_a_checkpoint_error_survives_the_way_back_from_a_worker_process() -> None:
    error = CheckpointError("what is wrong", "what to do", "state", "node[0].server", "no disk")
    returned = pickle.loads(pickle.dumps(error))
    assert isinstance(returned, CheckpointError)
    assert (str(returned), vars(returned)) == (str(error), vars(error))


def test_every_problem_of_a_design_is_shown() -> None:
    error = ElaborationError(
        [("types", "one is wrong", "mend one", ("nic.py", 3)), ("types", "two is wrong", "mend two", None)]
    )
    text = "nic.py:3: one is wrong\nhelp: mend one\ntwo is wrong\nhelp: mend two"
    assert str(error) == text
    assert (error.message, error.help) == ("nic.py:3: one is wrong", "mend one")
    assert str(pickle.loads(pickle.dumps(error))) == text


@pytest.mark.parametrize("junk", [None, 7, "result.json", object()])
@pytest.mark.parametrize("function", [flame_svg, folded, profile_of])
def test_what_is_no_profile_is_refused_by_name(function: Callable[[Any], object], junk: object) -> None:
    with pytest.raises(SpinachError, match=r"profile = |finished = "):
        function(junk)


@pytest.mark.parametrize("junk", [None, "much", [1.0], 1j])
def test_what_is_no_figure_is_refused(junk: Any) -> None:
    with pytest.raises(SpinachError, match="is not a figure"):
        shown(junk)
