"""``driver`` and ``instruments`` of ``run.json``: what made and what recorded a measured run."""

from __future__ import annotations

from dataclasses import asdict

from iowatt.run.record import Record
from iowatt.run.summary_schema import Instrument, LoadGenerator, Reported, StreamShare


def driver(record: Record) -> LoadGenerator | None:
    """What made the requests; None where nothing did, or nothing real."""
    made = record.driver
    if made is None:
        return None
    return LoadGenerator(
        tool=made.tool,
        version=made.version,
        asked_iops=made.asked_iops,
        achieved_iops=made.achieved_iops,
        shares=[StreamShare(stream=name, asked=asked, observed=seen) for name, asked, seen in made.shares],
        histogram=made.histogram,
        warnings=list(made.warnings),
        reported=None if made.reported is None else Reported(**made.reported),
    )


def instruments(record: Record) -> list[Instrument] | None:
    """What recorded; None where nothing did."""
    if record.instruments is None:
        return None
    return [Instrument.model_validate(asdict(one)) for one in record.instruments]
