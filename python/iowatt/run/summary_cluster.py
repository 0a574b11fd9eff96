"""Part of ``run.json``: what the nodes and networks of clusters did."""

from __future__ import annotations

from pydantic import Field

from iowatt.run.summary_parts import SummaryPart, absent


class PortSummary(SummaryPart):
    """A port of a node, or the uplink of a rack, within the window."""

    bytes_in: int = Field(description="Received; of an uplink, from the other racks.")
    bytes_out: int
    utilisation_in: float | None = Field(description="Busy share; null where it takes no time.")
    utilisation_out: float | None
    wait_s: float = Field(description="Sum of the waits of messages, both ways.")


class NodeDrives(SummaryPart):
    """Busy shares of the drives of a node."""

    count: int
    mean: float
    least: float
    most: float


class NodeSummary(SummaryPart):
    """A node of a cluster within the window."""

    name: str
    kind: str = Field(description="Name of its kind.")
    rack: int
    requests: int = Field(description="Parts of clients' requests that it served.")
    operations: int = Field(description="Of its drives.")
    utilisation: float = Field(description="Busy share of its cores.")
    wait_mean_ms: float | None = Field(
        description="Mean wait for a core, over requests and operations; null without any."
    )
    drives: NodeDrives | None = absent("How busy its drives are; absent of a node without any.")
    front: PortSummary
    back: PortSummary | None = Field(description="Null where the node has one port.")


class MoveSummary(SummaryPart):
    """What a node that joined or left made move; over the whole run."""

    node: str
    at_s: float
    finished_s: float | None = Field(description="When the last member had moved.")
    members: int = Field(description="Members of placement groups to move.")
    moved: int
    moved_bytes: int


class ClusterPoolSummary(SummaryPart):
    """Where the members of a pool's placement groups are at the end."""

    name: str
    redundancy: str
    failure_domain: str
    members: int
    least_of_drive: int = Field(description="Members of the drive with the fewest.")
    most_of_drive: int
    drives: int = Field(description="Drives that are there at the end.")
    moves: list[MoveSummary]


class ClusterSummary(SummaryPart):
    """A cluster."""

    name: str
    preset: str | None = absent("In whose manner it works.")
    nodes: list[NodeSummary]
    uplinks: list[PortSummary] = Field(description="By rack; none where nothing goes between racks.")
    pools: list[ClusterPoolSummary]
