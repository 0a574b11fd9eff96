"""Traces that recorded response times, as an Observation: of any format, in bounded memory."""

from __future__ import annotations

from iowatt.sources.trace.count import RequestCounter, TraceSource, to_observation
from iowatt.sources.trace.observe import TraceRequest, read
from iowatt.sources.trace.recording import recording_files

__all__ = ["RequestCounter", "TraceRequest", "TraceSource", "read", "recording_files", "to_observation"]
