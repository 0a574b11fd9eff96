"""SSDs: from a data sheet to the figures that the simulator takes, by one set of rules for all drives.

``derive`` makes an ``Ssd`` (``drive``) of a device file; ``inside`` derives its flash, ``joules`` the energy
of its operations, ``media`` has what is assumed of a cell type, ``figures`` the groups of figures.
"""

from iowatt.model.library.ssd.drive import Ssd
from iowatt.model.library.ssd.figures import Behaviour, Traffic

__all__ = ["Behaviour", "Ssd", "Traffic"]
