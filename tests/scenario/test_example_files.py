"""The examples load, compile, and are what they say."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from iowatt.model.scenario import compile_plan, load, resolve_sources

EXAMPLES = Path(__file__).parents[2] / "examples"
FILES = sorted(EXAMPLES.glob("*.toml"))
# Generated from the types that the simulator reads; its own test keeps it up to date.
PLAN_SCHEMA = jsonschema.Draft202012Validator(
    json.loads((EXAMPLES.parent / "schema" / "iowatt.plan.schema.json").read_text("utf-8"))
)


def test_there_are_some():
    assert {f.stem for f in FILES} >= {
        "tpcc-raid5",
        "tpcc-closed",
        "cached-raid5",
        "two-pools",
        "idle",
        "power-policies",
        "spin-down",
        "own-trace",
    }


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_an_example_compiles(file):
    key, path = file.read_text("utf-8").splitlines()[0].split(" ")
    assert key == "#:schema"
    assert Path(path).name == "iowatt.schema.json" and (file.parent / path).is_file()
    scenario = load(file)
    plan = compile_plan(scenario, file.parent, traces_must_exist=True)
    assert plan["name"] == file.stem
    traces = [source for source in resolve_sources(plan, file.parent) if "synthetic" not in source]
    assert all(Path(source["path"]).is_file() for source in traces)
    assert str(EXAMPLES) not in json.dumps(plan)
    faults = [f"{fault.json_path}: {fault.message}" for fault in PLAN_SCHEMA.iter_errors(plan["simulation"])]
    assert not faults


def test_the_schema_of_plans_refuses_what_the_simulator_refuses():
    plan = compile_plan(load(EXAMPLES / "idle.toml"), EXAMPLES)["simulation"]
    plan["pools"][0]["raid"]["stripe_sectors"] = 8
    del plan["observe"]["warmup_s"]
    found = sorted((fault.json_path, fault.validator) for fault in PLAN_SCHEMA.iter_errors(plan))
    assert found == [("$.observe", "required"), ("$.pools[0].raid", "additionalProperties")]


def test_the_main_example_is_the_study():
    plan = compile_plan(load(EXAMPLES / "tpcc-raid5.toml"), EXAMPLES)
    (pool,) = plan["simulation"]["pools"]
    assert (pool["count"], pool["raid"]["level"], pool["raid"]["stripe_unit_bytes"]) == (32, "5", 16384)
    assert pool["bus_of_drive"] == [0] * 16 + [1] * 16
    # 31 drives of 2,050,781 whole units of 16 KiB.
    assert plan["simulation"]["volumes"][0]["capacity_bytes"] == 31 * 2_050_781 * 16384


@pytest.mark.parametrize("count", [24, 26, 38])
def test_the_main_example_can_be_swept(count):
    plan = compile_plan(load(EXAMPLES / "tpcc-raid5.toml", [f"array.pool.disks.count={count}"]), EXAMPLES)
    assert plan["simulation"]["pools"][0]["bus_of_drive"] == [0] * (count // 2) + [1] * (count // 2)
