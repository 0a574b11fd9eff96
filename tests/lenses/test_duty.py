"""The duty lens: hand-computed days, what lies between Runs, and what is refused."""

from types import SimpleNamespace

import pytest

from iowatt.lenses.duty import analyse
from iowatt.pages.duty import document
from iowatt.render import write
from refused import refused


def run(name, iops, watts, *, model="disk", size=8192, basis="wall", source="simulation", raw=1000.0):
    throughput = {"iops": iops, "mib_per_s": iops * size / 2**20, "completions": iops * 60}
    wall = watts if basis == "wall" else None
    summary = {
        "requests": {"count": iops * 60},
        "throughput": throughput,
        "window": {"duration_s": 60.0},
        "response_time_ms": {"all": {"mean": 5.0 if iops else None}},
        "power_w": {"wall_mean": wall, "mean": None if basis == "wall" else watts},
        "power_basis": basis,
        "capacity_gb": {"raw": raw},
        "devices": [{"name": "d.0", "model": model}],
        "source": source,
    }
    return SimpleNamespace(name=name, summary=summary, plan={}, path=None)


RUNS = [run("idle", 0, 100.0), run("half", 500, 140.0), run("most", 800, 170.0), run("all", 1000, 200.0)]


def test_days_are_those_computed_by_hand():
    found = analyse(RUNS)
    nominal, medium, high = found.classes
    assert nominal.nominal_w == pytest.approx((16 * 100 + 8 * 140) / 24)
    assert medium.nominal_w == pytest.approx((6 * 100 + 14 * 140 + 4 * 170) / 24)
    assert high.nominal_w == pytest.approx((6 * 140 + 18 * 170) / 24)
    assert nominal.nominal_throughput == pytest.approx(8 * 500 / 24)
    assert high.throughput_per_w == pytest.approx((6 * 500 + 18 * 800) / (6 * 140 + 18 * 170))
    assert nominal.annual_kwh == pytest.approx(nominal.nominal_w * 8.76)
    assert nominal.heat_btu_per_h == pytest.approx(nominal.nominal_w * 3.412142, rel=1e-6)
    assert nominal.raw_gb_per_w == pytest.approx(1000 / nominal.nominal_w)
    assert found.unit == "IOPS"
    assert "not-spc" in {note.code for note in found.notes}


def test_useful_work_of_a_kwh_counts_idle_hours():
    """DCeP: requests of a day over its kWh; of streams GB; over the facility's energy at a PUE."""
    found = analyse(RUNS, pue=1.5)
    nominal = found.classes[0]
    requests, kwh = 8 * 3600 * 500, (16 * 100 + 8 * 140) / 1000
    assert found.work == "requests"
    assert nominal.work_per_kwh == pytest.approx(requests / kwh)
    assert nominal.facility_work_per_kwh == pytest.approx(requests / (1.5 * kwh))
    assert nominal.raw_gb_h_per_kwh == pytest.approx(1000 * 24 / kwh)
    streams = analyse(RUNS, measure="mib_per_s")
    assert streams.work == "GB"
    assert streams.classes[0].work_per_kwh == pytest.approx(8 * 3600 * 500 * 8192 / 1e9 / kwh)
    assert streams.classes[0].facility_work_per_kwh is None
    with refused("out-of-range", "pue: 0.9"):
        analyse(RUNS, pue=0.9)


def test_a_load_between_two_runs_is_interpolated_and_says_so():
    found = analyse([RUNS[0], run("low", 400, 130.0), run("more", 900, 180.0), RUNS[3]])
    loads = {one.load: one for one in found.loads}
    assert loads["moderate"].watts == pytest.approx(130 + 50 * 100 / 500)
    assert loads["heavy"].watts == pytest.approx(130 + 50 * 400 / 500)
    assert loads["moderate"].runs == ["low", "more"]
    assert loads["heavy"].runs == ["low", "more"]
    between = [note.text for note in found.notes if note.code == "interpolated"]
    assert len(between) == 2
    assert all("low" in text and "more" in text for text in between)


def test_a_run_within_two_percent_stands_for_the_load():
    found = analyse([RUNS[0], run("near", 515, 141.0), RUNS[2], RUNS[3]])
    assert found.loads[1].watts == 141.0
    assert found.loads[1].runs == ["near"]


def test_streams_are_weighed_by_data_rate():
    streams = [run(f"s{k}", k, 100.0 + k, size=256 * 1024) for k in (0, 50, 80, 100)]
    found = analyse(streams)
    assert found.unit == "MiB/s"
    assert found.highest == pytest.approx(25.0)
    assert analyse(streams, measure="iops").highest == 100


@pytest.mark.parametrize(
    ("runs", "code", "place"),
    [
        (RUNS[1:], "missing", ", ".join(one.name for one in RUNS[1:])),
        ([*RUNS, run("idle2", 0, 90.0)], "ambiguous", "idle, idle2"),
        (RUNS[:1], "missing", "idle"),
        ([RUNS[0], RUNS[2], RUNS[3]], "missing-figure", "most"),
        ([*RUNS, run("other", 600, 150.0, model="ssd")], "not-comparable", "other"),
        ([*RUNS, run("drives", 600, 150.0, basis="device")], "not-comparable", "drives:power_basis"),
        ([*RUNS, run("dark", 600, None)], "missing-figure", "dark"),
    ],
)
def test_what_cannot_be_weighed_is_refused(runs, code, place):
    with refused(code, place.replace(":", ": ")):
        analyse(runs)


def test_the_page_has_every_note_and_figure():
    found = analyse(RUNS)
    page = write.page([document(found)])
    assert all(note.text.replace("'", "&#39;") in page for note in found.notes)
    assert all(f'id="duty-{key}"' in page for key in ("days", "classes", "loads"))
