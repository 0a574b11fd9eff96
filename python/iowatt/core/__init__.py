"""The compiled core: traces, workloads, caches, power policies and the simulator, in SI numbers only.

The only place that imports the extension module; its signatures are in ``_native.pyi``.
"""

from typing import TYPE_CHECKING

from iowatt.core._native import (
    PolicyTrial,
    StagesReader,
    TraceReader,
    VolumeServer,
    __version__,
    break_even,
    cache_simulate,
    evaluate_policy,
    nbd_export,
    open_trace,
    policy_foresees,
    replay_one,
    replay_open,
    replay_run,
    simulate,
    trace_describe,
    trace_formats,
    trace_heat,
    trace_info,
    volume_check,
    volume_create,
    volume_needs,
)

if TYPE_CHECKING:
    from iowatt.core._native import (
        Batch,
        Export,
        Managed,
        Outcome,
        Queued,
        ReplayColumns,
        Replayed,
        ReplayStamps,
        StageBatch,
        TraceHeat,
    )

__all__ = [
    "Batch",
    "Export",
    "Managed",
    "Outcome",
    "PolicyTrial",
    "Queued",
    "ReplayColumns",
    "ReplayStamps",
    "Replayed",
    "StageBatch",
    "StagesReader",
    "TraceHeat",
    "TraceReader",
    "VolumeServer",
    "__version__",
    "break_even",
    "cache_simulate",
    "evaluate_policy",
    "nbd_export",
    "open_trace",
    "policy_foresees",
    "replay_one",
    "replay_open",
    "replay_run",
    "simulate",
    "trace_describe",
    "trace_formats",
    "trace_heat",
    "trace_info",
    "volume_check",
    "volume_create",
    "volume_needs",
]
