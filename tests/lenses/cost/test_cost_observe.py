"""What is priced of a Run: its drives, its work, its ledger's joules."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from iowatt.lenses.cost.systems.inventory import read_inventory
from iowatt.lenses.cost.systems.of_run import observe
from iowatt.run.bundle import Run
from refused import refused


def test_the_load_has_the_ledger_s_joules_exactly(run: Run) -> None:
    found = observe(run)
    assert found.work.load.total_j == run.summary["energy"]["total_j"]
    assert found.work.load.duration_s == run.summary["window"]["duration_s"]
    assert found.work.duration_s == run.summary["window"]["duration_s"]


def test_drives_come_with_what_they_went_through(run: Run) -> None:
    found = observe(run)
    rows = run.table("devices").to_dicts()
    assert [one.name for one in found.drives] == [row["name"] for row in rows]
    for one, row in zip(found.drives, rows, strict=True):
        assert one.counts.bytes_read == row["bytes_read"]
        assert one.counts.start_stops == row["spin_downs"]
        assert one.capacity_gb > 0


def test_power_that_is_not_known_all_through_is_refused(run: Run) -> None:
    summary: dict[str, Any] = json.loads(json.dumps(run.summary))
    summary["energy"]["total_j"] = None
    tables = {name: run.table(name) for name in ("intervals", "devices")}
    unknown = Run(summary=summary, plan=run.plan, scenario_text="", tables=tables)
    with refused("missing-figure", unknown.name):
        observe(unknown)


def test_a_run_that_lasts_no_time_is_refused(run: Run) -> None:
    summary: dict[str, Any] = json.loads(json.dumps(run.summary))
    summary["window"]["duration_s"] = 0.0
    with refused("empty", run.name):
        observe(Run(summary=summary, plan=run.plan, scenario_text=""))


def test_parts_of_the_array_are_counted_over_its_enclosures(run: Run) -> None:
    supplies = {"count": 2}
    shelf = {"name": "shelf", "filling": [[2, [16]], [1, [4]]], "supplies": supplies, "parts": []}
    head = {
        "name": "head",
        "filling": [[1, []]],
        "supplies": supplies,
        "parts": [{"name": "fan", "count": 4}],
    }
    power = {"enclosures": [head, shelf], "pue": 1.5}
    found = observe(
        Run(
            summary=run.summary,
            plan={**run.plan, "power": power},
            scenario_text="",
            tables={name: run.table(name) for name in ("intervals", "devices")},
        )
    )
    assert found.parts == {"head": 1, "head.fan": 4, "head.supply": 2, "shelf": 3, "shelf.supply": 6}
    assert "pue-not-used" in {note.code for note in found.notes}


def test_drives_beside_those_of_the_run_have_no_part_in_its_power(run: Run, tmp_path: Path) -> None:
    text = """
schema = "iowatt.cost-inventory/1"
drive = [{ name = "more", count = 3, kind = "hdd", capacity = "4TB" }]
"""
    (tmp_path / "more.toml").write_text(text)
    found = observe(run, read_inventory(tmp_path / "more.toml"))
    assert len(found.drives) == len(run.table("devices")) + 3
    (added,) = [note for note in found.notes if note.code == "drives-added"]
    assert "3" in added.text.split()
    assert found.work.load.total_j == run.summary["energy"]["total_j"]
