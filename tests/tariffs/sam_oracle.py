"""The same bill by the System Advisor Model (PySAM, Utilityrate5): the oracle of `test_bill_against_sam.py`.

SAM bills a year of 8760 hours that begins on a Monday, as 2018 does; steps may be shorter than an hour.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from iowatt.tariffs.structure import FlatDemand, Tariff, TimeOfUse

ENDLESS = 1e38
_UNITS = {"kWh": 0, "kWh/kW": 1, "kWh daily": 2, "kWh/kW daily": 3}
#: Settings of SAM: net billing, in which what is fed back is paid at the sell rate of its hour.
NET_BILLING = 2


@dataclass(frozen=True)
class SamBill:
    """Dollars of each month, shape (12,)."""

    energy: NDArray[np.float64]
    time_of_use_demand: NDArray[np.float64]
    flat_demand: NDArray[np.float64]
    fixed: NDArray[np.float64]
    minimum: NDArray[np.float64]
    total: NDArray[np.float64]


def sam_bill(tariff: Tariff, kw: NDArray[np.float64]) -> SamBill:
    """SAM's bill of mean powers at equal steps through a year; negative ones are fed back."""
    import PySAM.Utilityrate5 as utilityrate5

    model = utilityrate5.new()
    rates: dict[str, Any] = {
        "en_electricity_rates": 1, "rate_escalation": [0], "ur_metering_option": NET_BILLING,
        "ur_nm_yearend_sell_rate": 0, "ur_nm_credit_month": 11, "ur_nm_credit_rollover": 0,
        "ur_nb_apply_credit_current_month": 1,
        "ur_monthly_fixed_charge": sum(c.usd for c in tariff.fixed if c.per == "month"),
        "ur_monthly_min_charge": sum(c.usd for c in tariff.minimum if c.per == "month"),
        "ur_annual_min_charge": sum(c.usd for c in tariff.minimum if c.per == "year"),
        "ur_en_ts_sell_rate": 0, "ur_ts_sell_rate": [0], "ur_en_ts_buy_rate": 0, "ur_ts_buy_rate": [0],
        "ur_sell_eq_buy": 0, "ur_dc_enable": 1, "TOU_demand_single_peak": 0,
    }  # fmt: skip
    rates |= _energy(tariff.energy) | _demand(tariff.demand) | _flat(tariff.flat_demand) | _ratchet(tariff)
    model.ElectricityRates.assign(rates)
    model.Load.assign({"load": list(np.maximum(kw, 0.0)), "load_escalation": [0]})
    model.SystemOutput.assign({"gen": list(np.maximum(-kw, 0.0)), "degradation": [0]})
    model.Lifetime.assign({"analysis_period": 1, "inflation_rate": 0, "system_use_lifetime_output": 0})
    model.execute(0)

    def year_one(name: str) -> NDArray[np.float64]:
        return np.array(getattr(model.Outputs, name))[1]

    return SamBill(
        year_one("charge_w_sys_ec_ym"), year_one("charge_w_sys_dc_tou_ym"),
        year_one("charge_w_sys_dc_fixed_ym"), year_one("charge_w_sys_fixed_ym"),
        year_one("charge_w_sys_minimum_ym"), year_one("utility_bill_w_sys_ym"),
    )  # fmt: skip


def _one_based(schedule: Sequence[Sequence[int]]) -> list[list[int]]:
    return [[period + 1 for period in row] for row in schedule]


def _limit(limit: float | None) -> float:
    return ENDLESS if limit is None else limit


def _energy(charge: TimeOfUse | None) -> dict[str, Any]:
    assert charge is not None
    rows = [
        [period + 1, index + 1, _limit(tier.limit), _UNITS[tier.unit], tier.price, tier.sell or 0.0]
        for period, tiers in enumerate(charge.periods)
        for index, tier in enumerate(tiers)
    ]
    return {
        "ur_ec_tou_mat": rows,
        "ur_ec_sched_weekday": _one_based(charge.weekdays),
        "ur_ec_sched_weekend": _one_based(charge.weekends),
    }


def _demand(charge: TimeOfUse | None) -> dict[str, Any]:
    if charge is None:
        nothing = [[1] * 24] * 12
        return {
            "ur_dc_tou_mat": [[1, 1, ENDLESS, 0]],
            "ur_dc_sched_weekday": nothing,
            "ur_dc_sched_weekend": nothing,
        }
    rows = [
        [period + 1, index + 1, _limit(tier.limit), tier.price]
        for period, tiers in enumerate(charge.periods)
        for index, tier in enumerate(tiers)
    ]
    return {
        "ur_dc_tou_mat": rows,
        "ur_dc_sched_weekday": _one_based(charge.weekdays),
        "ur_dc_sched_weekend": _one_based(charge.weekends),
    }


def _flat(charge: FlatDemand | None) -> dict[str, Any]:
    if charge is None:
        return {"ur_dc_flat_mat": [[month, 1, ENDLESS, 0] for month in range(12)]}
    rows = [
        [month, index + 1, _limit(tier.limit), tier.price]
        for month, period in enumerate(charge.months)
        for index, tier in enumerate(charge.periods[period])
    ]
    return {"ur_dc_flat_mat": rows}


def _ratchet(tariff: Tariff) -> dict[str, Any]:
    """Look-back as SAM has it: a share for each month, of months that count with their own peak."""
    ratchet = tariff.ratchet
    share = ratchet.lookback_share
    periods = 1 if tariff.demand is None else len(tariff.demand.periods)
    return {
        "ur_enable_billing_demand": int(share > 0),
        "ur_billing_demand_minimum": 0,
        "ur_billing_demand_lookback_period": ratchet.lookback_months,
        "ur_billing_demand_lookback_percentages": [[100.0 * share, 1] for _ in range(12)],
        "ur_dc_billing_demand_periods": [[period + 1, 1] for period in range(periods)],
        "ur_yearzero_usage_peaks": [0.0] * 12,
    }
