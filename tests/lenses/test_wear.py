"""The media wear gauge: shares of ratings and years at this rate."""

from __future__ import annotations

import pytest

from iowatt.lenses.wear import SECONDS_PER_YEAR, gauges

DISK = {"bytes_read": 3_000_000, "bytes_written": 1_000_000, "level_changes": 5, "spin_downs": 2}


def test_a_disk_is_held_against_its_yearly_load_and_its_cycles():
    ratings = {"bytes_per_year": 550e12, "load_unload_cycles": 600_000.0, "start_stop_cycles": 50_000.0}
    work, unloads, stops = gauges(DISK, ratings, 3600.0)
    hours = SECONDS_PER_YEAR / 3600
    assert (work.used, work.per_year) == (4e6, pytest.approx(4e6 * hours))
    assert work.yearly_fraction == pytest.approx(4e6 * hours / 550e12)
    assert (work.used_fraction, work.life_years) == (None, None)
    assert unloads.used_fraction == 5 / 600_000
    assert unloads.life_years == pytest.approx(600_000 / (5 * hours))
    assert stops.life_years == pytest.approx(50_000 / (2 * hours))


def test_an_ssd_is_held_against_what_hosts_wrote_and_its_cycles():
    device = {**DISK, "flash_host_bytes_written": 900_000, "flash_pe_cycles_fraction": 1e-6}
    written, cycles = gauges(device, {"bytes_written": 36.5e12, "pe_cycles": 3000.0}, 60.0)
    assert written.used == 900_000
    assert cycles.used == pytest.approx(3e-3)
    assert cycles.life_years == pytest.approx(60 / 1e-6 / SECONDS_PER_YEAR)


def test_what_is_never_used_up_has_no_end_and_what_is_not_counted_no_gauge():
    still = {**DISK, "level_changes": 0}
    (unloads,) = gauges(still, {"load_unload_cycles": 1000.0}, 60.0)
    assert (unloads.life_years, unloads.yearly_fraction) == (None, 0.0)
    assert gauges(DISK, {"pe_cycles": 3000.0}, 60.0) == []
    assert gauges(DISK, {"bytes_per_year": 1e12}, 0.0) == []
    assert gauges(DISK, {}, 60.0) == []
