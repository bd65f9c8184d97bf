"""Documents are read into the classes that they are written from, and their schemas say what these take."""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinach_nic import Result, SpinachError, run
from spinach_nic.runs.result import SCHEMA_FILE

SCHEMA = jsonschema.Draft202012Validator(json.loads(SCHEMA_FILE.read_text()))
RESULT = run("tengig", frames=60, set={"cores": 2, "core": "functional"})
DOCUMENT: dict[str, Any] = json.loads(RESULT.to_json())


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every member of a document: what holds it, and under which key."""
    for key, held in value.items() if isinstance(value, dict) else enumerate(value):
        yield value, key
        if isinstance(held, dict | list):
            yield from places(held)


def read(document: Any, folder: Path) -> Result:
    file = folder / "result.json"
    file.write_text(json.dumps(document))
    return Result.read(file)


def refused(document: Any, folder: Path) -> str | None:
    try:
        read(document, folder)
    except SpinachError as error:
        return error.message
    return None


def test_a_document_is_read_as_the_result_that_was_written(tmp_path: Path) -> None:
    SCHEMA.validate(DOCUMENT)
    assert read(DOCUMENT, tmp_path) == RESULT


@given(data=st.data())
def test_what_the_schema_takes_can_be_read(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    changed = copy.deepcopy(DOCUMENT)
    holder, key = data.draw(st.sampled_from(list(places(changed))))
    if data.draw(st.booleans()):
        del holder[key]
    else:
        holder[key] = data.draw(
            st.sampled_from([None, -1, 2, 0.5, True, "text", [], {}, ["text"], {"tx": 1}])
        )
    folder = tmp_path_factory.getbasetemp()
    if SCHEMA.is_valid(changed):
        assert read(changed, folder).to_json()
    elif (refusal := refused(changed, folder)) is not None:
        assert refusal.startswith(f"{folder}/result.json is not a document spinach-result/1: ")


@pytest.mark.parametrize("schema", ["spinach-result/2", "spinach-profile/1", 1, None])
def test_another_document_is_refused(schema: object, tmp_path: Path) -> None:
    with pytest.raises(SpinachError, match=r"result.json is not a document spinach-result/1"):
        read({**DOCUMENT, "schema": schema}, tmp_path)
