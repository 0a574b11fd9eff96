"""Carbon by the hour: sums over intervals, the cleanest interval within a delay, the best start of a job."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from iowatt.cli.main import app
from iowatt.lenses.electricity import find_load
from iowatt.lenses.grid_carbon import ShiftRequest, analyse, read_intensity
from iowatt.tariffs.find import find_tariff
from refused import refused

EXAMPLES = Path(__file__).parents[2] / "examples" / "tariffs"
#: Six hours of 400, six of 100, twelve of 300 g/kWh.
DAY = [400] * 6 + [100] * 6 + [300] * 12


@pytest.fixture
def files(tmp_path):
    def made(intensities, watts, stamp=lambda hour: str(hour * 3600)):
        for name, head, values in (("grid", "g/kWh", intensities), ("load", "watts", watts)):
            rows = [f"{stamp(hour)},{value}" for hour, value in enumerate(values)]
            (tmp_path / f"{name}.csv").write_text("\n".join([f"time,{head}", *rows]) + "\n")
        return find_load(str(tmp_path / "load.csv"), None, None), read_intensity(tmp_path / "grid.csv")

    return made


def test_kilograms_are_summed_by_the_hour(files):
    """2 kW in the first 6 hours, 1 kW else: 12 kWh at 400, 6 at 100, 12 at 300 g."""
    found = analyse(*files(DAY, [2000] * 6 + [1000] * 18), ShiftRequest())
    assert found.kwh == pytest.approx(30)
    assert found.kg == pytest.approx((12 * 400 + 6 * 100 + 12 * 300) / 1000)
    assert found.mean_g_per_kwh == pytest.approx(275)
    assert found.kg_by_mean == pytest.approx(30 * 0.275)
    assert found.g_per_kwh == pytest.approx(300)
    assert (found.peak_kw, found.shifted, found.usd) == (pytest.approx(2), None, None)


def test_movable_work_goes_to_the_cleanest_hour_within_its_delay(files):
    """Half of 1 kW may wait 2 h: hours 4 and 5 reach hour 6, hours 0 to 3 and all others stay."""
    what, grid = files(DAY, [1000] * 24)
    found = analyse(what, grid, ShiftRequest(0.5, 2 * 3600.0), find_tariff("flat:0.10,12"))
    shifted = found.shifted
    assert shifted is not None
    assert shifted.saved_kg == pytest.approx(2 * 0.5 * 0.3)
    assert shifted.kg + shifted.saved_kg == pytest.approx(found.kg)
    # Hour 6 has its own kWh and two halves: 1 kW more of the peak, for one day of a month of 31.
    assert shifted.peak_kw == pytest.approx(2)
    assert shifted.saved_usd == pytest.approx(-12 / 31)
    assert analyse(what, grid, ShiftRequest(0.5, 0.0)).shifted.saved_kg == pytest.approx(0, abs=1e-12)
    # All day: everything before noon goes to hour 6, and the afternoon's to itself.
    assert analyse(what, grid, ShiftRequest(1.0, 86_400.0)).shifted.saved_kg == pytest.approx(6 * 0.3)


def test_the_best_start_of_a_job(files):
    """8 h from 5 on: one hour at 400, six at 100, one at 300; from 6 on one less of 400, one more of 300."""
    found = analyse(*files(DAY, [1000] * 24), ShiftRequest(job_s=8 * 3600.0))
    by_start = {round(one.start_h): one.job_g_per_kwh for one in found.day}
    assert by_start[5] == pytest.approx((400 + 600 + 300) / 8)
    assert found.best_start_h == 6
    assert by_start[6] == pytest.approx((600 + 600) / 8)
    # 20 goes on at midnight: four hours at 300, four at 400.
    assert by_start[20] == pytest.approx(350)
    assert found.best_start_saves_share == pytest.approx(1 - 150 / 275)


def test_dates_decide_which_hours_are_which(files):
    """The load begins at noon of the second day of a dated series of two days."""

    def stamp(hour):
        return f"2026-06-{1 + hour // 24:02d}T{hour % 24:02d}:00"

    what, grid = files([100] * 36 + [500] * 12, [1000] * 2, stamp)
    late = find_load("1kW", "2026-06-02T12:00", 1)
    assert analyse(what, grid, ShiftRequest()).kg == pytest.approx(0.2)
    found = analyse(late, grid, ShiftRequest())
    assert found.g_per_kwh == pytest.approx((100 * 36 + 500 * 12) / 48)  # a month: 15 times two days
    assert "repeated" in {note.code for note in found.notes}


@pytest.mark.parametrize(
    ("rows", "code", "place"),
    [
        (["0,1", "3600,2", "10800,3"], "damaged", "grid.csv$"),
        (["0,1", "3600,-2"], "out-of-range", "grid.csv$"),
        (["0,1", "5000,2"], "not-accepted", "grid.csv$"),
        (["0,1", "3600,x"], "bad-syntax", "grid.csv:3$"),
        (["0,1"], "empty", "grid.csv$"),
    ],
)
def test_a_wrong_series_is_refused(tmp_path, rows, code, place):
    (tmp_path / "grid.csv").write_text("\n".join(["time,g/kWh", *rows]) + "\n")
    with refused(code, re.compile(place)):
        read_intensity(tmp_path / "grid.csv")


def test_a_part_of_a_day_is_not_repeated(files):
    what, grid = files(DAY[:7], [1000] * 24)
    with refused("not-comparable", "grid.csv"):
        analyse(what, grid, ShiftRequest())
    with refused("out-of-range", re.compile("^task")):
        analyse(*files(DAY, [1000] * 24), ShiftRequest(job_s=90_000.0))


def test_the_example_as_typed(tmp_path):
    words = ["tariff", "carbon", str(EXAMPLES / "week.csv"), "--grid", str(EXAMPLES / "grid-day.csv")]
    words += ["--movable", "30", "--delay", "8h", "--task", "4h", "--years", "1"]
    words += ["--tariff", str(EXAMPLES / "example-utility.json"), "-o", str(tmp_path / "carbon.html")]
    done = CliRunner().invoke(app, [*words, "--json"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout[done.stdout.index("{") :])
    # As docs/howto/tariffs.md says.
    assert found["shifted"]["saved_share"] == pytest.approx(0.074, abs=5e-4)
    assert found["shifted"]["saved_usd"] == pytest.approx(-17_023, abs=1)
    assert (tmp_path / "carbon.html").stat().st_size > 10_000
