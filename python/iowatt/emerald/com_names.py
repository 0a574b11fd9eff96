"""Names of the capacity optimisation methods (COMs) of the disclosure form."""

from __future__ import annotations

from typing import Literal

Com = Literal[
    "read-only-delta-snapshots",
    "writeable-delta-snapshots",
    "thin-provisioning",
    "data-deduplication",
    "compression",
    "parity-raid",
]
