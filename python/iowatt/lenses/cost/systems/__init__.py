"""The system that is priced: drives with their work, parts, power over time and capacity.

``observe`` finds them in a Run, ``inventory`` adds what the Run does not have (``inventory_file`` is its
format), ``low_power_state`` has the power states of drives below idle.
"""

from iowatt.lenses.cost.systems.of_run import observe, power_over_time, system_of_plan
from iowatt.lenses.cost.systems.system import PricedSystem

__all__ = ["PricedSystem", "observe", "power_over_time", "system_of_plan"]
