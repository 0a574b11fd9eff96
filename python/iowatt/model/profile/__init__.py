"""Synthetic workloads: a *profile* says what to generate, in names and units, each figure with its source.

``load`` reads a profile of the library or of a file; ``Loaded.synthesis`` compiles it into the plan of SI
numbers that iowatt-workload generates from. A plan stands wherever a trace specification can:
``{"synthetic": plan}``. ``laws`` has the laws of arrival and of addresses; ``result`` what the verb
``trace profiles`` prints. The names are imported on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from iowatt.base.lazy import names_from

if TYPE_CHECKING:
    from iowatt.model.profile.describe import profile_list, remarks, shown_profile
    from iowatt.model.profile.find import Loaded, load, parsed, profile_names
    from iowatt.model.profile.profile import (
        PROFILE_SCHEMA,
        Envelope,
        Mix,
        Profile,
        ProfilePhase,
        ProfileStream,
        mean_size,
    )
    from iowatt.model.profile.ranges import RangeEnd

__all__ = [
    "PROFILE_SCHEMA",
    "Envelope",
    "Loaded",
    "Mix",
    "Profile",
    "ProfilePhase",
    "ProfileStream",
    "RangeEnd",
    "load",
    "mean_size",
    "parsed",
    "profile_list",
    "profile_names",
    "remarks",
    "shown_profile",
]

if not TYPE_CHECKING:
    __getattr__ = names_from(
        __name__,
        {
            "describe": "profile_list remarks shown_profile",
            "find": "Loaded load parsed profile_names",
            "profile": "PROFILE_SCHEMA Envelope Mix Profile ProfilePhase ProfileStream mean_size",
            "ranges": "RangeEnd",
        },
    )
