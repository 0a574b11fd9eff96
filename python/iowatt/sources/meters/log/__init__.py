"""What an instrument is and records: samples that are checked, and aligned in time with others.

``instrument`` has the types and the contract of a live meter, ``checks`` judges the rows of a log,
``alignment`` averages them over intervals of a common clock.
"""

from iowatt.sources.meters.log.alignment import AlignedSeries, align, duplicates, refuse_duplicates
from iowatt.sources.meters.log.checks import sample_interval
from iowatt.sources.meters.log.instrument import QUANTITIES, Instrument, InstrumentLog

__all__ = [
    "QUANTITIES", "AlignedSeries", "Instrument", "InstrumentLog", "align", "duplicates", "refuse_duplicates",
    "sample_interval",
]  # fmt: skip
