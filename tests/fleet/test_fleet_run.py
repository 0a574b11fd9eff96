"""`iowatt.fleet` from its file to its files: members simulated on any number of threads, resumed."""

from __future__ import annotations

import json
import re

import pytest

import iowatt
from iowatt.evaluate.fleet import DOCUMENT, PAGE, TABLE, WORKBOOK
from iowatt.evaluate.fleet.durability import over_years
from iowatt.pages.fleet.page import document
from refused import refused


def files(folder):
    return {name: (folder / name).read_bytes() for name in (DOCUMENT, TABLE, PAGE)}


def test_threads_and_a_resumed_fleet_give_the_same_bytes(folder):
    plan = folder / "fleet.toml"
    change = ["class.old.refresh_after=1"]
    first = iowatt.fleet(plan, what_if=change, output=folder / "one", jobs=1)
    iowatt.fleet(plan, what_if=change, output=folder / "two", jobs=2)
    assert files(folder / "one") == files(folder / "two")
    assert (folder / "one" / WORKBOOK).stat().st_size > 5000
    # Half of the journal is lost, and a member is simulated again.
    journal = folder / "two" / "points.jsonl"
    lines = journal.read_text("utf-8").splitlines(keepends=True)
    journal.write_text("".join(lines[: len(lines) // 2]), "utf-8")
    again = iowatt.fleet(plan, what_if=change, output=folder / "two", resume=True)
    assert 0 < again.resumed < len(lines)
    assert files(folder / "one") == files(folder / "two")
    found = first.document
    assert json.loads((folder / "one" / DOCUMENT).read_bytes()) == found.as_dict()
    (member,) = found.members
    # Loads are simulated up to the limit, on both sides of it.
    assert member.most_iops < member.breaks_at_iops <= 1.07 * member.most_iops
    assert [one.load_iops for one in member.points] == sorted({one.load_iops for one in member.points})
    (other,) = found.alternatives
    assert other.bought > sum(found.totals.bought.values())


def test_what_is_not_whole_is_said(folder):
    found = iowatt.fleet(folder / "fleet.toml", set={"class.old.loads": [40]}).document
    codes = {note.code for note in found.notes if note.decides}
    assert codes == {"no-price", "drives-alone", "loss-by-lens"} and found.whole
    # A member whose price is that of its drives alone is no whole member.
    changes = {"class.old.loads": [40], "class.old.drives.price": 30, "demand.files.load": 300}
    text = (folder / "fleet.toml").read_text("utf-8").replace("price = 900\n", "")
    (folder / "unpriced.toml").write_text(text, "utf-8")
    with refused("missing-figure", re.compile(r"class\.old\.price")):
        iowatt.fleet(folder / "unpriced.toml", set=changes)


def test_loss_of_data_is_that_of_the_durability_lens(folder):
    changes = {"class.old.loads": [40], "years": 1, "demand.files.growth": 0, "demand.files.load": 300}
    found = iowatt.fleet(folder / "fleet.toml", set=changes).document
    (loss,) = found.members[0].loss_by_age
    # Five years of one member lose data as often as `iowatt durability` says.
    said = iowatt.durability(folder / "member.toml").loss_over_horizon.value
    assert over_years([loss] * 5) == pytest.approx(said, rel=1e-12)
    members = found.years[0].classes[0].members
    assert found.totals.loss_probability == pytest.approx(1 - (1 - loss) ** members, rel=1e-6)
    # Drives that fail more often as they age lose more, and a fleet of older members does.
    aging = changes | {"class.old.drives.afr": [0.01, 0.05]}
    first, second = iowatt.fleet(folder / "fleet.toml", set=aging).document.members[0].loss_by_age
    assert 2 * first < second
    stated = iowatt.fleet(folder / "fleet.toml", set=changes | {"class.old.loss_probability": 0.01}).document
    assert stated.members[0].loss_by_age == [0.01]


def test_stated_loads_are_simulated_and_no_others(folder):
    changes = {"class.old.loads": [40, 80], "demand.files.most_load.load": 70}
    found = iowatt.fleet(folder / "fleet.toml", set=changes).document
    assert [one.load_iops for one in found.members[0].points if one.load_iops in (40.0, 80.0)] == [40.0, 80.0]
    assert found.members[0].most_iops == 70.0


def test_a_run_stands_for_a_member_and_is_not_extrapolated(folder):
    iowatt.run(folder / "member.toml", output=folder / "run")
    text = (folder / "fleet.toml").read_text("utf-8").replace('scenario = "member.toml"', 'runs = ["run"]')
    (folder / "measured.toml").write_text(text, "utf-8")
    found = iowatt.fleet(folder / "measured.toml").document
    assert len(found.members[0].points) == 1 and not found.members[0].modelled
    assert found.members[0].most_iops == pytest.approx(found.members[0].points[0].load_iops)
    assert found.years[-1].classes[0].busy_iops <= found.members[0].most_iops


def test_no_number_of_racks_is_told_where_no_member_fits(folder):
    """Four drives draw more than 20 W; of a cap of 300 W the racks are counted."""
    for cap, fits in (("20W", False), ("300W", True)):
        changes = {"class.old.loads": [40], "racks.power_cap": cap, "racks.available": 1}
        found = iowatt.fleet(folder / "fleet.toml", set=changes).document
        shown = document(found)
        racks = next(one for one in shown.headlines if one.key == "racks")
        years = next(figure for figure in shown.figures() if figure.key == "years").table
        assert {one.code for one in found.broken} >= ({"racks"} if fits else {"rack-power"})
        assert ("racks" in {one.code for one in found.broken}) is fits
        assert (racks.value is not None) is fits
        assert all((value is not None) is fits for value in years.column("Racks"))
