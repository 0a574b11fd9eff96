"""What a device file is good for, and what it missing_figures."""

from __future__ import annotations

import pytest

from iowatt.model.library.describe import good_for, missing_figures
from iowatt.model.library.device import DeviceFile

HDD = {"name": "a", "kind": "hdd", "title": "A"}
SSD = {"name": "a", "kind": "ssd", "title": "A"}
RATED = {
    "capacity": "1TB",
    "interface": "SATA 6G",
    "performance": {
        "sequential_read": "500MB/s",
        "sequential_write": "450MB/s",
        "random_read_iops": 80_000,
        "random_write_iops": 30_000,
    },
}
MOVING = {
    "capacity": "1TB",
    "rpm": 7200,
    "seek": {"average": "8ms"},
    "performance": {"sequential_read": "150MB/s"},
}


def file(base, **tables):
    return DeviceFile.model_validate({**base, **tables})


def test_an_empty_disk_lacks_everything():
    missing = missing_figures(file(HDD))
    assert missing["mechanics"] == ["capacity", "rpm", "seek.average", "geometry.outer_rate"]
    assert missing["power"] == ["power.active", "power.positioning", "power.idle"]
    assert missing["simulation"] == missing["mechanics"] + missing["power"]
    assert missing["spin-down"][0] == "power.standby" and len(missing["spin-down"]) == 5
    assert missing["price"] == ["price.usd"]
    assert good_for(file(HDD)) == []


@pytest.mark.parametrize(
    ("tables", "uses"),
    [
        (MOVING, ["mechanics"]),
        ({"power": {"idle": "5W", "active": "9W"}}, ["power"]),
        ({"power": {"idle": "5W"}}, []),
        ({**MOVING, "power": {"idle": "5W", "random_read": "9W"}}, ["mechanics"]),
        ({**MOVING, "power": {"idle": "5W", "active": "9W"}}, ["simulation", "mechanics", "power"]),
        ({"price": {"usd": 100, "date": "2024-05"}}, ["price"]),
    ],
)
def test_disks(tables, uses):
    assert good_for(file(HDD, **tables)) == uses


@pytest.mark.parametrize(
    ("tables", "uses"),
    [
        ({"power": {"idle": "1W", "sequential_write": "3W"}}, ["power"]),
        (RATED, ["mechanics"]),
        ({**RATED, "power": {"idle": "1W", "active": "3W"}}, ["simulation", "mechanics", "power"]),
        ({"power": {"max": "25W"}}, []),
        ({"price": {"usd": 100}}, ["price"]),
    ],
)
def test_flash(tables, uses):
    assert good_for(file(SSD, **tables)) == uses


def test_an_empty_ssd_lacks_everything():
    missing = missing_figures(file(SSD))
    rates = ("sequential_read", "sequential_write", "random_read_iops", "random_write_iops")
    assert missing["mechanics"] == ["capacity", "interface", *(f"performance.{rate}" for rate in rates)]
    assert missing["simulation"] == [*missing["mechanics"], "power.idle", "power.active"]
    assert "spin-down" not in missing


def test_a_caution_counts_as_missing():
    tables = {
        "power": {"idle": "1W", "active": "0.1W"},
        "source": [{"figures": ["power"], "quality": "stated", "caution": "asleep", "text": "t"}],
    }
    assert missing_figures(file(SSD, **tables))["power"] == ["power.idle", "power.active"]
