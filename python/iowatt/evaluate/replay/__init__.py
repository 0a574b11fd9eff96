"""`iowatt replay`: a trace on real storage, with power meters, and the same trace simulated."""

from iowatt.evaluate.replay.conduct import replay
from iowatt.evaluate.replay.live import run_live
from iowatt.evaluate.replay.request import Engine, Mode, ReplayRequest
from iowatt.evaluate.replay.result import ReplayDocument

__all__ = ["Engine", "Mode", "ReplayDocument", "ReplayRequest", "replay", "run_live"]
