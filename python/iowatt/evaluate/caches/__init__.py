"""Caches on their own: hits of many policies and sizes over one pass of a trace."""

from iowatt.evaluate.caches.request import compare_caches
from iowatt.evaluate.caches.result import CacheComparison, SimulatedCache
from iowatt.evaluate.caches.simulate import simulate

__all__ = ["CacheComparison", "SimulatedCache", "compare_caches", "simulate"]
