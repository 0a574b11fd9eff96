"""`iowatt replay`: a trace on real storage, with power meters, and the same trace simulated."""

from iowatt.evaluate.replay.conduct import replay
from iowatt.evaluate.replay.request import ReplayRequest
from iowatt.evaluate.replay.result import ReplayDocument

__all__ = ["ReplayDocument", "ReplayRequest", "replay"]
