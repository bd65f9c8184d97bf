"""A former name is refused with the present one."""

import pytest

from spinach_nic import library, processors
from spinach_nic._native import renamed_kinds
from spinach_nic.model.renamed import class_name
from spinach_nic.support.errors import SpinachError


@pytest.mark.parametrize(("former", "present"), renamed_kinds().items())
def test_a_former_class_of_the_library_names_its_successor(former: str, present: str) -> None:
    with pytest.raises(SpinachError, match=f"was renamed to {class_name(present)}"):
        getattr(library, class_name(former))
    assert hasattr(library, class_name(present))


def test_a_former_core_names_its_successor() -> None:
    with pytest.raises(SpinachError, match="was renamed to ComposedCore"):
        processors.ComposedMips  # type: ignore[attr-defined]  # noqa: B018, looking is the point


def test_other_attributes_are_missing_as_usual() -> None:
    assert not hasattr(library, "NoSuchModule")
    assert not hasattr(processors, "NoSuchCore")
