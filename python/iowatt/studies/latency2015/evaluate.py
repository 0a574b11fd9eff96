"""From the sweeps to tables, figures and verdicts."""

from __future__ import annotations

from iowatt.base.results import Note
from iowatt.render.document import Section
from iowatt.studies.latency2015 import base as bases
from iowatt.studies.latency2015 import charts, conclusions, points, published, systems, tables
from iowatt.studies.latency2015.members import REFERENCE
from iowatt.studies.latency2015.points import LatencyPoints
from iowatt.studies.latency2015.systems import FULL, QUICK, Scale, stages
from iowatt.studies.stages import Results
from iowatt.studies.study import Findings
from iowatt.studies.study import notes as coded

__all__ = ["FULL", "QUICK", "findings", "stages"]


def findings(results: Results, scale: Scale) -> Findings:
    """Everything that the study finds at a scale."""
    found = points.read(results)
    base = bases.of(found)
    shown = REFERENCE if REFERENCE in scale.members else scale.members[0]
    over_time = [charts.over_time(found, kind, shown) for kind in ("steady", "checkpoint")]
    family = [tables.printed(), tables.members(found), tables.distinguishing(found), charts.histograms(found)]
    sections = [
        Section("time", "Write latency over time", over_time),
        Section("base", "Service times of an installed base", [charts.installed_base(base)]),
        Section("bandwidth", "Bandwidth", [charts.bandwidth(found)]),
        Section("path", "Contributors along the path", [charts.path(found, shown)]),
        Section("family", "The family of calibrations", family),
        Section("services", "Other services", [tables.services(found, scale)]),
    ]
    verdicts = conclusions.all_of(found, base, bases.of(found, published.STORESERV_10400))
    return Findings(verdicts, sections, notes(found, scale), results.table(), chart="over-time-steady")


def idle_gain(found: LatencyPoints) -> str:
    """What the feature takes away of a write's latency with one user: the range over the members."""
    gains = []
    for member in found.members:
        before, after = found.pair("alone", member.key)
        gains.append(100 * (1 - after.write_ms / before.write_ms))
    return f"{min(gains):.0f} to {max(gains):.0f} %"


def notes(found: LatencyPoints, scale: Scale) -> list[Note]:
    """What every figure here rests on."""
    load = systems.LOAD
    sentences = {
        "family-of-calibrations": "Two means were published, and many systems have them. The study does not "
        "choose one: every member of the family below gives 0.5 and 0.25 ms, and they behave differently "
        "everywhere else. " + tables.best_distinguishing(found),
        "halved-mean": "A halved mean says one thing of all of them: what no processor is needed for "
        "(exchange, port, copy to the partner) is twice the wait that each visit is spared, F = 2 (W_2 - "
        f"W_1). Where nobody waits, one of two visits less takes {idle_gain(found)} away, not half.",
        "assembled-array": f"Assembled: {published.DRIVES} SSDs of the library ({systems.SSD}) for the 400 "
        "GB SAS SSDs that are not named; RAID-5 of 3+1 for data and RAID-10 for the log, both in chunklets "
        "over all drives; cache lines of 16 KiB of which only what is dirty is written. The 256 MiB of write "
        "cache are assumed, small so that destaging is steady within the run.",
        "processors": "One processor serves the host port (two in one member): OS versions before 3.3.1 "
        "bound a port to a core (d8tadude.com, 3PAR OS 3.3.1 Performance Enhancements, read 22 November "
        "2026). What a visit takes is published nowhere.",
        "assumed-load": f"The load is assumed: {published.USERS} users who each ask for {systems.PAGES:g} "
        f"pages and {systems.COMMITS:g} log writes a second and wait for them, {load.reads:,.0f} reads and "
        f"{load.writes:,.0f} writes a second together; pages of 8 KiB, {published.READS_PER_WRITE:g} reads "
        "to a write (Chen et al.), anywhere in 400 GB; log writes of 4 to 60 KiB. So are the checkpoint and "
        "the scan.",
        "express-writes": "Express Writes are buffers of the target port for writes of up to 64 KiB: the "
        "port asks for the data itself, and the controller is visited once. Exchanges on the wire are the "
        "same, as in HP's patent (US 10,209,906). Classes and numbers of buffers are not published.",
        "defects-of-the-source": "Known defects of the source: the installed base's histogram (10 % to 40 % "
        "at 0.12 ms) is telemetry of many arrays, the halved mean is one system under one load, and no "
        "calibration is made to fit both. Its spikes are means of the array's reporter over an interval, not "
        "single requests. Its switch latency in the low tens of us is high. A blog that says that data is "
        "sent along with the command describes iSCSI's immediate data.",
        "modelled": "Modelled, not measured. Means over a second are of writes that were completed in it, as "
        "the array sees them: from the arrival of a command at the target port to its answer.",
    }
    return coded(sentences, reduced="fewer members on short runs" if scale != FULL else "")
