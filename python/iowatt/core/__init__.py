"""The compiled core: traces, workloads, caches, power policies and the simulator, in SI numbers only.

The only place that imports the extension module; its signatures are in ``_native.pyi``.
"""

from typing import TYPE_CHECKING

from iowatt.core._native import (
    PolicyTrial,
    StagesReader,
    TraceReader,
    __version__,
    break_even,
    cache_simulate,
    evaluate_policy,
    open_trace,
    policy_foresees,
    replay_one,
    replay_open,
    simulate,
    trace_describe,
    trace_formats,
    trace_heat,
    trace_info,
)

if TYPE_CHECKING:
    from iowatt.core._native import Batch, Managed, Outcome, Queued, Replayed, StageBatch, TraceHeat

__all__ = [
    "Batch",
    "Managed",
    "Outcome",
    "PolicyTrial",
    "Queued",
    "Replayed",
    "StageBatch",
    "StagesReader",
    "TraceHeat",
    "TraceReader",
    "__version__",
    "break_even",
    "cache_simulate",
    "evaluate_policy",
    "open_trace",
    "policy_foresees",
    "replay_one",
    "replay_open",
    "simulate",
    "trace_describe",
    "trace_formats",
    "trace_heat",
    "trace_info",
]
