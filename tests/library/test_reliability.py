"""Rated reliability of drives, and the class whose figures hold where a file has none."""

import pytest

from iowatt.model.library import RELIABILITY_CLASSES, RatedReliability, device_file, device_names


@pytest.mark.parametrize(
    ("name", "of_class", "afr", "uber"),
    [
        ("seagate-exos-x24-24tb", "hdd-enterprise", 0.0035, 1e-15),
        ("seagate-barracuda-st4000dm004-4tb", "hdd-desktop", None, 1e-14),
        ("seagate-savvio-15k3-300gb", "hdd-enterprise", None, None),
        ("kingston-dc1500m-7-68tb", "ssd-enterprise", None, 1e-17),
        ("samsung-990-pro-2tb", "ssd-client", None, None),
    ],
)
def test_ratings_of_the_file_and_the_class(name, of_class, afr, uber):
    file = device_file(name)
    rated = RatedReliability.of(file, int(file.capacity or 0))
    assert (rated.of_class, rated.uber) == (of_class, uber)
    if afr is not None:
        assert rated.afr == pytest.approx(afr)
    assert set(rated.as_dict()) >= {"class"}


def test_every_drive_of_the_library_has_a_class():
    found = {
        RatedReliability.of(file, int(file.capacity or 0)).of_class
        for file in (device_file(name) for name in device_names())
    }
    assert found == set(RELIABILITY_CLASSES)
