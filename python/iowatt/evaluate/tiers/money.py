"""What a drive of a candidate costs over a horizon, by the cost book: bought, kept, and by the watt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from iowatt.base.errors import Argument, InputError
from iowatt.base.toml_writer import inline

if TYPE_CHECKING:
    from iowatt.evaluate.search.pricing import Pricing

#: Groups of components that follow watts, and not drives.
_BY_WATT: Final = ("energy", "demand", "cooling", "carbon")
#: What a site pays whatever is plugged in.
_OF_SITE: Final = ("fixed",)
_TRIED_W: Final = 1000.0


@dataclass(frozen=True)
class DriveCost:
    """USD of one drive: its price, what else is paid for it over the horizon, and each watt that it draws."""

    usd: float
    upkeep_usd: float
    usd_per_w: float


def drive_cost(pool: Mapping[str, Any], base: Path, asked: Pricing, price: float | None) -> DriveCost:
    """The cost lens on one drive of a pool's table, at rest: wear is that of the Run, and not in it.

    ``price`` is what a file of candidates says, which comes before the book.

    Raises ``InputError`` where the drive has no price.
    """
    import numpy as np

    from iowatt.evaluate import evaluation
    from iowatt.lenses.cost.bills import Bills
    from iowatt.lenses.cost.case import Case
    from iowatt.lenses.cost.observe import unused
    from iowatt.lenses.cost.price import price as priced
    from iowatt.lenses.cost.system import Work
    from iowatt.model.scenario import load
    from iowatt.tariffs.load import Load

    if asked.horizon.basis != "time":
        raise InputError("not-applicable", Argument("alpha"), "tiers are priced over years")
    text = (
        'name = "drive"\n[observe]\nduration = "1h"\n'
        f'[[array.pool]]\nname = "drive"\ncount = 1\ndevice = {inline(pool["device"])}\n'
    )
    plan = evaluation.prepare(load(text, base_dir=base), base, text).plan
    system = unused(plan, str(pool["device"]))
    if price is not None:
        given = (price, None, "the file of candidates")
        system = replace(system, drives=tuple(replace(one, price=given, paid=True) for one in system.drives))

    def groups(watts: float) -> tuple[Case, dict[str, float]]:
        drawn = Load.of_powers(np.array([3600.0]), np.array([watts]))
        case = Case(
            replace(system, work=Work(3600.0, drawn, 0.0, 0.0, None)),
            asked.book.changed({}),
            asked.horizon,
            Bills(asked.tariff, asked.start, drawn),
        )
        found: dict[str, float] = {}
        for one in priced(case).components:
            found[one.group] = found.get(one.group, 0.0) + one.usd
        return case, found

    case, resting = groups(0.0)
    _, drawing = groups(_TRIED_W)
    usd = case.price_of(case.system.drives[0]).usd
    kept = sum(value for group, value in resting.items() if group not in (*_BY_WATT, *_OF_SITE))
    by_watt = sum(drawing.get(group, 0.0) - resting.get(group, 0.0) for group in _BY_WATT) / _TRIED_W
    return DriveCost(usd, kept - usd, by_watt)
