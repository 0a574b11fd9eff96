"""Libraries: keys to plan, and the figures of their Runs by hand."""

from __future__ import annotations

import copy
import itertools
import json
from typing import Any

import pytest

import iowatt
from iowatt.base.problems import DocumentError
from iowatt.model.library import tape
from iowatt.model.library.source import source_of
from iowatt.model.scenario import compile_plan
from iowatt.model.scenario.describe import describe
from iowatt.model.scenario.keys.scenario import Scenario

#: 1 MB/s at most, 100 s to locate on average with 20 s of it overhead, so 160 s from end to end.
DRIVE = {
    "capacity": "4GiB", "wraps": 4, "rate": "1MB/s", "slowest": "500kB/s", "compressed_rate": "1.5MB/s",
    "interface": "8MB/s", "buffer": "1MB", "load": "10s", "unload": "5s", "locate": "100s",
    "locate_overhead": "20s", "reposition": "3s", "flush": "5s",
    "power": {"unloaded": "5W", "idle": "10W", "load": "20W", "locate": "25W", "read": "30W", "write": "32W"},
}  # fmt: skip
ROBOTICS = {"move": "7s", "frame": "50W", "robot_idle": "3W", "robot_moving": "40W"}


def system(**keys: Any) -> dict[str, Any]:
    parts = {"drive": copy.deepcopy(DRIVE), "robotics": dict(ROBOTICS)}
    library = {"name": "tapes", **parts, "drives": 2, "cartridges": 4, **keys}
    return {
        "name": "small",
        "array": {"library": [library]},
        "workload": [
            {
                "name": "write",
                "profile": {
                    "name": "tape-backup",
                    "requests": 32,
                    "span": "33554432B",
                },
            }
        ],
    }


def simulated(raw: dict[str, Any], tmp_path: Any) -> Any:
    from iowatt.base.toml_writer import toml_document

    path = tmp_path / "scenario.toml"
    path.write_text(toml_document(raw), encoding="utf-8")
    return iowatt.run(path)


def refused(raw: dict[str, Any]) -> set[tuple[str, str]]:
    with pytest.raises(DocumentError) as caught:
        compile_plan(Scenario.model_validate(raw))
    return {(problem.code, problem.place or "") for problem in caught.value.problems}


def test_figures_become_those_of_host_bytes() -> None:
    plan = compile_plan(Scenario.model_validate(system(compression=2)))["simulation"]["libraries"][0]
    assert plan["cartridge_bytes"] == 2**33
    # Compression doubles 1 MB/s, of which the drive's compression lets 1.5 MB/s through.
    assert plan["drive"]["speed_bytes_per_s"] == [1e6, 1.5e6]
    assert plan["drive"]["buffer_bytes"] == 2_000_000
    assert (plan["drive"]["end_to_end_s"], plan["drive"]["locate_overhead_s"]) == (160.0, 20.0)
    found = describe(Scenario.model_validate(system(compression=2)))
    assert (found.raw_bytes, found.usable_bytes, found.effective_bytes) == (
        4 * 2**32, 4 * 2**32, 4 * 2**33
    )  # fmt: skip
    assert found.idle_w == 2 * 5 + 3 + 50


def test_a_backup_costs_its_states_and_its_run_says_where_the_time_went(tmp_path: Any) -> None:
    run = simulated(system(), tmp_path)
    (library,) = run.summary["libraries"]
    # One mount: 7 s and 10 s. The buffer of 1 MB holds less than a block of 1 MiB, so that the tape starts at
    # 1 MB/s with the first; the last is taken when all but 1 MB is on tape, and written out a second later.
    assert (library["mounts"], library["mount_wait_s"]["mean"]) == (1, 17.0)
    assert library["mount_wait_s"]["parts"] == {"drive": 0, "clear": 0, "robot": 0, "move": 7, "load": 10}
    assert run.summary["window"]["end_s"] == pytest.approx(17 + 33.554432)
    joules = run.summary["energy"]["by_component_j"]
    span = 17 + 33.554432
    assert joules["tapes.0"] == pytest.approx(7 * 5 + 10 * 20 + 33.554432 * 32)
    assert joules["tapes.1"] == pytest.approx(span * 5)
    assert joules["tapes.robot0"] == pytest.approx(7 * 40 + (span - 7) * 3)
    assert joules["tapes.frame"] == pytest.approx(span * 50)
    # Watts of a library are those at the wall.
    assert run.summary["power_basis"] == "wall"
    assert run.summary["power_w"]["wall_mean"] == pytest.approx(sum(joules.values()) / span)
    assert run.summary["power_w"]["wall_idle"] == 63
    assert sum(run.summary["energy"]["by_cause_j"].values()) == pytest.approx(sum(joules.values()))


def test_the_same_seed_gives_the_same_figures_whatever_stands_beside(tmp_path: Any) -> None:
    first = simulated(system(), tmp_path)
    raw = system()
    raw["array"]["pool"] = [{"name": "disks", "device": "seagate-cheetah-15k5", "count": 1}]
    raw["array"]["volume"] = [{"name": "tapes", "pool": "tapes"}]
    beside = simulated(raw, tmp_path)
    assert first.summary["response_time_ms"] == beside.summary["response_time_ms"]
    assert first.summary["libraries"] == beside.summary["libraries"]
    # Watts of the disks are those of the drives alone.
    assert beside.summary["power_basis"] == "device"


@pytest.mark.parametrize(
    ("change", "code", "place"),
    [
        ({"drive": "ibm-lto-99"}, "unknown-name", "array.library.0.drive.name"),
        ({"drive": {**DRIVE, "slowest": "2MB/s"}}, "conflict", "array.library.0.drive.slowest"),
        ({"robotics": {"move": "7s"}}, "missing-figure", "array.library.0.robotics.frame"),
        ({"drive": {**DRIVE, "power": {}}}, "missing-figure", "array.library.0.drive.power.write"),
    ],
)
def test_what_is_wrong_is_refused_with_its_place(change: dict[str, Any], code: str, place: str) -> None:
    assert (code, place) in refused(system(**change))


def test_libraries_stand_alone() -> None:
    raw = system()
    raw["array"]["controller"] = {}
    assert ("conflict", "array.controller") in refused(raw)
    assert ("missing", "array") in refused({"name": "none", "array": {}, "workload": []})


def test_every_figure_of_the_library_has_its_source_and_makes_a_plan() -> None:
    drives, robots = tape.names("tape-drive"), tape.names("tape-library")
    assert {"ibm-lto-7", "ibm-lto-8", "ibm-lto-9"} <= set(drives) and len(robots) >= 2
    for drive, robotics in itertools.product(drives, robots):
        plan = compile_plan(Scenario.model_validate(system(drive=drive, robotics=robotics)))
        assert json.dumps(plan, allow_nan=False)
    for file in (*map(tape.tape_drive, drives), *map(tape.media_library, robots)):
        figures = {name for name in file.model_fields_set if name not in ABOUT}
        figures |= {f"power.{name}" for name in getattr(file, "power", file).model_fields_set & POWER}
        assert [name for name in figures - {"power"} if source_of(file.source, name) is None] == []


ABOUT = {"name", "kind", "title", "assumptions", "notes", "source"}
POWER = set(tape.TapeDrivePower.model_fields)
