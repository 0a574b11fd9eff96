"""SSDs: from a data sheet to the figures that the simulator takes, by one set of rules for all drives.

``derive`` makes an ``Ssd`` (``drive``) of a device file; ``inside`` derives its flash, ``joules`` the energy
of its operations, ``ceiling`` what bounds its rates, ``media`` has what is assumed of a cell type,
``figures`` the groups of figures.
"""

from iowatt.model.library.ssd.drive import FREE_BLOCKS, Ssd
from iowatt.model.library.ssd.figures import Behaviour, Traffic

__all__ = ["FREE_BLOCKS", "Behaviour", "Ssd", "Traffic"]
