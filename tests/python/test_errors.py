import pickle

from spinach_nic import ElaborationError, SpinachError


def test_error_reads_as_two_lines() -> None:
    assert str(SpinachError("what is wrong", "what to do")) == "what is wrong\nhelp: what to do"


def test_error_survives_the_way_back_from_a_worker_process() -> None:
    returned = pickle.loads(pickle.dumps(SpinachError("what is wrong", "what to do")))
    assert isinstance(returned, SpinachError)
    assert (returned.message, returned.help) == ("what is wrong", "what to do")


def test_every_problem_of_a_design_is_shown() -> None:
    error = ElaborationError(
        [("types", "one is wrong", "mend one", ("nic.py", 3)), ("types", "two is wrong", "mend two", None)]
    )
    text = "nic.py:3: one is wrong\nhelp: mend one\ntwo is wrong\nhelp: mend two"
    assert str(error) == text
    assert (error.message, error.help) == ("nic.py:3: one is wrong", "mend one")
    assert str(pickle.loads(pickle.dumps(error))) == text
