"""Recordings of live instruments: ``recorder`` writes and reads one, ``recorders`` those of a measurement."""

from iowatt.sources.meters.recording.recorder import Recorder, read_log
from iowatt.sources.meters.recording.recorders import InstrumentRequest, Recorders, file_name

__all__ = ["InstrumentRequest", "Recorder", "Recorders", "file_name", "read_log"]
