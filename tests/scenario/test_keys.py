"""The catalogue and the schema: every key is documented, and the checked-in schema is the models'."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from iowatt.base import keys
from iowatt.base.errors import InputError
from iowatt.cli.schema import schema_text
from iowatt.model.library.device import DeviceFile
from iowatt.model.scenario import Scenario, explanation, find_key
from iowatt.model.scenario.explain import explained
from refused import faults

ROOT = Path(__file__).parents[2]
CATALOGUE = keys.catalogue(Scenario)


@pytest.mark.parametrize("key", CATALOGUE.values(), ids=lambda key: key.path)
def test_every_key_is_documented(key):
    assert key.description.endswith(".")
    assert len(key.description) > 5
    assert key.accepts
    assert key.default_text
    assert key.required or key.unset or key.default is not None
    if key.accepts.startswith(("a time", "a power", "a rate", "a capacity", "a size")):
        assert key.unit in {"s", "W", "bytes", "bytes/s"}


@pytest.mark.parametrize("key", CATALOGUE.values(), ids=lambda key: key.path)
def test_every_example_is_toml(key):
    if key.example is not None:
        line = explained(key).example
        assert tomllib.loads(line) == {key.path.rpartition(".")[2]: key.example}
    else:
        assert key.children or key.path.startswith(("array.pool.device.power.", "cluster.pool.device.power."))


def test_keys_of_one_choice_only_say_so():
    for path, condition in (
        ("workload.replay.speed", {"mode": "open"}),
        ("workload.replay.outstanding", {"mode": "closed"}),
        ("array.pool.power.threshold", {"policy": "fixed-threshold"}),
    ):
        assert tomllib.loads(CATALOGUE[path].only_with) == condition
    assert json.loads(f"[{CATALOGUE['workload.replay.mode'].accepts}]") == ["open", "closed"]
    assert CATALOGUE["workload.replay.mode"].only_with is None


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("array.pool.raid.stripe_unit", "array.pool.raid.stripe_unit"),
        ("array.pool.disks.raid.stripe_unit", "array.pool.raid.stripe_unit"),
        ("array.pool.0.count", "array.pool.count"),
        ("observe", "observe"),
    ],
)
def test_paths_with_names_of_elements(path, found):
    assert find_key(path).path == found


@pytest.mark.parametrize(
    ("path", "fault"),
    [
        ("array.pool.raid.stripe_unt", "unknown-key"),
        ("array.pol.count", "unknown-key"),
        ("stripe_unit", "unknown-key"),
        ("zzz", "unknown-key"),
    ],
)
def test_unknown_keys_get_the_nearest(path, fault):
    with pytest.raises(InputError) as error:
        explanation(path)
    assert faults(error.value) == fault


def test_an_explanation_is_complete():
    (key,) = explanation("array.pool.raid.stripe_unit").keys
    assert (key.path, key.named) == ("array.pool.raid.stripe_unit", "array.pool.NAME.raid.stripe_unit")
    assert (key.unit, key.default, key.required) == ("bytes", "64 KiB", False)
    assert "'16KiB'" in key.accepts
    assert key.example == 'stripe_unit = "16KiB"'
    assert "arrays2002-disk" in explanation("array.pool.device").keys[0].library


def test_keys_that_schemes_share_are_told_apart():
    part = CATALOGUE["array.virtual_pool.part"]
    by_scheme = {tomllib.loads(one.only_with)["scheme"]: one for one in part.variants}
    assert list(by_scheme) == ["linear", "reduced", "pdc", "write-off-loading", "zoned"]
    one, several = by_scheme["reduced"], by_scheme["pdc"]
    for each in (one, several):
        assert re.findall(r"\w+", each.accepts.partition(" keys ")[2])[:2] == ["pool", "capacity"]
    assert re.findall(r"\d+", one.accepts) == []
    assert re.findall(r"\d+", several.accepts) == ["2", "1024"]
    assert part.within({"scheme": "reduced", "name": "x"}) is one
    page = {
        tomllib.loads(facts.only_with)["scheme"]: facts.default
        for facts in explanation("array.virtual_pool.page").keys[0].variants
    }
    assert set(page) == {"tiered-pool", "reduced"}
    by_policy = re.findall(r"(\w+) \((\S+)\)", page["tiered-pool"])
    assert by_policy == [("42MiB", "smart-tiers"), ("256MiB", "fast-vp")]
    assert page["reduced"] == "16 KiB"
    # What all say alike is said once.
    assert CATALOGUE["array.virtual_pool.name"].variants == ()
    assert "caching: " in CATALOGUE["array.virtual_pool.scheme"].description


def test_limits_are_part_of_what_is_accepted():
    reserve = CATALOGUE["array.virtual_pool.reserve"].accepts
    assert "number" in reserve and re.findall(r"\S+ \d+", reserve) == ["least 0", "below 1"]
    assert CATALOGUE["array.virtual_pool.tier"].accepts.endswith("; 1 to 3")


def test_the_schema_describes_every_property():
    schema = json.loads(schema_text("scenario"))
    assert schema["$schema"].startswith("https://json-schema.org/")
    tables = [schema, *schema["$defs"].values()]
    tables += [choice for table in tables for choice in table.get("anyOf", []) if "properties" in choice]
    described = 0
    for table in tables:
        assert table.get("additionalProperties", False) is False
        for name, field in table.get("properties", {}).items():
            assert field.get("description"), name
            described += 1
    assert described >= 50


def test_every_default_of_a_device_file_can_be_said():
    found = keys.catalogue(DeviceFile)
    assert all(key.default_text for key in found.values())
    assert found["controller.read_hit"].default_text == "0 s, 0 s"
