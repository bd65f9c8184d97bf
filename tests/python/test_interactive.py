"""Interactive use in a Python shell or an editor: short representations, real signatures."""

import ast
import inspect
import pickle
from pathlib import Path

import pytest

from spinach_nic import KiB, SpinachError, library, profile
from spinach_nic.cards.tengig import Tengig
from spinach_nic.library import AsynchronousFifo, CacheController, DmaAssist, Fifo
from spinach_nic.model import Module
from spinach_nic.model.parameters import MISSING
from spinach_nic.runs import execute

MODULES = [getattr(library, name) for name in library.__all__]


def test_results_and_simulations_show_themselves_in_a_line() -> None:
    finished = execute("tengig", traffic="udp:1472", frames=100, set={"cores": 2, "core": "functional"})
    result = finished.result
    assert repr(result).startswith("<Result tengig, firmware rmw, udp:1472: tx ")
    assert repr(result).endswith(f"{result.simulated_ns / 1e6:.3f} ms>")
    assert repr(finished.session.simulation).startswith("<Simulation of Tengig: ")
    shown = [result, finished, finished.session.simulation, finished.image, *finished.session.plans.values()]
    for one in shown:
        assert "\n" not in repr(one)
        assert len(repr(one)) < 250, repr(one)


def test_a_result_says_that_its_run_failed_or_broke_off() -> None:
    finished = execute("tengig", frames=3, set={"core": "functional", "cores": 1, "host.receive_entries": 1})
    assert "not complete" not in repr(finished.result)
    profiled = profile("tengig", frames=20, set={"core": "functional", "cores": 1})
    assert repr(profiled).startswith("<FirmwareProfile of tengig, rmw: ")


@pytest.mark.parametrize("kind", MODULES, ids=lambda kind: kind.__name__)
def test_the_signature_of_a_module_is_what_it_takes(kind: type[Module]) -> None:
    signature = inspect.signature(kind)
    assert list(signature.parameters) == [*kind._declared, *kind._clock_names]
    for name, declared in kind._declared.items():
        one = signature.parameters[name]
        assert one.kind is inspect.Parameter.KEYWORD_ONLY
        assert one.annotation is not inspect.Parameter.empty
        assert (one.default is inspect.Parameter.empty) == (declared.default is MISSING)


STUB = ast.parse(Path(library.__file__).with_suffix(".pyi").read_text())


@pytest.mark.parametrize("kind", MODULES, ids=lambda kind: kind.__name__)
def test_editors_read_the_same_signature_in_the_stub(kind: type[Module]) -> None:
    """Editors that do not run the code find an `__init__` with these parameters, and what they mean."""
    (described,) = (
        node for node in STUB.body if isinstance(node, ast.ClassDef) and node.name == kind.__name__
    )
    assert ast.get_docstring(described) == inspect.getdoc(kind)
    found = [node for node in described.body if isinstance(node, ast.FunctionDef) and node.name == "__init__"]
    assert len(found) == 1
    arguments = found[0].args
    signature = inspect.signature(kind)
    assert [one.arg for one in arguments.kwonlyargs] == list(signature.parameters)
    given = [default is not None for default in arguments.kw_defaults]
    assert given == [one.default is not inspect.Parameter.empty for one in signature.parameters.values()]
    documentation = ast.get_docstring(found[0]) or ""
    assert all(f"{name}: " in documentation for name in signature.parameters)


def test_classes_of_the_library_are_found_by_name_and_pickled() -> None:
    assert set(library.__all__) <= set(dir(library))
    assert library.Fifo is Fifo
    assert pickle.loads(pickle.dumps(Fifo)) is Fifo
    assert repr(Fifo) == "<class 'spinach_nic.library.Fifo'>"


def test_signatures_can_be_bound_and_called() -> None:
    assert str(inspect.signature(Fifo)).startswith("(*, depth: int = 2, clock: ")
    assert inspect.signature(CacheController).parameters["size"].default == KiB(8)
    assert {"from_clock", "to_clock"} <= inspect.signature(AsynchronousFifo).parameters.keys()
    with pytest.raises(TypeError, match="frame_memory_size_"):
        inspect.signature(Tengig).bind(frame_memory_size_=1)
    with pytest.raises(TypeError, match="direction"):
        inspect.signature(DmaAssist).bind()
    with pytest.raises(SpinachError):
        DmaAssist()  # type: ignore[call-arg]  # what this tests
