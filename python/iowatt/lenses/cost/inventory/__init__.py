"""What a system is made of, from a file of its owner: for measured Runs, and in place of what a Run knows.

``file`` is the format, ``read`` an ``Inventory`` of it, ``members`` the drives that it adds to the Run's and
what it changes of those, ``remarks`` what it leaves unknown. What the file does not say is not made up:
drives without counts have no wear, and a note says so, unless the file tells how hosts' bytes reach them.
"""

from iowatt.lenses.cost.inventory.members import changed, drives
from iowatt.lenses.cost.inventory.read import Inventory, read_inventory
from iowatt.lenses.cost.inventory.remarks import beside, notes

__all__ = ["Inventory", "beside", "changed", "drives", "notes", "read_inventory"]
