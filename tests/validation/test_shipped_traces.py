"""The bars: every paced trace, replayed on its drive, against the real drive and against DiskSim."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from iowatt.cli import main
from iowatt.evaluate import validation
from iowatt.evaluate.validation.cases import PACED
from iowatt.pages.validation import document

# As documented in docs/validation.md: simulated mean, demerit and paired RMSE, milliseconds.
DOCUMENTED = {
    "hp-c2247a": (15.311, 0.0922, 2.303),
    "hp-c3323a": (15.785, 0.2303, 4.107),
    "dec-rz26": (15.768, 0.2518, 3.482),
    "seagate-st41601n": (14.658, 0.0778, 1.572),
    "seagate-barracuda-st32171w": (6.599, 0.2492, 2.413),
    "seagate-cheetah-4lp": (5.236, 0.2106, 1.855),
    "quantum-atlas-iii": (6.258, 0.2171, 2.784),
    "seagate-cheetah-15k5": (6.020, 0.2956, 1.928),
}


@pytest.fixture(scope="module")
def found():
    paced = [case for case in validation.cases() if case.arrivals == "paced by think time"]
    return {v.drive.name: v for v in map(validation.validate, paced)}


def test_all_drives(found):
    assert set(found) == set(DOCUMENTED)
    assert all(v.service is None and v.key == name for name, v in found.items())


@pytest.mark.parametrize("name", DOCUMENTED)
def test_the_documented_figures(found, name):
    mean, demerit, rmse = DOCUMENTED[name]
    every = found[name].every
    assert every.simulated_mean_ms == pytest.approx(mean, abs=0.002)
    assert every.demerit_ms == pytest.approx(demerit, abs=0.0015)
    assert every.paired_rmse_ms == pytest.approx(rmse, abs=0.005)


def test_mean_errors(found):
    errors = [abs(v.every.mean_error) for v in found.values()]
    assert max(errors) <= 0.02
    for validation_ in found.values():
        theirs = validation_.disksim
        if theirs is not None:
            assert abs(validation_.every.mean_error) <= abs(theirs.mean_error) + 0.001


def test_demerits(found):
    ratios = []
    for validation_ in found.values():
        if validation_.case.disksim is None:
            assert validation_.every.demerit_ms <= 0.3
        else:
            ratios.append(validation_.every.demerit_ms / validation_.case.disksim["demerit_ms"])
    assert max(ratios) <= 1.01
    assert sum(ratio <= 0.8 for ratio in ratios) >= 3


def test_paired_errors(found):
    pairs = [
        (v.every.paired_rmse_ms, v.case.disksim["paired_rmse_ms"]) for v in found.values() if v.case.disksim
    ]
    assert len(pairs) == 7
    assert sum(ours <= theirs for ours, theirs in pairs) >= 6


def test_the_verb(tmp_path):
    report = tmp_path / "report.html"
    words = ["devices", "validate", "--drive", "hp-c2247a", "--json", "-o", str(report)]
    result = CliRunner().invoke(main.app, words)
    made = json.loads(result.stdout)
    assert made["schema"] == "iowatt.validation/1"
    (drive,) = made["drives"]
    keys = {
        "device", "requests", "measured_mean_ms", "simulated_mean_ms", "mean_error", "demerit_ms",
        "demerit_fraction", "paired_rmse_ms",
    }  # fmt: skip
    assert keys <= set(drive)
    assert drive["read"]["requests"] + drive["write"]["requests"] == drive["requests"] == 9999
    assert drive["arrivals"] == PACED
    assert (drive["scheduler"], drive["service"], drive["trace_device"]) == (None, None, None)
    assert drive["disksim"]["mean_error"] == pytest.approx(0.0011, abs=1e-4)
    assert "HP C2247A" in report.read_text()


def test_the_table_and_the_page(found):
    made = validation.document(list(found.values()))
    by_name = {drive.device: drive for drive in made.drives}
    assert by_name["seagate-st41601n"].disksim is None
    assert by_name["seagate-st41601n"].disksim_note
    codes = {name: {note.code for note in drive.notes} for name, drive in by_name.items()}
    assert [name for name, has in codes.items() if "conditions" in has] == ["seagate-cheetah-15k5"]
    shown = document(list(found.values()))
    texts = [caveat.text for caveat in shown.caveats]
    conditions = [note.text for drive in made.drives for note in drive.notes if note.code == "conditions"]
    for said in (*conditions, by_name["seagate-st41601n"].disksim_note):
        assert any(text.endswith(said) for text in texts)
    assert shown.chart.table.column("iowatt") == [100 * drive.mean_error for drive in made.drives]
    assert document([found["dec-rz26"]]).chart.key == "distribution-dec-rz26"
