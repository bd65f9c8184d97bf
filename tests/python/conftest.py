"""What several tests need."""

import inspect
from collections.abc import Callable

import pytest

from spinach_nic import SpinachError
from spinach_nic.location import shown_file


@pytest.fixture
def refusal() -> Callable[[Callable[[], object]], str]:
    """What a person reads when an action is refused.

    `HERE` in it stands for the file and the line of the action that ends in `# at fault`, or its first.
    """

    def refusal(action: Callable[[], object]) -> str:
        lines, first = inspect.getsourcelines(action)
        marked = [first + index for index, line in enumerate(lines) if line.rstrip().endswith("# at fault")]
        with pytest.raises(SpinachError) as raised:
            action()
        here = f"{shown_file(inspect.getfile(action))}:{marked[0] if marked else first}: "
        return str(raised.value).replace(here, "HERE: ")

    return refusal
