"""What can be changed of a design, and what to begin with."""

from __future__ import annotations

import pytest

from iowatt.model.library import device_file
from iowatt.web.whatif import Change, design_of, drive_menu, estimate_design, examples, knobs_of


@pytest.mark.parametrize("of", [of for of, _ in examples()])
def test_a_shipped_design_has_knobs_and_a_price_for_what_it_holds(tmp_path, of):
    design = design_of(of, tmp_path)
    knobs = knobs_of(design.raw)
    assert {"drive", "count"} <= {one.kind for one in knobs}
    known = {drive.name for group in drive_menu().groups for drive in group.drives}
    assert all(one.value in known for one in knobs if one.kind == "drive")
    found = estimate_design(design, Change())
    assert (found.figures is None) == (of == "example:oltp-ssd-cache.toml")
    if found.figures is not None:
        assert found.figures.usable_tb > 5 and 20 < found.figures.usd_per_tb < 5000
        assert found.figures.unpriced is None and not found.figures.late


@pytest.mark.parametrize(
    ("path", "value", "times"),
    [
        ("node.osd.count", "12", 12 / 8),
        ("pool.hdd.drives", "6", 6 / 12),
        ("pool.hdd.redundancy.parity", "4", 4 / (2 * 4) * 6 / 4),
    ],
)
def test_servers_drives_and_the_code_of_a_cluster_can_be_changed(tmp_path, path, value, times):
    design = design_of("example:ec-cluster.toml", tmp_path)
    assert f"cluster.ceph.{path}" in {one.path for one in knobs_of(design.raw)}
    before = estimate_design(design, Change()).figures.usable_tb
    after = estimate_design(design, Change((f"cluster.ceph.{path}={value}",))).figures.usable_tb
    assert after == pytest.approx(times * before, rel=1e-6)


def test_drives_are_listed_by_class_the_newest_first():
    groups = {group.title: group.drives for group in drive_menu().groups}
    assert len(groups) >= 4
    for drives in groups.values():
        years = [device_file(one.name).year or 0 for one in drives]
        assert years == sorted(years, reverse=True)
    titles = {one.name: one.title for drives in groups.values() for one in drives}
    assert titles["kioxia-cm9-r-15-36tb"] == "Kioxia CM9-R, 15.36TB (TLC, 2025)"
    assert len(titles) == sum(map(len, groups.values()))
