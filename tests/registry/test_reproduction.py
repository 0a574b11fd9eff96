"""The registry analyses again: what reproduces is published, what does not stays a draft with findings."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime, timedelta

import polars as pl
import pytest
import submissions

import iowatt
import needs
from iowatt.base.errors import InputError
from iowatt.registry import bundle, store
from iowatt.registry.reanalysis import AnalysisLimits, analyse, analyse_apart

SCENARIO = """
name = "small"

[[workload]]
name = "load"
volume = "data"
trace = { path = "requests.csv", format = "csv" }

[[array.pool]]
name = "disks"
device = "hgst-ultrastar-c10k900-900gb"
count = 4
raid = { level = 5, stripe_unit = "64KiB" }

[[array.volume]]
name = "data"
pool = "disks"
capacity = "1GiB"
"""


@pytest.fixture
def folder(emerald_zip, tmp_path):
    """The measurement's bundle, unpacked, to be changed."""
    return submissions.unpacked(emerald_zip, tmp_path / "submission")


def test_a_measurement_is_reproduced_and_two_analyses_are_equal_bytes(folder):
    one, other = analyse(folder), analyse_apart(folder)
    assert one.reproduced and one.differences == []
    assert one.json_text() == other.json_text()
    assert (one.basis, one.metric_family) == ("modelled", "hot-band")
    assert {figure.metric for figure in one.figures} >= {"EP_RR", "EP_RW", "EP_RI"}


def test_a_claimed_figure_that_is_not_in_the_logs_is_found(folder):
    file = folder / "measurement" / "analysis.json"
    claimed = json.loads(file.read_bytes())
    claimed["phases"][0]["ep"] *= 1.0000001
    file.write_text(json.dumps(claimed))
    found = analyse(folder)
    assert not found.reproduced
    assert [one.place for one in found.differences] == ["analysis.json.phases[0].ep"]


def test_a_log_that_was_changed_is_found_by_simulating_it_again(folder):
    """Both the raw Run and what is claimed of it: only a new simulation tells."""
    from iowatt.emerald import analyze
    from iowatt.emerald.rules import load

    run = folder / "measurement" / "stages" / "RR" / "run"
    table = pl.read_parquet(run / "intervals.parquet")
    table.with_columns(pl.col("wall_w") * 0.5).write_parquet(run / "intervals.parquet")
    measured = analyze.measurement(folder / "measurement")
    judged = analyze.judge(measured, load("emerald-4.0.0"))
    (folder / "measurement" / "analysis.json").write_text(judged.json_text())
    places = {one.place.split(":")[0] for one in analyse(folder).differences}
    assert "stages/RR/intervals.parquet" in places
    assert not any(place.startswith("analysis.json") for place in places)


@needs.mark("fio")
def test_a_measurement_by_fio_is_judged_again_from_its_logs(disk_folder, key):
    import conducted

    from iowatt.emerald import analyze
    from iowatt.emerald.rules import load

    now, rules = datetime.now(UTC), load("emerald-4.0.0")
    rows = [f"{(now + timedelta(seconds=n / 10)).isoformat()},{300 + n % 3}" for n in range(1200)]
    power = disk_folder / "power.csv"
    power.write_text("time,watts\n" + "\n".join(rows) + "\n")
    path = conducted.plan(disk_folder, instruments=[{"name": "pdu", "source": f"csv:{power}"}])
    done = conducted.run(path)
    assert done.returncode == 0, done.stderr
    out = disk_folder / "out"
    measured = analyze.measurement(out)
    analyze.write(analyze.judge(measured, rules), measured, out)
    prepared = bundle.prepare(out, submissions.FACETS)
    assert prepared.submission.basis == "measured" and "measurement/meters/pdu-log.csv" in prepared.files
    archive = submissions.written(prepared, key, disk_folder / "fio.zip")
    power.unlink()
    folder = submissions.unpacked(archive, disk_folder / "submission")
    one = analyse(folder)
    assert one.reproduced, one.differences
    assert analyse_apart(folder).json_text() == one.json_text()
    log = folder / "measurement" / "meters" / "pdu-log.csv"
    log.write_text(log.read_text().replace(",300", ",150"))
    assert not analyse(folder).reproduced


def refused_by(folder, **changes):
    document = json.loads((folder / "submission.json").read_bytes()) | changes
    (folder / "submission.json").write_bytes(bundle.canonical(document))
    with pytest.raises(InputError) as caught:
        analyse(folder)
    return caught.value


def test_other_rules_are_refused(folder):
    found = refused_by(folder, rules={"profile": "emerald-4.0.0", "sha256": "0" * 64})
    assert (found.code, found.place) == ("not-comparable", "submission.json: rules.sha256")
    found = refused_by(folder, rules={"profile": "/etc/passwd.toml", "sha256": "0" * 64})
    assert (found.code, found.place) == ("unknown-name", "submission.json: rules")


def test_a_journal_that_leads_elsewhere_is_refused(folder):
    journal = folder / "measurement" / "journal.jsonl"
    journal.write_text(journal.read_text().replace('"folder": "stages/RR"', '"folder": "../../../etc"'))
    assert refused_by(folder).code == "not-accepted"


def test_an_instrument_whose_log_is_elsewhere_is_refused(folder):
    file = folder / "measurement" / "plan.json"
    plan = json.loads(file.read_bytes())
    plan["instruments"] = [{"name": "pdu", "source": "csv:/etc/passwd", "role": "power"}]
    file.write_text(json.dumps(plan))
    found = refused_by(folder)
    assert (found.code, found.place) == ("not-found", "plan.json: instruments.pdu")


def test_a_scenario_that_names_other_files_is_refused(folder):
    scenario = folder / "inputs" / "array.toml"
    text = scenario.read_text()
    device = next(line for line in text.splitlines() if line.strip().startswith("device"))
    scenario.write_text(text.replace(device, 'device = "/etc/passwd.toml"'))
    assert refused_by(folder).code == "not-accepted"


def test_the_process_apart_reads_nothing_else(folder, tmp_path):
    secret = tmp_path / "secret.json"
    secret.write_text("{}")
    (folder / "measurement" / "plan.json").unlink()
    (folder / "measurement" / "plan.json").symlink_to(secret)
    with pytest.raises(InputError) as caught:
        analyse_apart(folder)
    assert caught.value.code == "unreadable"


def test_an_analysis_that_takes_too_long_is_ended(folder):
    with pytest.raises(InputError) as caught:
        analyse_apart(folder, AnalysisLimits(seconds=0.01))
    assert caught.value.code == "too-large"


@pytest.fixture(scope="module")
def simulated(tmp_path_factory):
    """A Run of a scenario with a trace beside it."""
    place = tmp_path_factory.mktemp("simulated")
    (place / "small.toml").write_text(SCENARIO)
    rows = [f"{n * 0.01:.6f},{n * 8192 % (1 << 28)},8192,{'RW'[n % 2]}" for n in range(400)]
    (place / "requests.csv").write_text("time_s,offset,size,op\n" + "\n".join(rows) + "\n")
    iowatt.run(place / "small.toml", set=["array.pool.disks.count=5"], output=place / "run")
    return place


def test_a_simulated_run_is_simulated_again(simulated, tmp_path, key):
    prepared = bundle.prepare(simulated / "run", {"vendor": "Example"}, base=simulated)
    assert "inputs/requests.csv" in prepared.files
    path = submissions.written(prepared, key, tmp_path / "run.zip")
    folder = submissions.unpacked(path, tmp_path / "submission")
    one, other = analyse(folder), analyse_apart(folder)
    assert one.reproduced, one.differences
    assert one.json_text() == other.json_text()
    assert one.metric_family.startswith("run-") and one.basis == "modelled"
    # Another trace is other work, and gives other figures.
    trace = folder / "inputs" / "requests.csv"
    trace.write_text("".join(trace.read_text().splitlines(keepends=True)[:-50]))
    found = analyse(folder)
    assert not found.reproduced and found.metric_family != one.metric_family
    assert any(one.place.startswith("run.json") for one in found.differences)


def test_a_page_that_a_run_brings_is_left_out(simulated, tmp_path):
    copy = tmp_path / "run"
    shutil.copytree(simulated / "run", copy)
    (copy / "report.html").write_text("<script>alert(1)</script>")
    files = bundle.prepare(copy, {"vendor": "Example"}, base=simulated).files
    assert not any(name.endswith(".html") for name in files)


def test_a_run_of_fio_is_imported_again(tmp_path, key, monkeypatch):
    from typer.testing import CliRunner

    from iowatt.cli.main import app

    groups = submissions.ROOT / "tests" / "data" / "fio-runs" / "new_group.json"
    shutil.copy(groups, tmp_path / "fio.json")
    monkeypatch.chdir(tmp_path)
    words = ["import", "fio.json", "-o", "measured"]
    monkeypatch.setattr("sys.argv", ["iowatt", *words])
    assert CliRunner().invoke(app, words).exit_code == 0
    prepared = bundle.prepare(tmp_path / "measured", {"vendor": "Example"})
    assert prepared.submission.basis == "measured"
    assert set(prepared.files) >= {"raw/fio.json", "run/run.json"}
    path = submissions.written(prepared, key, tmp_path / "run.zip")
    folder = submissions.unpacked(path, tmp_path / "submission")
    one = analyse(folder)
    assert one.reproduced, one.differences
    assert analyse_apart(folder).json_text() == one.json_text()
    raw = json.loads((folder / "raw" / "fio.json").read_bytes())
    raw["jobs"][0]["read"]["total_ios"] += 1000
    (folder / "raw" / "fio.json").write_text(json.dumps(raw))
    assert not analyse(folder).reproduced
    # Without its raw file, or how it was imported, there is nothing to compare with.
    (tmp_path / "fio.json").unlink()
    with pytest.raises(InputError) as caught:
        bundle.prepare(tmp_path / "measured", {"vendor": "Example"})
    assert caught.value.code == "not-found"
    document = json.loads((folder / "submission.json").read_bytes())
    document["imported"] = None
    (folder / "submission.json").write_bytes(bundle.canonical(document))
    with pytest.raises(InputError) as caught:
        analyse(folder)
    assert (caught.value.code, caught.value.place) == ("missing", "submission.json: imported")


def test_what_is_not_reproduced_stays_a_draft_with_findings(people, folder, tmp_path, key):
    file = folder / "measurement" / "analysis.json"
    claimed = json.loads(file.read_bytes())
    claimed["phases"][0]["ep_shown"] = "99.9"
    file.write_text(json.dumps(claimed))
    path = submissions.signed_again(folder, key, tmp_path / "wrong.zip")
    assert people.received(path).state == "draft"
    assert store.analyse_pending(people.store) == ["iow-000001"]
    record = people.record()
    assert (record.state, record.analysis, record.published) == ("draft", "refused", None)
    (finding,) = people.findings()
    assert (finding.code, finding.severity, finding.by) == ("not-reproduced", "invalid", "registry")
    assert "99.9" in finding.text
    with pytest.raises(InputError) as caught:
        store.change(people.store, people.account("rev"), 1, "publish")
    assert caught.value.code == "wrong-state"
    # Submitted again it is analysed again, as the same submission.
    assert people.received(path).id == "iow-000001"
    assert store.analyse_pending(people.store) == ["iow-000001"]
    assert len(people.findings()) == 1
    assert store.verify(people.store).faults == []
