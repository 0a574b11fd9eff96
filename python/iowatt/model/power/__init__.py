"""The array's own power: from parts and drives through the supplies to the wall.

``keys`` are the tables of a scenario, ``part`` the library's parts, and ``resolve`` makes an ``ArrayPlan``
(``plan``) of them, with ``components`` for parts and supplies and ``feasible`` for what is impossible.
``efficiency`` is what supplies draw, ``spin_up`` the start of the drives; ``calculator`` answers for idle and
active arrays. Watts, VA and seconds throughout. The names below are imported on first use: ``calculator`` and
``spin_up`` need numpy.
"""

from typing import TYPE_CHECKING

from iowatt.base.lazy import names_from

if TYPE_CHECKING:
    from iowatt.model.power.calculator import calculate, component_watts, total
    from iowatt.model.power.components import ResolvedPower
    from iowatt.model.power.efficiency import MODES, Mode, Supplies
    from iowatt.model.power.keys import ArrayPower, PartKeys, SupplyKeys
    from iowatt.model.power.part import CONTROLLERS, certificates, find_part, part_names
    from iowatt.model.power.plan import BTU_FACTORS, ArrayPart, ArrayPlan, Enclosure, PoolDrives
    from iowatt.model.power.resolve import resolve_power

__all__ = [
    "BTU_FACTORS", "CONTROLLERS", "MODES", "ArrayPart", "ArrayPlan", "ArrayPower", "Enclosure", "Mode",
    "PartKeys", "PoolDrives", "ResolvedPower", "Supplies", "SupplyKeys", "calculate", "certificates",
    "component_watts", "find_part", "part_names", "resolve_power", "total",
]  # fmt: skip

if not TYPE_CHECKING:
    __getattr__ = names_from(
        __name__,
        {
            "calculator": "calculate component_watts total",
            "components": "ResolvedPower",
            "efficiency": "MODES Mode Supplies",
            "keys": "ArrayPower PartKeys SupplyKeys",
            "part": "CONTROLLERS certificates find_part part_names",
            "plan": "BTU_FACTORS ArrayPart ArrayPlan Enclosure PoolDrives",
            "resolve": "resolve_power",
        },
    )
