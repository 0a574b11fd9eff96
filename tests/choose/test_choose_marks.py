"""Marks of an answer's charts: ticks, and places of names."""

from __future__ import annotations

import pytest

from iowatt.pages.choose import marks


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([333.0, 3190.0], ["500", "1,000", "2,000"]),
        ([29_500.0, 153_000.0], ["30,000", "50,000", "100,000"]),
        ([0.04, 3.0], ["0.05", "0.1", "0.2", "0.5", "1", "2"]),
        ([320.0, 616.0], ["400", "500", "600"]),
        ([5.0, 2e6], ["10", "100", "1,000", "10,000", "100,000", "1,000,000"]),
    ],
)
def test_ticks_are_round_written_out_and_few(values, texts):
    found = marks.ticks(values, "$")
    assert {f"${text}" for text in texts} <= set(found["ticktext"])
    assert 3 <= len(found["tickvals"]) == len(found["ticktext"]) <= 8


def test_names_of_points_side_by_side_keep_off_each_other_and_the_markers():
    points = [
        (474.0, 29_500.0, "Cached disks"),
        (467.0, 32_800.0, "Tiered disks"),
        (3190.0, 143e3, "10k disks"),
    ]
    found = marks.places(points)
    for size in ((230.0, 220.0), (1030.0, 220.0)):
        chart = marks._NamedPoints(points, *size)
        boxes = [chart.box(at, place) for at, place in enumerate(found)]
        assert marks._common(boxes[0], boxes[1]) == 0
        assert sum(marks._common(boxes[at], chart.markers[1 - at]) for at in (0, 1)) == 0


def test_a_single_point_has_its_name_and_a_tick():
    assert marks.places([(500.0, 2e4, "SATA flash")])
    assert marks.ticks([500.0])["tickvals"] == [500.0, 600.0]


def test_no_points_have_no_places():
    assert marks.places([]) == []
