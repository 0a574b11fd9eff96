"""Searches: many scenarios made of one, simulated, and their Runs collected in a table.

``axes`` reads what varies, ``prepare`` checks every point before one runs, ``point`` is a point as a task,
``pricing`` the cost lens on a point, ``sweep`` and ``curve`` the verbs. Packages: ``tasks`` runs points and
keeps them, ``metrics`` has their rows and metrics, ``highest`` searches a load by measurements, ``rate`` a
scenario's highest rate, ``optimize`` the best configurations; ``cluster`` runs tasks on Ray.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from iowatt.base.lazy import names_from

if TYPE_CHECKING:
    from iowatt.evaluate.search.axes import SweepAxis, parse_axes, short_names, show_value
    from iowatt.evaluate.search.curve import curve_request, rate_overrides
    from iowatt.evaluate.search.point import PointTask, evaluate_point, key_of, run_of_task, task_of
    from iowatt.evaluate.search.prepare import ScenarioInput
    from iowatt.evaluate.search.pricing import Pricing, PricingRequest
    from iowatt.evaluate.search.risk import RiskBasis
    from iowatt.evaluate.search.sweep import (
        SweepRequest,
        SweepResult,
        run_sweep,
        sweep_document,
        sweep_request,
    )

__all__ = [
    "PointTask",
    "Pricing",
    "PricingRequest",
    "RiskBasis",
    "ScenarioInput",
    "SweepAxis",
    "SweepRequest",
    "SweepResult",
    "curve_request",
    "evaluate_point",
    "key_of",
    "parse_axes",
    "rate_overrides",
    "run_of_task",
    "run_sweep",
    "short_names",
    "show_value",
    "sweep_document",
    "sweep_request",
    "task_of",
]  # fmt: skip

if not TYPE_CHECKING:
    __getattr__ = names_from(
        __name__,
        {
            "axes": "SweepAxis parse_axes short_names show_value",
            "curve": "curve_request rate_overrides",
            "point": "PointTask evaluate_point key_of run_of_task task_of",
            "prepare": "ScenarioInput",
            "pricing": "Pricing PricingRequest",
            "risk": "RiskBasis",
            "sweep": "SweepRequest SweepResult run_sweep sweep_document sweep_request",
        },
    )
