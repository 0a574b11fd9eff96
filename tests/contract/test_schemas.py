"""The files under ``schema/``: one for each input file and each result, as the models are."""

from __future__ import annotations

import importlib
import json
import pkgutil
from pathlib import Path

import jsonschema
import pytest

import iowatt
from iowatt.base.errors import Argument
from iowatt.base.results import ResultDocument
from iowatt.cli.schema import INPUTS, RESULTS, schema, schema_text
from refused import refused

FOLDER = Path(__file__).parents[2] / "schema"
FILES = {"scenario": "iowatt", "plan": "iowatt.emerald-plan", "about": "iowatt.emerald-about"}


def file(name):
    if name in RESULTS:
        return FOLDER / "results" / f"iowatt.{name}.schema.json"
    return FOLDER / f"{FILES.get(name, f'iowatt.{name}')}.schema.json"


@pytest.mark.parametrize("name", [*INPUTS, *RESULTS])
def test_the_checked_in_schema_is_that_of_the_model(name):
    path = file(name)
    command = f"run: iowatt schema {name} -o {path.relative_to(FOLDER.parent)} --force"
    assert path.read_text("utf-8") == schema_text(name), command
    jsonschema.Draft202012Validator.check_schema(json.loads(path.read_text("utf-8")))


@pytest.mark.parametrize("name", ["cost-book", "cost-inventory", "family", "product"])
def test_every_key_of_an_input_file_is_described(name):
    fields = json.loads(schema_text(name))["properties"].values()
    assert all(field.get("description") or "$ref" in field for field in fields)


def test_there_is_no_schema_of_nothing():
    known = {file(name) for name in (*INPUTS, *RESULTS)} | {FOLDER / "iowatt.plan.schema.json"}
    assert set(FOLDER.rglob("*.json")) == known


def test_every_result_has_a_schema():
    for module in pkgutil.walk_packages(iowatt.__path__, "iowatt."):
        importlib.import_module(module.name)
    found, waiting = set(), [ResultDocument]
    while waiting:
        for kind in waiting.pop().__subclasses__():
            waiting.append(kind)
            found.add(kind.model_fields["schema_id"].default)
    inside = {"iowatt.year/1"}  # part of a cost
    assert {f"iowatt.{name}/1" for name in RESULTS} == found - inside | {"iowatt.run/1"}


def test_an_unknown_name_is_refused():
    with refused("unknown-name", Argument("of")):
        schema("rates")
