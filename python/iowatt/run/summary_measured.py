"""``driver`` and ``instruments`` of ``run.json``: what made and what recorded a measured run."""

from __future__ import annotations

from dataclasses import asdict
from typing import Literal

from pydantic import Field

from iowatt.run.record import Record
from iowatt.run.summary_part import Part


class InstrumentProblem(Part):
    """Something that an instrument or its log did not do right."""

    kind: str = Field(description="gap, not-available, out-of-range, clipped, uncertain, clock, failure.")
    at_s: float | None = Field(description="From the start of the run; null where it concerns all of it.")
    seconds: float = Field(description="How long it lasted.")
    text: str


class Instrument(Part):
    """A meter or thermometer that recorded beside the run."""

    name: str
    kind: str = Field(description="The reader: snmp, yokogawa-csv, ptdaemon ...")
    role: Literal["power", "temperature"]
    grade: Literal["emerald", "indicative"] = Field(
        description="Whether its kind can meet the rules of an Emerald measurement."
    )
    why: str = Field(description="The reason for the grade.")
    model: str | None
    serial: str | None
    calibrated: str | None = Field(description="Date, ISO 8601.")
    sample_interval_s: float | None
    uncertainty_percent: float | None = Field(description="Of a power sample, as the instrument says.")
    details: dict[str, str]
    problems: list[InstrumentProblem] = Field(description="Within the window, and of the whole log.")


class StreamShare(Part):
    """A stream's share of all requests, percent."""

    stream: str
    asked: float
    observed: float
    iops: float | None = Field(default=None, description="Its requests per second, where the tool says it.")
    response_mean_ms: float | None = Field(
        default=None, description="Its mean response time, where the tool says it."
    )


class Reported(Part):
    """The load generator's own summary, as it printed it."""

    iops: float | None
    mib_per_s: float | None
    response_mean_ms: float | None


class LoadGenerator(Part):
    """What made the requests of a measured run, and what it says of itself."""

    tool: Literal["fio", "vdbench"]
    version: str
    asked_iops: float | None = Field(description="Null where it ran as fast as it could.")
    achieved_iops: float
    shares: list[StreamShare]
    histogram: str | None = Field(description="Where the response-time histogram comes from.")
    warnings: list[str]
    reported: Reported | None = Field(
        default=None,
        description="The tool's own summary; it may count other intervals, or a short last one as whole.",
    )


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
        shares=[
            StreamShare(
                stream=share.stream,
                asked=share.asked,
                observed=share.observed,
                iops=share.iops,
                response_mean_ms=None if share.response_mean_s is None else share.response_mean_s * 1e3,
            )
            for share in made.shares
        ],
        histogram=made.histogram,
        warnings=list(made.warnings),
        reported=None if made.reported is None else Reported(**made.reported),
    )


def instruments(record: Record) -> list[Instrument] | None:
    """What recorded; None where nothing did."""
    if record.instruments is None:
        return None
    return [Instrument.model_validate(asdict(one)) for one in record.instruments]
