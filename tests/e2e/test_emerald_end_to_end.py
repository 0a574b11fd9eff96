"""From a plan to a test data report, unattended: fio on a file beside an SNMP agent, and simulated."""

import json
import shutil
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

import needs
from figures import figures
from iowatt.cli.main import app
from loopback import snmp

ROOT = Path(__file__).parents[2]
IOWATT = Path(sys.executable).with_name("iowatt")
needs_fio = needs.mark("fio")


def iowatt(line, *more, codes=(0,)):
    """What a command prints, in this process."""
    done = CliRunner().invoke(app, [*line.split(), *more])
    assert done.exit_code in codes, f"{line}\n{done.output[-3000:]}\n{done.exception!r}"
    return done.stdout


def process(line):
    """The same in a process of its own."""
    done = subprocess.run([IOWATT, *line.split()], capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, f"{line}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"


def sheet_text(path):
    """All strings of a workbook."""
    with zipfile.ZipFile(path) as book:
        return book.read("xl/sharedStrings.xml").decode()


@needs_fio
def test_fio_on_a_file_with_a_pdu_and_a_csv(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    began = time.time()
    with snmp.pdu(tmp_path / "pdu", 240.0) as pdu:
        iowatt(
            "emerald plan --driver fio --target disk.dat --size 64MiB --raw-capacity 1TB --category online "
            "--class 2 --time-scale 0.002 --conditioning 10min --phase-rate HB=300 --phase-rate RR=200 "
            "--phase-rate RW=200 -o plan --meter",
            f"pdu1={pdu.url}",
        )
        iowatt("emerald calibrate plan -o rates --phase RR --most-runs 3 --within 1s", codes=(0, 1))
        plan = "rates" if Path("rates/plan.json").exists() else "plan"
        process(f"emerald run {plan} -o measured --erase disk.dat")
    found = json.loads(iowatt("emerald analyze measured -o result --json", codes=(1,)))
    phases = {one["phase"]: one for one in found["phases"]}
    assert list(phases) == ["HB", "RR", "RW", "SR", "SW"]
    assert phases["HB"]["iops"] == pytest.approx(300, rel=0.2)
    # Whatever the machine let it measure: a dry run by fio is never an Emerald result.
    assert found["compliant"] is False
    assert found["kind"] == "measured"
    assert figures(found["judged"])[0] > 0

    # The same stages with a meter that left a CSV file, as a lab would join them by hand.
    # Two dozen samples in each of the short "minutes", so that one more or less at an edge is no gap.
    count = int((time.time() - began + 10) / 0.005)
    rows = [f"{began - 5 + k * 0.005:.3f},{240 + k % 2}" for k in range(count)]
    Path("power.csv").write_text("\n".join(["time,watts", *rows]) + "\n")
    said = iowatt(
        f"emerald analyze --plan {plan}/plan.json --driver-output measured/stages "
        "--meter csv:power.csv?time-format=unix -o joined --json",
        codes=(1,),
    )
    joined = json.loads(said)
    by_csv = {one["phase"]: one for one in joined["phases"]}
    assert by_csv["RR"]["power_w"] == pytest.approx(240.5, rel=3e-3)
    # fio ends some milliseconds late; whether they are a minute's of their own goes by the meter's samples.
    assert by_csv["RR"]["iops"] == pytest.approx(phases["RR"]["iops"], rel=0.03)
    assert by_csv["RR"]["ep"] == pytest.approx(by_csv["RR"]["operations_rate"] / by_csv["RR"]["power_w"])
    rest = joined["ready_idle"]
    assert rest["ep"] == pytest.approx(1000 / 240.5, rel=3e-3)
    # Whatever else stands against a rehearsal: every minute of the rest has its power.
    against = {one["code"] for one in rest["findings"]}
    assert not against & {"power-missing", "samples-too-few", "no-meter", "meter-other-time"}
    assert all(row["power_w"] == pytest.approx(240.5, rel=0.01) for row in rest["minutes"])

    iowatt("emerald report joined -o tdr.xlsx")
    assert "NON-COMPLIANT" in sheet_text("tdr.xlsx")


def test_the_same_on_a_simulated_array(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "examples", "examples")
    iowatt(
        "emerald plan --driver simulation --scenario examples/emerald-small.toml --category online --class 2 "
        "--time-scale 0.01 -o plan"
    )
    iowatt("emerald calibrate plan -o rates")
    process("emerald run rates -o measured")
    found = json.loads(iowatt("emerald analyze measured -o result --json", codes=(0, 1)))
    for phase in found["phases"]:
        assert phase["ep"] == pytest.approx(phase["operations_rate"] / phase["power_w"])
    rest = found["ready_idle"]
    assert rest["ep"] == pytest.approx(rest["raw_capacity_gb"] / rest["power_w"])
    iowatt("emerald report result -o tdr.xlsx")
    assert "modelled" in sheet_text("tdr.xlsx").lower()
