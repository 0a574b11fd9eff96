"""The files of presets: the library's folder ``clusters``."""

from __future__ import annotations

from functools import cache
from typing import Final

from iowatt.base.strict import Strict, key
from iowatt.model.library.clusters.figures import (
    NetworkFigures,
    PlacementFigures,
    RecoveryFigures,
    SoftwareFigures,
)
from iowatt.model.library.folders import LibraryFolder
from iowatt.model.library.source import FigureSource

CLUSTERS: Final = LibraryFolder("clusters", "preset", "`iowatt explain cluster.preset`")


class NetworkDefaults(NetworkFigures):
    """The same with the links of a node's ports, by name."""

    front: str = key("Port towards clients.", example="eth-25g")
    back: str | None = key("Port towards other nodes.", unset="the front port", example="eth-25g")


class PresetFile(Strict):
    """One preset."""

    name: str = key("Lower-case name with dashes.", pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=64)
    title: str = key("In whose manner it works.", min_length=1)
    pool: PlacementFigures = key("Of its pools.")
    recovery: RecoveryFigures = key("Of its pools' recovery.")
    network: NetworkDefaults = key("Of its networks.")
    software: SoftwareFigures = key("Of its software.")
    assumptions: list[str] = key("Statements that a reader of its results must see.", default=[])
    source: list[FigureSource] = key("Where the figures come from.", min_length=1)

    def assumed(self) -> list[str]:
        """Key paths of the figures that nobody published."""
        return [figure for one in self.source if one.quality == "assumed" for figure in one.figures]


@cache
def names() -> tuple[str, ...]:
    """Names of the presets, sorted."""
    return CLUSTERS.names()


@cache
def preset(name: str) -> PresetFile:
    """The preset ``name``, which must be one of ``names``."""
    return CLUSTERS.document(name).validate(PresetFile)
