"""Meters in a rehearsal: minutes are shortened, and meters answer no faster than they do."""

from __future__ import annotations

import numpy as np
import pytest
from emerald_plans import plan

from iowatt.emerald.conduct.sequence import sampling_s
from iowatt.emerald.plan.model import PlannedInstrument
from iowatt.sources.meters.log.alignment import align
from iowatt.sources.meters.log.instrument import Instrument as Meter
from iowatt.sources.meters.log.instrument import InstrumentLog


@pytest.mark.parametrize(
    ("scale", "power", "temperature"),
    [(1.0, 1.0, 10.0), (0.1, 1.0, 4.8), (0.02, 0.96, 0.96), (0.005, 0.24, 0.24)],
)
def test_sampling_is_shortened_only_as_far_as_meters_follow(tmp_path, scale, power, temperature):
    meters = [PlannedInstrument(name="pdu", source="redfish://pdu1/")]
    made = plan(tmp_path, time_scale=scale, instruments=meters)
    assert sampling_s(made, "power") == pytest.approx(power)
    assert sampling_s(made, "temperature") == pytest.approx(temperature)


def test_every_minute_of_a_rehearsal_has_its_power(tmp_path):
    """1.2 s each, a sample in each, up to 0.2 s late as over a network."""
    made = plan(tmp_path, time_scale=0.02)
    every, width = sampling_s(made, "power"), made.stages[-1].interval_s
    assert width == pytest.approx(1.2)
    late = np.random.default_rng(7).uniform(0.0, 0.2, 400)
    time_s = np.arange(400) * every + late
    meter = Meter("pdu", "redfish", "indicative", "a PDU", sample_interval_s=every)
    log = InstrumentLog(meter, time_s, {"watts": np.full(400, 240.0)})
    start = 5.0 + np.arange(31) * width
    found = align(log, "watts", start, start + width, longest_gap_s=5.0)
    assert found.complete.all() and np.allclose(found.usable_mean, 240.0)
    # A meter that is silent for whole minutes still has none of them.
    heard = time_s[(time_s < 8) | (time_s > 13)]
    silent = InstrumentLog(meter, heard, {"watts": np.full(len(heard), 240.0)})
    assert not align(silent, "watts", start, start + width, longest_gap_s=5.0).complete.all()
