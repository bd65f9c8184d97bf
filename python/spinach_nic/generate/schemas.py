"""JSON Schemas of the documents, from the classes that they are written from."""

from __future__ import annotations

import ast
import inspect
import json
import textwrap
from collections.abc import Sequence
from typing import Any

import msgspec

from spinach_nic.experiments.runner.results import SCHEMA_FILE as EXPERIMENT_FILE
from spinach_nic.experiments.runner.results import ExperimentDocument
from spinach_nic.runs import RunOptions
from spinach_nic.runs import result as result_module
from spinach_nic.runs.guest.result import AttachedResult
from spinach_nic.runs.profiling.cards import SCHEMA_FILE as CARDS_PROFILE_FILE
from spinach_nic.runs.profiling.cards import CardsProfile
from spinach_nic.runs.profiling.document import SCHEMA_FILE as PROFILE_FILE
from spinach_nic.runs.profiling.document import ProfileDocument
from spinach_nic.runs.result import SCHEMA_FILE as RESULT_FILE
from spinach_nic.runs.result import Result
from spinach_nic.runs.server_result import BootResult
from spinach_nic.runs.tasks import CAUSES, HALTED
from spinach_nic.servers.profile import SCHEMA_FILE as SERVER_PROFILE_FILE
from spinach_nic.servers.profile import ServerProfile
from spinach_nic.support.documents import Document
from spinach_nic.support.options import help_of, options_of

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema_files() -> dict[str, str]:
    """Return the schemas with their contents, by the path of the file."""
    result = _schema_of_any("spinach-result", (Result, AttachedResult, BootResult))
    _complete_result(result["$defs"]["Result"], result["$defs"])
    profile = _schema(ProfileDocument)
    _complete_result(profile["$defs"]["Result"], profile["$defs"])
    cards = _schema(CardsProfile)
    for schema in (profile, cards):
        for name in ("Costs", "FunctionCosts", "LineCosts", "PlaceCosts"):
            schema["$defs"][name]["properties"]["cycles"] |= {"required": ["all", *CAUSES]}
    documents = {
        RESULT_FILE: result,
        PROFILE_FILE: profile,
        CARDS_PROFILE_FILE: cards,
        EXPERIMENT_FILE: _schema(ExperimentDocument),
        SERVER_PROFILE_FILE: _schema(ServerProfile),
    }
    return {str(file): json.dumps(schema, indent=2) + "\n" for file, schema in documents.items()}


def _complete_result(result: dict[str, Any], parts: dict[str, Any]) -> None:
    result["properties"]["request"] |= _request()
    parts["CoreResult"]["properties"]["cycles"] |= {
        "properties": {cause: {"type": "number", "minimum": 0, "maximum": 1} for cause in (*CAUSES, HALTED)},
        "required": [*CAUSES],
    }


def _schema(document: type[Document]) -> dict[str, Any]:
    """Return the schema of a document and its parts, with descriptions of their fields from the source."""
    (reference,), parts = msgspec.json.schema_components([document], ref_template="#/$defs/{name}")
    schemas = {name: _described(name, part, document) for name, part in parts.items()}
    whole = schemas.pop(str(reference["$ref"]).rpartition("/")[2])
    name = str(document.__struct_config__.tag)
    return {"$schema": _DIALECT, "$id": name, **whole, "$defs": schemas}


def _schema_of_any(name: str, documents: Sequence[type[Document]]) -> dict[str, Any]:
    """Return the schema of a file that holds one of several documents."""
    parts: dict[str, Any] = {}
    references = []
    for document in documents:
        schema = _schema(document)
        parts |= schema.pop("$defs") | {
            document.__name__: {key: schema[key] for key in schema if key[0] != "$"}
        }
        references.append({"$ref": f"#/$defs/{document.__name__}"})
    return {"$schema": _DIALECT, "$id": name, "oneOf": references, "$defs": dict(sorted(parts.items()))}


def _described(name: str, schema: dict[str, Any], document: type[Document]) -> dict[str, Any]:
    """Return the description of a class known to the module of `document`, or of another document."""
    modules = (inspect.getmodule(document), inspect.getmodule(ServerProfile), result_module)
    declared = next(getattr(module, name) for module in modules if hasattr(module, name))
    meanings = _meanings(declared)
    properties = {
        field: ({"description": meanings[field]} if field in meanings else {}) | _complete(value)
        for field, value in schema["properties"].items()
    }
    description = " ".join((inspect.getdoc(declared) or "").split())
    changed = {"description": description, "properties": properties, "additionalProperties": False}
    return schema | changed


def _complete(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema, of a mapping with listed keys with all of them required."""
    keys = schema.get("propertyNames", {}).get("enum")
    if keys is None:
        return schema
    properties = dict.fromkeys(keys, schema["additionalProperties"])
    return {"type": "object", "properties": properties, "required": keys, "additionalProperties": False}


def _meanings(declared: type) -> dict[str, str]:
    """Return the description of each field of a class: the text that follows it in the source."""
    (body,) = ast.parse(textwrap.dedent(inspect.getsource(declared))).body
    assert isinstance(body, ast.ClassDef)
    meanings = {}
    for field, text in zip(body.body, body.body[1:], strict=False):
        match field, text:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(meaning))):
                meanings[name] = " ".join(meaning.split())
    return meanings


def _request() -> dict[str, Any]:
    recorded = {name: option for name, option in options_of(RunOptions).items() if option.record is not None}
    texts = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
    return {
        "properties": {name: {"description": help_of(option), **texts} for name, option in recorded.items()},
        "additionalProperties": False,
    }
