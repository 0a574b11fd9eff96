"""The controller's back end from the scenario to ``run.json``, to a row of a search and to the report."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

import iowatt
from figures import figures
from iowatt.evaluate.search.metrics.table import row_of_run
from iowatt.pages.run import outcome
from iowatt.pages.system import controller_table

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "back-end.toml"
#: Commands of a small write.
COMMANDS = {5: 4, 10: 2}


def run(level, reads, *sets):
    mix = f'["arrivals={{law=\'closed\', outstanding=128}}", "stream.uniform.read_share={reads}"]'
    given = [f"array.pool.ssds.raid.level={level}", f"workload.oltp.profile.set={mix}", *sets]
    return iowatt.run(EXAMPLE, set=given)


@pytest.fixture(scope="module")
def mixed():
    return run(5, 70)


@pytest.mark.parametrize(("level", "reads"), [(5, 100), (5, 0), (10, 70), (10, 0)])
def test_the_slower_station_limits(level, reads):
    summary = run(level, reads).summary
    requests = summary["requests"]
    share = requests["reads"] / requests["count"]
    commands, for_writes = share + COMMANDS[level] * (1 - share), COMMANDS[level] * (1 - share)
    law = 1 / max(commands * 25e-6, for_writes * 33e-6)
    assert summary["throughput"]["iops"] == pytest.approx(law, rel=0.01)
    found = summary["controller"]
    assert found["back_end"]["requests"] == round(commands * requests["count"])
    assert found["write_path"]["requests"] == round(for_writes * requests["count"])
    seconds = summary["window"]["duration_s"]
    for key, time in (("back_end", 25e-6), ("write_path", 33e-6)):
        assert found[key]["utilisation"] == pytest.approx(found[key]["requests"] * time / seconds)
    busiest = max(found["back_end"]["utilisation"], found["write_path"]["utilisation"])
    assert 0.99 < busiest <= 1


def test_processors_share_the_commands(mixed):
    two = run(5, 70, "array.controller.back_end.processors=2", "array.controller.back_end.write_processors=2")
    gain = two.summary["throughput"]["iops"] / mixed.summary["throughput"]["iops"]
    assert 1.5 < gain <= 2
    assert mixed.summary["controller"]["processors"] is None


def test_the_summary_keeps_its_schema_and_the_row_has_the_stations(mixed):
    schema = json.loads((ROOT / "schema" / "results" / "iowatt.run.schema.json").read_text("utf-8"))
    jsonschema.validate(mixed.summary, schema)
    found = row_of_run(mixed)
    assert found["controller.back_end.utilisation"] == mixed.summary["controller"]["back_end"]["utilisation"]
    assert found["controller.write_path.requests"] > 0
    bare = run(5, 70, "array.controller.back_end.command=0s", "array.controller.back_end.write_command=0s")
    assert "controller" not in bare.summary
    assert not any(key.startswith("controller.") for key in row_of_run(bare))


def test_a_station_without_time_is_not_in_the_summary():
    found = run(10, 70, "array.controller.back_end.write_command=0s").summary["controller"]
    assert "write_path" not in found
    assert found["back_end"]["utilisation"] > 0.99


def test_the_report_shows_both(mixed):
    described = controller_table(mixed.plan["simulation"]["controller"]).rows
    stations = [(name, figures(str(text))) for name, text in described]
    assert [found for _, found in stations] == [[1, 33.0], [1, 25.0]]
    assert all("\u00b5s" in str(text) for _, text in described)
    ((_, table),) = outcome.tables(mixed.summary)
    assert [line[0] for line in table.rows] == [name for name, _ in stations]
    assert str(table.rows[1][2]).replace("\u00a0", " ") == "100 %"
