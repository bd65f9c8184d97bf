import pickle

from spinach_nic import SpinachError


def test_error_reads_as_two_lines() -> None:
    assert str(SpinachError("what is wrong", "what to do")) == "what is wrong\nhelp: what to do"


def test_error_survives_the_way_back_from_a_worker_process() -> None:
    returned = pickle.loads(pickle.dumps(SpinachError("what is wrong", "what to do")))
    assert isinstance(returned, SpinachError)
    assert (returned.message, returned.help) == ("what is wrong", "what to do")
