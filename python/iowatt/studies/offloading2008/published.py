"""What was published of the savings of schemes that move data, and of the volumes of an office's servers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from iowatt.studies.text import study_text

TEXT: Final = study_text("offloading2008")


@dataclass(frozen=True)
class Published:
    """A published saving."""

    scheme: str
    work: str
    saving: str
    low: float | None
    high: float | None


#: Percent of the energy of drives that always spin.
PUBLISHED: Final = {
    "spin-down": Published(
        "spin-down", "Narayanan et al., FAST 2008: 36 volumes on 179 disks, a week", "28 to 36 %", 28.0, 36.0
    ),
    "write-off-loading": Published("write-off-loading", "the same", "45 to 60 %", 45.0, 60.0),
    "maid": Published(
        "maid",
        "Colarelli, Grunwald, SC 2002: archives of a supercomputing centre",
        "like always-on arrays at a small fraction of their power",
        None,
        None,
    ),
    "pdc": Published(
        "pdc", "Pinheiro, Bianchini, ICS 2004: conventional disks", "at extremely low load only", None, None
    ),
}


@dataclass(frozen=True)
class ServerVolume:
    """Requests per second of a volume, and how many of a hundred write."""

    name: str
    rate: float
    writes: float
    known: str


#: Volumes of MSR Cambridge: requests in a week from a public script that counts them, write shares as
#: remembered
#: (within 2 points). Where no count was had, 2 requests a second are assumed.
VOLUMES: Final = (
    ServerVolume("prxy_0", 12_518_968 / 604_800, 97, "count and share"),
    ServerVolume("prn_0", 5_585_886 / 604_800, 89, "count and share"),
    ServerVolume("proj_0", 4_224_524 / 604_800, 88, "count and share"),
    ServerVolume("hm_0", 3_993_316 / 604_800, 65, "count and share"),
    ServerVolume("web_2", 5_175_368 / 604_800, 1, "count and share"),
    ServerVolume("rsrch_0", 2.0, 91, "share"),
    ServerVolume("ts_0", 2.0, 82, "share"),
    ServerVolume("usr_0", 2.0, 60, "share"),
)
