"""Servers of clusters, network adapters and switches of racks: the files of the folder ``servers``."""

from iowatt.model.library.servers.parts import (
    KINDS,
    NetworkAdapterFile,
    NodePartFile,
    RackSwitchFile,
    ServerFigures,
    ServerFile,
    names,
    network_adapter,
    part,
    rack_switch,
    server,
)

__all__ = [
    "KINDS", "NetworkAdapterFile", "NodePartFile", "RackSwitchFile", "ServerFigures", "ServerFile", "names",
    "network_adapter", "part", "rack_switch", "server",
]  # fmt: skip
