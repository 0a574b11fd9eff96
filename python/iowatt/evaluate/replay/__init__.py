"""`iowatt replay`: a trace on real storage, with meters beside it, and the same trace simulated."""

from iowatt.evaluate.replay.replay import ReplayRequest, replay
from iowatt.evaluate.replay.result import ReplayDocument

__all__ = ["ReplayDocument", "ReplayRequest", "replay"]
